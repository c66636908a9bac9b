"""Repairs of the parts of an answer, for the modules about clients and frameworks."""

from __future__ import annotations

import json
import uuid
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from llmend import _llmend
from llmend._answer import asked_schema
from llmend._calls import Calls, ToolCall, calls
from llmend._errors import LlmendError, SchemaError
from llmend._llmend import CoerceOptions, Options, Schema
from llmend._tools import Tools

if TYPE_CHECKING:
    from llmend._llmend import PolicyName

Unsure = Literal["reject", "accept"]
"""What becomes of a value that may be incomplete: it counts as not repaired, or is used."""

UnsureRaises = Literal["raise", "accept"]
"""What becomes of a value that may be incomplete: an exception is raised, or it is used."""


def is_accepted(unsure: str, *, otherwise: Literal["raise", "reject"] = "reject") -> bool:
    """Returns whether a value that may be incomplete is used. Raises `ValueError` for an unknown word."""
    if unsure not in (otherwise, "accept"):
        raise ValueError(f"unsure: unknown value `{unsure}`, expected one of: {otherwise}, accept")
    return unsure == "accept"


@dataclass(frozen=True, slots=True)
class How:
    """How answers are repaired."""

    policy: PolicyName | Options | None = None
    coerce: CoerceOptions | None = None
    unsure: Unsure = "reject"

    def __post_init__(self) -> None:
        is_accepted(self.unsure)
        _llmend.check_options(policy=self.policy, coerce=self.coerce)


class Repairs:
    """Repairs the parts of one answer. What cannot be repaired is returned as it is; what is repaired and does not fit, as
    it is repaired, so that who validates it next names what is wrong with it."""

    def __init__(self, tools: Any, how: How) -> None:
        self.how = how
        self.tools: Tools | None = None
        """The tools that the model was offered; `None` if it was offered none, or they cannot be read."""
        if tools:
            try:
                self.tools = Tools(tools)
            except SchemaError as error:
                _warn(f"tool calls are not repaired: {error}")

    def json(self, text: str, schema: Any = None) -> str:
        """Returns the JSON in a text, repaired, and made to fit the schema as far as it does if there is one."""
        how = self.how
        asked = None if schema is None else _usable(schema)
        try:
            if asked is None:
                made, told = _llmend.repair(text, policy=how.policy)
            else:
                made, told = _llmend.fit(text, asked, policy=how.policy, coerce=how.coerce)
        except LlmendError:
            return text
        return made if self._is_sure(told) and _is_of_kind(told) else text

    def call(self, name: str, arguments: str) -> ToolCall | None:
        """Returns a call with its name and arguments made to fit its tool; `None` if they do not."""
        if self.tools is None:
            return None
        try:
            made, told = _llmend.repair(arguments if arguments.strip() else "{}", policy=self.how.policy)
        except LlmendError:
            return None
        if not self._is_sure(told):
            return None
        # In strict JSON, this character is inside strings only.
        inner = f'{{"name": {json.dumps(name)}, "arguments": {made}}}'.replace("<", "\\u003c")
        found = self._read(f"<tool_call>{inner}</tool_call>", marked=True)
        return found[0] if len(found) == 1 and found.usable else None

    def calls(self, text: str) -> Calls | None:
        """Returns what is read of a text with calls, or with reasoning; `None` if there is neither."""
        if self.tools is None or not text.strip():
            return None
        found = self._read(text)
        return found if found or found.reasoning else None

    def _read(self, text: str, *, marked: bool = False) -> Calls:
        return calls(text, self.tools, policy=self.how.policy, coerce=self.how.coerce, marked=marked)

    def _is_sure(self, told: _llmend.LazyReport) -> bool:
        return self.how.unsure == "accept" or not told.unsure


def _usable(schema: Any) -> Schema | None:
    try:
        return asked_schema(schema)
    except SchemaError as error:
        _warn(f"answers are repaired without their schema: {error}")
        return None


def _warn(message: str) -> None:
    warnings.warn(f"llmend: {message}", RuntimeWarning, stacklevel=2)


def _is_of_kind(told: _llmend.LazyReport) -> bool:
    """Returns whether a value may be meant to fit its schema. A list in a sentence, where an object is wanted, is not."""
    return told.fits or not any(row["keyword"] == "type" and not row["path"] for row in told.rows()["violations"])


def text_of(found: Calls) -> str:
    """Returns the text for the user: what is around the calls, and what is none."""
    return found.text + "".join(refused.text for refused in found.refused)


def findings(error: LlmendError) -> str:
    """Returns what a model has to know of an answer that was refused: a finding a line."""
    rows = [f"{row.path}: {row.message}" if row.path else row.message for row in error.diagnostics]
    return "\n".join(rows) or str(error)


def new_id() -> str:
    """Returns an id for a call."""
    return f"call_{uuid.uuid4().hex}"


def missing(module: str, package: str, extra: str, error: ImportError) -> ImportError:
    """Returns the error of a module whose package is missing."""
    return ImportError(f"{module} needs the package {package}: pip install 'llmend[{extra}]' ({error})")
