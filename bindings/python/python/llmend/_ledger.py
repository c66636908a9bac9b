"""What was asked, what came of it, and what did it cost?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from llmend._records import Class, Diagnostic, record

_Row = dict[str, Any]

Rung = Literal["fields", "patch", "full", "emphatic", "continue", "escalate"]
"""A way of asking again: for the parts that do not fit; for a patch; for the whole; for the whole with a
notice before all else; for the rest of what was cut off; another model."""

Failure = Literal[
    "transport", "refusal", "no-json", "syntax", "truncation", "loss", "schema", "structure"
]
"""How an attempt failed."""

Validity = Literal["valid", "unchecked", "invalid"]
"""How far a value was checked: it is what was asked for; it was not to be checked; it is not what was asked
for, and was to be handed back all the same."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens."""

    input: int
    """Those of the question."""
    output: int
    """Those of the answer, reasoning included."""
    estimated: bool
    """Whether a number is an estimate, since the model did not tell it."""

    @classmethod
    def _of(cls, row: _Row) -> Usage:
        return cls(row["input"], row["output"], row.get("estimated", False))


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request, and what came of it."""

    number: int
    """Which attempt it belongs to, from 1. A request whose answer did not arrive, and the one after it,
    belong to the same."""
    rung: Rung | None
    """How it was asked; nothing of the first question."""
    model: str
    """The model that was asked."""
    failure: Failure | None
    """Why the answer could not be used; nothing if it could."""
    cause: str | None
    """The first error in one sentence, with its line and column."""
    findings: tuple[Diagnostic, ...]
    """Everything that was found. Places are in what the model wrote; of an answer that was put together
    from several there are none."""
    class_: Class | None
    """How sure the reading was."""
    repairs: int
    """How many repairs and coercions were made."""
    finish: str | None
    """Why the answer went no further; nothing if there was none."""
    usage: Usage
    """Tokens."""
    cost: float | None
    """What it cost; nothing where the price is not known."""
    milliseconds: int
    """How long it took."""
    question_bytes: int
    """Bytes of the question, in UTF-8."""
    answer_bytes: int
    """Bytes of the answer."""
    answer: str | None
    """What the model wrote, or its beginning; nothing where a hash alone was to be kept."""
    answer_hash: str | None
    """The hash of what the model wrote, where that alone was to be kept."""

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
    """The account of a question: every attempt, whatever came of it.

    >>> import llmend
    >>> answers = iter(["{'days': 'a few'}", "{'days': 3}"])
    >>> schema = {"type": "object", "properties": {"days": {"type": "integer"}}}
    >>> ledger = llmend.ask(lambda request: next(answers), "How long?", schema).ledger
    >>> [(attempt.number, attempt.rung, attempt.failure) for attempt in ledger.attempts]
    [(1, None, 'schema'), (2, 'fields', None)]
    """

    attempts: tuple[Attempt, ...]
    """Each request that was made, in order."""
    usage: Usage
    """Tokens of all of them."""
    cost: float | None
    """What they cost; nothing where a price is not known."""
    milliseconds: int
    """How long all of it took."""

    @classmethod
    def _of(cls, row: _Row) -> Ledger:
        attempts = tuple(map(Attempt._of, row["attempts"]))
        return record(cls, row, attempts=attempts, usage=Usage._of(row["usage"]), cost=_money(row))


def _money(row: _Row) -> float | None:
    millionths = row.get("cost")
    return None if millionths is None else millionths / 1_000_000


@dataclass(frozen=True, slots=True)
class Asking:
    """A request that is about to be made."""

    number: int
    """The number of the attempt, from 1."""
    of: int
    """How many there may be at most."""
    model: str
    """The model that is asked."""
    rung: Rung | None
    """How it is asked; nothing of the first question."""
    is_last: bool
    """Whether there is none after it."""


@dataclass(frozen=True, slots=True)
class Again:
    """An answer that cannot be used, and what is done about it."""

    failure: Failure
    """What was wrong with it."""
    findings: tuple[Diagnostic, ...]
    """Everything that was found in it."""
    rung: Rung | None
    """How is asked next; nothing where the same is asked again, since no answer came."""
    retry: int
    """The number of the retry, from 1; where no answer came, the number before."""
    of: int
    """How many there may be at most."""
