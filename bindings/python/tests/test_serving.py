"""Do the adapters for servers give the same calls whole and streamed, on the servers' own base classes?"""

import importlib
import json
import sys
from types import SimpleNamespace

import llmend
import pytest
import servers

WEATHER = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": WEATHER}}]
EMPTY = {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}

HERMES = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Tromsø", "days": "3"}}\n</tool_call>'
TEXTS = {
    "text": ("Nothing to call, is there? 1 < 2 & so on.", []),
    "hermes": (f"One moment.\n{HERMES}\n{HERMES}", [("get_weather", {"city": "Tromsø", "days": 3})] * 2),
    "qwen": (
        "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
        [("get_weather", {"city": "Oslo"})],
    ),
    "unmarked": ('{"name": "get_weather", "parameters": {"city": "Oslo"}}', [("get_weather", {"city": "Oslo"})]),
    "pythonic": ("[get_weather(city='Oslo'), now()]", [("get_weather", {"city": "Oslo"}), ("now", {})]),
    "id": (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
        '{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>',
        [("get_weather", {"city": "Oslo"})],
    ),
    "unknown": ('[TOOL_CALLS][{"name": "rm", "arguments": {"path": "/"}}]', []),
    "cut": (f"{HERMES}\n" + HERMES[:70], [("get_weather", {"city": "Tromsø", "days": 3})]),
}
SIZES = [1, 3, 17, 10_000]


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@pytest.fixture(params=[False, True], ids=["copy", "published"])
def published(request):
    yield request.param
    servers.forget()


def request(**more):
    tools = [servers.ServerTool.model_validate(tool) for tool in [*TOOLS, EMPTY]]
    return SimpleNamespace(tools=tools, tool_choice="auto", parallel_tool_calls=True, skip_special_tokens=True, **more)


@pytest.fixture
def vllm(published):
    return servers.plugin("vllm", published)


def vllm_parser(vllm):
    registered = vllm._base.ToolParserManager.get_tool_parser("llmend")
    assert registered is vllm.LlmendToolParser
    return registered(object(), request().tools)


def made(calls: list[tuple[str, str]], is_cut: bool) -> list[tuple[str, dict]]:
    """The calls with their arguments. Of a text that is cut off, the last one may be incomplete."""
    *before, last = calls or [("", "")]
    try:
        json.loads(last[1])
    except json.JSONDecodeError:
        assert is_cut or not calls
        calls = before
    return [(name, json.loads(arguments)) for name, arguments in calls]


def of_vllm(deltas, is_cut: bool = False) -> tuple[str, list[tuple[str, dict]], list[str]]:
    """What a client joins from the deltas: text, calls, ids."""
    text, calls = "", {}
    for delta in filter(None, deltas):
        text += delta.content or ""
        for part in delta.tool_calls:
            call = calls.setdefault(part.index, {"name": "", "arguments": "", "id": []})
            call["name"] += part.function.name or ""
            call["arguments"] += part.function.arguments or ""
            call["id"] += [part.id] if part.id else []
    assert list(calls) == list(range(len(calls)))
    assert all(len(call["id"]) == 1 for call in calls.values())
    told = [(call["name"], call["arguments"]) for call in calls.values()]
    return text, made(told, is_cut), [call["id"][0] for call in calls.values()]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", TEXTS)
def test_vllm_gets_the_same_calls_whole_and_streamed(vllm, name, size):
    text, expected = TEXTS[name]
    found = vllm_parser(vllm).extract_tool_calls(text, request())
    assert [(call.function.name, json.loads(call.function.arguments)) for call in found.tool_calls] == expected
    assert found.tools_called == bool(expected)
    for has_previous in [True, False]:
        parser, before, deltas = vllm_parser(vllm), "", []
        for piece in pieces(text, size):
            now = before + piece if has_previous else piece
            deltas.append(parser.extract_tool_calls_streaming(before, now, piece, [], [], [], request()))
            before = now if has_previous else ""
        deltas.append(parser.finish_streaming())
        streamed, calls, _ = of_vllm(deltas, name == "cut")
        assert (streamed, calls) == (found.content or "", expected)
        told = [("", row["arguments"]) for row in parser.prev_tool_call_arr]
        assert made(told, name == "cut") == [("", arguments) for _, arguments in expected]
        assert parser.streamed_args_for_tool == [row["arguments"] for row in parser.prev_tool_call_arr]


