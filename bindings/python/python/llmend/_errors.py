"""Exceptions."""

from __future__ import annotations

from typing import Any

from llmend._ledger import Ledger
from llmend._records import Coercion, Diagnostic, Report, Span, Violation, span_of

_Row = dict[str, Any]


class LlmendError(ValueError):
    """Base class of all exceptions of this package.

    >>> import llmend
    >>> try:
    ...     llmend.loads("[1, 2 * 3]")
    ... except llmend.LlmendError as error:
    ...     print(error.code, error.span, error.diagnostics[0].help)
    syntax/expression Span(start=4, end=9) Expressions are never computed: ask for a literal or add a step that computes it.
    """

    message: str
    """The error message."""
    code: str
    """The stable code, such as `syntax/expression`."""
    span: Span | None
    """Position in the text, in code points, if known."""
    line: int | None
    """Line of the position, from 1, if known."""
    column: int | None
    """Column of the position, from 1, in code points, if known."""
    diagnostics: tuple[Diagnostic, ...]
    """All findings."""

    def __init__(self, row: _Row, *rest: object) -> None:
        super().__init__(row["message"])
        self._made_of = (row, *rest)
        self.message = row["message"]
        self.code = row["code"]
        self.span = span_of(row)
        self.line = row["line"]
        self.column = row["column"]
        self.diagnostics = tuple(map(Diagnostic._of, row["diagnostics"]))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._made_of


class RepairError(LlmendError):
    """The text contains no value, or none that can be read reliably."""


class UnsureError(LlmendError):
    """The value may be incomplete.

    >>> import llmend
    >>> try:
    ...     llmend.loads('{"a": 1, "b": ')
    ... except llmend.UnsureError as error:
    ...     print(error.code, error.value)
    value/truncated {'a': 1}
    """

    value: Any
    """The value, as far as it is complete."""
    report: Report
    """Report of the repairs."""
    coercions: tuple[Coercion, ...]
    """The coercions of the value."""

    def __init__(
        self,
        report: Report,
        value: object,
        coercions: tuple[Coercion, ...] = (),
    ) -> None:
        super().__init__(_doubt(report))
        self._made_of = (report, value, coercions)
        self.value = value
        self.report = report
        self.coercions = coercions


class UnfitError(LlmendError):
    """The value does not fit the requested type or schema.

    >>> import llmend
    >>> schema = {"properties": {"days": {"type": "integer"}}}
    >>> try:
    ...     llmend.parse("{'days': 'a few'}", schema)
    ... except llmend.UnfitError as error:
    ...     print(error.violations[0].path, error.violations[0].message, error.value)
    /days expected integer, found string {'days': 'a few'}
    """

    value: Any
    """The value, coerced as far as possible."""
    violations: tuple[Violation, ...]
    """All violations."""
    coercions: tuple[Coercion, ...]
    """The coercions of the value."""
    report: Report | None
    """Report of the repairs; `None` for an item of a list that is still arriving."""

    def __init__(self, outcome: _Row, value: object) -> None:
        violations = tuple(map(Violation._of, outcome["violations"]))
        super().__init__(_unfit(outcome, violations))
        self._made_of = (outcome, value)
        self.value = value
        self.violations = violations
        self.coercions = tuple(map(Coercion._of, outcome["coercions"]))
        self.report = outcome["report"] and Report._of(outcome["report"])


class SchemaError(LlmendError):
    """The schema is invalid, or the type has no schema."""


class SettingError(LlmendError):
    """An environment variable has an invalid value."""


class PlanError(LlmendError):
    """The text contains no valid plan, or a plan cannot be converted.

    `diagnostics` lists all findings.
    """


