"""A tool parser for vLLM that reads the calls of any model:

    vllm serve MODEL --enable-auto-tool-choice --tool-parser-plugin llmend.vllm_plugin --tool-call-parser llmend

Add `--reasoning-parser` for a model that reasons: without it, reasoning is omitted from whole answers. A call of an
unknown tool stays in the text, as it was written.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Sequence
from typing import Any

from llmend._calls import ReasoningDelta, TextDelta
from llmend._serving import CallDelta, Sent, Served, whole
from llmend._tools import Tools

_base: Any = importlib.import_module("vllm.tool_parsers.abstract_tool_parser")
# Versions have it in different places.
_protocol: Any = importlib.import_module(_base.DeltaMessage.__module__)

_log = logging.getLogger("vllm.llmend")


class LlmendToolParser(_base.ToolParser):  # type: ignore[misc]
    """Reads tool calls in the notation of any model."""

    engine_based_streaming = True
    """So vLLM asks for the rest at the end of the text, and uses the text that is left of a cut off call."""

    def __init__(self, tokenizer: Any, tools: Any = None) -> None:
        super().__init__(tokenizer, tools)
        self._tools = _compiled(tools)
        self._served: Served | None = None

    def adjust_request(self, request: Any) -> Any:
        """Keeps special tokens in the text, since most models mark calls with them."""
        request = super().adjust_request(request)
        if request.tools and request.tool_choice != "none":
            request.skip_special_tokens = False
        return request

    def extract_tool_calls(self, model_output: str, request: Any) -> Any:
        """Reads the calls in a whole answer."""
        text, calls = whole(model_output, self._offered(request))
        made = []
        for call in calls:
            function = _protocol.FunctionCall(name=call.name, arguments=call.arguments)
            own = {"id": call.id} if call.id else {}
            made.append(_protocol.ToolCall(type="function", function=function, **own))
        return _protocol.ExtractedToolCallInformation(
            tools_called=bool(made), tool_calls=made, content=text or None
        )

    def extract_tool_calls_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
        request: Any,
    ) -> Any:
        """Reads the next piece of an answer."""
        # vLLM makes a parser for each answer, and leaves out the previous text if it can.
        if self._served is None:
            self._served = Served(self._offered(request))
        return self._message(self._served, self._served.push(delta_text))

    def finish_streaming(self) -> Any:
        """Ends an answer, and returns what was held back."""
        served, self._served = self._served, None
        return None if served is None else self._message(served, served.end())

    def _message(self, served: Served, deltas: Sequence[Sent]) -> Any:
        text = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
        reasoning = "".join(delta.text for delta in deltas if isinstance(delta, ReasoningDelta))
        calls = [_delta(delta) for delta in deltas if isinstance(delta, CallDelta)]
        # From these, vLLM learns that there were calls, and that all of them was sent.
        self.prev_tool_call_arr = [{"name": call.name, "arguments": call.arguments} for call in served.calls]
        self.streamed_args_for_tool = [call.arguments for call in served.calls]
        self.current_tool_id = len(served.calls) - 1
        self.current_tool_name_sent = bool(served.calls)
        if not (text or reasoning or calls):
            return None
        parts: dict[str, Any] = {"content": text or None, "tool_calls": calls}
        if reasoning:
            parts["reasoning"] = reasoning
        return _protocol.DeltaMessage(**parts)

    def _offered(self, request: Any) -> Tools | None:
        if self._tools is None:
            self._tools = _compiled(getattr(request, "tools", None))
        return self._tools


def _delta(delta: CallDelta) -> Any:
    function = _protocol.DeltaFunctionCall(name=delta.name, arguments=delta.arguments)
    if delta.name is None:
        return _protocol.DeltaToolCall(index=delta.index, function=function)
    # A call without an id gets one as vLLM makes it.
    id = delta.id or _protocol.ToolCall(function=_protocol.FunctionCall(name=delta.name, arguments="")).id
    return _protocol.DeltaToolCall(index=delta.index, type="function", id=id, function=function)


def _compiled(tools: Any) -> Tools | None:
    """Returns the tools; those that have an unusable schema are offered without it."""
    if not tools:
        return None
    try:
        return Tools(tools)
    except ValueError as error:
        _log.warning("llmend: %s; arguments are not checked", error)
        return Tools([{"name": name} for name in filter(None, map(_name, tools))])


def _name(tool: Any) -> str | None:
    return getattr(getattr(tool, "function", tool), "name", None)


_base.ToolParserManager.register_module("llmend", module=LlmendToolParser)
