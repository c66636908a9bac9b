"""Does the client of OpenAI's package return what was meant?"""

import asyncio
import importlib
import json
import sys

import llmend
import pytest
from pydantic import BaseModel
from scripted import completion, server, versions  # noqa: F401

openai = pytest.importorskip("openai")

from llmend.openai import repairing


class City(BaseModel):
    name: str
    people: int


BROKEN = "```json\n{'name': 'Oslo', 'people': '717710',}\n```"
OSLO = {"name": "Oslo", "people": 717710}
SCHEMA = {"type": "json_schema", "json_schema": {"name": "city", "schema": City.model_json_schema()}}
MESSAGES = [{"role": "user", "content": "Where?"}]
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}
TOOL = {"type": "function", "function": {"name": "weather", "parameters": PARAMETERS}}
ARGUMENTS = {"city": "Oslo", "days": 2}
WRITTEN = "Let me see. <tool_call>{'name': 'weather', 'arguments': {'city': 'Oslo', 'days': '2'}}</tool_call>"


def client(server, **options):  # noqa: F811
    return repairing(openai.OpenAI(base_url=server.url, api_key="none", max_retries=0), **options)


def asked(server, **request):  # noqa: F811
    """The choice of a client, which the asynchronous client makes too."""
    answer = server.answers[0]
    made = client(server).chat.completions.create(model="m", messages=MESSAGES, **request).choices[0]
    server.answers.append(answer)
    other = asyncio.run(asked_later(server, **request))
    drop = {"message": {"tool_calls": {"__all__": {"id"}}}}
    assert made.model_dump(exclude=drop) == other.model_dump(exclude=drop)
    return made


async def asked_later(server, **request):  # noqa: F811
    async with repairing(openai.AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0)) as made:
        completion = await made.chat.completions.create(model="m", messages=MESSAGES, **request)
        return completion.choices[0]


def test_versions():
    versions("openai")


def test_json_is_repaired_and_fitted(server):  # noqa: F811
    server.says(BROKEN)
    assert json.loads(asked(server, response_format=SCHEMA).message.content) == OSLO
    server.says(BROKEN)
    found = asked(server, response_format={"type": "json_object"}).message.content
    assert json.loads(found) == {**OSLO, "people": "717710"}


@pytest.mark.parametrize("content", ["I cannot.", "I cannot: see [1].", '{"name": "Oslo", "people": 7', '{"name":"Oslo","people":7}', None])
def test_text_that_stays_as_it_is(server, content):  # noqa: F811
    server.says(content)
    assert asked(server, response_format=SCHEMA).message.content == content


def test_json_that_does_not_fit_is_repaired(server):  # noqa: F811
    server.says("Gladly: {'Name': 'Oslo', 'people': 'many',}")
    assert json.loads(asked(server, response_format=SCHEMA).message.content) == {"name": "Oslo", "people": "many"}
    server.says("Gladly: {'name': 'Oslo',}")
    with pytest.raises(ValueError, match="people\n  Field required"):
        client(server).chat.completions.parse(model="m", messages=MESSAGES, response_format=City)


def test_a_broken_schema_is_reported(server):  # noqa: F811
    server.says(BROKEN)
    broken = {"type": "json_schema", "json_schema": {"name": "City", "schema": {"type": "objekt"}}}
    with pytest.warns(RuntimeWarning, match="llmend: answers are repaired without their schema: .*objekt"):
        assert json.loads(asked(server, response_format=broken).message.content) == {**OSLO, "people": "717710"}


def test_text_that_is_not_asked_to_be_json(server):  # noqa: F811
    for request in ({}, {"response_format": {"type": "text"}}, {"tools": [TOOL]}):
        server.says(BROKEN)
        assert asked(server, **request).message.content == BROKEN


def test_a_refusal_stays(server):  # noqa: F811
    server.says(BROKEN, refusal="No.")
    assert asked(server, response_format=SCHEMA).message.content == BROKEN


