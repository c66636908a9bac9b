"""What came of a text, in plain data?

Every place is in code points of the text that was handed in: `text[span.start:span.end]` is what stands
there. A path is a JSON Pointer (RFC 6901).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

if TYPE_CHECKING:
    from llmend._llmend import Told

_Row = dict[str, Any]
_R = TypeVar("_R")
_T_co = TypeVar("_T_co", covariant=True)

Class = Literal["notation", "completion", "guess", "loss"]
"""How sure a reading is, from harmless to grave: the same value written otherwise; one sensible reading,
with something left out or cut off; the likeliest of several readings; text that carried meaning was left
out or replaced."""

Status = Literal["unchanged", "extracted", "repaired"]
"""What happened to a text: it is as it was; only what surrounds the value went; it was repaired."""

Severity = Literal["info", "warning", "error"]
"""How much a diagnostic matters."""


class Span(NamedTuple):
    """A place in a text, in code points.

    >>> "Sure: {}"[slice(*Span(6, 8))]
    '{}'
    """

    start: int
    """The first code point."""
    end: int
    """One past the last one; equal to `start` for a place between two."""


def span_of(row: _Row) -> Span | None:
    """The place that a row tells, if it tells one."""
    return None if row.get("start") is None else Span(row["start"], row["end"])


def record(kind: type[_R], row: _Row, **made: Any) -> _R:
    """A record of a row: each field what stands there under its name, but for those that are `made` of it."""
    names: Iterable[str] = getattr(kind, "__dataclass_fields__")
    return kind(**{name: made[name] if name in made else row[name.rstrip("_")] for name in names})


@dataclass(frozen=True, slots=True)
class Repair:
    """One edit of the text."""

    rule: str
    """Why the text was changed: a name of `llmend rules`."""
    class_: Class
    """How sure the edit is."""
    span: Span
    """What was changed. Empty for an insertion."""
    replacement: str
    """What stands there now. Empty for a removal."""

    @classmethod
    def _of(cls, row: _Row) -> Repair:
        return cls(row["rule"], row["class"], Span(row["start"], row["end"]), row["replacement"])


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that would settle a diagnostic."""

    span: Span
    """What to replace."""
    replacement: str
    """What to put there."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding, in the shape that the command and the feedback to a model share."""

    code: str
    """Stable code, such as `value/duplicate-key`."""
    severity: Severity
    """How much it matters."""
    class_: Class | None
    """How sure the reading is that it is about, if it is about one."""
    path: str | None
    """Where in the value, if it is about a part of it."""
    span: Span | None
    """Where in the text, if it stands there."""
    message: str
    """What was found, in one sentence."""
    help: str | None
    """What to do about it, if there is something."""
    edit: Edit | None
    """A safe edit that does it, if there is one."""

    @classmethod
    def _of(cls, row: _Row) -> Diagnostic:
        edit = row["edit"]
        made = edit and Edit(Span(edit["start"], edit["end"]), edit["replacement"])
        return record(cls, row, span=span_of(row), edit=made)


@dataclass(frozen=True, slots=True)
class Report:
    """What was done to a text."""

    status: Status
    """What happened to it."""
    class_: Class | None
    """How sure the result is: the gravest of its repairs and of the choice of the candidate."""
    cut: int | None
    """Where the text was cut off, in code points, if it was."""
    span: Span
    """What was read as the value."""
    origin: Literal["whole", "fence", "wrapper", "bare", "unbraced", "escaped"]
    """Where that was found."""
    repairs: tuple[Repair, ...]
    """Every edit, sorted by start and disjoint."""
    diagnostics: tuple[Diagnostic, ...]
    """What else is worth knowing."""

    @property
    def truncated(self) -> bool:
        """Whether the text was cut off."""
        return self.cut is not None

    @classmethod
    def _of(cls, row: _Row) -> Report:
        return record(
            cls,
            row,
            span=span_of(row),
            repairs=tuple(map(Repair._of, row["repairs"])),
            diagnostics=tuple(map(Diagnostic._of, row["diagnostics"])),
        )


@dataclass(frozen=True, slots=True)
class Coercion:
    """One change that made a value fit."""

    kind: str
    """Which change it was: a name of `llmend coercions`."""
    class_: Class
    """How sure it is."""
    path: str
    """Where in the fitted value; of what was left out, where it was."""
    span: Span | None
    """What it was made from, if that stands in the text."""
    before: str
    """What stood there, as JSON of at most 100 characters."""
    after: str
    """What stands there now; empty if nothing does."""
    index: int | None
    """Of an item that was left out or became null: where it stood in the list, from 0."""

    @classmethod
    def _of(cls, row: _Row) -> Coercion:
        return record(cls, row, span=span_of(row))


