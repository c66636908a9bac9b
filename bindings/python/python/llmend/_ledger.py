"""The ledger of attempts, with their findings and costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from llmend._records import Class, Diagnostic, record

_Row = dict[str, Any]

Strategy = Literal["fields", "patch", "full", "emphatic", "continue", "escalate"]
"""A retry strategy: ask for the invalid fields, for a patch, for everything, for everything with an emphatic
notice, for the rest of a truncated answer, or ask another model."""

Failure = Literal[
    "transport", "refusal", "no-json", "syntax", "truncation", "loss", "schema", "structure"
]
"""The kind of failure of an attempt."""

Validity = Literal["valid", "unchecked", "invalid"]
"""The validity of a value: it is valid, it was not checked, or it is invalid but was requested anyway."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts."""

    input: int
    """Input tokens."""
    output: int
    """Output tokens, including reasoning."""
    estimated: bool
    """Whether a count is an estimate, because the model did not report it."""

    @classmethod
    def _of(cls, row: _Row) -> Usage:
        return cls(row["input"], row["output"], row.get("estimated", False))


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request and its outcome."""

    number: int
    """Number of the attempt, from 1. A request without an answer and the request that repeats it have the
    same number."""
    strategy: Strategy | None
    """The retry strategy; `None` for the first request."""
    model: str
    """Name of the model."""
    failure: Failure | None
    """The kind of failure; `None` if the answer was accepted."""
    cause: str | None
    """The first error, with line and column."""
    findings: tuple[Diagnostic, ...]
    """All findings. Spans point into the model's output; an answer composed of several outputs has none."""
    class_: Class | None
    """The worst class of its repairs and coercions."""
    repairs: int
    """Number of repairs and coercions."""
    finish: str | None
    """Why the model stopped; `None` if there was no answer."""
    usage: Usage
    """Token counts."""
    cost: float | None
    """Cost; `None` if the price is unknown."""
    milliseconds: int
    """Duration in milliseconds."""
    question_bytes: int
    """Size of the request in UTF-8 bytes."""
    answer_bytes: int
    """Size of the answer in UTF-8 bytes."""
    answer: str | None
    """The model's output, or its beginning; `None` if only a hash is kept."""
    answer_hash: str | None
    """Hash of the model's output, if only a hash is kept."""

    @classmethod
    def _of(cls, row: _Row) -> Attempt:
        finish = row.get("finish")
        return record(
            cls,
            row,
            findings=tuple(map(Diagnostic._of, row["findings"])),
            finish=finish["other"] if isinstance(finish, dict) else finish,
            usage=Usage._of(row["usage"]),
            cost=_money(row),
            answer=row["answer"].get("text"),
            answer_hash=row["answer"].get("hash"),
        )


@dataclass(frozen=True, slots=True)
class Ledger:
    """The record of all attempts of one question.

    >>> import llmend
    >>> answers = iter(["{'days': 'a few'}", "{'days': 3}"])
    >>> schema = {"type": "object", "properties": {"days": {"type": "integer"}}}
    >>> ledger = llmend.ask(lambda request: next(answers), "How long?", schema).ledger
    >>> [(attempt.number, attempt.strategy, attempt.failure) for attempt in ledger.attempts]
    [(1, None, 'schema'), (2, 'fields', None)]
    """

    attempts: tuple[Attempt, ...]
    """All attempts, in order."""
    usage: Usage
    """Total token counts."""
    cost: float | None
    """Total cost; `None` if a price is unknown."""
    milliseconds: int
    """Total duration in milliseconds."""

    @classmethod
    def _of(cls, row: _Row) -> Ledger:
        attempts = tuple(map(Attempt._of, row["attempts"]))
        return record(cls, row, attempts=attempts, usage=Usage._of(row["usage"]), cost=_money(row))


def _money(row: _Row) -> float | None:
    millionths = row.get("cost")
    return None if millionths is None else millionths / 1_000_000


@dataclass(frozen=True, slots=True)
class AttemptRequest:
    """A request about to be sent."""

    number: int
    """Number of the attempt, from 1."""
    of: int
    """Maximum number."""
    model: str
    """Name of the model."""
    strategy: Strategy | None
    """The retry strategy; `None` for the first request."""
    is_last: bool
    """Whether this is the last attempt."""


@dataclass(frozen=True, slots=True)
class RetryNotice:
    """A rejected answer and the retry that follows."""

    failure: Failure
    """The kind of failure."""
    findings: tuple[Diagnostic, ...]
    """All findings."""
    strategy: Strategy | None
    """The strategy of the retry; `None` if the request is repeated because no answer arrived."""
    retry: int
    """Number of the retry, from 1; unchanged if no answer arrived."""
    of: int
    """Maximum number."""
