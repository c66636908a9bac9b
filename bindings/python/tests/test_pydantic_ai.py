"""Does an agent of pydantic-ai get the output and the arguments that the model meant?"""

import asyncio
import importlib
import json
import sys

import llmend
import pytest
from pydantic import BaseModel
from scripted import versions

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent, NativeOutput, PromptedOutput, ToolOutput, UnexpectedModelBehavior
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from llmend.pydantic_ai import RepairCapability, text_output


class City(BaseModel):
    name: str
    people: int


BROKEN = "{'Name': 'Oslo', 'people': '717710',}"
OSLO = City(name="Oslo", people=717710)
CUT = '{"name": "Oslo", "people": 717710, "more": [1'
CALL = "<tool_call>{'name': 'weather', 'arguments': {'city': 'Oslo', 'days': '2'}}</tool_call>"


class Model:
    """A model that gives the answers it is told; a text is a part. A stream gives seven characters at a time."""

    def __init__(self, *answers):
        self._answers = [[answer] if not isinstance(answer, list) else answer for answer in answers]
        self.asked: list = []
        profile = {"supports_json_schema_output": True}
        self.model = FunctionModel(self._answer, stream_function=self._stream, profile=profile)

    def _answer(self, messages, _):
        self.asked.append(messages)
        return ModelResponse([TextPart(part) if isinstance(part, str) else part for part in self._answers.pop(0)])

    async def _stream(self, messages, _):
        self.asked.append(messages)
        (text,) = self._answers.pop(0)
        for at in range(0, len(text), 7):
            yield text[at : at + 7]

    def told(self, time: int) -> str:
        """What the model was told last when it was asked for that time."""
        return str(self.asked[time][-1].parts)


def agent(model, **options):
    """An agent with a tool; what the tool is called with is in `called`."""
    options = {"capabilities": [RepairCapability()], "retries": 1, **options}
    made = Agent(model.model, **options)
    made.called = []

    @made.tool_plain
    def weather(city: str, days: int = 1) -> str:
        made.called.append((city, days))
        return "rain"

    return made


def test_versions():
    versions("pydantic-ai-slim", "pydantic")


@pytest.mark.parametrize(
    "part",
    [
        ToolCallPart("weather", "{'city': 'Oslo', 'days': '2',}"),
        ToolCallPart("weather", {"City": "Oslo", "days": "2"}),
        ToolCallPart("Weather", "{'city': 'Oslo', 'days': '2',}"),
        "<think>Hm.</think>" + CALL,
        "[weather(city='Oslo', days='2')]",
    ],
    ids=["text", "dict", "name", "written", "pythonic"],
)
def test_a_tool_is_called_as_it_was_meant(part):
    model = Model(part, "Take an umbrella.")
    made = agent(model)
    assert made.run_sync("How will it be?").output == "Take an umbrella."
    assert made.called == [("Oslo", 2)]
    assert len(model.asked) == 2


def test_what_is_around_a_written_call():
    model = Model("<think>Hm.</think>Let me see. " + CALL, "Rain.")
    messages = agent(model).run_sync("?").all_messages()
    thought, said, call = messages[1].parts
    assert (thought, said) == (ThinkingPart("Hm."), TextPart("Let me see. "))
    assert (call.tool_name, json.loads(call.args)) == ("weather", {"city": "Oslo", "days": 2})
    assert call.tool_call_id == messages[2].parts[0].tool_call_id


def test_text_beside_calls_is_not_read():
    model = Model([ToolCallPart("weather", '{"city": "Rome"}'), CALL], "Rain.")
    made = agent(model)
    made.run_sync("?")
    assert made.called == [("Rome", 1)]


@pytest.mark.parametrize(
    "arguments",
    ["{'city': 'Os", "no"],
)
def test_the_model_is_asked_again_for_arguments_that_cannot_be_repaired(arguments):
    model = Model(ToolCallPart("weather", arguments), ToolCallPart("weather", '{"city": "Rome"}'), "Rain.")
    made = agent(model)
    assert made.run_sync("?").output == "Rain."
    assert made.called == [("Rome", 1)]
    assert arguments in model.told(1)


def test_a_name_that_is_no_near_miss_stays():
    model = Model(ToolCallPart("delete_everything", "{}"), "Well.")
    assert agent(model).run_sync("?").output == "Well."
    assert "Unknown tool name: 'delete_everything'" in model.told(1)


