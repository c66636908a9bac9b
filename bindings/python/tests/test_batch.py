"""Is a column repaired as its answers are, in every library that holds columns?"""

import pickle
import subprocess
import sys
from typing import Optional

import llmend
import pytest
from conftest import cases, generated_cases, said_by_the_command
from llmend import _answer, _batch

pa = pytest.importorskip("pyarrow")
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
MANY = [case["input"] for case in cases("defects") + cases("dev")]
ANSWERS = ["{'n': '3'}", None, "nothing", '{"n": 1}', "é {'n': 1,", "{'n': 'x'}", "[1 * 2]"]


def rows(made) -> list:
    made = pa.chunked_array(made) if hasattr(made, "__arrow_c_stream__") else pa.array(made)
    return made.to_pylist()


def test_each_row_is_what_the_command_says_of_it():
    told = said_by_the_command(MANY)
    made = rows(llmend.repair_batch(pa.array(MANY)))
    assert made == [told[text] for text in MANY]
    assert any(row["error"] for row in made) and any(not text.isascii() for text in MANY)


def test_generated_texts_are_what_the_command_says_of_them(tmp_path):
    texts = [case["input"] for case in generated_cases(tmp_path, 10_000)]
    told = said_by_the_command(texts)
    made = rows(llmend.repair_batch(pa.array(texts), threads=2))
    assert made == [told[text] for text in texts]
    for text, row in zip(texts, made, strict=True):
        try:
            repaired = llmend.repair(text)
        except llmend.LlmendError as error:
            assert (row["status"], row["error"]["code"]) == ("refused", error.code), text
        else:
            report = repaired.report
            said = (repaired.text, report.status, len(report.repairs))
            assert (row["value"], row["status"], len(row["repairs"])) == said, text


KINDS = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.binary(),
    pa.large_binary(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.uint32(), pa.large_string()),
]


@pytest.mark.parametrize("kind", KINDS)
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


def test_a_schema_is_fitted_or_the_first_reason_reported():
    made = rows(llmend.repair_batch(pa.array(ANSWERS), schema=llmend.Schema(SCHEMA)))
    assert [row and row["value"] for row in made] == ['{"n": 3}', None, None, '{"n": 1}', '{"n": 1}', None, None]
    assert made[0]["status"] == "coerced"
    assert made[5]["error"]["code"].startswith("schema/")
    assert "{'n': 'x'}"[made[5]["error"]["start"] : made[5]["error"]["end"]] == "'x'"
    text = ANSWERS[4]
    assert [text[row["start"] : row["end"]] for row in made[4]["repairs"]] == ["'", "'", ",", ""]


def test_a_column_of_something_else_is_refused():
    with pytest.raises(TypeError, match="found Int64"):
        llmend.repair_batch(pa.array([1]))
    with pytest.raises(TypeError, match="found Int64"):
        llmend.repair_batch(pa.chunked_array([[1]]))
    assert len(llmend.repair_batch(pa.array([], pa.string()))) == 0
    assert rows(llmend.repair_batch(pa.chunked_array([], pa.string()))) == []


@pytest.mark.parametrize("kind", [pa.null(), pa.string(), pa.dictionary(pa.int8(), pa.string())])
def test_a_column_that_happens_to_be_all_null_has_rows(kind):
    column = pa.nulls(3, kind)
    assert rows(llmend.repair_batch(column)) == [None] * 3
    assert rows(llmend.repair_batch(pa.chunked_array([column, column]))) == [None] * 6


def test_a_result_keeps_its_type_whatever_is_requested():
    """As the Arrow interface allows. Who wants another casts what it got."""
    made = llmend.repair_batch(pa.array(ANSWERS))
    read = pa.array(made)
    other = pa.struct([field.with_type(pa.large_string()) if field.name == "value" else field for field in read.type])
    requested = other.__arrow_c_schema__()
    assert pa.Array._import_from_c_capsule(*made.__arrow_c_array__(requested)).equals(read)
    assert read.cast(other).field("value").to_pylist() == read.field("value").to_pylist()

    stream = llmend.repair_batch(pa.chunked_array([ANSWERS]))
    assert pa.ChunkedArray._import_from_c_capsule(stream.__arrow_c_stream__(requested)).equals(pa.chunked_array([read]))
    stream = llmend.repair_batch(pa.chunked_array([ANSWERS]))
    assert pa.chunked_array(stream, type=other).equals(pa.chunked_array([read.cast(other)]))


