"""Asking models for values and plans, with retries."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypedDict, TypeVar, overload

from llmend import _llmend
from llmend._answer import Refused, asked_for, is_schema
from llmend._errors import AskError, of_type
from llmend._ledger import AttemptRequest, Ledger, RetryNotice, Validity
from llmend._llmend import AskOptions, CoerceOptions, Options, PlanOptions
from llmend._models import Model, Request, broken, conversation, failure, models_of, response
from llmend._plan import Document, Plan, Review, Workflow
from llmend._records import Coercion, Diagnostic, Report, record

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from typing_extensions import TypeForm, Unpack

    from llmend._answer import Json
    from llmend._llmend import GapsName, PolicyName, Schema

_T = TypeVar("_T")
_Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ValueAnswer(Generic[_T]):
    """A value from a model, and how it was obtained."""

    value: _T
    """The value."""
    validity: Validity
    """Whether it was checked."""
    answer: str
    """The complete answer, with retried parts in place. Spans point into it."""
    report: Report
    """Report of the repairs of the answer."""
    coercions: tuple[Coercion, ...]
    """The coercions of the value."""
    ledger: Ledger
    """All attempts."""


@dataclass(frozen=True, slots=True)
class PlanAnswer:
    """A plan or workflow from a model, and how it was obtained."""

    review: Review
    """The document and all findings."""
    validity: Validity
    """Whether it was checked."""
    answer: str
    """The complete answer, or the patch if a change was requested. Spans point into it."""
    ledger: Ledger
    """All attempts."""

    @property
    def document(self) -> Document:
        """The plan or the workflow."""
        return self.review.document


class _Callbacks(TypedDict, total=False):
    """Callbacks: before each request, after each rejected answer, and on failure."""

    on_attempt: Callable[[AttemptRequest], object] | None
    on_repair: Callable[[RetryNotice], object] | None
    on_give_up: Callable[[AskError], object] | None


class _How(_Callbacks, total=False):
    """Keyword arguments of `ask`."""

    options: AskOptions | None
    policy: PolicyName | Options | None
    coerce: CoerceOptions | None
    rules: str | None


_OPTIONS = ("options", "policy", "coerce", "rules")
_CALLBACKS = ("on_attempt", "on_repair", "on_give_up")
_T_function = TypeVar("_T_function", bound=Callable[..., object])


def _spelled_out(*names: str) -> Callable[[_T_function], _T_function]:
    """Adds keyword arguments to the signature that `help` shows."""

    def spelled(function: _T_function) -> _T_function:
        given = inspect.signature(function)
        kept = [it for it in given.parameters.values() if it.kind is not it.VAR_KEYWORD]
        options = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=_How.__annotations__[name].__forward_arg__,
            )
            for name in names
        ]
        function.__signature__ = given.replace(parameters=[*kept, *options])  # type: ignore[attr-defined]
        return function

    return spelled


@dataclass(frozen=True, slots=True)
class _Observers:
    """The callbacks of a question."""

    attempt: Callable[[AttemptRequest], object] | None
    repair: Callable[[RetryNotice], object] | None
    give_up: Callable[[AskError], object] | None

    @classmethod
    def of(cls, callbacks: _Row) -> _Observers:
        if unknown := callbacks.keys() - {*_CALLBACKS}:
            raise TypeError(f"unexpected keyword argument {min(unknown)!r}")
        return cls(*map(callbacks.get, _CALLBACKS))

    def of_request(self, row: _Row) -> None:
        if self.attempt is not None:
            self.attempt(record(AttemptRequest, row, model=row["name"]))

    def of_answer(self, row: _Row | None) -> None:
        if row is not None and self.repair is not None:
            findings = tuple(map(Diagnostic._of, row["findings"]))
            self.repair(record(RetryNotice, row, findings=findings))

    @contextlib.contextmanager
    def of_the_end(self) -> Iterator[None]:
        try:
            yield
        except AskError as error:
            if self.give_up is not None:
                self.give_up(error)
            raise


def _requests(asked: _llmend.QuestionLoop, models: list[Model], observers: _Observers) -> Iterator[tuple[Model, Request]]:
    """Yields the requests in order. Each must be answered before the next is taken."""
    while (row := asked.next()) is not None:
        observers.of_request(row)
        yield models[row["model"]], Request._of(row["request"])


def _failed(asked: _llmend.QuestionLoop, error: Exception, name: str) -> _Row | None:
    """Records that no answer arrived. Other exceptions of a model propagate."""
    row = failure(error, name)
    if row is None:
        raise error
    return asked.fail(row)


def _answered(asked: _llmend.QuestionLoop, answer: Any, name: str) -> _Row | None:
    """Records an answer. An answer that is not valid text counts as not arrived."""
    error = broken(answer)
    return asked.answer(response(answer)) if error is None else _failed(asked, error, name)


def _run(asked: _llmend.QuestionLoop, models: list[Model], observers: _Observers) -> None:
    for model, request in _requests(asked, models, observers):
        if model.awaits:
            raise TypeError(f"{model.name} is async; use await llmend.ask_async(...) or run_async(...)")
        try:
            answer = model(request)
        except Exception as error:
            observers.of_answer(_failed(asked, error, model.name))
            continue
        if inspect.iscoroutine(answer):
            answer.close()
        observers.of_answer(_answered(asked, answer, model.name))


async def _run_async(asked: _llmend.QuestionLoop, models: list[Model], observers: _Observers) -> None:
    import asyncio

    for model, request in _requests(asked, models, observers):
        try:
            answer = await asyncio.wait_for(_promised(model, request), request.timeout)
        except Exception as error:
            observers.of_answer(_failed(asked, error, model.name))
            continue
        observers.of_answer(_answered(asked, answer, model.name))


async def _promised(model: Model, request: Request) -> Any:
    """Awaits the answer of a model. A synchronous model runs in a thread, so that it does not block."""
    if model.awaits:
        return await model(request)
    import asyncio

    answer = await asyncio.to_thread(model, request)
    return await answer if inspect.isawaitable(answer) else answer


def _checking(read: Callable[[str], Any]) -> Callable[[str], list[tuple[str, str, str]]]:
    """Returns a function that lists why a value is rejected. It must not reference the question, or that would leak."""

    def check(json: str) -> list[tuple[str, str, str]]:
        try:
            read(json)
        except Refused as refused:
            return [(row["code"], row["path"], row["message"]) for row in refused.violations]
        return []

    return check


class _Question:
    """A question for a value of one type, synchronous or asynchronous."""

    def __init__(self, model: Any, prompt: Any, type: Any, how: _How) -> None:
        schema, self._read = asked_for(type)
        reader: Literal["caller", "type"] = "caller" if is_schema(type) else "type"
        more: _Row = {**how}
        self.observers = _Observers.of({name: more.pop(name) for name in _CALLBACKS if name in more})
        self.models = models_of(model)
        names = [(model.name, model.price) for model in self.models]
        check = _checking(self._read)
        self.asked = _llmend.ask(names, conversation(prompt), schema, check=check, reader=reader, **more)

    def answered(self) -> ValueAnswer[Any]:
        with self.observers.of_the_end():
            made, told, row = self.asked.value()
            ledger = Ledger._of(row["ledger"])
            try:
                value = self._read(made)
            except Refused as refused:
                # It was returned although invalid, or not checked.
                raise of_type(refused.violations, row) from refused.__cause__
        rows = told.rows()
        return ValueAnswer(
            value=value,
            validity=row["validity"],
            answer=row["answer"],
            report=Report._of(rows["report"]),
            coercions=tuple(map(Coercion._of, rows["coercions"])),
            ledger=ledger,
        )


@overload
def ask(
    model: Any,
    prompt: str | list[dict[str, str]],
    type: TypeAdapter[_T],
    **how: Unpack[_How],
) -> ValueAnswer[_T]: ...
@overload
def ask(
    model: Any,
    prompt: str | list[dict[str, str]],
    type: Json | Schema,
    **how: Unpack[_How],
) -> ValueAnswer[Any]: ...
@overload
def ask(
    model: Any,
    prompt: str | list[dict[str, str]],
    type: TypeForm[_T],
    **how: Unpack[_How],
) -> ValueAnswer[_T]: ...
@_spelled_out(*_OPTIONS, *_CALLBACKS)
def ask(
    model: Any,
    prompt: str | list[dict[str, str]],
    type: Any,
    **how: Unpack[_How],
) -> ValueAnswer[Any]:
    """Asks a model for a value of a type and retries until it is valid. Raises `AskError`, with all attempts,
    if there is no valid value within the limits of `options`.

    `model` is a function that maps a `Request` to text, an `OpenAIModel`, or a list of models, of which the
    strategy `escalate` asks the next. `prompt` is a question, or a conversation in OpenAI's format, of text messages
    with the roles `system`, `developer`, `user` and `assistant`. `type` is anything that `parse` accepts; messages
    of pydantic validators are sent back to the model as well. `rules` replaces the default instructions. The
    callbacks run before each request, after each rejected answer, and on failure; an exception in a callback ends
    the question. An answer with an unpaired surrogate counts as not arrived.

    The GIL is released while answers are read.

    >>> import llmend
    >>> from pydantic import BaseModel
    >>> class Trip(BaseModel):
    ...     city: str
    ...     days: int
    >>> def model(request):
    ...     is_first = len(request.messages) == 2 and "/days" not in request.messages[1]["content"]
    ...     return "Sure! {'city': 'Oslo', 'days': 'a few'}" if is_first else "{'days': 3}"
    >>> answered = llmend.ask(model, "A trip, please.", Trip, on_repair=lambda again: print(again.strategy))
    fields
    >>> answered.value, len(answered.ledger.attempts)
    (Trip(city='Oslo', days=3), 2)
    """
    question = _Question(model, prompt, type, how)
    _run(question.asked, question.models, question.observers)
    return question.answered()


@overload
async def ask_async(
    model: Any,
    prompt: str | list[dict[str, str]],
    type: TypeAdapter[_T],
    **how: Unpack[_How],
) -> ValueAnswer[_T]: ...
@overload
async def ask_async(
    model: Any,
    prompt: str | list[dict[str, str]],
    type: Json | Schema,
    **how: Unpack[_How],
) -> ValueAnswer[Any]: ...
@overload
async def ask_async(
    model: Any,
    prompt: str | list[dict[str, str]],
    type: TypeForm[_T],
    **how: Unpack[_How],
) -> ValueAnswer[_T]: ...
@_spelled_out(*_OPTIONS, *_CALLBACKS)
async def ask_async(
    model: Any,
    prompt: str | list[dict[str, str]],
    type: Any,
    **how: Unpack[_How],
) -> ValueAnswer[Any]:
    """Asks an asynchronous model: an `async def` function, or an `OpenAIModel` with `AsyncOpenAI`; see `ask`. Other
    models run in a thread. Canceling the task ends the question.

    >>> import asyncio, llmend
    >>> async def model(request):
    ...     return "Of course: [1, 2,]"
    >>> asyncio.run(llmend.ask_async(model, "Count.", list[int])).value
    [1, 2]
    """
    question = _Question(model, prompt, type, how)
    await _run_async(question.asked, question.models, question.observers)
    return question.answered()


class Planner:
    """Asks models for a plan or workflow and retries until it is valid.

    Before a retry, each answer is read, its control flow inferred, safe fixes are applied, and the result is
    checked. `reading` sets the options and the available tools. With `changing`, models are asked for a patch of
    that document, and the patched document is checked.

    >>> import llmend
    >>> tools = llmend.Catalog({"search": {"type": "object"}})
    >>> planner = llmend.Planner(reading=llmend.PlanOptions(catalog=tools))
    >>> model = lambda request: "Here: {steps: [{id: 'a', tool: 'search'}]}"
    >>> planner.run(model, "Find a hotel in Oslo").document.steps
    [{'id': 'a', 'tool': 'search'}]
    """

    def __init__(
        self,
        *,
        reading: PlanOptions | None = None,
        options: AskOptions | None = None,
        policy: PolicyName | Options | None = None,
        rules: str | None = None,
        changing: Plan | Workflow | None = None,
        gaps: GapsName = "leave",
    ) -> None:
        self._changing = changing
        more = {"reading": reading, "options": options, "policy": policy, "rules": rules}
        self._more: _Row = {**more, "gaps": gaps}

    @_spelled_out(*_CALLBACKS)
    def run(
        self,
        model: Any,
        objective: str | list[dict[str, str]],
        **callbacks: Unpack[_Callbacks],
    ) -> PlanAnswer:
        """Asks for a plan that reaches `objective`, or for the change that it describes. Raises `AskError` if there
        is no valid answer. See `ask` for models and callbacks."""
        observers = _Observers.of({**callbacks})
        asked, models = self._asked(model, objective)
        _run(asked, models, observers)
        return _planned(asked, observers)

    @_spelled_out(*_CALLBACKS)
    async def run_async(
        self,
        model: Any,
        objective: str | list[dict[str, str]],
        **callbacks: Unpack[_Callbacks],
    ) -> PlanAnswer:
        """Like `run`, for the models that `ask_async` accepts."""
        observers = _Observers.of({**callbacks})
        asked, models = self._asked(model, objective)
        await _run_async(asked, models, observers)
        return _planned(asked, observers)

    def _asked(self, model: Any, objective: Any) -> tuple[_llmend.QuestionLoop, list[Model]]:
        models = models_of(model)
        names = [(model.name, model.price) for model in models]
        changing = None if self._changing is None else self._changing._handed()
        return _llmend.ask_plan(names, conversation(objective), changing=changing, **self._more), models


def _planned(asked: _llmend.QuestionLoop, observers: _Observers) -> PlanAnswer:
    with observers.of_the_end():
        reviewed, row = asked.plan()
    return PlanAnswer(Review(reviewed), row["validity"], row["answer"], Ledger._of(row["ledger"]))
