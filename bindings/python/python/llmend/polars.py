"""Repair of answers in Polars: `pip install 'llmend[polars]'`.

Importing this module also gives expressions and series the namespace `llmend`.

>>> import polars as pl
>>> frame = pl.DataFrame({"answer": ["{'a': '1',}", "nothing"]})
>>> schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
>>> frame.select(pl.col("answer").llmend.parse(schema)).to_series().to_list()
[{'a': 1}, None]
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import polars as pl

from llmend._answer import asked_for, asked_schema
from llmend._batch import hear
from llmend._dtypes import dtype_of
from llmend._llmend import CoerceOptions, Options, check_options, repair_batch
from llmend._repairs import Unsure, is_accepted

if TYPE_CHECKING:
    from llmend._llmend import PolicyName

# Maximum number of digits of a number in plain notation.
_WIDEST = 1_000

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
    repaired = _repairer(schema, policy, coerce, threads)
    return _column(answers).map_batches(repaired, return_dtype=ROW, is_elementwise=True)


def parse(
    answers: pl.Expr | str,
    schema: Any,
    *,
    dtype: pl.DataType | type[pl.DataType] | None = None,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    unsure: Unsure = "reject",
    threads: int = 1,
) -> pl.Expr:
    """Parses each answer of a column to a value of `dtype`: null for what does not fit `schema` and, unless
    `unsure="accept"`, for what may be incomplete. `repair` says why.

    An answer is also null if `dtype` cannot hold all of it, such as an integer of more than 64 bits in `Int64`; its
    text is then in `repair`, and a wider `dtype` holds it. Floats and decimals are rounded to the nearest.

    `schema` is anything that `llmend.parse` accepts. Without `dtype`, it is that of the schema: objects are structs,
    of the properties that the schema names, and lists are lists. Raises `ValueError` if the schema leaves it open.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"answer": ["[1, '2',]", "[1, 2", "nothing"]})
    >>> frame.select(parse("answer", list[int])).to_series().to_list()
    [[1, 2], None, None]
    """
    made = dtype_of(json.loads(asked_for(schema)[0])) if dtype is None else dtype
    repaired = _repairer(schema, policy, coerce, threads)
    # Raises an error for a type that Polars reads from no JSON.
    _decoded(pl.Series([None], dtype=pl.String), made)
    is_sure = pl.col("truncated").not_() & pl.col("class").ne_missing("loss")
    value = pl.col("value") if is_accepted(unsure) else pl.when(is_sure).then(pl.col("value"))

    def parsed(texts: pl.Series) -> pl.Series:
        rows = repaired(texts).struct.unnest()
        return _decoded(rows.select(value.alias(texts.name)).to_series(), made)

    return _column(answers).map_batches(parsed, return_dtype=made, is_elementwise=True)


def _decoded(texts: pl.Series, dtype: pl.DataType | type[pl.DataType]) -> pl.Series:
    """Reads JSON: null where `dtype` does not hold all of it."""
    is_long = texts.str.contains("[0-9]{16}|[0-9][eE]")
    if is_long.any():
        pairs = zip(texts, is_long, strict=True)
        texts = pl.Series(texts.name, [_quoted(text) if long else text for text, long in pairs], pl.String)
    return _held(texts, dtype)


def _held(texts: pl.Series, dtype: pl.DataType | type[pl.DataType]) -> pl.Series:
    # Polars reads a number that does not fit as null or cut, but refuses to cast its text.
    numbers = _as_text(dtype, lambda leaf: leaf.is_numeric())
    # It reads a date or time that it does not understand as null.
    times = _as_text(dtype, lambda leaf: leaf.is_numeric() or leaf.is_temporal())
    try:
        made = texts.str.json_decode(numbers).cast(dtype)
        if numbers == times or _nulls(made) == _nulls(texts.str.json_decode(times)):
            return made
    except pl.exceptions.PolarsError:
        if texts.null_count() == len(texts):
            raise
    if len(texts) == 1:
        return pl.Series(texts.name, [None], dtype)
    half = len(texts) // 2
    return _held(texts[:half], dtype).append(_held(texts[half:], dtype))


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9][-+.0-9eE]*')


def _quoted(text: str) -> str:
    """Quotes the numbers that Polars reads as floats although they may be more precise."""

    def written(match: re.Match[str]) -> str:
        digits = match.group()
        if digits[0] == '"' or (len(digits) < 16 and "e" not in digits.lower()):
            return digits
        number = Decimal(digits)
        if abs(number.adjusted()) < _WIDEST:
            digits = f"{number:f}"
            digits = digits.partition(".")[0] if number == number.to_integral_value() else digits
        return f'"{digits}"'

    return _TOKEN.sub(written, text)


def _as_text(dtype: Any, is_text: Callable[[Any], bool]) -> Any:
    """Returns `dtype` with strings in the place of some types."""
    if isinstance(dtype, pl.Struct):
        return pl.Struct({field.name: _as_text(field.dtype, is_text) for field in dtype.fields})
    if isinstance(dtype, pl.List):
        return pl.List(_as_text(dtype.inner, is_text))
    return pl.String if is_text(dtype) else dtype


def _nulls(series: pl.Series) -> int:
    """Returns how many values are null, at any depth."""
    if isinstance(series.dtype, pl.Struct):
        return sum(map(_nulls, series.struct.unnest()))
    return _nulls(series.explode()) if isinstance(series.dtype, pl.List) else series.null_count()


def _column(answers: pl.Expr | str) -> pl.Expr:
    return pl.col(answers) if isinstance(answers, str) else answers


def _repairer(
    schema: Any, policy: PolicyName | Options | None, coerce: CoerceOptions | None, threads: int
) -> Callable[[pl.Series], pl.Series]:
    """Returns a function that repairs a series to a series of rows."""
    check_options(policy=policy, coerce=coerce)
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

    return repaired


class _Namespace:
    _answers: pl.Expr

    def repair(
        self,
        *,
        schema: Any = None,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
        threads: int = 1,
    ) -> Any:
        """Repairs each answer: `llmend.polars.repair`."""
        return self._done(repair(self._answers, schema=schema, policy=policy, coerce=coerce, threads=threads))

    def parse(
        self,
        schema: Any,
        *,
        dtype: pl.DataType | type[pl.DataType] | None = None,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
        unsure: Unsure = "reject",
        threads: int = 1,
    ) -> Any:
        """Parses each answer: `llmend.polars.parse`."""
        return self._done(
            parse(self._answers, schema, dtype=dtype, policy=policy, coerce=coerce, unsure=unsure, threads=threads)
        )

    def _done(self, made: pl.Expr) -> Any:
        return made


@pl.api.register_expr_namespace("llmend")
class ExprNamespace(_Namespace):
    """The namespace `llmend` of an expression: its functions return expressions."""

    def __init__(self, answers: pl.Expr) -> None:
        self._answers = answers


@pl.api.register_series_namespace("llmend")
class SeriesNamespace(_Namespace):
    """The namespace `llmend` of a series: its functions return series."""

    def __init__(self, answers: pl.Series) -> None:
        self._series = answers
        self._answers = pl.col(answers.name)

    def _done(self, made: pl.Expr) -> pl.Series:
        return self._series.to_frame().select(made).to_series()
