"""Turn what a language model wrote into what was asked for, or learn exactly why not.

>>> import llmend
>>> llmend.loads("Sure! {'city': 'Oslo', 'people': 717710,}")
{'city': 'Oslo', 'people': 717710}

| you want | call |
|---|---|
| the value | `loads` |
| the value, and what was done to the text | `parse` |
| a pydantic model, a dataclass, a TypedDict, or what a JSON Schema asks for | `parse(text, type)` |
| JSON text | `repair` |
| the value while it is being written | `Stream`, `Items` |
| a plan or workflow in any dialect, checked | `Plan.read`, `Workflow.read`, `review` |
| a value or a plan of a model, asked again until it can be used | `ask`, `ask_async`, `Planner` |
| a column of answers | `repair_batch`, `llmend.pandas`, `llmend.polars`, `llmend.duckdb`, `llmend.spark`, `llmend.ray` |
| what `json_repair` gives | `llmend.compat.json_repair` |

Spans are in code points: `text[span.start:span.end]` is what stands there. All functions may be called
from several threads; longer texts are worked on without the interpreter's lock.
"""

from llmend._answer import parse, repair
from llmend._asking import Answered, Planned, Planner, ask, ask_async
from llmend._batch import repair_batch
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
from llmend._ledger import Again, Asking, Attempt, Ledger, Usage
from llmend._llmend import (
    ArrowArray,
    ArrowStream,
    AskOptions,
    Catalog,
    Coercing,
    Options,
    PlanOptions,
    Schema,
    __version__,
    loads,
)
from llmend._models import Model, ModelError, OpenAIModel, Reply, Request
from llmend._partial import partial_type
from llmend._plan import Patch, Plan, Review, TaskResult, Workflow, Written, review
from llmend._records import (
    Class,
    Coercion,
    Diagnostic,
    Edit,
    Outcome,
    Repair,
    Repaired,
    Report,
    Severity,
    Span,
    Status,
    Violation,
)
from llmend._stream import Event, Item, Items, State, Stream, View

__all__ = [
    "Again",
    "Answered",
    "ArrowArray",
    "ArrowStream",
    "AskError",
    "AskOptions",
    "Asking",
    "Attempt",
    "Catalog",
    "Class",
    "Coercing",
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
    "PlanError",
    "PlanOptions",
    "Planned",
    "Planner",
    "Repair",
    "RepairError",
    "Repaired",
    "Reply",
    "Report",
    "Request",
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
    "UnfitError",
    "UnsureError",
    "Usage",
    "View",
    "Violation",
    "Workflow",
    "Written",
    "__version__",
    "ask",
    "ask_async",
    "loads",
    "parse",
    "partial_type",
    "repair",
    "repair_batch",
    "review",
]