def in_text(text):
    return text


def in_a_call(text, name="final_result"):
    return ToolCallPart(name, text)


def in_a_call_of_two(text):
    return in_a_call(text, "final_result_City")


@pytest.mark.parametrize(
    ("output", "answer"),
    [(NativeOutput(City), in_text), (PromptedOutput(City), in_text), (ToolOutput(City), in_a_call), (City | list[int], in_a_call_of_two)],
    ids=["native", "prompted", "tool", "tools"],
)
def test_output(output, answer):
    model = Model(answer(BROKEN))
    assert agent(model, output_type=output).run_sync("Where?").output == OSLO
    model = Model(answer('{"name": "Oslo", "people": "many"}'), answer(BROKEN))
    assert agent(model, output_type=output).run_sync("Where?").output == OSLO
    assert "people" in model.told(1)
    with pytest.raises(UnexpectedModelBehavior):
        agent(Model(answer(BROKEN)), output_type=output, capabilities=[], retries=0).run_sync("Where?")


@pytest.mark.parametrize("answer", [in_text, in_a_call])
def test_the_model_is_told_what_is_wrong_with_the_value(answer):
    model = Model(answer("{'name': 'Oslo',}"), answer(BROKEN))
    output = NativeOutput(City) if answer is in_text else ToolOutput(City)
    assert agent(model, output_type=output).run_sync("Where?").output == OSLO
    assert "Field required" in model.told(1)


def test_output_in_a_text():
    model = Model(f"Gladly:\n```json\n{BROKEN}\n```")
    assert agent(model, output_type=PromptedOutput(City)).run_sync("Where?").output == OSLO


def test_output_that_may_be_incomplete():
    output = PromptedOutput(City)
    model = Model(CUT, BROKEN)
    assert agent(model, output_type=output).run_sync("Where?").output == OSLO
    assert len(model.asked) == 2
    accepting = [RepairCapability(unsure="accept")]
    assert agent(Model(CUT), output_type=output, capabilities=accepting).run_sync("Where?").output == OSLO


@pytest.mark.parametrize(
    "capability", [RepairCapability(policy="strict"), RepairCapability(coerce=llmend.CoerceOptions("off"))], ids=["policy", "coerce"]
)
def test_options(capability):
    with pytest.raises(UnexpectedModelBehavior):
        agent(Model(BROKEN), output_type=PromptedOutput(City), capabilities=[capability], retries=0).run_sync("Where?")


def test_a_stream_is_repaired_at_its_end():
    async def streamed():
        async with agent(Model(BROKEN), output_type=PromptedOutput(City)).run_stream("Where?") as run:
            return await run.get_output()

    async def handled():
        async def hear(_, events):
            async for event in events:
                seen.append(event)

        made = agent(Model(CALL, "Rain."))
        return (await made.run("?", event_stream_handler=hear)).output, made.called

    seen: list = []
    assert asyncio.run(streamed()) == OSLO
    assert asyncio.run(handled()) == ("Rain.", [("Oslo", 2)])
    assert seen


def test_text_output():
    model = Model("I do not know.", "{'name': 'Oslo', 'people': 'many'}", CUT, f"Gladly: {BROKEN}")
    made = agent(model, output_type=text_output(City), capabilities=[], retries=3)
    assert made.run_sync("Where?").output == OSLO
    assert len(model.asked) == 4
    assert "no JSON value found" in model.told(1)
    assert "/people: expected integer, found string" in model.told(2)
    assert "cut off" in model.told(3)

    made = agent(Model(CUT), output_type=text_output(City, unsure="accept"), capabilities=[])
    assert made.run_sync("Where?").output == OSLO
    schema = {"properties": {"people": {"type": "integer"}}}
    made = agent(Model(BROKEN), output_type=text_output(schema), capabilities=[])
    assert made.run_sync("Where?").output == {"Name": "Oslo", "people": 717710}


def test_a_missing_package(monkeypatch):
    ours = ("llmend.pydantic_ai", "pydantic_ai.")
    for module in [module for module in sys.modules if module == "pydantic_ai" or module.startswith(ours)]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    with pytest.raises(ImportError, match=r"pip install 'llmend\[pydantic-ai\]'"):
        importlib.import_module("llmend.pydantic_ai")
