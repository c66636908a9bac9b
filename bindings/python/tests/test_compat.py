"""Is the drop-in for `json_repair` one?

The package itself is run beside it, on both corpora and on generated texts. Wherever it gives what was meant,
so do we, with the same value but for the differences that `DIFFERENCES` lists, each with its reason. What it
gives where it does not give what was meant is no measure.
"""

import io
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from conftest import REPOSITORY, cases
from llmend.compat import json_repair as ours

theirs = pytest.importorskip("json_repair")
GENERATED = int(os.environ.get("GENERATED", "20000"))


def same(one: object, other: object) -> bool:
    """Whether two values are equal, to the kind of number."""
    if isinstance(one, float) and one != one:
        return isinstance(other, float) and other != other
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return type(one) is type(other) and one == other


ABSENT = object()
"""What stands where one of the values has no such member."""


def leaves(theirs: object, ours_: object):
    """The pairs of parts in which two values differ. A member whose key differs only in backslashes is a
    pair of keys."""
    if same(theirs, ours_):
        return
    if isinstance(theirs, dict) and isinstance(ours_, dict):
        only = {key.replace("\\", ""): key for key in ours_ if key not in theirs}
        for key, value in theirs.items():
            if key in ours_:
                yield from leaves(value, ours_[key])
            elif key.replace("\\", "") in only:
                other = only.pop(key.replace("\\", ""))
                yield key, other
                yield from leaves(value, ours_[other])
            else:
                yield value, ABSENT
        for key in only.values():
            yield ABSENT, ours_[key]
    elif isinstance(theirs, list) and isinstance(ours_, list) and len(theirs) == len(ours_):
        for one, other in zip(theirs, ours_):
            yield from leaves(one, other)
    else:
        yield theirs, ours_


def is_text(*values: object) -> bool:
    return all(isinstance(value, str) for value in values)


# Every difference, by class: how it is told, and (in docs/from-json-repair.md, under the same name) why.
DIFFERENCES = {
    "leading-zeros": lambda one, other: is_text(other) and other[:1] == "0" and str(one) == other.lstrip("0"),
    "missing-value": lambda one, other: one in ("", ABSENT) and other is None,
    "cut-after-colon": lambda one, other: one == "" and other is ABSENT,
    "not-a-number": lambda one, other: str(one).lower().lstrip("+-") in ("nan", "infinity", "inf") and other is None,
    "grouped-digits": lambda one, other: is_text(one) and one.replace(",", "").replace("_", "") == str(other),
    "needless-escape": lambda one, other: is_text(one, other) and one.replace("\\", "") == other.replace("\\", ""),
    "long-escape": lambda one, other: is_text(one, other) and "\\U" in one and one.encode().decode("raw_unicode_escape", "replace")[:1] == other[:1],
    "cut-escape": lambda one, other: is_text(one, other) and one.rsplit("\\", 1)[0] == other,
    "space-at-cut": lambda one, other: is_text(one, other) and one == other.rstrip(),
    "quote-kept": lambda one, other: is_text(one, other) and one.replace('"', "") == other.replace('"', ""),
}


def class_of(one: object, other: object) -> str:
    return next((name for name, tells in DIFFERENCES.items() if tells(one, other)), "another-reading")


def compared(rows: list[dict]) -> tuple[Counter, list[str]]:
    """How often there was which difference, and the cases of those that no class tells."""
    counts, unknown = Counter(), []
    for case in rows:
        if case["verdict"] != "value":
            continue
        try:
            expected = theirs.loads(case["input"])
        except (ValueError, RecursionError):
            continue
        meant = [case["expected"], *case["accept"]]
        if not any(same(expected, value) for value in meant):
            continue
        made, log = ours.loads(case["input"], logging=True)
        if same(made, expected):
            counts["equal"] += 1
        elif made == "" and log:
            counts[f"refused: {log[0]['text'].split(':')[0]}"] += 1
        elif not any(same(made, value) for value in meant):
            counts["misread"] += 1
        else:
            found = {class_of(*pair) for pair in leaves(expected, made)}
            counts.update(found)
            unknown += [case["id"]] * ("another-reading" in found)
    return counts, unknown


def generated(folder: Path) -> list[dict]:
    """Texts that the generators of the repository damage, each with the value that is meant."""
    file = folder / "generated.jsonl"
    command = ["cargo", "run", "--quiet", "--release", "-p", "llmend-testing", "--bin", "score", "--"]
    score = os.environ.get("SCORE")
    command = [score] if score else command
    arguments = ["--corpus", "damage", "--n", str(GENERATED), "--dump", str(file)]
    subprocess.run([*command, *arguments], cwd=REPOSITORY, check=True, capture_output=True)
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_the_corpora_give_what_json_repair_gives_where_it_is_right():
    counts, unknown = compared(cases("defects") + cases("dev"))
    print(counts)
    assert counts["equal"] >= 252
    assert not [name for name in counts if name.startswith("refused")] and counts["misread"] == 0
    assert len(unknown) <= 1, unknown


