"""Streams of the chat interface."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from typing import Any

from openai import AsyncStream, Stream
from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice, ChoiceDelta, ChoiceDeltaToolCall

from llmend._calls import ReasoningDelta, TextDelta
from llmend._repairs import How, Repairs, new_id
from llmend._serving import CallDelta, Sent, Served
from llmend.openai._chat import functions


def stream(body: Mapping[str, Any], how: How) -> type[Stream[ChatCompletionChunk]]:
    """Returns the class of a stream that answers a request."""

    class RepairedStream(Stream[ChatCompletionChunk]):
        def __stream__(self) -> Iterator[ChatCompletionChunk]:
            rewriter = _Rewriter(body, how)
            for chunk in super().__stream__():
                yield rewriter.rewritten(chunk)
            yield from rewriter.rest()

    return RepairedStream


def async_stream(body: Mapping[str, Any], how: How) -> type[AsyncStream[ChatCompletionChunk]]:
    """Returns the class of an asynchronous stream that answers a request."""

    class RepairedAsyncStream(AsyncStream[ChatCompletionChunk]):
        async def __stream__(self) -> AsyncIterator[ChatCompletionChunk]:
            rewriter = _Rewriter(body, how)
            # Else the connection stays open if the reader leaves early.
            source: Any = super().__stream__()
            async with aclosing(source) as chunks:
                async for chunk in chunks:
                    yield rewriter.rewritten(chunk)
            for chunk in rewriter.rest():
                yield chunk

    return RepairedAsyncStream


class _Choice:
    """One answer that is arriving."""

    def __init__(self, tools: Any, how: How) -> None:
        self._served = Served(tools, policy=how.policy, coerce=how.coerce)
        self._is_open = True
        # The index of each call that is sent: one of the server's own, or one that is read in the text.
        self._indices: dict[tuple[str, int], int] = {}

    def push(self, delta: ChoiceDelta) -> None:
        """Replaces the text of a delta by what is read of it."""
        for own in delta.tool_calls or []:
            own.index = self._index("own", own.index)
        if delta.content:
            self._put(delta, self._served.push(delta.content))

    def end(self, delta: ChoiceDelta) -> bool:
        """Adds what is still to be sent, and returns whether there are complete calls in the text."""
        if self._is_open:
            self._is_open = False
            text = delta.content
            self._put(delta, self._served.end())
            delta.content = f"{text or ''}{delta.content or ''}" or text
        return any(call.complete for call in self._served.calls)

    def _put(self, delta: ChoiceDelta, sent: list[Sent]) -> None:
        delta.content = "".join(part.text for part in sent if isinstance(part, TextDelta)) or None
        reasoning = "".join(part.text for part in sent if isinstance(part, ReasoningDelta))
        if reasoning:
            before = getattr(delta, "reasoning_content", None) or ""
            setattr(delta, "reasoning_content", before + reasoning)
        calls = [self._call(part) for part in sent if isinstance(part, CallDelta)]
        if calls:
            delta.tool_calls = [*(delta.tool_calls or []), *calls]

    def _call(self, part: CallDelta) -> ChoiceDeltaToolCall:
        function: dict[str, Any] = {"arguments": part.arguments}
        row: dict[str, Any] = {"index": self._index("read", part.index), "function": function}
        if part.name is not None:
            function["name"] = part.name
            row |= {"id": part.id or new_id(), "type": "function"}
        return ChoiceDeltaToolCall.model_validate(row)

    def _index(self, kind: str, index: int) -> int:
        return self._indices.setdefault((kind, index), len(self._indices))


def _rewrite(choice: Choice, reader: _Choice) -> None:
    # Azure's asynchronous filter sends choices without a delta, which the client reads nevertheless.
    given: ChoiceDelta | None = choice.delta
    delta = ChoiceDelta() if given is None else given
    reader.push(delta)
    if choice.finish_reason is not None and reader.end(delta) and choice.finish_reason == "stop":
        choice.finish_reason = "tool_calls"
    if _says_something(delta):
        choice.delta = delta


def _says_something(delta: ChoiceDelta) -> bool:
    return bool(delta.content or delta.tool_calls or getattr(delta, "reasoning_content", None))


class _Rewriter:
    """Rewrites the chunks of a stream."""

    def __init__(self, body: Mapping[str, Any], how: How) -> None:
        self._how = how
        self._tools = Repairs(functions(body), how).tools
        self._choices: dict[int, _Choice] = {}
        self._last: ChatCompletionChunk | None = None

    def rewritten(self, chunk: ChatCompletionChunk) -> ChatCompletionChunk:
        if self._tools is None:
            return chunk
        for choice in chunk.choices or []:
            reader = self._choices.get(choice.index)
            if reader is None:
                reader = self._choices[choice.index] = _Choice(self._tools, self._how)
            _rewrite(choice, reader)
        if chunk.choices:
            self._last = chunk
        return chunk

    def rest(self) -> Iterator[ChatCompletionChunk]:
        """Returns what is still to be sent of a stream that ends without a reason."""
        if self._last is None:
            return
        for index, reader in self._choices.items():
            delta = ChoiceDelta()
            reader.end(delta)
            if _says_something(delta):
                choice = self._last.choices[0].model_copy(update={"index": index, "delta": delta})
                yield self._last.model_copy(update={"choices": [choice]})
