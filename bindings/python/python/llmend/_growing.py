"""Plans that say how values of a type are made of parts, and the containers that are still arriving."""

from __future__ import annotations

import json
import typing
from functools import cached_property
from types import UnionType
from typing import Any, Union, get_args, get_origin

from llmend._answer import order
from llmend._llmend import CoerceOptions, Growing
from llmend._partial import MARK, MISSING, Partial, arrives

_NoneType = type(None)
# Largest whole number that every reader of JSON keeps.
_LARGE = 2**53


class Plan:
    """Reads values of one type: whole, unless a subclass knows how it is made of parts."""

    holds: type | None = None
    """The kind of container that is read part by part."""

    def __init__(self, type: Any, coerce: CoerceOptions | None) -> None:
        self.type = type
        self.coerce = coerce

    @cached_property
    def whole(self) -> Partial:
        return Partial(self.type, self.coerce)

    def read(self, value: Any) -> Any:
        """Returns a complete value as the type; `MISSING` if nothing of it fits."""
        return self.whole.read(value)

    def tail(self, text: str) -> Any:
        """Returns an incomplete string, unless the type would convert it."""
        made = self.whole.read(text + MARK)
        return self.whole.read(text) if made is not MISSING and arrives(made) else MISSING

    def frame(self, key: Any) -> Frame:
        return Frame(self, key)


class _Text(Plan):
    """Strings that stay as they are."""

    def read(self, value: Any) -> Any:
        return value if value.__class__ is str else super().read(value)

    def tail(self, text: str) -> Any:
        return text


class _Scalar(Plan):
    def exact(self, value: Any) -> Any:
        """Returns a value that needs no coercion; `MISSING` for any other."""
        kind = value.__class__
        if kind is self.type and (kind is bool or -_LARGE < value < _LARGE):
            return value
        is_whole = kind is int and self.type is float and -_LARGE < value < _LARGE
        return float(value) if is_whole else MISSING

    def read(self, value: Any) -> Any:
        made = self.exact(value)
        return super().read(value) if made is MISSING else made


class _Optional(Plan):
    """A plan that also takes null."""

    def __init__(self, type: Any, coerce: CoerceOptions | None, inner: Plan) -> None:
        super().__init__(type, coerce)
        self.inner = inner
        self.holds = inner.holds

    def read(self, value: Any) -> Any:
        if value is None:
            return None
        inner = self.inner
        if isinstance(inner, _Text) and value.__class__ is str:
            return value
        made = inner.exact(value) if isinstance(inner, _Scalar) else MISSING
        return super().read(value) if made is MISSING else made

    def tail(self, text: str) -> Any:
        return text if isinstance(self.inner, _Text) else super().tail(text)

    def frame(self, key: Any) -> Frame:
        return self.inner.frame(key) if self.holds else Frame(self, key)


class _Items(Plan):
    """Containers whose parts are of one type."""

    def __init__(self, type: Any, coerce: CoerceOptions | None, item: Plan) -> None:
        super().__init__(type, coerce)
        self.item = item


class _List(_Items):
    holds = list

    is_stopped = True
    """Whether the list ends before an item that does not fit."""

    def frame(self, key: Any) -> Frame:
        return _ListFrame(self, key)


class _Lenient(_List):
    """A list that need not end before an item that does not fit: that depends on all parts of the item."""

    def __init__(self, type: Any, coerce: CoerceOptions) -> None:
        super().__init__(type, coerce, _OnlyItem(type, coerce))
        self.is_stopped = coerce._on_bad_item != "drop"


class _OnlyItem(Plan):
    """Items of a list of this type, each of which is read as the only one."""

    @cached_property
    def whole(self) -> Any:
        return self

    @cached_property
    def _items(self) -> Partial:
        return Partial(self.type, self.coerce)

    def read(self, value: Any) -> Any:
        made = self._items.read([value])
        return made[0] if made is not MISSING and made else MISSING


class _Dict(_Items):
    holds = dict

    def frame(self, key: Any) -> Frame:
        return _DictFrame(self, key)


class _Model(Plan):
    holds = dict

    def __init__(self, type: Any, coerce: CoerceOptions | None, made: dict[Any, Plan]) -> None:
        super().__init__(type, coerce)
        self.defaults = dict.fromkeys(type.model_fields)
        self._made = made
        self._names = {field.validation_alias or name: name for name, field in type.model_fields.items()}
        self._keys: dict[str, tuple[str, Plan] | None] = {}

    def member(self, key: str) -> tuple[str, Plan] | None:
        """Returns the field of a key and its plan; `None` if the key is of no field. Another spelling of a field's
        name is of that field."""
        try:
            return self._keys[key]
        except KeyError:
            pass
        name = self._names.get(key) or self._names.get(self._spelled(key))
        found = None
        if name is not None:
            found = name, plan_of(self.type.model_fields[name].annotation, self.coerce, self._made)
        if len(self._keys) < _MOST_KEYS:
            self._keys[key] = found
        return found

    def _spelled(self, key: str) -> str:
        """Returns the name as which the schema takes a key."""
        return next(iter(json.loads(self.whole.fitted({key: None}))), key)

    def frame(self, key: Any) -> Frame:
        return _ModelFrame(self, key)


