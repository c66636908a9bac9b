"""Is a column repaired as its answers are, in every library that holds columns?"""

import json
import subprocess
import sys

import llmend
import pytest
from conftest import cases

pa = pytest.importorskip("pyarrow")
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
ANSWERS = ["{'n': '3'}", None, "nothing", '{"n": 1}', "é {'n': 1,", "{'n': 'x'}", "[1 * 2]"]


def rows(made) -> list:
    made = pa.chunked_array(made) if hasattr(made, "__arrow_c_stream__") else pa.array(made)
    return made.to_pylist()


def test_each_row_is_what_the_command_says_of_it():
    texts = [case["input"] for case in cases("defects") + cases("dev")]
    lines = "".join(json.dumps({"answer": text}) + "\n" for text in texts)
    command = [sys.executable, "-m", "llmend", "batch", "--field", "answer"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", check=True)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    made = rows(llmend.repair_batch(pa.array(texts)))
    assert len(told) == len(made) == len(texts)
    for text, ours, theirs in zip(texts, made, told, strict=True):
        assert ours["value"] == theirs["json"]
        for key in ["status", "truncated", "class"]:
            assert ours[key] == theirs[key], text
        inside = [row["replacement"] for row in ours["repairs"]]
        assert inside == [row["replacement"] for row in theirs["repairs"]]
        if text.isascii():
            assert ours["repairs"] == theirs["repairs"]
            assert ours["error"] == theirs["error"]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
@pytest.mark.parametrize("threads", [1, 3])
def test_every_kind_of_column_gives_the_same(kind, threads):
    column = pa.array(ANSWERS, kind)
    expected = rows(llmend.repair_batch(pa.array(ANSWERS)))
    assert rows(llmend.repair_batch(column, threads=threads)) == expected
    assert rows(llmend.repair_batch(pa.chunked_array([column, column.slice(2)]), threads=threads)) == expected + expected[2:]
    assert rows(llmend.repair_batch(column.slice(3, 2))) == expected[3:5]
    assert expected[1] is None and expected[2]["error"]["code"] == "extract/no-json"
    assert [row and row["status"] for row in expected] == [
        "repaired", None, "refused", "unchanged", "repaired", "repaired", "refused",
    ]


def test_a_schema_is_fitted_or_the_first_reason_told():
    made = rows(llmend.repair_batch(pa.array(ANSWERS), schema=llmend.Schema(SCHEMA)))
    assert [row and row["value"] for row in made] == ['{"n": 3}', None, None, '{"n": 1}', '{"n": 1}', None, None]
    assert made[0]["status"] == "coerced"
    assert made[5]["error"]["code"].startswith("schema/")
    assert "{'n': 'x'}"[made[5]["error"]["start"] : made[5]["error"]["end"]] == "'x'"
    text = ANSWERS[4]
    assert [text[row["start"] : row["end"]] for row in made[4]["repairs"]] == ["'", "'", ",", ""]


def test_a_column_of_something_else_is_refused():
    with pytest.raises(TypeError, match="not Int64"):
        llmend.repair_batch(pa.array([1]))
    with pytest.raises(TypeError, match="not Int64"):
        llmend.repair_batch(pa.chunked_array([[1]]))
    assert len(llmend.repair_batch(pa.array([], pa.string()))) == 0
    assert rows(llmend.repair_batch(pa.chunked_array([], pa.string()))) == []


def test_pandas():
    pd = pytest.importorskip("pandas")
    import llmend.pandas

    answers = pd.Series(ANSWERS, index=list("abcdefg"))
    made = llmend.pandas.repair(answers, schema=SCHEMA)
    assert list(made.columns) == ["value", "status", "class", "truncated", "repairs", "error"]
    assert list(made.index) == list("abcdefg")
    assert made["value"]["a"] == '{"n": 3}' and made["error"]["c"]["code"] == "extract/no-json"
    assert pd.isna(made["status"]["b"])
    assert len(llmend.pandas.repair(pd.Series([], dtype=str))) == 0


def test_polars():
    pl = pytest.importorskip("polars")
    import llmend.polars

    frame = pl.DataFrame({"answer": ANSWERS})
    made = frame.lazy().with_columns(row=llmend.polars.repair("answer", schema=SCHEMA)).collect()
    assert made.schema["row"] == llmend.polars.ROW
    expected = rows(llmend.repair_batch(pa.array(ANSWERS), schema=llmend.Schema(SCHEMA)))
    assert made["row"].struct.field("value").to_list() == [row and row["value"] for row in expected]
    assert made["row"].struct.field("repairs").to_list()[4] == expected[4]["repairs"]


def test_duckdb():
    duckdb = pytest.importorskip("duckdb")
    import llmend.duckdb

    connection = duckdb.connect()
    llmend.duckdb.register(connection, "mend", schema=SCHEMA)
    connection.register("answers", pa.table({"id": list(range(len(ANSWERS))), "answer": ANSWERS}))
    query = "SELECT mend(answer).value, mend(answer).error.code, len(mend(answer).repairs) FROM answers ORDER BY id"
    made = connection.sql(query).fetchall()
    assert made[0] == ('{"n": 3}', None, 4)
    assert made[1] == (None, None, None)
    assert made[2][1] == "extract/no-json"


def test_ray():
    ray = pytest.importorskip("ray")
    import ray.data

    import llmend.ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        dataset = ray.data.from_items([{"id": n, "answer": ANSWERS[0]} for n in range(500)])
        made = llmend.ray.repair(dataset, "answer", schema=SCHEMA, batch_size=100).take_all()
        assert sorted(row["id"] for row in made) == list(range(500))
        assert {row["repaired"]["value"] for row in made} == {'{"n": 3}'}
    finally:
        ray.shutdown()
