"""Is what a stream shows, each part of which is made once, what is made of the whole?"""

import json
from datetime import datetime
from typing import Any, Literal, Optional, Union

import llmend
import pydantic
import pytest
from conftest import cases
from test_stream import Job, Step


class Nested(pydantic.BaseModel):
    at: Optional[datetime] = None
    ones: list[list[int]] = []
    pair: tuple[int, str] = (0, "")


class Deep(pydantic.BaseModel):
    title: str
    nick_name: Optional[str] = None
    size: Optional[float] = None
    kind: Literal["big", "small"] = "big"
    tree: Optional["Deep"] = None
    rows: list[Nested] = []
    by_name: dict[str, Nested] = {}
    either: Union[Step, list[Step], None] = None
    jobs: list[Job] = []
    aliased: int = pydantic.Field(default=0, validation_alias="aka")


DEEP = [
    '{"title": "a b", "size": 3, "kind": "small", "rows": [{"at": "2024-01-02T03:04:05", "ones": [[1, 2], [3]], '
    '"pair": [1, "x y"]}, {"ones": []}, {"pair": [1, "long words"], "more": {"a": [1, 2]}}], "aka": 7}',
    "Sure: {'thoughts': 'so be it', 'title': 'x', 'nickName': 'who am I', 'by_name': {'a': {'ones': [[1], ['2', 'three', 4]]}, "
    "'b': {'at': 'yesterday'}}, 'either': [{'id': 1, 'tool': 'copy'}, {'id': '2', 'tool': 'check'}]}",
    '{"title": 5, "tree": {"title": "inner one", "tree": {"title": "innermost of all", "rows": [{"ones": [[1, 2, 3',
    '{"result": {"title": "wrapped it is", "rows": [{"ones": [[1, 2]]}, 7, {"ones": [[3]]}]}}',
    '{"title": "twice", "title": "two words", "nickName": "a b", "nick_name": "c d", "rows": {"ones": [[1]]}, "size": "12.5"}',
    '{"rows": [{"ones": [[1]]}, null, {"ones": [[2]]}], "title": "x y", "either": {"id": 3, "tool": "copy"}, "size": 1e400}',
    '{"jobs": [{"state": "done", "task": {"kind": "check", "path": "/home of all"}}, {"task": {"kind": "none"}}], "title": "z z"}',
    '{"by_name": {"a": {"ones": [[1]]}, "a": {"ones": [[2]]}, "c": [1]}, "rows": [[1], [2]], "title": ["x y", "z"]}',
    '{"title": "in \\"quotes\\" and \\u00e9\\n", "by_name": {"\\u00e9": {"pair": ["1", 2]}}, "AKA": "9", "rows": [{"at": 1700000000}]}',
]


# Items that do not fit, units, emphasis, and near misses.
LENIENT = (
    '{"title": "**in bold**", "size": "12 %", "kind": "smal", "jobs": [{"state": "done"}, 3, {"state": "**done**"}], "rows": [{"ones": '
    '[[1, "x", 2], "y", [3]]}, 7, {"at": "never"}, {"pair": [1, "a b"]}], "extra": [1], "by_name": {"a": {"ones": [["5"], [null]]}}, '
    '"nickName": "**a** b"}'
)


def whole(type: Any, view: llmend.View, open: Optional[list], coerce: Optional[llmend.CoerceOptions] = None) -> Any:
    """What a partial value is, read as a whole."""
    from llmend._arriving import _so_far
    from llmend._growing import Plan
    from llmend._partial import MISSING

    shown = _so_far(Plan(llmend.partial_type(type), coerce), json.loads(json.dumps(view.value)), open)
    return None if shown is MISSING else shown


def pushed(stream: llmend.Stream, text: str) -> llmend.Stream:
    """The stream after these characters, one by one, of which nothing was shown."""
    for character in text:
        stream.push(character)
    return stream


COERCIONS = [
    None,
    {"mode": "off"},
    {"on_extra": "fail"},
    {"on_extra": "drop"},
    {"units": "strip"},
    {"emphasis": "strip"},
    {"near": "off"},
    {"on_bad_item": "drop"},
    {"on_bad_item": "null"},
]


@pytest.mark.parametrize("options", COERCIONS, ids=str)
@pytest.mark.parametrize("text", [*DEEP, LENIENT])
def test_a_partial_value_with_coercions_is_that_of_the_whole(text, options):
    coerce = None if options is None else llmend.CoerceOptions(**options)
    stream = llmend.Stream(Deep, coerce=coerce)
    for end in range(1, len(text) + 1):
        stream.push(text[end - 1])
        view = stream.view()
        if view.value is not None and (end % 3 == 0 or end == len(text)):
            assert stream.partial() == whole(Deep, view, stream._stream.part(0)[1], coerce), text[:end]


class Item(pydantic.BaseModel):
    id: int
    name: str
    tags: list[str]


class Answer(pydantic.BaseModel):
    rows: list[Item]


class Tagged(pydantic.BaseModel):
    kind: Literal["tagged"]
    rows: list[Item]


class Other(pydantic.BaseModel):
    kind: Literal["other"]


