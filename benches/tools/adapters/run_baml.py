"""BAML, whose types are made of the schema, and jsonschema, which refuses what breaks limits that a type cannot say.
What BAML's types cannot say at all is skipped."""

import json
import re
import types
from typing import Literal

import baml_py
import jsonschema
import pydantic
from protocol import Skip, serve

CLIENT = """
client<llm> Nobody {
  provider openai
  options {
    model "none"
    api_key "none"
  }
}

function Read(text: string) -> %s {
  client Nobody
  prompt #"
    {{ text }}
    {{ ctx.output_format }}
  "#
}
"""
WORD = re.compile(r"^[A-Za-z][A-Za-z0-9_]*$")
# What makes other types of the type beside it.
OTHERS = {"allOf", "prefixItems", "patternProperties", "unevaluatedProperties"}


class Writer:
    """Writes the types of a schema, and keeps the Python classes that BAML returns values in."""

    def __init__(self, schema):
        self.schema, self.parts, self.module, self.refs = schema, [], types.ModuleType("made"), {}

    def name(self, kind):
        return f"{kind}{len(self.parts)}"

    def of(self, schema):
        """The type in BAML and in Python."""
        if not isinstance(schema, dict) or OTHERS & schema.keys():
            raise Skip("a keyword that BAML has no type for")
        if "$ref" in schema:
            return self.reference(schema["$ref"])
        if "enum" in schema or "const" in schema:
            return self.literals(schema.get("enum", [schema.get("const")]))
        for key in ("anyOf", "oneOf"):
            if key in schema:
                arms = [self.of(arm) for arm in schema[key]]
                return self.union(arms)
        kind = schema.get("type")
        if isinstance(kind, list):
            return self.union([self.of({**schema, "type": one}) for one in kind])
        if kind == "object":
            return self.record(schema)
        if kind == "array":
            if not isinstance(schema.get("items"), dict):
                raise Skip("a list of anything")
            baml, python = self.of(schema["items"])
            return f"({baml})[]", list[python]
        simple = {"string": ("string", str), "integer": ("int", int), "number": ("float", float),
                  "boolean": ("bool", bool), "null": ("null", type(None))}
        if kind not in simple:
            raise Skip("a value of any type")
        return simple[kind]

    def union(self, arms):
        python = arms[0][1]
        for _, other in arms[1:]:
            python = python | other
        return "(" + " | ".join(baml for baml, _ in arms) + ")", python

    def literals(self, values):
        if not all(isinstance(value, str) for value in values):
            raise Skip("a constant that is no string")
        return "(" + " | ".join(json.dumps(value) for value in values) + ")", Literal[tuple(values)]

    def reference(self, pointer):
        if pointer in self.refs:
            if self.refs[pointer] is None:
                raise Skip("a recursive type")
            return self.refs[pointer]
        self.refs[pointer] = None
        found = self.schema
        for part in pointer.removeprefix("#").strip("/").split("/"):
            found = found[part.replace("~1", "/").replace("~0", "~")] if part else found
        self.refs[pointer] = self.of(found)
        return self.refs[pointer]

    def record(self, schema):
        extra, properties = schema.get("additionalProperties"), schema.get("properties")
        if not properties:
            if isinstance(extra, dict):
                baml, python = self.of(extra)
                return f"map<string, {baml}>", dict[str, python]
            raise Skip("an object of anything")
        if isinstance(extra, dict):
            raise Skip("an object with more members")
        fields, members = [], {}
        for index, (key, value) in enumerate(properties.items()):
            if not isinstance(value, dict):
                raise Skip("anything")
            baml, python = self.of(value)
            is_needed = key in schema.get("required", [])
            if not is_needed and "null" in baml:
                raise Skip("a member that may be missing and may be null, which are the same in BAML")
            field = key if WORD.match(key) else f"field{index}"
            alias = "" if field == key else f" @alias({json.dumps(key)})"
            fields.append(f"  {field} {baml}{'' if is_needed else '?'}{alias}")
            python, default = (python, ...) if is_needed else (python | None, None)
            members[field] = (python, pydantic.Field(default, serialization_alias=key))
        name = self.name("Made")
        self.parts.append(f"class {name} {{\n" + "\n".join(fields) + "\n}\n")
        made = pydantic.create_model(name, **members)
        setattr(self.module, name, made)
        return name, made


def prepare(request):
    writer = Writer(request["schema"])
    baml, _ = writer.of({k: v for k, v in request["schema"].items() if k not in ("$schema", "title", "$defs", "definitions")})
    if "string" in baml and "Made" not in baml:
        raise Skip("a string at the root, which is the whole text in BAML")
    source = "".join(writer.parts) + CLIENT % baml
    try:
        runtime = baml_py.BamlRuntime.from_files(".", {"main.baml": source}, {})
    except Exception as error:
        raise Skip("types that BAML refuses") from error
    return runtime, runtime.create_context_manager(), writer.module


def plain(value):
    if isinstance(value, pydantic.BaseModel):
        # What was not there is null in the class: it is left out again, where that says the same.
        rows = {key: plain(getattr(value, key)) for key in type(value).model_fields}
        names = {key: field.serialization_alias for key, field in type(value).model_fields.items()}
        needed = {key for key, field in type(value).model_fields.items() if field.is_required()}
        return {names[key]: item for key, item in rows.items() if item is not None or key in needed}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def fit(request):
    runtime, context, module = request["ready"]
    value = runtime.parse_llm_response("Read", request["text"], module, module, module, False, context, None, None, {})

    def made():
        fitted = plain(value)
        jsonschema.validate(fitted, request["schema"], cls=jsonschema.validators.validator_for(request["schema"]))
        return fitted

    return made


serve(prepare, schema=fit)
