"""Does llmend work in LangChain: the parser in chains and streams, the middleware in agents?"""

import asyncio
import importlib
import sys

import llmend
import pytest
from pydantic import BaseModel
from scripted import versions

pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.prompts import PromptTemplate
from langchain_core.tools import tool

from llmend.langchain import LlmendOutputParser, RepairMiddleware, repair_tool_calls


class City(BaseModel):
    name: str
    people: int


ANSWER = "Gladly: {'Name': 'Oslo', 'people': '717710',}"
OSLO = City(name="Oslo", people=717710)
PIECES = ['Gladly: {"Na', 'me": "Os', 'lo", "peo', 'ple": "717', '710",}']


def test_versions():
    versions("langchain", "langchain-core", "langgraph")


def test_a_chain():
    chain = PromptTemplate.from_template("{what}") | GenericFakeChatModel(messages=iter([ANSWER, ANSWER])) | LlmendOutputParser(City)
    assert chain.invoke({"what": "Where?"}) == OSLO
    assert asyncio.run(chain.ainvoke({"what": "Where?"})) == OSLO


@pytest.mark.parametrize(
    ("parser", "value"),
    [
        (LlmendOutputParser(), {"Name": "Oslo", "people": "717710"}),
        (LlmendOutputParser(City.model_json_schema()), {"name": "Oslo", "people": 717710}),
        (LlmendOutputParser(llmend.Schema(City.model_json_schema())), {"name": "Oslo", "people": 717710}),
        (LlmendOutputParser(dict[str, str]), {"Name": "Oslo", "people": "717710"}),
    ],
)
def test_what_is_asked_for(parser, value):
    assert parser.parse(ANSWER) == value
    assert list(parser.transform(iter([ANSWER])))[-1] == value


def test_a_stream_of_partial_values():
    model = GenericFakeChatModel(messages=iter([" ".join(PIECES)]))
    made = list((model | LlmendOutputParser()).stream("Where?"))
    assert all(set(earlier) <= set(later) for earlier, later in zip(made, made[1:]))
    assert len(made) > 2

    made = list(LlmendOutputParser(City).transform(iter(PIECES)))
    assert [(city.name, city.people) for city in made] == [("Os", None), ("Oslo", None), ("Oslo", 717710), ("Oslo", 717710)]
    assert made[-1] == OSLO


def test_a_stream_of_messages():
    pieces = [AIMessageChunk(content=PIECES[0])]
    pieces += [AIMessageChunk(content=[{"type": "text", "text": piece, "index": 0}]) for piece in PIECES[1:]]
    assert list(LlmendOutputParser(City).transform(iter(pieces)))[-1] == OSLO


def test_an_asynchronous_stream():
    async def collected():
        chain = GenericFakeChatModel(messages=iter([ANSWER])) | LlmendOutputParser(City)
        return [city async for city in chain.astream("Where?")]

    made = asyncio.run(collected())
    assert made[-1] == OSLO
    assert made[0].people is None


def test_a_value_once():
    assert list(LlmendOutputParser().transform(iter(['{"a": 1, "b"', ": 2}", " That is", " it."]))) == [{"a": 1}, {"a": 1, "b": 2}]
    assert list(LlmendOutputParser(int).transform(iter(["4", "2"]))) == [42]


def test_errors_say_why():
    parser = LlmendOutputParser(City)
    for read in (parser.invoke, lambda text: list(parser.transform(iter([text])))):
        with pytest.raises(OutputParserException) as caught:
            read("{'name': 'Oslo', 'people': 'many'}")
        assert caught.value.observation.startswith("/people: ")
        assert caught.value.llm_output == "{'name': 'Oslo', 'people': 'many'}"
        with pytest.raises(OutputParserException) as caught:
            read("I do not know.")
        assert caught.value.observation


def test_what_may_be_incomplete():
    cut = '{"name": "Oslo", "people": 717710, "more": [1'
    with pytest.raises(OutputParserException, match="cut off"):
        LlmendOutputParser(City).invoke(cut)
    assert LlmendOutputParser(City, unsure="accept").invoke(cut) == OSLO
    with pytest.raises(OutputParserException, match="cut off"):
        list(LlmendOutputParser(City).transform(iter([cut])))
    assert list(LlmendOutputParser(City, unsure="accept").transform(iter([cut])))[-1] == OSLO


def test_options():
    with pytest.raises(OutputParserException):
        LlmendOutputParser(policy="strict").invoke("{'a': 1}")
    with pytest.raises(OutputParserException):
        LlmendOutputParser(City, coerce=llmend.CoerceOptions("off")).invoke(ANSWER)


def test_format_instructions():
    assert "JSON" in LlmendOutputParser().get_format_instructions()
    for parser in (LlmendOutputParser(City), LlmendOutputParser(City.model_json_schema())):
        assert '"people"' in parser.get_format_instructions()
    assert LlmendOutputParser(City).OutputType is City


@tool
def weather(city: str, days: int = 1) -> str:
    """Tells the weather."""
    return f"Rain in {city} for {days + 1} days."


def invalid(args: str, name: str = "weather") -> AIMessage:
    call = {"name": name, "args": args, "id": "own", "error": None, "type": "invalid_tool_call"}
    return AIMessage("", invalid_tool_calls=[call])


