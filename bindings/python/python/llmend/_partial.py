"""What is a type like of which only a beginning is there?"""

from __future__ import annotations

import dataclasses
import typing
from functools import lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, Optional, Union, get_args, get_origin, get_type_hints


@lru_cache(maxsize=256)
def partial_type(type: Any) -> Any:
    """`type` with every field optional, at every level: `None` is what has not arrived.

    For pydantic models, dataclasses, `TypedDict`s (whose keys may be absent), and lists, dicts and unions
    of them. A literal or an enumeration may also be a text, since its beginning is one. Validators,
    constraints and aliases of fields stay behind, but for the names that are read.

    >>> from pydantic import BaseModel
    >>> class Step(BaseModel):
    ...     id: int
    ...     tool: str
    >>> class Plan(BaseModel):
    ...     steps: list[Step]
    >>> partial_type(Plan).model_validate({"steps": [{"id": 1}]}).steps[0]
    PartialStep(id=1, tool=None)
    """
    return _Maker().partial(type)


class _Maker:
    """Makes each type once, so that a type may hold itself."""

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}
        self._made: dict[str, Any] = {}
        self._models: list[Any] = []

    def partial(self, type: Any) -> Any:
        made = self._of(type)
        for model in self._models:
            model.model_rebuild(_types_namespace=self._made)
        return self._made.get(made, made) if isinstance(made, str) else made

    def _of(self, type: Any) -> Any:
        origin, args = get_origin(type), get_args(type)
        if origin is Annotated:
            return self._of(args[0])
        if origin is typing.Literal:
            return Union[type, str] if any(isinstance(arg, str) for arg in args) else type
        if origin in (Union, UnionType):
            return Union[tuple(self._hold(arg) for arg in args)]
        if origin is not None and args:
            held = tuple(arg if arg is ... else self._hold(arg) for arg in args)
            return origin[held if len(held) > 1 else held[0]]
        fields = _fields(type)
        if fields is None:
            return Union[type, str] if _is_enumeration(type) else type
        return self._model(type, fields)

    def _hold(self, type: Any) -> Any:
        made = self._of(type)
        return typing.ForwardRef(made) if isinstance(made, str) else made

    def _model(self, type: Any, fields: dict[str, tuple[Any, Any]]) -> Any:
        from pydantic import ConfigDict, Field, create_model

        if type in self._names:
            return self._names[type]
        name = f"Partial{type.__name__}"
        while name in self._made:
            name += "_"
        self._names[type] = name
        self._made[name] = None
        made: dict[str, Any] = {
            field: (Optional[self._hold(of)], Field(default=None, validation_alias=alias))
            for field, (of, alias) in fields.items()
        }
        config = ConfigDict(extra="ignore", populate_by_name=True, arbitrary_types_allowed=True)
        model = create_model(name, __config__=config, **made)
        self._made[name] = model
        self._models.append(model)
        return name


def _fields(type: Any) -> dict[str, tuple[Any, Any]] | None:
    """The fields of a type that has some, with their types and the names that are read."""
    if hasattr(type, "model_fields"):
        fields = type.model_fields.items()
        return {name: (field.annotation, field.validation_alias) for name, field in fields}
    if dataclasses.is_dataclass(type) or typing.is_typeddict(type):
        return {name: (of, None) for name, of in get_type_hints(type).items()}
    return None


def _is_enumeration(type: Any) -> bool:
    from enum import Enum

    return isinstance(type, _class) and issubclass(type, Enum)


_class = NoneType.__class__