@dataclass(frozen=True, slots=True)
class Violation:
    """One way in which a value does not fit its schema."""

    code: str
    """Stable code, such as `schema/type`."""
    path: str
    """Where in the value. Of a member that is missing: the object that lacks it."""
    schema_path: str
    """Where in the schema, to the keyword."""
    keyword: str
    """The keyword that is violated; empty if it is none of the schema's."""
    message: str
    """What is wrong, in one sentence."""
    expected: str
    """What the schema asks for there, in a few words."""
    found: str
    """What stands there, as JSON of at most 100 characters."""
    hint: str | None
    """What to do about it, if there is something to say."""
    span: Span | None
    """Where it stands in the text, if it stands there."""

    @classmethod
    def _of(cls, row: _Row) -> Violation:
        return record(cls, row, span=span_of(row))


class _Lazy:
    """What was come by in a way that is told when somebody asks for it."""

    __slots__ = ("_report", "_coercions", "_told")

    def __init__(self, told: Told) -> None:
        self._told: Told | None = told
        self._report: Report | None = None
        self._coercions: tuple[Coercion, ...] = ()

    @property
    def report(self) -> Report:
        """What was done to the text."""
        return self._ask()[0]

    def _ask(self) -> tuple[Report, tuple[Coercion, ...]]:
        if self._report is None:
            assert self._told is not None
            row = self._told.rows()
            self._report = Report._of(row["report"])
            self._coercions = tuple(map(Coercion._of, row["coercions"]))
        return self._report, self._coercions

    def __getstate__(self) -> tuple[None, _Row]:
        self._ask()
        names = [name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ())]
        return None, {name: getattr(self, name) for name in names if name != "_told"} | {"_told": None}

    def __setstate__(self, state: tuple[None, _Row]) -> None:
        for name, value in state[1].items():
            object.__setattr__(self, name, value)


class Repaired(_Lazy):
    """JSON text, and how it was come by.

    >>> import llmend
    >>> repaired = llmend.repair("{'a': 1,}")
    >>> repaired.text
    '{"a": 1}'
    >>> [(repair.rule, repair.span.start) for repair in repaired.report.repairs]
    [('single-quotes', 1), ('single-quotes', 3), ('trailing-comma', 7)]
    """

    __slots__ = ("text",)

    text: str
    """Strict JSON."""

    def __init__(self, text: str, told: Told) -> None:
        super().__init__(told)
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Repaired) and (self.text, self.report) == (other.text, other.report)

    def __repr__(self) -> str:
        return f"Repaired({self.text!r}, status={self.report.status!r})"


class Outcome(_Lazy, Generic[_T_co]):
    """A value, and how it was come by.

    >>> import llmend
    >>> outcome = llmend.parse("{'a': [1, 2")
    >>> outcome
    Outcome({'a': [1, 2]}, class_='completion', unsure=True)
    >>> outcome.report.cut
    11
    """

    __slots__ = ("value", "class_", "unsure")

    value: _T_co
    """The value."""
    class_: Class | None
    """How sure the value is: the gravest of repairs, coercions, and the choice of the candidate."""
    unsure: bool
    """Whether the value may lack something: the text was cut off, or something in it was dropped."""

    def __init__(self, value: _T_co, told: Told) -> None:
        super().__init__(told)
        self.value = value
        self.class_ = told.class_
        self.unsure = told.unsure

    @property
    def coercions(self) -> tuple[Coercion, ...]:
        """What was done to the value so that it fits what was asked for."""
        return self._ask()[1]

    def sure(self) -> _T_co:
        """The value alone; an `UnsureError`, which holds it, if it may lack something.

        >>> import llmend
        >>> llmend.parse("[1, 2,]").sure()
        [1, 2]
        """
        if self.unsure:
            from llmend._errors import UnsureError

            raise UnsureError(self.report, self.value, self.coercions)
        return self.value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outcome):
            return NotImplemented
        return (self.value, self.report, self.coercions) == (
            other.value,
            other.report,
            other.coercions,
        )

    def __repr__(self) -> str:
        return f"Outcome({self.value!r}, class_={self.class_!r}, unsure={self.unsure})"
