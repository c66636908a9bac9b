"""Are tool calls read as the crate does it, with the tools of any package, and handed on in the forms of others?"""

import asyncio
import copy
import json
import pickle
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import Any, TypedDict

import llmend
import pytest
from conftest import REPOSITORY

EXAMPLES = REPOSITORY / "examples"
ANSWERS = sorted((EXAMPLES / "answers" / "calls").glob("*.txt"))
TOOLS = (EXAMPLES / "tools.json").read_text("utf-8")

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}
ANSWER = "Blåbær 😀: <tool_call>{'name': 'Weather', 'arguments': {'city': 'Tromsø', 'days': '3'}}</tool_call> Hm."


def read(tools: Any, answer: str = ANSWER) -> list[tuple[str, dict]]:
    return [(call.name, call.arguments) for call in llmend.calls(answer, tools)]


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: path.stem)
def test_the_command_reads_the_same(path):
    command = [sys.executable, "-m", "llmend", "calls", "--quiet", "--tools", str(EXAMPLES / "tools.json"), str(path)]

    def said(*more: str) -> Any:
        done = subprocess.run([*command, *more], capture_output=True, text=True, encoding="utf-8")
        return json.loads(done.stdout)

    text = path.read_text("utf-8")
    calls, told = llmend.calls(text, TOOLS), said("--report", "json")
    assert [(call.name, call.arguments, call.notation, call.class_) for call in calls] == [
        (row["name"], row["arguments"], row["notation"], row["class"]) for row in told["calls"]
    ]
    assert (calls.text, calls.reasoning, calls.truncated, calls.class_) == tuple(
        told[name] for name in ["text", "reasoning", "truncated", "class"]
    )
    assert [row.code for row in calls.findings] == [
        *(row["code"] for row in told["diagnostics"]),
        *(row["diagnostic"]["code"] for row in told["refused"]),
        *(row["code"] for call in told["calls"] for row in call["diagnostics"] + call["violations"]),
    ]
    assert calls.to_openai() == said("--as", "openai")
    assert calls.to_anthropic() == said("--as", "anthropic")


def test_a_call_has_all_that_is_known_of_it():
    calls = llmend.calls(ANSWER, {"weather": SCHEMA})
    (call,) = calls
    assert (call.name, call.written_name, call.arguments) == ("weather", "Weather", {"city": "Tromsø", "days": 3})
    assert call.arguments_json == '{"city":"Tromsø","days":3}'
    assert ANSWER[slice(*call.span)] == ANSWER[ANSWER.index("{") : ANSWER.index("</tool_call>")]
    assert {ANSWER[slice(*repair.span)] for repair in call.repairs} == {"'"}
    assert [(row.kind, ANSWER[slice(*row.span)]) for row in call.coercions] == [("number-from-text", "'3'")]
    assert (call.violations, call.notation, call.class_) == ((), "hermes", "notation")
    assert calls and len(calls) == 1 and calls[0] == call and list(calls) == [call]
    assert calls.usable and not calls.truncated and calls.text.startswith("Blåbær 😀:")
    assert str(call) == "weather(city='Tromsø', days=3)"
    assert repr(call) == "ToolCall(weather(city='Tromsø', days=3), notation='hermes', class_='notation')"


def test_what_cannot_be_used_says_why():
    calls = llmend.calls(ANSWER.replace("'3'", "'😀'"), {"weather": SCHEMA})
    assert not calls.usable
    # Words follow the call, too.
    assert {(row.code, row.path) for row in calls.findings} == {
        ("schema/type", "/0/arguments/days"),
        ("calls/text-behind", None),
    }
    (row,) = calls[0].violations
    assert ANSWER.replace("'3'", "'😀'")[slice(*row.span)] == "'😀'"
    assert "1 violations" in repr(calls[0]) and "usable=False" in repr(calls)

    text = '😀 [TOOL_CALLS][{"name": "rm", "arguments": {}}]'
    calls = llmend.calls(text, {"weather": SCHEMA})
    (refused,) = calls.refused
    assert (refused.name, refused.diagnostic.code) == ("rm", "calls/unknown-tool")
    assert text[slice(*refused.span)] == refused.text and "rm" in refused.text
    assert not calls and not calls.usable and "1 refused" in repr(calls)

    calls = llmend.calls(ANSWER[: ANSWER.index("Troms")], {"weather": SCHEMA})
    assert calls.truncated and calls.cut == ANSWER.index("Troms") and not calls.usable
    assert [row.code for row in calls.findings] == ["calls/truncated"]


