"""How many answers a second are repaired on Spark, and is it the same as what the command says?

    pip install 'llmend[spark]' json_repair==0.64.5
    python benches/spark.py --rows 1000000 --plot ../../docs/guide/python/on-spark.svg

Answers of the corpora, again and again, are written to Parquet and read, repaired and written by Spark on
executors that are processes of their own, one core each. Every row that comes out is compared with what the
command says of it. Then the same is measured without the writing, for one core and for each more that there is,
beside a plain function of Python with `json_repair`, and beside the command alone. The plot is drawn from
that.

A machine that has other work to do gives the executors only a part of its cores. So rows are counted for each second of
processor time that the executors and their workers took, all of their threads together, and a core is taken
to have one such second in a second. What the clock said is printed beside it. Were there something that executors wait
for or share, rows would cost more time with more of them, and the line would bend.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

FIXTURES = Path(__file__).resolve().parents[3] / "testing" / "fixtures"
FILES = 16


def answers(rows: int) -> list[str]:
    texts = []
    for name in ["defects", "dev"]:
        with open(FIXTURES / f"{name}.jsonl", encoding="utf-8") as lines:
            texts += [json.loads(line)["input"] for line in lines]
    return [texts[n % len(texts)] for n in range(rows)]


def written(folder: Path, texts: list[str]) -> None:
    """The answers as Parquet, in several files with several groups of rows, each with its number."""
    folder.mkdir()
    for part in range(FILES):
        table = pa.table({"id": range(part, len(texts), FILES), "answer": texts[part::FILES]})
        pq.write_table(table, folder / f"{part:02}.parquet", row_group_size=20_000)


def session(cores: int):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    made = (
        SparkSession.builder.master(f"local-cluster[{cores},1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        # A task for each file, so that no core waits long for the last one.
        .config("spark.sql.files.openCostInBytes", str(128 << 20))
        .getOrCreate()
    )
    made.sparkContext.setLogLevel("OFF")
    return made


def repaired(frame):
    from llmend.spark import repair

    return repair(frame, "answer")


def plain(frame):
    """What people write without us: a function of Python for each row."""
    from pyspark.sql import functions as F

    def mend(answer: str) -> str:
        import json_repair

        return json_repair.repair_json(answer)

    return frame.withColumn("repaired", F.udf(mend, "string")("answer"))


def unchanged(frame):
    """What Spark needs for itself: the same way to Python and back, with nothing done there."""
    return frame.mapInArrow(lambda batches: batches, frame.schema)


WAYS = {"llmend": repaired, "plain": plain, "unchanged": unchanged}


def processor() -> float:
    """Seconds of processor time that the executors and their workers took: all that descends from the Java
    of this process, which drives them."""
    parents, took = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            row = Path(f"/proc/{name}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        # Its own time, and that of children that have ended.
        parents[int(name)], took[int(name)] = int(row[1]), sum(map(int, row[11:15]))

    def depth(process: int) -> int | None:
        steps = 0
        while process != os.getpid():
            if process not in parents:
                return None
            process, steps = parents[process], steps + 1
        return steps

    executors = [process for process in took if (depth(process) or 0) >= 2]
    return sum(took[process] for process in executors) / os.sysconf("SC_CLK_TCK")


def measure(source: Path, cores: int, way: str) -> tuple[float, float]:
    """Seconds that it takes to read, repair, and throw away, on the clock and of the processors: the least of
    two runs, after one that starts the workers."""
    spark = session(cores)
    least = (float("inf"), float("inf"))
    for turn in range(3):
        started, before = time.perf_counter(), processor()
        WAYS[way](spark.read.parquet(str(source))).write.format("noop").mode("overwrite").save()
        if turn:
            least = min(least[0], time.perf_counter() - started), min(least[1], processor() - before)
    spark.stop()
    return least


def through(source: Path, target: Path) -> float:
    """Seconds from Parquet to Parquet on two executors."""
    spark = session(2)
    started = time.perf_counter()
    repaired(spark.read.parquet(str(source))).write.parquet(str(target))
    took = time.perf_counter() - started
    spark.stop()
    return took


def apart(*arguments: object) -> list[float]:
    """A measurement in a process of its own, as a session of Spark outlives what it was made for."""
    command = [sys.executable, __file__, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [float(word) for word in done.stdout.splitlines()[-1].split()]


def commanded(folder: Path, texts: list[str]) -> tuple[float, Path]:
    """Seconds that the command takes with all cores, and the file that it writes."""
    source, target = folder / "in.jsonl", folder / "out.jsonl"
    with open(source, "w", encoding="utf-8") as file:
        file.writelines(json.dumps({"answer": text}) + "\n" for text in texts)
    started = time.perf_counter()
    with open(source, "rb") as given, open(target, "wb") as taken:
        command = [sys.executable, "-m", "llmend", "batch", "--field", "answer"]
        subprocess.run(command, stdin=given, stdout=taken, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started, target


def compared(made: Path, told: Path) -> tuple[int, int]:
    """How many rows there are, all of them as the command has them, and how many could not be repaired."""
    table = pq.read_table(made).sort_by("id")
    rows, refused = 0, 0
    with open(told, encoding="utf-8") as lines:
        for batch in table.to_batches(max_chunksize=10_000):
            column = batch.column("repaired")
            ids, values = batch.column("id").to_pylist(), column.field("value").to_pylist()
            statuses, errors = column.field("status").to_pylist(), column.field("error").to_pylist()
            for number, value, status, error in zip(ids, values, statuses, errors, strict=True):
                said = json.loads(next(lines))
                code, said_code = (error or {}).get("code"), (said["error"] or {}).get("code")
                assert number == rows, "each row once, and none left out"
                assert (value, status, code) == (said["json"], said["status"], said_code), said
                rows += 1
                refused += error is not None
        assert next(lines, None) is None
    return rows, refused


def steps() -> Iterator[int]:
    """Round numbers that grow: 1, 2, 5, 10, 20 and so on."""
    return (digit * 10**zeros for zeros in itertools.count() for digit in [1, 2, 5])


def plot(rates: dict[str, dict[int, float]], told: str) -> str:
    """Rows per second over cores, as SVG; dashed, what twice the cores would do if they did twice the rows."""
    width, height, left, bottom, top = 640, 360, 80, 50, 30
    most_cores = max(max(line) for line in rates.values())
    most = max(max(line.values()) for line in rates.values())
    most = max(most, rates["llmend"][1] * most_cores) * 1.05
    step = next(size for size in steps() if most / size < 6)

    def point(cores: float, rate: float) -> tuple[float, float]:
        x = left + (width - left - 90) * (cores / most_cores)
        return x, height - bottom - (height - bottom - top) * (rate / most)

    def line(points: list[tuple[float, float]], more: str) -> str:
        said = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        return f'<polyline points="{said}" fill="none" {more}/>'

    colors = {"unchanged": "#888", "llmend": "#0b6", "plain": "#c43"}
    names = {"unchanged": "Spark alone", "llmend": "llmend", "plain": "json_repair"}
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" font-family="sans-serif" font-size="12">',
        f"<title>Rows per second over cores: {told}</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        line([point(0, most), point(0, 0), point(most_cores, 0)], 'stroke="#444"'),
    ]
    for part in range(1, int(most // step) + 1):
        rate = step * part
        x, y = point(0, rate)
        out.append(f'<text x="{x - 6:.0f}" y="{y + 4:.0f}" text-anchor="end">{rate:,.0f}</text>')
        out.append(line([(x, y), (point(most_cores, 0)[0], y)], 'stroke="#ddd"'))
    for cores in range(1, most_cores + 1):
        x, y = point(cores, 0)
        out.append(f'<text x="{x:.0f}" y="{y + 18:.0f}" text-anchor="middle">{cores}</text>')
    out.append(f'<text x="{(left + width) / 2:.0f}" y="{height - 10}" text-anchor="middle">cores</text>')
    out.append('<text x="8" y="18">rows in a second of so many cores</text>')
    ideal = [point(0, 0), point(most_cores, rates["llmend"][1] * most_cores)]
    out.append(line(ideal, 'stroke="#0b6" stroke-dasharray="4 4" opacity="0.6"'))
    for name, rows in rates.items():
        points = [point(cores, rate) for cores, rate in sorted(rows.items())]
        out.append(line(points, f'stroke="{colors[name]}" stroke-width="2"'))
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colors[name]}"/>' for x, y in points]
        x, y = points[-1]
        out.append(f'<text x="{x + 8:.0f}" y="{y + 4:.0f}" fill="{colors[name]}">{names[name]}</text>')
    return "\n".join([*out, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--plain-rows", type=int, default=20_000, help="rows for json_repair, which is slower")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--plot", type=Path)
    rows = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = answers(rows.rows)
        written(folder / "all", texts)
        written(folder / "few", texts[: rows.plain_rows])

        [took] = apart("through", folder / "all", folder / "out")
        print(f"Parquet to Parquet on local-cluster[2,1,1024]: {rows.rows:,} rows in {took:.1f} s")
        took, told = commanded(folder, texts)
        print(f"the command, {os.cpu_count()} cores: {rows.rows / took:,.0f} rows a second")
        count, refused = compared(folder / "out", told)
        print(f"{count:,} rows as the command has them, {refused:,} of them errors")

        rates: dict[str, dict[int, float]] = {name: {} for name in ["llmend", "unchanged", "plain"]}
        for cores in range(1, rows.cores + 1):
            for way, line in rates.items():
                source, many = (folder / "few", rows.plain_rows) if way == "plain" else (folder / "all", rows.rows)
                clock, processors = apart("measure", source, cores, way)
                line[cores] = many / processors * cores
                load = os.getloadavg()[0]
                print(
                    f"{cores} cores, {way}: {many / processors:,.0f} rows a second of a processor,"
                    f" {many / clock:,.0f} a second on the clock (load {load:.0f})",
                    flush=True,
                )
        if rows.plot is not None:
            mean = sum(map(len, texts)) / len(texts)
            rows.plot.write_text(plot(rates, f"{rows.rows:,} answers of {mean:.0f} characters on the mean"), "utf-8")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["measure", source, cores, way]:
            print(*measure(Path(source), int(cores), way))
        case ["through", source, target]:
            print(through(Path(source), Path(target)))
        case _:
            main()
