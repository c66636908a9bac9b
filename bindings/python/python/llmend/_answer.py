"""Parsing answers into requested types."""

from __future__ import annotations

import contextlib
import json
import marshal
import sys
import typing
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, overload

from llmend import _errors, _llmend
from llmend._exact import Inexact, exactly
from llmend._llmend import CoerceOptions, Options, Schema
from llmend._outcome import Outcome, Repaired

_T = TypeVar("_T")

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError
    from typing_extensions import TypeForm

    from llmend._llmend import PolicyName

Text = str | bytes | bytearray
"""Text: `str`, or bytes in UTF-8."""

Json = dict[str, Any] | bool
"""A JSON Schema as a Python value."""

# Repaired text is strict JSON of any depth and size.
_STRICT = Options("strict", max_depth=2**62, max_bytes=2**62)


def repair(text: Text, *, policy: PolicyName | Options | None = None) -> Repaired:
    """Repairs text to strict JSON and reports each edit.

    Valid JSON is returned unchanged. Raises `RepairError` if the text contains no value.

    >>> import llmend
    >>> repaired = llmend.repair("Here you are: {name: 'Ada', born: 1815,}")
    >>> repaired.text
    '{"name": "Ada", "born": 1815}'
    >>> repaired.report.status, repaired.report.class_
    ('repaired', 'notation')
    """
    return Repaired(*_llmend.repair(text, policy=policy))


@overload
def parse(text: Text, *, policy: PolicyName | Options | None = None) -> Outcome[Any]: ...
@overload
def parse(
    text: Text,
    type: TypeAdapter[_T],
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
) -> Outcome[_T]: ...
@overload
def parse(
    text: Text,
    type: Json | Schema,
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
) -> Outcome[Any]: ...
@overload
def parse(
    text: Text,
    type: TypeForm[_T],
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
) -> Outcome[_T]: ...
def parse(
    text: Text,
    type: Any = None,
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
) -> Outcome[Any]:
    """Parses the value in a text, coerces it to `type`, and reports all repairs and coercions.

    `type` is a JSON Schema (a `dict` or a compiled `Schema`) or, with pydantic installed, anything that
    `pydantic.TypeAdapter` accepts: a model, a dataclass, a `TypedDict`, `list[int]`, or an adapter. Types
    are compiled once. Nothing is invented: a value that does not fit raises `UnfitError` with every violation.

    A value that may be incomplete is marked as `unsure`; `.sure()` rejects it.

    >>> import llmend
    >>> outcome = llmend.parse("Sure! {'n': '3', 'tags': 'new'}", {
    ...     "type": "object",
    ...     "properties": {"n": {"type": "integer"}, "tags": {"items": {"type": "string"}, "type": "array"}},
    ... })
    >>> outcome.value
    {'n': 3, 'tags': ['new']}
    >>> [(coercion.kind, coercion.path) for coercion in outcome.coercions]
    [('number-from-text', '/n'), ('single-item', '/tags')]
    """
    if type is None:
        return Outcome(*_llmend.parse(text, policy=policy))
    schema, read = target(type)
    if read is not _loaded:
        made, told = _llmend.fit(text, schema, policy=policy, coerce=coerce)
        return Outcome(value_of(made, told.fits, told.rows, read), told)
    value, told = _llmend.fit_value(text, schema, policy=policy, coerce=coerce)
    if not told.fits:
        raise _errors.UnfitError(told.rows(), value)
    return Outcome(value, told)


# Keywords for which the schema of a pydantic type is stricter than the type: a duration in words, a set with a
# duplicate item, a field under its alias, a flag. A partial value is read by the schema but for these.
LOOSER = frozenset({"format", "uniqueItems", "required", "enum"})


# What `Decimal` reads of a string, but for underscores and words: other strings are coerced to numbers.
DECIMAL = r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$"
_NO_DECIMAL = {"code": "schema/type", "keyword": "type", "message": "expected number, found string", "expected": "number"}


# Violations that no type may overrule: it would drop a value, or choose where the schema found no clear choice.
_FINAL = frozenset({"schema/duplicate-key", "schema/extra", "schema/ambiguous", "schema/unsure"})


def _may_fit(violation: dict[str, Any]) -> bool:
    """Returns whether a type may accept what violates its schema."""
    return violation["code"].startswith("schema/") and violation["code"] not in _FINAL


def value_of(
    made: str,
    fits: bool,
    rows: Callable[[], dict[str, Any]],
    read: Callable[[str], Any],
) -> Any:
    """Reads validated JSON into its type; raises `UnfitError` if it does not fit."""
    if not fits:
        row = rows()
        if read is not _loaded and all(map(_may_fit, row["violations"])):
            # The type may accept more than its schema, and then the type decides.
            with contextlib.suppress(Refused):
                return read(made)
            violations = [told | _NO_DECIMAL if DECIMAL in told["expected"] else told for told in row["violations"]]
            row = {**row, "violations": violations}
        raise _errors.UnfitError(row, _loaded(made))
    try:
        return read(made)
    except Refused as refused:
        row = {**rows(), "violations": refused.violations}
        raise _errors.UnfitError(row, _loaded(made)) from refused.__cause__


def parsed_or_none(texts: Iterable[Any], type: Any) -> list[Any]:
    """Reads repaired JSON of a column into a type: `None` where there is none, or the type refuses it."""
    read = target(type)[1]

    def value(text: Any) -> Any:
        with contextlib.suppress(Refused):
            return read(text) if isinstance(text, str) else None
        return None

    return [value(text) for text in texts]


