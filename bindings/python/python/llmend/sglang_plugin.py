"""A tool call parser for SGLang that reads the calls of any model.

SGLang finds it by itself where llmend is installed (entry point group `sglang.srt.plugins`):

    python -m sglang.launch_server --model-path MODEL --tool-call-parser llmend

Add `--reasoning-parser` for a model that reasons: without it, reasoning is omitted. A call of an unknown tool stays in
the text, as it was written.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from sglang.srt.function_call.base_format_detector import BaseFormatDetector
from sglang.srt.function_call.core_types import StreamingParseResult, ToolCallItem

from llmend._calls import TextDelta, calls
from llmend._serving import CallDelta, Sent, Served, whole
from llmend._tools import Tools

_log = logging.getLogger("sglang.llmend")


class LlmendDetector(BaseFormatDetector):  # type: ignore[misc]
    """Reads tool calls in the notation of any model."""

    def __init__(self) -> None:
        super().__init__()
        self._served: Served | None = None

    def has_tool_call(self, text: str) -> bool:
        """Returns whether the text has a call, or something that was meant as one."""
        # A call without markers is one by its tool, of which only `detect_and_parse` is told.
        if any(mark in text for mark in "{[(:"):
            return True
        found = calls(text)
        return bool(found.calls or found.refused or found.truncated)

    def detect_and_parse(self, text: str, tools: list[Any]) -> Any:
        """Reads the calls in a whole answer."""
        left, found = whole(text, _compiled(tools))
        indices = self._get_tool_indices(tools)
        made = [
            ToolCallItem(tool_index=indices.get(call.name, -1), name=call.name, parameters=call.arguments)
            for call in found
        ]
        return StreamingParseResult(normal_text=left, calls=made)

    def parse_streaming_increment(self, new_text: str, tools: list[Any]) -> Any:
        """Reads the next piece of an answer."""
        if self._served is None:
            self._served = Served(_compiled(tools))
        return self._result(self._served, self._served.push(new_text))

    def finish(self, tools: list[Any]) -> Any:
        """Ends an answer, and returns what was held back."""
        served, self._served = self._served, None
        return StreamingParseResult() if served is None else self._result(served, served.end())

    def supports_structural_tag(self) -> bool:
        """Returns that a required call is not forced into a notation: SGLang then asks for JSON."""
        return False

    def structure_info(self) -> Callable[[str], Any]:
        """Is not called, since no notation is forced."""
        raise NotImplementedError

    def _result(self, served: Served, deltas: Sequence[Sent]) -> Any:
        # From these, SGLang learns that there were calls, and that all of them was sent.
        self.prev_tool_call_arr = [{"name": call.name, "arguments": call.arguments} for call in served.calls]
        self.streamed_args_for_tool = [call.arguments for call in served.calls]
        self.current_tool_id = len(served.calls) - 1
        self.current_tool_name_sent = bool(served.calls)
        text = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
        made = [
            ToolCallItem(tool_index=delta.index, name=delta.name, parameters=delta.arguments)
            for delta in deltas
            if isinstance(delta, CallDelta)
        ]
        return StreamingParseResult(normal_text=text, calls=made)


def _compiled(tools: list[Any]) -> Tools | None:
    """Returns the tools; those that have an unusable schema are offered without it."""
    if not tools:
        return None
    try:
        return Tools(tools)
    except ValueError as error:
        _log.warning("llmend: %s; arguments are not checked", error)
        return Tools([{"name": tool.function.name} for tool in tools])


def register() -> None:
    """Registers the parser under the name `llmend`."""
    from sglang.srt.function_call.function_call_parser import FunctionCallParser
    from sglang.srt.function_call.parser_names import TOOL_CALL_PARSER_NAMES

    if "llmend" not in TOOL_CALL_PARSER_NAMES:
        TOOL_CALL_PARSER_NAMES.append("llmend")
    FunctionCallParser.ToolCallParserEnum["llmend"] = LlmendDetector
