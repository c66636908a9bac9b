"""Repair of answers in Spark: `pip install 'llmend[spark]'`, on the driver and on the workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType, _parse_datatype_string

from llmend._batch import Repairer, repairer
from llmend._llmend import CoerceOptions, Options

if TYPE_CHECKING:
    from llmend._llmend import PolicyName

ROW = (
    "value string, status string, class string, truncated boolean, "
    "repairs array<struct<rule: string, class: string, start: bigint, end: bigint, replacement: string>>, "
    "error struct<code: string, message: string, start: bigint, end: bigint>"
)
"""The type of a row as a Spark DDL string: see `llmend.repair_batch`."""


def repair(
    frame: DataFrame,
    column: str,
    *,
    into: str = "repaired",
    schema: Any = None,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
) -> DataFrame:
    """Adds a column `into` with the rows of `llmend.repair_batch` for `column`.

    Uses `mapInArrow`, so that rows stay in Arrow format. An answer that cannot be repaired becomes a row with an
    `error`. `schema` is anything that `llmend.parse` accepts, and is compiled once per worker. `column` is resolved
    by Spark, and may be a field of a struct. Raises `ValueError` if the frame already has a column `into`.
    `mapInArrow` does not support column names with dots.
    """
    same = _sameness(frame.sparkSession)
    for name in frame.columns:
        if same(name) == same(into):
            message = f"the frame already has a column {name!r}; choose another name with `into`"
            raise ValueError(message)
    repaired = repairer(schema, policy, coerce)
    wanted = StructType([*frame.schema.fields]).add(into, _row())
    width = len(frame.columns)
    places = [at for at, name in enumerate(frame.columns) if same(name) == same(column)]
    if len(places) == 1 and "." not in column:
        place = places[0]
    else:
        # Spark resolves the name or raises. The rows replace the resolved column.
        frame, place = frame.select("*", F.col(column).alias(into)), width

    def add(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            made = repaired(batch.column(place))
            columns = [*batch.columns[:width], pa.concat_arrays(made.chunks)]
            yield pa.RecordBatch.from_arrays(columns, [*batch.schema.names[:width], into])

    return frame.mapInArrow(add, wanted)


def _sameness(session: SparkSession) -> Callable[[str], str]:
    """Returns the function that normalizes column names as Spark compares them."""
    exact = str(session.conf.get("spark.sql.caseSensitive")).lower() == "true"
    return str if exact else str.lower


def function(
    *,
    schema: Any = None,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
) -> Any:
    """Returns a column function that produces the rows of `llmend.repair_batch`, for `select` and `withColumn`; see
    `register` for SQL."""
    repaired = repairer(schema, policy, coerce)
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
    coerce: CoerceOptions | None = None,
) -> None:
    """Registers an SQL function: `SELECT llmend_repair(answer).value FROM answers`."""
    session.udf.register(name, function(schema=schema, policy=policy, coerce=coerce))


def _row() -> StructType:
    row = _parse_datatype_string(ROW)
    assert isinstance(row, StructType)
    return row


def _of_pandas(repaired: Repairer) -> Any:
    """Returns a pandas function, for Spark before 4.1, which has no Arrow functions."""
    import pandas as pd

    def of_pandas(answers: Any) -> Any:
        made = repaired(pa.array(answers, pa.string(), from_pandas=True))
        return pa.Table.from_struct_array(made).to_pandas()

    of_pandas.__annotations__ = {"answers": pd.Series, "return": pd.DataFrame}
    functions: Any = F
    return functions.pandas_udf(of_pandas, _row())
