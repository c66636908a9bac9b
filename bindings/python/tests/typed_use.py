"""A program that a type checker reads: what users get has types."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

import instructor
import openai
import polars
from langchain_core.messages import AIMessage
from pydantic import TypeAdapter
from pydantic_ai import Agent, TextOutput
from typing_extensions import TypedDict, assert_type

import llmend
import llmend.instructor
import llmend.openai
import llmend.polars
from llmend.langchain import LlmendOutputParser, RepairMiddleware, repair_tool_calls
from llmend.pydantic_ai import RepairCapability, text_output


@dataclass
class Point:
    x: int


class City(TypedDict):
    name: str


def model(request: llmend.Request) -> str:
    return request.messages[0]["content"]


assert_type(llmend.parse("{}"), llmend.Outcome[Any])
assert_type(llmend.parse("{}", Point), llmend.Outcome[Point])
assert_type(llmend.parse("{}", Point).sure(), Point)
assert_type(llmend.parse("{}", {"type": "object"}), llmend.Outcome[Any])
assert_type(llmend.parse("{}", llmend.Schema({"type": "object"})), llmend.Outcome[Any])
# Not only classes are types.
assert_type(llmend.parse("{}", Point | City).value, Point | City)
assert_type(llmend.parse("{}", Optional[Point]).value, Point | None)
assert_type(llmend.parse("{}", list[Point | int]).value, list[Point | int])
assert_type(llmend.parse("{}", Literal["a", "b"]).value, Literal["a", "b"])
assert_type(llmend.parse("{}", Annotated[int, "at least 1"]).value, int)
assert_type(llmend.parse("{}", Annotated[Point | None, "maybe"]).value, Point | None)
assert_type(llmend.parse("{}", City).value, City)
assert_type(llmend.parse("{}", TypeAdapter(list[int])).value, list[int])
assert_type(llmend.Stream(Point | City).finish().value, Point | City)
assert_type(llmend.Stream(TypeAdapter(list[int])).finish().value, list[int])
assert_type(llmend.Stream({"type": "array"}).finish().value, Any)
assert_type(llmend.Items("/a", Literal[1, 2]).push("x"), list[llmend.Item[Literal[1, 2]] | llmend.UnfitError])
assert_type(llmend.ask(model, "How many?", int | None).value, int | None)
assert_type(llmend.repair("{}").report.repairs[0].span, llmend.Span)
assert_type(llmend.Stream(Point).finish(), llmend.Outcome[Point])
assert_type(llmend.Stream().finish(), llmend.Outcome[Any])
assert_type(llmend.Items("/a", Point).push("x"), list[llmend.Item[Point] | llmend.UnfitError])
assert_type(llmend.Plan.read("{}"), llmend.Plan)
assert_type(llmend.Plan({}).fix(), llmend.Plan)
llmend.loads("{}", policy=llmend.Options(forbid=["trailing-comma"]), unsure="accept")
assert_type(llmend.calls("x", [Point]), llmend.Calls)
assert_type(llmend.calls("x", llmend.Tools([Point]))[0].arguments, dict[str, Any])
assert_type([call for call in llmend.calls("x")], list[llmend.ToolCall])
assert_type(llmend.CallStream([Point]).push("x"), list[llmend.CallEvent])
assert_type(llmend.CallStream().finish(), llmend.Calls)


# Clients and frameworks.
assert_type(llmend.openai.repairing(openai.OpenAI()), openai.OpenAI)
assert_type(llmend.openai.repairing(openai.AsyncAzureOpenAI(), unsure="accept"), openai.AsyncAzureOpenAI)
assert_type(llmend.instructor.from_openai(openai.OpenAI()), instructor.Instructor)
assert_type(llmend.instructor.from_openai(openai.AsyncOpenAI(), instructor.Mode.JSON), instructor.AsyncInstructor)
assert_type(LlmendOutputParser(Point).invoke("{}"), Point)
assert_type(LlmendOutputParser(Point | City).parse("{}"), Point | City)
assert_type(LlmendOutputParser(TypeAdapter(list[int])).parse("{}"), list[int])
assert_type(LlmendOutputParser({"type": "object"}).parse("{}"), Any)
assert_type(LlmendOutputParser(policy="strict").parse("{}"), Any)
assert_type(repair_tool_calls(AIMessage("x"), [Point]), AIMessage)
RepairMiddleware(unsure="accept")
assert_type(text_output(Point | City), TextOutput[Point | City])
assert_type(text_output(llmend.Schema(True)), TextOutput[Any])
assert_type(Agent("test", output_type=text_output(Point), capabilities=[RepairCapability()]).run_sync("x").output, Point)
assert_type(llmend.polars.parse("answer", list[int]), polars.Expr)
