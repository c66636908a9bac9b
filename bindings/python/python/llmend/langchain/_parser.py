"""The output parser."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, overload

from langchain_core.exceptions import OutputParserException
from langchain_core.messages import BaseMessage
from langchain_core.output_parsers import BaseTransformOutputParser
from pydantic import ConfigDict

from llmend import _llmend
from llmend._answer import asked_for, is_schema, parse
from llmend._errors import LlmendError
from llmend._llmend import CoerceOptions, Options, Schema
from llmend._outcome import Outcome
from llmend._repairs import UnsureRaises, findings
from llmend._stream import Stream

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from typing_extensions import TypeForm

    from llmend._answer import Json
    from llmend._llmend import PolicyName

_T = TypeVar("_T")

_ONLY_JSON = "Answer with one JSON value only, without any other text."
_NOTHING = object()


class LlmendOutputParser(BaseTransformOutputParser[_T]):
    """An output parser in place of `JsonOutputParser` and `PydanticOutputParser`: it repairs the answer, coerces it to
    `type`, and streams.

    `type` is anything that `llmend.parse` accepts, or omitted for any JSON. In a stream, every value but the last is
    a partial one: for a type, that of `llmend.partial_type`, which has all fields optional. The last is that of
    `invoke`. Raises `OutputParserException`, whose `observation` has the findings, if there is no such value, or, with
    `unsure="raise"`, if it may be incomplete.

    >>> from pydantic import BaseModel
    >>> class City(BaseModel):
    ...     name: str
    ...     people: int
    >>> parser = LlmendOutputParser(City)
    >>> parser.invoke("Gladly: {'Name': 'Oslo', 'people': '717710',}")
    City(name='Oslo', people=717710)
    >>> for city in parser.transform(iter(['{"name": "Os', 'lo", "peo', 'ple": 717710,}'])):
    ...     print(repr(city))
    PartialCity(name='Os', people=None)
    PartialCity(name='Oslo', people=None)
    PartialCity(name='Oslo', people=717710)
    City(name='Oslo', people=717710)
    """

    type: Any = None
    """What the value should be."""
    policy: Any = None
    """As in `llmend.parse`."""
    coerce: CoerceOptions | None = None
    """As in `llmend.parse`."""
    unsure: UnsureRaises = "raise"
    """Whether a value that may be incomplete raises."""

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")
    """pydantic's settings of the parser itself."""

    @overload
    def __init__(
        self: LlmendOutputParser[Any],
        type: None = None,
        *,
        policy: PolicyName | Options | None = None,
        unsure: UnsureRaises = "raise",
        **more: Any,
    ) -> None: ...
    @overload
    def __init__(
        self,
        type: TypeAdapter[_T],
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
        unsure: UnsureRaises = "raise",
        **more: Any,
    ) -> None: ...
    @overload
    def __init__(
        self: LlmendOutputParser[Any],
        type: Json | Schema,
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
        unsure: UnsureRaises = "raise",
        **more: Any,
    ) -> None: ...
    @overload
    def __init__(
        self,
        type: TypeForm[_T],
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
        unsure: UnsureRaises = "raise",
        **more: Any,
    ) -> None: ...
    def __init__(self, type: Any = None, **more: Any) -> None:
        options: dict[str, Any] = {"type": type, **more}
        super().__init__(**options)
        _llmend.check_options(policy=self.policy, coerce=self.coerce)

    @property
    def OutputType(self) -> Any:
        """The type of the value."""
        return Any if self.type is None or is_schema(self.type) or not isinstance(self.type, type) else self.type

    @property
    def _type(self) -> str:
        return "llmend"

    def parse(self, text: str) -> _T:
        """Parses a whole answer."""
        try:
            outcome: Outcome[_T] = parse(text, self.type, **self._options())
            return self._accepted(outcome)
        except LlmendError as error:
            raise _exception(error, text) from error

    def get_format_instructions(self) -> str:
        """Returns what a prompt should say."""
        if self.type is None:
            return _ONLY_JSON
        schema = json.dumps(json.loads(asked_for(self.type)[0]), ensure_ascii=False)
        return f"{_ONLY_JSON} It has to fit this JSON Schema:\n{schema}"

    def _transform(self, input: Iterator[str | BaseMessage]) -> Iterator[_T]:
        reader = _Reader(self)
        for chunk in input:
            yield from reader.push(chunk)
        yield from reader.end()

    async def _atransform(self, input: AsyncIterator[str | BaseMessage]) -> AsyncIterator[_T]:
        reader = _Reader(self)
        async for chunk in input:
            for value in reader.push(chunk):
                yield value
        for value in reader.end():
            yield value

    def _options(self) -> dict[str, Any]:
        coerce = {} if self.type is None else {"coerce": self.coerce}
        return {"policy": self.policy, **coerce}

    def _accepted(self, outcome: Outcome[_T]) -> _T:
        return outcome.value if self.unsure == "accept" else outcome.sure()


class _Reader:
    """One answer that is arriving."""

    def __init__(self, parser: LlmendOutputParser[Any]) -> None:
        self._parser = parser
        self._stream: Stream[Any] = Stream(parser.type, **parser._options())
        self._pieces: list[str] = []
        self._last: Any = _NOTHING

    def push(self, chunk: str | BaseMessage) -> Iterator[Any]:
        piece = chunk if isinstance(chunk, str) else str(chunk.text)
        if not piece:
            return
        self._pieces.append(piece)
        self._stream.push(piece)
        value = self._stream.partial()
        if value is not None:
            yield from self._new(value)

    def end(self) -> Iterator[Any]:
        try:
            value = self._parser._accepted(self._stream.finish())
        except LlmendError as error:
            raise _exception(error, "".join(self._pieces)) from error
        yield from self._new(value)

    def _new(self, value: Any) -> Iterator[Any]:
        # `True` equals 1, and is not the same.
        if self._last is _NOTHING or value != self._last or value.__class__ is not self._last.__class__:
            self._last = value
            yield value


def _exception(error: LlmendError, text: str) -> OutputParserException:
    return OutputParserException(error, observation=findings(error), llm_output=text)