def not_text(kind, answers: list) -> pa.Array:
    """A column of texts that are what they are, as Spark and files may hold."""
    view = pa.array(answers, pa.large_binary() if kind == pa.large_string() else pa.binary())
    return pa.Array.from_buffers(kind, len(view), view.buffers())


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@pytest.mark.parametrize("schema", [None, {"type": "array"}])
def test_what_is_no_utf_8_is_a_row_that_says_so(kind, schema):
    answers = [b"[1,]", b"\xff[1\xc3", b"{\xf0'a': 1, b: [1,2\xbf],", None, '["é'.encode() + b"\xe9", b"\xf0\x9f\x98"]
    column = not_text(kind, answers)
    for made in [llmend.repair_batch(column, schema=schema), llmend.repair_batch(pa.chunked_array([column]), schema=schema)]:
        told = rows(made)
        assert told[0]["value"] == "[1]" and told[3] is None
        places = [(row["status"], row["value"], row["error"]["code"], row["error"]["start"]) for row in [told[1], told[2], *told[4:]]]
        assert places == [("refused", None, "input/utf8", at) for at in [0, 1, 3, 0]]
        assert told[4]["error"]["message"] == "invalid UTF-8"


def test_a_schema_is_all_that_parse_takes():
    from pydantic import BaseModel

    class Model(BaseModel):
        n: int

    expected = rows(llmend.repair_batch(pa.array(ANSWERS), schema=llmend.Schema(SCHEMA)))
    assert rows(llmend.repair_batch(pa.array(ANSWERS), schema=SCHEMA)) == expected
    made = rows(llmend.repair_batch(pa.array(ANSWERS), schema=Model))
    assert [row and row["value"] for row in made] == [row and row["value"] for row in expected]


@pytest.mark.parametrize("sent", [False, True])
def test_what_spells_a_member_of_a_type_otherwise_is_not_lost(sent):
    from pydantic import BaseModel

    class Task(BaseModel):
        a: int
        due: Optional[str] = None

    answers = pa.chunked_array([["{'A': 1, 'Due': 'x'}"]])
    schema = _answer.asked_schema(Task)
    schema = pickle.loads(pickle.dumps(schema)) if sent else Task
    made = _batch.repairer(schema)(answers)
    assert Task.model_validate_json(made[0]["value"].as_py()) == Task(a=1, due="x")
    assert llmend.parse(answers[0].as_py(), Task).value == Task(a=1, due="x")


