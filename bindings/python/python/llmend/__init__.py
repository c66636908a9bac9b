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
| a drop-in replacement for `json_repair` | `llmend.compat.json_repair` |

Spans count code points: `text[span.start:span.end]` is the spanned text. All functions are thread-safe;
longer texts are processed without holding the GIL.
"""

from llmend._answer import parse, repair
from llmend._asking import PlanAnswer, Planner, ValueAnswer, ask, ask_async
from llmend._batch import repair_batch
from llmend._calls import (
    AllReasoning,
    ArgumentsDelta,
    CallAbandoned,
    CallDone,
    CallEvent,
    CallRefused,
    Calls,
    CallStarted,
    CallStream,
    ReasoningDelta,
    RefusedCall,
    TextDelta,
    ToolCall,
    calls,
)
from llmend._errors import (
    AskError,
    LlmendError,
    PlanError,
    RepairError,
    SchemaError,
    SettingError,
    UnfitError,
    UnsureError,
)
from llmend._ledger import Attempt, AttemptRequest, Ledger, RetryNotice, Usage
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
from llmend._models import Model, ModelError, OpenAIModel, Reply, Request
from llmend._outcome import Outcome, Repaired
from llmend._partial import partial_type
from llmend._plan import Patch, Plan, Review, TaskResult, Workflow, Written, review
from llmend._records import (
    Class,
    Coercion,
    Diagnostic,
    Edit,
    Repair,
    Report,
    Severity,
    Span,
    Status,
    Violation,
)
from llmend._stream import Event, Item, Items, State, Stream, View
from llmend._tools import Tools

__all__ = [
    "AllReasoning",
    "ArgumentsDelta",
    "ArrowArray",
    "ArrowStream",
    "AskError",
    "AskOptions",
    "Attempt",
    "AttemptRequest",
    "CallAbandoned",
    "CallDone",
    "CallEvent",
    "CallRefused",
    "CallStarted",
    "CallStream",
    "Calls",
    "Catalog",
    "Class",
    "CoerceOptions",
    "Coercion",
    "Diagnostic",
    "Edit",
    "Event",
    "Item",
    "Items",
    "Ledger",
    "LlmendError",
    "Model",
    "ModelError",
    "OpenAIModel",
    "Options",
    "Outcome",
    "Patch",
    "Plan",
    "PlanAnswer",
    "PlanError",
    "PlanOptions",
    "Planner",
    "ReasoningDelta",
    "RefusedCall",
    "Repair",
    "RepairError",
    "Repaired",
    "Reply",
    "Report",
    "Request",
    "RetryNotice",
    "Review",
    "Schema",
    "SchemaError",
    "SettingError",
    "Severity",
    "Span",
    "State",
    "Status",
    "Stream",
    "TaskResult",
    "TextDelta",
    "ToolCall",
    "Tools",
    "UnfitError",
    "UnsureError",
    "Usage",
    "ValueAnswer",
    "View",
    "Violation",
    "Workflow",
    "Written",
    "__version__",
    "ask",
    "ask_async",
    "calls",
    "loads",
    "parse",
    "partial_type",
    "repair",
    "repair_batch",
    "review",
]