def test_the_options_decide_what_counts():
    unmarked = '{"name": "weather", "arguments": {"city": "Oslo"}}'
    assert read({"weather": SCHEMA}, unmarked) and not llmend.calls(unmarked, {"weather": SCHEMA}, marked=True)
    assert not llmend.calls(unmarked) and llmend.calls(ANSWER)[0].name == "Weather"
    drafted = f"<think>{ANSWER}</think>Done."
    assert not llmend.calls(drafted) and llmend.calls(drafted, in_reasoning="accept")
    assert llmend.calls(drafted).reasoning
    among = f"First this.\n\n{unmarked}\n\nThen I shall look at the calendar."
    assert not llmend.calls(among, {"weather": SCHEMA})
    assert llmend.calls(among, {"weather": SCHEMA}, notation="hermes")
    with pytest.raises(ValueError, match="hermess"):
        llmend.calls(among, {"weather": SCHEMA}, notation="hermess")
    with pytest.raises(ValueError, match="ponder"):
        llmend.calls(drafted, in_reasoning="ponder")
    assert not llmend.calls(ANSWER, {"weather": SCHEMA}, policy="strict")
    kept = llmend.calls(ANSWER, {"weather": SCHEMA}, coerce=llmend.CoerceOptions("off"))
    assert kept.calls == () or kept[0].class_ in (None, "notation")
    assert llmend.calls(ANSWER.encode()) == llmend.calls(ANSWER)
    with pytest.raises(llmend.RepairError):
        llmend.calls(b"\xff")
    with pytest.raises(TypeError):
        llmend.calls(7)


def test_numbers_keep_their_digits():
    call = llmend.calls("[add(a=1.50, b=12345678901234567890123)]", {"add": {}})[0]
    assert call.arguments == {"a": 1.5, "b": 12345678901234567890123}
    assert call.arguments_json == '{"a":1.50,"b":12345678901234567890123}'


# The tools, in every form.


@pytest.mark.parametrize(
    "tools",
    [
        {"weather": SCHEMA},
        json.dumps({"weather": SCHEMA}),
        json.dumps({"weather": SCHEMA}).encode(),
        [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}],
        [{"type": "function", "name": "weather", "parameters": SCHEMA}],
        [{"name": "weather", "input_schema": SCHEMA}],
        ({"name": "weather", "inputSchema": SCHEMA},),
        {"tools": [{"name": "weather", "inputSchema": SCHEMA}]},
        [{"functionDeclarations": [{"name": "weather", "parameters": SCHEMA}]}],
    ],
)
def test_tools_in_the_forms_of_the_apis(tools):
    assert read(tools) == [("weather", {"city": "Tromsø", "days": 3})]
    assert llmend.Tools(tools).names == ["weather"]


def weather(city: str, days: int = 1) -> str:
    """Says the weather."""
    return "Rain."


class Place(TypedDict, total=False):
    city: str
    days: int


@dataclass
class Weather:
    city: str
    days: int = 1


def test_functions_and_types_are_tools():
    pydantic = pytest.importorskip("pydantic")

    class Model(pydantic.BaseModel):
        city: str
        days: int = pydantic.Field(alias="Days")

    async def later(city: str, *, days: int | None = None) -> None: ...

    class Agent:
        def weather(self, city: str, days: int) -> None: ...

    expected = {"city": "Tromsø", "days": 3}
    assert read([weather]) == read(weather) == read([Agent().weather]) == [("weather", expected)]
    assert read([Weather]) == [("Weather", expected)]
    assert read({"weather": Weather}) == read({"weather": Place}) == read({"weather": weather}) == [("weather", expected)]
    assert read([Model]) == [] == list(llmend.calls(ANSWER, [later]))
    assert llmend.calls("[later(city='Oslo', days='2')]", [later])[0].arguments == {"city": "Oslo", "days": 2}
    assert llmend.calls("[Model(city='Oslo', Days='2')]", [Model])[0].arguments == {"city": "Oslo", "Days": 2}


def test_tools_of_langchain():
    tools = pytest.importorskip("langchain_core.tools")

    @tools.tool
    def weather(city: str, days: int = 1) -> str:
        """Says the weather."""
        return f"{city} {days}"

    assert read([weather]) == [("weather", {"city": "Tromsø", "days": 3})]
    made = llmend.calls(ANSWER, [weather]).to_langchain().tool_calls[0]
    assert weather.invoke(made).content == "Tromsø 3"
    of_mcp = tools.StructuredTool(name="weather", description="", args_schema=SCHEMA, func=lambda **_: None)
    assert read([of_mcp]) == [("weather", {"city": "Tromsø", "days": 3})]


def test_tools_of_pydantic_ai_and_of_objects_with_a_schema():
    pytest.importorskip("pydantic_ai")
    from pydantic import BaseModel
    from pydantic_ai import Tool
    from pydantic_ai.tools import ToolDefinition

    class McpTool(BaseModel):
        name: str
        inputSchema: dict
        outputSchema: dict | None = None

    class OpenAiTool(BaseModel):
        type: str = "function"
        function: dict

    for tool in [
        Tool(weather),
        ToolDefinition(name="weather", parameters_json_schema=SCHEMA),
        McpTool(name="weather", inputSchema=SCHEMA),
        OpenAiTool(function={"name": "weather", "parameters": SCHEMA}),
    ]:
        assert read([tool]) == [("weather", {"city": "Tromsø", "days": 3})], tool