class AskError(LlmendError):
    """The models gave no valid answer.

    `code` is the reason (`ask/retries`, `ask/same-findings`, `ask/tokens`, `ask/cost`, `ask/time`,
    `ask/refused`, or an error of the model such as `model/timeout`); `diagnostics` lists the findings in the
    last answer.

    >>> import llmend
    >>> def model(request):
    ...     raise llmend.ModelError("rate-limited", "Slow down.")
    >>> try:
    ...     llmend.ask(model, "A number, please.", {"type": "integer"})
    ... except llmend.AskError as error:
    ...     print(error.code, len(error.ledger.attempts), error.advice)
    model/rate-limited 1 Ask again once the server allows it, send fewer requests, or choose another provider.
    """

    model: str
    """Name of the last model."""
    answer: str
    """The complete last answer; empty if there was none."""
    advice: str
    """What to change: the model, a limit, or the prompt."""
    ledger: Ledger
    """All attempts."""

    def __init__(self, row: _Row) -> None:
        super().__init__(row)
        self.model = row["model"]
        self.answer = row["answer"]
        self.advice = row["advice"]
        self.ledger = Ledger._of(row["ledger"])


def of_type(violations: list[_Row], ended: _Row) -> AskError:
    """Returns the error of a value that was accepted unchecked and does not fit its type."""
    rows = _violated(violations)
    ledger = ended["ledger"]
    told = {
        "model": ledger["attempts"][-1]["model"] if ledger["attempts"] else "",
        "answer": ended["answer"],
        "advice": "",
        "ledger": ledger,
    }
    message = f"the value does not match the type: {rows[0]['message']}{_place(rows[0]['path'])}"
    return AskError({**_row(message, rows[0]["code"], rows), **told})


def made(name: str, *parts: Any) -> LlmendError:
    """Creates the exception of class `name` from a row of the extension module."""
    if name == "UnsureError":
        report, value = parts
        return UnsureError(Report._of(report), value)
    kinds: tuple[type[LlmendError], ...] = (
        RepairError,
        SchemaError,
        SettingError,
        PlanError,
        AskError,
    )
    kind = next((kind for kind in kinds if kind.__name__ == name), LlmendError)
    return kind(*parts)


def of_schema(code: str, message: str) -> SchemaError:
    """Returns the error of a type that has no usable schema."""
    return SchemaError(_row(message, code))


def of_doubt(report: Report) -> PlanError:
    """Returns the error of a plan that may be incomplete."""
    row = _doubt(report)
    return PlanError({**row, "diagnostics": [_finding(row)]})


def _row(message: str, code: str, rows: list[_Row] | None = None) -> _Row:
    first = rows[0] if rows else {}
    start, end = first.get("start"), first.get("end")
    return {
        "message": message,
        "code": code,
        "start": start,
        "end": end,
        "line": None,
        "column": None,
        "diagnostics": rows or [],
    }


def _doubt(report: Report) -> _Row:
    """Returns the row of the reason why a value is unsure."""
    doubt = report.doubt
    if doubt is None:
        return _row("the value may be incomplete", "value/loss")
    start, end = doubt.span or (None, None)
    place = {"start": start, "end": end, "line": report.doubt_line, "column": report.doubt_column}
    return {**_row(doubt.message, doubt.code), **place}


def _unfit(outcome: _Row, violations: tuple[Violation, ...]) -> _Row:
    """Returns the row of the first violation, with the number of the others."""
    rows = _violated(outcome["violations"])
    first, more = violations[0], len(violations) - 1
    count = {0: "", 1: ", and one more violation"}.get(more, f", and {more} more violations")
    message = f"the value does not fit the schema: {first.message}{_place(first.path)}{count}"
    report = outcome["report"] or {"diagnostics": []}
    return _row(message, first.code, rows + report["diagnostics"])


def _place(path: str) -> str:
    """Formats the path of a part, unless it is the whole value."""
    return f" (at `{path}`)" if path else ""


def _violated(violations: list[_Row]) -> list[_Row]:
    """Converts rows of violations to rows of diagnostics."""
    return [{**_finding(row), "path": row["path"], "help": row["hint"]} for row in violations]


def _finding(row: _Row) -> _Row:
    """Completes the row of an error."""
    told = {name: row[name] for name in ("code", "message", "start", "end")}
    return {**told, "severity": "error", "class": None, "path": None, "help": None, "edit": None}