class _Choice(Plan):
    """One of several models, told apart by a literal."""

    holds = dict

    def __init__(self, type: Any, coerce: CoerceOptions | None, arms: list[Any], made: dict[Any, Plan]) -> None:
        super().__init__(type, coerce)
        self._arms = arms
        self._made = made

    def arm(self, key: Any, value: Any) -> Plan | None:
        """Returns the plan of the only model whose member may have this value; `None` if there is none."""
        words = [_literals(arm, key) for arm in self._arms]
        found = [arm for arm, allowed in zip(self._arms, words) if isinstance(value, str) and value in allowed]
        return plan_of(found[0], self.coerce, self._made) if all(words) and len(found) == 1 else None

    def is_tag(self, key: Any) -> bool:
        """Returns whether a member tells the models apart."""
        return any(_literals(arm, key) for arm in self._arms)

    def likely(self, key: Any) -> _Model | None:
        """Returns the plan of the first model with this member; `None` if there is none, or models differ in it."""
        plans = [plan for arm in self._arms if isinstance(plan := plan_of(arm, self.coerce, self._made), _Model)]
        found = [(plan, member) for plan in plans if (member := plan.member(key)) is not None]
        is_same = bool(found) and all(member == found[0][1] for _, member in found)
        return found[0][0] if is_same and not self.is_tag(key) else None

    def frame(self, key: Any) -> Frame:
        return ChoiceFrame(self, key)


# Maximum number of keys that a plan remembers.
_MOST_KEYS = 1000


class Frame:
    """A container that is still arriving: read as a whole, unless a subclass does it part by part."""

    def __init__(self, plan: Plan, key: Any) -> None:
        self.plan = plan
        self.key = key
        # What reads it if its parts cannot be read alone.
        self.whole = plan


class ChoiceFrame(Frame):
    """An object without a member so far."""

    plan: _Choice

    def decided(self, key: Any, value: Any) -> Frame:
        """Returns the frame of the model that the first member decides, or else makes likely."""
        plan = self.plan
        if (arm := plan.arm(key, value)) is not None:
            frame = arm.frame(self.key)
        elif (likely := plan.likely(key)) is not None:
            frame = LikelyFrame(likely, self.key, plan)
        else:
            frame = Frame(Plan(plan.type, plan.coerce), self.key)
        frame.whole = plan
        return frame


class Ignored(Frame):
    """A container that the type does not have."""


class PartsFrame(Frame):
    is_certain = True
    """Whether the parts alone make the whole."""

    def member(self, key: Any, value: Any) -> Plan | None:
        """Returns the plan for the part under a key; `None` if the type does not have it. Raises `Unclear` if only
        the whole container tells; `value` is the part, of a container its kind."""
        raise NotImplementedError

    def add(self, key: Any, value: Any) -> None:
        """Adds a complete part."""
        raise NotImplementedError

    def begin(self) -> None:
        """Prepares what is shown next."""

    def shown(self, key: Any, tail: Any) -> Any:
        """Returns the parts and an incomplete one."""
        raise NotImplementedError

    def complete(self) -> Any:
        raise NotImplementedError


class Unclear(Exception):
    """Only the whole container tells how a part is read."""


class _ItemsFrame(PartsFrame):
    """Parts of one type."""

    def __init__(self, plan: _List | _Dict, key: Any) -> None:
        super().__init__(plan, key)
        self.item = plan.item
        self.made = Growing(isinstance(plan, _Dict))

    def begin(self) -> None:
        self.made.begin()

    def shown(self, key: Any, tail: Any) -> Any:
        return self.made.shown() if tail is MISSING else self.made.shown(tail, key)

    def complete(self) -> Any:
        return self.made.complete()


class _ListFrame(_ItemsFrame):
    plan: _List

    def __init__(self, plan: _List, key: Any) -> None:
        super().__init__(plan, key)
        # Whether no further item is shown.
        self.stopped = False

    def member(self, key: Any, value: Any) -> Plan | None:
        return None if self.stopped else self.item

    def add(self, key: Any, value: Any) -> None:
        if value is MISSING:
            self.stopped = self.plan.is_stopped
        elif not self.stopped:
            self.made.add(value)


class _DictFrame(_ItemsFrame):
    def __init__(self, plan: _Dict, key: Any) -> None:
        super().__init__(plan, key)
        self.keys: set[str] = set()

    def member(self, key: Any, value: Any) -> Plan | None:
        if key in self.keys:
            raise Unclear
        return self.item

    def add(self, key: Any, value: Any) -> None:
        self.keys.add(key)
        if value is not MISSING:
            self.made.add(value, key)