@pytest.mark.parametrize("tools", ["no JSON", "7", [{"name": "a", "parameters": {"type": 7}}], {"a": {"type": 7}}])
def test_tools_that_cannot_be_read_say_so(tools):
    with pytest.raises(llmend.SchemaError) as caught:
        llmend.Tools(tools)
    assert caught.value.code == "tools/unusable"
    with pytest.raises(llmend.SchemaError):
        llmend.calls("", tools)


@pytest.mark.parametrize("tools", [[7], 7, [object()]])
def test_things_that_are_no_tools_are_type_errors(tools):
    with pytest.raises(TypeError):
        llmend.Tools(tools)


def test_tools_are_compiled_once_and_can_be_sent():
    tools = llmend.Tools({"weather": SCHEMA, "now": {}})
    assert len(tools) == 2 and repr(tools) == "Tools(['weather', 'now'])"
    for again in [pickle.loads(pickle.dumps(tools)), copy.deepcopy(tools), llmend.Tools(tools)]:
        assert again == tools and hash(again) == hash(tools) and read(again) == read(tools)
    assert tools != llmend.Tools({"weather": SCHEMA})


def test_what_was_read_can_be_sent_and_not_changed():
    for calls in [llmend.calls(ANSWER), llmend.calls('<think>No.</think>[TOOL_CALLS][{"name": "rm"', {"weather": SCHEMA})]:
        for again in [pickle.loads(pickle.dumps(calls)), copy.deepcopy(calls)]:
            assert again == calls and repr(again) == repr(calls)
        with pytest.raises(AttributeError):
            calls.text = ""


# Streams.


def streamed(text: str, tools: Any, size: int, **options: Any) -> tuple[llmend.Calls, list[llmend.CallEvent]]:
    stream = llmend.CallStream(tools, **options)
    encoded = text.encode()
    pieces = [encoded[at : at + size] for at in range(0, len(encoded), size)]
    events = [event for piece in pieces for event in stream.push(piece)] + stream.end()
    return stream.finish(), events


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: path.stem)
@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_stream_reads_what_the_whole_text_has(path, size):
    text = path.read_text("utf-8")
    whole = llmend.calls(text, TOOLS)
    calls, events = streamed(text, llmend.Tools(TOOLS), size)
    assert calls == whole
    done = [event.call for event in events if isinstance(event, llmend.CallDone)]
    assert done == list(whole)
    assert "".join(event.text for event in events if isinstance(event, llmend.TextDelta)) == whole.text
    assert [event.refused for event in events if isinstance(event, llmend.CallRefused)] == list(whole.refused)
    arguments = ["" for _ in whole]
    for event in events:
        if isinstance(event, llmend.ArgumentsDelta):
            arguments[event.index] += event.delta
    assert arguments == [call.arguments_json for call in whole]


def test_events_have_their_places_in_code_points():
    _, events = streamed(ANSWER, {"weather": SCHEMA}, 1)
    (call,) = (event.call for event in events if isinstance(event, llmend.CallDone))
    assert call == llmend.calls(ANSWER, {"weather": SCHEMA})[0]
    assert [type(event).__name__ for event in events if not isinstance(event, llmend.TextDelta)] == [
        "CallStarted",
        "ArgumentsDelta",
        "CallDone",
    ]
    assert pickle.loads(pickle.dumps(events)) == events


def test_a_call_that_is_cut_off_is_abandoned():
    text = '<tool_call>{"name": "weather", "arguments": {"city": "Os'
    calls, events = streamed(text, {"weather": SCHEMA}, 4)
    assert calls.truncated and not calls
    assert events == [llmend.CallStarted(0, "weather", None), llmend.CallAbandoned(0)]
    calls, events = streamed("So it is.</think>Yes.", None, 3)
    assert llmend.AllReasoning() in events and (calls.reasoning, calls.text) == ("So it is.", "Yes.")
    calls, events = streamed("<think>So it is.</think>Yes.", None, 3)
    assert "".join(event.text for event in events if isinstance(event, llmend.ReasoningDelta)) == "So it is."


def test_a_stream_ends_once():
    stream = llmend.CallStream(marked=True, in_reasoning="accept", policy="conservative")
    stream.push("Hi.")
    assert stream.finish() == stream.finish() == llmend.calls("Hi.")
    for more in [lambda: stream.push("x"), stream.end]:
        with pytest.raises(ValueError, match="finished"):
            more()
    stream = llmend.CallStream()
    stream.push("ø".encode()[:1])
    with pytest.raises(llmend.RepairError) as caught:
        stream.finish()
    assert caught.value.code == "input/utf8"
    with pytest.raises(llmend.RepairError):
        llmend.CallStream().push(b"a\xff")


