"""Turns the output of language models into the values that a program needs, or says exactly why not.

>>> import llmend
>>> llmend.loads("Sure! {'city': 'Oslo', 'people': 717710,}")
{'city': 'Oslo', 'people': 717710}

| to get | call |
|---|---|
| the value | `loads` |
| the value and a report of all repairs | `parse` |
| a pydantic model, a dataclass, a TypedDict, or a value that fits a JSON Schema | `parse(text, type)` |
| JSON text | `repair` |
| the value while the text arrives | `Stream`, `Items` |
| the tool calls, in any model's notation | `calls`, `CallStream` |
| a plan or workflow in any dialect, checked | `Plan.read`, `Workflow.read`, `review` |
| a valid value or plan from a model, with retries | `ask`, `ask_async`, `Planner` |
| a column of answers | `repair_batch`, `llmend.pandas`, `llmend.polars`, `llmend.duckdb`, `llmend.spark`, `llmend.ray` |
| a drop-in replacement for `json_repair` | `llmend.json_repair` |

Spans count code points: `text[span.start:span.end]` is the spanned text. All functions are thread-safe;
longer texts are processed without holding the GIL.
"""

from importlib import import_module

from llmend._llmend import (
    ArrowArray,
    ArrowStream,
    AskOptions,
    Catalog,
    CoerceOptions,
    Options,
    PlanOptions,
    Schema,
    __version__,
    loads,
)

# What is written in Python is loaded when it is used: an import costs what `loads` needs.
_NAMES = {
    "_answer": ["parse", "repair"],
    "_asking": ["PlanAnswer", "Planner", "ValueAnswer", "ask", "ask_async"],
    "_batch": ["repair_batch"],
    "_calls": [
        "AllReasoning",
        "ArgumentsDelta",
        "CallAbandoned",
        "CallDone",
        "CallEvent",
        "CallRefused",
        "CallStarted",
        "CallStream",
        "Calls",
        "ReasoningDelta",
        "RefusedCall",
        "TextDelta",
        "ToolCall",
        "calls",
    ],
    "_errors": [
        "AskError",
        "LlmendError",
        "PlanError",
        "RepairError",
        "SchemaError",
        "SettingError",
        "UnfitError",
        "UnsureError",
    ],
    "_ledger": ["Attempt", "AttemptRequest", "Ledger", "RetryNotice", "Usage"],
    "_models": ["Model", "ModelError", "OpenAIModel", "Reply", "Request"],
    "_outcome": ["Outcome", "Repaired"],
    "_partial": ["partial_type"],
    "_plan": ["Patch", "Plan", "Review", "TaskResult", "Workflow", "Written", "review"],
    "_records": ["Class", "Coercion", "Diagnostic", "Edit", "Repair", "Report", "Severity", "Span", "Status", "Violation"],
    "_stream": ["Event", "Item", "Items", "State", "Stream", "View"],
    "_tools": ["Tools"],
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "ArrowArray",
    "ArrowStream",
    "AskOptions",
    "Catalog",
    "CoerceOptions",
    "Options",
    "PlanOptions",
    "Schema",
    "__version__",
    "loads",
    *_MODULES,
]


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
