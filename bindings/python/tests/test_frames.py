"""Do the accessors of pandas, the namespaces of Polars and the functions of DuckDB give what `llmend.parse` does?"""

import enum
from datetime import date
from typing import Annotated, Any, Literal, Optional

import llmend
import pydantic
import pytest
from pydantic import AfterValidator, BaseModel, BeforeValidator
from scripted import versions

pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

import llmend.duckdb
import llmend.pandas
import llmend.polars

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
# Right, coerced, null, none, unfit, and two that may be incomplete: what is cut off, and what had to be dropped.
ANSWERS = ['{"n": 1}', "{'n': '3',}", None, "nothing", "{'n': 'x'}", "{'n': 4, 'm': [5", "{'n': 6} and {'n': 7}"]


class Color(enum.Enum):
    RED = "red"


class City(BaseModel):
    name: str
    people: int | None = None
    tags: list[str] = []
    kind: Literal["town", "city"] = "city"
    color: Color = Color.RED
    height: float = 0.0


CITY = "{name: 'Oslo', people: '717710', tags: 'old', height: 5,}"
OSLO = {"name": "Oslo", "people": 717710, "tags": ["old"], "height": 5.0}
TOOLS = {"weather": {"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}


def expected(unsure: str) -> list[Any]:
    def parsed(text: str | None) -> Any:
        try:
            outcome = llmend.parse(text or "", NUMBER)
            return outcome.value if unsure == "accept" else outcome.sure()
        except llmend.LlmendError:
            return None

    return [parsed(text) for text in ANSWERS]


def test_versions():
    versions("pandas", "polars", "duckdb", "pyarrow")


def test_some_are_sure_and_some_are_not():
    assert expected("reject")[:6] == [{"n": 1}, {"n": 3}, None, None, None, None]
    assert expected("accept")[5] is not None


@pytest.mark.parametrize("unsure", ["reject", "accept"])
def test_pandas_values(unsure):
    answers = pd.Series(ANSWERS, index=list("abcdefg"), name="answer")
    made = answers.llmend.parse(NUMBER, unsure=unsure)
    assert made.tolist() == expected(unsure)
    assert (list(made.index), made.name, made.dtype) == (list("abcdefg"), "answer", object)


def test_pandas_values_of_a_type():
    made = pd.Series([CITY, "nothing"]).llmend.parse(City).tolist()
    assert made == [City(**OSLO), None]


def test_pandas_what_validators_refuse_is_none():
    def even(number: int) -> int:
        assert number % 2 == 0
        return number

    made = pd.Series(["1", "2"]).llmend.parse(Annotated[int, AfterValidator(even)])
    assert made.tolist() == [None, 2]


def test_pandas_validators_before_the_type_see_what_the_answer_says():
    tags = Annotated[list[str], BeforeValidator(lambda value: value.split(",") if isinstance(value, str) else value)]
    answers = pd.Series(["{'tags': 'a,b', 'n': '1'}"])
    kind = pydantic.create_model("Early", tags=tags, n=int)
    assert answers.llmend.parse(kind)[0] == llmend.parse(answers[0], kind).value == kind(tags=["a", "b"], n=1)


def test_pandas_rows():
    answers = pd.Series(ANSWERS)
    made = answers.llmend.repair(schema=NUMBER, threads=2)
    pd.testing.assert_frame_equal(made, llmend.pandas.repair(answers, schema=NUMBER))
    assert made["status"].tolist()[:2] == ["unchanged", "coerced"]
    # Places are integers, also where some are null.
    starts = [error and error["start"] for error in made["error"]]
    assert "x" in ANSWERS[4][starts[4] :]
    assert type(starts[4]) is int


@pytest.mark.parametrize("wrong", [3, {}, ["{}"]])
def test_pandas_what_is_no_text_is_named(wrong):
    answers = pd.Series(["{}", None, wrong], index=list("abc"), dtype=object)
    with pytest.raises(TypeError, match=f"^expected str or bytes, found {type(wrong).__name__} in row 'c'$"):
        answers.llmend.parse(NUMBER)


def test_pandas_options():
    answers = pd.Series(["{'n': 1}", '{"n": "1"}'])
    assert answers.llmend.parse(NUMBER, policy="strict").tolist() == [None, {"n": 1}]
    exact = llmend.CoerceOptions("off")
    assert answers.llmend.parse(NUMBER, coerce=exact).tolist() == [{"n": 1}, None]


@pytest.mark.parametrize("unsure", ["reject", "accept"])
def test_polars_values(unsure):
    frame = pl.DataFrame({"answer": ANSWERS})
    made = frame.select(pl.col("answer").llmend.parse(NUMBER, unsure=unsure))["answer"]
    assert made.to_list() == [row and {"n": row["n"]} for row in expected(unsure)]
    assert frame["answer"].llmend.parse(NUMBER, unsure=unsure).equals(made, check_names=True)
    assert frame.lazy().select(pl.col("answer").llmend.parse(NUMBER, unsure=unsure)).collect()["answer"].equals(made)


def test_polars_rows():
    frame = pl.DataFrame({"answer": ANSWERS})
    made = frame.select(pl.col("answer").llmend.repair(schema=NUMBER, threads=2))["answer"]
    assert made.dtype == llmend.polars.ROW
    assert made.equals(frame["answer"].llmend.repair(schema=NUMBER))
    assert made.struct.field("status").to_list()[:2] == ["unchanged", "coerced"]


def test_polars_the_type_of_a_model():
    made = pl.Series([CITY, "nothing"]).llmend.parse(City)
    assert made.dtype == pl.Struct(
        {
            "name": pl.String,
            "people": pl.Int64,
            "tags": pl.List(pl.String),
            "kind": pl.String,
            "color": pl.String,
            "height": pl.Float64,
        }
    )
    assert made.to_list() == [{**OSLO, "kind": None, "color": None}, None]


def test_polars_a_type_that_is_given():
    made = pl.Series(["{'n': '1'}"]).llmend.parse({"type": "object"}, dtype=pl.Struct({"n": pl.String}))
    assert made.to_list() == [{"n": "1"}]


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (True, "^cannot infer a column type from .*; pass `dtype`$"),
        ({"type": "object"}, "^cannot infer a column type from .*; pass `dtype`$"),
        ({"type": ["integer", "string"]}, "^cannot infer a column type from .*; pass `dtype`$"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "^cannot infer a column type from .*; pass `dtype`$"),
        ({"enum": ["a", 1]}, "^cannot infer a column type from .*; pass `dtype`$"),
        ({"$ref": "#/$defs/a"}, "has no '#/\\$defs/a'"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}}, "recursive"),
    ],
)
def test_polars_a_schema_that_leaves_the_type_open(schema, message):
    with pytest.raises(ValueError, match=message):
        pl.col("answer").llmend.parse(schema)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [(Optional[int], "'5'", 5), (list[list[bool]], "[[true, 'false'],]", [[True, False]]), (Literal["a", "b"], "'a'", "a")],
)
def test_polars_types(kind, text, value):
    assert pl.Series([text, None]).llmend.parse(kind).to_list() == [value, None]


