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
from scenarios import KEY, PROMPT, SCHEMA, TOOL, Trip, run, run_loops, run_written


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


def offering(url, model, tools):
    known = [
        ToolDefinition(name=tool["name"], parameters_json_schema=tool["parameters"])
        for tool in tools
    ]
    toolset = ExternalToolset(known)
    return agent(url, model, [str, DeferredToolRequests], toolsets=[toolset])


def said(messages):
    response = messages[-1]
    calls = [(call.tool_name, call.args_as_dict()) for call in response.tool_calls]
    return calls, response.text or ""


def written(url, model, tools):
    return said(offering(url, model, tools).run_sync(PROMPT).all_messages())


def written_stream(url, model, tools):
    async def stream():
        async with offering(url, model, tools).run_stream(PROMPT) as result:
            await result.get_output()
            return said(result.all_messages())

    return asyncio.run(stream())


def loop(url, model, record):
    return agent(url, model, str, tools=[record]).run_sync(PROMPT).output


def loop_stream(url, model, record):
    async def stream():
        last = None
        async with agent(url, model, str, tools=[record]).iter(PROMPT) as turns:
            async for turn in turns:
                if Agent.is_model_request_node(turn):
                    async with turn.stream(turns.ctx) as events:
                        async for _ in events:
                            pass
            last = turns.result
        return last.output

    return asyncio.run(stream())


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
run_written("pydantic-ai", {"run": (False, written), "run_stream": (True, written_stream)})
run_loops("pydantic-ai", {"run": loop, "iter, stream": loop_stream})
