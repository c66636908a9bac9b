"""Models as Python functions.

A model is a function that maps a `Request` to text or to a `Reply`, or an `async def` function that does. If it
raises `ModelError`, `ConnectionError` or `TimeoutError`, the answer did not arrive; every other exception
propagates and ends the question.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

_Row = dict[str, Any]

Form = Literal["text", "json", "schema", "tool"]
"""The requested form of an answer: text, any JSON object, JSON that fits a schema, or tool arguments."""

ErrorKind = Literal[
    "connection",
    "interrupted",
    "timeout",
    "stalled",
    "rate-limited",
    "server",
    "quota",
    "authentication",
    "not-found",
    "request",
    "content-refused",
    "unreadable",
    "replay",
    "canceled",
    "other",
]
"""Why an answer did not arrive. The first six are transient: see `transport_retries`."""

Mode = Literal["json-schema", "json-object", "prompt"]
"""How to request JSON from a provider: with a schema, with JSON mode, or by the prompt alone."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a model. `None` leaves a setting to the model."""

    messages: list[dict[str, str]]
    """The conversation in OpenAI's format, `role` and `content`, with the question last."""
    form: Form
    """The requested form of the answer, which the messages also state."""
    name: str | None
    """Name of the schema, if there is one."""
    schema: str | None
    """JSON Schema of the answer as text, with members in the order in which they should be written."""
    max_output_tokens: int | None
    """Maximum number of tokens in the answer."""
    temperature: float | None
    """Sampling temperature."""
    timeout: float | None
    """Time limit in seconds."""

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
    """An answer of a model, with its metadata.

    >>> Reply("{'a': 1", finish="length").finish
    'length'
    """

    text: str
    """The text of the answer."""
    finish: str | None = "stop"
    """Why the model stopped: `stop`, `length`, `content_filter`, `tool_calls` or another reason; `None` if unknown."""
    input_tokens: int | None = None
    """Input tokens. If neither count is known, both are estimated."""
    output_tokens: int | None = None
    """Output tokens."""
    refusal: str | None = ""
    """The message of a refusal; empty if the model answered."""

    def __post_init__(self) -> None:
        _is_text("Reply.text", self.text)
        for name in ["finish", "refusal"]:
            _is_text(f"Reply.{name}", getattr(self, name) or "")
        for name in ["input_tokens", "output_tokens"]:
            _is_count(f"Reply.{name}", getattr(self, name), 2**63)


class ModelError(Exception):
    """Raised by a model if an answer did not arrive. The request is repeated if the options allow it; otherwise the
    question ends with an `AskError`."""

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        status: int | None = None,
    ) -> None:
        super().__init__(kind, message)
        if kind not in get_args(ErrorKind):
            raise ValueError(f"ModelError.kind: expected one of {', '.join(get_args(ErrorKind))}, found {kind!r}")
        _is_text("ModelError.message", message)
        _is_count("ModelError.status", status, 2**16)
        self.kind = kind
        """What went wrong."""
        self.message = message
        """The message."""
        self.status = status
        """The HTTP status, if there was a response."""

    def __str__(self) -> str:
        return self.message


class Model:
    """A model function with a name and an optional price.

    `price` is the cost of a million input tokens and of a million output tokens, in any currency; a cost limit
    (`AskOptions(cost=…)`) requires it.

    >>> import llmend
    >>> parrot = llmend.Model(lambda request: "[1, 2,]", name="parrot", price=(2.5, 10))
    >>> llmend.ask(parrot, "Count.", {"type": "array"}).ledger.attempts[0].model
    'parrot'
    """

    name: str
    """Name in ledgers."""
    price: tuple[float, float] | None
    """Cost of a million input tokens and of a million output tokens."""

    def __init__(
        self,
        answer: Callable[[Request], Any],
        *,
        name: str | None = None,
        price: tuple[float, float] | None = None,
    ) -> None:
        if not callable(answer):
            raise TypeError(f"expected a function as model, found {type(answer).__name__}")
        self._answer = answer
        self.name = getattr(answer, "__name__", type(answer).__name__) if name is None else name
        self.price = price

    def __call__(self, request: Request) -> Any:
        try:
            return self._answer(request)
        except StopIteration as error:
            # Coroutines and generators cannot propagate `StopIteration`.
            raise RuntimeError(f"{self.name} has no more answers") from error

    @property
    def awaits(self) -> bool:
        """Whether the function is known to be async."""
        return _is_async(self._answer)


