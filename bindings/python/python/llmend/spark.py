"""Answers in Spark: `pip install 'llmend[spark]'`, on the driver and on the workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType, _parse_datatype_string

from llmend._batch import Repairing, repairing
from llmend._llmend import Coercing, Options

if TYPE_CHECKING:
    from llmend._llmend import PolicyName

ROW = (
    "value string, status string, class string, truncated boolean, "
    "repairs array<struct<rule: string, class: string, start: bigint, end: bigint, replacement: string>>, "
    "error struct<code: string, message: string, start: bigint, end: bigint>"
)
"""The type of a row, in the words of Spark: see `llmend.repair_batch`."""


def repair(
    frame: DataFrame,
    column: str,
    *,
    into: str = "repaired",
    schema: Any = None,
    policy: PolicyName | Options | None = None,
    coercing: Coercing | None = None,
) -> DataFrame:
    """The frame with a column `into` more, which has what `llmend.repair_batch` gives for `column`.

    By way of `mapInArrow`: rows come and go as Arrow, and no row is an object of Python. An answer that
    cannot be repaired is a row with an `error`, and ends nothing. `schema` is all that `llmend.parse`
    takes; it is compiled once in each worker. `column` is resolved as Spark resolves names, also of a field
    of a struct. A frame that has a column `into` already is a `ValueError`. `mapInArrow` itself takes no frame
    with a dot in the name of a column.
    """
    same = _sameness(frame.sparkSession)
    for name in frame.columns:
        if same(name) == same(into):
            message = f"the frame has a column {name!r} already: name another with `into`"
            raise ValueError(message)
    repaired = repairing(schema, policy, coercing)
    wanted = StructType([*frame.schema.fields]).add(into, _row())
    width = len(frame.columns)
    places = [at for at, name in enumerate(frame.columns) if same(name) == same(column)]
    if len(places) == 1 and "." not in column:
        place = places[0]
    else:
        # Spark says what it is, or that there is none, or more than one. The rows take its place.
        frame, place = frame.select("*", F.col(column).alias(into)), width

    def add(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            made = repaired(batch.column(place))
            columns = [*batch.columns[:width], pa.concat_arrays(made.chunks)]
            yield pa.RecordBatch.from_arrays(columns, [*batch.schema.names[:width], into])

    return frame.mapInArrow(add, wanted)


def _sameness(session: SparkSession) -> Callable[[str], str]:
    """What two names have in common that Spark takes for one."""
    exact = str(session.conf.get("spark.sql.caseSensitive")).lower() == "true"
    return str if exact else str.lower


def function(
    *,
    schema: Any = None,
    policy: PolicyName | Options | None = None,
    coercing: Coercing | None = None,
) -> Any:
    """A function of a column, which gives the rows of `llmend.repair_batch`: for `select` and
    `withColumn`, and under a name for SQL (see `register`)."""
    repaired = repairing(schema, policy, coercing)
    if hasattr(F, "arrow_udf"):

        def of_arrow(answers: pa.Array) -> pa.Array:
            return pa.concat_arrays(repaired(answers).chunks)

        of_arrow.__annotations__ = {"answers": pa.Array, "return": pa.Array}
        return F.arrow_udf(of_arrow, _row())
    return _of_pandas(repaired)


def register(
    session: SparkSession,
    name: str = "llmend_repair",
    *,
    schema: Any = None,
    policy: PolicyName | Options | None = None,
    coercing: Coercing | None = None,
) -> None:
    """Makes a function of SQL: `SELECT llmend_repair(answer).value FROM answers`."""
    session.udf.register(name, function(schema=schema, policy=policy, coercing=coercing))


def _row() -> StructType:
    row = _parse_datatype_string(ROW)
    assert isinstance(row, StructType)
    return row


def _of_pandas(repaired: Repairing) -> Any:
    """The same for a Spark that has no functions of Arrow, before 4.1."""
    import pandas as pd

    def of_pandas(answers: Any) -> Any:
        made = repaired(pa.array(answers, pa.string(), from_pandas=True))
        return pa.Table.from_struct_array(made).to_pandas()

    of_pandas.__annotations__ = {"answers": pd.Series, "return": pd.DataFrame}
    functions: Any = F
    return functions.pandas_udf(of_pandas, _row())
