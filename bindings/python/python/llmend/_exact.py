"""Reading JSON into pydantic types without losing digits.

pydantic reads every number with a fraction or exponent as a 64-bit float, even if the type is more precise: it
reads `19.990000000000000000001` as `Decimal("19.99")`.
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

# Maximum number of reads to find out which numbers the type keeps with all digits.
_MOST_READS = 64
# Maximum number of digits of a number in plain notation.
_WIDEST = 1_000


class Inexact(Exception):
    """A number that could not be passed to its type with all digits."""


def exactly(adapter: TypeAdapter[Any], text: str) -> Any:
    """Reads JSON into the type of `adapter`. Types such as `Decimal` and `int` get every digit of a number, or
    `Inexact` is raised; a `float` gets the nearest number.
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
        # Some types reject a whole number with an exponent.
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
        # Find out whether this number became a `Decimal`, or another one with the same nearest float.
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
"""Start and end of a number, and its replacement text."""


def _parts(value: Any) -> Iterator[Any]:
    """Yields a value and everything in it, in order."""
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
    """Returns what pydantic reads by way of a float: its exact value if whole, otherwise its shortest notation."""
    number, near = Decimal(digits), float(digits)
    return Decimal(near) if number == number.to_integral_value() else Decimal(repr(near))


def _inexact(text: str) -> list[_Place]:
    """Returns the numbers with a fraction or exponent that a float does not represent exactly."""
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
    """Replaces the numbers at `places` in the text."""
    parts: list[str] = []
    end = 0
    for start, stop, written in places:
        parts += [text[end:start], written]
        end = stop
    return "".join(parts) + text[end:]
