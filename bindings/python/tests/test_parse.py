"""Does a value come as the type that was asked for, or with every reason why not?"""

import enum
import json
import pickle
import time as time_module
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from ipaddress import IPv4Address
from typing import Annotated, Any, Literal, NamedTuple, Optional, TypedDict, Union

import llmend
import pydantic
import pytest
from llmend import _llmend


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


def test_every_reason_is_reported_with_its_place():
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


def test_an_error_says_what_was_expected_and_where():
    for schema, answer, message in [
        ({"exclusiveMinimum": 10}, "5", "expected more than 10, found 5"),
        ({"items": {"multipleOf": 2}}, "[5]", "expected a multiple of 2, found 5 (at `/0`)"),
    ]:
        with pytest.raises(llmend.UnfitError) as caught:
            llmend.parse(answer, schema)
        assert str(caught.value) == f"the value does not fit the schema: {message}"


def test_an_error_counts_the_other_violations():
    # crates/llmend/tests/fit.rs has the same rows.
    for answer, rest in [
        ("[5]", ""),
        ("[5, 7]", ", and one more violation"),
        ("[5, 7, 9]", ", and 2 more violations"),
    ]:
        with pytest.raises(llmend.UnfitError) as caught:
            llmend.parse(answer, {"items": {"multipleOf": 2}})
        message = "the value does not fit the schema: expected a multiple of 2, found 5 (at `/0`)"
        assert str(caught.value) == message + rest


def test_nothing_is_made_up():
    with pytest.raises(llmend.UnfitError) as caught:
        llmend.parse("{'name': 'Ada'}", Person)
    assert [row.keyword for row in caught.value.violations] == ["required"]


def test_what_only_a_validator_of_the_type_knows_is_reported_as_well():
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


def test_coercion_follows_its_options():
    schema = {"type": "array", "items": {"type": "integer"}}
    with pytest.raises(llmend.UnfitError):
        llmend.parse("[1, 'x']", schema)
    outcome = llmend.parse("[1, 'x']", schema, coerce=llmend.CoerceOptions(on_bad_item="drop"))
    assert (outcome.value, outcome.class_, outcome.unsure) == ([1], "loss", True)
    assert outcome.coercions[0].index == 1
    with pytest.raises(llmend.UnsureError, match="dropped-item"):
        outcome.sure()
    with pytest.raises(llmend.UnfitError):
        llmend.parse("['1']", schema, coerce=llmend.CoerceOptions("off"))


def test_a_cut_off_answer_is_unsure():
    outcome = llmend.parse("{'name': 'Ada', 'age': 36, 'tags': ['a', 'b", Person)
    assert outcome.value.tags == ["a", "b"]
    assert outcome.unsure and outcome.report.truncated
    with pytest.raises(llmend.UnsureError) as caught:
        outcome.sure()
    assert caught.value.value == outcome.value


def test_a_schema_or_type_that_cannot_be_used_is_reported():
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


class Left(pydantic.BaseModel):
    x: int = 0


class Right(pydantic.BaseModel):
    x: int = 0


def test_equal_unions_are_read_each_in_its_own_order():
    for of in [Union[Left, Right], Union[Right, Left], list[Union[Left, Right]], list[Union[Right, Left]]]:
        answer = '[{"x": 1}]' if "list" in str(of) else '{"x": 1}'
        expected = pydantic.TypeAdapter(of).validate_json(answer)
        value = llmend.parse(answer, of).value
        assert repr(value) == repr(expected)


class Bill(pydantic.BaseModel):
    price: Decimal
    count: int = 0
    share: float = 0.0
    either: Union[str, float] = ""
    inner: Optional["Bill"] = None


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("{'price': 19.990000000000000000001}", Bill(price=Decimal("19.990000000000000000001"))),
        ("{'price': 12345678901234567.89}", Bill(price=Decimal("12345678901234567.89"))),
        ('{"price": 1, "count": 9007199254740993.0}', Bill(price=1, count=9007199254740993)),
        ('{"price": 1, "count": 1e30}', Bill(price=1, count=10**30)),
        (
            '{"price": 1.10, "share": 0.1000000000000000000001, "either": 2.0000000000000000000001}',
            Bill(price=Decimal("1.1"), share=0.1, either=2.0),
        ),
        (
            '{"price": 1, "inner": {"price": 0.1000000000000000000001, "either": 0.1000000000000000000001}}',
            Bill(price=1, inner=Bill(price=Decimal("0.1000000000000000000001"), either=0.1)),
        ),
    ],
)
def test_a_number_has_every_digit_where_the_type_holds_them(answer, value):
    made = llmend.parse(answer, Bill).value
    assert repr(made) == repr(value)
    assert made.price == value.price


