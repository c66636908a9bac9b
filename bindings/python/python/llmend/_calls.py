"""Reading tool calls."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

from llmend import _llmend, _messages
from llmend._answer import Text
from llmend._llmend import CoerceOptions, Options
from llmend._pieces import each_of
from llmend._records import Class, Coercion, Diagnostic, Repair, Span, Violation, record, span_of
from llmend._tools import compiled

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage
    from openai.types.chat import ChatCompletionMessage
    from pydantic_ai.messages import ModelResponse

    from llmend._llmend import PolicyName

_Row = dict[str, Any]

InReasoning = Literal["ignore", "accept"]
"""Whether calls inside reasoning count: they are drafts, or they are calls like any other."""


@dataclass(frozen=True, slots=True, repr=False)
class ToolCall:
    """A tool call.

    >>> import llmend
    >>> call = llmend.calls("[get_weather(city='Oslo')]", {"get_weather": {}}).calls[0]
    >>> call.name, call.arguments, call.notation
    ('get_weather', {'city': 'Oslo'}, 'pythonic')
    """

    name: str
    """The name, as the tool is offered."""
    arguments: dict[str, Any]
    """The arguments, coerced to the tool's schema as far as possible."""
    arguments_json: str
    """The arguments as JSON. Numbers keep their digits."""
    id: str | None
    """The id, if the text has one."""
    span: Span
    """Span of the call."""
    notation: str
    """The notation; `llmend notations` lists them."""
    class_: Class | None
    """The worst class of the repairs, the coercions, and the reading of the name."""
    repairs: tuple[Repair, ...]
    """Repairs of the text."""
    coercions: tuple[Coercion, ...]
    """Conversions that made the arguments fit the tool's schema."""
    violations: tuple[Violation, ...]
    """Where the arguments do not fit the tool's schema. A call that has any should not be run."""
    diagnostics: tuple[Diagnostic, ...]
    """Further findings."""
    written_name: str | None
    """The name as written, if it differs."""

    @classmethod
    def _of(cls, row: _Row, arguments: str) -> ToolCall:
        return record(
            cls,
            row,
            arguments_json=arguments,
            span=span_of(row),
            repairs=tuple(map(Repair._of, row["repairs"])),
            coercions=tuple(map(Coercion._of, row["coercions"])),
            violations=tuple(map(Violation._of, row["violations"])),
            diagnostics=tuple(map(Diagnostic._of, row["diagnostics"])),
        )

    def __str__(self) -> str:
        # Without a schema, the arguments may be of any kind.
        if not isinstance(self.arguments, dict):
            return f"{self.name}({self.arguments!r})"
        return f"{self.name}({', '.join(f'{name}={value!r}' for name, value in self.arguments.items())})"

    def __repr__(self) -> str:
        class_ = f", class_={self.class_!r}" if self.class_ else ""
        violations = f", {len(self.violations)} violations" if self.violations else ""
        return f"ToolCall({self}, notation={self.notation!r}{class_}{violations})"


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """Something that was meant as a call and is none, with the reason."""

    name: str | None
    """The name, if one was read."""
    span: Span
    """Span in the text."""
    notation: str
    """The notation."""
    diagnostic: Diagnostic
    """The reason."""
    text: str
    """The text of the span."""

    @classmethod
    def _of(cls, row: _Row, text: str) -> RefusedCall:
        return record(cls, row, span=span_of(row), diagnostic=Diagnostic._of(row["diagnostic"]), text=text)


