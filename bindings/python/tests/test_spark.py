"""Is a column repaired on Spark as the command repairs it, on executors that are processes?"""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import llmend
import pytest
from conftest import cases

pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("there is no Java", allow_module_level=True)
pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

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


def test_parquet_in_and_out_is_what_the_command_says(session, answers, tmp_path):
    from llmend.spark import repair

    frame = session.read.parquet(str(answers)).repartition(8)
    repair(frame, "answer", into="made").write.parquet(str(tmp_path / "out"))
    made = {row["id"]: row for row in pq.read_table(tmp_path / "out").to_pylist()}
    assert sorted(made) == list(range(ROWS))
    texts = {row["id"]: row["answer"] for row in pq.read_table(answers).to_pylist()}
    assert made[5]["made"] is None

    unique = [n for n in range(min(ROWS, 400)) if texts[n] is not None]
    lines = "".join(json.dumps({"answer": texts[n]}) + "\n" for n in unique)
    command = [sys.executable, "-m", "llmend", "batch", "--field", "answer"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", check=True)
    told = {texts[n]: json.loads(line) for n, line in zip(unique, done.stdout.splitlines(), strict=True)}
    refused = 0
    for n, text in texts.items():
        if text is None:
            continue
        row = made[n]["made"]
        assert row["value"] == told[text]["json"]
        assert row["status"] == told[text]["status"]
        assert (row["error"] or {}).get("code") == (told[text]["error"] or {}).get("code")
        refused += row["error"] is not None
    assert refused > 0


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
    made = pq.read_table(tmp_path / "out")
    assert sorted(made["id"].to_pylist()) == list(range(ROWS))


def test_the_page_on_spark_runs(session):
    from conftest import REPOSITORY
    from test_docs import BLOCK

    page = (REPOSITORY / "docs" / "python" / "on-spark.md").read_text("utf-8")
    names = {"spark": session}
    for _, code in BLOCK.findall(page):
        exec(compile(code, "on-spark.md", "exec"), names)
