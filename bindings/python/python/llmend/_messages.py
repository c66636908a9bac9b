"""Tool calls as messages of APIs and frameworks, which are imported only here and only when used."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage
    from openai.types.chat import ChatCompletionMessage
    from pydantic_ai.messages import ModelResponse, ModelResponsePart

    from llmend._calls import Calls, ToolCall

_Row = dict[str, Any]
_NewId = Callable[[], str] | None

_ANY_ID = re.compile(".+", re.DOTALL)
_ANTHROPIC_ID = re.compile("[A-Za-z0-9_-]+")


def openai(calls: Calls, new_id: _NewId) -> _Row:
    """Returns an assistant message of OpenAI's chat interface."""
    message: _Row = {"role": "assistant", "content": calls.text or None}
    made = [
        {"id": id, "type": "function", "function": {"name": call.name, "arguments": call.arguments_json}}
        for call, id in _identified(calls, new_id)
    ]
    return {**message, "tool_calls": made} if made else message


def openai_message(calls: Calls, new_id: _NewId) -> ChatCompletionMessage:
    """Returns a message of the package `openai`."""
    from openai.types.chat import ChatCompletionMessage

    return ChatCompletionMessage.model_validate(openai(calls, new_id))


def anthropic(calls: Calls, new_id: _NewId) -> _Row:
    """Returns an assistant message of Anthropic's interface."""
    content: list[_Row] = [{"type": "text", "text": calls.text}] if calls.text else []
    content += (
        {"type": "tool_use", "id": id, "name": call.name, "input": call.arguments}
        for call, id in _identified(calls, new_id, _ANTHROPIC_ID)
    )
    return {"role": "assistant", "content": content}


def langchain(calls: Calls, new_id: _NewId) -> AIMessage:
    """Returns a message of LangChain."""
    from langchain_core.messages import AIMessage, InvalidToolCall, ToolCall

    good: list[ToolCall] = []
    bad: list[InvalidToolCall] = []
    for call, id in _identified(calls, new_id):
        if not call.violations:
            good.append(ToolCall(name=call.name, args=call.arguments, id=id, type="tool_call"))
            continue
        error = "\n".join(f"{row.path}: {row.message}" for row in call.violations)
        bad.append(
            InvalidToolCall(name=call.name, args=call.arguments_json, id=id, error=error, type="invalid_tool_call")
        )
    for refused in calls.refused:
        error = refused.diagnostic.message
        bad.append(
            InvalidToolCall(name=refused.name, args=refused.text, id=None, error=error, type="invalid_tool_call")
        )
    reasoning = {"reasoning_content": calls.reasoning} if calls.reasoning else {}
    return AIMessage(content=calls.text, tool_calls=good, invalid_tool_calls=bad, additional_kwargs=reasoning)


def pydantic_ai(calls: Calls, new_id: _NewId) -> ModelResponse:
    """Returns a response of pydantic-ai."""
    from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart

    parts: list[ModelResponsePart] = []
    if calls.reasoning:
        parts.append(ThinkingPart(calls.reasoning))
    if calls.text:
        parts.append(TextPart(calls.text))
    for call, id in _identified(calls, new_id):
        parts.append(ToolCallPart(call.name, call.arguments_json, tool_call_id=id))
    return ModelResponse(parts)


def _identified(
    calls: Calls, new_id: _NewId, valid: re.Pattern[str] = _ANY_ID
) -> Iterator[tuple[ToolCall, str]]:
    """Returns each call with an id, no two alike: its own, or else a new one."""
    written = {call.id for call in calls}
    new = new_id or _numbered(written)
    used = set()
    for call in calls:
        id = call.id
        if id is None or id in used or not valid.fullmatch(id):
            id = new()
        used.add(id)
        yield call, id


def _numbered(taken: set[str | None]) -> Callable[[], str]:
    count = 0

    def new() -> str:
        nonlocal count
        while (id := f"call_{(count := count + 1)}") in taken:
            pass
        return id

    return new
