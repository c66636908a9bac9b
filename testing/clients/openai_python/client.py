"""OpenAI's SDK for Python: completions and responses, its helpers for classes, for streams and for tools."""

import functools
import json

import openai
from scenarios import KEY, PROMPT, SCHEMA, TOOL, Got, Trip, run, run_written

MESSAGES = [{"role": "user", "content": PROMPT}]
FORMAT = {"type": "json_schema", "json_schema": {"name": "trip", "schema": SCHEMA, "strict": True}}
TOOLS = [{"type": "function", "function": {"name": TOOL, "parameters": SCHEMA}}]
FLAT_TOOLS = [{"type": "function", "name": TOOL, "parameters": SCHEMA, "strict": True}]


@functools.cache
def client(url):
    return openai.OpenAI(base_url=f"{url}/v1", api_key=KEY)


def create(url, model):
    answer = client(url).chat.completions.create(
        model=model, messages=MESSAGES, response_format=FORMAT
    )
    choice = answer.choices[0]
    return Got(json.loads(choice.message.content), choice.finish_reason == "length")


def create_stream(url, model):
    text, finish = "", None
    for chunk in client(url).chat.completions.create(
        model=model, messages=MESSAGES, response_format=FORMAT, stream=True
    ):
        text += chunk.choices[0].delta.content or ""
        finish = chunk.choices[0].finish_reason or finish
    return Got(json.loads(text), finish == "length")


def parse(url, model):
    answer = client(url).chat.completions.parse(
        model=model, messages=MESSAGES, response_format=Trip
    )
    return answer.choices[0].message.parsed


def stream(url, model):
    with client(url).chat.completions.stream(
        model=model, messages=MESSAGES, response_format=Trip
    ) as events:
        for _ in events:
            pass
        return events.get_final_completion().choices[0].message.parsed


def tools(url, model):
    answer = client(url).chat.completions.create(model=model, messages=MESSAGES, tools=TOOLS)
    calls = answer.choices[0].message.tool_calls
    return [json.loads(call.function.arguments) for call in calls]


def functions(url, model):
    answer = client(url).chat.completions.create(
        model=model, messages=MESSAGES, functions=[{"name": TOOL, "parameters": SCHEMA}]
    )
    return json.loads(answer.choices[0].message.function_call.arguments)


def tools_parse(url, model):
    answer = client(url).chat.completions.parse(
        model=model, messages=MESSAGES, tools=[openai.pydantic_function_tool(Trip)]
    )
    return [call.function.parsed_arguments for call in answer.choices[0].message.tool_calls]


def tools_stream(url, model):
    with client(url).chat.completions.stream(
        model=model, messages=MESSAGES, tools=[openai.pydantic_function_tool(Trip)]
    ) as events:
        for _ in events:
            pass
        calls = events.get_final_completion().choices[0].message.tool_calls
        return [call.function.parsed_arguments for call in calls]


def responses(url, model):
    answer = client(url).responses.parse(model=model, input=PROMPT, text_format=Trip)
    return Got(answer.output_parsed, answer.status == "incomplete")


def responses_stream(url, model):
    with client(url).responses.stream(model=model, input=PROMPT, text_format=Trip) as events:
        for _ in events:
            pass
        answer = events.get_final_response()
        return Got(answer.output_parsed, answer.status == "incomplete")


def responses_tools(url, model):
    answer = client(url).responses.create(model=model, input=PROMPT, tools=FLAT_TOOLS)
    calls = [item for item in answer.output if item.type == "function_call"]
    return [json.loads(call.arguments) for call in calls]


def responses_tools_stream(url, model):
    with client(url).responses.stream(model=model, input=PROMPT, tools=FLAT_TOOLS) as events:
        for _ in events:
            pass
        output = events.get_final_response().output
        return [json.loads(item.arguments) for item in output if item.type == "function_call"]


def chat_tools(tools):
    return [{"type": "function", "function": tool} for tool in tools]


def flat_tools(tools):
    return [{"type": "function", **tool} for tool in tools]


def called(message):
    calls = message.tool_calls or []
    return [(call.function.name, json.loads(call.function.arguments)) for call in calls]


def written(url, model, tools):
    answer = client(url).chat.completions.create(
        model=model, messages=MESSAGES, tools=chat_tools(tools)
    )
    message = answer.choices[0].message
    return called(message), message.content or ""


def written_stream(url, model, tools):
    with client(url).chat.completions.stream(
        model=model, messages=MESSAGES, tools=chat_tools(tools)
    ) as events:
        for _ in events:
            pass
        message = events.get_final_completion().choices[0].message
        return called(message), message.content or ""


def of_response(answer):
    calls = [item for item in answer.output if item.type == "function_call"]
    return [(call.name, json.loads(call.arguments)) for call in calls], answer.output_text


def written_response(url, model, tools):
    return of_response(
        client(url).responses.create(model=model, input=PROMPT, tools=flat_tools(tools))
    )


def written_response_stream(url, model, tools):
    with client(url).responses.stream(
        model=model, input=PROMPT, tools=flat_tools(tools)
    ) as events:
        for _ in events:
            pass
        return of_response(events.get_final_response())


run(
    "openai-python",
    {
        "create": ("content", create),
        "create, stream": ("content", create_stream),
        "parse": ("content", parse),
        "stream": ("content", stream),
        "tools": ("calls", tools),
        "functions": ("call", functions),
        "tools, parse": ("calls", tools_parse),
        "tools, stream": ("calls", tools_stream),
        "responses.parse": ("content", responses),
        "responses.stream": ("content", responses_stream),
        "responses, tools": ("calls", responses_tools),
        "responses, tools, stream": ("calls", responses_tools_stream),
    },
)
run_written(
    "openai-python",
    {
        "create": (False, written),
        "stream": (True, written_stream),
        "responses": (False, written_response),
        "responses, stream": (True, written_response_stream),
    },
    kinds=("written", "plain"),
)
