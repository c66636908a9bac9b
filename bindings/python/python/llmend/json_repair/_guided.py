"""Values that fit a schema, by the rules of `json_repair`.

llmend coerces the value. What then does not fit is changed as `json_repair` changes it, and coerced again.
"""

from __future__ import annotations

import copy
import json
from typing import Any

from llmend import _answer, _llmend
from llmend._errors import LlmendError, SchemaError
from llmend._llmend import CoerceOptions, Options, Schema

_Row = dict[str, Any]

# The currency or unit of an unquoted number is dropped there as well.
_WHOLE = CoerceOptions(on_extra="drop", units="strip")
# Items that do not fit are dropped once all others are changed.
_DROPPING = CoerceOptions(on_extra="drop", on_bad_item="drop", units="strip")

# Maximum number of references that lead from one to the next.
_MOST_REFERENCES = 100
# Maximum number of times that a value is changed.
_MOST_ROUNDS = 32

# Maximum number of characters that the log shows of a value.
_MOST_SHOWN = 100

_NOTHING = object()

# What stands for a missing value of a type.
_EMPTY: dict[Any, Any] = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": [], "object": {}, "null": None}


def fitted(text: str, schema: Any, mode: str, skip_json_loads: bool, policy: Options) -> tuple[Any, _Row, list[_Row]]:
    """Returns the value with the rows of its report and its coercions. Raises `ValueError` if it does not fit."""
    if hasattr(schema, "model_json_schema") and not isinstance(schema, type):
        schema = type(schema)
    known = _with_factories(schema)
    try:
        asked, read = _answer.target(schema if known is None else known)
    except (TypeError, SchemaError) as unusable:
        if isinstance(schema, (Schema, dict, bool)) or known is not None:
            raise
        raise ValueError("Schema must be a JSON Schema dict, boolean schema, or pydantic v2 model.") from unusable
    known = json.loads(_answer.asked_for(schema)[0]) if known is None else known
    first: _Row | None = None
    coercions: list[_Row] = []
    error: ValueError | None = None
    coerce, mapped = _WHOLE, False
    for _ in range(_MOST_ROUNDS):
        made, told = _llmend.fit(text, asked, policy=policy, coerce=coerce)
        row = told.rows()
        try:
            _answer.value_of(made, told.fits, told.rows, read)
            break
        except LlmendError as refused:
            value = _llmend.loads(made, policy=policy, unsure="accept")
            if error is None or not mapped:
                error = _error(row["violations"], value, known, refused)
            change = _Change(value, known, mode, _empty(row) if first is None else set())
            first = first or row
            if any([change.apply(violation) for violation in row["violations"]]):
                mapped |= change.mapped
                coercions += row["coercions"] + change.made
                text = json.dumps(change.value)
            elif mode == "salvage" and coerce is _WHOLE:
                coerce = _DROPPING
            else:
                raise error from refused
    else:
        raise error or ValueError("The value does not fit the schema.")
    value = _llmend.loads(made, policy=policy, unsure="accept")
    report = (first or row)["report"]
    coercions += row["coercions"]
    if skip_json_loads or first is not None or report["status"] != "unchanged" or coercions:
        filled = {change["path"] for change in coercions if change["kind"] == "default"}
        value = _Completion(value, known, filled if mode == "standard" else set()).of(value, known, "")
    return value, report, coercions


def _with_factories(schema: Any) -> _Row | None:
    """Returns the JSON Schema of a pydantic model that makes defaults; `None` for anything else."""
    fields = getattr(schema, "model_fields", None)
    if not isinstance(fields, dict) or all(field.default_factory is None for field in fields.values()):
        return None
    known: _Row = schema.model_json_schema()
    for name, field in fields.items():
        member = known.get("properties", {}).get(name)
        if field.default_factory is not None and member is not None:
            member["default"] = field.default_factory()
    return known


def _empty(row: _Row) -> set[int]:
    """Returns where a value is missing."""
    return {repair["end"] for repair in row["report"]["repairs"] if repair["rule"] == "missing-value"}


