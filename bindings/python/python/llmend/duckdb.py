"""Answers in DuckDB, repaired, read for tool calls, and validated: `pip install 'llmend[duckdb]'`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from llmend import _llmend
from llmend._answer import asked_schema
from llmend._batch import repairer
from llmend._calls import calls
from llmend._errors import LlmendError
from llmend._llmend import CoerceOptions, Options
from llmend._tools import Tools

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
    """Registers an SQL function that repairs answers, in place of one of this name. `schema` is anything that
    `llmend.parse` accepts.

    >>> import duckdb
    >>> connection = duckdb.connect()
    >>> register(connection)
    >>> connection.sql("SELECT llmend_repair('{''a'': 1}').value").fetchall()
    [('{"a": 1}',)]
    """
    _create(connection, name, repairer(schema, policy, coerce, threads), ROW)


CALLS = (
    "STRUCT(calls STRUCT(name VARCHAR, arguments VARCHAR, id VARCHAR, notation VARCHAR, class VARCHAR, fits BOOLEAN)[], "
    "text VARCHAR, reasoning VARCHAR, usable BOOLEAN)"
)
"""The type of the calls in an answer: see `llmend.Calls`; `fits` is whether the arguments fit the tool's schema."""

VIOLATIONS = "STRUCT(code VARCHAR, path VARCHAR, message VARCHAR)[]"
"""The type of the violations of a value: see `llmend.Violation`."""

_CALL = pa.struct([(name, pa.string()) for name in ("name", "arguments", "id", "notation", "class")] + [("fits", pa.bool_())])
_CALLS = pa.struct([("calls", pa.list_(_CALL)), ("text", pa.string()), ("reasoning", pa.string()), ("usable", pa.bool_())])
_VIOLATIONS = pa.list_(pa.struct([(name, pa.string()) for name in ("code", "path", "message")]))


def register_calls(
    connection: duckdb.DuckDBPyConnection,
    tools: Any = None,
    name: str = "llmend_calls",
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    marked: bool = False,
) -> None:
    """Registers an SQL function that reads the tool calls in answers, as `llmend.calls` does.

    >>> import duckdb
    >>> connection = duckdb.connect()
    >>> register_calls(connection, {"add": {"properties": {"a": {"type": "integer"}}}})
    >>> connection.sql("SELECT unnest(llmend_calls('[add(a=''1'')]').calls, recursive := true)").fetchall()
    [('add', '{"a":1}', None, 'pythonic', 'notation', True)]
    """
    _llmend.check_options(policy=policy, coerce=coerce)
    offered = None if tools is None else Tools(tools)

    def row(text: str) -> dict[str, Any]:
        found = calls(text, offered, policy=policy, coerce=coerce, marked=marked)
        rows = [
            {
                "name": call.name,
                "arguments": call.arguments_json,
                "id": call.id,
                "notation": call.notation,
                "class": call.class_,
                "fits": not call.violations,
            }
            for call in found
        ]
        return {"calls": rows, "text": found.text, "reasoning": found.reasoning, "usable": found.usable}

    _create(connection, name, _each(row, _CALLS), CALLS)


def register_violations(connection: duckdb.DuckDBPyConnection, schema: Any, name: str = "llmend_violations") -> None:
    """Registers an SQL function that validates values and lists the violations: an empty list if there are none.
    Nothing is repaired or coerced. `schema` is anything that `llmend.parse` accepts.

    >>> import duckdb
    >>> connection = duckdb.connect()
    >>> register_violations(connection, {"items": {"type": "integer"}})
    >>> connection.sql("SELECT llmend_violations('[1, 2]')").fetchall()
    [([],)]
    >>> connection.sql("SELECT llmend_violations('[1, true]')").fetchall()
    [([{'code': 'schema/type', 'path': '/1', 'message': 'expected integer, found boolean'}],)]
    """
    asked = asked_schema(schema)
    exact = CoerceOptions("off")

    def row(text: str) -> list[dict[str, Any]]:
        try:
            _, told = _llmend.fit(text, asked, policy="strict", coerce=exact)
        except LlmendError as error:
            return [{"code": error.code, "path": "", "message": error.message}]
        return [] if told.fits else told.rows()["violations"]

    _create(connection, name, _each(row, _VIOLATIONS), VIOLATIONS)


def _each(row: Callable[[str], Any], kind: pa.DataType) -> Callable[[Any], Any]:
    """Returns the function of a column that calls `row` for each text."""

    def rows(texts: Any) -> Any:
        return pa.array([None if text is None else row(text) for text in texts.to_pylist()], kind)

    return rows


def _create(connection: duckdb.DuckDBPyConnection, name: str, rows: Callable[[Any], Any], kind: str) -> None:
    # DuckDB replaces no function.
    with contextlib.suppress(duckdb.InvalidInputException):
        connection.remove_function(name)
    create: Any = connection.create_function
    # A lambda, since DuckDB would read annotations.
    create(name, lambda answers: rows(answers), ["VARCHAR"], kind, type="arrow", null_handling="special")