@dataclass(frozen=True, slots=True, repr=False)
class Calls:
    """The tool calls in an answer, and what else it says. Has the length and the items of `calls`, and is true if
    there are any.

    >>> import llmend
    >>> answer = "Sure. <tool_call>{'name': 'add', 'arguments': {'a': 1, 'b': '2'}}</tool_call>"
    >>> calls = llmend.calls(answer, {"add": {"properties": {"b": {"type": "integer"}}}})
    >>> calls
    Calls([add(a=1, b=2)], text='Sure. ')
    >>> [answer[slice(*call.span)] for call in calls]
    ["{'name': 'add', 'arguments': {'a': 1, 'b': '2'}}"]
    """

    calls: tuple[ToolCall, ...]
    """The calls, in the order of the text."""
    text: str
    """The text around the calls, without markers."""
    reasoning: str
    """The reasoning, without its tags."""
    refused: tuple[RefusedCall, ...]
    """What was meant as a call and is none: it names a tool that was not offered, or cannot be read."""
    cut: int | None
    """Where the text is cut off inside a call, in code points, if it is. That call is not in `calls`."""
    class_: Class | None
    """The worst class of the calls."""
    diagnostics: tuple[Diagnostic, ...]
    """Findings about the text as a whole."""
    usable: bool
    """Whether every call that was meant can be run: none is refused, cut off, or does not fit its schema."""

    @property
    def truncated(self) -> bool:
        """Whether the text is cut off inside a call."""
        return self.cut is not None

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """All findings: about the text, the refused calls and the calls. The path of a violation starts with the
        index of its call.

        >>> import llmend
        >>> tools = {"add": {"properties": {"a": {"type": "integer"}}}}
        >>> [(row.path, row.message) for row in llmend.calls("[add(a='one')]", tools).findings]
        [('/0/arguments/a', 'expected integer, found string')]
        """
        rows = [*self.diagnostics, *(refused.diagnostic for refused in self.refused)]
        for index, call in enumerate(self.calls):
            rows += call.diagnostics
            for row in call.violations:
                path = f"/{index}/arguments{row.path}"
                rows.append(Diagnostic(row.code, "error", None, path, row.span, row.message, row.hint, None))
        return tuple(rows)

    @classmethod
    def _of(cls, made: tuple[_Row, list[str], list[str], int | None, bool]) -> Calls:
        row, arguments, refused, cut, usable = made
        return record(
            cls,
            row,
            calls=tuple(map(ToolCall._of, row["calls"], arguments)),
            refused=tuple(map(RefusedCall._of, row["refused"], refused)),
            cut=cut,
            diagnostics=tuple(map(Diagnostic._of, row["diagnostics"])),
            usable=usable,
        )

    def __bool__(self) -> bool:
        return bool(self.calls)

    def __len__(self) -> int:
        return len(self.calls)

    def __iter__(self) -> Iterator[ToolCall]:
        return iter(self.calls)

    def __getitem__(self, index: int) -> ToolCall:
        return self.calls[index]

    def __repr__(self) -> str:
        parts = [f"[{', '.join(map(str, self.calls))}]"]
        parts += [f"{name}={value!r}" for name in ("text", "reasoning") if (value := getattr(self, name))]
        parts += [f"cut={self.cut}"] if self.truncated else []
        parts += [f"{len(self.refused)} refused"] if self.refused else []
        parts += [] if self.usable else ["usable=False"]
        return f"Calls({', '.join(parts)})"

    def _repr_html_(self) -> str:
        from llmend import _html

        return _html.of_calls(self)

    def to_openai(self, *, new_id: Callable[[], str] | None = None) -> _Row:
        """Returns an assistant message of OpenAI's chat interface.

        Here and in the other forms, a call without an id, or with that of an earlier call, gets `call_1`, `call_2`
        and so on, or what `new_id` returns. If the conversation is kept, ids should be unique in all of it:
        `new_id=lambda: f"call_{uuid.uuid4().hex}"`. Refused calls are omitted, so check `usable`.

        >>> import llmend
        >>> llmend.calls("[add(a=1.50)]", {"add": {}}).to_openai()["tool_calls"]
        [{'id': 'call_1', 'type': 'function', 'function': {'name': 'add', 'arguments': '{"a":1.50}'}}]
        """
        return _messages.openai(self, new_id)

    def to_openai_message(self, *, new_id: Callable[[], str] | None = None) -> ChatCompletionMessage:
        """Returns the message as the package `openai` would have returned it."""
        return _messages.openai_message(self, new_id)

    def to_anthropic(self, *, new_id: Callable[[], str] | None = None) -> _Row:
        """Returns an assistant message of Anthropic's interface. An id that Anthropic would reject is replaced.

        >>> import llmend
        >>> llmend.calls("[add(a=1)]", {"add": {}}).to_anthropic()["content"]
        [{'type': 'tool_use', 'id': 'call_1', 'name': 'add', 'input': {'a': 1}}]
        """
        return _messages.anthropic(self, new_id)

    def to_langchain(self, *, new_id: Callable[[], str] | None = None) -> AIMessage:
        """Returns a message of LangChain. Calls that do not fit their schema, and refused ones, are in
        `invalid_tool_calls`, with the reason; the reasoning is in `additional_kwargs`."""
        return _messages.langchain(self, new_id)

    def to_pydantic_ai(self, *, new_id: Callable[[], str] | None = None) -> ModelResponse:
        """Returns a response of pydantic-ai, which itself asks the model again for calls that do not fit."""
        return _messages.pydantic_ai(self, new_id)


