"""The extension module. The public names are in `llmend`."""

from collections.abc import Callable
from typing import Any, Literal, Protocol, final, type_check_only

__all__ = [
    "ArrowArray",
    "ArrowStream",
    "AskOptions",
    "CallStream",
    "QuestionLoop",
    "Catalog",
    "CoerceOptions",
    "Growing",
    "Items",
    "Options",
    "PlanOptions",
    "Reviewed",
    "Schema",
    "Stream",
    "LazyReport",
    "Tools",
    "__version__",
    "apply",
    "ask",
    "ask_plan",
    "calls",
    "check",
    "convert",
    "diff",
    "draw",
    "fit",
    "fix",
    "has_long_number",
    "loads",
    "parse",
    "repair",
    "repair_batch",
    "review",
    "write",
]
__version__: str

PolicyName = Literal["strict", "extract", "conservative", "standard", "lenient"]
DialectName = Literal[
    "auto",
    "canonical",
    "openmanus",
    "gomind",
    "workflow",
    "clickweave-steps",
    "clickweave-graph",
    "patch",
    "clickweave-patch",
    "anton-result",
    "openai-tool-calls",
    "anthropic-tool-use",
    "mcp-tools-call",
    "llmcompiler",
    "markdown",
    "calls",
    "mermaid",
    "n8n",
    "langgraph",
    "amazon-states",
    "arazzo",
]
FormatName = Literal["svg", "mermaid", "dot", "tree"]
LayoutName = Literal["compact", "indented"]
GapsName = Literal["leave", "bridge"]
RungName = Literal["fields", "patch", "full", "emphatic", "continue", "escalate"]
FixesName = Literal["offer", "make"]

_Text = str | bytes | bytearray
_Row = dict[str, Any]
_Step = tuple[Literal["reset", "opened", "closed", "value"], str | None, Any]
_Document = tuple[str, str]
_Reading = tuple[_Row, list[str], list[str], int | None, bool]
_Named = tuple[str, tuple[float, float] | None]

@type_check_only
class _ArrowArrayLike(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

@type_check_only
class _ArrowStreamLike(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

def loads(
    text: _Text,
    *,
    policy: PolicyName | Options | None = None,
    unsure: Literal["raise", "accept"] = "raise",
) -> Any: ...
def parse(text: _Text, *, policy: PolicyName | Options | None = None) -> tuple[Any, LazyReport]: ...
def has_long_number(json: str) -> bool: ...
def repair(text: _Text, *, policy: PolicyName | Options | None = None) -> tuple[str, LazyReport]: ...
def fit(
    text: _Text,
    schema: Schema,
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
) -> tuple[str, LazyReport]: ...
def calls(
    text: _Text,
    tools: Tools | None = None,
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    marked: bool = False,
    notation: str | None = None,
    in_reasoning: Literal["ignore", "accept"] = "ignore",
) -> _Reading: ...
def repair_batch(
    texts: _ArrowArrayLike | _ArrowStreamLike,
    *,
    schema: Schema | None = None,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    threads: int = 1,
) -> ArrowArray | ArrowStream: ...
def ask(
    models: list[_Named],
    prompt: str | list[dict[str, str]],
    schema: str,
    *,
    check: Callable[[str], list[tuple[str, str, str]]] | None = None,
    options: AskOptions | None = None,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    rules: str | None = None,
    reader: Literal["caller", "type"] = "caller",
) -> QuestionLoop: ...
def ask_plan(
    models: list[_Named],
    prompt: str | list[dict[str, str]],
    *,
    changing: _Document | None = None,
    gaps: GapsName = "leave",
    reading: PlanOptions | None = None,
    options: AskOptions | None = None,
    policy: PolicyName | Options | None = None,
    rules: str | None = None,
) -> QuestionLoop: ...
def review(
    text: _Text,
    *,
    options: PlanOptions | None = None,
    policy: PolicyName | Options | None = None,
    fixes: FixesName = "offer",
) -> Reviewed: ...
def apply(
    document: _Document,
    text: _Text,
    *,
    gaps: GapsName = "leave",
    options: PlanOptions | None = None,
    policy: PolicyName | Options | None = None,
    fixes: FixesName = "offer",
) -> Reviewed: ...
def check(document: _Document, *, options: PlanOptions | None = None) -> list[_Row]: ...
def fix(document: _Document, *, options: PlanOptions | None = None) -> tuple[_Row, int]: ...
def diff(before: _Document, after: _Document) -> _Row: ...
def write(
    document: _Document, dialect: DialectName, *, layout: LayoutName = "compact"
) -> tuple[str, list[_Row]]: ...
def convert(document: _Document) -> _Row: ...
def draw(
    document: _Document, format: FormatName, *, options: PlanOptions | None = None
) -> str: ...

@final
class Options:
    def __new__(
        cls,
        policy: PolicyName = "standard",
        *,
        allow: list[str] = ...,
        forbid: list[str] = ...,
        search: Literal["on", "off"] | None = None,
        choice: Literal["best", "first", "last"] = "best",
        emphasis: Literal["keep", "strip"] = "keep",
        guard: Literal["loss", "removal"] | None = None,
        max_depth: int | None = None,
        max_bytes: int | None = None,
        max_repairs: int | None = None,
        max_closers: int | None = None,
        max_class: Literal["notation", "completion", "guess", "loss"] = "loss",
        on_bad_item: Literal["fail", "drop", "null"] = "fail",
        keys: list[str] = ...,
        words: list[str] = ...,
    ) -> Options: ...
    @property
    def rules(self) -> list[str]: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]: ...
    @classmethod
    def _unpickle(cls, settings: str) -> Any: ...

@final
class CoerceOptions:
    def __new__(
        cls,
        mode: Literal["on", "off"] = "on",
        *,
        on_bad_item: Literal["fail", "drop", "null"] = "fail",
        on_extra: Literal["keep", "fail", "drop"] = "keep",
        units: Literal["refuse", "strip"] = "refuse",
        emphasis: Literal["keep", "strip"] = "keep",
        near: Literal["on", "off"] = "on",
    ) -> CoerceOptions: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]: ...
    @classmethod
    def _unpickle(cls, settings: str) -> Any: ...

