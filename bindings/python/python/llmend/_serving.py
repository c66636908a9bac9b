"""Tool calls for servers, whose clients can take nothing back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from llmend._calls import (
    AllReasoning,
    ArgumentsDelta,
    CallAbandoned,
    CallDone,
    CallEvent,
    CallRefused,
    CallStarted,
    CallStream,
    ReasoningDelta,
    TextDelta,
)


@dataclass(frozen=True, slots=True)
class CallDelta:
    """A part of a call. Only its first delta has a name."""

    index: int
    """Index of the call."""
    name: str | None
    """The name."""
    id: str | None
    """The id, if the text has one."""
    arguments: str
    """The next part of the JSON text of the arguments."""


@dataclass(slots=True)
class ServedCall:
    """A call that was sent."""

    name: str
    """The name."""
    id: str | None
    """The id, if the text has one."""
    arguments: str = ""
    """The JSON text of the arguments, as far as it was sent."""
    complete: bool = False
    """Whether all of it was sent. What is cut off, or turns out to be no call, stays incomplete."""


Sent = TextDelta | ReasoningDelta | AllReasoning | CallDelta
"""What a server sends; it can do nothing about `AllReasoning` if the client has the text already."""


class Served:
    """The text, reasoning and calls of one answer, as a server sends them.

    A call is sent from its first arguments on, so that one that is cut off before does not appear at all, and one that
    is cut off later stays incomplete. A refused call is sent as the text that it is.
    """

    def __init__(self, tools: Any, **options: Any) -> None:
        self._stream = CallStream(tools, **options)
        self._started: CallStarted | None = None
        self.calls: list[ServedCall] = []
        """The calls that were sent."""

    def push(self, piece: str) -> list[Sent]:
        """Reads the next piece of text, and returns what is to be sent."""
        return self._sent(self._stream.push(piece))

    def end(self) -> list[Sent]:
        """Ends the text, and returns what is still to be sent."""
        return self._sent(self._stream.end())

    def _sent(self, events: list[CallEvent]) -> list[Sent]:
        deltas: list[Sent] = []
        for event in events:
            if isinstance(event, (TextDelta, ReasoningDelta, AllReasoning)):
                deltas.append(event)
            elif isinstance(event, CallRefused):
                deltas.append(TextDelta(event.refused.text))
            elif isinstance(event, CallStarted):
                self._started = event
            elif isinstance(event, ArgumentsDelta):
                deltas.append(self._arguments(event.delta))
            elif isinstance(event, CallDone):
                self.calls[-1].complete = True
            elif isinstance(event, CallAbandoned):
                self._started = None
        return deltas

    def _arguments(self, delta: str) -> CallDelta:
        name = id = None
        if self._started is not None:
            name, id = self._started.name, self._started.id
            self._started = None
            self.calls.append(ServedCall(name, id))
        # The indices of events start again if all so far was reasoning.
        self.calls[-1].arguments += delta
        return CallDelta(len(self.calls) - 1, name, id, delta)


def whole(text: str, tools: Any) -> tuple[str, list[ServedCall]]:
    """Returns the text for the user and the complete calls of a whole answer."""
    served = Served(tools)
    shown: list[str] = []
    drafts = count = 0
    for delta in served.push(text) + served.end():
        if isinstance(delta, TextDelta):
            shown.append(delta.text)
        elif isinstance(delta, CallDelta):
            count = delta.index + 1
        elif isinstance(delta, AllReasoning):
            shown.clear()
            drafts = count
    return "".join(shown), [call for call in served.calls[drafts:] if call.complete]
