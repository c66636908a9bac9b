"""Does a value come while it is being written, and is the end what the whole text gives?"""

import asyncio
import json
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, TypedDict, Union

import llmend
import pydantic
import pytest
from conftest import cases


class Step(pydantic.BaseModel):
    id: int
    tool: Literal["copy", "check"]
    next: Optional["Step"] = None


class Plan(pydantic.BaseModel):
    goal: str
    steps: list[Step]


def test_views_only_grow_and_end_as_the_whole_text_says():
    options = llmend.Options(choice="first")
    compared = 0
    for case in cases("defects") + cases("dev"):
        text = case["input"]
        try:
            expected = llmend.parse(text, policy=options)
        except llmend.RepairError as error:
            expected = error
        stream, before = llmend.Stream(policy=options), None
        for start in range(0, len(text), 7):
            stream.push(text[start : start + 7])
            view = stream.view()
            assert before is None or holds(view.value, before), case["id"]
            before = view.value
        if isinstance(expected, llmend.RepairError):
            with pytest.raises(llmend.RepairError) as caught:
                stream.finish()
            assert caught.value.code == expected.code
            continue
        outcome = stream.finish()
        assert outcome.value == expected.value and outcome.report == expected.report, case["id"]
        assert before is None or holds(outcome.value, before), case["id"]
        compared += 1
    assert compared > 300


def holds(after, before) -> bool:
    """Whether all of `before` is still there."""
    if isinstance(before, dict):
        return isinstance(after, dict) and all(key in after and holds(after[key], value) for key, value in before.items())
    if isinstance(before, list):
        return isinstance(after, list) and len(after) >= len(before) and all(map(holds, after, before))
    if isinstance(before, str):
        return isinstance(after, str) and after.startswith(before)
    return after == before


def test_events_describe_everything_whenever_they_are_asked_for():
    text = "Sure: {'a': ['x', 1], 'é': {'b': null,}}"
    expected = llmend.parse(text, policy=llmend.Options(choice="first"))
    assert [text[slice(*repair.span)] for repair in expected.report.repairs].count("'") == 8
    for first in range(len(text)):
        stream, told = llmend.Stream(), []
        for at, character in enumerate(text):
            stream.push(character.encode())
            if at >= first:
                told += stream.events()
        stream.finish()
        told += stream.events()
        rows = [(row.event, row.path) for row in told if row.event not in ("grew", "repaired")]
        assert rows == [
            ("opened", ""),
            ("opened", "/a"),
            ("opened", "/a/0"),
            ("completed", "/a/0"),
            ("completed", "/a/1"),
            ("closed", "/a"),
            ("opened", "/é"),
            ("completed", "/é/b"),
            ("closed", "/é"),
            ("closed", ""),
        ]
        repairs = [row.repair for row in told if row.event == "repaired"]
        assert sorted(repairs, key=lambda repair: repair.span) == [*expected.report.repairs]


def test_the_end_has_a_report_with_places_in_code_points():
    stream = llmend.Stream()
    text = "😀 {'é': 1,}"
    for byte in text.encode():
        stream.push(bytes([byte]))
    repairs = stream.finish().report.repairs
    assert [text[slice(*repair.span)] for repair in repairs] == ["'", "'", ","]
    with pytest.raises(ValueError, match="finished"):
        stream.push("x")


def test_a_partial_value_is_of_the_type():
    stream = llmend.Stream(Plan)
    stream.push("{'goal': 'Tea")
    assert stream.partial() is None
    stream.push(" time', 'steps': [{")
    assert stream.partial().goal == "Tea time"
    # What is in brackets may yet be an object.
    assert not stream.partial().steps
    stream.push("'id': 1, 'tool': 'copy'}, {'id': '2', 'tool': 'che")
    partial = stream.partial()
    assert [step.id for step in partial.steps] == [1, 2]
    assert (partial.steps[0].tool, partial.steps[0].next) == ("copy", None)
    stream.push("ck', 'next': {'id': 3, 'tool': 'copy'}}]}")
    outcome = stream.finish()
    assert isinstance(outcome.value, Plan)
    assert outcome.value.steps[1].next.id == 3
    assert [coercion.kind for coercion in outcome.coercions] == ["number-from-text"]