class Loud(pydantic.BaseModel):
    price: Decimal
    others: list[Any] = []

    @pydantic.field_serializer("price")
    def nobody_asked(self, value: Decimal) -> str:
        raise ZeroDivisionError


@pytest.mark.parametrize("count", [1, 40])
def test_a_number_has_every_digit_beside_others_that_have_not(count):
    others = ", ".join(["0.12345678901234567891"] * count)
    made = llmend.parse(f'{{"price": 1.00000000000000000001, "others": [{others}]}}', Loud).value
    assert str(made.price) == "1.00000000000000000001"
    assert made.others == [0.12345678901234567891] * count


@pytest.mark.parametrize(
    ("json", "expected"),
    [
        ("", False),
        ('{"a": 123456789.12345, "b": "e"}', False),
        ('{"a": 0.1234567890123}', False),
        ('{"a": 0.12345678901234}', True),
        ("1234567890123456", True),
        ("[1e5]", True),
        ("[1.5E-7]", True),
        ('["apple", -1, "x1e"]', True),
    ],
)
def test_only_what_64_bits_may_not_hold_is_inspected(json, expected):
    assert _llmend.has_long_number(json) is expected


class Either(pydantic.BaseModel):
    s: Union[str, Decimal]


def test_a_number_that_a_longer_one_is_near_to_is_no_loss():
    made = llmend.parse('{"price": 1.0, "others": [1.00000000000000000001, "x"]}', Loud).value
    assert (made.price, made.others) == (Decimal(1), [1.0, "x"])


def test_many_long_numbers_are_read_in_a_moment():
    others = ", ".join(["0.12345678901234567891"] * 20_000)
    start = time_module.perf_counter()
    assert len(llmend.parse(f'{{"price": 1.5, "others": [{others}]}}', Loud).value.others) == 20_000
    assert time_module.perf_counter() - start < 20


def test_digits_that_cannot_be_kept_are_reported():
    assert llmend.parse("{'s': 1.5}", Either).value.s == Decimal("1.5")
    for digits in ["12345678901234567890.5", "2.0000000000000000000001", "0.50000000000000000000001"]:
        with pytest.raises(llmend.UnfitError, match=f"cannot keep all digits of {digits}"):
            llmend.parse(f"{{'s': {digits}}}", Either)


@pytest.mark.parametrize("text", ['{"type": "integer"}', "print('run') or int", b"int"])
def test_text_is_no_type(text, capsys):
    asked = [
        lambda: llmend.parse("[1]", text),
        lambda: llmend.Stream(text),
        lambda: llmend.repair_batch([], schema=text),
        lambda: llmend.ask(lambda _: "1", "One.", text),
    ]
    for ask in asked:
        with pytest.raises(TypeError, match="llmend.Schema"):
            ask()
    assert capsys.readouterr().out == ""


class Profile(pydantic.BaseModel):
    firstName: str
    middleName: Optional[str] = None
    tags: list[str] = []
    zipCode: int = 0
    partner: Optional["Profile"] = None


@dataclass
class Card:
    ownerName: str = ""
    tags: tuple[str, ...] = ()


class Row(TypedDict, total=False):
    ownerName: str


PROFILE = """{"first_name": "Ada", "middle_name": "K", "Tags": ["x"], "zip_code": "123",
    "partner": {"first_name": "Bob", "MiddleName": "L"}}"""


def test_what_spells_an_optional_field_otherwise_is_not_lost():
    expected = Profile(
        firstName="Ada",
        middleName="K",
        tags=["x"],
        zipCode=123,
        partner=Profile(firstName="Bob", middleName="L"),
    )
    outcome = llmend.parse(PROFILE, Profile)
    assert outcome.value == expected and outcome.class_ == "notation"
    renamed = {row.path for row in outcome.coercions if row.kind == "key-spelling"}
    assert renamed == {
        "/firstName",
        "/middleName",
        "/tags",
        "/zipCode",
        "/partner/firstName",
        "/partner/middleName",
    }
    stream = llmend.Stream(Profile)
    stream.push(PROFILE)
    assert stream.finish().value == expected
    answered = llmend.ask(lambda request: PROFILE, "Who?", Profile)
    assert answered.value == expected
    assert llmend.parse('{"OwnerName": "Ada", "Tags": ["x"]}', Card).value == Card("Ada", ("x",))
    assert llmend.parse('{"owner_name": "Ada"}', Row).value == {"ownerName": "Ada"}
    # What a schema does not forbid stays as it is said.
    schema = {"type": "object", "properties": {"ownerName": {"type": "string"}}}
    assert llmend.parse('{"owner_name": "Ada"}', schema).value == {"owner_name": "Ada"}