def calls(
    text: Text,
    tools: Any = None,
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    marked: bool = False,
    notation: str | None = None,
    in_reasoning: InReasoning = "ignore",
) -> Calls:
    """Reads the tool calls in an answer, in the notation of any model.

    The model need not be known. `tools` is anything that `Tools` accepts: what the model was offered. Arguments are
    coerced to the schemas of the tools. Without tools, and with `marked`, only calls between the markers of a
    notation count. `notation` is the name of the one that the model is known to use: its calls count without markers
    too, wherever they are. Calls inside reasoning are drafts, and count only with `in_reasoning="accept"`.

    An answer without calls is no error. Check `usable` before running calls: a call that is cut off, that cannot be
    read, or that does not fit its schema is reported, never repaired in silence.

    >>> import llmend
    >>> tools = [{"name": "get_weather", "input_schema": {"properties": {"city": {"type": "string"}}}}]
    >>> for text in ['<|python_tag|>{"name": "get_weather", "parameters": {"city": "Oslo"}}',
    ...              '<tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>',
    ...              'Use get_weather(city="Oslo") for that.']:
    ...     print(llmend.calls(text, tools))
    Calls([get_weather(city='Oslo')])
    Calls([get_weather(city='Oslo')])
    Calls([], text='Use get_weather(city="Oslo") for that.')
    """
    offered = compiled(tools)
    return Calls._of(
        _llmend.calls(
            text,
            offered,
            policy=policy,
            coerce=coerce,
            marked=marked,
            notation=notation,
            in_reasoning=in_reasoning,
        )
    )


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Text for the user."""

    text: str
    """The text."""


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """Reasoning."""

    text: str
    """The text."""


@dataclass(frozen=True, slots=True)
class AllReasoning:
    """All text and calls so far were reasoning, whose beginning is not in the text. The next call has index 0."""


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A call has begun, and its name is certain."""

    index: int
    """Index of the call."""
    name: str
    """The name, as the tool is offered."""
    id: str | None
    """The id, if the text has one and it is known yet."""


@dataclass(frozen=True, slots=True)
class ArgumentsDelta:
    """More of the arguments of the last started call. Nothing in it is ever retracted."""

    index: int
    """Index of the call."""
    delta: str
    """The next part of the JSON text."""


@dataclass(frozen=True, slots=True)
class CallDone:
    """The last started call is complete."""

    index: int
    """Index of the call."""
    call: ToolCall
    """The call."""


@dataclass(frozen=True, slots=True)
class CallAbandoned:
    """The last started call is none: it is cut off, or was refused."""

    index: int
    """Index that the call would have had."""


@dataclass(frozen=True, slots=True)
class CallRefused:
    """Something was meant as a call and is none."""

    refused: RefusedCall
    """What it was, and why it is none."""


