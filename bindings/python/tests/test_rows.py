"""Is a row of a column the same type in all that has one?

`ArrowArray.__arrow_c_schema__` says what is given; each adapter says the same in the words of its library
(that of Spark is in `test_spark.py`, where Spark runs).
"""

import llmend
import pytest

pyarrow = pytest.importorskip("pyarrow")


def given() -> "pyarrow.StructType":
    return pyarrow.array(llmend.repair_batch(pyarrow.array(["[1,]"]))).type


def plain(kind: "pyarrow.DataType") -> object:
    """A type as names and words: whether a value may be null, how wide the offsets of a text or a list are, and
    whether texts are views is each library's own."""
    if pyarrow.types.is_struct(kind):
        return [(field.name, plain(field.type)) for field in kind]
    if pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind):
        return ["list", plain(kind.value_type)]
    is_text = pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind) or pyarrow.types.is_string_view(kind)
    return "string" if is_text else str(kind)


ROW = [
    ("value", "string"),
    ("status", "string"),
    ("class", "string"),
    ("truncated", "bool"),
    ("repairs", ["list", [("rule", "string"), ("class", "string"), ("start", "int64"), ("end", "int64"), ("replacement", "string")]]),
    ("error", [("code", "string"), ("message", "string"), ("start", "int64"), ("end", "int64")]),
]


def test_rows_are_what_is_documented():
    assert plain(given()) == ROW


def test_rows_of_polars():
    polars = pytest.importorskip("polars")
    from llmend.polars import ROW as row

    assert plain(polars.Series([], dtype=row).to_arrow().type) == plain(given())


def test_rows_of_duckdb():
    duckdb = pytest.importorskip("duckdb")
    from llmend.duckdb import ROW as row

    made = duckdb.connect().sql(f"SELECT NULL::{row} AS row").to_arrow_table()
    assert plain(made.schema.field("row").type) == plain(given())
