"""JSON Schemas of pydantic types.

pydantic's own schema is too strict if a validator runs before the type, and for named tuples.
"""

from __future__ import annotations

import copy
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from llmend._answer import DECIMAL

_Schema = dict[str, Any]

# Types with keys, whose validators get the keys as written.
_KEYED = frozenset({"model", "model-fields", "dataclass", "dataclass-args", "typed-dict"})


class ModelSchema(GenerateJsonSchema):
    """The schema shown to models: a `NamedTuple` may also be an object."""

    def named_tuple_schema(self, schema: Any) -> _Schema:
        """Handles `NamedTuple` since pydantic 2.14."""
        return _named(super().named_tuple_schema(schema), schema["fields"])

    def call_schema(self, schema: Any) -> _Schema:
        """Handles `NamedTuple` before pydantic 2.14, which treats it as a call."""
        return _named(super().call_schema(schema), schema["arguments_schema"].get("arguments_schema", []))


class ReadSchema(ModelSchema):
    """The schema for reading: anything goes if a validator runs before the type."""

    def decimal_schema(self, schema: Any) -> _Schema:
        """Handles `Decimal`, whose schema allows any string."""
        made = super().decimal_schema(schema)
        arms = [{**arm, "pattern": DECIMAL} if arm.get("type") == "string" else arm for arm in made.get("anyOf", ())]
        return {**made, "anyOf": arms} if arms else made

    def function_before_schema(self, schema: Any) -> _Schema:
        """Handles validators with `mode="before"`."""
        made = super().function_before_schema(schema)
        return made if _states_input(schema) else {}

    def function_wrap_schema(self, schema: Any) -> _Schema:
        """Handles validators with `mode="wrap"`."""
        made = super().function_wrap_schema(schema)
        return made if _states_input(schema) else {}


def _states_input(schema: Any) -> bool:
    """Returns whether the schema describes the input of the validator."""
    return schema["schema"]["type"] in _KEYED or "json_schema_input_schema" in schema


def _named(made: _Schema, fields: list[Any]) -> _Schema:
    """Returns the schema of a tuple or of an object with its field names."""
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
