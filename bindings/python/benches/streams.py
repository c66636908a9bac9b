"""What does it cost to show a value after every piece of a text that grows? All in one process and one run.

    pip install jiter partial-json-parser
    python benches/streams.py

The text is a list of records in pieces of four characters. `push` alone reads it; `view` and `partial` show the value
after each piece; the others parse all of the text so far anew each time. A figure is milliseconds for the whole text
in processor time of the thread, the least of three rounds, or of one for those that take long; what would take
minutes is left out. Every last value is compared with the whole one.
"""

import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import jiter
import llmend
import partial_json_parser
import pydantic_core
from records import Answer, document

Show = Callable[[str], Any]
PIECE = 4
SIZES = [15_000, 60_000, 1_000_000]
# Characters up to which parsing anew is waited for.
MOST = 60_000
SLOW = 15_000


def anew(parse: Show) -> Callable[[list[str]], Any]:
    def read(pieces: list[str]) -> Any:
        text, value = "", None
        for piece in pieces:
            text += piece
            value = parse(text)
        return value

    return read


def streamed(make: Callable[[], llmend.Stream], show: Callable[[llmend.Stream], Any]) -> Callable[[list[str]], Any]:
    def read(pieces: list[str]) -> Any:
        stream, value = make(), None
        for piece in pieces:
            stream.push(piece)
            value = show(stream)
        return value

    return read


def from_bytes(parse: Callable[[bytes], Any]) -> Show:
    return lambda text: parse(text.encode())


READERS: dict[str, tuple[Callable[[list[str]], Any], int]] = {
    "push": (streamed(lambda: llmend.Stream(Answer), lambda stream: None), sys.maxsize),
    "view": (streamed(llmend.Stream, lambda stream: stream.view().value), sys.maxsize),
    "partial": (streamed(lambda: llmend.Stream(Answer), lambda stream: stream.partial()), sys.maxsize),
    "pydantic-core": (anew(lambda text: pydantic_core.from_json(text, allow_partial="trailing-strings")), MOST),
    "jiter": (anew(from_bytes(lambda text: jiter.from_json(text, partial_mode="trailing-strings"))), MOST),
    "partial-json-parser": (anew(partial_json_parser.loads), SLOW),
}


def took(read: Callable[[list[str]], Any], pieces: list[str], rounds: int) -> tuple[float, Any]:
    least, value = float("inf"), None
    for _ in range(rounds):
        start = time.thread_time_ns()
        value = read(pieces)
        least = min(least, (time.thread_time_ns() - start) / 1e6)
    return least, value


def main() -> None:
    names = ["pydantic-core", "jiter", "partial-json-parser"]
    print("Python", sys.version.split()[0], *(f"{name} {version(name)}" for name in names))
    print(f"{'milliseconds a text':22}" + "".join(f"{name:>22}" for name in READERS))
    for size in SIZES:
        text = f'{{"rows": {document(size)}}}'
        pieces = [text[start : start + PIECE] for start in range(0, len(text), PIECE)]
        cells = []
        for name, (read, most) in READERS.items():
            if size > most:
                cells.append("")
                continue
            least, value = took(read, pieces, 3 if size == SIZES[0] and most != SLOW else 1)
            if name != "push":
                value = value.model_dump() if hasattr(value, "model_dump") else value
                assert value == json.loads(text), name
            cells.append(f"{least:.0f}")
        print(f"{f'{size // 1000} KB':22}" + "".join(f"{cell:>22}" for cell in cells))


if __name__ == "__main__":
    main()
