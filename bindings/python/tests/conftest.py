"""What the tests share."""

import json
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