def test_generated_texts_give_what_json_repair_gives_where_it_is_right(tmp_path):
    rows = generated(tmp_path)
    assert len(rows) == GENERATED
    counts, unknown = compared(rows)
    print(counts)
    right = sum(count for name, count in counts.items())
    refused = sum(count for name, count in counts.items() if name.startswith("refused"))
    # Nothing is guessed where no reading clearly wins: one text in a hundred and fifty.
    assert refused <= right * 0.01 and counts["misread"] <= right * 0.001, counts
    assert counts["equal"] >= right * 0.9
    assert len(unknown) <= right * 0.001, (counts, unknown)


def test_every_class_of_difference_is_documented():
    page = (REPOSITORY / "docs" / "python" / "from-json-repair.md").read_text("utf-8")
    for name in [*DIFFERENCES, "another-reading", "refused", "misread"]:
        assert f"`{name}`" in page, name


PLAIN = ["", "  ", "hello", "{", "[", "[1, 2", "{'a': 1,", '"x"', "true", "null", "12", '{"a": 1} {"b": 2}', '{"é": "ü"}', "[1.0, 1.50]", "{'a': [1, {'b': 'c'}]}", "NaN", "[NaN, Infinity]", '{"a": 1, "a": 2}', "```json\n{}\n```"]


@pytest.mark.parametrize("text", PLAIN)
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"return_objects": True},
        {"ensure_ascii": False},
        {"indent": 2, "sort_keys": True},
        {"separators": (",", ":")},
        {"logging": True},
        {"return_objects": True, "stream_stable": True},
    ],
)
def test_functions_take_and_give_the_same(text, arguments):
    expected, made = theirs.repair_json(text, **arguments), ours.repair_json(text, **arguments)
    if arguments.get("logging"):
        (expected, _), (made, log) = expected, made
        assert all(set(row) == {"text", "context"} and all(map(is_text, row.values())) for row in log)
    assert same(expected, made)


def test_files_are_read_the_same(tmp_path):
    file = tmp_path / "a.json"
    file.write_text("{'a': 'é',}", "utf-8")
    for name in [file, str(file)]:
        assert ours.from_file(name) == theirs.from_file(name) == {"a": "é"}
    with open(file, encoding="utf-8") as one, open(file, encoding="utf-8") as other:
        assert ours.load(one, chunk_length=100) == theirs.load(other, chunk_length=100)
    assert ours.repair_json(json_fd=io.StringIO("[1,]")) == "[1]"
    with pytest.raises(FileNotFoundError):
        ours.from_file(tmp_path / "none.json")


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize(
    "text",
    ['{"a" 1}', '{"a": }', '{"a":1}{"b":2}', '{"a": 1 "b": 2}', "[1 2]", "[1,,2]", '{"a": "b', "hello", "", "{a: 1}", "[1, 2", '{"a": 1}', '{1}', '{"a"}'],
)
def test_strict_refuses_the_same(text, skip):
    def outcome(module):
        try:
            return module.repair_json(text, strict=True, skip_json_loads=skip)
        except ValueError:
            return ValueError

    assert outcome(ours) == outcome(theirs)


def test_schemas_guide_the_same():
    from pydantic import BaseModel

    class Model(BaseModel):
        a: int
        b: list[str] = []

    number = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    numbers = {"properties": {"a": {"type": "array", "items": {"type": "integer"}}}}
    for text, schema, mode in [
        ("{'a': '3'}", number, "standard"),
        ("{'b': 3}", number, "standard"),
        ("{'a': 'x'}", number, "salvage"),
        ("{'a': 1, 'c': 2}", number, "standard"),
        ("{'a': [1, 'x']}", numbers, "standard"),
        ("{'a': [1, 'x']}", numbers, "salvage"),
        ("{'a': 1, 'z': 2}", {"properties": {"a": {}}, "additionalProperties": False}, "standard"),
        ("{'a': '3', 'b': 'x'}", Model, "standard"),
        ("[1, 2]", True, "standard"),
    ]:
        def outcome(module):
            try:
                return module.loads(text, schema=schema, schema_repair_mode=mode)
            except ValueError:
                return ValueError

        assert outcome(ours) == outcome(theirs), (text, mode)
    for wrong in [{"schema": True, "strict": True}, {"schema_repair_mode": "salvage"}]:
        for module in [ours, theirs]:
            with pytest.raises(ValueError):
                module.loads("{}", **wrong)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--indent", "0"],
        ["--ensure_ascii"],
        ["--skip-json-loads"],
        ["--strict"],
        ["-o", "out.json"],
        ["-i"],
        ["-i", "-o", "x"],
    ],
)
def test_the_command_does_the_same(arguments, tmp_path):
    def outcome(module: str):
        folder = tmp_path / module
        folder.mkdir()
        (folder / "in.json").write_text("{'a': 'é',}", "utf-8")
        command = [sys.executable, "-m", module, *arguments, "in.json"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8")
        return done.returncode, done.stdout, {file.name: file.read_text("utf-8") for file in folder.iterdir()}

    assert outcome("llmend.compat.json_repair") == outcome("json_repair")


def test_the_command_reads_standard_input():
    for module in ["llmend.compat.json_repair", "json_repair"]:
        command = [sys.executable, "-m", module]
        done = subprocess.run(command, input="{'a': 1", capture_output=True, text=True)
        assert (done.returncode, json.loads(done.stdout)) == (0, {"a": 1})
        done = subprocess.run([*command, "-i"], input="{'a': 1", capture_output=True, text=True)
        assert done.returncode == 1