def test_half_of_a_text_is_not_taken_for_a_number():
    stream = llmend.Stream(Plan)
    stream.push('{"goal": "Tea", "steps": [{"id": "7')
    assert stream.partial().steps[0].id is None
    stream.push('1", "tool": "co')
    assert stream.partial().steps[0].id == 71
    assert stream.partial().steps[0].tool == "co"


@dataclass
class Ones:
    price: Optional[Decimal] = None
    where: Optional[Path] = None
    raw: Optional[bytes] = None
    at: Optional[datetime] = None
    words: Optional[str] = None


@pytest.mark.parametrize("name", ["price", "where", "raw", "at"])
def test_what_is_made_of_a_text_is_made_of_all_of_it(name):
    stream = llmend.Stream(Ones)
    text = {"price": "12", "where": "/home/a", "raw": "ab", "at": "2024-01-02T03:04:05"}[name]
    stream.push(f'{{"words": "x", "{name}": "{text}')
    assert (getattr(stream.partial(), name), stream.partial().words) == (None, "x")
    stream.push('", "words": "y')
    assert getattr(stream.partial(), name) == pydantic.TypeAdapter(Ones).validate_python({name: text}).__dict__[name]


class Copy(pydantic.BaseModel):
    kind: Literal["copy"]
    path: str


class Check(pydantic.BaseModel):
    kind: Literal["check"]
    path: str


class Job(pydantic.BaseModel):
    task: Annotated[Union[Copy, Check], pydantic.Field(discriminator="kind")]
    state: Literal["done"] = "done"


def test_the_arm_of_a_union_is_that_of_the_end():
    stream = llmend.Stream(Job)
    stream.push('{"state": "do')
    assert stream.partial().state == "do"
    stream.push('ne", "task": {"kind": "che')
    assert stream.partial().task.kind is None
    stream.push('ck", "path": "/ho')
    shown = stream.partial().task
    assert (type(shown).__name__, shown.kind, shown.path) == ("PartialCheck", "check", "/ho")
    stream.push('me"}}')
    assert stream.finish().value.task == Check(kind="check", path="/home")


class Loose(pydantic.BaseModel):
    size: Optional[float] = None
    some: set[int] = set()
    text: str = ""


def test_what_the_end_takes_is_shown():
    stream = llmend.Stream(Loose)
    stream.push('{"size": 1e400, "some": [1, 2, 2], "text": "x')
    shown = stream.partial()
    assert (shown.some, shown.text) == ({1, 2}, "x")
    stream.push('"}')
    assert stream.finish().value == Loose(size=float("inf"), some={1, 2}, text="x")


def test_dataclasses_and_typed_dicts_have_partial_types():
    @dataclass
    class Inner:
        n: int

    class Outer(TypedDict):
        inner: Inner
        others: dict[str, Inner]

    made = llmend.partial_type(Outer).model_validate({"others": {"a": {}}})
    assert made.inner is None and made.others["a"].n is None


def test_a_value_that_does_not_fit_is_reported_at_the_end():
    stream = llmend.Stream(Plan)
    stream.push("{'goal': 'Tea', 'steps': [{'id': 'one', 'tool': 'copy'}]}")
    with pytest.raises(llmend.UnfitError) as caught:
        stream.finish()
    assert caught.value.violations[0].path == "/steps/0/id"


def test_items_come_as_they_are_complete():
    items = llmend.Items("/steps", Step)
    first = items.push("é {'steps': [{'id': '1', 'tool': 'copy'}, {'id': 'two', 'tool': 'copy'}, {'id'")
    assert first[0].value == Step(id=1, tool="copy")
    assert [row.kind for row in first[0].coercions] == ["number-from-text"]
    assert isinstance(first[1], llmend.UnfitError)
    violation = first[1].violations[0]
    text = "é {'steps': [{'id': '1', 'tool': 'copy'}, {'id': 'two', 'tool': 'copy'}, {'id'"
    assert (violation.path, text[slice(*violation.span)]) == ("/id", "'two'")
    assert [item.value.id for item in items.push(": 3, 'tool': 'check'}]}")] == [3]
    rest, report = items.finish()
    assert rest == [] and report.class_ == "notation"