def target(type: Any) -> tuple[Schema, Callable[[str], Any]]:
    """Returns the schema of a type and the function that reads valid JSON into the type."""
    if isinstance(type, Schema):
        return type, _loaded
    if is_schema(type):
        return _compiled_value(type), _loaded
    _, text, read = _known(type)
    return _compiled_of_type(text), read


def asked_schema(type: Any) -> Schema:
    """Returns the schema of a type that models are shown, if only JSON is needed and no value."""
    if isinstance(type, Schema):
        return type
    return _compiled_value(type) if is_schema(type) else _compiled_of_type(asked_for(type)[0])


def is_schema(type: Any) -> bool:
    """Returns whether `type` is a JSON Schema and not a Python type."""
    return isinstance(type, (Schema, dict, bool))


def asked_for(type: Any) -> tuple[str, Callable[[str], Any]]:
    """Returns the schema text of a type and the function that reads valid JSON into the type."""
    if isinstance(type, Schema):
        return json.dumps(type.json), _loaded
    if isinstance(type, (dict, bool)):
        return json.dumps(type), _loaded
    told, _, read = _known(type)
    return told, read


def read_schema(type: Any) -> str:
    """Returns the schema text for reading a type, or the arguments of a function."""
    return _known(type)[1]


_Known = tuple[str, str, Callable[[str], Any]]
"""The schema shown to models, the schema for reading, and the function that reads JSON into the type."""


def _known(type: Any) -> _Known:
    if isinstance(type, (str, bytes)):
        # pydantic would evaluate it as Python code.
        raise TypeError("expected a type, found text; use llmend.Schema(text) for the text of a JSON Schema")
    try:
        hash(type)
    except TypeError:
        return _adapted(type)
    return _remembered(type, order(type))


def order(type: Any) -> Any:
    """Returns the order of union arms: `A | B` and `B | A` are equal, but may read a value differently."""
    return tuple(map(order, typing.get_args(type))) or type


def _loaded(text: str) -> Any:
    return _llmend.loads(text, policy=_STRICT)


def _compiled_value(schema: Any) -> Schema:
    try:
        # Tells apart what JSON does, and is several times as fast.
        marshalled = marshal.dumps(schema, 2)
    except ValueError:
        return _compiled(json.dumps(schema))
    try:
        return _compiled_bytes(marshalled)
    except TypeError:
        # A number or text of NumPy, which is marshalled as bytes.
        return _compiled(json.dumps(schema))


@lru_cache(maxsize=256)
def _compiled_bytes(marshalled: bytes) -> Schema:
    return _compiled(json.dumps(marshal.loads(marshalled)))


@lru_cache(maxsize=256)
def _compiled(text: str) -> Schema:
    return Schema(text)


@lru_cache(maxsize=256)
def _compiled_of_type(text: str) -> Schema:
    return Schema._of_type(text)


@lru_cache(maxsize=256)
def _remembered(type: Any, _order: Any) -> _Known:
    return _adapted(type)


def _adapted(type: Any) -> _Known:
    try:
        import pydantic
        from pydantic.errors import PydanticUserError

        from llmend._generated import ModelSchema, ReadSchema
    except ImportError as error:
        message = f"pydantic is needed to read {type!r}: pip install 'llmend[pydantic]'"
        raise ImportError(message) from error
    try:
        adapter = type if isinstance(type, pydantic.TypeAdapter) else pydantic.TypeAdapter(_usable(type))
        kinds = (ModelSchema, ReadSchema)
        told, fitted = (json.dumps(adapter.json_schema(schema_generator=kind)) for kind in kinds)
    except PydanticUserError as error:
        raise _errors.of_schema("schema/unusable", f"{type!r} has no JSON Schema: {error}") from error

    def read(text: str) -> Any:
        try:
            return exactly(adapter, text)
        except pydantic.ValidationError as error:
            raise Refused(_violations(error)) from error
        except Inexact as error:
            message = f"cannot keep all digits of {error}, since the type is not purely numeric"
            raise Refused([_violation("", message, "decimal", str(error))]) from error

    return told, fitted, read


def _usable(type: Any) -> Any:
    """Converts a `TypedDict` to that of `typing_extensions`, which pydantic needs before Python 3.12."""
    if sys.version_info >= (3, 12) or not typing.is_typeddict(type):
        return type
    import typing_extensions

    fields = typing_extensions.get_type_hints(type, include_extras=True)
    optional = {name: typing_extensions.NotRequired[fields[name]] for name in type.__optional_keys__}
    make: Any = typing_extensions.TypedDict
    return make(type.__name__, {**fields, **optional})


class Refused(Exception):
    """Violations that the validators of a type report beyond its schema."""

    def __init__(self, violations: list[dict[str, Any]]) -> None:
        super().__init__()
        self.violations = violations


def _violations(error: ValidationError) -> list[dict[str, Any]]:
    return [
        _violation(
            "".join(f"/{_token(part)}" for part in row["loc"]),
            row["msg"],
            row["type"],
            json.dumps(row["input"], default=repr)[:100],
        )
        for row in error.errors(include_url=False)
    ]


def _violation(path: str, message: str, expected: str, found: str) -> dict[str, Any]:
    return {
        "code": "schema/validator",
        "path": path,
        "schema_path": "",
        "keyword": "",
        "message": message,
        "expected": expected,
        "found": found,
        "hint": None,
        "start": None,
        "end": None,
    }


def _token(part: int | str) -> str:
    """Escapes a path segment for a JSON Pointer."""
    return str(part).replace("~", "~0").replace("/", "~1")
