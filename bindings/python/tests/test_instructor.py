"""Does instructor read answers in all its modes?"""

import asyncio
from collections.abc import Iterable

import pytest
from pydantic import BaseModel, field_validator
from scripted import server, versions  # noqa: F401

instructor = pytest.importorskip("instructor")
openai = pytest.importorskip("openai")

from instructor.core.exceptions import InstructorRetryException

from llmend.instructor import from_openai


class City(BaseModel):
    name: str
    people: int
    tags: list[str] = []


class River(BaseModel):
    length: int


MESSAGES = [{"role": "user", "content": "Where?"}]
BROKEN = "{'Name': 'Oslo', 'people': '717710', 'tags': 'old',}"
OSLO = {"name": "Oslo", "people": 717710, "tags": ["old"]}
ROME = "{'name': 'Rome', 'people': '2746984',}"
MODES = [instructor.Mode.TOOLS, instructor.Mode.JSON, instructor.Mode.JSON_SCHEMA, instructor.Mode.MD_JSON]


def client(server, mode, **options):  # noqa: F811
    return from_openai(openai.OpenAI(base_url=server.url, api_key="none", max_retries=0), mode, **options)


def says(server, mode, json, name="City"):  # noqa: F811
    if mode == instructor.Mode.TOOLS:
        server.says(calls=[(name, json)])
    else:
        server.says(f"Gladly:\n```json\n{json}\n```")


def asked(made, type=City, **more):
    return made.create(model="m", messages=MESSAGES, response_model=type, max_retries=0, **more)


def test_versions():
    versions("instructor", "openai")


@pytest.mark.parametrize("mode", MODES)
def test_modes(server, mode):  # noqa: F811
    says(server, mode, BROKEN)
    made = asked(client(server, mode))
    assert isinstance(made, City)
    assert made.model_dump() == OSLO
    # The request is what instructor makes it.
    says(server, mode, "{}")
    with pytest.raises(InstructorRetryException):
        asked(instructor.from_openai(openai.OpenAI(base_url=server.url, api_key="none"), mode))
    assert server.requests[0] == server.requests[1]


@pytest.mark.parametrize("mode", MODES)
def test_an_asynchronous_client(server, mode):  # noqa: F811
    async def ask():
        async with openai.AsyncOpenAI(base_url=server.url, api_key="none") as plain:
            return await asked(from_openai(plain, mode))

    says(server, mode, BROKEN)
    assert asyncio.run(ask()).model_dump() == OSLO


@pytest.mark.parametrize("mode", MODES)
def test_lists(server, mode):  # noqa: F811
    says(server, mode, f"{{'tasks': [{BROKEN}, {ROME}]}}", "IterableCity")
    made = asked(client(server, mode), list[City])
    assert [city.people for city in made] == [717710, 2746984]


class Tagged(BaseModel):
    tags: list[str]

    @field_validator("tags", mode="before")
    @classmethod
    def split(cls, value: object) -> object:
        return value.split(",") if isinstance(value, str) else value


@pytest.mark.parametrize("mode", [instructor.Mode.JSON, instructor.Mode.MD_JSON])
def test_a_validator_before_the_type_sees_what_the_answer_says(server, mode):  # noqa: F811
    says(server, mode, "{'tags': 'a,b',}", "Tagged")
    assert asked(client(server, mode), Tagged).tags == ["a", "b"]


def test_a_call_written_as_text(server):  # noqa: F811
    server.says(f"<tool_call>{{'name': 'City', 'arguments': {BROKEN}}}</tool_call>")
    assert asked(client(server, instructor.Mode.TOOLS)).model_dump() == OSLO


def test_parallel_calls(server):  # noqa: F811
    server.says(calls=[("City", BROKEN), ("River", "{'length': '10'}")])
    made = list(asked(client(server, instructor.Mode.PARALLEL_TOOLS), Iterable[City | River]))
    assert [one.model_dump() for one in made] == [OSLO, {"length": 10}]


class Left(BaseModel):
    name: str


class Right(BaseModel):
    name: str


def test_the_order_of_a_union_is_kept(server):  # noqa: F811
    made = client(server, instructor.Mode.JSON)
    for type, first in [(Left | Right, Left), (Right | Left, Right), (Left | Right, Left)]:
        says(server, instructor.Mode.JSON, "{'content': {'name': 'Oslo'},}")
        assert isinstance(asked(made, type), first)


def test_responses(server):  # noqa: F811
    server.responds({"type": "function_call", "call_id": "own", "name": "City", "arguments": BROKEN})
    assert asked(client(server, instructor.Mode.RESPONSES_TOOLS)).model_dump() == OSLO


def test_what_cannot_be_repaired_is_asked_for_again(server):  # noqa: F811
    says(server, instructor.Mode.JSON, "{'name': 'Oslo', 'people': 'many'}")
    says(server, instructor.Mode.JSON, BROKEN)
    made = client(server, instructor.Mode.JSON)
    assert made.create(model="m", messages=MESSAGES, response_model=City, max_retries=2).model_dump() == OSLO
    assert len(server.requests) == 2


@pytest.mark.parametrize("mode", MODES)
def test_a_retry_is_told_what_is_wrong_with_the_value(server, mode):  # noqa: F811
    says(server, mode, "{'name': 'Oslo',}")
    says(server, mode, BROKEN)
    made = client(server, mode).create(model="m", messages=MESSAGES, response_model=City, max_retries=1)
    assert made.model_dump() == OSLO
    told = str(server.requests[1]["messages"])
    assert "people" in told and "Field required" in told and "Invalid JSON" not in told


def test_what_may_be_incomplete(server):  # noqa: F811
    server.says('{"name": "Oslo", "people": 7177')
    with pytest.raises(InstructorRetryException):
        asked(client(server, instructor.Mode.JSON))
    server.says('{"name": "Oslo", "people": 7177, "tags": ["old"')
    assert asked(client(server, instructor.Mode.JSON, unsure="accept")).people == 7177


def test_streams_of_partial_values(server):  # noqa: F811
    # The type for parts, whose name instructor offers to the model.
    text = '<tool_call>{"name": "PartialCity", "arguments": {"name": "Oslo", "people": 717710}}</tool_call>'
    server.streams(*(text[at : at + 9] for at in range(0, len(text), 9)))
    made = list(client(server, instructor.Mode.TOOLS).create_partial(model="m", messages=MESSAGES, response_model=City))
    assert (made[-1].name, made[-1].people) == ("Oslo", 717710)
