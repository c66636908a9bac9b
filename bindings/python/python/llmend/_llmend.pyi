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
    "check_options",
    "convert",
    "diff",
    "draw",
    "fit",
    "fit_value",
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
StrategyName = Literal["fields", "patch", "full", "emphatic", "continue", "escalate"]
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
) -> Any:
    r"""Parses the value in a text, as `dict`, `list`, `str`, `int`, `float`, `bool` or `None`.

    Text around the JSON is ignored, and broken JSON is repaired; `parse` also returns a report. The text
    is `str`, or `bytes` in UTF-8.

    Raises `RepairError` if the text contains no value, and `UnsureError`, which holds the value, if the value
    may be incomplete because the text was truncated or a part was dropped; with `unsure="accept"` the value is
    returned.

    `policy` is the name of a policy (`strict`, `extract`, `conservative`, `standard`, `lenient`) or
    `Options`. The default is `standard`, or `strict` if the environment has `LLMEND_REPAIR=0`.

    >>> import llmend
    >>> llmend.loads("Sure!\n```json\n{'city': 'Oslo', 'days': [1, 2, 3,],}\n```")
    {'city': 'Oslo', 'days': [1, 2, 3]}
    >>> llmend.loads("{'city': 'Oslo', 'days': [1, 2", unsure="accept")
    {'city': 'Oslo', 'days': [1, 2]}
    >>> llmend.loads("{'city': 'Oslo', 'days': [1, 2")
    Traceback (most recent call last):
    llmend.UnsureError: answer cut off at character 30: the value may be incomplete
    """
def check_options(*, policy: PolicyName | Options | None = None, coerce: CoerceOptions | None = None) -> None: ...
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
def fit_value(
    text: _Text,
    schema: Schema,
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
) -> tuple[Any, LazyReport]: ...
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
    threads: int | None = None,
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
    """Options for repairing text.

    `policy` sets the defaults; `allow` and `forbid` list rules (see `llmend rules`). With `search="off"` the
    whole text is the value; `choice` selects the `best`, `first` or `last` of several values, or a list of `all`;
    `emphasis="strip"` removes Markdown emphasis from whole strings; `guard` sets what counts as a loss. The limits
    are for levels of nesting, bytes, repairs, and closers added at the end; a text that needs a repair of a worse
    class than `max_class` is refused. With `on_bad_item="drop"` or `"null"`, an item of a list that cannot be read is left out
    or becomes null, as a loss. `keys` and `words` are expected keys and strings.

    >>> import llmend
    >>> options = llmend.Options("standard", forbid=["bare-string"])
    >>> llmend.loads("{a: 'hello'}", policy=options)
    {'a': 'hello'}
    >>> try:
    ...     llmend.loads("{a: hello}", policy=options)
    ... except llmend.RepairError as error:
    ...     print(error.code)
    repair/refused
    """
    def __new__(
        cls,
        policy: PolicyName = "standard",
        *,
        allow: list[str] | None = None,
        forbid: list[str] | None = None,
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
        keys: list[str] | None = None,
        words: list[str] | None = None,
    ) -> Options: ...
    @property
    def rules(self) -> list[str]:
        """Names of the allowed rules."""
    def __eq__(self, value: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]: ...
    @classmethod
    def _unpickle(cls, settings: str) -> Any: ...

@final
class CoerceOptions:
    """Options for coercing values to a schema.

    With `mode="off"` values are only validated. An item of a list that does not fit is a violation, is omitted
    (`on_bad_item="drop"`), or becomes null; likewise an extra member (`on_extra`). `units` reads `"50%"` as a
    number, `emphasis` removes Markdown emphasis from whole strings, and `near` accepts near misses of enum values
    and keys.

    >>> import llmend
    >>> schema = {"type": "array", "items": {"type": "integer"}}
    >>> llmend.parse("[1, 'two', '3']", schema, coerce=llmend.CoerceOptions(on_bad_item="drop")).value
    [1, 3]
    """
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
    @property
    def _on_bad_item(self) -> Literal["fail", "drop", "null"]: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]: ...
    @classmethod
    def _unpickle(cls, settings: str) -> Any: ...

