"""Repair of answers in Polars: `pip install 'llmend[polars]'`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from llmend._answer import asked_schema
from llmend._batch import hear
from llmend._llmend import CoerceOptions, Options, repair_batch

if TYPE_CHECKING:
    from llmend._llmend import PolicyName

ROW = pl.Struct(
    {
        "value": pl.String,
        "status": pl.String,
        "class": pl.String,
        "truncated": pl.Boolean,
        "repairs": pl.List(
            pl.Struct(
                {
                    "rule": pl.String,
                    "class": pl.String,
                    "start": pl.Int64,
                    "end": pl.Int64,
                    "replacement": pl.String,
                }
            )
        ),
        "error": pl.Struct(
            {"code": pl.String, "message": pl.String, "start": pl.Int64, "end": pl.Int64}
        ),
    }
)
"""The type of a row: see `llmend.repair_batch`."""


def repair(
    answers: pl.Expr | str,
    *,
    schema: Any = None,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    threads: int = 1,
) -> pl.Expr:
    """Repairs each answer of a column to a struct. `schema` is anything that `llmend.parse` accepts.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"answer": ["{'a': 1}", "nothing"]})
    >>> frame.select(repair("answer").struct.field("value")).to_series().to_list()
    ['{"a": 1}', None]
    """
    asked = None if schema is None else asked_schema(schema)

    def repaired(texts: pl.Series) -> pl.Series:
        if texts.dtype == pl.Null:
            # Polars exports null columns in a format of its own.
            texts = texts.cast(pl.String)
        made = repair_batch(
            texts, schema=asked, policy=policy, coerce=coerce, threads=threads
        )
        try:
            return pl.Series(texts.name, made, dtype=ROW)
        except Exception:
            hear()
            raise

    column = pl.col(answers) if isinstance(answers, str) else answers
    return column.map_batches(repaired, return_dtype=ROW, is_elementwise=True)