def test_what_may_be_incomplete_is_accepted_if_told(server):  # noqa: F811
    server.says('{"name": "Oslo", "people": 717710')
    made = client(server, unsure="accept").chat.completions.create(model="m", messages=MESSAGES, response_format=SCHEMA)
    assert json.loads(made.choices[0].message.content) == OSLO


def test_calls_written_as_text(server):  # noqa: F811
    server.says("<think>Hm.</think>" + WRITTEN)
    choice = asked(server, tools=[TOOL])
    (call,) = choice.message.tool_calls
    assert (call.type, call.function.name, json.loads(call.function.arguments)) == ("function", "weather", ARGUMENTS)
    assert call.id.startswith("call_")
    assert (choice.message.content, choice.message.reasoning_content, choice.finish_reason) == ("Let me see. ", "Hm.", "tool_calls")
    # What is sent back is what the server expects of a client.
    server.says("Rain.")
    client(server).chat.completions.create(model="m", messages=[*MESSAGES, choice.message])
    assert server.requests[-1]["messages"][-1]["tool_calls"][0]["function"]["name"] == "weather"


def test_reasoning_alone_where_json_is_expected(server):  # noqa: F811
    server.says("<think>Hm.</think>")
    message = asked(server, tools=[TOOL], response_format=SCHEMA).message
    assert (message.content, message.reasoning_content, message.tool_calls) == (None, "Hm.", None)


def test_calls_that_are_not_to_be_made(server):  # noqa: F811
    server.says(WRITTEN)
    assert asked(server, tools=[TOOL], tool_choice="none").message.content == WRITTEN
    server.says("Take weather(city='Oslo') for that.")
    assert asked(server, tools=[TOOL]).message.tool_calls is None


def test_arguments_are_repaired(server):  # noqa: F811
    server.says(calls=[("Weather", "{'city': 'Oslo', 'days': '2',}"), ("weather", "{'city': 'Os"), ("other", "{'a': 1}")])
    first, *rest = asked(server, tools=[TOOL]).message.tool_calls
    assert (first.id, first.function.name, json.loads(first.function.arguments)) == ("own_0", "weather", ARGUMENTS)
    assert [call.function.arguments for call in rest] == ["{'city': 'Os", "{'a': 1}"]


def test_digits_are_kept(server):  # noqa: F811
    server.says(calls=[("weather", '{"city": "Oslo", "days": 12345678901234567890123, "height": 1.10,}')])
    (call,) = asked(server, tools=[TOOL]).message.tool_calls
    assert "12345678901234567890123" in call.function.arguments
    assert "1.10" in call.function.arguments


def test_parse(server):  # noqa: F811
    server.says(BROKEN)
    made = client(server).chat.completions.parse(model="m", messages=MESSAGES, response_format=City)
    assert made.choices[0].message.parsed == City(**OSLO)

    server.says(WRITTEN.replace("weather", "City").replace("'city': 'Oslo', 'days': '2'", "'name': 'Oslo', 'people': '717710'"))
    made = client(server).chat.completions.parse(model="m", messages=MESSAGES, tools=[openai.pydantic_function_tool(City)])
    assert made.choices[0].message.tool_calls[0].function.parsed_arguments == City(**OSLO)


def test_a_raw_response_is_parsed_alike(server):  # noqa: F811
    server.says(BROKEN)
    raw = client(server).chat.completions.with_raw_response.create(model="m", messages=MESSAGES, response_format=SCHEMA)
    assert "'Oslo'" in raw.text
    assert json.loads(raw.parse().choices[0].message.content) == OSLO


def test_the_client_is_a_copy(server):  # noqa: F811
    plain = openai.OpenAI(base_url=server.url, api_key="none", max_retries=0)
    made = repairing(plain)
    assert isinstance(made, openai.OpenAI)
    for other in (made.with_options(timeout=5), repairing(made), repairing(made, policy="strict"), plain):
        server.says(BROKEN)
        content = other.chat.completions.create(model="m", messages=MESSAGES, response_format=SCHEMA).choices[0].message.content
        assert (content == BROKEN) == (other is plain or other._how.policy == "strict")
    assert repairing(openai.AzureOpenAI(azure_endpoint="http://x", api_version="1", api_key="x")).api_key == "x"


