"""How is a model asked that Python has?

A model is a function: it takes a `Request` and gives the answer, as text or as a `Reply`, or promises it
(`async def`). What it raises as `ModelError`, `ConnectionError` or `TimeoutError` is an answer that did not
arrive; every other exception is the caller's own, and ends the question.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

_Row = dict[str, Any]

Form = Literal["text", "json", "schema", "tool"]
"""In which form an answer is wanted: words, some JSON object, JSON that fits a schema, or the arguments of
a tool."""

ErrorKind = Literal[
    "connection",
    "interrupted",
    "timeout",
    "rate-limited",
    "server",
    "quota",
    "authentication",
    "not-found",
    "request",
    "content-refused",
    "unreadable",
    "replay",
    "cancelled",
    "other",
]
"""Why an answer did not arrive. The first five may be over a little later: see `transport_retries`."""

Mode = Literal["json-schema", "json-object", "prompt"]
"""How a provider is asked for JSON: by a schema in the request, by a switch, by words alone."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked. What is `None` is left to the model."""

    messages: list[dict[str, str]]
    """The conversation, as OpenAI has it: `role` and `content`, the question last."""
    form: Form
    """In which form the answer is wanted. The messages say so too."""
    name: str | None
    """What is asked for, in a word, where it has a schema."""
    schema: str | None
    """The JSON Schema of what is asked for, as text, whose members are in the order in which they should
    be written."""
    max_output_tokens: int | None
    """The most tokens that the answer may have."""
    temperature: float | None
    """How much chance there is in the answer."""
    timeout: float | None
    """How many seconds the answer may take."""

    @classmethod
    def _of(cls, row: _Row) -> Request:
        output, time = row.get("output", {"form": "text"}), row.get("timeout")
        return cls(
            messages=row["messages"],
            form=output["form"],
            name=output.get("name"),
            schema=output.get("schema"),
            max_output_tokens=row.get("max_output_tokens"),
            temperature=row.get("temperature"),
            timeout=time and time["secs"] + time["nanos"] / 1e9,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered, with what is known of it.

    >>> Reply("{'a': 1", finish="length").finish
    'length'
    """

    text: str
    """The text, as the model wrote it."""
    finish: str | None = "stop"
    """Why it goes no further: `stop`, `length`, `content_filter`, `tool_calls`, or another word; `None` where
    that is not told."""
    input_tokens: int | None = None
    """Tokens of the question. Where neither number is known, both are estimated."""
    output_tokens: int | None = None
    """Tokens of the answer."""
    refusal: str | None = ""
    """Why the model does not answer, in its words, if it does not."""

    def __post_init__(self) -> None:
        _is_text("Reply.text", self.text)
        for name in ["finish", "refusal"]:
            _is_text(f"Reply.{name}", getattr(self, name) or "")
        for name in ["input_tokens", "output_tokens"]:
            _is_count(f"Reply.{name}", getattr(self, name), 2**63)


class ModelError(Exception):
    """That an answer did not arrive: what a model raises, so that the question is asked again where the
    options allow it, and otherwise ends in an `AskError`."""

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        status: int | None = None,
    ) -> None:
        super().__init__(kind, message)
        if kind not in get_args(ErrorKind):
            raise ValueError(f"ModelError.kind: {kind!r} is none of {', '.join(get_args(ErrorKind))}")
        _is_text("ModelError.message", message)
        _is_count("ModelError.status", status, 2**16)
        self.kind = kind
        self.message = message
        self.status = status

    def __str__(self) -> str:
        return self.message


class Model:
    """A function that answers, with its name, and its price if that is known.

    `price` is what a million tokens of a question and of an answer cost, in any unit of money; a budget of
    money (`AskOptions(cost=…)`) needs it.

    >>> import llmend
    >>> parrot = llmend.Model(lambda request: "[1, 2,]", name="parrot", price=(2.5, 10))
    >>> llmend.ask(parrot, "Count.", {"type": "array"}).ledger.attempts[0].model
    'parrot'
    """

    name: str
    """What ledgers call it."""
    price: tuple[float, float] | None
    """What a million tokens of a question and of an answer cost."""

    def __init__(
        self,
        answer: Callable[[Request], Any],
        *,
        name: str | None = None,
        price: tuple[float, float] | None = None,
    ) -> None:
        if not callable(answer):
            raise TypeError(f"a model is a function of a request, and {type(answer).__name__} is none")
        self._answer = answer
        self.name = getattr(answer, "__name__", type(answer).__name__) if name is None else name
        self.price = price

    def __call__(self, request: Request) -> Any:
        try:
            return self._answer(request)
        except StopIteration as error:
            # Neither a promise nor a generator can pass it on.
            raise RuntimeError(f"{self.name} has no more answers") from error

    @property
    def awaits(self) -> bool:
        """Whether it is known to promise its answers."""
        return _is_async(self._answer)


class OpenAIModel(Model):
    """A model behind a client of the package `openai`, `OpenAI` or `AsyncOpenAI`, or behind one that is used
    like it.

    A schema is sent with the request (`mode="json-schema"`). A server that will not have that is asked for
    some JSON object, and then by words alone, from then on. What it answers is read as any other text.

    `more` goes to `chat.completions.create` as it is.

    >>> import llmend
    >>> def answers(client):
    ...     model = llmend.OpenAIModel(client, "gpt-4o-mini", seed=1)
    ...     return llmend.ask(model, "Where is the Vigeland park?", {"type": "object"}).value
    """

    def __init__(
        self,
        client: Any,
        model: str,
        *,
        name: str | None = None,
        price: tuple[float, float] | None = None,
        mode: Mode = "json-schema",
        **more: Any,
    ) -> None:
        self._create: Callable[..., Any] = client.chat.completions.create
        self._model = model
        self._modes = _MODES[_MODES.index(mode) :]
        self._more = more
        super().__init__(self._ask, name=f"openai:{model}" if name is None else name, price=price)

    @property
    def awaits(self) -> bool:
        """Whether its client does."""
        return _is_async(self._create)

    def _ask(self, request: Request) -> Any:
        if self.awaits:
            return self._later(request)
        for mode in self._modes:
            try:
                return _reply(self._create(**self._arguments(request, mode)))
            except Exception as error:
                self._learn(error, request, mode)
        raise AssertionError("words alone are never refused as a form")

    async def _later(self, request: Request) -> Reply:
        for mode in self._modes:
            try:
                return _reply(await self._create(**self._arguments(request, mode)))
            except Exception as error:
                self._learn(error, request, mode)
        raise AssertionError("words alone are never refused as a form")

    def _arguments(self, request: Request, mode: Mode) -> _Row:
        arguments = {"model": self._model, "messages": request.messages, **self._more}
        form = _response_format(request, mode)
        told = {
            "response_format": form,
            "max_completion_tokens": request.max_output_tokens,
            "temperature": request.temperature,
            "timeout": request.timeout,
        }
        return arguments | {name: value for name, value in told.items() if value is not None}

    def _learn(self, error: Exception, request: Request, mode: Mode) -> None:
        """That a way of asking is refused; raises what anything else is."""
        words = str(error).lower()
        is_form = getattr(error, "status_code", None) in (400, 422) and any(
            word in words for word in ("response_format", "json_schema", "json_object", "schema")
        )
        if not is_form or mode == "prompt" or _response_format(request, mode) is None:
            raise _refused(error) from error
        weaker = _MODES[_MODES.index(mode) + 1 :]
        if len(weaker) < len(self._modes):
            self._modes = weaker


_MODES: tuple[Mode, ...] = ("json-schema", "json-object", "prompt")

_BY_STATUS: dict[int, ErrorKind] = {
    401: "authentication",
    403: "authentication",
    404: "not-found",
    408: "timeout",
    429: "rate-limited",
    504: "timeout",
}


def _response_format(request: Request, mode: Mode) -> _Row | None:
    if mode == "prompt" or request.form == "text":
        return None
    if request.schema is None or mode == "json-object":
        return {"type": "json_object"}
    shape = {"name": request.name or "answer", "schema": json.loads(request.schema), "strict": False}
    return {"type": "json_schema", "json_schema": shape}


def _reply(completion: Any) -> Reply:
    """What a completion says: that of `openai`, whose parts a compatible server may have left out."""
    if not getattr(completion, "choices", None):
        raise ModelError("unreadable", "the server answered without a choice")
    choice = completion.choices[0]
    message, usage = choice.message, getattr(completion, "usage", None)
    calls = getattr(message, "tool_calls", None) or []
    arguments = [call.function.arguments for call in calls if getattr(call, "function", None)]
    return Reply(
        text=next((text for text in arguments if text), None) or message.content or "",
        finish=choice.finish_reason or "",
        input_tokens=getattr(usage, "prompt_tokens", None),
        output_tokens=getattr(usage, "completion_tokens", None),
        refusal=getattr(message, "refusal", None) or "",
    )


def _refused(error: Exception) -> Exception:
    """An exception of `openai` as the loop takes it; any other as it is."""
    names = {kind.__name__ for kind in type(error).__mro__}
    status = getattr(error, "status_code", None)
    if not names & {"OpenAIError", "APIError"} and not isinstance(status, int):
        return error
    kind: ErrorKind = "other"
    if isinstance(status, int):
        kind = _BY_STATUS.get(status, "server" if status >= 500 else "request")
        if getattr(error, "code", None) == "insufficient_quota":
            kind = "quota"
    elif "APITimeoutError" in names:
        kind = "timeout"
    elif "APIConnectionError" in names:
        kind = "connection"
    return ModelError(kind, str(error)[:500], status=status if isinstance(status, int) else None)


def models_of(model: Any) -> list[Model]:
    """The models that a caller named: one, or several for the rung `escalate`."""
    several = model if isinstance(model, Sequence) else [model]
    return [each if isinstance(each, Model) else _wrapped(each) for each in several]


def _wrapped(model: Any) -> Model:
    if hasattr(model, "chat") and not callable(model):
        name = type(model).__name__
        raise TypeError(f"which model of the client? llmend.OpenAIModel({name}(), 'gpt-4o-mini')")
    return Model(model)


def response(answer: Any) -> str:
    """What a model gave, as the JSON that the loop takes."""
    if isinstance(answer, str):
        answer = Reply(answer)
    if not isinstance(answer, Reply):
        kind = type(answer).__name__
        raise TypeError(f"a model answers with str or llmend.Reply, and not with {kind}")
    known = ("stop", "length", "content_filter", "tool_calls")
    finish = answer.finish if answer.finish in known else {"other": _whole(answer.finish or "")}
    row: _Row = {"text": answer.text, "finish": finish, "refusal": _whole(answer.refusal or "")}
    if answer.input_tokens is not None or answer.output_tokens is not None:
        both = answer.input_tokens is not None and answer.output_tokens is not None
        row["usage"] = {
            "input": answer.input_tokens or 0,
            "output": answer.output_tokens or 0,
            "estimated": not both,
        }
    return json.dumps(row)


def broken(answer: Any) -> ModelError | None:
    """Why the text of an answer is none: it has half of a character, as one that was cut in two leaves it."""
    text = answer.text if isinstance(answer, Reply) else answer
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return ModelError("interrupted", f"half of a character stands in the answer, at {error.start}")
    except AttributeError:
        return None
    return None


def conversation(prompt: Any) -> str | list[dict[str, str]]:
    """What is asked, as the loop takes it: a question, or messages as OpenAI has them, of text."""
    if isinstance(prompt, str):
        return _written("prompt", prompt)
    if not isinstance(prompt, Sequence) or isinstance(prompt, (bytes, bytearray)):
        raise TypeError(f"prompt: a question is str or a list of messages, and not {_kind(prompt)}")
    return [_message(f"prompt[{at}]", message) for at, message in enumerate(prompt)]


_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}


def _message(place: str, message: Any) -> dict[str, str]:
    if not isinstance(message, Mapping):
        raise TypeError(f"{place}: a message is a dict with role and content, and not {_kind(message)}")
    role = message.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise ValueError(f"{place}.role: {role!r} is none of {', '.join(_ROLES)}")
    if message.get("tool_calls"):
        raise ValueError(f"{place}.tool_calls: calls of tools are not passed on, say in words what came of them")
    content = message.get("content")
    if isinstance(content, (list, tuple)):
        content = "".join(_part(f"{place}.content[{at}]", part) for at, part in enumerate(content))
    return {"role": _ROLES[role], "content": _written(f"{place}.content", content)}


def _part(place: str, part: Any) -> str:
    if not isinstance(part, Mapping) or part.get("type") != "text":
        raise ValueError(f"{place}: only parts of the type 'text' are passed on")
    return _written(f"{place}.text", part.get("text"))


def _written(place: str, text: Any) -> str:
    _is_text(place, text)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{place}: half of a character stands at {error.start}") from error
    return str(text)


def _is_text(place: str, text: Any) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{place}: this is str, and not {_kind(text)}")


def _is_count(place: str, count: Any, end: int) -> None:
    if count is None:
        return
    if not isinstance(count, int) or isinstance(count, bool):
        raise TypeError(f"{place}: this is int, and not {_kind(count)}")
    if not 0 <= count < end:
        raise ValueError(f"{place}: {count} is not between 0 and {end - 1}")


def _kind(value: Any) -> str:
    return type(value).__name__


def _whole(text: str) -> str:
    """The text without halves of characters."""
    return text.encode(errors="replace").decode()


def failure(error: BaseException, name: str) -> str | None:
    """Why no answer arrived, as the JSON that the loop takes; nothing of an exception that is not about
    that."""
    if isinstance(error, ModelError):
        kind, message, status = error.kind, error.message, error.status
    elif isinstance(error, (TimeoutError, asyncio.TimeoutError)):
        kind, message, status = "timeout", str(error) or "the answer took too long", None
    elif isinstance(error, ConnectionError):
        kind, message, status = "connection", str(error) or type(error).__name__, None
    else:
        return None
    return json.dumps({"kind": kind, "message": _whole(message), "context": {"model": name, "status": status}})


def _is_async(function: Any) -> bool:
    """Whether calling it gives a promise, as far as can be seen; wrappers are looked through."""
    whole = inspect.unwrap(function)
    is_method = inspect.iscoroutinefunction(getattr(whole, "__call__", None))
    return inspect.iscoroutinefunction(whole) or is_method
