"""Results as HTML, for notebooks: tables and text in the colors of the page, without scripts or style sheets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pprint import pformat
from typing import TYPE_CHECKING, Any, get_args

from llmend._records import Class

if TYPE_CHECKING:
    from llmend._calls import Calls
    from llmend._outcome import Outcome, Repaired
    from llmend._records import Coercion, Diagnostic, Repair, Report, Span

# What is longer is cut, and says by how much.
MOST_CHARACTERS = 4000
MOST_ROWS = 50
MOST_PLACES = 10

_CLASSES = get_args(Class)

# Notebooks align cells to the right.
_LEFT = ' style="text-align:left"'


def of_outcome(outcome: Outcome[Any]) -> str:
    """Returns the value, what it was converted from, and the report."""
    unsure = "may be incomplete" if outcome.unsure else ""
    parts = [_head("Outcome", _class(outcome.class_), unsure), _value(outcome.value)]
    return _whole([*parts, _coercions(outcome.coercions), *_report(outcome.report)])


def of_repaired(repaired: Repaired) -> str:
    """Returns the JSON text and the report."""
    return _whole([_head("Repaired"), _text(repaired.text), *_report(repaired.report)])


def of_report(report: Report) -> str:
    """Returns what happened to the text."""
    return _whole(_report(report))


def of_calls(calls: Calls) -> str:
    """Returns the calls, the text around them, and all findings."""
    cut = f"cut off at character {calls.cut}" if calls.truncated else ""
    parts = [_head("Calls", _class(calls.class_), cut, "" if calls.usable else "not usable as they are")]
    rows = [(call.name, call.arguments_json, call.notation, call.class_, _place(call.span)) for call in calls]
    parts.append(_table(["tool", "arguments", "notation", "class", "characters"], rows, code=(0, 1)))
    for name in ("text", "reasoning"):
        if getattr(calls, name).strip():
            parts += [_head(name), _text(getattr(calls, name).strip())]
    return _whole([*parts, _findings(calls.findings)])


def of_document(drawing: str, findings: Sequence[Diagnostic]) -> str:
    """Returns a drawing in SVG and all findings."""
    return _whole([drawing, _findings(findings)])


def of_review(kind: str, shown: str | dict[str, Any], findings: Sequence[Diagnostic]) -> str:
    """Returns a drawing in SVG, or the data of what is not drawn, and all findings."""
    if isinstance(shown, str):
        return of_document(shown, findings)
    return _whole([_head("Review", kind), _value(shown), _findings(findings)])


def _escaped(text: str) -> str:
    # Nothing goes into an attribute.
    return escape(text, quote=False)


def _whole(parts: Iterable[str]) -> str:
    return f"<div>{''.join(parts)}</div>"


def _head(name: str, *told: str) -> str:
    return f"<div><b>{name}</b>{''.join(f' · {_escaped(text)}' for text in told if text)}</div>"


def _class(class_: str | None) -> str:
    return f"worst class: {class_}" if class_ else ""


def _report(report: Report) -> list[str]:
    cut = f"cut off at character {report.cut}" if report.truncated else ""
    head = _head("Report", report.status, _class(report.class_), f"value at {_place(report.span)}", cut)
    repairs = _table(["rule", "class", "count", "characters", "replacement"], _rules(report.repairs), code=(4,))
    return [head, repairs, _findings(report.diagnostics)]


def _rules(repairs: Sequence[Repair]) -> list[tuple[str, ...]]:
    """Returns a row for each rule, the worst first."""
    found: dict[tuple[str, str], list[Repair]] = {}
    for repair in repairs:
        found.setdefault((repair.rule, repair.class_), []).append(repair)
    rows: list[tuple[str, ...]] = []
    for (rule, class_), edits in sorted(found.items(), key=lambda row: -_CLASSES.index(row[0][1])):
        places = ", ".join(_place(edit.span) for edit in edits[:MOST_PLACES])
        more = f", … and {len(edits) - MOST_PLACES:,} more" if len(edits) > MOST_PLACES else ""
        replacements = {edit.replacement for edit in edits}
        replacement = replacements.pop() if len(replacements) == 1 else ""
        rows.append((rule, class_, f"{len(edits):,}", places + more, replacement))
    return rows


def _coercions(coercions: Sequence[Coercion]) -> str:
    rows = [(row.kind, row.class_, row.path, row.before, row.after) for row in coercions]
    return _table(["coercion", "class", "path", "before", "after"], rows, code=(2, 3, 4))


def _findings(findings: Sequence[Diagnostic]) -> str:
    rows = [(row.severity, row.code, row.path, _place(row.span), row.message, row.help) for row in findings]
    return _table(["severity", "code", "path", "characters", "message", "help"], rows, code=(2,))


def _place(span: Span | None) -> str:
    if span is None:
        return ""
    return f"{span.start}–{span.end}" if span.end > span.start else str(span.start)


def _value(value: object) -> str:
    # The layout of a long value takes far longer than the value.
    text = repr(value)
    return _text(pformat(value, width=100, sort_dicts=False) if len(text) <= MOST_CHARACTERS else text)


def _text(text: str) -> str:
    # Some notebooks show `pre` in the font of prose.
    return f'<pre style="font-family:monospace">{_escaped(_short(text, MOST_CHARACTERS))}</pre>'


def _table(names: Sequence[str], rows: Sequence[tuple[str | None, ...]], *, code: tuple[int, ...]) -> str:
    """Returns a table without the columns that no row fills, or nothing without rows. `code` are columns of code."""
    if not rows:
        return ""
    used = [column for column in range(len(names)) if any(row[column] for row in rows)]

    def cell(column: int, text: str | None) -> str:
        shown = _escaped(_short(text or ""))
        return f"<td{_LEFT}>{f'<code>{shown}</code>' if column in code and shown else shown}</td>"

    head = "".join(f"<th{_LEFT}>{names[column]}</th>" for column in used)
    lines = ["".join(cell(column, row[column]) for column in used) for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        lines.append(f'<td{_LEFT} colspan="{len(used)}">… and {len(rows) - MOST_ROWS:,} more</td>')
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _short(text: str, most: int = 300) -> str:
    return text if len(text) <= most else f"{text[:most]}… and {len(text) - most:,} more characters"