@pytest.mark.parametrize("make", [lambda policy: llmend.Stream(policy=policy), lambda policy: llmend.Items("", Step, policy=policy)])
def test_a_stream_keeps_to_a_policy(make):
    text = "[{'id': 1, 'tool': 'copy'}]"
    for policy in ["strict", llmend.Options("strict")]:
        reader = make(policy)
        with pytest.raises(llmend.RepairError):
            reader.push(text)
            reader.finish()
    reader = make("conservative")
    reader.push(text.replace("'", '"').replace("}]", "},]"))
    reader.finish()


def test_an_item_that_the_end_breaks_off_is_unsure():
    items = llmend.Items("", Step)
    (first,) = items.push("[{'id': 1, 'tool': 'copy'}, {'id': 2, 'tool': 'copy'")
    (last,) = items.finish()[0]
    assert (first.unsure, last.unsure, last.value) == (False, True, Step(id=2, tool="copy"))


@pytest.mark.parametrize("pointer", ["/steps", "/plan/steps"])
@pytest.mark.parametrize("answer", ['{"Steps": [{"id": 1}]}', '{"goal": "x"}', '{"steps": {"id": 1}}'])
def test_a_missing_list_is_reported(pointer, answer):
    items = llmend.Items(pointer, Step)
    assert items.push(answer) == []
    with pytest.raises(llmend.UnfitError) as caught:
        items.finish()
    (violation,) = caught.value.violations
    assert (violation.code, violation.path) == ("items/no-list", pointer)
    assert list(json.loads(answer))[0] in violation.hint or violation.span is not None


def test_an_empty_list_is_one_and_a_path_has_to_be_one():
    items = llmend.Items("/steps", Step)
    items.push('{"steps": []}')
    assert items.finish()[0] == []
    with pytest.raises(ValueError, match="JSON Pointer"):
        llmend.Items("steps", Step)


@pytest.mark.parametrize("asked_before", [True, False])
def test_events_are_reported_after_the_end(asked_before):
    stream = llmend.Stream()
    stream.push("{'a': 1, 'b'")
    told = stream.events() if asked_before else []
    stream.push(": 2}")
    stream.finish()
    told += stream.events()
    assert [row.path for row in told if row.event == "completed"] == ["/a", "/b"]
    assert stream.events() == []


def test_events_outlive_an_answer_that_cannot_be_read():
    stream = llmend.Stream()
    stream.push("{'a': 1, 'b': ")
    stream.push(b"\xff\xfe}")
    with pytest.raises(llmend.RepairError):
        stream.finish()
    assert "/a" in [row.path for row in stream.events()]
    assert stream.events() == []


SCHEMA = {
    "type": "object",
    "properties": {"nick_name": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["n"],
}


@pytest.mark.parametrize(
    "text",
    [
        "{'n': '1', 'nickName': 'x'}",
        "{'n': 1} and {'n': 2}",
        "{'n': 'x'}",
        "no value",
        "42",
        "{'n': 1, 'nick_name': ['a",
    ],
)
def test_the_end_of_a_stream_is_what_parse_says(text):
    options = llmend.Options(choice="best")

    def told(read) -> Any:
        try:
            outcome = read()
        except llmend.UnfitError as error:
            return error.value, error.violations, error.diagnostics
        except llmend.LlmendError as error:
            return error.code
        return outcome.value, outcome.report, outcome.coercions

    def streamed() -> Any:
        stream = llmend.Stream(SCHEMA, policy=options)
        for character in text:
            stream.push(character)
        return stream.finish()

    assert told(streamed) == told(lambda: llmend.parse(text, SCHEMA, policy=options))


class Kinds(pydantic.BaseModel):
    at: Optional[datetime] = None
    flag: Optional[bool] = None
    n: Optional[int] = None
    s: Optional[str] = None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"n": 1, "at": 1700000000, "s": "x"', Kinds(n=1, s="x")),
        ('{"n": 1, "flag": "n", "s": "x"', Kinds(n=1, s="x")),
        ('{"n": 1, "s": 5, "flag": true, ', Kinds(n=1, s="5", flag=True)),
        ('{"n": "x", "S": "y"', Kinds(s="y")),
    ],
)
def test_what_the_end_would_refuse_is_not_shown_and_keeps_nothing_back(text, shown):
    stream = llmend.Stream(Kinds)
    stream.push(text)
    assert stream.partial().model_dump() == shown.model_dump()


