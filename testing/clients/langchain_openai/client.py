"""LangChain's ChatOpenAI: `with_structured_output` in its three modes, whole and as a stream, and tools."""

from langchain_openai import ChatOpenAI
from scenarios import KEY, PROMPT, SCHEMA, TELL_SCHEMA, TOOL, Trip, run, run_written

TOOLS = [{"type": "function", "function": {"name": TOOL, "parameters": SCHEMA}}]


def chat(url, model, headers=None):
    return ChatOpenAI(base_url=f"{url}/v1", api_key=KEY, model=model, default_headers=headers)


def structured(method, headers=None):
    def ask(url, model):
        asked = chat(url, model, headers).with_structured_output(Trip, method=method)
        return asked.invoke(PROMPT)

    return ask


def structured_stream(method):
    def ask(url, model):
        last = None
        for last in chat(url, model).with_structured_output(Trip, method=method).stream(PROMPT):
            pass
        return last

    return ask


def arguments(message):
    # Calls that cannot be read stand in a list of their own, which agents leave alone.
    return [call["args"] for call in message.tool_calls]


def tools(url, model):
    return arguments(chat(url, model).bind_tools(TOOLS).invoke(PROMPT))


def tools_stream(url, model):
    message = None
    for chunk in chat(url, model).bind_tools(TOOLS).stream(PROMPT):
        message = chunk if message is None else message + chunk
    return arguments(message)


def said(message):
    text = message.content if isinstance(message.content, str) else message.text()
    return [(call["name"], call["args"]) for call in message.tool_calls], text


def bound(url, model, tools):
    return chat(url, model).bind_tools([{"type": "function", "function": tool} for tool in tools])


def written(url, model, tools):
    return said(bound(url, model, tools).invoke(PROMPT))


def written_stream(url, model, tools):
    message = None
    for chunk in bound(url, model, tools).stream(PROMPT):
        message = chunk if message is None else message + chunk
    return said(message)


run(
    "langchain-openai",
    {
        "json_schema": ("content", structured("json_schema")),
        "json_schema, stream": ("content", structured_stream("json_schema")),
        "json_mode": ("json", structured("json_mode")),
        "json_mode, stream": ("json", structured_stream("json_mode")),
        "json_mode, schema told": ("content", structured("json_mode", TELL_SCHEMA)),
        "function_calling": ("call", structured("function_calling")),
        "function_calling, stream": ("call", structured_stream("function_calling")),
        "bind_tools": ("calls", tools),
        "bind_tools, stream": ("calls", tools_stream),
    },
)
run_written("langchain-openai", {"invoke": (False, written), "stream": (True, written_stream)})
