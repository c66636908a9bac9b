"""Reading answers while they arrive."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from llmend import _llmend
from llmend._answer import Text, is_schema, target, value_of
from llmend._arriving import Partials
from llmend._errors import UnfitError
from llmend._llmend import CoerceOptions, Options, Schema
from llmend._outcome import Outcome
from llmend._pieces import each_of
from llmend._records import Coercion, Repair, Report, record

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from typing_extensions import TypeForm

    from llmend._answer import Json
    from llmend._llmend import PolicyName

_T = TypeVar("_T")
_Row = dict[str, Any]

State = Literal["pending", "partial", "complete"]
"""How much of a value has arrived: `pending` has text that is not yet certain, `partial` is a part, `complete` is
all of it."""


@dataclass(frozen=True, slots=True)
class View:
    """The value so far. Nothing in it is ever retracted.

    A view stays as it is while the text goes on. Views share their complete parts: copy one before you change it."""

    value: Any
    """The value; `None` until one is certain."""
    state: State
    """How much of it has arrived."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a value that is arriving."""

    event: Literal["opened", "grew", "completed", "closed", "repeated", "repaired"]
    """What happened: an object, array or string started; a string grew; a scalar is complete; an object or array
    is complete; a key was repeated; the text was repaired."""
    path: str | None
    """Path in the value; `None` for `repaired`."""
    kind: Literal["object", "array", "string"] | None
    """The kind of value, for `opened`."""
    text: str | None
    """The added text, for `grew`."""
    value: str | None
    """The JSON of a number, boolean or null, for `completed`."""
    repair: Repair | None
    """The edit, for `repaired`."""

    @classmethod
    def _of(cls, row: _Row) -> Event:
        repair = row["repair"]
        return record(cls, row, repair=repair and Repair._of(repair))


class Stream(Generic[_T]):
    """Parses a value while its text arrives, reading each chunk once.

    Unless `Options` say otherwise, the first possible value in the text is the answer (`choice="first"`), so that
    it can be shown while it grows; with `choice="best"` nothing is certain before the end. `policy` is that of
    `loads`.

    A stream is thread-safe: one thread may show what another reads.

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

    With a type, `partial()` returns the value so far as that type with all fields optional, and `finish()`
    validates the value as `parse` does:

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
        type: TypeAdapter[_T],
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Stream[Any],
        type: Json | Schema,
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self,
        type: TypeForm[_T],
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
    ) -> None: ...
    def __init__(
        self,
        type: Any = None,
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
    ) -> None:
        # With a schema, partial values are shown as they are.
        self._type = None if is_schema(type) else type
        self._coerce = coerce
        self._partial: Partials | None = None
        schema: Schema | None = None
        self._read: Callable[[str], Any] | None = None
        if type is not None:
            schema, self._read = target(type)
        self._stream = _llmend.Stream(schema, policy=policy, coerce=coerce)
        self._lock = threading.RLock()

    def push(self, chunk: Text) -> None:
        """Reads the next chunk of text. Bytes may be split anywhere, even within a character. If Ctrl-C interrupts
        the call, the part read so far is kept."""
        with self._lock:
            self._stream.push(chunk)

    def view(self) -> View:
        """Returns the value so far, as `dict`, `list` and so on. It costs what is new since the last view, and the
        string that is arriving."""
        with self._lock:
            shown = self._stream.view()
        return View(None, "pending") if shown is None else View(*shown)

    def state(self, path: str = "") -> State | None:
        """Returns how much has arrived of the part at `path`, a JSON Pointer; `None` if nothing is certain yet.

        >>> import llmend
        >>> stream = llmend.Stream()
        >>> stream.push('{"a": [1, 2], "b": "on')
        >>> stream.state("/a"), stream.state("/b"), stream.state("/c")
        ('complete', 'partial', None)
        """
        with self._lock:
            return self._stream.state(path)

    def partial(self) -> Any:
        """Returns the value so far as the stream's type with every field optional; `None` until it can be read as
        that type. See `partial_type`.

        An incomplete string is shown if the type has a string there, and omitted if the type would convert it: half
        of a number is another number. Like views, partial values stay as they are, share their complete parts, and
        cost what is new.
        """
        with self._lock:
            if self._type is None:
                return self.view().value
            if self._partial is None:
                self._partial = Partials(self._stream, self._type, self._coerce)
            return self._partial.read()

    @overload
    def views(self, pieces: AsyncIterable[Text]) -> AsyncIterator[View]: ...
    @overload
    def views(self, pieces: Iterable[Text]) -> Iterator[View]: ...
    def views(self, pieces: Any) -> Any:
        """Reads pieces of text, and returns the value so far after each: an iterator, for `async for` if the pieces
        are. Call `finish` afterwards.

        Asynchronous pieces are closed where the reading ends, also early: `aclose` the iterator that you leave. Other
        pieces that you still hold stay open.

        >>> import llmend
        >>> stream = llmend.Stream()
        >>> [view.value for view in stream.views(["{'a': [1", ", 2]", "}"])]
        [{}, {'a': [1, 2]}, {'a': [1, 2]}]
        """
        return each_of(pieces, lambda piece: [self.push(piece) or self.view()])  # type: ignore[func-returns-value]

    @overload
    def partials(self, pieces: AsyncIterable[Text]) -> AsyncIterator[Any]: ...
    @overload
    def partials(self, pieces: Iterable[Text]) -> Iterator[Any]: ...
    def partials(self, pieces: Any) -> Any:
        """Reads pieces of text, and returns `partial()` after each, once there is one: an iterator, for `async for`
        if the pieces are. Call `finish` afterwards.

        Asynchronous pieces are closed where the reading ends, also early: `aclose` the iterator that you leave. Other
        pieces that you still hold stay open.

        >>> import llmend
        >>> from pydantic import BaseModel
        >>> class City(BaseModel):
        ...     name: str
        >>> [city.name for city in llmend.Stream(City).partials(['{"na', 'me": "Os', 'lo"}'])]
        ['Os', 'Oslo']
        """

        def read(piece: Text) -> list[Any]:
            self.push(piece)
            shown = self.partial()
            return [] if shown is None else [shown]

        return each_of(pieces, read)

    def events(self) -> list[Event]:
        """Returns the events since the last call.

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
        """Ends the text and returns what `parse` would. Afterwards, `events` returns the remaining events."""
        with self._lock:
            value, told = self._stream.finish()
        if self._read is not None:
            value = value_of(value, told.fits, told.rows, self._read)
        return Outcome(value, told)


