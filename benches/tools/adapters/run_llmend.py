import json

import llmend
from protocol import Flagged, serve


def prepare(request):
    if request["task"] == "calls":
        return llmend.Tools(request["tools"])
    return llmend.Schema(json.dumps(request["schema"])) if request["task"] == "schema" else None


def outcome(found):
    def warns():
        report = found.report
        classes = {report.class_, *(coercion.class_ for coercion in found.coercions)}
        findings = any(row.severity != "info" for row in report.diagnostics)
        return report.truncated or findings or bool(classes & {"guess", "loss"})

    return Flagged(found.value, warns)


def stream(_):
    arriving = llmend.Stream()

    def push(piece, _):
        arriving.push(piece)
        return arriving.partial()

    return push, lambda _: outcome(arriving.finish())


def calls(request):
    found = llmend.calls(request["text"], request["ready"])
    if found.refused and not found.calls:
        raise ValueError(found.refused[0].diagnostic.message)
    made = [{"name": call.name, "arguments": call.arguments} for call in found]
    unsure = any(call.class_ in ("guess", "loss") for call in found)
    return Flagged(made, lambda: not found.usable or found.findings or unsure)


serve(
    prepare,
    repair=lambda request: outcome(llmend.parse(request["text"])),
    schema=lambda request: outcome(llmend.parse(request["text"], request["ready"])),
    stream=stream,
    calls=calls,
)
