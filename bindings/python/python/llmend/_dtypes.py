"""Types of Polars for JSON Schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

_SCALARS: dict[str, type[pl.DataType]] = {
    "boolean": pl.Boolean,
    "integer": pl.Int64,
    "null": pl.Null,
    "number": pl.Float64,
    "string": pl.String,
}


def dtype_of(schema: Any) -> pl.DataType | type[pl.DataType]:
    """Returns the type of the values that fit a schema. Raises `ValueError` if it leaves the type open."""
    return _dtype(schema, schema, ())


def _dtype(schema: Any, root: Any, within: tuple[str, ...]) -> pl.DataType | type[pl.DataType]:
    if not isinstance(schema, Mapping):
        raise _open(schema)
    if (reference := schema.get("$ref")) is not None:
        if reference in within:
            raise ValueError(f"cannot infer a column type from the recursive schema {reference!r}; pass `dtype`")
        return _dtype(_resolved(reference, root), root, (*within, reference))
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return _only(schema, [arm for arm in schema[key] if arm != {"type": "null"}], root, within)
    kind = schema.get("type", "object" if "properties" in schema else None)
    if isinstance(kind, list):
        kinds = [{**schema, "type": one} for one in kind if one != "null"]
        return _only(schema, kinds, root, within)
    if kind == "array" and "items" in schema:
        return pl.List(_dtype(schema["items"], root, within))
    if kind == "object" and schema.get("properties"):
        return pl.Struct({name: _dtype(part, root, within) for name, part in schema["properties"].items()})
    if kind in _SCALARS:
        return _SCALARS[kind]
    values = schema.get("enum", [schema["const"]] if "const" in schema else [None])
    if all(isinstance(value, str) for value in values):
        return pl.String
    raise _open(schema)


def _only(schema: Any, arms: list[Any], root: Any, within: tuple[str, ...]) -> pl.DataType | type[pl.DataType]:
    """Returns the one type of several schemas."""
    made = [_dtype(arm, root, within) for arm in arms]
    if not made or any(dtype != made[0] for dtype in made):
        raise _open(schema)
    return made[0]


def _resolved(reference: str, root: Any) -> Any:
    found = root
    for token in reference.removeprefix("#").split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping) or token not in found:
            raise ValueError(f"the schema has no {reference!r}")
        found = found[token]
    return found


def _open(schema: Any) -> ValueError:
    return ValueError(f"cannot infer a column type from the schema {schema!r}; pass `dtype`")