FLOATS = {"type": "object", "properties": {"n": {"type": "number"}}}


@pytest.mark.parametrize(
    ("schema", "dtype", "answers", "values"),
    [
        (list[int], None, ["[1, 9223372036854775808, 3]", "[1, 2]"], [None, [1, 2]]),
        (list[int], None, ["[-9223372036854775808, 9007199254740993.0, 1e5, -0]"], [[-(2**63), 2**53 + 1, 100000, 0]]),
        (list[int], pl.List(pl.Int128), ["[1, 99999999999999999999]"], [[1, 99999999999999999999]]),
        (NUMBER, None, ["{n: 99999999999999999999}", "{n: 1}", "{n: 1e400}"], [None, {"n": 1}, None]),
        # Floats are rounded, as `llmend.parse` does it.
        (FLOATS, None, ["{n: 1}", "{n: 1e400}", "{n: 0.1000000000000000000001}"], [{"n": 1.0}, {"n": float("inf")}, {"n": 0.1}]),
        (FLOATS, pl.Struct({"n": pl.Int8}), ["{n: 1}", "{n: 1.5}", "{n: 300}"], [{"n": 1}, None, None]),
        (True, pl.Struct({"n": pl.Int64}), ['{"n": 1}', '{"n": "x"}', '{"n": null}'], [{"n": 1}, None, {"n": None}]),
        (True, pl.List(pl.Date), ['["2024-01-02", null]', '["soon"]'], [[date(2024, 1, 2), None], None]),
        (True, pl.String, ["1234567890123456789012.5", '"1e5"'], ["1234567890123456789012.5", "1e5"]),
    ],
)
def test_polars_nothing_of_an_answer_is_lost_alone(schema, dtype, answers, values):
    assert pl.Series(answers).llmend.parse(schema, dtype=dtype).to_list() == values


