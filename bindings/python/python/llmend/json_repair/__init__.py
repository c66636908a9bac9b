"""The functions of the package `json_repair`, over this engine.

Code that was written for it runs by changing the import:

>>> from llmend import json_repair
>>> json_repair.repair_json("{'name': 'Ada', 'born': 1815,")
'{"name": "Ada", "born": 1815}'
>>> json_repair.loads("Sure: {'name': 'Ada'}")
{'name': 'Ada'}

Functions, arguments, results, log, errors and command are those of `json_repair`. Its values are those of
the policy `lenient`, which are `json_repair`'s wherever that gives what was meant. Where it drops, splits
or makes up data, they are not: docs/guide/python/from-json-repair.md lists every class of difference.

Run as a command, `python -m llmend.json_repair`, it takes the arguments of the command
`json_repair`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TextIO, get_args

import llmend
from llmend import _llmend

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["JSONReturnType", "from_file", "load", "loads", "repair_json"]

JSONReturnType = dict[str, Any] | list[Any] | str | float | int | bool | None
"""What JSON can say."""

Log = list[dict[str, str]]
"""Each repair: what was done, and the text around it."""

Mode = Literal["standard", "salvage"]
"""What becomes of items that do not fit a schema: an error, or they are left out."""

_LENIENT = llmend.Options("lenient", max_depth=10_000)

# Code points of the text around a repair that a log shows on either side.
_AROUND = 40


def repair_json(
    json_str: str = "",
    return_objects: bool = False,
    skip_json_loads: bool = False,
    logging: bool = False,
    json_fd: TextIO | None = None,
    chunk_length: int = 0,
    stream_stable: bool = False,
    strict: bool = False,
    schema: Any = None,
    schema_repair_mode: Mode | None = "standard",
    **json_dumps_args: Any,
) -> Any:
    """The text as JSON; with `return_objects` its value; with `logging` the value and the repairs.

    A text in which there is nothing is an empty string. With `strict`, structural problems are a
    `ValueError`. `json_dumps_args` go to `json.dumps`, which writes the result. `chunk_length` and
    `stream_stable` are accepted and ignored: half of an escape at the end of a text is never shown. For
    a text that grows there is `llmend.Stream`.

    >>> repair_json("{'n': 1,}", indent=1)
    '{\\n "n": 1\\n}'
    >>> value, log = repair_json('{"a: 1}', logging=True)
    >>> log
    [{'text': 'missing-end-quote: the text at 3..3 became \\'"\\'', 'context': '{"a: 1}'}]
    """
    mode = "standard" if schema_repair_mode is None else schema_repair_mode
    if mode not in get_args(Mode):
        raise ValueError("schema_repair_mode must be one of: standard, salvage.")
    if schema is None and mode == "salvage":
        raise ValueError("schema_repair_mode='salvage' requires schema.")
    if schema is not None and strict:
        raise ValueError("schema and strict cannot be used together.")
    text = json_fd.read() if json_fd is not None else json_str
    if schema is not None:
        value, log = _fitted(text, schema, mode, skip_json_loads)
    else:
        value, log = _read(text, skip_json_loads, strict)
    if logging:
        return value, log()
    if return_objects:
        return value
    return "" if value == "" else json.dumps(value, **json_dumps_args)


def loads(
    json_str: str,
    skip_json_loads: bool = False,
    logging: bool = False,
    stream_stable: bool = False,
    strict: bool = False,
    schema: Any = None,
    schema_repair_mode: Mode | None = "standard",
) -> Any:
    """The value of a text, as `json.loads` has it; an empty string if there is nothing in it.

    >>> loads('[1, 2, "three')
    [1, 2, 'three']
    >>> loads("nothing")
    ''
    """
    return repair_json(
        json_str,
        return_objects=True,
        skip_json_loads=skip_json_loads,
        logging=logging,
        stream_stable=stream_stable,
        strict=strict,
        schema=schema,
        schema_repair_mode=schema_repair_mode,
    )


def load(
    fd: TextIO,
    skip_json_loads: bool = False,
    logging: bool = False,
    chunk_length: int = 0,
    strict: bool = False,
    schema: Any = None,
    schema_repair_mode: Mode | None = "standard",
) -> Any:
    """The value of what a file holds, as `json.load` has it.

    >>> import io
    >>> load(io.StringIO("[1, 2,]"))
    [1, 2]
    """
    return loads(
        fd.read(),
        skip_json_loads=skip_json_loads,
        logging=logging,
        strict=strict,
        schema=schema,
        schema_repair_mode=schema_repair_mode,
    )


def from_file(
    filename: str | Path,
    skip_json_loads: bool = False,
    logging: bool = False,
    chunk_length: int = 0,
    strict: bool = False,
    schema: Any = None,
    schema_repair_mode: Mode | None = "standard",
) -> Any:
    """The value of what the file of that name holds, in UTF-8."""
    with open(filename, encoding="utf-8") as fd:
        return load(
            fd,
            skip_json_loads=skip_json_loads,
            logging=logging,
            strict=strict,
            schema=schema,
            schema_repair_mode=schema_repair_mode,
        )


def _read(text: str, skip_json_loads: bool, strict: bool) -> tuple[Any, Callable[[], Log]]:
    """The value of a text, and what tells its log."""
    if not skip_json_loads:
        try:
            return json.loads(text), list
        except (ValueError, RecursionError):
            pass
    try:
        value, told = _llmend.parse(text, policy=_LENIENT)
    except llmend.RepairError as error:
        # Of a text without a bracket, it says that there is nothing, and not that it is wrong.
        if strict and any(bracket in text for bracket in "{["):
            from llmend.json_repair import _strict

            problem = _strict.problem_of_refused(text, error.code)
            raise ValueError(problem) if problem else error
        if error.code == "extract/empty":
            return "", list
        refused = {"text": f"{error.code}: {error}", "context": _around(text, error.span)}
        return "", lambda: [refused]
    if strict:
        from llmend.json_repair import _strict

        problem = _strict.problem(text, value, told.rows()["report"])
        if problem:
            raise ValueError(problem)
    return value, lambda: [_logged(text, repair) for repair in told.rows()["report"]["repairs"]]


def _fitted(text: str, schema: Any, mode: str, skip_json_loads: bool) -> tuple[Any, Callable[[], Log]]:
    from llmend.json_repair import _guided

    value, report, coercions = _guided.fitted(text, schema, mode, skip_json_loads, _LENIENT)
    coerced = [
        {"text": f"{change['kind']}: {change['before'] or 'nothing'} became {change['after'] or 'nothing'}",
         "context": f"${change['path'].replace('/', '.')}"}
        for change in coercions
    ]
    repaired = [_logged(text, repair) for repair in report["repairs"]]
    return value, lambda: repaired + coerced


def _logged(text: str, repair: dict[str, Any]) -> dict[str, str]:
    start, end = repair["start"], repair["end"]
    what = f"the text at {start}..{end} became {repair['replacement']!r}"
    return {"text": f"{repair['rule']}: {what}", "context": _around(text, (start, end))}


def _around(text: str, span: tuple[int, int] | None) -> str:
    start, end = span or (0, 0)
    return text[max(0, start - _AROUND) : end + _AROUND]


def cli(inline_args: list[str] | None = None) -> int:
    """The command `json_repair`, and its exit status."""
    from llmend.json_repair import _command

    return _command.run(inline_args)