@final
class Schema:
    def __new__(cls, json: dict[str, Any] | bool | str) -> Schema: ...
    @staticmethod
    def _of_type(text: str) -> Schema: ...
    def __reduce__(self) -> tuple[Callable[[str], Schema], tuple[str]]: ...
    @property
    def json(self) -> dict[str, Any] | bool: ...

@final
class LazyReport:
    @property
    def class_(self) -> Literal["notation", "completion", "guess", "loss"] | None: ...
    @property
    def unsure(self) -> bool: ...
    @property
    def fits(self) -> bool: ...
    def rows(self) -> _Row: ...

@final
class Stream:
    def __new__(
        cls,
        schema: Schema | None = None,
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
    ) -> Stream: ...
    def push(self, chunk: _Text) -> None: ...
    def view(self) -> tuple[Any, Literal["pending", "partial", "complete"]] | None: ...
    def steps(self) -> tuple[list[_Step], tuple[str | None, str] | None]: ...
    def part(self, depth: int) -> tuple[Any, list[Any] | None]: ...
    def state(self, path: str) -> Literal["pending", "partial", "complete"] | None: ...
    def events(self) -> list[_Row]: ...
    def finish(self) -> tuple[Any, LazyReport]: ...

@final
class Growing:
    def __new__(cls, is_dict: bool) -> Growing: ...
    def add(self, value: Any, key: str | None = None) -> None: ...
    def begin(self) -> None: ...
    def shown(self, tail: Any = None, key: str | None = None) -> Any: ...
    def complete(self) -> Any: ...

@final
class Items:
    def __new__(
        cls,
        list: str,
        schema: Schema,
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
    ) -> Items: ...
    def push(self, chunk: _Text) -> list[tuple[str, _Row]]: ...
    def finish(self) -> tuple[list[tuple[str, _Row]], str, LazyReport]: ...

@final
class Tools:
    def __new__(cls, text: str) -> Tools: ...
    @property
    def names(self) -> list[str]: ...

@final
class CallStream:
    def __new__(
        cls,
        tools: Tools | None = None,
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
        marked: bool = False,
        notation: str | None = None,
        in_reasoning: Literal["ignore", "accept"] = "ignore",
    ) -> CallStream: ...
    def push(self, chunk: _Text) -> list[tuple[Any, ...]]: ...
    def finish(self) -> tuple[list[tuple[Any, ...]], _Reading]: ...

@final
class PlanOptions:
    def __new__(
        cls,
        *,
        dialect: DialectName = "auto",
        strictness: Literal["strict", "lenient"] | None = None,
        on_bad_step: Literal["fail", "drop", "bridge"] | None = None,
        disabled: list[str] = ...,
        catalog: Catalog | None = None,
        on_near_tool: Literal["suggest", "rename"] = "suggest",
        on_extra_argument: Literal["keep", "drop"] = "keep",
        max_items: int | None = None,
    ) -> PlanOptions: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]: ...
    @classmethod
    def _unpickle(cls, settings: str) -> Any: ...

@final
class AskOptions:
    def __new__(
        cls,
        preset: str = "standard",
        *,
        retries: int | None = None,
        parsing: int | None = None,
        validation: int | None = None,
        ladder: list[RungName] | None = None,
        on_cut: RungName | None = None,
        tokens: int | None = None,
        cost: float | None = None,
        seconds: float | None = None,
        answer_tokens: int | None = None,
        transport_retries: int | None = None,
        check: Literal["on", "off"] | None = None,
        on_same_findings: Literal["stop", "go-on"] | None = None,
        on_exhausted: Literal["fail", "hand-back"] | None = None,
        keep: int | Literal["hash"] | None = None,
        temperature: float | None = None,
        shown: int | None = None,
    ) -> AskOptions: ...
    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]: ...
    @classmethod
    def _unpickle(cls, settings: str) -> Any: ...
    def __eq__(self, value: object, /) -> bool: ...

@final
class QuestionLoop:
    def next(self) -> _Row | None: ...
    def answer(self, response: str) -> _Row | None: ...
    def fail(self, error: str) -> _Row | None: ...
    def value(self) -> tuple[str, LazyReport, _Row]: ...
    def plan(self) -> tuple[Reviewed, _Row]: ...

@final
class Catalog:
    def __new__(cls, tools: dict[str, Any] | list[Any] | str) -> Catalog: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]: ...
    @classmethod
    def _unpickle(cls, settings: str) -> Any: ...
    @property
    def names(self) -> list[str]: ...
    def nearest(self, name: str) -> str | None: ...

@final
class Reviewed:
    def rows(self) -> _Row: ...
    def draw(self, format: FormatName) -> str: ...

@final
class ArrowArray:
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...

@final
class ArrowStream:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