class _ModelFrame(PartsFrame):
    plan: _Model

    def __init__(self, plan: _Model, key: Any) -> None:
        super().__init__(plan, key)
        self.values: dict[str, Any] = {}
        self.keys: dict[str, str] = {}

    def member(self, key: Any, value: Any) -> Plan | None:
        found = self.plan.member(key)
        if found is None:
            # It may be a wrapper around what is wanted.
            if not self.values and (value is dict or (isinstance(value, str) and value.lstrip()[:1] == "{")):
                raise Unclear
            return None
        name, plan = found
        if self.keys.setdefault(name, key) != key or name in self.values:
            raise Unclear
        return plan

    def add(self, key: Any, value: Any) -> None:
        found = self.plan.member(key)
        if found is not None and value is not MISSING:
            self.values[found[0]] = value

    def shown(self, key: Any, tail: Any) -> Any:
        values = self.values
        if tail is not MISSING and (found := self.plan.member(key)) is not None:
            values = {**values, found[0]: tail}
        return self._made(values)

    def complete(self) -> Any:
        return self._made(self.values)

    def _made(self, values: dict[str, Any]) -> Any:
        """Returns the model of validated values, as validation makes it."""
        made = object.__new__(self.plan.type)
        put = object.__setattr__
        put(made, "__dict__", {**self.plan.defaults, **values})
        put(made, "__pydantic_fields_set__", set(values))
        put(made, "__pydantic_extra__", None)
        put(made, "__pydantic_private__", None)
        return made


class LikelyFrame(_ModelFrame):
    """A model that is likely meant, until the literal that tells it from others has arrived."""

    def __init__(self, plan: _Model, key: Any, choice: _Choice) -> None:
        super().__init__(plan, key)
        self._choice = choice
        self.is_certain = False

    def decided(self, key: Any, value: Any) -> Frame:
        """Returns this frame if a complete member leaves it likely."""
        if self.is_certain or not self._choice.is_tag(key):
            return self
        self.is_certain = self._choice.arm(key, value) is self.plan
        return self if self.is_certain else Frame(self.whole, self.key)

    def member(self, key: Any, value: Any) -> Plan | None:
        if not self.is_certain:
            if self._choice.is_tag(key):
                return None
            if self._choice.likely(key) not in (self.plan, None):
                raise Unclear
        return super().member(key, value)


def plan_of(type: Any, coerce: CoerceOptions | None, made: dict[Any, Plan]) -> Plan:
    """Returns the plan of a partial type."""
    try:
        known = made.get((type, order(type)))
    except TypeError:
        return Plan(type, coerce)
    if known is None:
        known = made[type, order(type)] = _plan(type, coerce, made)
    return known


def _plan(type: Any, coerce: CoerceOptions | None, made: dict[Any, Plan]) -> Plan:
    origin, args = get_origin(type), get_args(type)
    if origin in (Union, UnionType):
        arms = [arg for arg in args if arg is not _NoneType]
        inner = None
        if len(arms) == 1:
            inner = plan_of(arms[0], coerce, made)
        elif all(map(_is_text, arms)):
            inner = _text(type, coerce)
        elif all(hasattr(arm, "model_fields") and _has_plain_names(arm) for arm in arms):
            inner = _Choice(type, coerce, arms, made)
        if inner is None or len(arms) == len(args):
            return inner or Plan(type, coerce)
        return _Optional(type, coerce, inner)
    if type is str:
        return _text(type, coerce)
    if type in (int, float, bool):
        return _Scalar(type, coerce)
    if origin is list and len(args) == 1:
        if coerce is not None and coerce._on_bad_item != "fail":
            return _Lenient(type, coerce)
        return _List(type, coerce, plan_of(args[0], coerce, made))
    if origin is dict and len(args) == 2 and args[0] is str:
        return _Dict(type, coerce, plan_of(args[1], coerce, made))
    if hasattr(type, "model_fields") and _has_plain_names(type):
        return _Model(type, coerce, made)
    return Plan(type, coerce)


def _text(type: Any, coerce: CoerceOptions | None) -> Plan:
    """Returns the plan of strings, which options may change."""
    return _Text(type, coerce) if coerce is None else Plan(type, coerce)


def _literals(type: Any, key: Any) -> set[str]:
    """Returns the words that the member of a model may be; none if it may be anything else."""
    field = next((field for name, field in type.model_fields.items() if key == (field.validation_alias or name)), None)
    kinds = [] if field is None else [kind for kind in get_args(field.annotation) if kind is not _NoneType]
    return {word for kind in kinds for word in get_args(kind)} if all(map(_is_literal, kinds)) else set()


def _is_literal(type: Any) -> bool:
    return get_origin(type) is typing.Literal


def _is_text(type: Any) -> bool:
    return type is str or (_is_literal(type) and all(isinstance(arg, str) for arg in get_args(type)))


def _has_plain_names(type: Any) -> bool:
    return all(isinstance(field.validation_alias, (str, _NoneType)) for field in type.model_fields.values())