class _Change:
    """A value that is changed where it does not fit."""

    def __init__(self, value: Any, schema: Any, mode: str, empty: set[int]) -> None:
        self.value = value
        self.mapped = False
        # Rows of what was changed.
        self.made: list[_Row] = []
        self._schema = schema
        self._salvages = mode == "salvage"
        self._empty = empty

    def apply(self, violation: _Row) -> bool:
        """Changes what violates the schema; returns whether it did."""
        path = _tokens(violation["path"])
        part = _at(self.value, path)
        schema = _at(self._schema, _tokens(violation["schema_path"])[:-1])
        if part is _NOTHING or not isinstance(schema, dict):
            return False
        keyword = violation["keyword"]
        if keyword == "required" and self._salvages:
            return self._fill(part, schema, violation["path"])
        if part is None and violation["start"] in self._empty:
            kind, made = "filled", _filled(schema, _EMPTY)
        elif keyword == "type":
            kind, made = "changed", self._of_type(part, schema, violation["expected"], path)
        else:
            return False
        if made is _NOTHING:
            return False
        self._record(kind, violation["path"], part, made)
        self._put(path, made)
        return True

    def _of_type(self, part: Any, schema: _Row, expected: str, path: list[str]) -> Any:
        if expected == "boolean" and isinstance(part, float) and part in (0, 1):
            return bool(part)
        if not self._salvages:
            return _NOTHING
        kind = {"object": dict, "array": list}.get(expected)
        if kind is not None and isinstance(part, str):
            read = _read(part)
            if isinstance(read, kind):
                return read
        if kind is list:
            return _NOTHING if isinstance(part, list) else [part]
        if kind is dict and isinstance(part, list):
            return self._object(part, schema, path)
        return _NOTHING

    def _object(self, items: list[Any], schema: _Row, path: list[str]) -> Any:
        """Returns the object of a list that has one item for each property, in their order."""
        properties = schema.get("properties") or {}
        if not path and len(items) == 1 and isinstance(items[0], dict):
            only = [_resolved(inner, self._schema) for inner in properties.values()]
            if len(only) != 1 or not isinstance(only[0], dict) or only[0].get("type") != "object":
                return items[0]
        if not properties or len(items) != len(properties):
            return _NOTHING
        self.mapped = True
        return dict(zip(properties, items))

    def _fill(self, part: Any, schema: _Row, path: str) -> bool:
        """Adds required members whose schema says what they are, or that may be empty."""
        properties = schema.get("properties") or {}
        filled = False
        for name in schema.get("required", ()):
            if name not in part and name in properties:
                made = _filled(_resolved(properties[name], self._schema), {"array": [], "object": {}})
                if made is not _NOTHING:
                    part[name] = made
                    self._record("filled", f"{path}/{_token(name)}", _NOTHING, made)
                    filled = True
        return filled

    def _record(self, kind: str, path: str, before: Any, after: Any) -> None:
        shown = "" if before is _NOTHING else json.dumps(before)[:_MOST_SHOWN]
        self.made.append({"kind": kind, "path": path, "before": shown, "after": json.dumps(after)[:_MOST_SHOWN]})

    def _put(self, path: list[str], value: Any) -> None:
        if not path:
            self.value = value
            return
        holder, key = _at(self.value, path[:-1]), path[-1]
        holder[int(key) if isinstance(holder, list) else key] = value


