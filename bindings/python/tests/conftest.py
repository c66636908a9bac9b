"""What the tests share."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
FIXTURES = REPOSITORY / "testing" / "fixtures"


def cases(name: str) -> list[dict]:
    """The rows of a corpus: `input`, `expected`, `accept`, `verdict`."""
    with open(FIXTURES / f"{name}.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def corpora() -> list[dict]:
    return cases("defects") + cases("dev")


def generated_cases(folder: Path, count: int) -> list[dict]:
    """Texts that the generators of the repository damage, each with the value that is meant."""
    file = folder / "generated.jsonl"
    score = os.environ.get("SCORE")
    built = ["cargo", "run", "--quiet", "--release", "-p", "llmend-testing", "--bin", "score", "--"]
    command = [score] if score else built
    arguments = ["--corpus", "damage", "--n", str(count), "--dump", str(file)]
    subprocess.run([*command, *arguments], cwd=REPOSITORY, check=True, capture_output=True)
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def said_by_the_command(texts: list[str]) -> dict[str, dict]:
    """What `llmend batch` says of each text, as the row of a column: with places in code points."""
    lines = "".join(json.dumps({"answer": text}) + "\n" for text in texts)
    command = [sys.executable, "-m", "llmend", "batch", "--quiet", "--field", "answer"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", check=True)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    return {text: _as_row(text, row) for text, row in zip(texts, told, strict=True)}


def _as_row(text: str, told: dict) -> dict:
    encoded = text.encode()

    def placed(part: dict) -> dict:
        places = {key: part[key] for key in ["start", "end"]}
        counted = {key: None if at is None else len(encoded[:at].decode()) for key, at in places.items()}
        return {**part, **counted}

    def repair(part: dict) -> dict:
        return {key: part[key] for key in ["rule", "class", "start", "end", "replacement"]}

    error = told["error"] and {key: told["error"][key] for key in ["code", "message", "start", "end"]}
    return {
        "value": told["json"],
        **{key: told[key] for key in ["status", "class", "truncated"]},
        "repairs": [placed(repair(part)) for part in told["repairs"]],
        "error": error and placed(error),
    }


def pytest_terminal_summary(terminalreporter):
    """Shows which versions of other packages were tested."""
    for report in terminalreporter.getreports("passed"):
        if report.nodeid.endswith("::test_versions"):
            terminalreporter.write_line(report.capstdout.strip())
