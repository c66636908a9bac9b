"""The client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, get_origin

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

    - text, if the request has a `response_format` or `text.format` for JSON: the JSON in it, made to fit its schema;
    - calls of the request's functions that the model wrote as text: they become tool calls;
    - the arguments of tool calls, made to fit the parameters of their function, and a near miss of a name.

    `parse` validates after that. In streams of chat completions, and in `chat.completions.stream`, calls written as
    text become tool calls; their other parts, and streams of `responses`, pass as they are. So does what cannot be
    repaired, and, unless `unsure="accept"`, what may be incomplete. `client` itself is not changed.

        client = llmend.openai.repairing(openai.OpenAI())
    """
    kind = type(client)
    if issubclass(kind, _Repairing):
        kind = kind.__mro__[2]
    # The settings are the class's, since copies are of it: `client.with_options(timeout=5)`.
    name = f"Repairing{kind.__name__}"
    made: Any = type(name, (_Repairing, kind), {"_how": How(policy, coerce, unsure), "__doc__": kind.__doc__})
    copied: Any = client.copy()
    copied.__class__ = made
    return copied  # type: ignore[no-any-return]


class _Repairing:
    """What repairs the answers to the requests that a client posts. Requests of an asynchronous client return what is
    awaited."""

    _how: ClassVar[How]

    def post(self, path: str, **request: Any) -> Any:
        repair, body = _REPAIRS.get(path), request.get("body")
        post: Any = super().post  # type: ignore[misc]
        if repair is None or not isinstance(body, Mapping):
            return post(path, **request)
        kind = request.get("stream_cls")
        if not request.get("stream"):
            options = request.get("options", {})
            request["options"] = {**options, "post_parser": self._parser(repair, body, options.get("post_parser"))}
        elif repair is repair_completion and kind is not None:
            made = async_stream if issubclass(get_origin(kind) or kind, openai.AsyncStream) else stream
            request["stream_cls"] = made(body, self._how)
        return post(path, **request)

    def _parser(
        self,
        repair: Callable[[Any, Mapping[str, Any], How], None],
        body: Mapping[str, Any],
        then: Callable[[Any], Any] | None,
    ) -> Callable[[Any], Any]:
        """Returns what repairs an answer before the client parses it."""

        def parse(answer: Any) -> Any:
            repair(answer, body, self._how)
            return then(answer) if then else answer

        return parse