@pytest.mark.parametrize(
    ("type", "options"),
    [*((Answer, options) for options in COERCIONS), (Union[Tagged, Other], None), (Union[Tagged, Other], {"on_extra": "drop"})],
    ids=str,
)
@pytest.mark.parametrize("is_tag_last", [False, True])
def test_a_partial_value_takes_work_for_what_is_new(type, options, is_tag_last, monkeypatch):
    from llmend import _partial

    fitted = _partial.Partial._fitted

    def characters(rows: int) -> int:
        """How many characters were fitted to a schema."""
        counted = []

        def count(self, value):
            counted.append(len(json.dumps(value)))
            return fitted(self, value)

        monkeypatch.setattr(_partial.Partial, "_fitted", count)
        stream = llmend.Stream(type, coerce=None if options is None else llmend.CoerceOptions(**options))
        made = {"kind": "tagged", "rows": [{"id": at, "name": "some words", "tags": ["a", "b"]} for at in range(1000, 1000 + rows)]}
        text = json.dumps(dict(reversed(made.items())) if is_tag_last else made)
        for start in range(0, len(text), 4):
            stream.push(text[start : start + 4])
            stream.partial()
        assert len(stream.partial().rows) == rows
        return sum(counted)

    assert characters(80) <= 2 * characters(40) + 500


@pytest.mark.parametrize("text", DEEP)
def test_a_partial_value_made_of_parts_is_that_of_the_whole(text):
    stream, compared = llmend.Stream(Deep), 0
    for end in range(1, len(text) + 1):
        stream.push(text[end - 1])
        view = stream.view()
        if view.value is None:
            continue
        shown, path = stream.partial(), stream._stream.part(0)[1]
        assert shown == whole(Deep, view, path), text[:end]
        compared += 1
        if end % 7 == 0:
            late = pushed(llmend.Stream(Deep), text[:end])
            assert late.partial() == shown, text[:end]
    assert compared > 50


class Copy(pydantic.BaseModel):
    kind: Literal["copy", "move"]
    paths: list[str] = []
    deep: Optional[Nested] = None


class Wait(pydantic.BaseModel):
    kind: Literal["wait"]
    seconds: float = 0
    then: Optional[Union[Copy, "Wait"]] = None


class Note(pydantic.BaseModel):
    text: str


# The member that tells the models apart is the first, a later one, another word, in another spelling, repeated, a part.
CHOICES = [
    '{"kind": "copy", "paths": ["a b", "c"], "deep": {"ones": [[1], [2]]}}',
    '{"kind": "wait", "seconds": 2, "then": {"kind": "wait", "then": {"kind": "move", "paths": ["x y"]}}}',
    '{"paths": ["a b"], "kind": "copy", "deep": {"ones": [[1]]}}',
    '{"seconds": 3, "kind": "wait", "then": {"paths": ["x y", "z"], "deep": {"ones": [[1]]}, "kind": "copy"}}',
    '{"paths": ["a b"], "seconds": 3, "kind": "wait"}',
    '{"paths": ["a b"], "kind": "wait", "seconds": 3}',
    '{"paths": ["a b"], "deep": {"ones": [[1]]}}',
    '{"more": {"kind": "copy"}, "paths": ["a b"], "kind": "move"}',
    '{"text": "a b", "kind": "copy", "paths": ["c d"]}',
    '{"kind": "COPY", "paths": ["a b"]}',
    '{"Kind": "wait", "seconds": "3"}',
    '{"kind": "copy", "kind": "wait", "seconds": 3}',
    '{"kind": "wait", "seconds": 3, "more": {"kind": "copy"}}',
    '{"kind": 1, "seconds": 3}',
    '{"kind": {"kind": "wait"}, "seconds": 3}',
]


@pytest.mark.parametrize("type", [Union[Copy, Wait], Optional[Union[Wait, Copy]], list[Union[Copy, Wait]], Union[Copy, Wait, Note]])
@pytest.mark.parametrize("text", CHOICES)
def test_a_partial_value_of_several_models_is_that_of_the_whole(text, type):
    text = f"[{text}, {text}]" if type == list[Union[Copy, Wait]] else text
    stream, compared = llmend.Stream(type), 0
    for end in range(1, len(text) + 1):
        stream.push(text[end - 1])
        view = stream.view()
        if view.value is not None:
            assert stream.partial() == whole(type, view, stream._stream.part(0)[1]), text[:end]
            compared += 1
    assert compared


def test_the_first_member_decides_between_models_and_then_parts_are_read_alone():
    from llmend import _partial

    def read(word: str) -> int:
        """How many values were read as a whole."""
        counted, before = [], _partial.Partial.read
        _partial.Partial.read = lambda self, value: counted.append(1) or before(self, value)
        try:
            stream = llmend.Stream(Union[Copy, Wait])
            for character in f'{{"{word}": "copy", "paths": [{", ".join(f"{at}" for at in range(50))}]}}':
                stream.push(character)
                stream.partial()
        finally:
            _partial.Partial.read = before
        return len(counted)

    assert read("kind") < 100 < read("Kind")


@pytest.mark.parametrize("ask", [lambda stream: stream.view().value, lambda stream: stream.partial()])
def test_what_was_shown_stays_as_it_was(ask):
    text = '{"title": "ab", "rows": [{"ones": [[1, 2], [3]]}, {"ones": [[4]]}], "by_name": {"x": {"ones": []}, "y": {}}}'
    stream, kept = llmend.Stream(Deep), []
    for at, character in enumerate(text):
        stream.push(character)
        shown = ask(stream)
        # Some are kept and some are not, so that containers take turns and are copied.
        if at % 3 == 0:
            kept.append((shown, repr(shown)))
    assert all(repr(shown) == before for shown, before in kept)
    assert len({before for _, before in kept}) > 10


def test_a_view_is_that_of_a_stream_that_shows_only_one():
    compared = 0
    for case in cases("defects") + [{"input": text} for text in DEEP]:
        text = case["input"]
        stream = llmend.Stream()
        for end in range(1, min(len(text), 400) + 1):
            stream.push(text[end - 1])
            shown = stream.view()
            if end % 5 == 0:
                only = pushed(llmend.Stream(), text[:end])
                assert shown == only.view(), text[:end]
                compared += 1
    assert compared > 600
