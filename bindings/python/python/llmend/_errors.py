"""Why could something not be had?"""

from __future__ import annotations

from typing import Any

from llmend._ledger import Ledger
from llmend._records import Coercion, Diagnostic, Report, Span, Violation, span_of

_Row = dict[str, Any]


class LlmendError(ValueError):
    """What every exception of this package is.

    >>> import llmend
    >>> try:
    ...     llmend.loads("[1, 2 * 3]")
    ... except llmend.LlmendError as error:
    ...     print(error.code, error.span, error.diagnostics[0].help)
    syntax/expression Span(start=4, end=9) Expressions are never computed: ask for a literal or add a step that computes it.
    """

    message: str
    """What is wrong, in one sentence."""
    code: str
    """The stable code, such as `syntax/expression`."""
    span: Span | None
    """Where in the text, in code points, if it is about a place."""
    line: int | None
    """The line of that place, from 1, where the text is at hand."""
    column: int | None
    """The column of that place, from 1, in code points, where the text is at hand."""
    diagnostics: tuple[Diagnostic, ...]
    """What there is to tell a person, a program or the model."""

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
    """The text holds no value, or none that could be read with certainty."""


class UnsureError(LlmendError):
    """There is a value, but it may lack something that the text says.

    >>> import llmend
    >>> try:
    ...     llmend.loads('{"a": 1, "b": ')
    ... except llmend.UnsureError as error:
    ...     print(error.code, error.value)
    value/truncated {'a': 1}
    """

    value: Any
    """The value as far as it is there."""
    report: Report
    """What was done to the text."""
    coercions: tuple[Coercion, ...]
    """What was done so that the value fits."""

    def __init__(
        self,
        report: Report,
        value: object,
        coercions: tuple[Coercion, ...] = (),
    ) -> None:
        super().__init__(_doubt(report, coercions))
        self._made_of = (report, value, coercions)
        self.value = value
        self.report = report
        self.coercions = coercions


class UnfitError(LlmendError):
    """There is a value, but it does not fit what was asked for: every reason why not.

    >>> import llmend
    >>> schema = {"properties": {"days": {"type": "integer"}}}
    >>> try:
    ...     llmend.parse("{'days': 'a few'}", schema)
    ... except llmend.UnfitError as error:
    ...     print(error.violations[0].path, error.violations[0].message, error.value)
    /days expected integer, found string {'days': 'a few'}
    """

    value: Any
    """The value as far as it could be made to fit."""
    violations: tuple[Violation, ...]
    """Each way in which it does not fit."""
    coercions: tuple[Coercion, ...]
    """What was done so that it fits."""
    report: Report | None
    """What was done to the text; nothing for an item of a list that is still being written."""

    def __init__(self, outcome: _Row, value: object) -> None:
        violations = tuple(map(Violation._of, outcome["violations"]))
        super().__init__(_misfit(outcome, violations))
        self._made_of = (outcome, value)
        self.value = value
        self.violations = violations
        self.coercions = tuple(map(Coercion._of, outcome["coercions"]))
        self.report = outcome["report"] and Report._of(outcome["report"])


class SchemaError(LlmendError):
    """What was asked for cannot be used: the schema, or a type that has none."""


class SettingError(LlmendError):
    """A variable of the environment does not say what it could."""


class PlanError(LlmendError):
    """The text holds no plan that can be used, or a plan cannot become what was asked for.

    `diagnostics` are all the reasons.
    """


class AskError(LlmendError):
    """No value could be had of the models that were asked: why not, with every attempt.

    `code` says what ended it (`ask/retries`, `ask/same-findings`, `ask/tokens`, `ask/cost`, `ask/time`,
    `ask/refused`, or what kept the answer from coming, such as `model/timeout`), `diagnostics` what was found
    in the last answer.

    >>> import llmend
    >>> def model(request):
    ...     raise llmend.ModelError("rate-limited", "Slow down.")
    >>> try:
    ...     llmend.ask(model, "A number, please.", {"type": "integer"})
    ... except llmend.AskError as error:
    ...     print(error.code, len(error.ledger.attempts), error.advice)
    model/rate-limited 1 Check the connection, the key and the provider's limits, or choose another provider.
    """

    model: str
    """The model that was asked last, or would have been."""
    answer: str
    """The last answer as a whole; empty if there was none."""
    advice: str
    """What can be changed: the model, a limit, or the prompt."""
    ledger: Ledger
    """Every attempt."""

    def __init__(self, row: _Row) -> None:
        super().__init__(row)
        self.model = row["model"]
        self.answer = row["answer"]
        self.advice = row["advice"]
        self.ledger = Ledger._of(row["ledger"])


def of_type(violations: list[_Row], ended: _Row) -> AskError:
    """The error that a value, which was handed back or not checked, is none of the type."""
    rows = _violated(violations)
    ledger = ended["ledger"]
    told = {
        "model": ledger["attempts"][-1]["model"] if ledger["attempts"] else "",
        "answer": ended["answer"],
        "advice": "",
        "ledger": ledger,
    }
    message = f"the value does not match the type: {rows[0]['message']} (at `{rows[0]['path']}`)"
    return AskError({**_row(message, rows[0]["code"], rows), **told})


def made(name: str, *parts: Any) -> LlmendError:
    """The exception of the class `name`, of the row that the extension module tells."""
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
    """The error that a type cannot be asked for."""
    return SchemaError(_row(message, code))


def of_doubt(report: Report) -> PlanError:
    """The error that a plan may lack something."""
    row = _doubt(report, ())
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


def _doubt(report: Report, coercions: tuple[Coercion, ...]) -> _Row:
    """What makes a value unsure, in one sentence."""
    lost = next((row for row in report.repairs if row.class_ == "loss"), None)
    dropped = next((row for row in coercions if row.class_ == "loss"), None)
    if report.cut is not None:
        at = report.cut
        message = f"answer cut off at character {at}: the value may be incomplete"
        return {**_row(message, "value/truncated"), "start": at, "end": at}
    what = "content of the answer was discarded at"
    if lost is not None:
        start, end = lost.span
        message = f"{what} character {start} (rule `{lost.rule}`)"
        return {**_row(message, "value/loss"), "start": start, "end": end}
    if dropped is not None:
        message = f"{what} `{dropped.path}` (coercion `{dropped.kind}`)"
        return _row(message, "value/loss")
    return _row("the value may be incomplete", "value/loss")


def _misfit(outcome: _Row, violations: tuple[Violation, ...]) -> _Row:
    """The first violation, and how many more there are."""
    rows = _violated(outcome["violations"])
    first, more = violations[0], len(violations) - 1
    count = {0: "", 1: ", and one more violation"}.get(more, f", and {more} more violations")
    message = f"the value does not fit the schema: {first.message} (at `{first.path}`){count}"
    report = outcome["report"] or {"diagnostics": []}
    return _row(message, first.code, rows + report["diagnostics"])


def _violated(violations: list[_Row]) -> list[_Row]:
    """The rows of violations as those of diagnostics."""
    return [{**_finding(row), "path": row["path"], "help": row["hint"]} for row in violations]


def _finding(row: _Row) -> _Row:
    """The row of a finding that is an error, of one that says as much of it."""
    told = {name: row[name] for name in ("code", "message", "start", "end")}
    return {**told, "severity": "error", "class": None, "path": None, "help": None, "edit": None}
