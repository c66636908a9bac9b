"""Is a column repaired on Spark as the command repairs it, on executors that are processes?"""

import os
import shutil
import signal
import sys
from pathlib import Path

import llmend
import pytest
from conftest import cases, said_by_the_command

pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("there is no Java", allow_module_level=True)
pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402
from test_rows import given, plain  # noqa: E402

ROWS = int(os.environ.get("SPARK_ROWS", "20000"))


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .appName("llmend")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.task.maxFailures", "8")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def answers(tmp_path_factory) -> Path:
    texts = [case["input"] for case in cases("defects") + cases("dev")]
    texts = [texts[n % len(texts)] for n in range(ROWS)]
    texts[5] = None
    folder = tmp_path_factory.mktemp("answers")
    for part in range(4):
        column = texts[part::4]
        ids = list(range(part, ROWS, 4))
        pq.write_table(pa.table({"id": ids, "answer": pa.array(column, pa.string())}), folder / f"{part}.parquet")
    return folder


def test_rows_are_of_the_type_that_is_given(session):
    from llmend.spark import ROW
    from pyspark.sql.pandas.types import to_arrow_type
    from pyspark.sql.types import _parse_datatype_string

    assert plain(to_arrow_type(_parse_datatype_string(ROW))) == plain(given())


def test_parquet_in_and_out_is_what_the_command_says(session, answers, tmp_path):
    from llmend.spark import repair

    frame = session.read.parquet(str(answers)).repartition(8)
    repair(frame, "answer", into="made").write.parquet(str(tmp_path / "out"))
    made = {row["id"]: row for row in pq.read_table(tmp_path / "out").to_pylist()}
    assert sorted(made) == list(range(ROWS))
    texts = {row["id"]: row["answer"] for row in pq.read_table(answers).to_pylist()}
    assert made[5]["made"] is None

    told = said_by_the_command(sorted({text for text in texts.values() if text is not None}))
    refused = 0
    for n, text in texts.items():
        row = made[n]["made"]
        assert row == (None if text is None else told[text])
        refused += row is not None and row["error"] is not None
    assert refused > 0


def test_what_is_no_utf_8_ends_no_job(session):
    from llmend.spark import register, repair

    register(session, "mend_all")
    frame = session.sql("SELECT cast(unhex('ff5b31c3') as string) AS answer UNION ALL SELECT '[1,]'")
    for made in [repair(frame, "answer"), frame.selectExpr("mend_all(answer) AS repaired")]:
        rows = sorted((row.repaired for row in made.select("repaired").collect()), key=lambda row: row.status)
        assert (rows[0].status, rows[0].error.code) == ("refused", "input/utf8")
        assert rows[1].value == "[1]"


def test_names_are_those_of_spark(session):
    from pyspark.errors import AnalysisException

    from llmend.spark import repair

    frame = session.sql("SELECT 1 AS id, '[1,]' AS Answer, named_struct('text', '[2,]') AS reply")
    for column, value in [("answer", "[1]"), ("ANSWER", "[1]"), ("reply.text", "[2]")]:
        made = repair(frame, column)
        assert made.columns == ["id", "Answer", "reply", "repaired"]
        row = made.collect()[0]
        assert (row.repaired.value, row.Answer, row.id) == (value, "[1,]", 1)
    for taken in ["Answer", "answer"]:
        with pytest.raises(ValueError, match="already has a column 'Answer'"):
            repair(frame, "answer", into=taken)
    with pytest.raises(AnalysisException):
        repair(frame, "anser")


def test_a_function_of_sql(session):
    from llmend.spark import function, register

    register(session, "mend", schema={"type": "object"})
    row = session.sql("SELECT mend('{\\'a\\': 1,}') AS made").collect()[0]["made"]
    assert (row.value, row.status, row.error) == ('{"a": 1}', "repaired", None)
    frame = session.createDataFrame([("[1,]",), (None,), ("nothing",)], "answer string")
    made = [row.made for row in frame.select(function()("answer").alias("made")).collect()]
    assert made[0].value == "[1]" and made[1] is None and made[2].error.code == "extract/no-json"


def test_the_job_survives_a_killed_executor(session, answers, tmp_path):
    from pyspark import TaskContext

    from llmend.spark import repair

    killed = tmp_path / "killed"

    def kill(batches):
        # Once: what the executor held is made again, by tasks of a new first attempt.
        if TaskContext.get().partitionId() == 3 and not killed.exists():
            # The parent of the worker's daemon is the executor that runs this task, and others.
            daemon = Path(f"/proc/{os.getppid()}/stat").read_text().rsplit(")", 1)[1].split()
            killed.write_text(daemon[1])
            os.kill(int(daemon[1]), signal.SIGKILL)
        yield from batches

    frame = session.read.parquet(str(answers)).repartition(8)
    frame = frame.mapInArrow(kill, frame.schema)
    repair(frame, "answer").write.parquet(str(tmp_path / "out"))
    assert not Path(f"/proc/{killed.read_text()}").exists()
    made = pq.read_table(tmp_path / "out").sort_by("id")
    assert made["id"].to_pylist() == list(range(ROWS))
    texts = pq.read_table(answers).sort_by("id")["answer"].combine_chunks()
    assert made["repaired"].to_pylist() == pa.array(llmend.repair_batch(texts)).to_pylist()


def test_the_page_on_spark_runs(session):
    from conftest import REPOSITORY
    from test_docs import BLOCK

    page = (REPOSITORY / "docs" / "guide" / "python" / "on-spark.md").read_text("utf-8")
    names = {"spark": session}
    for _, code in BLOCK.findall(page):
        exec(compile(code, "on-spark.md", "exec"), names)
