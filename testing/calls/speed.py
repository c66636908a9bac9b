#!/usr/bin/env python3
"""How fast does llmend read calls, beside a server's parsers in Python that are told the model?

    python3 testing/calls/speed.py                        # builds llmend, which takes some minutes
    python3 testing/calls/speed.py --llmend llmend.whl    # takes a wheel

Each text is an answer of 1 KB with two calls. The parsers are those of mlx-lm (https://pypi.org/project/mlx-lm), which
are plain Python. They are timed as its server uses them: it finds the text between the marks, and hands it to the
parser of the model. llmend is told nothing, repairs, and makes the arguments fit the tools. Both end in names and
arguments as JSON text. The two are timed in turn, and the fastest of several runs counts.
"""

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PARSERS = "mlx-lm==0.32.2"

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "parameters": {"type": "object", "properties": {key: {"type": kind} for key, kind in properties.items()}},
        },
    }
    for name, properties in {
        "get_weather": {"city": "string", "days": "integer"},
        "send_mail": {"to": "string", "body": "string"},
    }.items()
]
CALLS = [
    ("get_weather", {"city": "Oslo", "days": 3}),
    ("send_mail", {"to": "kim@example.com", "body": "Rain in the morning, and sun later on. " * 21 + "Bye."}),
]


def tagged(name: str, arguments: dict) -> str:
    """A call with an element for each parameter."""
    parts = [f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in arguments.items()]
    return f"\n<function={name}>\n{''.join(parts)}</function>\n"


def paired(name: str, arguments: dict) -> str:
    """A call with an element for each key and value."""
    parts = [f"<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n" for key, value in arguments.items()]
    return f"{name}\n{''.join(parts)}"


def in_json(name: str, arguments: dict) -> str:
    return "\n" + json.dumps({"name": name, "arguments": arguments}) + "\n"


def in_python(calls) -> str:
    parts = [f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})" for name, arguments in calls]
    return f"[{', '.join(parts)}]"


def texts(parsers):
    """The notations: a parser of the server, and an answer for it."""
    for name, write in [("json_tools", in_json), ("qwen3_coder", tagged), ("glm47", paired)]:
        parser = parsers(name)
        yield name, parser, "".join(parser.tool_call_start + write(*call) + parser.tool_call_end for call in CALLS)
    parser = parsers("pythonic")
    yield "pythonic", parser, parser.tool_call_start + in_python(CALLS) + parser.tool_call_end


def served(parser, text: str) -> list:
    """Reads the calls as the server does."""
    found, end = [], 0
    while (start := text.find(parser.tool_call_start, end)) >= 0:
        start += len(parser.tool_call_start)
        end = text.index(parser.tool_call_end, start)
        made = parser.parse_tool_call(text[start:end], TOOLS)
        found += made if isinstance(made, list) else [made]
    return [(call["name"], json.dumps(call["arguments"], ensure_ascii=False)) for call in found]


def seconds(read, count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        read()
    return (time.perf_counter() - start) / count


def measure() -> None:
    import llmend

    folder = Path(importlib.util.find_spec("mlx_lm").submodule_search_locations[0], "tool_parsers")

    def parsers(name: str):
        spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    tools = llmend.Tools(TOOLS)
    print(f"{PARSERS} and llmend {llmend.__version__}, microseconds for an answer of 1 KB with two calls")
    print(f"  {'notation':<12}{'mlx-lm':>8}{'llmend':>8}{'times':>7}")
    for name, parser, text in texts(parsers):
        readers = [
            lambda: served(parser, text),
            lambda: [(call.name, call.arguments_json) for call in llmend.calls(text, tools)],
        ]
        first, second = ([(call, json.loads(arguments)) for call, arguments in read()] for read in readers)
        assert first == second == CALLS, (name, first, second)
        times = [min(seconds(read, 300) for _ in range(15)) * 1e6 for read in readers]
        print(f"  {name:<12}{times[0]:>8.1f}{times[1]:>8.1f}{times[0] / times[1]:>7.1f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llmend", default=str(REPOSITORY / "bindings" / "python"), help="a wheel, or the folder to build")
    told = parser.parse_args()
    if all(importlib.util.find_spec(name) for name in ["mlx_lm", "regex", "llmend"]):
        measure()
        return 0
    with tempfile.TemporaryDirectory(prefix="llmend-speed-") as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder, "bin", "python"))
        # The parsers need nothing of what the server needs.
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", PARSERS, "regex", told.llmend], check=True)
        return subprocess.run([python, __file__]).returncode


if __name__ == "__main__":
    sys.exit(main())
