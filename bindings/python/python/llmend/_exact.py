"""Which value of a type does JSON say, to the last digit?

pydantic reads each number that is not written as a whole one by way of 64 bits, also where the type holds more:
of `19.990000000000000000001` it makes `Decimal("19.99")`.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import TypeAdapter

# What a number looks like that 64 bits may not hold: most texts have none.
_LONG = re.compile(r"[0-9][.0-9]{15}|[0-9][eE]")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?')

# Numbers that are each looked at when it is not the same for all of them.
_MOST = 32
# Digits that a number is written out in.
_WIDEST = 1_000


def exactly(adapter: TypeAdapter[Any], text: str) -> Any:
    """What the type of `adapter` makes of JSON. Where 64 bits do not hold a number and the type does, such as a
    `Decimal` or an `int`, it has every digit; where the type is `float`, it is the nearest one.
    """
    from pydantic import ValidationError

    places = _inexact(text) if _LONG.search(text) else []
    if not places:
        return adapter.validate_json(text)

    def read(chosen: list[_Place]) -> Any:
        return adapter.validate_json(_with(text, chosen))

    try:
        value = read([])
    except ValidationError:
        # A whole number with an exponent is none for some types.
        return read(places)
    if _is_same_kind(adapter, value, read, places):
        return read(places)
    if len(places) > _MOST:
        return value
    chosen: list[_Place] = []
    for place in places:
        if _is_same_kind(adapter, value, read, [*chosen, place]):
            chosen.append(place)
    return read(chosen)


_Place = tuple[int, int, str]
"""The start and the end of a number, and how its digits are handed over instead."""


def _is_same_kind(adapter: Any, value: Any, read: Any, places: list[_Place]) -> bool:
    """Whether the value is of the same types all over with the digits of `places`."""
    from pydantic import ValidationError

    try:
        made = read(places)
    except ValidationError:
        return False
    return bool(_kinds(adapter.dump_python(made)) == _kinds(adapter.dump_python(value)))


def _kinds(value: Any) -> Any:
    """The types of all parts of a value."""
    if isinstance(value, dict):
        return {key: _kinds(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_kinds(part) for part in value]
    return type(value)


def _inexact(text: str) -> list[_Place]:
    """The numbers of a JSON text that 64 bits do not hold, but for those that are read as whole ones anyway."""
    places: list[_Place] = []
    for match in _TOKEN.finditer(text):
        digits = match.group()
        if digits[0] == '"' or not ("." in digits or "e" in digits or "E" in digits):
            continue
        number = Decimal(digits)
        if not -_WIDEST < number.adjusted() < _WIDEST:
            continue
        near = float(digits)
        is_whole = number == number.to_integral_value()
        # A whole number is made of what the 64 bits are, any other one of how they are written.
        if number == (Decimal(near) if is_whole else Decimal(repr(near))):
            continue
        written = f"{number:f}"
        whole = written.partition(".")[0]
        places.append((*match.span(), whole if is_whole else f'"{written}"'))
    return places


def _with(text: str, places: list[_Place]) -> str:
    """The text with each number of `places` as it is handed over."""
    parts: list[str] = []
    end = 0
    for start, stop, written in places:
        parts += [text[end:start], written]
        end = stop
    return "".join(parts) + text[end:]