CallEvent = (
    TextDelta
    | ReasoningDelta
    | AllReasoning
    | CallStarted
    | ArgumentsDelta
    | CallDone
    | CallAbandoned
    | CallRefused
)
"""An event of an answer that is arriving."""

_EVENTS: dict[str, Callable[..., CallEvent]] = {
    "text": TextDelta,
    "reasoning": ReasoningDelta,
    "all-reasoning": AllReasoning,
    "started": CallStarted,
    "arguments": ArgumentsDelta,
    "done": lambda index, row, arguments: CallDone(index, ToolCall._of(row, arguments)),
    "abandoned": CallAbandoned,
    "refused": lambda row, text: CallRefused(RefusedCall._of(row, text)),
}


class CallStream:
    """Reads the tool calls in an answer while it arrives.

    Text is delivered at once, but for what may be the beginning of a marker. However the text is cut into pieces,
    the calls are those that `calls` reads in the whole. Calls without markers are decided when the text ends. The
    arguments are those of `calls`. Thread-safe.

    >>> import llmend
    >>> stream = llmend.CallStream({"add": {"properties": {"a": {"type": "integer"}}}})
    >>> events = []
    >>> for piece in ['One moment. <tool_c', 'all>{"name": "add", "argu', 'ments": {"a": "1"}}</tool_call>']:
    ...     events += stream.push(piece)
    >>> events += stream.end()
    >>> for event in events:
    ...     print(event)
    TextDelta(text='One moment. ')
    CallStarted(index=0, name='add', id=None)
    ArgumentsDelta(index=0, delta='{"a":1}')
    CallDone(index=0, call=ToolCall(add(a=1), notation='hermes', class_='notation'))
    >>> stream.finish()
    Calls([add(a=1)], text='One moment. ')
    """

    def __init__(
        self,
        tools: Any = None,
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
        marked: bool = False,
        notation: str | None = None,
        in_reasoning: InReasoning = "ignore",
    ) -> None:
        self._stream = _llmend.CallStream(
            compiled(tools),
            policy=policy,
            coerce=coerce,
            marked=marked,
            notation=notation,
            in_reasoning=in_reasoning,
        )
        self._calls: Calls | None = None
        self._lock = threading.RLock()

    def push(self, piece: Text) -> list[CallEvent]:
        """Reads the next piece of text, and returns what it adds. Bytes may be split anywhere."""
        with self._lock:
            return _events(self._stream.push(piece))

    @overload
    def each(self, pieces: AsyncIterable[Text]) -> AsyncIterator[CallEvent]: ...
    @overload
    def each(self, pieces: Iterable[Text]) -> Iterator[CallEvent]: ...
    def each(self, pieces: Any) -> Any:
        """Reads pieces of text to their end, and returns each event as soon as it is certain: an iterator, for
        `async for` if the pieces are. Call `finish` afterwards.

        Asynchronous pieces are closed where the reading ends, also early: `aclose` the iterator that you leave. Other
        pieces that you still hold stay open.

        >>> import llmend
        >>> stream = llmend.CallStream()
        >>> [event.text for event in stream.each(["No ", "tools."])]
        ['No ', 'tools.']
        >>> stream.finish()
        Calls([], text='No tools.')
        """
        return each_of(pieces, self.push, self.end)

    def end(self) -> list[CallEvent]:
        """Ends the text, and returns the last events."""
        with self._lock:
            events, made = self._stream.finish()
            self._calls = Calls._of(made)
        return _events(events)

    def finish(self) -> Calls:
        """Returns what was read of the whole text. Ends the text, unless `end` did; then the last events are lost."""
        with self._lock:
            if self._calls is None:
                self.end()
            assert self._calls is not None
            return self._calls


def _events(rows: list[tuple[Any, ...]]) -> list[CallEvent]:
    return [_EVENTS[row[0]](*row[1:]) for row in rows]
