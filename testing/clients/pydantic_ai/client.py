"""Pydantic AI: an agent whose output is a tool's, the provider's own, or prompted for; tools; a stream."""

import asyncio

from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    ExternalToolset,
    NativeOutput,
    PromptedOutput,
    ToolDefinition,
    ToolOutput,
)
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from scenarios import KEY, PROMPT, SCHEMA, TOOL, Trip, run


def agent(url, model, output, **more):
    provider = OpenAIProvider(base_url=f"{url}/v1", api_key=KEY)
    # One answer is to be shown, and not how the agent asks again for a better one.
    return Agent(OpenAIChatModel(model, provider=provider), output_type=output, retries=0, **more)


def whole(output):
    def ask(url, model):
        return agent(url, model, output).run_sync(PROMPT).output

    return ask


def streamed(output):
    async def stream(url, model):
        async with agent(url, model, output).run_stream(PROMPT) as result:
            return await result.get_output()

    return lambda url, model: asyncio.run(stream(url, model))


def tools(url, model):
    known = ToolDefinition(name=TOOL, parameters_json_schema=SCHEMA)
    toolset = ExternalToolset([known])
    asked = agent(url, model, [str, DeferredToolRequests], toolsets=[toolset])
    return [call.args_as_dict() for call in asked.run_sync(PROMPT).output.calls]


run(
    "pydantic-ai",
    {
        "native": ("content", whole(NativeOutput(Trip))),
        "native, stream": ("content", streamed(NativeOutput(Trip))),
        "prompted": ("json", whole(PromptedOutput(Trip))),
        "tool": ("call", whole(ToolOutput(Trip))),
        "tool, stream": ("call", streamed(ToolOutput(Trip))),
        "external tools": ("calls", tools),
    },
)