def test_what_a_renamed_field_says_has_to_fit():
    with pytest.raises(llmend.UnfitError) as caught:
        llmend.parse('{"firstName": "Ada", "zip_code": "Oslo"}', Profile)
    assert caught.value.violations[0].path == "/zipCode"


def test_a_model_that_keeps_further_members_keeps_them():
    class Open(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(extra="allow")
        zipCode: int = 0

    value = llmend.parse('{"zip_code": 1}', Open).value
    assert value.model_dump() == {"zipCode": 0, "zip_code": 1}


class Loose(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(populate_by_name=True)
    at: Optional[datetime] = None
    hour: Optional[time] = None
    numbers: set[int] = set()
    name: str = pydantic.Field(validation_alias=pydantic.AliasChoices("called", "known_as"))


def test_what_the_type_takes_fits_although_its_schema_asks_for_more():
    answer = "{'at': '2024-01-02T03:04:05', 'hour': '03:04:05', 'numbers': [1, 1], 'known_as': 'Ada'}"
    value = llmend.parse(answer, Loose).value
    assert value.at == datetime(2024, 1, 2, 3, 4, 5) and value.hour == time(3, 4, 5)
    assert (value.numbers, value.name) == ({1}, "Ada")
    with pytest.raises(llmend.UnfitError):
        llmend.parse("{'at': '03/04/2024 10:00', 'known_as': 'Ada'}", Loose)
    with pytest.raises(llmend.UnfitError):
        llmend.parse("{'at': '2024-01-02T03:04:05'}", Loose)


class Wide(pydantic.BaseModel):
    at: datetime = datetime.min
    day: Optional[date] = None
    hour: time = time()
    span: timedelta = timedelta()
    address: IPv4Address = IPv4Address(0)
    share: float = 0.0
    flag: bool = False
    count: Annotated[int, pydantic.Field(ge=0)] = 0
    price: Annotated[Decimal, pydantic.Field(allow_inf_nan=True)] = Decimal()
    one: Literal[1] = 1
    counts: dict[int, int] = {}


@pytest.mark.parametrize(
    "answer",
    [
        '{"at": 1700000000}',
        '{"at": 1700000000.5}',
        '{"day": 1700006400}',
        '{"hour": 3600}',
        '{"span": 90}',
        '{"span": 1.5}',
        '{"address": 3232235777}',
        '{"share": "nan"}',
        '{"share": "inf"}',
        '{"share": true}',
        '{"flag": "t"}',
        '{"flag": 1.0}',
        '{"count": true}',
        '{"price": "NaN"}',
        '{"price": "1.50"}',
        '{"price": " +1_0E2 "}',
        '{"one": true}',
        '{"counts": {"1": true}}',
    ],
)
def test_what_the_type_reads_as_it_is_fits(answer):
    expected = repr(Wide.model_validate_json(answer))
    assert repr(llmend.parse(answer, Wide).value) == expected
    stream = llmend.Stream(Wide)
    stream.push(answer)
    assert repr(stream.finish().value) == expected


def test_a_type_is_not_asked_to_drop_one_of_two_values():
    with pytest.raises(llmend.UnfitError) as caught:
        llmend.parse('{"count": 1, "count": 2}', Wide)
    assert caught.value.code == "schema/duplicate-key"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("'1,234.50'", "1234.5"),
        ("'1,234,567,890,123,456,789.01234567890123456789'", "1234567890123456789.01234567890123456789"),
        ("'$5'", "5"),
        ("'$0.1000000000000000000001'", "0.1000000000000000000001"),
        ("'1.50'", "1.50"),
    ],
)
def test_a_decimal_is_coerced_as_a_float_is(answer, expected):
    strip = llmend.CoerceOptions(units="strip")
    answer = "{'price': %s}" % answer
    for type in [Decimal, Optional[Decimal], Annotated[Decimal, pydantic.Field(gt=0, max_digits=40)]]:
        assert str(llmend.parse(answer, dict[str, type], coerce=strip).value["price"]) == expected
    assert llmend.parse(answer, dict[str, float], coerce=strip).value["price"] == float(expected)


