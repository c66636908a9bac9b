"""The middleware for agents."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage

from llmend._llmend import CoerceOptions, Options
from llmend._repairs import How, Unsure
from llmend.langchain._messages import repaired

if TYPE_CHECKING:
    from llmend._llmend import PolicyName


class RepairMiddleware(AgentMiddleware[Any, Any, Any]):
    """A middleware for `create_agent` that repairs the tool calls of each answer, as `repair_tool_calls` does, so that
    the agent runs them.

    Calls that fit no tool even so stay as they are. The tokens of a stream arrive as the model wrote them. A value for
    the agent's `response_format` is read by LangChain itself, before this.

        agent = create_agent(model, tools, middleware=[RepairMiddleware()])
    """

    def __init__(
        self,
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
        unsure: Unsure = "reject",
    ) -> None:
        super().__init__()
        self._how = How(policy, coerce, unsure)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Repairs the answer of a model."""
        return self._repaired(request, handler(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Repairs the answer of a model."""
        return self._repaired(request, await handler(request))

    def _repaired(self, request: ModelRequest[Any], response: ModelResponse[Any]) -> ModelResponse[Any]:
        # With more than one message, LangChain has read the calls already, for `response_format`.
        if len(response.result) != 1 or request.tool_choice == "none":
            return response
        messages = [
            repaired(message, request.tools, self._how) if isinstance(message, AIMessage) else message
            for message in response.result
        ]
        return replace(response, result=messages)
