"""Does the drop-in pass the tests that `json_repair` publishes?

They are fetched from PyPI, in the last source distribution that has them. First they run as they are, and each call
is compared with that of the drop-in; then they run with the drop-in in the place of `json_repair`. Every difference is
listed, under a class whose reason is in docs/guide/python/from-json-repair.md.
"""

import ast
import json
import os
import re
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path

import pytest
from conftest import REPOSITORY
from llmend import json_repair as ours

theirs = pytest.importorskip("json_repair")
VERSION = "0.58.3"
# They measure time, need a web application that is not published, or a file that is not.
LEFT_OUT = ["test_performance.py", "test_docs_app_schema.py"]

# Each call that gives something else, by test and number: the class of the difference.
DIFFERENT = {
    "test_json_repair.py::test_multiple_jsons": {1: "several-values", 4: "several-values", 5: "several-values"},
    "test_json_repair.py::test_repair_json_skip_json_loads": {3: "missing-value", 4: "missing-value"},
    "test_json_repair.py::test_stream_stable": {1: "cut-escape", 2: "space-at-cut", 3: "swallowed-quote"},
    "test_parse_array.py::test_parse_array_edge_cases": {1: "opener-only", 3: "opener-only", 17: "refused-opener", 24: "cut-key"},
    "test_parse_array.py::test_parse_array_missing_quotes": {1: "another-reading", 2: "another-reading"},
    "test_parse_comment.py::test_parse_comment": {3: "refused-comment", 4: "refused-comment"},
    "test_parse_number.py::test_parse_number_edge_cases": {7: "refused-lone", 12: "whole-number"},
    "test_parse_object.py::test_parse_object_edge_cases": {
        3: "another-reading",
        8: "quoted-number",
        10: "kept-text",
        14: "kept-text",
        19: "refused-braces",
        20: "refused-braces",
        21: "refused-fence",
        25: "refused-key",
        26: "swallowed-quote",
        27: "refused-lists",
        28: "refused-lists",
        29: "refused-lists",
        30: "kept-backslash",
        31: "missing-value",
    },
    "test_parse_object.py::test_parse_object_merge_at_the_end": {2: "missing-value", 4: "several-values", 7: "several-values"},
    "test_parse_string.py::test_parse_string": {5: "refused-empty"},
    "test_parse_string.py::test_missing_and_mixed_quotes": {9: "refused-quote", 15: "refused-quote"},
    "test_parse_string.py::test_escaping": {4: "key-end"},
    "test_parse_string.py::test_string_json_llm_block": {3: "json-in-text"},
    "test_schema_guided_parse.py::test_schema_applies_to_valid_json_without_skip_json_loads": {2: "word-as-text"},
}

# Tests whose calls all give the same, and that look for the words of a log or of an error.
WORDS = {
    "test_json_repair.py::test_logging": "log-words",
    "test_schema_guided_parse.py::test_schema_salvage_mode_drops_invalid_array_items": "log-words",
    "test_schema_guided_parse.py::test_schema_salvage_mode_does_not_hide_schema_definition_errors": "error-words",
    "test_schema_guided_parse.py::test_schema_salvage_mode_unwraps_root_single_item_array_and_fills_required_array": "log-words",
}


@pytest.fixture(scope="session")
def published(tmp_path_factory) -> Path:
    """The folder of their source distribution."""
    folder = tmp_path_factory.mktemp("published")
    kept = os.environ.get("JSON_REPAIR_SOURCE")
    if kept is None:
        options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", "json_repair", "--dest", str(folder)]
        command = [sys.executable, "-m", "pip", "download", *options, f"json_repair=={VERSION}"]
        subprocess.run(command, check=True)
        kept = str(next(folder.glob("*.tar.gz")))
    with tarfile.open(kept) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"json_repair-{VERSION}"


def rows(source: Path, mode: str, file: Path) -> list[dict]:
    paths = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))
    settings = {"PUBLISHED": mode, "PUBLISHED_ROWS": str(file), "PYTHONPATH": paths}
    arguments = ["-q", "-p", "published", "-p", "no:cacheprovider", *(f"--ignore=tests/{name}" for name in LEFT_OUT), "tests"]
    command = [sys.executable, "-m", "pytest", *arguments]
    done = subprocess.run(command, cwd=source, env={**os.environ, **settings}, capture_output=True, text=True)
    assert file.exists(), done.stdout + done.stderr
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.fixture(scope="session")
def compared(published, tmp_path_factory) -> list[dict]:
    return rows(published, "compared", tmp_path_factory.mktemp("compared") / "rows.jsonl")


def test_each_call_of_their_tests_gives_the_same_or_differs_for_a_reason(compared):
    calls = [row for row in compared if "call" in row]
    reasons, wrong, seen = Counter(), [], set()
    for row in calls:
        reason = DIFFERENT.get(row["test"], {}).get(row["call"])
        if not row["is_same"]:
            seen.add((row["test"], row["call"]))
            reasons[reason] += 1
        if row["is_same"] == (reason is not None):
            wrong.append(f"{row['test']} {row['call']}: {row['given']}: {row['expected']} or {row['made']}")
    print(len(calls), "calls:", len(calls) - reasons.total(), "the same,", reasons.total(), "different:", dict(reasons))
    assert not wrong, "\n".join(wrong)
    assert seen == {(test, call) for test, calls in DIFFERENT.items() for call in calls}
    assert len(calls) >= 250


def test_their_tests_pass_unmodified_but_for_those_with_a_difference(published, compared, tmp_path):
    is_theirs = {row["test"] for row in compared if row.get("passed")}
    replaced = [row for row in rows(published, "replaced", tmp_path / "rows.jsonl") if row["test"] in is_theirs]
    # Those that only use what is not public say nothing.
    asked = [row for row in replaced if row["calls"]]
    failed = {row["test"]: row["why"] for row in asked if not row["passed"]}
    print(len(asked), "tests:", len(asked) - len(failed), "passed unmodified,", len(failed), "with a listed difference")
    assert set(failed) == {*DIFFERENT, *WORDS}, failed
    assert len(asked) >= 60


EXAMPLE = re.compile(r"^\| `([a-z-]+)` \|(?: `` (.+?) `` \| `` (.*?) `` \| `` (.*?) `` \|)?", re.MULTILINE)


def test_every_class_of_difference_has_its_reason_on_the_page():
    page = (REPOSITORY / "docs" / "guide" / "python" / "from-json-repair.md").read_text("utf-8")
    told = {name: rest for name, *rest in EXAMPLE.findall(page)}
    classes = {reason for calls in DIFFERENT.values() for reason in calls.values()} | {*WORDS.values()}
    assert classes <= told.keys(), classes - told.keys()
    for name, (text, one, other) in told.items():
        if text and name in classes:
            read = ast.literal_eval(text)
            assert repr(theirs.loads(read)) == one and repr(ours.loads(read)) == other, name
