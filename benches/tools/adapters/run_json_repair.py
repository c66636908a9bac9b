import json_repair
from protocol import serve


def value(text, made):
    # An empty string is how this library says that there is nothing.
    if made == "" and text.strip() != '""':
        raise ValueError("nothing")
    return made


def stream(request):
    def push(_, so_far):
        return value(so_far, json_repair.loads(so_far, stream_stable=True))

    return push, lambda text: value(text, json_repair.loads(text))


serve(
    repair=lambda request: value(request["text"], json_repair.loads(request["text"])),
    schema=lambda request: value(request["text"], json_repair.loads(request["text"], schema=request["schema"])),
    stream=stream,
)