def chunks(server, *, later=False, **request):  # noqa: F811
    """The chunks of a stream, and what they add up to: text, reasoning, calls and the reason."""
    request = {"model": "m", "messages": MESSAGES, "stream": True, "tools": [TOOL], **request}

    async def collected():
        async with repairing(openai.AsyncOpenAI(base_url=server.url, api_key="none")) as made:
            return [chunk async for chunk in await made.chat.completions.create(**request)]

    rows = asyncio.run(collected()) if later else list(client(server).chat.completions.create(**request))
    text = reasoning = ""
    calls, reasons = {}, []
    for choice in (choice for chunk in rows for choice in chunk.choices):
        reasons += [choice.finish_reason] if choice.finish_reason else []
        if choice.delta is None:
            continue
        text += choice.delta.content or ""
        reasoning += getattr(choice.delta, "reasoning_content", None) or ""
        for call in choice.delta.tool_calls or []:
            name, arguments = calls.get(call.index, (None, ""))
            assert (call.id is None) == (name is not None)
            calls[call.index] = (name or call.function.name, arguments + call.function.arguments)
    made = [(name, json.loads(arguments)) for _, (name, arguments) in sorted(calls.items())]
    return text, reasoning, made, reasons


def pieces(text: str, size: int = 7) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@pytest.mark.parametrize("later", [False, True])
def test_a_stream_with_a_written_call(server, later):  # noqa: F811
    server.streams({"role": "assistant", "content": ""}, *pieces("<think>Hm.</think>" + WRITTEN))
    assert chunks(server, later=later) == ("Let me see. ", "Hm.", [("weather", ARGUMENTS)], ["tool_calls"])


def test_a_stream_that_ends_without_a_reason(server):  # noqa: F811
    server.streams(*pieces("[weather(city='Oslo')]"), finish=None)
    assert chunks(server) == ("", "", [("weather", {"city": "Oslo"})], [])


def test_streams_that_stay_as_they_are(server):  # noqa: F811
    server.streams(*pieces("No call: 1 < 2."))
    assert chunks(server) == ("No call: 1 < 2.", "", [], ["stop"])
    server.streams(*pieces(WRITTEN))
    assert chunks(server, tools=openai.NOT_GIVEN) == (WRITTEN, "", [], ["stop"])
    own = {"index": 0, "id": "own", "type": "function", "function": {"name": "weather", "arguments": '{"city": '}}
    server.streams({"tool_calls": [own]}, {"tool_calls": [{"index": 0, "function": {"arguments": '"Oslo"}'}}]}, finish="tool_calls")
    assert chunks(server) == ("", "", [("weather", {"city": "Oslo"})], ["tool_calls"])


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("end", [{}, {"finish_reason": "stop"}])
def test_choices_without_a_delta(server, later, end):  # noqa: F811
    # As Azure's asynchronous filter sends them, between and after the others.
    server.streams(*pieces(WRITTEN), {}, finish=None if end else "stop")
    filtered = {"index": 0, "content_filter_results": {}}
    chunks_of = server.answers[-1]
    chunks_of.insert(3, completion("chat.completion.chunk", [filtered]))
    chunks_of.append(completion("chat.completion.chunk", [{**filtered, **end}]))
    assert chunks(server, later=later) == ("Let me see. ", "", [("weather", ARGUMENTS)], ["tool_calls"])


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("end", ["without a delta", "without a reason"])
def test_reasoning_at_the_end_of_a_stream(server, later, end):  # noqa: F811
    server.streams(*pieces("<think>Hm <"), finish=None)
    if end == "without a delta":
        server.answers[-1].append(completion("chat.completion.chunk", [{"index": 0, "finish_reason": "stop"}]))
    text, reasoning, _, _ = chunks(server, later=later)
    assert (text, reasoning) == ("", "Hm <")


