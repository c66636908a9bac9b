"""The client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, get_origin

import openai

from llmend._llmend import CoerceOptions, Options
from llmend._repairs import How, Unsure
from llmend.openai._chat import repair_completion
from llmend.openai._responses import repair_response
from llmend.openai._streams import async_stream, stream

if TYPE_CHECKING:
    from llmend._llmend import PolicyName

_Client = TypeVar("_Client", bound=openai.OpenAI | openai.AsyncOpenAI)

_REPAIRS: dict[str, Callable[[Any, Mapping[str, Any], How], None]] = {
    "/chat/completions": repair_completion,
    "/responses": repair_response,
}


def repairing(
    client: _Client,
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    unsure: Unsure = "reject",
) -> _Client:
    """Returns a client of the same class and settings that repairs what `chat.completions.create` and `parse` and
    `responses.create` and `parse` return:

    - text, if the request has a `response_format` or `text.format` for JSON: the JSON in it, made to fit its schema
      as far as it does;
    - calls of the request's functions that the model wrote as text: they become tool calls;
    - the arguments of tool calls, made to fit the parameters of their function, and a near miss of a name.

    `parse` validates after that. In streams of chat completions, and in `chat.completions.stream`, calls written as
    text become tool calls; their other parts, and streams of `responses`, pass as they are. So does what cannot be
    repaired, and, unless `unsure="accept"`, what may be incomplete. `client` itself is not changed.

        client = llmend.openai.repairing(openai.OpenAI())
    """
    kind: Any = getattr(type(client), "_kind", type(client))
    copied: Any = client.copy()
    # The settings are the class's, since copies are of it: `client.with_options(timeout=5)`.
    copied.__class__ = _class(kind, How(policy, coerce, unsure))
    return copied  # type: ignore[no-any-return]


def _class(kind: Any, how: How) -> Any:
    """Returns the class of a client that repairs the answers to what it posts."""

    def post(self: Any, path: str, **request: Any) -> Any:
        # That of an asynchronous client returns what is awaited.
        return kind.post(self, path, **_repaired(path, request, how))

    return type(f"Repairing{kind.__name__}", (kind,), {"_kind": kind, "_how": how, "post": post, "__doc__": kind.__doc__})


def _repaired(path: str, request: dict[str, Any], how: How) -> dict[str, Any]:
    """Returns a request whose answer is repaired."""
    repair, body = _REPAIRS.get(path), request.get("body")
    if repair is None or not isinstance(body, Mapping):
        return request
    if not request.get("stream"):
        options = request.get("options", {})
        return {**request, "options": {**options, "post_parser": _parser(repair, body, how, options.get("post_parser"))}}
    kind = request.get("stream_cls")
    if repair is not repair_completion or kind is None:
        return request
    made = async_stream if issubclass(get_origin(kind) or kind, openai.AsyncStream) else stream
    return {**request, "stream_cls": made(body, how)}


def _parser(
    repair: Callable[[Any, Mapping[str, Any], How], None],
    body: Mapping[str, Any],
    how: How,
    then: Callable[[Any], Any] | None,
) -> Callable[[Any], Any]:
    """Returns what repairs an answer before the client parses it."""

    def parse(answer: Any) -> Any:
        repair(answer, body, how)
        return then(answer) if then else answer

    return parse
