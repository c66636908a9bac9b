"""What does an answer say that is still being written?"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from llmend import _llmend
from llmend._answer import Text, is_schema, target, value_of
from llmend._errors import UnfitError
from llmend._llmend import Coercing, Options, Schema
from llmend._partial import Partial, inside
from llmend._records import Coercion, Outcome, Repair, Report, record

if TYPE_CHECKING:
    from llmend._llmend import PolicyName

_T = TypeVar("_T")
_Row = dict[str, Any]

State = Literal["pending", "partial", "complete"]
"""How much of a value is there: a beginning, of which more has arrived than is certain; a beginning; all
of it."""


@dataclass(frozen=True, slots=True)
class View:
    """The value so far. What it shows is never taken back."""

    value: Any
    """The value; `None` as long as none is certain."""
    state: State
    """How much of it is there."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a part of a value while it was written."""

    event: Literal["opened", "grew", "completed", "closed", "repeated", "repaired"]
    """What happened: an object, array or string begins; a string goes on; a scalar is complete; an
    object or array is complete; a key stands a second time; the text was edited."""
    path: str | None
    """Where in the value; nothing for `repaired`."""
    kind: Literal["object", "array", "string"] | None
    """What begins, for `opened`."""
    text: str | None
    """What is added to the string, for `grew`."""
    value: str | None
    """The JSON of a number, boolean or null, for `completed`."""
    repair: Repair | None
    """The edit, for `repaired`."""

    @classmethod
    def _of(cls, row: _Row) -> Event:
        repair = row["repair"]
        return record(cls, row, repair=repair and Repair._of(repair))


class Stream(Generic[_T]):
    """Reads a value while its text arrives, each piece once.

    Unless `Options` say otherwise the first value of the text that can be one is the answer
    (`choice="first"`), so that it can be shown while it grows; with `choice="best"` nothing is certain before
    the end. `policy` is that of `loads`.

    Of several threads that use one stream, each waits for the others: one may show what another reads.

    >>> import llmend
    >>> stream = llmend.Stream()
    >>> for piece in ["Sure: {'steps': ['copy', 'che", "ck', 'se"]:
    ...     stream.push(piece)
    ...     print(stream.view().value)
    {'steps': ['copy']}
    {'steps': ['copy', 'check']}
    >>> stream.push("nd']}")
    >>> stream.finish().value
    {'steps': ['copy', 'check', 'send']}

    With a type, `partial()` is the value so far as that type with all of its fields optional, and the
    end is checked as `parse` does it:

    >>> from pydantic import BaseModel
    >>> class City(BaseModel):
    ...     name: str
    ...     people: int
    >>> typed = llmend.Stream(City)
    >>> typed.push("{'name': 'Oslo', 'people': 71")
    >>> typed.partial().name, typed.partial().people
    ('Oslo', None)
    >>> typed.push("7710}")
    >>> typed.finish().value
    City(name='Oslo', people=717710)
    """

    @overload
    def __init__(self: Stream[Any], *, policy: PolicyName | Options | None = None) -> None: ...
    @overload
    def __init__(
        self,
        type: type[_T],
        *,
        policy: PolicyName | Options | None = None,
        coercing: Coercing | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Stream[Any],
        type: Any,
        *,
        policy: PolicyName | Options | None = None,
        coercing: Coercing | None = None,
    ) -> None: ...
    def __init__(
        self,
        type: Any = None,
        *,
        policy: PolicyName | Options | None = None,
        coercing: Coercing | None = None,
    ) -> None:
        # What is shown of a value that was asked for by a schema is as it stands.
        self._type = None if is_schema(type) else type
        self._coercing = coercing
        self._partial: Partial | None = None
        schema: Schema | None = None
        self._read: Callable[[str], Any] | None = None
        if type is not None:
            schema, self._read = target(type)
        self._stream = _llmend.Stream(schema, policy=policy, coercing=coercing)
        self._lock = threading.RLock()

    def push(self, chunk: Text) -> None:
        """Takes the next piece of the text. Bytes may be cut anywhere, also within a character. Of
        a piece that Ctrl-C ends, what was read until then is taken."""
        with self._lock:
            self._stream.push(chunk)

    def view(self) -> View:
        """The value so far, as `dict`, `list` and so on."""
        with self._lock:
            shown = self._stream.view()
        return View(None, "pending") if shown is None else View(*shown)

    def state(self, path: str = "") -> State | None:
        """How much is there of the part at `path`, a JSON Pointer; `None` if it is not shown yet.

        >>> import llmend
        >>> stream = llmend.Stream()
        >>> stream.push('{"a": [1, 2], "b": "on')
        >>> stream.state("/a"), stream.state("/b"), stream.state("/c")
        ('complete', 'partial', None)
        """
        with self._lock:
            return self._stream.state(path)

    def partial(self) -> Any:
        """The value so far, as the stream's type with every field optional; `None` as long as there is
        none, or what is there cannot be read as that type yet. See `partial_type`.

        A string that is still being written is shown where the type has a text there, and left out where
        it would be read as something else: half of a number is another number.
        """
        with self._lock:
            value = self.view().value
            if value is None or self._type is None:
                return value
            if self._partial is None:
                self._partial = Partial(self._type, self._coercing)
            where = _last(value)
            is_open = bool(where) and self.state(_pointer(where)) != "complete"
            is_text = isinstance(inside(value, where), str)
            return self._partial.read(value, where if is_open and is_text else None)

    def events(self) -> list[Event]:
        """What has happened since this was last asked.

        >>> import llmend
        >>> stream = llmend.Stream()
        >>> stream.push("{'a': [1")
        >>> stream.push(", 2]")
        >>> [event.path for event in stream.events() if event.event == "completed"]
        ['/a/0', '/a/1']
        """
        with self._lock:
            rows = self._stream.events()
        return [Event._of(row) for row in rows]

    def finish(self) -> Outcome[_T]:
        """The text is complete: what `parse` says of it. Afterwards `events` has what is left to tell."""
        with self._lock:
            value, told = self._stream.finish()
        if self._read is not None:
            value = value_of(value, told.fits, told.rows, self._read)
        return Outcome(value, told)