@pytest.mark.parametrize("answer", ["'$5'", "'3,14'", "'five'", "'1.2.3'"])
def test_what_is_no_decimal_is_refused_as_what_is_no_float(answer):
    def refused(type):
        with pytest.raises(llmend.UnfitError) as caught:
            llmend.parse("{'price': %s}" % answer, dict[str, type])
        (row,) = caught.value.violations
        return row.code, row.path, row.message, row.expected, row.found, row.span

    assert refused(Decimal) == refused(float)


def test_a_type_is_not_asked_to_drop_what_the_caller_refuses():
    with pytest.raises(llmend.UnfitError) as caught:
        llmend.parse('{"count": 1, "more": 2}', Wide, coerce=llmend.CoerceOptions(on_extra="fail"))
    assert caught.value.code == "schema/extra"


class Place(NamedTuple):
    x: int
    y: int = 2


@pytest.mark.parametrize("answer", ["{'x': '1', 'y': 5}", "['1', 5]", "{'X': 1, 'y': 5}"])
def test_a_named_tuple_is_read_from_an_object_or_a_list(answer):
    assert llmend.parse(answer, Place).value == Place(1, 5)
    assert llmend.parse("{'places': [%s]}" % answer, dict[str, list[Place]]).value == {"places": [Place(1, 5)]}
    assert llmend.parse("{'x': 1}", Place).value == llmend.parse("[1]", Place).value == Place(1, 2)


@pytest.mark.parametrize("answer", ["{'y': 5}", "{'x': 1, 'z': 3}", "[1, 2, 3]", "{'x': 'one'}"])
def test_what_is_no_named_tuple_is_refused(answer):
    with pytest.raises(llmend.UnfitError):
        llmend.parse(answer, Place)


def test_results_may_equal_what_knows_them():
    class Anything:
        def __eq__(self, other: object) -> bool:
            return True

    for make in [llmend.repair, llmend.parse]:
        assert make("[1,]") == make("[1,]") != make("[1]")
        assert make("[1,]") == Anything() and make("[1,]") != "[1]"


class Early(pydantic.BaseModel):
    tags: list[str]
    count: int = 0

    @pydantic.field_validator("tags", mode="before")
    @classmethod
    def split(cls, value: object) -> object:
        return value.split(",") if isinstance(value, str) else value

    @pydantic.model_validator(mode="before")
    @classmethod
    def unwrapped(cls, value: object) -> object:
        return value


def test_a_validator_that_runs_before_the_type_sees_what_the_answer_says():
    assert llmend.parse("{'Tags': 'a,b', 'count': '3'}", Early).value == Early(tags=["a", "b"], count=3)
    stream = llmend.Stream(Early)
    stream.push("{'tags': 'a,b'}")
    assert stream.finish().value.tags == ["a", "b"]
    with pytest.raises(llmend.UnfitError) as caught:
        llmend.parse("{'tags': 3}", Early)
    assert [(row.code, row.path) for row in caught.value.violations] == [("schema/validator", "/tags")]


@pytest.mark.parametrize("schema", [{"const": 10**30}, {"enum": [1, -(10**30)]}, {"const": 1e30}])
def test_a_number_that_would_stand_for_others_is_no_value_to_compare_with(schema):
    with pytest.raises(llmend.SchemaError, match="cannot be represented exactly"):
        llmend.Schema(schema)
    assert llmend.parse(str(10**30), llmend.Schema({"minimum": 10**30})).value == 10**30
    assert llmend.parse(str(2**64 - 1), llmend.Schema({"const": 2**64 - 1})).value == 2**64 - 1


def test_a_schema_keeps_the_order_of_its_members():
    schema = {"type": "object", "properties": {"z": {}, "a": {}}, "additionalProperties": False}
    for made in [llmend.Schema(schema), pickle.loads(pickle.dumps(llmend.Schema(schema)))]:
        assert json.dumps(made.json) == json.dumps(schema)


def test_a_schema_is_compiled_anew_once_it_changes():
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    assert llmend.parse("{'n': '3'}", schema).value == {"n": 3}
    schema["properties"]["n"]["type"] = "string"
    assert llmend.parse("{'n': '3'}", schema).value == {"n": "3"}
    # Equal in Python, and not in JSON.
    assert llmend.parse("true", {"const": True}).value is True
    assert llmend.parse("1", {"const": 1}).value == 1
    with pytest.raises(llmend.SchemaError) as caught:
        llmend.parse("1", {"type": "nope"})
    assert caught.value.__context__ is None


def test_schemas_of_numpy_scalars():
    numpy = pytest.importorskip("numpy")
    schema = {"enum": [numpy.str_("a")], "minimum": numpy.float64(1)}
    assert llmend.parse("'a'", schema).value == "a"
