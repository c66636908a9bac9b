"""The texts of each task: those of the project's generators and corpora, and those that others have published."""

from __future__ import annotations

import ast
import json
import random
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "testing" / "fixtures"
RECORDED = "canitoolcall==0.1.1"
# Later ones have no tests.
SUITE = "json_repair==0.58.3"

# Texts of a corpus, of each sort where a generator has sorts, at `--texts 1`.
REPAIR = {"damage": 2000, "faults": 20, "surroundings": 12, "records": 12, "nested": 12, "unescaped": 500, "valid": 2000}
CALLS = {"calls": 8, "calls-damaged": 8}
SCHEMA = {"schema-valid": 500, "schema-near": 500, "schema-beyond": 500}
TASKS = ["repair", "calls", "schema", "stream"]


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def compared(source: str) -> Iterator[tuple[str, object]]:
    """The texts that `repair_json` or `loads` gets in a test without further options, and what the result must be."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Compare(left=ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(text))], keywords=words), ops=[ast.Eq()]):
                options = {word.arg for word in words}
                if name not in ("repair_json", "loads") or options - {"return_objects", "skip_json_loads"}:
                    continue
                try:
                    value = ast.literal_eval(node.comparators[0])
                    yield text, json.loads(value) if name == "repair_json" and not options and value else value
                except ValueError:
                    continue


class Texts:
    """Where texts come from: the generator `score`, the fixtures, and packages that are fetched into a folder."""

    def __init__(self, score: str, folder: Path, seed: int, share: float) -> None:
        self.score, self.folder, self.seed, self.share = score, folder, seed, share

    def generated(self, corpus: str, count: int) -> list[dict]:
        file = self.folder / f"{corpus}.jsonl"
        count = max(1, round(count * self.share))
        sizes = ["--n", str(count), "--valid", str(count), "--seed", str(self.seed)]
        subprocess.run([self.score, "--corpus", corpus, *sizes, "--dump", str(file)], check=True, stdout=subprocess.DEVNULL)
        return rows(file)

    def of(self, task: str) -> list[dict]:
        """The cases of a task, each with its corpus."""
        cases = []
        for corpus, found in getattr(self, task)().items():
            for case in found:
                base = {"verdict": "value", "accept": [], "task": task, "corpus": corpus}
                cases.append({**base, **case})
        return cases

    def repair(self) -> dict[str, list[dict]]:
        corpora = {name: rows(FIXTURES / f"{name}.jsonl") for name in ["dev", "defects"]}
        unseen = [row for file in sorted((FIXTURES / "unseen").glob("*.jsonl")) for row in rows(file)]
        corpora["unseen"] = unseen[:: max(1, round(6 / self.share))]
        corpora |= {name: self.generated(name, count) for name, count in REPAIR.items()}
        return corpora | {"json_repair's tests": self.of_json_repair(), "jsonrepair-rs's tests": self.of_jsonrepair_rs()}

    def of_json_repair(self) -> list[dict]:
        """What the tests of `json_repair` compare the result for a text with, in the last source that has them."""
        cases = {}
        with tarfile.open(self.fetched(SUITE, "*.tar.gz", "--no-binary", "json_repair")) as source:
            for member in sorted(source.getnames()):
                if "/tests/test_" in member and member.endswith(".py"):
                    for text, value in compared(source.extractfile(member).read().decode()):
                        # An empty string is how it says that there is nothing.
                        verdict = "error" if value == "" and text.strip() != '""' else "value"
                        case = {"id": f"{Path(member).stem}-{len(cases)}", "input": text, "verdict": verdict}
                        cases.setdefault(text, {**case, "expected": value})
        return list(cases.values())

    def fetched(self, package: str, pattern: str, *options: str) -> Path:
        """The file of a package on PyPI, in a folder of its own."""
        place = self.folder / package
        if not list(place.glob(pattern)):
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
            subprocess.run([*pip, *options, "--dest", str(place), package], check=True)
        return next(place.glob(pattern))

    def of_jsonrepair_rs(self) -> list[dict]:
        """The cases in the tests of `jsonrepair-rs`, where cargo has its source."""
        told = subprocess.run(
            ["cargo", "metadata", "--locked", "--format-version", "1", "--features", "llmend-testing/peers"],
            cwd=ROOT, stdout=subprocess.PIPE, check=True,
        )
        packages = {row["name"]: Path(row["manifest_path"]).parent for row in json.loads(told.stdout)["packages"]}
        file = packages["jsonrepair-rs"] / "tests" / "fixtures" / "parity_cases.json"
        cases = json.loads(file.read_text("utf-8"))["cases"]
        return [{"id": row["name"], "input": row["input"], "expected": json.loads(row["expected"])} for row in cases]

    def calls(self) -> dict[str, list[dict]]:
        written, none = [], []
        for row in (row for file in sorted((FIXTURES / "calls").glob("*.jsonl")) for row in rows(file)):
            expected = [{"name": call["name"], "arguments": call["arguments"]} for call in row["calls"]]
            case = {"id": row["id"], "input": row["text"], "tools": row["tools"], "expected": expected}
            # Where calls are refused beside others, or alone, so may be the text.
            case["verdict"] = "ambiguous" if row.get("refused") else "value"
            (written if expected else none).append(case)
        corpora = {"recorded": self.recorded(), "written": written, "no call": none}
        return corpora | {name: self.generated(name, count) for name, count in CALLS.items()}

    def recorded(self) -> list[dict]:
        """Outputs of models in the package `canitoolcall`, which is fetched."""
        cases = []
        with zipfile.ZipFile(self.fetched(RECORDED, "*.whl")) as wheel:
            for name in sorted(name for name in wheel.namelist() if "/_data/fixtures/" in name and name.endswith(".jsonl")):
                for line in filter(str.strip, wheel.read(name).decode().split("\n")):
                    row = json.loads(line)
                    calls = (row.get("expected") or {}).get("tool_calls") or []
                    # Where a failure is expected, no call may come of it.
                    verdict = "value" if row.get("expected") else "ambiguous"
                    case = {"id": row["id"], "input": row["raw_output"], "tools": row["tools"], "verdict": verdict}
                    cases.append({**case, "expected": [{k: call[k] for k in ("name", "arguments")} for call in calls]})
        return cases

    def schema(self) -> dict[str, list[dict]]:
        return {name: self.generated(name, count) for name, count in SCHEMA.items()}

    def stream(self) -> dict[str, list[dict]]:
        luck = random.Random(self.seed)
        dev = rows(FIXTURES / "dev.jsonl")
        answers = [row for row in dev if row["verdict"] == "value" and not row["accept"]]
        plain = [row for row in self.generated("damage", 300) if isinstance(row["expected"], (dict, list))]
        for index, row in enumerate(plain):
            row["input"] = json.dumps(row["expected"], ensure_ascii=False, indent=2 if index % 2 else None)
        corpora = {"JSON alone": plain, "answers": answers}
        corpora = {name: [cut(row, luck) for row in found] for name, found in corpora.items()}
        return corpora | {"15 KB": [long(plain, 15_000)]}


def cut(row: dict, luck: random.Random) -> dict:
    """A text in some twenty pieces, with the value wanted after each."""
    text, pieces = row["input"], []
    most = max(2, len(text) // 10)
    while text:
        length = luck.randint(1, most)
        pieces.append(text[:length])
        text = text[length:]
    return {**row, "pieces": pieces, "show": list(range(len(pieces)))}


def long(plain: list[dict], size: int) -> dict:
    """A list of records, in pieces of four characters, with nine values wanted in between."""
    items = []
    while len(json.dumps(items)) < size:
        index = len(items)
        note = plain[index % len(plain)]["input"][:200]
        items.append({"id": index, "name": f"record {index}", "done": index % 3 == 0, "cost": index * 2.5, "note": note})
    text = json.dumps(items)
    pieces = [text[at : at + 4] for at in range(0, len(text), 4)]
    show = [len(pieces) * part // 10 for part in range(1, 10)]
    return {"id": f"long-{size}", "input": text, "expected": items, "pieces": pieces, "show": show}


def request(case: dict) -> dict:
    """What a tool is told of a case."""
    keys = {"repair": [], "calls": ["tools"], "schema": ["schema"], "stream": ["pieces", "show"]}[case["task"]]
    text = {} if case["task"] == "stream" else {"text": case["input"]}
    return {"task": case["task"], **text, **{key: case[key] for key in keys}}
