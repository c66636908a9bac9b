"""llmend in agents of pydantic-ai: `pip install 'llmend[pydantic-ai]'`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, overload

from llmend import _llmend
from llmend._answer import parse
from llmend._calls import Calls
from llmend._errors import LlmendError
from llmend._llmend import CoerceOptions, Options, Schema
from llmend._repairs import How, Repairs, Unsure, UnsureRaises, findings, is_accepted, missing, new_id, text_of

try:
    from pydantic_ai import ModelRetry, RunContext, TextOutput
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelResponse, ModelResponsePart, TextPart, ThinkingPart, ToolCallPart
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.output import OutputContext
    from pydantic_ai.tools import ToolDefinition
except ImportError as error:
    raise missing(__name__, "pydantic-ai-slim>=2", "pydantic-ai", error) from error

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from typing_extensions import TypeForm

    from llmend._answer import Json
    from llmend._llmend import PolicyName

_T = TypeVar("_T")
_Raw = str | dict[str, Any]


@overload
def text_output(
    type: TypeAdapter[_T],
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    unsure: UnsureRaises = "raise",
) -> TextOutput[_T]: ...
@overload
def text_output(
    type: Json | Schema,
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    unsure: UnsureRaises = "raise",
) -> TextOutput[Any]: ...
@overload
def text_output(
    type: TypeForm[_T],
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    unsure: UnsureRaises = "raise",
) -> TextOutput[_T]: ...
def text_output(
    type: Any,
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    unsure: UnsureRaises = "raise",
) -> TextOutput[Any]:
    """Returns an output type for an agent whose model answers in text: the value in it, as `llmend.parse` reads it.

    `type` is anything that `llmend.parse` accepts. If there is no such value, or, unless `unsure="accept"`, it may be
    incomplete, `ModelRetry` is raised, with which the model is asked again and told the findings. The model is not told
    the type: say in the instructions what it should answer.

    >>> from pydantic_ai import Agent
    >>> from pydantic_ai.models.test import TestModel
    >>> agent = Agent(TestModel(custom_output_text="Sure: [1, '2',]"), output_type=text_output(list[int]))
    >>> agent.run_sync("Which?").output
    [1, 2]
    """
    accepts = is_accepted(unsure, otherwise="raise")
    _llmend.check_options(policy=policy, coerce=coerce)

    def read(text: str) -> Any:
        try:
            outcome = parse(text, type, policy=policy, coerce=coerce)
            return outcome.value if accepts else outcome.sure()
        except LlmendError as error:
            raise ModelRetry(findings(error)) from error

    return TextOutput(read)


@dataclass
class RepairCapability(AbstractCapability[Any]):
    """A capability that repairs what the model answers before pydantic-ai reads it:

    - arguments of tools, and output (as a tool, native, or prompted for): the JSON is repaired and made to fit the
      schema;
    - a near miss of a tool's name;
    - calls that the model wrote as text, if it made no others: they become tool calls.

    pydantic-ai asks the model again for what does not fit even so. What cannot be repaired stays as it is; so does,
    unless `unsure="accept"`, what may be incomplete. Parts of a stream stay as they are until their end; `run_stream`
    takes text for the output before calls in it are read, which `run` with an `event_stream_handler` does not.

    >>> from pydantic_ai import Agent
    >>> from pydantic_ai.models.test import TestModel
    >>> agent = Agent(TestModel(), capabilities=[RepairCapability()])
    """

    policy: PolicyName | Options | None = None
    """As in `llmend.parse`."""
    coerce: CoerceOptions | None = None
    """As in `llmend.parse`."""
    unsure: Unsure = "reject"
    """Whether what may be incomplete is used."""

    def __post_init__(self) -> None:
        self._how()

    async def before_tool_validate(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: _Raw
    ) -> _Raw:
        """Repairs the arguments of a tool."""
        return args if ctx.partial_output else self._fitted(args, tool_def.parameters_json_schema)

    async def before_output_validate(
        self, ctx: RunContext[Any], *, output_context: OutputContext, output: _Raw
    ) -> _Raw:
        """Repairs output."""
        if ctx.partial_output:
            return output
        if output_context.tool_def is not None:
            return self._fitted(output, output_context.tool_def.parameters_json_schema)
        return output if output_context.object_def is None else self._fitted(output, output_context.object_def.json_schema)

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Reads calls in text, and corrects names of tools."""
        asked = request_context.model_request_parameters
        tools = [*asked.function_tools, *asked.output_tools]
        repairs = Repairs(tools, self._how())
        if repairs.tools is None:
            return response
        if any(isinstance(part, ToolCallPart) for part in response.parts):
            names = {tool.name for tool in tools}
            parts: list[ModelResponsePart] = [_renamed(part, names, repairs) for part in response.parts]
        else:
            parts = [made for part in response.parts for made in _read(part, repairs)]
        return response if parts == list(response.parts) else replace(response, parts=parts)

    def _how(self) -> How:
        return How(self.policy, self.coerce, self.unsure)

    def _fitted(self, raw: _Raw, schema: dict[str, Any]) -> _Raw:
        text = _text(raw)
        made = Repairs(None, self._how()).json(text or "{}", schema)
        if made == text:
            return raw
        if isinstance(raw, str):
            return made
        value = json.loads(made)
        return value if isinstance(value, dict) else raw


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments or {})


def _renamed(part: ModelResponsePart, names: set[str], repairs: Repairs) -> ModelResponsePart:
    """Returns a call with the name that its own is a near miss of."""
    # Derived classes are of tools that pydantic-ai has itself.
    if type(part) is not ToolCallPart or part.tool_name in names:
        return part
    made = repairs.call(part.tool_name, _text(part.args))
    changes: dict[str, Any] = {} if made is None else {"tool_name": made.name, "args": made.arguments_json}
    return replace(part, **changes)


def _read(part: ModelResponsePart, repairs: Repairs) -> Sequence[ModelResponsePart]:
    """Returns a part, or the parts that are read of its text if there are calls in it."""
    found = repairs.calls(part.content) if isinstance(part, TextPart) else None
    return list(_parts(found)) if found else [part]


def _parts(found: Calls) -> Iterator[ModelResponsePart]:
    if found.reasoning:
        yield ThinkingPart(found.reasoning)
    if text := text_of(found):
        yield TextPart(text)
    for call in found:
        yield ToolCallPart(call.name, call.arguments_json, tool_call_id=call.id or new_id())