@dataclass
class Marked:
    _hidden: int = 0
    name: str = ""


@pytest.mark.parametrize(
    ("type", "text", "shown"),
    [
        (SCHEMA, '{"n": 1, "nick_name": "a', {"n": 1, "nick_name": "a"}),
        (llmend.Schema(SCHEMA), '{"n": 1, "nick_name": "a', {"n": 1, "nick_name": "a"}),
        (pydantic.TypeAdapter(dict[str, list[int]]), '{"a": [1, 2, ', [1, 2]),
        (pydantic.RootModel[dict[str, list[int]]], '{"a": [1, 2, ', [1, 2]),
        (Annotated[dict[str, list[Kinds]], pydantic.Field(min_length=3)], '{"a": [{"n": 1}, {', [1]),
        (dict[str, list[Union[int, str]]], '{"a": [1, 2, ', [1, 2]),
        (Marked, '{"_hidden": 7, "name": "a', "a"),
    ],
)
def test_there_is_a_partial_value_of_whatever_is_a_type(type, text, shown):
    stream = llmend.Stream(type)
    stream.push(text)
    value = stream.partial()
    if isinstance(value, dict) and "a" in value:
        value = [item.n if isinstance(item, pydantic.BaseModel) else item for item in value["a"]]
    elif isinstance(value, pydantic.BaseModel):
        value = value.name
    assert value == shown


def pieces_of(text: str, size: int = 3) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def test_asynchronous_pieces_end_with_their_reader():
    ended = []

    async def endless():
        try:
            while True:
                yield "[1, "
        finally:
            ended.append(True)

    async def read(made) -> list:
        async for _ in made:
            break
        await made.aclose()
        return list(ended)

    class Source:
        """What makes its iterator when it is asked, as clients do."""

        def __aiter__(self):
            return endless()

    for source in [endless, Source]:
        for make in [llmend.Stream().views, llmend.Items("", {"type": "integer"}).each]:
            assert asyncio.run(read(make(source()))) == [True]
            ended.clear()


async def arriving(text: str):
    for piece in pieces_of(text):
        yield piece


def collected(made) -> list:
    """What an iterator gives, or an asynchronous one."""
    if not hasattr(made, "__aiter__"):
        return list(made)

    async def all_of() -> list:
        return [one async for one in made]

    return asyncio.run(all_of())


PLAN = """{"goal": "Tea time", 'steps': [{'id': 1, 'tool': 'copy'}, {'id': 'two', 'tool': 'copy'}, {'id': 3, 'tool': 'check'"""


@pytest.mark.parametrize("make", [pieces_of, arriving])
def test_partial_values_come_with_the_pieces(make):
    stream = llmend.Stream(Plan)
    goals = [partial.goal for partial in collected(stream.partials(make(PLAN)))]
    assert goals[:2] == ["Te", "Tea t"] and goals[-1] == "Tea time" and len(goals) > 30
    assert [step.id for step in stream.partial().steps] == [1, None, 3]
    untyped = llmend.Stream()
    views = collected(untyped.views(make(PLAN)))
    assert len(views) == len(pieces_of(PLAN)) and views[-1] == untyped.view()
    assert untyped.finish().unsure


@pytest.mark.parametrize("make", [pieces_of, arriving])
def test_items_come_with_the_pieces_and_the_last_with_the_end(make):
    items = llmend.Items("/steps", Step)
    assert items.report is None
    first, second, third = collected(items.each(make(PLAN)))
    assert (first.value, first.unsure) == (Step(id=1, tool="copy"), False)
    assert isinstance(second, llmend.UnfitError)
    assert (third.value, third.unsure) == (Step(id=3, tool="check"), True)
    assert items.report.cut == len(PLAN)


def test_an_item_comes_before_the_next_piece_is_asked_for():
    asked = []

    def pieces():
        for piece in ['[{"id": 1, "tool": "copy"}, {"id', '": 2, "tool": "copy"}]']:
            asked.append(piece)
            yield piece

    items = llmend.Items("", Step).each(pieces())
    assert next(items).value.id == 1 and len(asked) == 1
    assert [item.value.id for item in items] == [2]
