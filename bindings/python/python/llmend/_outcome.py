"""Results of parsing and repairing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from llmend._errors import UnsureError
from llmend._records import Class, Coercion, Report

if TYPE_CHECKING:
    from llmend._llmend import LazyReport

_Row = dict[str, Any]
_T_co = TypeVar("_T_co", covariant=True)


class _Lazy:
    """A result whose report is created on first use."""

    __slots__ = ("_report", "_coercions", "_told")

    def __init__(self, told: LazyReport) -> None:
        self._told: LazyReport | None = told
        self._report: Report | None = None
        self._coercions: tuple[Coercion, ...] = ()

    @property
    def report(self) -> Report:
        """Report of the repairs."""
        return self._ask()[0]

    def _ask(self) -> tuple[Report, tuple[Coercion, ...]]:
        if self._report is None:
            assert self._told is not None
            row = self._told.rows()
            self._coercions = tuple(map(Coercion._of, row["coercions"]))
            # Last, since another thread takes it for a sign that both are there.
            self._report = Report._of(row["report"])
        return self._report, self._coercions

    def __getstate__(self) -> tuple[None, _Row]:
        self._ask()
        names = [name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ())]
        return None, {name: getattr(self, name) for name in names if name != "_told"} | {"_told": None}

    def __setstate__(self, state: tuple[None, _Row]) -> None:
        for name, value in state[1].items():
            object.__setattr__(self, name, value)


class Repaired(_Lazy):
    """Repaired JSON text and its report.

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

    def __init__(self, text: str, told: LazyReport) -> None:
        super().__init__(told)
        self.text = text

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Repaired):
            return NotImplemented
        return (self.text, self.report) == (other.text, other.report)

    def __repr__(self) -> str:
        return f"Repaired({self.text!r}, status={self.report.status!r})"

    def _repr_html_(self) -> str:
        from llmend import _html

        return _html.of_repaired(self)


class Outcome(_Lazy, Generic[_T_co]):
    """A parsed value and its report.

    >>> import llmend
    >>> outcome = llmend.parse("{'a': [1, 2")
    >>> outcome
    Outcome({'a': [1, 2]}, class_='guess', unsure=True)
    >>> outcome.report.cut
    11
    """

    __slots__ = ("value", "class_", "unsure")

    value: _T_co
    """The value."""
    class_: Class | None
    """The worst class of the repairs, the coercions, and the choice of the candidate."""
    unsure: bool
    """Whether the value may be incomplete, because the text was truncated or a part of it was dropped."""

    def __init__(self, value: _T_co, told: LazyReport) -> None:
        super().__init__(told)
        self.value = value
        self.class_ = told.class_
        self.unsure = told.unsure

    @property
    def coercions(self) -> tuple[Coercion, ...]:
        """The coercions of the value."""
        return self._ask()[1]

    def sure(self) -> _T_co:
        """Returns the value. Raises `UnsureError`, which holds it, if it may be incomplete.

        >>> import llmend
        >>> llmend.parse("[1, 2,]").sure()
        [1, 2]
        """
        if self.unsure:
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

    def _repr_html_(self) -> str:
        from llmend import _html

        return _html.of_outcome(self)