@final
class Schema:
    """A compiled JSON Schema, given as `dict`, `bool` or text, of draft 4 to 2020-12.

    >>> import llmend
    >>> days = llmend.Schema({"type": "integer", "minimum": 1})
    >>> llmend.parse('"3"', days).value
    3
    """
    def __new__(cls, json: dict[str, Any] | bool | str) -> Schema: ...
    @staticmethod
    def _of_type(text: str) -> Schema: ...
    def __reduce__(self) -> tuple[Callable[[str], Schema], tuple[str]]: ...
    @property
    def json(self) -> dict[str, Any] | bool:
        """The schema as `dict` or `bool`, in its original order."""

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
    """Options for reading plans.

    `on_bad_step` sets how to handle an invalid step (`fail`, `drop`, `bridge`), `disabled` lists rejected node
    types, `on_near_tool="rename"` corrects near misses of tool names, `on_extra_argument="drop"` omits arguments that
    a tool forbids, and `catalog` lists the available tools.

    >>> import llmend
    >>> options = llmend.PlanOptions(catalog=llmend.Catalog({"search": None}), on_near_tool="rename")
    >>> llmend.Plan.read("{steps: [{id: 'a', tool: 'serch'}]}", options=options).steps[0]["tool"]
    'search'
    """
    def __new__(
        cls,
        *,
        dialect: DialectName = "auto",
        strictness: Literal["strict", "lenient"] | None = None,
        on_bad_step: Literal["fail", "drop", "bridge"] | None = None,
        disabled: list[str] | None = None,
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
    """Options for asking models.

    `preset` sets the defaults: `standard`, `gomind`, `clickweave-planner`, `clickweave-patcher`, `clickweave-assistant` (optionally
    with the number of attempts after a colon), `anton`, `openmanus`. `retries` is the maximum number of retries
    of invalid answers; `parsing` and `validation` limit those for answers without a complete value and for
    values that do not fit. `ladder` lists the strategy of each retry (`fields`, `patch`, `full`, `emphatic`,
    `continue`, `escalate`), `on_cut` the strategy after a truncated answer.

    `tokens`, `cost` (in the currency of the models' prices) and `seconds` limit all attempts together,
    `answer_tokens` a single answer. `transport_retries` is how often a request is repeated if no answer arrives.
    With `check="off"` values are returned unchecked; with `on_exhausted="hand-back"` the last value is returned,
    marked as invalid. `keep` is how many bytes of each answer the ledger keeps, or `hash`; `shown` is how many
    bytes of a failed answer are shown to the model.

    >>> import llmend
    >>> options = llmend.AskOptions(retries=1, tokens=4_000, seconds=30)
    >>> llmend.ask(lambda request: "{'days': '3'}", "How long?", {"type": "object"}, options=options).value
    {'days': '3'}
    """
    def __new__(
        cls,
        preset: str = "standard",
        *,
        retries: int | None = None,
        parsing: int | None = None,
        validation: int | None = None,
        ladder: list[StrategyName] | None = None,
        on_cut: StrategyName | None = None,
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
    """A catalog of tools: the result of MCP's `tools/list`, a `tools` array for OpenAI or Anthropic, a mapping from
    each tool's name to the schema of its arguments, or the JSON text of one of these.

    >>> import llmend
    >>> catalog = llmend.Catalog([{"name": "search", "inputSchema": {"type": "object"}}])
    >>> catalog.names, catalog.nearest("serch")
    (['search'], 'search')
    """
    def __new__(cls, tools: dict[str, Any] | list[Any] | str) -> Catalog: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]: ...
    @classmethod
    def _unpickle(cls, settings: str) -> Any: ...
    @property
    def names(self) -> list[str]:
        """The names of the tools, sorted."""
    def nearest(self, name: str) -> str | None:
        """Returns the name of the only tool of which `name` is a near miss."""

@final
class Reviewed:
    def rows(self) -> _Row: ...
    def draw(self, format: FormatName) -> str: ...

@final
class ArrowArray:
    """A column of results, exported over the Arrow C interface."""
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...

@final
class ArrowStream:
    """A lazy stream of columns of results, which can be read once."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
