"""Anthropic's SDK for Python: messages and their stream, with tools and with a class for the answer."""

import anthropic
from scenarios import KEY, PROMPT, SCHEMA, TOOL, Got, Trip, run, run_written

ASK = {"max_tokens": 1000, "messages": [{"role": "user", "content": PROMPT}]}
TOOLS = [{"name": TOOL, "input_schema": SCHEMA}]


def client(url):
    return anthropic.Anthropic(base_url=url, api_key=KEY)


def inputs(message):
    return [block.input for block in message.content if block.type == "tool_use"]


def tools(url, model):
    return inputs(client(url).messages.create(model=model, tools=TOOLS, **ASK))


def tools_stream(url, model):
    with client(url).messages.stream(model=model, tools=TOOLS, **ASK) as events:
        for _ in events:
            pass
        return inputs(events.get_final_message())


def parse(url, model):
    message = client(url).messages.parse(model=model, output_format=Trip, **ASK)
    return Got(message.parsed_output, message.stop_reason == "max_tokens")


def parse_stream(url, model):
    with client(url).messages.stream(model=model, output_format=Trip, **ASK) as events:
        for _ in events:
            pass
        message = events.get_final_message()
        return Got(message.parsed_output, message.stop_reason == "max_tokens")


def input_tools(tools):
    return [{"name": tool["name"], "input_schema": tool["parameters"]} for tool in tools]


def said(message):
    calls = [(block.name, block.input) for block in message.content if block.type == "tool_use"]
    return calls, "".join(block.text for block in message.content if block.type == "text")


def written(url, model, tools):
    return said(client(url).messages.create(model=model, tools=input_tools(tools), **ASK))


def written_stream(url, model, tools):
    with client(url).messages.stream(model=model, tools=input_tools(tools), **ASK) as events:
        for _ in events:
            pass
        return said(events.get_final_message())


run(
    "anthropic-python",
    {
        "parse": ("content", parse),
        "parse, stream": ("content", parse_stream),
        "tools": ("calls", tools),
        "tools, stream": ("calls", tools_stream),
    },
)
run_written("anthropic-python", {"create": (False, written), "stream": (True, written_stream)})
