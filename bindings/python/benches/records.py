"""A list of records, as a tool's answer has them, and its models."""

import json
import random

from pydantic import BaseModel


class Nested(BaseModel):
    a: None
    b: list[int]


class Row(BaseModel):
    id: int
    name: str
    email: str
    tags: list[str]
    score: float
    active: bool
    notes: str
    nested: Nested


class Answer(BaseModel):
    rows: list[Row]


def document(size: int) -> str:
    """A list of records, as a tool's answer has them."""
    chance, rows = random.Random(7), []
    while len(json.dumps(rows)) < size:
        rows.append(
            {
                "id": chance.randrange(10**6),
                "name": f"user {chance.randrange(999)}",
                "email": f"u{chance.randrange(10**5)}@example.com",
                "tags": ["alpha", "beta", "gamma"][: chance.randrange(4)],
                "score": round(chance.random() * 100, 2),
                "active": chance.random() < 0.5,
                "notes": "Some text, as a model writes it, of a usual length.",
                "nested": {"a": None, "b": [1, 2, 3]},
            }
        )
    return json.dumps(rows)
