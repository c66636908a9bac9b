"""A server with the interfaces of OpenAI's that says what a test tells it, for clients as they are published."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

import pytest


class Scripted:
    """The server: it answers with `answers`, one after the other, and keeps the bodies of the `requests`."""

    def __init__(self):
        self.answers: list = []
        self.requests: list[dict] = []
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                scripted.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                kind, body = encoded(scripted.answers.pop(0))
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def says(self, content=None, *, calls=(), finish=None, **message):
        """Adds a completion; `calls` are names and arguments."""
        rows = [
            {"id": f"own_{at}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for at, (name, arguments) in enumerate(calls)
        ]
        said = {"role": "assistant", "content": content, **({"tool_calls": rows} if rows else {}), **message}
        choice = {"index": 0, "finish_reason": finish or ("tool_calls" if rows else "stop"), "message": said}
        self.answers.append(completion("chat.completion", [choice]))

    def streams(self, *deltas, finish="stop"):
        """Adds a stream of chunks; a text is a delta of content."""
        rows = [{"content": delta} if isinstance(delta, str) else delta for delta in deltas]
        ends = [None] * len(rows) + [finish] * (finish is not None)
        chunks = [
            completion("chat.completion.chunk", [{"index": 0, "delta": row, "finish_reason": end}])
            for row, end in zip([*rows, {}], ends)
        ]
        self.answers.append(chunks)

    def responds(self, *output):
        """Adds a response; a text is a message."""
        items = [
            {
                "type": "message",
                "id": f"msg_{at}",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": item, "annotations": []}],
            }
            if isinstance(item, str)
            else item
            for at, item in enumerate(output)
        ]
        fixed = {"id": "resp_1", "object": "response", "created_at": 0, "model": "m", "status": "completed"}
        self.answers.append({**fixed, "output": items, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []})


def completion(kind, choices):
    return {"id": "chatcmpl-1", "object": kind, "created": 0, "model": "m", "choices": choices}


def encoded(answer):
    if isinstance(answer, dict):
        return "application/json", json.dumps(answer).encode()
    lines = [json.dumps(chunk) for chunk in answer]
    return "text/event-stream", "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode()


@pytest.fixture
def server():
    made = Scripted()
    yield made
    made.close()


def versions(*packages: str) -> None:
    """Prints the versions of the packages that a test is about."""
    print("tested with", ", ".join(f"{package} {version(package)}" for package in packages))
