"""The base classes of servers, of which the adapters are subclasses.

They are those that vLLM and SGLang publish if `SERVER_PACKAGES` names a folder with their packages, as unpacked from
their wheels; what these import of the rest of their servers, of CUDA and so on, is a stub. Otherwise they are copies of
their signatures.
"""

import importlib
import importlib.machinery
import importlib.util
import logging
import os
import sys
import types
import uuid
from pathlib import Path

import pydantic
import pytest

PUBLISHED = os.environ.get("SERVER_PACKAGES")

# What is taken from the packages; all else is a stub.
REAL = (
    "vllm.tool_parsers.abstract_tool_parser",
    "vllm.tool_parsers.tool_strict_level",
    "vllm.entrypoints.generate.base.protocol",
    "vllm.parser.abstract_parser",
    "vllm.utils.collection_utils",
    "sglang.srt.function_call.base_format_detector",
    "sglang.srt.function_call.core_types",
    "sglang.srt.function_call.parser_names",
)


# The servers, and a package of theirs that is not needed here.
PACKAGES = ("vllm", "sglang", "xgrammar")


class Anything(pydantic.BaseModel):
    """What every class of a stub is."""

    model_config = pydantic.ConfigDict(extra="allow", arbitrary_types_allowed=True)


class Stub(types.ModuleType):
    """A module that has whatever is asked of it."""

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (Anything,), {"__module__": self.__name__})
        setattr(self, name, made)
        return made


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of the servers: the real ones in their packages, all others as stubs."""

    def __init__(self, folder: str | None) -> None:
        self.folder = folder

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in PACKAGES:
            return None
        if self.folder and name in REAL:
            return importlib.util.spec_from_file_location(name, Path(self.folder, *name.split(".")).with_suffix(".py"))
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Stub(spec.name)

    def exec_module(self, module):
        stub = STUBS.get(module.__name__)
        if stub:
            stub(module)
        if not self.folder and module.__name__ in COPIES:
            COPIES[module.__name__](module)


def _call_id(id_type="random", func_name=None, idx=None):
    return f"chatcmpl-tool-{uuid.uuid4().hex}"


def _envs(module):
    module.VLLM_ENFORCE_STRICT_TOOL_CALLING, module.VLLM_MAX_STOP_STRINGS = False, 8


class Function(Anything):
    name: str
    parameters: dict = {}


class ServerTool(Anything):
    """A tool as both servers parse it."""

    type: str = "function"
    function: Function


class Setting:
    """A setting of SGLang's."""

    def get(self):
        return False


STUBS = {
    "vllm.envs": _envs,
    "vllm.logger": lambda module: setattr(module, "init_logger", logging.getLogger),
    "vllm.renderers.chat_utils": lambda module: setattr(module, "make_tool_call_id", _call_id),
    "vllm.config.utils": lambda module: setattr(module, "replace", None),
    "vllm.entrypoints.openai.chat_completion.protocol": lambda module: setattr(
        module, "ChatCompletionToolsParam", ServerTool
    ),
    "vllm.tool_parsers.utils": lambda module: setattr(module, "get_json_schema_from_tools", lambda **_: None),
    "vllm.parser.metrics": lambda module: setattr(module, "record_tool_parser_invocation", lambda **_: None),
    "vllm.entrypoints.chat_utils": lambda module: setattr(module, "make_tool_call_id", _call_id),
    "sglang.srt.entrypoints.openai.protocol": lambda module: setattr(module, "Tool", ServerTool),
    "sglang.srt.function_call.function_call_parser": lambda module: setattr(
        module, "FunctionCallParser", type("FunctionCallParser", (), {"ToolCallParserEnum": {}})
    ),
}


def _copy_of_vllm(module):
    class FunctionCall(Anything):
        name: str
        arguments: str

    class ToolCall(Anything):
        id: str = pydantic.Field(default_factory=_call_id)
        type: str = "function"
        function: FunctionCall

    class DeltaFunctionCall(pydantic.BaseModel):
        name: str | None = None
        arguments: str | None = None

    class DeltaToolCall(Anything):
        id: str | None = None
        type: str | None = None
        index: int
        function: DeltaFunctionCall | None = None

    class ExtractedToolCallInformation(pydantic.BaseModel):
        tools_called: bool
        tool_calls: list[ToolCall]
        content: str | None = None

    class DeltaMessage(Anything):
        role: str | None = None
        content: str | None = None
        reasoning: str | None = None
        tool_calls: list[DeltaToolCall] = []

    class ToolParser:
        engine_based_streaming = False

        def __init__(self, tokenizer, tools=None):
            self.prev_tool_call_arr = []
            self.current_tool_id = -1
            self.current_tool_name_sent = False
            self.streamed_args_for_tool = []
            self.model_tokenizer = tokenizer

        def adjust_request(self, request):
            return request

    class ToolParserManager:
        tool_parsers: dict = {}

        @classmethod
        def register_module(cls, name=None, force=True, module=None):
            cls.tool_parsers[name] = module
            return module

        @classmethod
        def get_tool_parser(cls, name):
            return cls.tool_parsers[name]

    for made in [FunctionCall, ToolCall, DeltaFunctionCall, DeltaToolCall, ExtractedToolCallInformation, DeltaMessage]:
        made.__module__ = module.__name__
    vars(module).update({name: made for name, made in locals().items() if isinstance(made, type)})


def _copy_of_sglang(module):
    class BaseFormatDetector:
        def __init__(self):
            self._buffer = ""
            self.prev_tool_call_arr = []
            self.current_tool_id = -1
            self.current_tool_name_sent = False
            self.streamed_args_for_tool = []
            self.bot_token = self.eot_token = ""
            self.tool_call_separator = ", "

        def _get_tool_indices(self, tools):
            return {tool.function.name: index for index, tool in enumerate(tools)}

    module.BaseFormatDetector = BaseFormatDetector


def _copy_of_types(module):
    class ToolCallItem(pydantic.BaseModel):
        tool_index: int
        name: str | None = None
        parameters: str

    class StreamingParseResult(pydantic.BaseModel):
        normal_text: str = ""
        calls: list[ToolCallItem] = []

    module.ToolCallItem, module.StreamingParseResult = ToolCallItem, StreamingParseResult


COPIES = {
    "vllm.tool_parsers.abstract_tool_parser": _copy_of_vllm,
    "sglang.srt.function_call.base_format_detector": _copy_of_sglang,
    "sglang.srt.function_call.core_types": _copy_of_types,
    "sglang.srt.function_call.parser_names": lambda module: setattr(module, "TOOL_CALL_PARSER_NAMES", ["hermes"]),
}


def plugin(name: str, published: bool):
    """Imports an adapter afresh, on the published base class or on the copy."""
    if published and not PUBLISHED:
        pytest.skip("SERVER_PACKAGES names no folder with the packages of the servers")
    forget()
    sys.meta_path.insert(0, Finder(PUBLISHED if published else None))
    return importlib.import_module(f"llmend.{name}_plugin")


def forget() -> None:
    """Undoes what `plugin` did."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, Finder)]
    for name in list(sys.modules):
        if name.split(".")[0] in PACKAGES or name in ("llmend.vllm_plugin", "llmend.sglang_plugin"):
            del sys.modules[name]