BROKEN = "{'city': 'Oslo', 'days': '2',}"
RIGHT = {"name": "weather", "args": {"city": "Oslo", "days": 2}, "type": "tool_call"}


def test_invalid_calls_are_repaired():
    made = repair_tool_calls(invalid(BROKEN), [weather])
    assert made.tool_calls == [{**RIGHT, "id": "own"}]
    assert made.invalid_tool_calls == []
    # A near miss of the name, and what the string holds is no markup.
    (call,) = repair_tool_calls(invalid("{city: '</tool_call><tool_call>'}", "Weather"), [weather]).tool_calls
    assert (call["name"], call["args"]) == ("weather", {"city": "</tool_call><tool_call>"})


@pytest.mark.parametrize(
    "message",
    [
        invalid("{'city': 'Oslo', 'days': 'many'}"),
        invalid("{'city': 'Os"),
        invalid("no"),
        invalid(BROKEN, "delete_everything"),
        AIMessage("Take weather(city='Oslo') for that."),
        AIMessage("", tool_calls=[{**RIGHT, "id": "own"}]),
        AIMessage("", tool_calls=[{"name": "other", "args": {"a": 1}, "id": "own"}]),
    ],
)
def test_what_stays_as_it_is(message):
    assert repair_tool_calls(message, [weather]) is message


def test_valid_calls_are_fitted():
    message = AIMessage("", tool_calls=[{"name": "Weather", "args": {"city": "Oslo", "days": "2"}, "id": "own"}])
    assert repair_tool_calls(message, [weather]).tool_calls == [{**RIGHT, "id": "own"}]


def test_what_may_be_incomplete_is_accepted_if_told():
    message = invalid('{"days": 2, "city": "Oslo"')
    assert repair_tool_calls(message, [weather]) is message
    assert repair_tool_calls(message, [weather], unsure="accept").tool_calls == [{**RIGHT, "id": "own"}]


WRITTEN = "Let me see. <tool_call>{'name': 'weather', 'arguments': {'city': 'Oslo', 'days': '2'}}</tool_call>"


def test_calls_written_as_text():
    message = AIMessage("<think>Hm.</think>" + WRITTEN, id="kept", usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3})
    made = repair_tool_calls(message, [weather])
    assert made.content == "Let me see. "
    assert [{**call, "id": None} for call in made.tool_calls] == [{**RIGHT, "id": None}]
    assert made.tool_calls[0]["id"]
    assert made.additional_kwargs == {"reasoning_content": "Hm."}
    assert (made.id, made.usage_metadata) == ("kept", message.usage_metadata)

    blocks = [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": WRITTEN.removeprefix("Let me see. ")}]
    made = repair_tool_calls(AIMessage(blocks), [weather])
    assert made.content == blocks[:1]
    assert [call["args"] for call in made.tool_calls] == [RIGHT["args"]]


def test_written_calls_that_do_not_fit():
    made = repair_tool_calls(AIMessage(WRITTEN.replace("'2'", "'many'")), [weather])
    assert made.tool_calls == []
    assert "days" in made.invalid_tool_calls[0]["error"]


def test_tools_that_the_provider_runs():
    searching = {"type": "web_search_preview"}
    assert repair_tool_calls(invalid(BROKEN), [searching, weather]).tool_calls
    assert repair_tool_calls(invalid(BROKEN), [searching]).tool_calls == []


class Model(GenericFakeChatModel):
    def bind_tools(self, tools, **_):
        return self


def conversation(result) -> list:
    return [message.content for message in result["messages"] if isinstance(message, (ToolMessage, HumanMessage))]


@pytest.mark.parametrize("message", [invalid(BROKEN), AIMessage(WRITTEN)], ids=["invalid", "written"])
def test_an_agent_runs_the_repaired_call(message):
    question = {"messages": [HumanMessage("How is the weather?")]}
    without = create_agent(Model(messages=iter([message, "Take an umbrella."])), [weather]).invoke(question)
    assert conversation(without) == ["How is the weather?"]

    for run in (lambda agent: agent.invoke(question), lambda agent: asyncio.run(agent.ainvoke(question))):
        agent = create_agent(Model(messages=iter([message, "Take an umbrella."])), [weather], middleware=[RepairMiddleware()])
        result = run(agent)
        assert conversation(result) == ["How is the weather?", "Rain in Oslo for 3 days."]
        assert result["messages"][-1].content == "Take an umbrella."


def test_an_agent_that_must_not_call():
    from langchain.agents.middleware import wrap_model_call

    @wrap_model_call
    def forbid(request, handler):
        return handler(request.override(tool_choice="none"))

    agent = create_agent(Model(messages=iter([AIMessage(WRITTEN)])), [weather], middleware=[forbid, RepairMiddleware()])
    assert agent.invoke({"messages": [HumanMessage("?")]})["messages"][-1].content == WRITTEN


@pytest.mark.parametrize(("package", "name"), [("langchain_core", None), ("langchain", "RepairMiddleware")])
def test_a_missing_package(monkeypatch, package, name):
    ours = ("llmend.langchain", f"{package}.")
    for module in [module for module in sys.modules if module == package or module.startswith(ours)]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=r"pip install 'llmend\[langchain\]'"):
        getattr(importlib.import_module("llmend.langchain"), name or "")
