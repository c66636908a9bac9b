"""Answers of the chat interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openai.types.chat import ChatCompletionMessage, ChatCompletionMessageFunctionToolCall

from llmend._repairs import How, Repairs, new_id, text_of


def repair_completion(completion: Any, body: Mapping[str, Any], how: How) -> None:
    """Repairs a completion in place."""
    repairs = Repairs(functions(body), how)
    for choice in getattr(completion, "choices", None) or []:
        message = getattr(choice, "message", None)
        if message is None or message.refusal:
            continue
        if message.tool_calls:
            _repair_arguments(message, repairs)
        elif message.content and not _read_calls(message, repairs):
            format = body.get("response_format")
            # What was reasoning alone leaves no text.
            if is_json(format) and message.content:
                schema = format.get("json_schema", {}).get("schema") if isinstance(format, Mapping) else None
                message.content = repairs.json(message.content, schema)
        if message.tool_calls and choice.finish_reason == "stop":
            choice.finish_reason = "tool_calls"


def functions(body: Mapping[str, Any]) -> list[Any]:
    """Returns the functions that a request offers."""
    tools = body.get("tools")
    if body.get("tool_choice") == "none" or not isinstance(tools, (list, tuple)):
        return []
    return [tool for tool in tools if isinstance(tool, Mapping) and tool.get("type") == "function"]


def is_json(format: Any) -> bool:
    """Returns whether a format of a request is JSON."""
    return isinstance(format, Mapping) and format.get("type") in ("json_object", "json_schema")


def _repair_arguments(message: ChatCompletionMessage, repairs: Repairs) -> None:
    for call in message.tool_calls or []:
        if call.type != "function":
            continue
        made = repairs.call(call.function.name, call.function.arguments or "")
        if made is not None:
            call.function.name, call.function.arguments = made.name, made.arguments_json


def _read_calls(message: ChatCompletionMessage, repairs: Repairs) -> bool:
    """Reads the calls in a text, and returns whether there are any."""
    found = repairs.calls(message.content or "")
    if found is None:
        return False
    message.content = text_of(found) or None
    if found.reasoning and not getattr(message, "reasoning_content", None):
        setattr(message, "reasoning_content", found.reasoning)
    if not found:
        return False
    message.tool_calls = [
        ChatCompletionMessageFunctionToolCall.model_validate(
            {
                "id": call.id or new_id(),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments_json},
            }
        )
        for call in found
    ]
    return True
