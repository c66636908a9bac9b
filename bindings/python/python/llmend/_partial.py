"""Partial types: values of which only a part has arrived."""

from __future__ import annotations

import dataclasses
import json
import math
import typing
from functools import lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, Optional, Union, get_args, get_origin, get_type_hints

from llmend import _llmend
from llmend._answer import _STRICT, LOOSER, order
from llmend._llmend import CoerceOptions, Schema


def partial_type(type: Any) -> Any:
    """Returns `type` with every field optional at every level; `None` means not yet arrived.

    Supports pydantic models, dataclasses, `TypedDict`s, and lists, dicts and unions of them. A literal or an
    enumeration may also be any string, since a part of it may have arrived, except for a literal that
    discriminates a union. Validators, constraints and aliases are dropped, except for validation aliases.

    >>> from pydantic import BaseModel
    >>> class Step(BaseModel):
    ...     id: int
    ...     tool: str
    >>> class Plan(BaseModel):
    ...     steps: list[Step]
    >>> partial_type(Plan).model_validate({"steps": [{"id": 1}]}).steps[0]
    PartialStep(id=1, tool=None)
    """
    try:
        return _remembered(type, order(type))
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        return _Maker().partial(type)


@lru_cache(maxsize=256)
def _remembered(type: Any, _order: Any) -> Any:
    return _Maker().partial(type)


class _Missing:
    """What nothing of a value fits."""


MISSING = _Missing()


class Partial:
    """Reads the arrived part of a value into a partial type, without the parts that do not fit."""

    def __init__(self, type: Any, coerce: CoerceOptions | None) -> None:
        from pydantic import TypeAdapter

        self._adapter: TypeAdapter[Any] = TypeAdapter(type)
        self._schema = Schema._of_type(json.dumps(self._adapter.json_schema()))
        self._coerce = coerce

    def fitted(self, value: Any) -> str:
        """Returns the JSON of the coerced value."""
        return self._fitted(value)[0]

    def _fitted(self, value: Any) -> tuple[str, list[list[str]]]:
        """Returns the JSON of the coerced value and the paths of all violations."""
        made, told = _llmend.fit(_json(value), self._schema, policy=_STRICT, coerce=self._coerce)
        if told.fits:
            return made, []
        rows = told.rows()["violations"]
        # The type decides if it accepts more than its schema.
        paths = [_tokens(row["path"]) for row in rows if row["keyword"] not in LOOSER]
        # The innermost first: the path of a part that was removed with the one around it would lead elsewhere.
        return made, sorted(paths, key=len, reverse=True)

    def read(self, value: Any) -> Any:
        """Returns the value without the parts that do not fit; `MISSING` if nothing is left."""
        from pydantic import ValidationError

        for _ in range(_MOST_TRIES):
            made, wrong = self._fitted(value)
            if wrong:
                value = json.loads(made)
                if not all([_remove(value, path) for path in wrong]):
                    return MISSING
                continue
            try:
                return self._adapter.validate_json(made)
            except ValidationError as error:
                value = json.loads(made)
                if not all([_remove(value, [*map(str, row["loc"])]) for row in error.errors()]):
                    return MISSING
        return MISSING


# A character that readable text does not contain: a string that ends with it is not converted.
MARK = "\0"

# Maximum number of attempts to remove parts that do not fit.
_MOST_TRIES = 8


def arrives(made: Any, path: list[Any] | None = None) -> bool:
    """Returns whether the mark arrived in a string at its path, or in any string if the path is gone."""
    at = made
    for part in path or []:
        held = getattr(at, "__dict__", at)
        if not isinstance(held, (dict, list)) or (part not in held if isinstance(held, dict) else part >= len(held)):
            return _is_in(made)
        at = held[part]
    return _is_in(at)


def _is_in(made: Any) -> bool:
    """Returns whether the mark is in any string, rather than in a value converted from one."""
    if isinstance(made, str):
        return MARK in made
    if isinstance(made, dict):
        return any(map(_is_in, made.values())) or any(map(_is_in, made))
    if isinstance(made, (list, tuple, set, frozenset)):
        return any(map(_is_in, made))
    return hasattr(made, "model_fields_set") and _is_in(made.__dict__)


def _json(value: Any) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value))


def _finite(value: Any) -> Any:
    """Replaces infinite floats by whole numbers beyond the range of floats."""
    if isinstance(value, float):
        return (10**309 if value > 0 else -(10**309)) if math.isinf(value) else value
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list) else value