def test_what_was_reasoning_is_left_out_of_a_whole_answer(vllm):
    found = vllm_parser(vllm).extract_tool_calls(f"Perhaps {HERMES}? No.</think>It rains.\n{HERMES}", request())
    assert found.content == "It rains." and len(found.tool_calls) == 1


def test_vllm_keeps_ids_and_special_tokens(vllm):
    parser = vllm_parser(vllm)
    wanted = parser.adjust_request(request(structured_outputs=None))
    assert wanted.skip_special_tokens is False
    found = parser.extract_tool_calls(TEXTS["id"][0], request())
    assert [call.id for call in found.tool_calls] == ["functions.get_weather:0"]
    found = parser.extract_tool_calls(HERMES * 2, request())
    assert len({call.id for call in found.tool_calls}) == 2
    assert all(call.id.startswith("chatcmpl-tool-") for call in found.tool_calls)


def test_vllm_shows_a_refused_call_and_reads_calls_without_a_usable_schema(vllm):
    text, _ = TEXTS["unknown"]
    assert "rm" in vllm_parser(vllm).extract_tool_calls(text, request()).content
    bad = servers.ServerTool.model_validate({"function": {"name": "get_weather", "parameters": {"type": 7}}})
    parser = vllm.LlmendToolParser(object(), [bad])
    assert parser.extract_tool_calls(HERMES, request()).tool_calls[0].function.name == "get_weather"


def test_vllm_itself_asks_for_the_end(vllm, published):
    """By its own loop over the pieces of an answer."""
    if not published:
        pytest.skip("this is a part of vLLM")
    loop = importlib.import_module("vllm.parser.abstract_parser")

    class Parser(loop.DelegatingParser):
        tool_parser_cls = vllm.LlmendToolParser

    for name, (text, expected) in TEXTS.items():
        for size in SIZES:
            parser = Parser(object(), request().tools)
            asked = request(include_reasoning=True, messages=[])
            cut = pieces(text, size)
            deltas = [
                parser.parse_delta(piece, [1], asked, [0], finished=index == len(cut) - 1)
                for index, piece in enumerate(cut)
            ]
            assert of_vllm(deltas)[1] == expected, (name, size)
        _, _, calls = Parser(object(), request().tools).parse(text, asked, enable_auto_tools=True)
        assert [(call.name, json.loads(call.arguments)) for call in calls or []] == expected


@pytest.fixture
def sglang(published):
    plugin = servers.plugin("sglang", published)
    plugin.register()
    plugin.register()
    return plugin


def sglang_detector():
    names = sys.modules["sglang.srt.function_call.parser_names"].TOOL_CALL_PARSER_NAMES
    assert names.count("llmend") == 1
    parser = sys.modules["sglang.srt.function_call.function_call_parser"].FunctionCallParser
    return parser.ToolCallParserEnum["llmend"]()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", TEXTS)
def test_sglang_gets_the_same_calls_whole_and_streamed(sglang, name, size):
    text, expected = TEXTS[name]
    tools = request().tools
    found = sglang_detector().detect_and_parse(text, tools)
    assert [(call.name, json.loads(call.parameters)) for call in found.calls] == expected
    assert [call.tool_index for call in found.calls] == [["get_weather", "now"].index(name) for name, _ in expected]
    assert sglang_detector().has_tool_call(text) or not expected
    detector = sglang_detector()
    results = [detector.parse_streaming_increment(piece, tools) for piece in pieces(text, size)]
    results.append(detector.finish(tools))
    calls: dict = {}
    for part in (part for result in results for part in result.calls):
        call = calls.setdefault(part.tool_index, ["", ""])
        call[0] += part.name or ""
        call[1] += part.parameters
    assert made([(name, arguments) for name, arguments in calls.values()], name == "cut") == expected
    assert "".join(result.normal_text for result in results) == found.normal_text
    assert detector.streamed_args_for_tool == [row["arguments"] for row in detector.prev_tool_call_arr]


def test_sglang_is_not_asked_to_force_a_notation(sglang):
    detector = sglang_detector()
    assert not detector.supports_structural_tag()
    with pytest.raises(NotImplementedError):
        detector.structure_info()
    assert not detector.has_tool_call("Good morning.")


def test_the_entry_point_is_there():
    from importlib.metadata import distribution

    try:
        found = distribution("llmend").entry_points
    except ImportError:
        pytest.skip("llmend is not installed")
    assert found.select(group="sglang.srt.plugins", name="llmend")
    assert llmend.__version__