def _last(value: Any) -> list[Any]:
    """The keys and indexes that lead to what was written last."""
    where: list[Any] = []
    while isinstance(value, (dict, list)) and value:
        where.append(next(reversed(value)) if isinstance(value, dict) else len(value) - 1)
        value = value[where[-1]]
    return where


def _pointer(where: list[Any]) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in where)


@dataclass(frozen=True, slots=True)
class Item(Generic[_T]):
    """An item of a list that fits what was asked for."""

    value: _T
    """The item."""
    coercions: tuple[Coercion, ...]
    """What was done so that it fits."""
    unsure: bool = False
    """Whether it may lack something, since the answer was cut off before its end."""


class Items(Generic[_T]):
    """Gives the items of one list of an answer, each as soon as it is complete. One that the end of the text
    breaks off is `unsure`.

    `list` is the JSON Pointer of the list in the value, and `type` that of one item. An item that does
    not fit is an `UnfitError` in its place, and keeps no other back. Threads wait for each other, as with `Stream`.

    >>> import llmend
    >>> from pydantic import BaseModel
    >>> class Step(BaseModel):
    ...     id: int
    >>> steps = llmend.Items("/steps", Step)
    >>> [item.value for item in steps.push("Plan: {'steps': [{'id': '1'}, {'id': 2}, {'i")]
    [Step(id=1), Step(id=2)]
    >>> items, report = steps.push("d': 3}]}"), steps.finish()[1]
    >>> items[0].value, report.status
    (Step(id=3), 'repaired')
    """

    @overload
    def __init__(
        self,
        list: str,
        type: type[_T],
        *,
        policy: PolicyName | Options | None = None,
        coercing: Coercing | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Items[Any],
        list: str,
        type: Any,
        *,
        policy: PolicyName | Options | None = None,
        coercing: Coercing | None = None,
    ) -> None: ...
    def __init__(
        self,
        list: str,
        type: Any,
        *,
        policy: PolicyName | Options | None = None,
        coercing: Coercing | None = None,
    ) -> None:
        schema, self._read = target(type)
        self._items = _llmend.Items(list, schema, policy=policy, coercing=coercing)
        self._lock = threading.RLock()

    def push(self, chunk: Text) -> list[Item[_T] | UnfitError]:
        """Takes the next piece of the text, and gives the items that are complete with it."""
        with self._lock:
            complete = self._items.push(chunk)
        return [self._item(*item) for item in complete]

    def finish(self) -> tuple[list[Item[_T] | UnfitError], Report]:
        """The text is complete: the items that were not given, and what was done to the text. An `UnfitError`
        (`items/no-list`) if the value has no list there."""
        with self._lock:
            rest, whole, told = self._items.finish()
        value_of(whole, told.fits, told.rows, lambda _: None)
        report = Report._of(told.rows()["report"])
        return [self._item(*item, unsure=report.cut is not None) for item in rest], report

    def _item(self, made: str, row: _Row, *, unsure: bool = False) -> Item[_T] | UnfitError:
        try:
            value = value_of(made, not row["violations"], lambda: row, self._read)
        except UnfitError as error:
            return error
        return Item(value, tuple(map(Coercion._of, row["coercions"])), unsure)