def _read(text: str) -> Any:
    """Returns the object or the list in a string that begins as one; `None` if there is none."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return _llmend.parse(text, policy="lenient")[0]
    except LlmendError:
        return None


def _filled(schema: Any, empty: _Row) -> Any:
    """Returns the value that a schema has for what is not there; that of `empty` for its type, if it may be."""
    if not isinstance(schema, dict):
        return _NOTHING
    for word in ("default", "const"):
        if word in schema:
            return copy.deepcopy(schema[word])
    if schema.get("enum"):
        return copy.deepcopy(schema["enum"][0])
    kinds = schema.get("type")
    if kinds is None:
        kinds = "array" if "items" in schema else "object" if "properties" in schema else None
    if schema.get("minItems") or schema.get("minProperties"):
        return _NOTHING
    kind = next((kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind in empty), None)
    return _NOTHING if kind is None else copy.copy(empty[kind])


class _Completion:
    """The value as `json_repair` leaves it: members in the order of the schema, with the defaults of those that are
    not there and need not be, and whole numbers for integers."""

    def __init__(self, whole: Any, root: Any, filled: set[str]) -> None:
        self._whole = whole
        self._root = root
        # Paths of the members that were added.
        self._filled = filled

    def of(self, value: Any, schema: Any, path: str) -> Any:
        schema = _resolved(schema, self._root)
        if not isinstance(schema, dict):
            return value
        properties = schema.get("properties")
        if isinstance(value, dict) and isinstance(properties, dict):
            return self._object(value, schema, properties, path)
        if isinstance(value, list) and "items" in schema:
            return [self.of(item, schema["items"], f"{path}/{at}") for at, item in enumerate(value)]
        is_whole = isinstance(value, float) and value.is_integer()
        return int(value) if is_whole and schema.get("type") == "integer" else value

    def _object(self, value: _Row, schema: _Row, properties: _Row, path: str) -> _Row:
        missing = [name for name in schema.get("required", ()) if f"{path}/{_token(name)}" in self._filled]
        if missing:
            raise ValueError(_missing(path, missing, self._whole))
        made = {}
        for name, inner in properties.items():
            if name in value:
                made[name] = self.of(value[name], inner, f"{path}/{_token(name)}")
            elif isinstance(inner, dict) and "default" in inner:
                made[name] = copy.deepcopy(inner["default"])
        return {**made, **{name: inner for name, inner in value.items() if name not in made}}


def _resolved(schema: Any, root: Any) -> Any:
    """Follows the references of a schema within `root`; returns `None` for one that leads nowhere."""
    for _ in range(_MOST_REFERENCES):
        if not isinstance(schema, dict) or not str(schema.get("$ref", "")).startswith("#"):
            break
        found = _at(root, _tokens(schema["$ref"]))
        schema = None if found is _NOTHING else found
    return schema


def _at(value: Any, path: list[str]) -> Any:
    """Returns the part at `path`; `_NOTHING` if there is none."""
    for token in path:
        if isinstance(value, list) and token.isdigit() and int(token) < len(value):
            value = value[int(token)]
        elif isinstance(value, dict) and token in value:
            value = value[token]
        else:
            return _NOTHING
    return value


def _tokens(path: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]


def _token(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _error(violations: list[_Row], value: Any, known: Any, refused: LlmendError) -> ValueError:
    """Returns the first violation in the words of `json_repair`, which programs look for."""
    if not violations:
        return ValueError(refused.diagnostics[0].message)
    first = violations[0]
    path, expected, keyword = _shown(first["path"], value), first["expected"], first["keyword"]
    part = _at(value, _tokens(first["path"]))
    if keyword == "required":
        schema = _at(known, _tokens(first["schema_path"])[:-1])
        names = schema.get("required", ()) if isinstance(schema, dict) and isinstance(part, dict) else ()
        missing = [name for name in names if name not in part]
        if missing:
            return ValueError(_missing(first["path"], missing, value))
    if keyword == "type" and expected == "object":
        return ValueError(f"Expected object at {path}, got {type(part).__name__}.")
    if keyword == "type":
        return ValueError(f"Expected {expected} at {path}.")
    if keyword in ("minItems", "minProperties"):
        kind = "Array" if keyword == "minItems" else "Object"
        return ValueError(f"{kind} at {path} does not meet {keyword}.")
    if keyword in ("enum", "const"):
        return ValueError(f"Value at {path} does not match {keyword}.")
    if first["code"] == "schema/extra" and not keyword:
        return ValueError("Schema does not allow any values.")
    return ValueError(f"{first['message']} (at {path})")


def _missing(path: str, names: list[str], whole: Any) -> str:
    return f"Missing required properties at {_shown(path, whole)}: {', '.join(names)}"


def _shown(path: str, value: Any) -> str:
    """Formats the path of a part of a value as `json_repair` does."""
    shown = "$"
    for token in _tokens(path):
        shown += f"[{token}]" if isinstance(value, list) else f".{token}"
        value = _at(value, [token])
    return shown
