"""The tools that a model was offered."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from llmend import _llmend
from llmend._answer import read_schema

_Row = dict[str, Any]

# Attributes with the schema of the arguments: of tools of LangChain, MCP, pydantic-ai and OpenAI's agents.
_SCHEMAS = (
    "tool_call_schema",
    "args_schema",
    "inputSchema",
    "input_schema",
    "parameters_json_schema",
    "params_json_schema",
)


class Tools:
    """The tools that a model was offered, compiled once. Thread-safe.

    `tools` is a list, of which each item is one of

    - a `dict` in the form of OpenAI, Anthropic, MCP or Gemini;
    - with pydantic installed, a function with annotated parameters, a pydantic model, a dataclass or a `TypedDict`,
      whose name is that of the tool;
    - a tool of LangChain, MCP, pydantic-ai or another package, with a name and a schema;

    or an object that has such a list, as a request does; a `dict` from names to JSON Schemas or types; or JSON text
    of one of these. Raises `SchemaError` if a tool cannot be read.

    >>> import llmend
    >>> def get_weather(city: str, days: int = 1) -> str:
    ...     return "Rain."
    >>> tools = llmend.Tools([get_weather, {"name": "get_time", "input_schema": {"type": "object"}}])
    >>> tools
    Tools(['get_weather', 'get_time'])
    >>> llmend.calls("<tool_call>{'name': 'get_weather', 'arguments': {'city': 'Oslo', 'days': '2'}}</tool_call>", tools)
    Calls([get_weather(city='Oslo', days=2)])
    """

    __slots__ = ("_json", "_compiled")

    def __init__(self, tools: Any) -> None:
        self._json: str = tools._json if isinstance(tools, Tools) else _text(tools)
        self._compiled = _compile(self._json)

    @property
    def names(self) -> list[str]:
        """The names of the tools, in order."""
        return self._compiled.names

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tools) and self._json == other._json

    def __hash__(self) -> int:
        return hash(self._json)

    def __repr__(self) -> str:
        return f"Tools({self.names})"

    def __reduce__(self) -> tuple[type[Tools], tuple[str]]:
        return Tools, (self._json,)


def compiled(tools: Any) -> _llmend.Tools | None:
    """Returns the compiled tools of an argument `tools`."""
    if tools is None:
        return None
    return tools._compiled if isinstance(tools, Tools) else _compile(_text(tools))


@lru_cache(maxsize=64)
def _compile(text: str) -> _llmend.Tools:
    return _llmend.Tools(text)


def _text(tools: Any) -> str:
    if isinstance(tools, (bytes, bytearray)):
        return tools.decode()
    return tools if isinstance(tools, str) else json.dumps(_rows(tools))


def _rows(tools: Any) -> Any:
    if isinstance(tools, Mapping):
        return {name: _schema(part) if callable(part) else part for name, part in tools.items()}
    if isinstance(tools, Iterable) and not isinstance(tools, type):
        return [_row(tool) for tool in tools]
    return [_row(tools)]


def _row(tool: Any) -> Any:
    """Returns a tool in one of the forms of the APIs."""
    if isinstance(tool, Mapping):
        return tool
    if isinstance(tool, type):
        return {"name": tool.__name__, "parameters": _schema(tool)}
    name = getattr(tool, "name", None)
    if isinstance(name, str):
        schema = _schema_of_tool(tool)
        if schema is not None:
            return {"name": name, "parameters": _schema(schema)}
    # What pydantic and Anthropic's `beta_tool` have.
    dump: Callable[..., Any] | None = getattr(tool, "model_dump", None)
    if dump is not None:
        return dump(mode="json", by_alias=True, exclude_none=True)
    dump = getattr(tool, "to_dict", None)
    if dump is not None:
        return dump()
    name = getattr(tool, "__name__", None)
    if callable(tool) and isinstance(name, str):
        return {"name": name, "parameters": _schema(tool)}
    raise TypeError(f"expected a tool (a dict, a function, a type, or an object with a name and a schema), found {tool!r}")


def _schema_of_tool(tool: Any) -> Any:
    attributes = (getattr(tool, name, None) for name in _SCHEMAS)
    found = next((schema for schema in attributes if schema is not None), None)
    return getattr(getattr(tool, "function_schema", None), "json_schema", None) if found is None else found


def _schema(schema: Any) -> Any:
    return schema if isinstance(schema, Mapping) else json.loads(read_schema(schema))
