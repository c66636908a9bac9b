"""What JSON does a type of pydantic take?

Its own schema says less where a validator is told a value before its type is, and where a tuple has names.
"""

from __future__ import annotations

import copy
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

_Schema = dict[str, Any]

# What is read by its keys: a validator before it is told what the keys were meant to be.
_KEYED = frozenset({"model", "model-fields", "dataclass", "dataclass-args", "typed-dict"})


class AsToldToModels(GenerateJsonSchema):
    """The schema of what is asked for: a `NamedTuple` may be an object as well."""

    def named_tuple_schema(self, schema: Any) -> _Schema:
        """That of pydantic from 2.14 on."""
        return _named(super().named_tuple_schema(schema), schema["fields"])

    def call_schema(self, schema: Any) -> _Schema:
        """That of pydantic before 2.14, which made a call of it."""
        return _named(super().call_schema(schema), schema["arguments_schema"].get("arguments_schema", []))


class AsRead(AsToldToModels):
    """The schema of what is read into the type: anything where a validator is told the value before its type."""

    def function_before_schema(self, schema: Any) -> _Schema:
        """That of `mode="before"`."""
        made = super().function_before_schema(schema)
        return made if _is_told(schema) else {}

    def function_wrap_schema(self, schema: Any) -> _Schema:
        """That of `mode="wrap"`."""
        made = super().function_wrap_schema(schema)
        return made if _is_told(schema) else {}


def _is_told(schema: Any) -> bool:
    """Whether the schema says what the validator takes."""
    return schema["schema"]["type"] in _KEYED or "json_schema_input_schema" in schema


def _named(made: _Schema, fields: list[Any]) -> _Schema:
    """The schema of a tuple, and of an object that has its names."""
    parts = made.get("prefixItems")
    if parts is None or len(parts) != len(fields):
        return made
    names = [field["name"] for field in fields]
    keyed = {
        "type": "object",
        "properties": dict(zip(names, copy.deepcopy(parts))),
        "required": names[: made.get("minItems", 0)],
        "additionalProperties": False,
    }
    return {"anyOf": [made, keyed]}
