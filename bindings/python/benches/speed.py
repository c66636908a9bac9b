"""How fast is `loads`, beside what else reads JSON or repairs it? All in one process and one run.

    pip install json_repair==0.64.5 fast-json-repair repairjson
    python benches/speed.py

Every answer is checked before it is timed. A figure is the least of many calls in turn, in processor time of the
thread, so that what else the machine does counts as little as can be. `text alone` is the engine without
objects: what is left of `loads` is what Python's objects cost. Below stand `parse` into a model of pydantic, beside
`Model.model_validate_json` on valid text, the same of 50 members and of a schema (compiled before, or a `dict`, which
each call looks up), and what one piece of a text costs that grows: `push` alone, with a `view()`, with a `partial()` of
the model.
"""

import json
import time
from collections.abc import Callable

import fast_json_repair
import json_repair
import llmend
import pydantic
import repairjson
from records import Answer, document
from typing_extensions import TypedDict


def broken(text: str) -> str:
    """The same as a model might write it: fenced, in single quotes, with commas too many."""
    text = text.replace('"', "'").replace("}]", ",}]").replace("true", "True").replace("null", "None")
    return f"Sure!\n```json\n{text[:-1]},]\n```"


def text_alone(text: str) -> str:
    return llmend._llmend.repair(text)[0]


def best(readers: list[Callable[[str], object]], text: str, rounds: int, calls: int) -> list[float]:
    """Microseconds a call, the least of all rounds."""
    least = [float("inf")] * len(readers)
    for _ in range(rounds):
        for at, reader in enumerate(readers):
            start = time.thread_time_ns()
            for _ in range(calls):
                reader(text)
            least[at] = min(least[at], (time.thread_time_ns() - start) / calls / 1000)
    return least


def main() -> None:
    readers = {
        "llmend.loads": llmend.loads,
        "text alone": text_alone,
        "json.loads": json.loads,
        "fast_json_repair": fast_json_repair.loads,
        "repairjson": repairjson.loads,
        "json_repair": json_repair.loads,
    }
    print(f"{'microseconds a call':24}" + "".join(f"{name:>18}" for name in readers))
    for size, calls in [(1_000, 50), (100_000, 2)]:
        valid = document(size)
        for kind, text in [("valid", valid), ("broken", broken(valid))]:
            names = [name for name in readers if kind == "valid" or name != "json.loads"]
            for name in names:
                value = readers[name](text)
                if name != "text alone" and value != json.loads(valid):
                    print(f"  {name} gives another value")
            slow = [name for name in names if name == "json_repair" and kind == "broken"]
            fast = [name for name in names if name not in slow]
            took = dict(zip(fast, best([readers[name] for name in fast], text, 60, calls)))
            took |= dict(zip(slow, best([readers[name] for name in slow], text, 3, 1)))
            cells = [f"{took[name]:>18.1f}" if name in took else f"{'':>18}" for name in readers]
            print(f"{f'{kind}, {size // 1000} KB':24}" + "".join(cells))
            ours = took["llmend.loads"]
            print(f"{'  times llmend.loads':24}" + "".join(f"{took[name] / ours:>18.2f}" if name in took else f"{'':>18}" for name in readers))


def models() -> None:
    """Reads valid text into a model."""
    print(f"\n{'microseconds a call':24}{'parse':>18}{'pydantic':>18}{'times pydantic':>18}")
    for size, calls in [(1_000, 50), (100_000, 2)]:
        text = f'{{"rows": {document(size)}}}'
        readers = [lambda text: llmend.parse(text, Answer).value, Answer.model_validate_json]
        assert readers[0](text) == readers[1](text)
        ours, theirs = best(readers, text, 60, calls)
        print(f"{f'valid, {size // 1000} KB':24}{ours:>18.1f}{theirs:>18.1f}{ours / theirs:>18.2f}")


def wide() -> None:
    """Reads 51 KB of valid text with 50 members of five types, as a schema and as a model. Many of its strings are equal,
    which both readers make once."""
    some = {
        "string": (str, "some words of a text, " * 160),
        "integer": (int, 7_000),
        "number": (float, 1.5),
        "boolean": (bool, True),
        "array": (list[str], ["a list of words"] * 80),
    }
    members = {f"p{at}": list(some)[at % 5] for at in range(50)}
    properties = {
        name: {"type": kind, "items": {"type": "string"}} if kind == "array" else {"type": kind}
        for name, kind in members.items()
    }
    schema = {"type": "object", "properties": properties, "required": list(members)}
    compiled = llmend.Schema(schema)
    model = pydantic.create_model("Wide", **{name: (some[kind][0], ...) for name, kind in members.items()})
    shape = pydantic.TypeAdapter(TypedDict("Shape", {name: some[kind][0] for name, kind in members.items()}))
    text = json.dumps({name: some[kind][1] for name, kind in members.items()})
    print(f"\n{'microseconds a call':24}{'parse':>18}{'pydantic':>18}{'times pydantic':>18}")
    for name, ours, theirs in [
        ("50 members, Schema", lambda text: llmend.parse(text, compiled).value, shape.validate_json),
        ("50 members, dict", lambda text: llmend.parse(text, schema).value, shape.validate_json),
        ("50 members, model", lambda text: llmend.parse(text, model).value, model.model_validate_json),
    ]:
        assert ours(text) == theirs(text)
        us, them = best([ours, theirs], text, 60, 10)
        print(f"{name:24}{us:>18.1f}{them:>18.1f}{us / them:>18.2f}")
    [compiling] = best([llmend.Schema], json.dumps(schema), 60, 10)
    print(f"{'the Schema, compiled':24}{compiling:>18.1f}")


def pieces(size: int = 20) -> None:
    """Reads a text that comes in pieces."""
    print(f"\n{'microseconds a piece':24}{'push':>18}{'push, view':>18}{'push, partial':>18}")
    asked = [lambda stream: None, lambda stream: stream.view(), lambda stream: stream.partial()]
    for length in [1_000, 10_000]:
        text = f'{{"rows": {document(length)}}}'
        chunks = [text[start : start + size] for start in range(0, len(text), size)]

        def read(ask: Callable[[llmend.Stream], object]) -> float:
            stream = llmend.Stream(Answer)
            start = time.thread_time_ns()
            for chunk in chunks:
                stream.push(chunk)
                ask(stream)
            return (time.thread_time_ns() - start) / len(chunks) / 1000

        cells = [min(read(ask) for _ in range(5)) for ask in asked]
        print(f"{f'{length // 1000} KB, of {size} bytes':24}" + "".join(f"{cell:>18.1f}" for cell in cells))


if __name__ == "__main__":
    main()
    models()
    wide()
    pieces()