class OpenAIModel(Model):
    """A model behind an `OpenAI` or `AsyncOpenAI` client of the package `openai`, or a compatible client.

    The schema is sent with the request (`mode="json-schema"`). If the server rejects that, this and all later
    requests use JSON mode, and then the prompt alone. Answers are read like any other text.

    `more` is passed to `chat.completions.create`.

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
        """Whether the client is async."""
        return _is_async(self._create)

    def _ask(self, request: Request) -> Any:
        if self.awaits:
            return self._later(request)
        for mode in self._modes:
            try:
                return _reply(self._create(**self._arguments(request, mode)))
            except Exception as error:
                self._learn(error, request, mode)
        raise AssertionError("a plain prompt is never rejected as a response format")

    async def _later(self, request: Request) -> Reply:
        for mode in self._modes:
            try:
                return _reply(await self._create(**self._arguments(request, mode)))
            except Exception as error:
                self._learn(error, request, mode)
        raise AssertionError("a plain prompt is never rejected as a response format")

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
        """Switches to a weaker mode if the error rejects the response format; raises all other errors."""
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
    """Converts a completion of `openai`, parts of which a compatible server may omit."""
    if not getattr(completion, "choices", None):
        raise ModelError("unreadable", "the completion has no choices")
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
    """Converts an exception of `openai` to `ModelError`; returns others unchanged."""
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
    """Wraps the models of a call: one, or several for the strategy `escalate`."""
    several = model if isinstance(model, Sequence) else [model]
    return [each if isinstance(each, Model) else _wrapped(each) for each in several]


def _wrapped(model: Any) -> Model:
    if hasattr(model, "chat") and not callable(model):
        name = type(model).__name__
        raise TypeError(f"expected a model, found a client; use llmend.OpenAIModel({name}(), 'gpt-4o-mini')")
    return Model(model)


def response(answer: Any) -> str:
    """Converts an answer to the JSON that the extension module takes."""
    if isinstance(answer, str):
        answer = Reply(answer)
    if not isinstance(answer, Reply):
        kind = type(answer).__name__
        raise TypeError(f"expected str or llmend.Reply as answer of a model, found {kind}")
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
    """Returns the error of an answer with an unpaired surrogate, as splitting a character leaves it."""
    text = answer.text if isinstance(answer, Reply) else answer
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return ModelError("interrupted", f"unpaired surrogate in the answer at character {error.start}")
    except AttributeError:
        return None
    return None


def conversation(prompt: Any) -> str | list[dict[str, str]]:
    """Validates a prompt: a question, or text messages in OpenAI's format."""
    if isinstance(prompt, str):
        return _written("prompt", prompt)
    if not isinstance(prompt, Sequence) or isinstance(prompt, (bytes, bytearray)):
        raise TypeError(f"prompt: expected str or a list of messages, found {_kind(prompt)}")
    return [_message(f"prompt[{at}]", message) for at, message in enumerate(prompt)]


_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}


def _message(place: str, message: Any) -> dict[str, str]:
    if not isinstance(message, Mapping):
        raise TypeError(f"{place}: expected a dict with role and content, found {_kind(message)}")
    role = message.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise ValueError(f"{place}.role: expected one of {', '.join(_ROLES)}, found {role!r}")
    if message.get("tool_calls"):
        raise ValueError(f"{place}.tool_calls: tool calls are not supported; describe their results as text")
    content = message.get("content")
    if isinstance(content, (list, tuple)):
        content = "".join(_part(f"{place}.content[{at}]", part) for at, part in enumerate(content))
    return {"role": _ROLES[role], "content": _written(f"{place}.content", content)}


def _part(place: str, part: Any) -> str:
    if not isinstance(part, Mapping) or part.get("type") != "text":
        raise ValueError(f"{place}: expected a part of type 'text'")
    return _written(f"{place}.text", part.get("text"))


def _written(place: str, text: Any) -> str:
    _is_text(place, text)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{place}: unpaired surrogate at character {error.start}") from error
    return str(text)


def _is_text(place: str, text: Any) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{place}: expected str, found {_kind(text)}")


def _is_count(place: str, count: Any, end: int) -> None:
    if count is None:
        return
    if not isinstance(count, int) or isinstance(count, bool):
        raise TypeError(f"{place}: expected int, found {_kind(count)}")
    if not 0 <= count < end:
        raise ValueError(f"{place}: expected a number from 0 to {end - 1}, found {count}")


def _kind(value: Any) -> str:
    return type(value).__name__


def _whole(text: str) -> str:
    """Replaces unpaired surrogates."""
    return text.encode(errors="replace").decode()


def _timeouts() -> tuple[type[BaseException], ...]:
    """Returns the errors of time limits. Before Python 3.11, asyncio has its own, and only if it was imported."""
    asyncio = sys.modules.get("asyncio")
    return (TimeoutError,) if asyncio is None else (TimeoutError, asyncio.TimeoutError)


def failure(error: BaseException, name: str) -> str | None:
    """Converts the error of an answer that did not arrive to JSON; returns `None` for other exceptions."""
    if isinstance(error, ModelError):
        kind, message, status = error.kind, error.message, error.status
    elif isinstance(error, _timeouts()):
        kind, message, status = "timeout", str(error) or "the request timed out", None
    elif isinstance(error, ConnectionError):
        kind, message, status = "connection", str(error) or type(error).__name__, None
    else:
        return None
    return json.dumps({"kind": kind, "message": _whole(message), "context": {"model": name, "status": status}})


def _is_async(function: Any) -> bool:
    """Returns whether a function is known to be async, also if it is wrapped."""
    whole = inspect.unwrap(function)
    is_method = inspect.iscoroutinefunction(getattr(whole, "__call__", None))
    return inspect.iscoroutinefunction(whole) or is_method
