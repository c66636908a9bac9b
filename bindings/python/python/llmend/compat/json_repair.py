"""The functions of the package `json_repair`, over this engine.

Code that was written for it runs by changing the import:

>>> from llmend.compat import json_repair
>>> json_repair.repair_json("{'name': 'Ada', 'born': 1815,")
'{"name": "Ada", "born": 1815}'
>>> json_repair.loads("Sure: {'name': 'Ada'}")
{'name': 'Ada'}

Functions, arguments, results, log, errors and command are those of `json_repair`. Its values are those of
the policy `lenient`, which are `json_repair`'s wherever that gives what was meant. Where it drops, splits
or makes up data, they are not: docs/guide/python/from-json-repair.md lists every class of difference.

Run as a command, `python -m llmend.compat.json_repair`, it takes the arguments of the command
`json_repair`.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TextIO

from llmend import _answer, _llmend
from llmend._errors import LlmendError, RepairError
from llmend._llmend import CoerceOptions, Options

__all__ = ["JSONReturnType", "from_file", "load", "loads", "repair_json"]

JSONReturnType = dict[str, Any] | list[Any] | str | float | int | bool | None
"""What JSON can say."""

Log = list[dict[str, str]]
"""Each repair: what was done, and the text around it."""

Mode = Literal["standard", "salvage"]
"""What becomes of items that do not fit a schema: an error, or they are left out."""

_LENIENT = Options("lenient", max_depth=10_000)

# What `json_repair` calls a structural problem.
_STRICT = Options(
    "lenient",
    forbid=["several-documents", "missing-colon", "missing-value", "set"],
    max_depth=10_000,
)

_MODES = {
    "standard": CoerceOptions(on_extra="drop"),
    "salvage": CoerceOptions(on_extra="drop", on_bad_item="drop"),
}

# Most references that lead from one to the next.
_REFERENCES = 100

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
    schema_repair_mode: Mode = "standard",
    **json_dumps_args: Any,
) -> Any:
    """The text as JSON; with `return_objects` its value; with `logging` the value and the repairs.

    A text in which there is nothing is an empty string. With `strict`, structural problems are a
    `ValueError`. `json_dumps_args` go to `json.dumps`, which writes the result. `chunk_length` and
    `stream_stable` are taken and not needed: half of an escape at the end of a text is never shown. For
    a text that grows there is `llmend.Stream`.

    >>> repair_json("{'n': 1,}", indent=1)
    '{\\n "n": 1\\n}'
    >>> value, log = repair_json('{"a: 1}', logging=True)
    >>> log
    [{'text': 'missing-end-quote: the text at 3..3 became \\'"\\'', 'context': '{"a: 1}'}]
    """
    if schema is not None and strict:
        raise ValueError("schema and strict cannot be used together.")
    if schema_repair_mode not in _MODES:
        raise ValueError(f"schema_repair_mode is 'standard' or 'salvage', not {schema_repair_mode!r}")
    if schema is None and schema_repair_mode == "salvage":
        raise ValueError("schema_repair_mode='salvage' requires schema.")
    text = json_fd.read() if json_fd is not None else json_str
    if schema is not None:
        value, log = _fitted(text, schema, schema_repair_mode, skip_json_loads)
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
    schema_repair_mode: Mode = "standard",
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
    schema_repair_mode: Mode = "standard",
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
    schema_repair_mode: Mode = "standard",
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
        value, told = _llmend.parse(text, policy=_STRICT if strict else _LENIENT)
    except RepairError as error:
        # Of a text without a bracket, it says that there is nothing, and not that it is wrong.
        if strict and any(bracket in text for bracket in "{["):
            raise
        if error.code == "extract/empty":
            return "", list
        refused = {"text": f"{error.code}: {error}", "context": _around(text, error.span)}
        return "", lambda: [refused]
    if strict and _has_empty_key(value):
        raise ValueError("an object has an empty key")
    return value, lambda: [_logged(text, repair) for repair in told.rows()["report"]["repairs"]]


def _has_empty_key(value: Any) -> bool:
    parts = [value]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            if "" in part:
                return True
            parts.extend(part.values())
        elif isinstance(part, list):
            parts.extend(part)
    return False


def _fitted(text: str, schema: Any, mode: Mode, skip_json_loads: bool) -> tuple[Any, Callable[[], Log]]:
    asked, read = _answer.target(schema)
    made, told = _llmend.fit(text, asked, policy=_LENIENT, coerce=_MODES[mode])
    row = told.rows()
    try:
        _answer.value_of(made, told.fits, told.rows, read)
    except LlmendError as error:
        at = error.diagnostics[0].path or ""
        raise ValueError(f"{error.diagnostics[0].message} (at ${at.replace('/', '.')})") from error
    value = _llmend.loads(made, policy=_LENIENT, unsure="accept")
    is_as_it_was = row["report"]["status"] == "unchanged" and not row["coercions"]
    if skip_json_loads or not is_as_it_was:
        known = json.loads(_answer.asked_for(schema)[0])
        value = _completed(value, known, known)
    coerced = [
        {"text": f"{change['kind']}: {change['before']} became {change['after'] or 'nothing'}",
         "context": f"${change['path'].replace('/', '.')}"}
        for change in row["coercions"]
    ]
    repaired = [_logged(text, repair) for repair in row["report"]["repairs"]]
    return value, lambda: repaired + coerced


def _completed(value: Any, schema: Any, root: Any) -> Any:
    """The value as `json_repair` leaves it: members in the order of the schema, with the defaults of those
    that are not there and need not be, and whole numbers for integers."""
    for _ in range(_REFERENCES):
        if not isinstance(schema, dict) or not str(schema.get("$ref", "")).startswith("#"):
            break
        schema = _resolved(schema["$ref"], root)
    if not isinstance(schema, dict):
        return value
    properties = schema.get("properties")
    if isinstance(value, dict) and isinstance(properties, dict):
        made = {}
        for name, inner in properties.items():
            if name in value:
                made[name] = _completed(value[name], inner, root)
            elif isinstance(inner, dict) and "default" in inner:
                made[name] = copy.deepcopy(inner["default"])
        return {**made, **{name: inner for name, inner in value.items() if name not in made}}
    if isinstance(value, list) and "items" in schema:
        return [_completed(item, schema["items"], root) for item in value]
    is_whole = isinstance(value, float) and value.is_integer()
    return int(value) if is_whole and schema.get("type") == "integer" else value


def _resolved(reference: str, root: Any) -> Any:
    """The part of a schema that a reference within it names; nothing if there is none."""
    part = root
    for step in reference.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        part = part.get(name) if isinstance(part, dict) else None
    return part


def _logged(text: str, repair: dict[str, Any]) -> dict[str, str]:
    start, end = repair["start"], repair["end"]
    what = f"the text at {start}..{end} became {repair['replacement']!r}"
    return {"text": f"{repair['rule']}: {what}", "context": _around(text, (start, end))}


def _around(text: str, span: tuple[int, int] | None) -> str:
    start, end = span or (0, 0)
    return text[max(0, start - _AROUND) : end + _AROUND]


def cli(inline_args: list[str] | None = None) -> int:
    """The command `json_repair`, and its exit status."""
    parser = argparse.ArgumentParser(prog="json_repair", description="Repair and parse JSON files.")
    parser.add_argument("filename", nargs="?", help="the file to repair; without one, standard input")
    parser.add_argument("-i", "--inline", action="store_true", help="replace the file")
    parser.add_argument("-o", "--output", metavar="TARGET", help="write to this file")
    parser.add_argument("--ensure_ascii", action="store_true", help="escape what is not ASCII")
    parser.add_argument("--indent", type=int, default=2, help="spaces for indentation (2)")
    parser.add_argument("--skip-json-loads", action="store_true", help="do not try json.loads first")
    parser.add_argument("--schema", help="a file with a JSON Schema")
    parser.add_argument("--schema-model", metavar="MODEL", help="a pydantic model, as module:Class")
    parser.add_argument("--strict", action="store_true", help="structural problems are errors")
    parser.add_argument("--schema-repair-mode", choices=["standard", "salvage"], default="standard")
    args = parser.parse_args(inline_args)
    try:
        if args.inline and args.output:
            raise ValueError("You cannot pass both --inline and --output")
        if args.inline and not args.filename:
            raise ValueError("Inline mode requires a filename")
        text = Path(args.filename).read_text("utf-8") if args.filename else sys.stdin.read()
        value = loads(
            text,
            skip_json_loads=args.skip_json_loads,
            strict=args.strict,
            schema=_schema(args.schema, args.schema_model),
            schema_repair_mode=args.schema_repair_mode,
        )
        made = json.dumps(value, indent=args.indent, ensure_ascii=args.ensure_ascii)
        target = args.filename if args.inline else args.output
        if target:
            Path(target).write_text(made, "utf-8")
        else:
            print(made)
    except (ValueError, OSError, ImportError, AttributeError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


def _schema(file: str | None, model: str | None) -> Any:
    if file and model:
        raise ValueError("You cannot pass both --schema and --schema-model")
    if file:
        return json.loads(Path(file).read_text("utf-8"))
    if model:
        import importlib

        module, _, name = model.partition(":")
        return getattr(importlib.import_module(module), name)
    return None


if __name__ == "__main__":
    sys.exit(cli())