@dataclass(frozen=True, slots=True)
class Item(Generic[_T]):
    """A valid item of a list."""

    value: _T
    """The item."""
    coercions: tuple[Coercion, ...]
    """The coercions of the item."""
    unsure: bool = False
    """Whether the item may be incomplete, because the answer was truncated."""


class Items(Generic[_T]):
    """Returns the items of one list in an answer, each as soon as it is complete. An item truncated by the end of
    the text is `unsure`.

    `list` is the JSON Pointer of the list in the value, and `type` the type of one item. An item that does not fit
    is returned as an `UnfitError` and does not hold back others. Thread-safe, like `Stream`.

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
        type: TypeAdapter[_T],
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Items[Any],
        list: str,
        type: Json | Schema,
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self,
        list: str,
        type: TypeForm[_T],
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
    ) -> None: ...
    def __init__(
        self,
        list: str,
        type: Any,
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
    ) -> None:
        schema, self._read = target(type)
        self._items = _llmend.Items(list, schema, policy=policy, coerce=coerce)
        self.report: Report | None = None
        """The report, once the text has ended."""
        self._lock = threading.RLock()

    def push(self, chunk: Text) -> list[Item[_T] | UnfitError]:
        """Reads the next chunk of text and returns the items that it completes."""
        with self._lock:
            complete = self._items.push(chunk)
        return [self._item(*item) for item in complete]

    def finish(self) -> tuple[list[Item[_T] | UnfitError], Report]:
        """Ends the text and returns the remaining items and the report. Raises `UnfitError` (`items/no-list`) if the
        value has no list there."""
        with self._lock:
            rest, whole, told = self._items.finish()
        value_of(whole, told.fits, told.rows, lambda _: None)
        self.report = report = Report._of(told.rows()["report"])
        return [self._item(*item, unsure=report.cut is not None) for item in rest], report

    @overload
    def each(self, pieces: AsyncIterable[Text]) -> AsyncIterator[Item[_T] | UnfitError]: ...
    @overload
    def each(self, pieces: Iterable[Text]) -> Iterator[Item[_T] | UnfitError]: ...
    def each(self, pieces: Any) -> Any:
        """Reads pieces of text to their end, and returns each item as soon as it is complete: an iterator, for
        `async for` if the pieces are. Afterwards, `report` is set.

        Asynchronous pieces are closed where the reading ends, also early: `aclose` the iterator that you leave. Other
        pieces that you still hold stay open.

        >>> import llmend
        >>> steps = llmend.Items("", {"type": "integer"})
        >>> [item.value for item in steps.each(["[1, 2", "3, '", "4']"])]
        [1, 23, 4]
        >>> steps.report.status
        'repaired'
        """
        return each_of(pieces, self.push, lambda: self.finish()[0])

    def _item(self, made: str, row: _Row, *, unsure: bool = False) -> Item[_T] | UnfitError:
        try:
            value = value_of(made, not row["violations"], lambda: row, self._read)
        except UnfitError as error:
            return error
        return Item(value, tuple(map(Coercion._of, row["coercions"])), unsure)