def test_polars_a_float_is_what_parse_gives():
    answers = ["{n: 1e400}", "{n: 12345678901234567.89}", "{n: 0.1000000000000000000001}", "{n: -1e-400}"]
    made = pl.Series(answers).llmend.parse(FLOATS).to_list()
    assert repr(made) == repr([llmend.parse(text, FLOATS).value for text in answers])


def test_polars_a_type_that_is_read_from_no_json():
    with pytest.raises(pl.exceptions.ComputeError, match="not implemented"):
        pl.col("answer").llmend.parse(list[int], dtype=pl.Array(pl.Int64, 2))


def selected(register, answers: list[str | None], what: str) -> list[Any]:
    connection = duckdb.connect()
    register(connection)
    connection.execute("CREATE TABLE answers (id INTEGER, answer VARCHAR)")
    connection.executemany("INSERT INTO answers VALUES (?, ?)", list(enumerate(answers)))
    return [row[0] for row in connection.execute(f"SELECT {what} FROM answers ORDER BY id").fetchall()]


def test_duckdb_calls():
    answers = [
        "Let me see. <tool_call>{'name': 'Weather', 'arguments': {'city': 'Oslo', 'days': '2'}}</tool_call>",
        "<think>Hm.</think>[weather(days=1)]",
        "No call.",
        None,
    ]
    one, unfit, no_call, null = selected(
        lambda connection: llmend.duckdb.register_calls(connection, TOOLS), answers, "llmend_calls(answer)"
    )
    (call,) = one.pop("calls")
    assert (call["name"], call["arguments"], call["fits"]) == ("weather", '{"city":"Oslo","days":2}', True)
    assert one == {"text": "Let me see. ", "reasoning": "", "usable": True}
    assert (unfit["reasoning"], unfit["usable"]) == ("Hm.", False)
    assert (no_call["calls"], no_call["text"], no_call["usable"]) == ([], "No call.", llmend.calls("No call.").usable)
    assert null is None


def test_duckdb_calls_without_tools():
    def register(connection):
        llmend.duckdb.register_calls(connection, name="called")

    (made,) = selected(register, ["<tool_call>{'name': 'a', 'arguments': {}}</tool_call>"], "called(answer)")
    assert [call["name"] for call in made["calls"]] == ["a"]


def test_duckdb_violations():
    answers = ['{"n": 1}', '{"n": "1"}', "{}", "{'n': 1}", None]

    def register(connection):
        llmend.duckdb.register_violations(connection, NUMBER)

    right, *wrong, null = selected(register, answers, "llmend_violations(answer)")
    assert (right, null) == ([], None)
    codes = [[(row["code"], row["path"]) for row in rows] for rows in wrong]
    assert codes[:2] == [[("schema/type", "/n")], [("schema/required", "")]]
    assert codes[2] == [("repair/refused", "")]


def test_duckdb_functions_are_replaced():
    def register(connection):
        for schema in (True, NUMBER):
            llmend.duckdb.register(connection, schema=schema)
            llmend.duckdb.register_calls(connection)
            llmend.duckdb.register_violations(connection, schema)

    assert selected(register, ["{}"], "llmend_repair(answer).error.code") == ["schema/required"]
    assert [row["code"] for row in selected(register, ["{}"], "llmend_violations(answer)")[0]] == ["schema/required"]
