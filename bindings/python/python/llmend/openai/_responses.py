"""Answers of the responses interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openai.types.responses import ResponseFunctionToolCall

from llmend._calls import Calls
from llmend._repairs import How, Repairs, new_id, text_of
from llmend.openai._chat import functions, is_json


def repair_response(response: Any, body: Mapping[str, Any], how: How) -> None:
    """Repairs a response in place."""
    repairs = Repairs(functions(body), how)
    output = getattr(response, "output", None) or []
    is_called = any(item.type == "function_call" for item in output)
    made: list[Any] = []
    for item in output:
        if item.type == "function_call":
            call = repairs.call(item.name, item.arguments or "")
            if call is not None:
                item.name, item.arguments = call.name, call.arguments_json
        found = [] if item.type != "message" else _repair_message(item, body, repairs, is_called)
        if not found or item.content:
            made.append(item)
        made += [_item(call) for one in found for call in one]
    if output:
        response.output = made


def _repair_message(message: Any, body: Mapping[str, Any], repairs: Repairs, is_called: bool) -> list[Calls]:
    """Repairs the text of a message, and returns what was read of it, if there are calls in it."""
    text = body.get("text")
    format = text.get("format") if isinstance(text, Mapping) else None
    read: list[Calls] = []
    for part in message.content or []:
        if part.type != "output_text" or not part.text:
            continue
        found = None if is_called else repairs.calls(part.text)
        if found:
            read.append(found)
            part.text = text_of(found)
        elif is_json(format):
            part.text = repairs.json(part.text, format.get("schema") if isinstance(format, Mapping) else None)
    if read:
        message.content = [part for part in message.content if part.type != "output_text" or part.text]
    return read


def _item(call: Any) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall.model_validate(
        {
            "type": "function_call",
            "call_id": call.id or new_id(),
            "name": call.name,
            "arguments": call.arguments_json,
            "status": "completed",
        }
    )
