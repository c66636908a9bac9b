"""A pytest plugin that runs the published tests of `json_repair` with the drop-in.

With `PUBLISHED=compared` the tests get the results of `json_repair`, and each call is compared with the drop-in's;
with `PUBLISHED=replaced` they get those of the drop-in. Rows of JSON go to the file `PUBLISHED_ROWS`.
"""

import functools
import importlib
import io
import json
import os
import sys
from pathlib import Path

from llmend import json_repair as ours

NAMES = ["repair_json", "loads", "load", "from_file"]


class Recorder:
    def __init__(self, mode, rows):
        self.mode, self.rows = mode, rows
        self.test, self.calls, self.depth = "", 0, 0

    def write(self, row):
        with self.rows.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"test": self.test, **row}) + "\n")

    def function(self, name, theirs):
        """What the tests call under this name."""

        @functools.wraps(theirs)
        def called(*args, **named):
            if self.depth:
                return theirs(*args, **named)
            self.calls += 1
            if self.mode == "replaced":
                return getattr(ours, name)(*args, **named)
            self.depth += 1
            try:
                return self.compared(name, theirs, args, named)
            finally:
                self.depth -= 1

        return called

    def compared(self, name, theirs, args, named):
        made = outcome(getattr(ours, name), *copied(args, named))
        expected = outcome(theirs, *copied(args, named))
        row = {"call": self.calls, "is_same": expected == made, "expected": repr(expected), "made": repr(made)}
        self.write({**row, "given": repr((args, named))})
        return theirs(*args, **named)


def copied(args, named):
    """The arguments, with files that have not been read."""

    def copy(value):
        if not hasattr(value, "read"):
            return value
        at = value.tell()
        text = value.read()
        value.seek(at)
        return io.StringIO(text)

    return [copy(value) for value in args], {name: copy(value) for name, value in named.items()}


def outcome(function, args, named):
    """What a call gives, without what a log says: only whether there is anything in it."""
    try:
        made = function(*args, **named)
    except ValueError:
        return "ValueError"
    if named.get("logging"):
        made = made[0], bool(made[1])
    # As text, in which 1, 1.0 and True differ.
    return repr(made)


def pytest_configure(config):
    sys.path.insert(0, os.getcwd())
    recorder = Recorder(os.environ["PUBLISHED"], Path(os.environ["PUBLISHED_ROWS"]))
    config.recorder = recorder
    modules = [importlib.import_module(name) for name in ("src.json_repair", "src.json_repair.json_repair")]
    for name in NAMES:
        made = recorder.function(name, getattr(modules[1], name))
        for module in modules:
            setattr(module, name, made)
    if recorder.mode == "replaced":

        def command(*args, **named):
            recorder.calls += 1
            return ours.cli(*args, **named)

        modules[1].cli = command


def pytest_runtest_setup(item):
    recorder = item.config.recorder
    recorder.test, recorder.calls = item.nodeid.removeprefix("tests/"), 0


def pytest_runtest_makereport(item, call):
    recorder = item.config.recorder
    if call.when == "call":
        recorder.write({"calls": recorder.calls, "passed": call.excinfo is None, "why": str(call.excinfo)[:2000]})
