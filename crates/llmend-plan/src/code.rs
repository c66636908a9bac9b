//! Which problems can a plan have? Their stable codes.

/// A field that the dialect requires is not there.
pub const MISSING_FIELD: &str = "plan/missing-field";

/// A field that the dialect does not know: refused where it forbids those, and where the name is
/// a near miss of a field that is absent; kept as metadata otherwise, with a warning.
pub const UNKNOWN_FIELD: &str = "plan/unknown-field";

/// A field, or the plan itself, is of another type than the dialect says.
pub const WRONG_TYPE: &str = "plan/wrong-type";

/// The text holds several documents where one plan is wanted. Only who knows how the value was come
/// by can tell; from the value alone it is an array, and so of the wrong type.
pub const SEVERAL_DOCUMENTS: &str = "plan/several-documents";

/// There are no steps, though the dialect wants at least one.
pub const EMPTY: &str = "plan/empty";

/// Something within `inputs` or metadata that the plan cannot carry as it was written: a number's
/// text, an earlier value of a key that stands twice, the order of keys, depth.
pub const NOT_CARRIED: &str = "plan/not-carried";

/// The workflow says something that a plan cannot say.
pub const NOT_A_PLAN: &str = "workflow/not-a-plan";

/// A step is of a type that there is not.
pub const UNKNOWN_TYPE: &str = "plan/unknown-type";

/// A step is of a type that is switched off.
pub const DISABLED_TYPE: &str = "plan/disabled-type";

/// A step uses a tool that the catalog does not have.
pub const UNKNOWN_TOOL: &str = "plan/unknown-tool";

/// A step's tool was read as the one tool whose name its name is a slip of.
pub const TOOL_RENAMED: &str = "plan/tool-renamed";

/// A condition compares in a way that there is not.
pub const UNKNOWN_OPERATOR: &str = "plan/unknown-operator";

/// An edge has a label that there is not.
pub const UNKNOWN_OUTPUT: &str = "plan/unknown-output";

/// There are steps, and none can be used.
pub const NO_VALID_STEP: &str = "plan/no-valid-step";

/// There are more steps, nodes or edges than are read.
pub const TOO_MANY: &str = "plan/too-many";

/// What leads to a step that was left out is left out too.
pub const LEFT_OUT: &str = "plan/left-out";

/// What led to a step that was left out leads to what comes after it.
pub const BRIDGED: &str = "plan/bridged";

/// An edge leads from or to a node that there is not, and is left out.
pub const DANGLING_EDGE: &str = "plan/dangling-edge";

/// No step has an id, and they are numbered from 1.
pub const NUMBERED: &str = "plan/numbered";

/// An edge to a marker for the end of the flow, which is no node.
pub const END_MARKER: &str = "plan/end-marker";

/// Keys that the dialect has no use for, and that are left aside.
pub const LEFT_ASIDE: &str = "plan/left-aside";

/// The answer is something else than what was asked for: a patch instead of a plan.
pub const ANOTHER_DOCUMENT: &str = "plan/another-document";

/// What the arguments of a call say within a text had to be mended.
pub const MENDED_ARGUMENTS: &str = "plan/mended-arguments";

/// A text in a dialect that is no JSON has a line that cannot be read.
pub const UNREADABLE_LINE: &str = "plan/unreadable-line";

/// A task's report has a status that there is not.
pub const UNKNOWN_STATUS: &str = "task/unknown-status";