def test_a_stream_that_is_left_early(server):  # noqa: F811
    async def left():
        async with repairing(openai.AsyncOpenAI(base_url=server.url, api_key="none")) as made:
            stream = await made.chat.completions.create(model="m", messages=MESSAGES, stream=True, tools=[TOOL])
            async for _ in stream:
                break
            await stream._iterator.aclose()
            return stream.response.is_closed

    server.streams(*pieces(WRITTEN))
    assert asyncio.run(left())


def test_own_calls_and_written_ones(server):  # noqa: F811
    own = {"index": 0, "id": "own", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Rome"}'}}
    server.streams(*pieces(WRITTEN), {"tool_calls": [own]}, finish="tool_calls")
    _, _, made, _ = chunks(server)
    assert sorted(arguments["city"] for _, arguments in made) == ["Oslo", "Rome"]


def test_the_helper_for_streams(server):  # noqa: F811
    server.streams(*pieces(WRITTEN))
    with client(server).chat.completions.stream(model="m", messages=MESSAGES, tools=[TOOL]) as stream:
        message = stream.get_final_completion().choices[0].message
    assert (message.content, json.loads(message.tool_calls[0].function.arguments)) == ("Let me see. ", ARGUMENTS)


FUNCTION = {"type": "function", "name": "weather", "parameters": PARAMETERS, "strict": False}
TEXT = {"format": {"type": "json_schema", "name": "city", "schema": City.model_json_schema()}}


def test_responses(server):  # noqa: F811
    made = client(server)
    server.responds(BROKEN)
    assert json.loads(made.responses.create(model="m", input="Where?", text=TEXT).output_text) == OSLO
    server.responds(BROKEN)
    assert made.responses.create(model="m", input="Where?").output_text == BROKEN
    server.responds(BROKEN)
    assert made.responses.parse(model="m", input="Where?", text_format=City).output_parsed == City(**OSLO)


def test_calls_in_responses(server):  # noqa: F811
    made = client(server)
    server.responds(WRITTEN, "Wait.")
    message, call, last = made.responses.create(model="m", input="Where?", tools=[FUNCTION]).output
    assert (message.content[0].text, last.content[0].text) == ("Let me see. ", "Wait.")
    assert (call.type, call.name, json.loads(call.arguments)) == ("function_call", "weather", ARGUMENTS)
    server.responds("[weather(city='Oslo')]")
    assert [item.type for item in made.responses.create(model="m", input="Where?", tools=[FUNCTION]).output] == ["function_call"]
    server.responds({"type": "function_call", "call_id": "own", "name": "weather", "arguments": "{'city': 'Oslo', 'days': '2'}"})
    (call,) = made.responses.create(model="m", input="Where?", tools=[FUNCTION]).output
    assert (call.call_id, json.loads(call.arguments)) == ("own", ARGUMENTS)


def test_asynchronous_responses(server):  # noqa: F811
    async def ask():
        async with repairing(openai.AsyncOpenAI(base_url=server.url, api_key="none")) as made:
            return await made.responses.parse(model="m", input="Where?", text_format=City)

    server.responds(BROKEN)
    assert asyncio.run(ask()).output_parsed == City(**OSLO)


def test_broken_tools_are_reported_and_change_nothing(server):  # noqa: F811
    server.says(WRITTEN)
    twice = [TOOL, {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]
    with pytest.warns(RuntimeWarning, match="llmend: tool calls are not repaired: "):
        assert asked(server, tools=twice).message.content == WRITTEN


def test_a_missing_package(monkeypatch):
    for module in [module for module in sys.modules if module == "openai" or module.startswith(("llmend.openai", "openai."))]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ImportError, match=r"pip install 'llmend\[openai\]'"):
        importlib.import_module("llmend.openai")
    assert llmend.loads("[1,]") == [1]
