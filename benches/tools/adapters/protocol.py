"""The side of a tool: reads requests, calls the function of their task, writes and times the results."""

from __future__ import annotations

import json
import math
import sys
import time

# What a tool's own recursion may need.
sys.setrecursionlimit(20_000)
if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)


# What takes longer is not repeated, in seconds.
PATIENCE = 0.01


class Skip(Exception):
    """The tool cannot be asked this."""


class Flagged:
    """A value, and a function that says whether the tool warns of it, which is not timed."""

    def __init__(self, value, warns):
        self.value, self.warns = value, warns


def plain(value):
    """NaN and the infinities as strings, since JSON has no such numbers."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return value


def follow(request, push):
    """Times a stream: `push` gets each piece and the text so far, and returns the value so far."""
    seconds, so_far, views, show = 0.0, "", [], set(request["show"])
    for index, piece in enumerate(request["pieces"]):
        so_far += piece
        start = time.process_time()
        try:
            value = push(piece, so_far)
        except Exception:  # noqa: BLE001
            value = None
        seconds += time.process_time() - start
        if index in show:
            # A copy, since a tool may go on with the same object.
            views.append(json.loads(json.dumps(plain(value))))
    return seconds, views


def answer(request, tasks, prepare):
    work = tasks.get(request["task"])
    if work is None:
        return {"skipped": "no such task"}
    seconds, row = 0.0, {}
    try:
        if prepare:
            request["ready"] = prepare(request)
        if request["task"] == "stream":
            push, finish = work(request)
            seconds, row["views"] = follow(request, push)
            work = lambda _: finish("".join(request["pieces"]))  # noqa: E731
        start = time.process_time()
        try:
            value = work(request)
        finally:
            seconds += time.process_time() - start
        if isinstance(value, Flagged):
            row["flagged"], value = bool(value.warns()), value.value
        row["value"] = plain(value() if callable(value) else value)
    except Skip as why:
        return {"skipped": str(why)}
    except Exception as error:  # noqa: BLE001
        row = {"refused": f"{type(error).__name__}: {error}"[:200]}
    return {**row, "seconds": seconds}


def serve(prepare=None, **tasks):
    """Answers all requests. A task is a function from a request to a value, or to a function
    that makes it and is not timed; an exception is a refusal. That of `stream`
    returns two: from a piece and the text so far to the value so far, and from the whole text to the value. What
    `prepare` returns, which is not timed, is `request["ready"]`."""
    for line in sys.stdin:
        row = answer(json.loads(line), tasks, prepare)
        # Of up to three runs, the fastest counts: the first one finds nothing in the processor's caches.
        for _ in range(2 if row.get("seconds", PATIENCE) < PATIENCE else 0):
            row["seconds"] = min(row["seconds"], answer(json.loads(line), tasks, prepare)["seconds"])
        print(json.dumps(row), flush=True)