INTERRUPTED = """
import os, signal, sys, threading, time
import llmend
import pyarrow as pa

# Whoever starts the tests in the background may have told them not to hear it.
signal.signal(signal.SIGINT, signal.default_int_handler)

many = pa.DictionaryArray.from_arrays(pa.array([0] * 3_000_000, pa.int32()), ["{'a': 'b', 'c': [1, 2,],} " * 2])
long = "[" + "{'a': 'b c d', 'e': [1, 2]}," * 30_000 + "]"
long = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000, pa.int32()), [long])

def pandas():
    import pandas, llmend.pandas
    column = pandas.Series(many.cast(pa.string()).to_pandas())
    return lambda: llmend.pandas.repair(column)

def polars():
    import polars, llmend.polars
    frame = polars.DataFrame({"a": many.cast(pa.large_string())})
    return lambda: frame.select(llmend.polars.repair("a"))

work = {
    "array": lambda: lambda: llmend.repair_batch(many),
    "bytes": lambda: lambda: llmend.repair_batch(long),
    "stream": lambda: lambda: pa.chunked_array(llmend.repair_batch(pa.chunked_array([many]))),
    "stream of bytes": lambda: lambda: pa.chunked_array(llmend.repair_batch(pa.chunked_array([long]))),
    "pandas": pandas,
    "polars": polars,
}[sys.argv[1]]()
sent = []
def send():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.3, send).start()
try:
    try:
        work()
        print("finished")
    except pa.ArrowInvalid as error:
        # What reads a stream makes an error of its own of it; the interrupt follows.
        assert "KeyboardInterrupt" in str(error), error
        for _ in range(10):
            pass
        print("swallowed")
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - sent[0])
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.parametrize("what", ["array", "bytes", "stream", "stream of bytes", "pandas", "polars"])
def test_an_interrupt_ends_a_batch(what):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, what], capture_output=True, text=True, timeout=600)
    told = done.stdout.split()
    assert told[:1] == ["interrupted"], (done.stdout, done.stderr)
    # All of it takes a minute and more; what is done between two looks, hundredths of a second.
    assert float(told[1]) < 10


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
    named = llmend.pandas.repair(answers.astype("category"), schema=SCHEMA)
    pd.testing.assert_frame_equal(named, made)
    for nothing in [pd.Series([float("nan")] * 2), pd.Series([None, None]), pd.Series([pd.NA] * 2, dtype="string")]:
        made = llmend.pandas.repair(nothing)
        assert len(made) == 2 and made["status"].isna().all()
    half = llmend.pandas.repair(pd.Series(["[1,]", None, '["\ud800"]'], dtype=object))
    assert half["value"].tolist()[0] == "[1]" and half["error"].tolist()[2]["code"] == "input/utf8"
    mixed = llmend.pandas.repair(pd.Series([b"[1,]", None, b"[1]\xff", '["\ud800"]'], dtype=object))
    assert mixed["value"].tolist()[0] == "[1]"
    assert [row and row["code"] for row in mixed["error"]] == [None, None, "input/utf8", "input/utf8"]


@pytest.mark.parametrize("texts", [["{a:1}"], "{a:1}", None])
def test_what_is_no_arrow_array_is_a_type_error(texts):
    kind = type(texts).__name__
    with pytest.raises(TypeError, match=rf"^expected an Arrow array such as pyarrow.array\(texts\), found {kind}$"):
        llmend.repair_batch(texts)


def test_the_number_of_threads_is_checked():
    texts = pytest.importorskip("pyarrow").array(["{}"])
    with pytest.raises(ValueError, match="^threads: expected 0 or more, found -1$"):
        llmend.repair_batch(texts, threads=-1)


def test_polars():
    pl = pytest.importorskip("polars")
    import llmend.polars

    frame = pl.DataFrame({"answer": ANSWERS})
    made = frame.lazy().with_columns(row=llmend.polars.repair("answer", schema=SCHEMA)).collect()
    assert made.schema["row"] == llmend.polars.ROW
    expected = rows(llmend.repair_batch(pa.array(ANSWERS), schema=llmend.Schema(SCHEMA)))
    assert made["row"].struct.field("value").to_list() == [row and row["value"] for row in expected]
    assert made["row"].struct.field("repairs").to_list()[4] == expected[4]["repairs"]
    named = frame.with_columns(pl.col("answer").cast(pl.Categorical)).select(llmend.polars.repair("answer", schema=SCHEMA))
    assert named.to_series().to_list() == made["row"].to_list()
    nothing = pl.DataFrame({"answer": [None, None]}).select(llmend.polars.repair("answer"))
    assert nothing.to_series().to_list() == [None, None]


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
        # Blocks of which some have no text at all, and so another type.
        texts = [None if n < 400 or n % 7 == 0 else MANY[n % len(MANY)] for n in range(4_000)]
        dataset = ray.data.from_items([{"id": n, "answer": text} for n, text in enumerate(texts)], override_num_blocks=20)
        made = llmend.ray.repair(dataset, "answer").take_all()
        told = said_by_the_command(sorted({text for text in texts if text is not None}))
        assert sorted(row["id"] for row in made) == list(range(4_000))
        for row in made:
            text = texts[row["id"]]
            assert row["repaired"] == (None if text is None else told[text])
        fitted = llmend.ray.repair(ray.data.from_items([{"answer": ANSWERS[0]}]), "answer", schema=SCHEMA, batch_size=100)
        assert fitted.take_all()[0]["repaired"]["value"] == '{"n": 3}'
        with pytest.raises(Exception, match="already has a column 'answer'"):
            llmend.ray.repair(dataset.limit(1), "answer", into="answer").take_all()
    finally:
        ray.shutdown()
