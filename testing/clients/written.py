"""Calls that a model writes as text: what it says in which scenario, and what has to come of it.

The texts are fixtures of the reader of calls, in notations that servers hand on as text, and texts without a call.
Agents go round a loop of ten turns with a model that writes every call as text.
"""

import collections
import json
import pathlib
import re

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "calls"
# A line of a route's policy that lets a model without tools call some: the loops are run with such a model as well.
EMULATE = "emulate_tools = true"

# The notations of which several fixtures are asked for; of all others, one is.
USUAL = (
    ["hermes", "mistral-v11", "pythonic", "qwen3-coder", "deepseek-v3", "deepseek-v31", "harmony"]
    + ["glm45", "kimi-k2", "minimax-m2", "command-r", "frameworks"]
)
# Sets of fixtures that are not about one notation.
SETS = re.compile("[ij]-|review|wild")
# Of a usual notation so many fixtures, each of another shape; of the texts without a call, so many.
SHAPES = ["two", "prose", "special", "types", "one"]
EACH, PLAIN = 3, 300
# How the server cuts its streams, in bytes.
SIZES = [1, 3, 20]
PLAIN_SIZES = [3]
# Names that every API takes.
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")

# The turns of a loop, by notation: the call of the tool `record`.
LOOPS = {
    "hermes": '<tool_call>\n{"name": "record", "arguments": {"number": N, "note": "turn N"}}\n</tool_call>',
    "mistral": '[TOOL_CALLS]record{"number": N, "note": "turn N"}',
    "pythonic": "[record(number=N, note='turn N')]",
    "qwen-coder": "<tool_call>\n<function=record>\n<parameter=number>\nN\n</parameter>\n"
    "<parameter=note>\nturn N\n</parameter>\n</function>\n</tool_call>",
    "fenced": '```json\n{"name": "record", "arguments": {"number": N, "note": "turn N"}}\n```',
}
TURNS = 10
LAST = "All ten are done."
# The kinds of what is asked here.
KINDS = ("written", "plain", "loop")


def fixtures():
    # Text has line separators of its own.
    lines = [line for file in sorted(FIXTURES.glob("*.jsonl")) for line in file.read_text("utf-8").split("\n")]
    rows = [json.loads(line) for line in lines if line]
    for row in rows:
        row["tools"] = [tool.get("function", tool) for tool in row["tools"] or []]
    return [row for row in rows if row["tools"] and all(usable(tool) for tool in row["tools"])]


def usable(tool):
    return NAME.fullmatch(tool.get("name", "")) and isinstance(tool.get("parameters"), dict)


def chosen():
    """The fixtures with calls, then the texts without."""
    rows = fixtures()
    sound = [row for row in rows if row["calls"] and row.get("content") is not None and not row.get("truncated")]
    notations = dict.fromkeys(row["notation"] for row in sound)
    assert set(USUAL) <= set(notations), "no fixture of a usual notation"
    for notation in (one for one in notations if not SETS.match(one)):
        first = {row["shape"]: row for row in reversed(sound) if row["notation"] == notation}
        of = [first[shape] for shape in SHAPES if shape in first] or list(first.values())
        yield from (("written", row, SIZES) for row in of[: EACH if notation in USUAL else 1])
    plain = [row for row in rows if not row["calls"] and row.get("content") == row["text"]]
    plain = [row for row in plain if not row.get("refused") and not row.get("truncated")]
    assert len(plain) >= PLAIN, "too few texts without a call"
    yield from (("plain", row, PLAIN_SIZES) for row in plain[:PLAIN])


def tables():
    """What the server says by scenario, and what the clients are told: no more than they need to ask."""
    says, told = {}, {"asks": [], "loops": []}
    for kind, row, sizes in chosen():
        for size in [None, *sizes]:
            name = f"{row['id']}.{size or 'whole'}"
            says[name] = {"turns": [row["text"]]} | ({"piece_bytes": size} if size else {})
            tools = [{"name": tool["name"], "parameters": tool["parameters"]} for tool in row["tools"]]
            told["asks"].append({"kind": kind, "scenario": name, "is_stream": size is not None, "tools": tools})
    for notation, call in LOOPS.items():
        turns = [call.replace("N", str(turn)) for turn in range(1, TURNS + 1)] + [LAST]
        says[f"loop-{notation}"] = {"turns": turns}
        if EMULATE:
            says[f"loop-{notation}-untooled"] = {"turns": turns, "refuses_tools": True}
    told["loops"] = [name for name in says if name.startswith("loop-")]
    return says, told


def judge(rows, asked):
    """What is not as it has to be, in words, and how much was looked at."""
    wanted = {row["id"]: row for _, row, _ in chosen()}
    problems, counts = [], collections.Counter()
    for row in rows:
        name = f"{row['client']}, {row['way']}, {row['scenario']}, {row['via']}"
        check = loop if row["kind"] == "loop" else answer
        counts[f"{row['client']}: {row['kind']}, {row['via']}"] += 1
        if problem := check(row, wanted.get(row["scenario"].rpartition(".")[0]), asked):
            problems.append(f"{name}: {problem}")
    lines = [f"{'calls out of text':<50}{'asked':>6}"]
    return problems, lines + [f"{name:<50}{count:>6}" for name, count in sorted(counts.items())]


def answer(row, fixture, _):
    """What is wrong with one answer."""
    if "error" in row:
        return f"{row['error']}: {row['message']}"
    if row["via"] == "direct":
        return f"a call without the gateway: {row['calls']}" if row["calls"] else None
    calls = [[call["name"], call["arguments"]] for call in fixture["calls"]]
    if row["calls"] != calls:
        return f"expected {calls}, found {row['calls']}"
    content, reasoning = fixture["content"], fixture.get("reasoning") or ""
    is_stream = not row["scenario"].endswith(".whole")
    if is_stream and reasoning and fixture["text"].startswith(reasoning):
        # Without an opening tag, it has been sent when its end shows.
        content = reasoning + content
    is_same = row["text"] == content if not calls else row["text"].split() == content.split()
    return None if is_same else f"expected text {content!r}, found {row['text']!r}"


def loop(row, _, asked):
    """What is wrong with one loop. Without the gateway it has to stop at the first turn."""
    done = [[turn, f"turn {turn}"] for turn in range(1, TURNS + 1)]
    if row["via"] == "direct":
        if row["calls"]:
            return f"it went on without the gateway: {row['calls']}"
        is_refused = "does not support tools" in row.get("message", "")
        return None if is_refused or row.get("text") != LAST else "it ended without the gateway"
    if "error" in row:
        return f"{row['error']}: {row['message']}"
    if row["calls"] != done or row["text"] != LAST:
        return f"stopped after {row['calls']}: {row['text']!r}"
    times = asked.get(row["model"])
    return None if times == TURNS + 1 else f"the model was asked {times} times"
