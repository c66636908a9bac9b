"""Which value of a type does JSON say, to the last digit?

pydantic reads each number that is not written as a whole one by way of 64 bits, also where the type holds more:
of `19.990000000000000000001` it makes `Decimal("19.99")`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from llmend import _llmend

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?')

# How often a text is read to find out which of its numbers the type holds with all digits.
_MOST_READS = 64
# Digits that a number is written out in.
_WIDEST = 1_000


class Inexact(Exception):
    """A number of which no more digits could be handed over than 64 bits hold, although the type holds them."""


def exactly(adapter: TypeAdapter[Any], text: str) -> Any:
    """What the type of `adapter` makes of JSON. Where 64 bits do not hold a number and the type does, such as a
    `Decimal` or an `int`, it has every digit, or is `Inexact`; where the type is `float`, it is the nearest one.
    """
    from pydantic import ValidationError

    # Most texts have no such number.
    places = _inexact(text) if _llmend.has_long_number(text) else []
    if not places:
        return adapter.validate_json(text)

    def read(chosen: list[_Place]) -> Any:
        return adapter.validate_json(_with(text, chosen))

    try:
        value = read([])
    except ValidationError:
        # A whole number with an exponent is none for some types.
        return read(places)
    kinds = [type(part) for part in _parts(value)]
    chosen: list[_Place] = []
    groups = [places]
    for _ in range(_MOST_READS):
        if not groups:
            break
        group = groups.pop()
        try:
            made = read([*chosen, *group])
        except ValidationError:
            made = None
        if made is not None and [type(part) for part in _parts(made)] == kinds:
            chosen, value = [*chosen, *group], made
        elif len(group) > 1:
            half = len(group) // 2
            groups += [group[half:], group[:half]]
    kept = set(chosen)
    decimals = _decimals(value)
    for place in places if decimals else ():
        start, end, _ = place
        digits = text[start:end]
        if place in kept or _nearest(digits) not in decimals:
            continue
        # Is it this number that became a `Decimal`, or one that is what this one is near to?
        other = (start, end, "0.25" if float(digits) == 0.5 else "0.5")
        try:
            is_one = _decimals(read(sorted([*chosen, other]))) != decimals
        except ValidationError:
            is_one = True
        if is_one:
            raise Inexact(digits)
    return value


def _decimals(value: Any) -> list[Decimal]:
    return [part for part in _parts(value) if isinstance(part, Decimal)]


_Place = tuple[int, int, str]
"""The start and the end of a number, and how its digits are handed over instead."""


def _parts(value: Any) -> Iterator[Any]:
    """A value and all that it holds, in order."""
    yield value
    held: Any = ()
    if isinstance(value, dict):
        held = value.values()
    elif isinstance(value, (list, tuple)):
        held = value
    elif isinstance(value, (set, frozenset)):
        held = sorted(value, key=repr)
    elif hasattr(value, "__pydantic_fields__") or dataclasses.is_dataclass(value):
        held = [*vars(value).values(), *(getattr(value, "__pydantic_extra__", None) or {}).values()]
    for part in held:
        yield from _parts(part)


def _nearest(digits: str) -> Decimal:
    """What is read of a number by way of 64 bits: a whole one is what they are, any other one how they are written."""
    number, near = Decimal(digits), float(digits)
    return Decimal(near) if number == number.to_integral_value() else Decimal(repr(near))


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
        if number == _nearest(digits):
            continue
        is_whole = number == number.to_integral_value()
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
