//! Codes of findings, with their severity and scope.

use llmend_json::Severity;

/// A code that findings may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CodeRow {
    /// The stable code.
    pub(crate) code: &'static str,
    /// The highest severity of its findings.
    pub(crate) severity: Severity,
    /// What it reports, in a sentence or a few words.
    pub(crate) about: &'static str,
    /// Whether its findings are fixed where they are reported, by another value in that place.
    pub(crate) local: bool,
    /// Whether its findings hold even if other steps, nodes or edges could not be read. The other
    /// findings report that something is missing or insufficient.
    pub(crate) standalone: bool,
    /// What becomes of its findings in another tool's workflow ([`Dialect::is_foreign`]).
    ///
    /// [`Dialect::is_foreign`]: crate::Dialect::is_foreign
    pub(crate) elsewhere: Elsewhere,
}

/// What becomes of a finding in another tool's workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elsewhere {
    /// It is reported as it is.
    Same,
    /// It is a warning: the tool allows what a workflow of llmend does not.
    Warning,
    /// It is not reported: the tool has a notation of its own.
    Unreported,
}

impl CodeRow {
    pub(crate) const fn new(code: &'static str, severity: Severity, about: &'static str) -> Self {
        Self { code, severity, about, local: false, standalone: false, elsewhere: Elsewhere::Same }
    }

    pub(crate) const fn error(code: &'static str, about: &'static str) -> Self {
        Self::new(code, Severity::Error, about)
    }

    pub(crate) const fn warning(code: &'static str, about: &'static str) -> Self {
        Self::new(code, Severity::Warning, about)
    }

    /// Marks the findings as local.
    pub(crate) const fn local(self) -> Self {
        Self { local: true, ..self }
    }

    /// Marks the findings as standalone.
    pub(crate) const fn standalone(self) -> Self {
        Self { standalone: true, ..self }
    }

    /// Sets what becomes of the findings in another tool's workflow.
    pub(crate) const fn elsewhere(self, elsewhere: Elsewhere) -> Self {
        Self { elsewhere, ..self }
    }
}

/// A dependency names an unknown step; reported by a check, and where the steps behind are stated.
pub(crate) const UNKNOWN_DEPENDENCY: &str = "plan/unknown-dependency";

/// Defines a constant for each code, and the table of all codes.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal, $severity:ident $(, $scope:ident)?;)+) => {
        $($(#[doc = $doc])+ pub const $name: &str = $code;)+

        /// The codes reported while reading and writing, in the order of this file.
        pub(crate) const READING: &[CodeRow] = &[
            $(CodeRow::new($code, Severity::$severity, concat!($($doc),+))$(.$scope())?),+
        ];
    };
}

codes! {
    /// A field that the dialect requires is missing.
    MISSING_FIELD = "plan/missing-field", Error, local;

    /// A field that the dialect does not know: an error if the dialect forbids unknown fields, or if
    /// the name is a near miss of a missing field; otherwise a warning, and the field becomes metadata.
    UNKNOWN_FIELD = "plan/unknown-field", Error;

    /// A field, or the plan itself, has the wrong type.
    WRONG_TYPE = "plan/wrong-type", Error, local;

    /// The text holds several documents instead of one plan. Only callers that know how the value was
    /// extracted report this; the value alone is an array of the wrong type.
    SEVERAL_DOCUMENTS = "plan/several-documents", Error;

    /// The plan has no steps, but the dialect requires at least one.
    EMPTY = "plan/empty", Error;

    /// Part of `inputs` or metadata cannot be represented as written: a number or its text, an earlier
    /// value of a duplicate key, or nesting that is too deep.
    NOT_CARRIED = "plan/not-carried", Error;

    /// The workflow cannot be represented as a plan.
    NOT_A_PLAN = "workflow/not-a-plan", Error;

    /// A step has an unknown type.
    UNKNOWN_TYPE = "plan/unknown-type", Error, local;

    /// A step has a disabled type.
    DISABLED_TYPE = "plan/disabled-type", Error;

    /// A step uses a tool that is not in the catalog.
    UNKNOWN_TOOL = "plan/unknown-tool", Error, local;

    /// A misspelled tool name was read as the only similar tool.
    TOOL_RENAMED = "plan/tool-renamed", Warning;

    /// A condition has an unknown operator.
    UNKNOWN_OPERATOR = "plan/unknown-operator", Error, local;

    /// An edge has an unknown label.
    UNKNOWN_OUTPUT = "plan/unknown-output", Error, local;

    /// None of the steps can be used.
    NO_VALID_STEP = "plan/no-valid-step", Error;

    /// There are more steps, nodes or edges than the limit.
    TOO_MANY = "plan/too-many", Error;

    /// A dependency or edge to an omitted step is omitted too.
    LEFT_OUT = "plan/left-out", Warning;

    /// Predecessors of an omitted step are connected to its successors.
    BRIDGED = "plan/bridged", Warning;

    /// An edge refers to an unknown node and is omitted.
    DANGLING_EDGE = "plan/dangling-edge", Error;

    /// No step has an id; the steps are numbered from 1.
    NUMBERED = "plan/numbered", Warning;

    /// An edge leads to a marker for the end of the flow, which is not a node.
    END_MARKER = "plan/end-marker", Info;

    /// Text or keys that the dialect does not use are ignored.
    LEFT_ASIDE = "plan/left-aside", Warning;

    /// The answer is a document of another kind than expected, such as a patch instead of a plan.
    ANOTHER_DOCUMENT = "plan/another-document", Error;

    /// The answer is in a known form of plan that is not read: a BPMN diagram, a GitHub Actions workflow.
    UNREAD_FORM = "plan/unread-form", Error;

    /// The arguments of a call, written as text, had to be repaired.
    MENDED_ARGUMENTS = "plan/mended-arguments", Warning;

    /// A step is the text of a tool call, which was not read: it names no tool.
    QUOTED_CALL = "plan/quoted-call", Error, local;

    /// An argument was coerced to the tool's schema.
    COERCED_ARGUMENTS = "plan/coerced-arguments", Warning;

    /// Part of another tool's workflow is not part of the flow: error handling, an input of a node, a
    /// note. It is kept as metadata, or only reported.
    NOT_IN_FLOW = "plan/not-in-flow", Warning;

    /// A condition is text instead of a comparison; the workflow compares the text with the answer.
    TEXT_CONDITION = "plan/text-condition", Warning;

    /// A node was added for a branch, or for the end of a loop, that has no node of its own.
    ADDED_NODE = "plan/added-node", Info;

    /// The looks of a drawing, such as colors and the kinds of lines, are ignored.
    LOOKS = "plan/looks", Info;

    /// A line of a dialect that is not JSON cannot be read.
    UNREADABLE_LINE = "plan/unreadable-line", Error;

    /// A word without quotes is read as text; it may be the name of a variable.
    UNQUOTED = "plan/unquoted", Warning;

    /// A task result has an unknown status.
    UNKNOWN_STATUS = "task/unknown-status", Error;
}
