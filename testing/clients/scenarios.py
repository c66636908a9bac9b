"""What is asked of a Python client, and what comes of it?

A client names its ways of asking. Each is used for every scenario that fits it, straight at the scripted
server and through the gateway, and what came of it is printed, a line of JSON each, for `run.py` to judge.
"""

import json
import os
import pathlib
from dataclasses import dataclass

import pydantic

# What `written.py` has for clients.
WRITTEN = json.loads(pathlib.Path(os.environ["LLMEND_WRITTEN"]).read_text("utf-8"))
SCENARIOS = json.loads(pathlib.Path(__file__).with_name("scenarios.json").read_text("utf-8"))
PROMPT = "Plan a trip to the north."
TOOL = "trip"
KEY = "sk-of-the-client"


class Trip(pydantic.BaseModel):
    city: str
    days: int
    sights: list[str]


SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "sights": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["city", "days", "sights"],
    "additionalProperties": False,
}

# For clients that ask for JSON and keep the schema to themselves.
TELL_SCHEMA = {"x-llmend-schema": json.dumps(SCHEMA)}


@dataclass
class Got:
    """A value, and whether the client tells that the answer was cut off."""

    value: object
    cut_off: bool = False


def run(client, ways):
    """`ways`: by name, what a way asks for, and the function that asks, given the server, without a slash,
    and the model. `content` is asked for with a schema, `json` without one; `call` takes one call alone."""
    for way, (kind, ask) in ways.items():
        for scenario, said in SCENARIOS.items():
            if not fits(kind, said):
                continue
            for via in ("direct", "gateway"):
                row = {"client": client, "way": way, "kind": kind, "scenario": scenario, "via": via}
                row["model"] = f"{scenario}/{client}/{way}/{via}"
                try:
                    got = ask(os.environ[f"LLMEND_{via.upper()}"], row["model"])
                    got = got if isinstance(got, Got) else Got(got)
                    row |= {"value": plain(got.value), "cut_off": got.cut_off}
                except Exception as error:
                    row |= {"error": f"{type(error).__module__}.{type(error).__name__}"}
                    row |= {"message": str(error)}
                print(json.dumps(row), flush=True)


def run_written(client, ways, kinds=("written",)):
    """`ways`: by name, whether a way asks for a stream, and the function that asks, given the server, the model and
    the tools, by name and parameters; it returns the calls, by name and arguments, and the text. `kinds` may have
    `plain` for texts without a call."""
    for way, (is_stream, ask) in ways.items():
        for asked in WRITTEN["asks"]:
            if asked["is_stream"] != is_stream or asked["kind"] not in kinds:
                continue
            # Whole answers with calls show what comes without the gateway.
            is_shown = not is_stream and asked["kind"] == "written"
            for via in ("direct", "gateway") if is_shown else ("gateway",):

                def said(url, model):
                    calls, text = ask(url, model, asked["tools"])
                    return {"calls": [list(call) for call in calls], "text": text}

                tell(client, way, asked["kind"], asked["scenario"], via, said)


def run_loops(client, ways):
    """`ways`: by name, the function that has an agent go on until its model calls no tool any more, given the server,
    the model and a function to be called as the tool `record`, with a `number` and a `note`; it returns the last text."""
    for way, go in ways.items():
        for scenario in WRITTEN["loops"]:
            for via in ("direct", "gateway"):
                calls = []

                def record(number: int, note: str) -> str:
                    """Records a number."""
                    calls.append([number, note])
                    return f"recorded {number}"

                tell(client, way, "loop", scenario, via, lambda url, model: {"text": go(url, model, record)}, calls)


def tell(client, way, kind, scenario, via, ask, calls=None):
    """Prints what came of asking."""
    row = {"client": client, "way": way, "kind": kind, "scenario": scenario, "via": via, "calls": calls}
    row["model"] = f"{scenario}/{client}/{way}/{via}"
    try:
        row |= ask(os.environ[f"LLMEND_{via.upper()}"], row["model"])
    except Exception as error:
        row |= {"error": f"{type(error).__module__}.{type(error).__name__}", "message": str(error)}
    print(json.dumps(row), flush=True)


def fits(kind, said):
    """Whether a scenario says something to who asks so."""
    if kind == "call":
        return len(said.get("calls", [])) == 1
    return {"json": "content"}.get(kind, kind) in said


def plain(value):
    """The value as JSON has it."""
    if isinstance(value, pydantic.BaseModel):
        return value.model_dump()
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value
