"""Parsers of tool calls in Python. None is told the notation."""

import json
import sys

from protocol import serve


def offered(request):
    return {tool.get("function", tool)["name"] for tool in request["tools"]}


def agent_tool_parser(request):
    from agent_tool_parser import ToolParser

    # It makes names lower case.
    names = {name.lower(): name for name in offered(request)}
    parser = ToolParser(allowed_tools=set(names))
    return lambda text: [(names[call.name], call.args) for call in parser.try_parse_all(text)]


def llm_beacon(_):
    from beacon import NoToolCallFoundError, parse_tool_calls

    def read(text):
        try:
            return [(call["name"], call["arguments"]) for call in parse_tool_calls(text)]
        except NoToolCallFoundError:
            return []

    return read


def toolpatch(request):
    from toolpatch.extractor import extract_tool_calls

    names = offered(request)

    def read(text):
        found = extract_tool_calls(text, names, allow_unterminated_hermes=True)
        functions = [call["function"] for call in found.tool_calls] if found else []
        return [(function["name"], json.loads(function["arguments"])) for function in functions]

    return read


def calls(request):
    return [{"name": name, "arguments": arguments} for name, arguments in request["ready"](request["text"])]


make = globals()[sys.argv[1]]
serve(make, calls=calls)
