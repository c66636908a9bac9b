"""A program that a type checker reads: what users get has types."""

from dataclasses import dataclass
from typing import Any

from typing_extensions import assert_type

import llmend


@dataclass
class Point:
    x: int


assert_type(llmend.parse("{}"), llmend.Outcome[Any])
assert_type(llmend.parse("{}", Point), llmend.Outcome[Point])
assert_type(llmend.parse("{}", Point).sure(), Point)
assert_type(llmend.parse("{}", {"type": "object"}), llmend.Outcome[Any])
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
