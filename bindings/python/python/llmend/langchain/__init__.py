"""llmend in LangChain: a parser that streams, and tool calls repaired in agents: `pip install 'llmend[langchain]'`.

The parser and `repair_tool_calls` need langchain-core only; `RepairMiddleware` needs langchain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmend._repairs import missing

try:
    from llmend.langchain._messages import repair_tool_calls
    from llmend.langchain._parser import LlmendOutputParser
except ImportError as error:
    raise missing(__name__, "langchain-core", "langchain", error) from error

if TYPE_CHECKING:
    from llmend.langchain._middleware import RepairMiddleware

__all__ = ["LlmendOutputParser", "RepairMiddleware", "repair_tool_calls"]


def __getattr__(name: str) -> object:
    if name != "RepairMiddleware":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from llmend.langchain import _middleware
    except ImportError as error:
        raise missing(f"{__name__}.{name}", "langchain", "langchain", error) from error
    return _middleware.RepairMiddleware
