"""Reports as plain data.

Spans count code points of the given text: `text[span.start:span.end]` is the spanned text. Paths are JSON Pointers
(RFC 6901).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar

_Row = dict[str, Any]
_R = TypeVar("_R")

Class = Literal["notation", "completion", "guess", "loss"]
"""How certain a repair is, from best to worst: the same value in another notation; the only sensible completion of
something omitted or truncated; the likeliest of several readings; the loss of meaningful text."""

Status = Literal["unchanged", "extracted", "repaired"]
"""What happened to a text: nothing, only the surrounding text was removed, or it was repaired."""

Severity = Literal["info", "warning", "error"]
"""Severity of a diagnostic."""


class Span(NamedTuple):
    """A span of text, in code points.

    >>> "Sure: {}"[slice(*Span(6, 8))]
    '{}'
    """

    start: int
    """Index of the first code point."""
    end: int
    """Index after the last code point; equal to `start` for an empty span."""


def span_of(row: _Row) -> Span | None:
    """Returns the span of a row, if it has one."""
    return None if row.get("start") is None else Span(row["start"], row["end"])


def record(kind: type[_R], row: _Row, **made: Any) -> _R:
    """Creates a record from a row; `made` overrides single fields."""
    names: Iterable[str] = getattr(kind, "__dataclass_fields__")
    return kind(**{name: made[name] if name in made else row[name.rstrip("_")] for name in names})


@dataclass(frozen=True, slots=True)
class Repair:
    """One edit of the text."""

    rule: str
    """Name of the rule; `llmend rules` lists them."""
    class_: Class
    """Class of the edit."""
    span: Span
    """The replaced text; empty for an insertion."""
    replacement: str
    """The new text; empty for a removal."""

    @classmethod
    def _of(cls, row: _Row) -> Repair:
        return cls(row["rule"], row["class"], Span(row["start"], row["end"]), row["replacement"])


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that resolves a diagnostic."""

    span: Span
    """The text to replace."""
    replacement: str
    """The new text."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding, in the format of the command and of the feedback to models."""

    code: str
    """Stable code, such as `value/duplicate-key`."""
    severity: Severity
    """Severity."""
    class_: Class | None
    """Class of the repair that it is about, if any."""
    path: str | None
    """Path of the affected part of the value, if any."""
    span: Span | None
    """Span of the affected text, if any."""
    message: str
    """The message."""
    help: str | None
    """What to do about it, if known."""
    edit: Edit | None
    """A safe edit that resolves it, if there is one."""

    @classmethod
    def _of(cls, row: _Row) -> Diagnostic:
        edit = row["edit"]
        made = edit and Edit(Span(edit["start"], edit["end"]), edit["replacement"])
        return record(cls, row, span=span_of(row), edit=made)


@dataclass(frozen=True, slots=True)
class Report:
    """The report of a repaired text."""

    status: Status
    """What happened to the text."""
    class_: Class | None
    """The worst class of the repairs and of the choice of the candidate."""
    cut: int | None
    """Where the text was truncated, in code points, if it was."""
    span: Span
    """Span of the value."""
    origin: Literal["whole", "fence", "wrapper", "bare", "unbraced", "escaped"]
    """Where the value was found."""
    repairs: tuple[Repair, ...]
    """All edits, disjoint and sorted by start."""
    diagnostics: tuple[Diagnostic, ...]
    """Further findings."""
    doubt: Diagnostic | None = None
    """Why the value may be incomplete; `None` if it is not."""
    doubt_line: int | None = None
    """Line of the place where it may be incomplete, from 1, if known."""
    doubt_column: int | None = None
    """Column of that place, from 1, in code points, if known."""

    @property
    def truncated(self) -> bool:
        """Whether the text was truncated."""
        return self.cut is not None

    def _repr_html_(self) -> str:
        from llmend import _html

        return _html.of_report(self)

    @classmethod
    def _of(cls, row: _Row) -> Report:
        return record(
            cls,
            row,
            span=span_of(row),
            repairs=tuple(map(Repair._of, row["repairs"])),
            diagnostics=tuple(map(Diagnostic._of, row["diagnostics"])),
            doubt=row["doubt"] and Diagnostic._of(row["doubt"]),
        )


@dataclass(frozen=True, slots=True)
class Coercion:
    """One conversion that made a value fit its schema."""

    kind: str
    """Kind of coercion; `llmend coercions` lists them."""
    class_: Class
    """Class of the coercion."""
    path: str
    """Path in the coerced value; for an omitted part, where it was."""
    span: Span | None
    """Span of the original, if it is in the text."""
    before: str
    """The original as JSON, at most 100 characters."""
    after: str
    """The result as JSON; empty if it was omitted."""
    index: int | None
    """Original list index, from 0, of an item that was omitted or became null."""

    @classmethod
    def _of(cls, row: _Row) -> Coercion:
        return record(cls, row, span=span_of(row))


@dataclass(frozen=True, slots=True)
class Violation:
    """One violation of a schema."""

    code: str
    """Stable code, such as `schema/type`."""
    path: str
    """Path in the value; for a missing member, that of the object."""
    schema_path: str
    """Path of the keyword in the schema."""
    keyword: str
    """The violated keyword; empty if there is none."""
    message: str
    """The message."""
    expected: str
    """What the schema expects."""
    found: str
    """The value found, as JSON of at most 100 characters."""
    hint: str | None
    """What to do about it, if known."""
    span: Span | None
    """Span of the value, if it is in the text."""

    @classmethod
    def _of(cls, row: _Row) -> Violation:
        return record(cls, row, span=span_of(row))