def _remove(value: Any, path: list[str]) -> bool:
    """Removes the part at `path`, and in a list everything after it; returns false if that is the whole value.
    Path segments that lead nowhere, such as the name of a union arm, are ignored."""
    at: tuple[Any, Any] | None = None
    for token in path:
        if isinstance(value, dict) and token in value:
            at, value = (value, token), value[token]
        elif isinstance(value, list) and token.isdigit():
            if int(token) >= len(value):
                # It was removed together with an earlier item.
                return True
            at, value = (value, int(token)), value[int(token)]
    if at is None:
        # It may have been removed together with an earlier part.
        return bool(path)
    container, key = at
    if isinstance(container, list):
        del container[key:]
    else:
        del container[key]
    return True


def _tokens(path: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]


def inside(value: Any, where: list[Any]) -> Any:
    """Returns the part of a value at these keys and indexes."""
    for part in where:
        value = value[part]
    return value


class _Maker:
    """Creates partial types, each once, so that types may be recursive."""

    def __init__(self) -> None:
        self._names: dict[tuple[Any, bool], str] = {}
        self._made: dict[str, Any] = {}
        self._models: list[Any] = []

    def partial(self, type: Any) -> Any:
        made = self._of(type)
        for model in self._models:
            model.model_rebuild(_types_namespace=self._made)
        return self._made.get(made, made) if isinstance(made, str) else self._resolved(made)

    def _resolved(self, type: Any) -> Any:
        """Replaces forward references in a type by the models."""
        if isinstance(type, typing.ForwardRef):
            return self._made.get(type.__forward_arg__, type)
        origin, args = get_origin(type), get_args(type)
        if origin is None or origin is typing.Literal or not args:
            return type
        held = tuple(arg if arg is ... else self._resolved(arg) for arg in args)
        if origin in (Union, UnionType):
            return Union[held]
        return origin[held if len(held) > 1 else held[0]]

    def _of(self, type: Any, *, is_arm: bool = False) -> Any:
        from pydantic import RootModel, TypeAdapter

        if isinstance(type, TypeAdapter):
            return self._of(type._type)
        if isinstance(type, _class) and issubclass(type, RootModel):
            return self._of(type.model_fields["root"].annotation)
        origin, args = get_origin(type), get_args(type)
        if origin is Annotated:
            return self._of(args[0], is_arm=is_arm)
        if origin is typing.Literal:
            return Union[type, str] if any(isinstance(arg, str) for arg in args) else type
        if origin in (Union, UnionType):
            is_choice = sum(_fields(_bare(arg)) is not None for arg in args) > 1
            return Union[tuple(self._hold(arg, is_arm=is_choice) for arg in args)]
        if origin is not None and args:
            held = tuple(arg if arg is ... else self._hold(arg) for arg in args)
            return origin[held if len(held) > 1 else held[0]]
        fields = _fields(type)
        if fields is None:
            return Union[type, str] if _is_enumeration(type) else type
        return self._model(type, fields, is_arm)

    def _hold(self, type: Any, *, is_arm: bool = False) -> Any:
        made = self._of(type, is_arm=is_arm)
        return typing.ForwardRef(made) if isinstance(made, str) else made

    def _model(self, type: Any, fields: dict[str, tuple[Any, Any]], is_arm: bool) -> Any:
        """Creates the partial model of a type with fields. Arms of a union keep their literals as discriminators."""
        from pydantic import ConfigDict, Field, create_model

        if (type, is_arm) in self._names:
            return self._names[type, is_arm]
        name = f"Partial{type.__name__}"
        while name in self._made:
            name += "_"
        self._names[type, is_arm] = name
        self._made[name] = None
        made: dict[str, Any] = {
            # Field names of pydantic models cannot begin with an underscore.
            field.lstrip("_") or "field": (
                Optional[of if is_arm and get_origin(_bare(of)) is typing.Literal else self._hold(of)],
                Field(default=None, validation_alias=alias or (field if field[0] == "_" else None)),
            )
            for field, (of, alias) in fields.items()
        }
        config = ConfigDict(extra="ignore", populate_by_name=True, arbitrary_types_allowed=True)
        model = create_model(name, __config__=config, **made)
        self._made[name] = model
        self._models.append(model)
        return name


def _fields(type: Any) -> dict[str, tuple[Any, Any]] | None:
    """Returns the fields of a type with their types and validation aliases; `None` if it has no fields."""
    if hasattr(type, "model_fields"):
        fields = type.model_fields.items()
        return {name: (field.annotation, field.validation_alias) for name, field in fields}
    if dataclasses.is_dataclass(type) or typing.is_typeddict(type):
        return {name: (of, None) for name, of in get_type_hints(type).items()}
    return None


def _bare(type: Any) -> Any:
    return get_args(type)[0] if get_origin(type) is Annotated else type


def _is_enumeration(type: Any) -> bool:
    from enum import Enum

    return isinstance(type, _class) and issubclass(type, Enum)


_class = NoneType.__class__
