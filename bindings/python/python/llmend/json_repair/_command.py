"""The command of `json_repair`."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from typing import Any

from llmend import json_repair


def run(inline_args: list[str] | None) -> int:
    """Runs the command with these arguments, or those of the process, and returns its exit status."""
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
    conflict = _conflict(args)
    if conflict:
        print(f"Error: {conflict}", file=sys.stderr)
        sys.exit(1)
    try:
        text = Path(args.filename).read_text("utf-8") if args.filename else sys.stdin.read()
        value = json_repair.loads(
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


def _conflict(args: argparse.Namespace) -> str | None:
    """Returns which arguments exclude each other, in the words of `json_repair`."""
    if args.inline and not args.filename:
        return "Inline mode requires a filename"
    if args.inline and args.output:
        return "You cannot pass both --inline and --output"
    if args.schema and args.schema_model:
        return "You cannot pass both --schema and --schema-model"
    is_guided = args.schema or args.schema_model
    if args.strict and is_guided:
        return "--strict cannot be used with --schema or --schema-model"
    if args.schema_repair_mode == "salvage" and not is_guided:
        return "--schema-repair-mode salvage requires --schema or --schema-model"
    return None


def _schema(file: str | None, model: str | None) -> Any:
    if file:
        return json.loads(Path(file).read_text("utf-8"))
    if model:
        module, _, name = model.partition(":")
        return getattr(importlib.import_module(module), name)
    return None
