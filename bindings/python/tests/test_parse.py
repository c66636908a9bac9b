"""Does a value come as the type that was asked for, or with every reason why not?"""

import enum
import pickle
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Literal, Optional, TypedDict, Union

import llmend
import pydantic
import pytest


class Level(enum.Enum):
    LOW = "low"
    HIGH = "high"


class Address(pydantic.BaseModel):
    street: str
    zip_code: str = pydantic.Field(alias="zipCode")


class Person(pydantic.BaseModel):
    name: str
    age: int
    level: Level = Level.LOW
    tags: list[str] = []
    address: Optional[Address] = None
    born: Optional[date] = None
    worth: Optional[Decimal] = None


@dataclass
class Point:
    x: int
    y: int = 0


class Movie(TypedDict):
    title: str
    year: int


def test_a_model_is_filled_from_what_was_meant():
    answer = """Here it is: {'Name': 'Ada', 'age': '36', 'level': 'HIGH', 'tags': 'math',
        'address': {'street': 'X', 'zip_code': 12345}, 'born': '1815-12-10', 'worth': 1.10}"""
    outcome = llmend.parse(answer, Person)
    assert outcome.value == Person(
        name="Ada",
        age=36,
        level=Level.HIGH,
        tags=["math"],
        address=Address(street="X", zipCode="12345"),
        born=date(1815, 12, 10),
        worth=Decimal("1.10"),
    )
    kinds = {coercion.kind for coercion in outcome.coercions}
    assert kinds >= {"key-spelling", "number-from-text", "enum-spelling", "single-item"}
    assert all(answer[slice(*coercion.span)] for coercion in outcome.coercions if coercion.span)


@pytest.mark.parametrize(
    ("type", "answer", "expected"),
    [
        (Point, "{'x': '1'}", Point(1)),
        (Movie, "{'Title': 'M', 'year': '1931'}", {"title": "M", "year": 1931}),
        (list[int], "['1', 2]", [1, 2]),
        (dict[str, float], "{a: '1.5'}", {"a": 1.5}),
        (tuple[int, str], "[1, 2]", (1, "2")),
        (Union[int, list[int]], '"7"', 7),
        (Optional[Point], "null", None),
        (Literal["red", "green"], '"Green"', "green"),
        (Annotated[int, pydantic.Field(gt=3)], '"4"', 4),
        (pydantic.TypeAdapter(list[Point]), "[{x: 1}, {x: 2, y: 3}]", [Point(1), Point(2, 3)]),
        (int, "```\n42\n```", 42),
        ({"type": "integer"}, '"42"', 42),
        (llmend.Schema('{"type": "integer"}'), '"42"', 42),
        (True, "[1]", [1]),
    ],
)
def test_whatever_pydantic_takes_is_a_type(type, answer, expected):
    value = llmend.parse(answer, type).sure()
    assert value == expected
    assert value.__class__ is expected.__class__


def test_every_reason_is_told_with_its_place():
    answer = "Sorry, 😀 {'name': ['Ada'], 'age': 'old', 'level': 'medium'}"
    with pytest.raises(llmend.UnfitError) as caught:
        llmend.parse(answer, Person)
    error = caught.value
    found = {row.path: answer[slice(*row.span)] for row in error.violations}
    assert found["/age"] == "'old'"
    assert found["/level"] == "'medium'"
    assert error.value["age"] == "old"
    assert [row.path for row in error.diagnostics][: len(error.violations)] == [
        row.path for row in error.violations
    ]
    assert error.report.status == "repaired"
    assert pickle.loads(pickle.dumps(error)).violations == error.violations


def test_nothing_is_made_up():
    with pytest.raises(llmend.UnfitError) as caught:
        llmend.parse("{'name': 'Ada'}", Person)
    assert [row.keyword for row in caught.value.violations] == ["required"]


def test_what_only_a_validator_of_the_type_knows_is_told_as_well():
    class Even(pydantic.BaseModel):
        n: int

        @pydantic.field_validator("n")
        @classmethod
        def check(cls, n: int) -> int:
            if n % 2:
                raise ValueError("odd")
            return n

    assert llmend.parse("{n: '2'}", Even).value.n == 2
    with pytest.raises(llmend.UnfitError, match="odd") as caught:
        llmend.parse("{n: '3'}", Even)
    (violation,) = caught.value.violations
    assert (violation.code, violation.path) == ("schema/validator", "/n")
    assert isinstance(caught.value.__cause__, pydantic.ValidationError)


def test_coercion_does_as_it_is_told():
    schema = {"type": "array", "items": {"type": "integer"}}
    with pytest.raises(llmend.UnfitError):
        llmend.parse("[1, 'x']", schema)
    outcome = llmend.parse("[1, 'x']", schema, coercing=llmend.Coercing(on_bad_item="drop"))
    assert (outcome.value, outcome.class_, outcome.unsure) == ([1], "loss", True)
    assert outcome.coercions[0].index == 1
    with pytest.raises(llmend.UnsureError, match="dropped-item"):
        outcome.sure()
    with pytest.raises(llmend.UnfitError):
        llmend.parse("['1']", schema, coercing=llmend.Coercing("off"))


def test_a_cut_off_answer_is_unsure():
    outcome = llmend.parse("{'name': 'Ada', 'age': 36, 'tags': ['a', 'b", Person)
    assert outcome.value.tags == ["a", "b"]
    assert outcome.unsure and outcome.report.truncated
    with pytest.raises(llmend.UnsureError) as caught:
        outcome.sure()
    assert caught.value.value == outcome.value


def test_a_schema_or_type_that_cannot_be_used_is_told():
    with pytest.raises(llmend.SchemaError):
        llmend.parse("{}", {"type": "no such type"})
    with pytest.raises(llmend.SchemaError, match="has no JSON Schema"):
        llmend.parse("{}", type(len))


def test_a_type_may_hold_itself():
    class Tree(pydantic.BaseModel):
        name: str
        children: list["Tree"] = []

    tree = llmend.parse("{name: 'a', children: [{name: 'b', children: {name: 1}}]}", Tree).value
    assert tree.children[0].children[0].name == "1"
