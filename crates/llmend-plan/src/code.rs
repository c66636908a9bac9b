//! Which problems can be found while a plan is read? Their stable codes, in one table.

use llmend_json::Severity;

use crate::check::Listed;

/// Makes a constant of each code, and the table of all of them.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal, $severity:ident;)+) => {
        $($(#[doc = $doc])+ pub const $name: &str = $code;)+

        /// Every code that reading and writing may give, in the order of this file. The severity is
        /// the gravest that it has.
        pub const READING: &[Listed] = &[
            $(Listed { code: $code, severity: Severity::$severity, about: concat!($($doc),+) }),+
        ];
    };
}

codes! {
    /// A field that the dialect requires is not there.
    MISSING_FIELD = "plan/missing-field", Error;

    /// A field that the dialect does not know: refused where it forbids those, and where the name is
    /// a near miss of a field that is absent; kept as metadata otherwise, with a warning.
    UNKNOWN_FIELD = "plan/unknown-field", Error;

    /// A field, or the plan itself, is of another type than the dialect says.
    WRONG_TYPE = "plan/wrong-type", Error;

    /// The text holds several documents where one plan is wanted. Only who knows how the value was come
    /// by can tell; from the value alone it is an array, and so of the wrong type.
    SEVERAL_DOCUMENTS = "plan/several-documents", Error;

    /// There are no steps, though the dialect wants at least one.
    EMPTY = "plan/empty", Error;

    /// Something within `inputs` or metadata that the plan cannot carry as it was written: a number or
    /// its text, an earlier value of a key that stands twice, the order of keys, depth.
    NOT_CARRIED = "plan/not-carried", Error;

    /// The workflow says something that a plan cannot say.
    NOT_A_PLAN = "workflow/not-a-plan", Error;

    /// A step is of a type that there is not.
    UNKNOWN_TYPE = "plan/unknown-type", Error;

    /// A step is of a type that is switched off.
    DISABLED_TYPE = "plan/disabled-type", Error;

    /// A step uses a tool that the catalog does not have.
    UNKNOWN_TOOL = "plan/unknown-tool", Error;

    /// A step's tool was read as the one tool whose name its name is a slip of.
    TOOL_RENAMED = "plan/tool-renamed", Warning;

    /// A condition compares in a way that there is not.
    UNKNOWN_OPERATOR = "plan/unknown-operator", Error;

    /// An edge has a label that there is not.
    UNKNOWN_OUTPUT = "plan/unknown-output", Error;

    /// There are steps, and none can be used.
    NO_VALID_STEP = "plan/no-valid-step", Error;

    /// There are more steps, nodes or edges than are read.
    TOO_MANY = "plan/too-many", Error;

    /// What leads to a step that was left out is left out too.
    LEFT_OUT = "plan/left-out", Warning;

    /// What led to a step that was left out leads to what comes after it.
    BRIDGED = "plan/bridged", Warning;

    /// An edge leads from or to a node that there is not, and is left out.
    DANGLING_EDGE = "plan/dangling-edge", Error;

    /// No step has an id, and they are numbered from 1.
    NUMBERED = "plan/numbered", Warning;

    /// An edge to a marker for the end of the flow, which is no node.
    END_MARKER = "plan/end-marker", Info;

    /// Keys that the dialect has no use for, and that are left aside.
    LEFT_ASIDE = "plan/left-aside", Warning;

    /// The answer is something else than what was asked for: a patch instead of a plan.
    ANOTHER_DOCUMENT = "plan/another-document", Error;

    /// What the arguments of a call say within a text had to be mended.
    MENDED_ARGUMENTS = "plan/mended-arguments", Warning;

    /// An argument was made to fit what the tool takes.
    COERCED_ARGUMENTS = "plan/coerced-arguments", Warning;

    /// A text in a dialect that is no JSON has a line that cannot be read.
    UNREADABLE_LINE = "plan/unreadable-line", Error;

    /// A task's report has a status that there is not.
    UNKNOWN_STATUS = "task/unknown-status", Error;
}