def test_threads_may_share_tools_and_streams():
    tools, expected = llmend.Tools({"weather": SCHEMA}), read({"weather": SCHEMA})
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(read(tools))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


# The forms of other packages.

TWO = (
    "<think>Add them.</think>Let me add.\n<|tool_calls_section_begin|>"
    "<|tool_call_begin|>functions.add:0<|tool_call_argument_begin|>{\"a\": 1.50}<|tool_call_end|>"
    "<|tool_call_begin|>functions.add:0<|tool_call_argument_begin|>{\"a\": \"two\"}<|tool_call_end|>"
    "<|tool_calls_section_end|>"
)
ADD = {"add": {"type": "object", "properties": {"a": {"type": "number"}}}}


def test_ids_are_unique_and_may_be_made_by_the_caller():
    calls = llmend.calls(TWO, ADD)
    assert [call.id for call in calls] == ["functions.add:0"] * 2
    assert [row["id"] for row in calls.to_openai()["tool_calls"]] == ["functions.add:0", "call_1"]
    assert [row["id"] for row in calls.to_anthropic()["content"][1:]] == ["call_1", "call_2"]
    ids = iter("xyz")
    assert [row["id"] for row in calls.to_anthropic(new_id=lambda: next(ids))["content"][1:]] == ["x", "y"]


def test_a_message_of_openai():
    pytest.importorskip("openai")
    message = llmend.calls(TWO, ADD).to_openai_message()
    assert message.content == "Let me add."
    assert [call.function.arguments for call in message.tool_calls] == ['{"a":1.50}', '{"a":"two"}']
    assert llmend.calls("Hi.").to_openai_message().tool_calls is None
    assert llmend.calls("").to_openai() == {"role": "assistant", "content": None}


def test_a_message_of_langchain():
    messages = pytest.importorskip("langchain_core.messages")
    message = llmend.calls(TWO, ADD).to_langchain()
    assert isinstance(message, messages.AIMessage) and message.content == "Let me add."
    assert message.tool_calls == [{"name": "add", "args": {"a": 1.5}, "id": "functions.add:0", "type": "tool_call"}]
    (bad,) = message.invalid_tool_calls
    assert (bad["name"], bad["args"], bad["id"]) == ("add", '{"a":"two"}', "call_1")
    assert bad["error"] == "/a: expected number, found string"
    assert message.additional_kwargs == {"reasoning_content": "Add them."}
    (bad,) = llmend.calls('[TOOL_CALLS][{"name": "rm", "arguments": {}}]', ADD).to_langchain().invalid_tool_calls
    assert bad["name"] == "rm" and "rm" in bad["error"]


def test_a_response_of_pydantic_ai():
    messages = pytest.importorskip("pydantic_ai.messages")
    response = llmend.calls(TWO, ADD).to_pydantic_ai()
    assert [type(part) for part in response.parts] == [
        messages.ThinkingPart,
        messages.TextPart,
        messages.ToolCallPart,
        messages.ToolCallPart,
    ]
    assert response.parts[2].args_as_dict() == {"a": 1.5} and response.parts[2].tool_call_id == "functions.add:0"


def test_an_agent_of_pydantic_ai_runs_the_calls():
    pytest.importorskip("pydantic_ai")
    from pydantic_ai import Agent
    from pydantic_ai.models.function import FunctionModel

    answers = iter(["<tool_call>{'name': 'weather', 'arguments': {'city': 'Oslo', 'days': '2'}}</tool_call>", "Rain."])
    ran = []

    def model(conversation, info):
        return llmend.calls(next(answers), info.function_tools).to_pydantic_ai()

    agent = Agent(FunctionModel(model))

    @agent.tool_plain
    def weather(city: str, days: int) -> str:
        ran.append((city, days))
        return "Rain"

    assert agent.run_sync("And the weather?").output == "Rain." and ran == [("Oslo", 2)]


def test_events_come_with_the_pieces_of_a_loop_and_of_an_asynchronous_one():
    text = 'One moment. <tool_call>{"name": "add", "arguments": {"a": "1"}}</tool_call>'
    pieces = [text[at : at + 7] for at in range(0, len(text), 7)]

    async def arriving():
        for piece in pieces:
            yield piece

    async def read(stream):
        return [event async for event in stream.each(arriving())]

    now, later = llmend.CallStream(), llmend.CallStream()
    events = list(now.each(pieces))
    assert events == asyncio.run(read(later))
    assert [type(event) for event in events][-1] is llmend.CallDone
    assert now.finish() == later.finish() == llmend.calls(text)
