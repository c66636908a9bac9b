"""Partial values of a stream, of which each part is made once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from llmend import _llmend
from llmend._answer import order
from llmend._growing import ChoiceFrame, Frame, Ignored, LikelyFrame, PartsFrame, Plan, Unclear, plan_of
from llmend._llmend import CoerceOptions
from llmend._partial import MARK, MISSING, arrives, inside, partial_type


class Partials:
    """The partial values of a stream, made of what is new in each."""

    def __init__(self, stream: _llmend.Stream, type: Any, coerce: CoerceOptions | None) -> None:
        self._stream = stream
        self._plan = _root(type, coerce)
        self._reset()

    def _reset(self) -> None:
        self._frames: list[Frame] = []
        # Number of open containers inside the last frame, if that is read whole.
        self._inside = 0
        self._done: Any = MISSING

    def read(self) -> Any:
        """Returns the value so far; `None` if nothing of it fits."""
        steps, tail = self._stream.steps()
        for kind, key, value in steps:
            if kind == "value":
                self._value(key, value)
            elif kind == "opened":
                self._opened(key, dict if value else list)
            elif kind == "closed":
                self._closed(value)
            else:
                self._reset()
        shown = self._shown(tail) if self._done is MISSING else self._done
        return None if shown is MISSING else shown

    def _member(self, key: Any, value: Any) -> Plan | None:
        """Returns the plan for a part of the last frame; `None` if it is not read, or read with the frame."""
        if not self._frames:
            return self._plan
        frame = self._frames[-1]
        if not isinstance(frame, PartsFrame):
            return None
        try:
            return frame.member(key, value)
        except Unclear:
            self._frames[-1] = Frame(frame.whole, frame.key)
            return None

    def _decide(self, key: Any, value: Any) -> None:
        """Tells which model the last frame is, if this part does."""
        if self._frames and not self._inside and isinstance(frame := self._frames[-1], (ChoiceFrame, LikelyFrame)):
            self._frames[-1] = frame.decided(key, value)

    def _value(self, key: Any, value: Any) -> None:
        if self._inside:
            return
        self._decide(key, value)
        plan = self._member(key, value if isinstance(value, str) else value.__class__)
        if plan is not None:
            self._add(key, plan.read(value))

    def _add(self, key: Any, value: Any) -> None:
        if not self._frames:
            self._done = value
        elif isinstance(frame := self._frames[-1], PartsFrame):
            frame.add(key, value)

    def _opened(self, key: Any, kind: type) -> None:
        self._decide(key, kind)
        plan = None if self._inside else self._member(key, kind)
        if self._frames and not isinstance(self._frames[-1], PartsFrame):
            self._inside += 1
        elif plan is None:
            self._frames.append(Ignored(self._plan, key))
        else:
            self._frames.append(plan.frame(key) if plan.holds is kind else Frame(plan, key))

    def _closed(self, value: Any) -> None:
        if self._inside:
            self._inside -= 1
            return
        frame = self._frames.pop()
        if isinstance(frame, PartsFrame) and frame.is_certain:
            self._add(frame.key, frame.complete())
        elif not isinstance(frame, Ignored):
            self._add(frame.key, frame.whole.read(value))

    def _shown(self, tail: tuple[Any, str] | None) -> Any:
        frames = self._frames
        for frame in frames:
            if isinstance(frame, PartsFrame):
                frame.begin()
        key, shown = None, MISSING
        if tail is not None and not self._inside:
            key, text = tail
            plan = self._member(key, text)
            if plan is not None:
                shown = plan.tail(text)
        for at in range(len(frames) - 1, -1, -1):
            frame = frames[at]
            if isinstance(frame, PartsFrame):
                shown = frame.shown(key, shown)
            elif not isinstance(frame, Ignored):
                shown = _so_far(frame.plan, *self._stream.part(at))
            key = frame.key
        return shown


def _so_far(plan: Plan, value: Any, open: list[Any] | None) -> Any:
    """Reads a container that may end inside the string at the path `open`. An incomplete string is shown if the
    type keeps it as a string, and omitted if the type would convert it."""
    if not open:
        return plan.whole.read(value)
    container, last = inside(value, open[:-1]), open[-1]
    text = container[last]
    container[last] = text + MARK
    made = plan.whole.read(value)
    if made is not MISSING and arrives(made, open):
        container[last] = text
    else:
        del container[last]
    return plan.whole.read(value)


def _root(type: Any, coerce: CoerceOptions | None) -> Plan:
    if coerce == CoerceOptions():
        coerce = None
    try:
        return _remembered(type, order(type), coerce)
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        return _planned(type, coerce)


@lru_cache(maxsize=256)
def _remembered(type: Any, _order: Any, coerce: CoerceOptions | None) -> Plan:
    return _planned(type, coerce)


def _planned(type: Any, coerce: CoerceOptions | None) -> Plan:
    return plan_of(partial_type(type), coerce, {})
