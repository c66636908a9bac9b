"""instructor with answers that are repaired: `pip install 'llmend[instructor]'`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from types import UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, overload

from llmend._answer import order, target
from llmend._llmend import CoerceOptions, Options
from llmend._repairs import How, Repairs, Unsure, missing
from llmend.openai import repairing

try:
    import instructor
    from instructor import AsyncInstructor, Instructor, Mode
    from instructor.dsl.iterable import IterableModel
    from pydantic import BaseModel
except ImportError as error:
    raise missing(__name__, "instructor", "instructor", error) from error

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

    from llmend._llmend import PolicyName

_CLASS = type

# Modes in which a list is the JSON of one text.
_TEXT = (Mode.JSON, Mode.MD_JSON, Mode.JSON_SCHEMA)


@overload
def from_openai(
    client: OpenAI,
    mode: Mode = Mode.TOOLS,
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    unsure: Unsure = "reject",
    **more: Any,
) -> Instructor: ...
@overload
def from_openai(
    client: AsyncOpenAI,
    mode: Mode = Mode.TOOLS,
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    unsure: Unsure = "reject",
    **more: Any,
) -> AsyncInstructor: ...
def from_openai(
    client: Any,
    mode: Mode = Mode.TOOLS,
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    unsure: Unsure = "reject",
    **more: Any,
) -> Any:
    """Returns what `instructor.from_openai` does, of which answers are repaired and coerced before they are validated, in
    all modes: JSON in any text, arguments of calls, and calls that the model wrote as text.

    What does not fit even so reaches instructor's retries as it was repaired; what cannot be repaired, and, unless
    `unsure="accept"`, what may be incomplete, as it is. In streams (`create_partial` and `create_iterable`), only calls written as text are repaired.
    Where the request has the schema of the type (tools, JSON Schema), answers are coerced to that, before any validator
    with `mode="before"` sees them.

        client = llmend.instructor.from_openai(openai.OpenAI(), instructor.Mode.JSON)
    """
    how = How(policy, coerce, unsure)
    made: Any = instructor.from_openai(repairing(client, policy=policy, coerce=coerce, unsure=unsure), mode=mode, **more)
    create: Callable[..., Any] = made.create_fn

    @lru_cache(maxsize=256)
    def known(type: Any, _order: Any) -> Any:
        return _repaired(type, mode, how)

    def fitted(*args: Any, response_model: Any = None, **request: Any) -> Any:
        if request.get("stream") or response_model is None:
            return create(*args, response_model=response_model, **request)
        return create(*args, response_model=known(response_model, order(response_model)), **request)

    made.create_fn = fitted
    return made


def _repaired(type: Any, mode: Mode, how: How) -> Any:
    """Returns a type of which each model repairs the text that it validates."""
    origin, args = get_origin(type), get_args(type)
    if _is_model(type):
        return _model(type, how)
    if origin in (list, Iterable) and mode in _TEXT and len(args) == 1 and _is_model(args[0]):
        return _model(IterableModel(args[0]), how)
    if origin in (Union, UnionType) or origin is Iterable:
        made = tuple(_repaired(arg, mode, how) for arg in args)
        return Union[made] if origin is UnionType else origin[made]
    return type


def _is_model(type: Any) -> bool:
    return isinstance(type, _CLASS) and issubclass(type, BaseModel)


def _model(model: Any, how: How) -> Any:
    schema = target(model)[0]
    repairs = Repairs(None, how)

    def model_validate_json(cls: Any, /, json_data: str | bytes | bytearray, **options: Any) -> Any:
        text = json_data if isinstance(json_data, str) else bytes(json_data).decode()
        return super(made, cls).model_validate_json(repairs.json(text, schema), **options)

    names = {
        "__module__": model.__module__,
        "__qualname__": model.__qualname__,
        "__doc__": model.__doc__,
        "model_validate_json": classmethod(model_validate_json),
    }
    made: Any = model.__class__(model.__name__, (model,), names)
    return made
