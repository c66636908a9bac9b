"""Repair of the tool calls of a message."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, InvalidToolCall, ToolCall
from langchain_core.utils.function_calling import convert_to_openai_tool

from llmend._calls import Calls
from llmend._llmend import CoerceOptions, Options
from llmend._repairs import How, Repairs, Unsure, new_id, text_of

if TYPE_CHECKING:
    from llmend._llmend import PolicyName


def repair_tool_calls(
    message: AIMessage,
    tools: Sequence[Any],
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    unsure: Unsure = "reject",
) -> AIMessage:
    """Returns a message with its tool calls repaired; the message itself if there is nothing to repair.

    - `invalid_tool_calls` become `tool_calls` where their arguments can be repaired to fit the tool;
    - `tool_calls` whose name is a near miss, or whose arguments have another notation, are corrected;
    - calls that the model wrote as text become `tool_calls`, or `invalid_tool_calls` with the reason. Text is only read
      for calls if the message has none.

    `tools` is what `bind_tools` accepts. Arguments that may be incomplete stay as they are, unless `unsure="accept"`.

    >>> from langchain_core.messages import AIMessage
    >>> tool = {"name": "add", "description": "", "parameters": {"properties": {"a": {"type": "integer"}}, "type": "object"}}
    >>> message = AIMessage("Well: <tool_call>{'name': 'add', 'arguments': {'a': '1'}}</tool_call>")
    >>> made = repair_tool_calls(message, [tool])
    >>> made.content, made.tool_calls[0]["args"]
    ('Well: ', {'a': 1})
    """
    return repaired(message, tools, How(policy, coerce, unsure))


def repaired(message: AIMessage, tools: Sequence[Any], how: How) -> AIMessage:
    """Returns a message with its tool calls repaired."""
    repairs = Repairs(_functions(tools), how)
    if repairs.tools is None:
        return message
    if message.tool_calls or message.invalid_tool_calls:
        update = _of_calls(message, repairs)
    else:
        update = _of_text(message, repairs)
    return message.model_copy(update=update) if update else message


def _functions(tools: Sequence[Any]) -> list[dict[str, Any]]:
    """Returns the tools that are functions: others, the provider runs."""
    rows: list[dict[str, Any]] = []
    for tool in tools:
        # LangChain converts no tools that only one provider has.
        with contextlib.suppress(TypeError, ValueError):
            rows.append(convert_to_openai_tool(tool))
    return [row for row in rows if row.get("type") == "function"]


def _of_calls(message: AIMessage, repairs: Repairs) -> dict[str, Any]:
    good: list[ToolCall] = []
    bad: list[InvalidToolCall] = []
    for call in message.tool_calls:
        made = repairs.call(call["name"], json.dumps(call["args"], default=str))
        good.append(call if made is None else {**call, "name": made.name, "args": made.arguments})
    for invalid in message.invalid_tool_calls:
        made = repairs.call(invalid["name"] or "", invalid["args"] or "")
        if made is None:
            bad.append(invalid)
        else:
            good.append(ToolCall(name=made.name, args=made.arguments, id=invalid["id"] or new_id(), type="tool_call"))
    if good == message.tool_calls and bad == message.invalid_tool_calls:
        return {}
    return {"tool_calls": good, "invalid_tool_calls": bad}


def _of_text(message: AIMessage, repairs: Repairs) -> dict[str, Any]:
    if isinstance(message.content, str):
        content, read = _said(message.content, repairs)
        made: Any = content
    else:
        made, read = [], []
        for block in message.content:
            if isinstance(block, dict) and block.get("type") == "text":
                text, found = _said(block.get("text", ""), repairs)
                read += found
                block = {**block, "text": text}
            if not isinstance(block, dict) or block.get("type") != "text" or block["text"]:
                made.append(block)
    if not read:
        return {}
    messages = [found.to_langchain(new_id=new_id) for found in read]
    reasoning = "".join(found.reasoning for found in read)
    kept = {"reasoning_content": reasoning} if reasoning else {}
    return {
        "content": made,
        "tool_calls": [call for one in messages for call in one.tool_calls],
        "invalid_tool_calls": [call for one in messages for call in one.invalid_tool_calls],
        "additional_kwargs": {**kept, **message.additional_kwargs},
    }


def _said(text: str, repairs: Repairs) -> tuple[str, list[Calls]]:
    """Returns the text for the user and what was read of it, if there are calls in it."""
    found = repairs.calls(text)
    return (text, []) if not found else (text_of(found), [found])
