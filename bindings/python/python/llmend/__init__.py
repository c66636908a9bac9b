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
| a column of answers | `repair_batch`, `llmend.pandas`, `llmend.polars`, `llmend.duckdb`, `llmend.spark`, `llmend.ray` |
| what `json_repair` gives | `llmend.compat.json_repair` |

Spans are in code points: `text[span.start:span.end]` is what stands there. All functions may be called
from several threads; longer texts are worked on without the interpreter's lock.
"""

from llmend._answer import parse, repair
from llmend._errors import (
    LlmendError,
    PlanError,
    RepairError,
    SchemaError,
    SettingError,
    UnfitError,
    UnsureError,
)
from llmend._llmend import (
    ArrowArray,
    ArrowStream,
    Catalog,
    Coercing,
    Options,
    PlanOptions,
    Schema,
    __version__,
    loads,
    repair_batch,
)
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
    "ArrowArray",
    "ArrowStream",
    "Catalog",
    "Class",
    "Coercing",
    "Coercion",
    "Diagnostic",
    "Edit",
    "Event",
    "Item",
    "Items",
    "LlmendError",
    "Options",
    "Outcome",
    "Patch",
    "Plan",
    "PlanError",
    "PlanOptions",
    "Repair",
    "RepairError",
    "Repaired",
    "Report",
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
    "View",
    "Violation",
    "Workflow",
    "Written",
    "__version__",
    "loads",
    "parse",
    "partial_type",
    "repair",
    "repair_batch",
    "review",
]
