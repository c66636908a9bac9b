"""Repair of answers in DuckDB: `pip install 'llmend[duckdb]'`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb

from llmend._batch import repairer
from llmend._llmend import CoerceOptions, Options

if TYPE_CHECKING:
    from llmend._llmend import PolicyName

ROW = (
    "STRUCT(value VARCHAR, status VARCHAR, class VARCHAR, truncated BOOLEAN, "
    "repairs STRUCT(rule VARCHAR, class VARCHAR, start BIGINT, \"end\" BIGINT, replacement VARCHAR)[], "
    "error STRUCT(code VARCHAR, message VARCHAR, start BIGINT, \"end\" BIGINT))"
)
"""The type of a row: see `llmend.repair_batch`."""


def register(
    connection: duckdb.DuckDBPyConnection,
    name: str = "llmend_repair",
    *,
    schema: Any = None,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    threads: int = 1,
) -> None:
    """Registers an SQL function that repairs answers. `schema` is anything that `llmend.parse` accepts.

    >>> import duckdb
    >>> connection = duckdb.connect()
    >>> register(connection)
    >>> connection.sql("SELECT llmend_repair('{''a'': 1}').value").fetchall()
    [('{"a": 1}',)]
    """
    repaired = repairer(schema, policy, coerce, threads)
    create: Any = connection.create_function
    create(
        name,
        # A lambda, since DuckDB would read annotations.
        lambda answers: repaired(answers),
        ["VARCHAR"],
        ROW,
        type="arrow",
        null_handling="special",
    )
