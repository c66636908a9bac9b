//! Sentences of the loop's prompts and errors.
//!
//! The prompts themselves are files: see [`prompts`](crate::prompts).

/// The kinds of failure, as a model is told them.
pub(crate) const NO_JSON: &str = "it contains no JSON";
pub(crate) const SYNTAX: &str = "its JSON cannot be read";
pub(crate) const TRUNCATION: &str = "it was cut off";
pub(crate) const LOSS: &str = "a part of it is not JSON and would be lost";
pub(crate) const SCHEMA: &str = "its value is not what was asked for";
pub(crate) const STRUCTURE: &str = "its plan is structurally invalid";

/// A continuation whose position in the answer is unclear.
pub(crate) const NO_CONTINUATION: &str =
    "it does not continue where the answer stops, or may repeat a part of it";
/// A refused answer.
pub(crate) const REFUSED: &str = "the model refused to answer";
/// A part of an answer that was cut off.
pub(crate) const PART_CUT: &str = "the answer was cut off before it was complete";
/// An answer that may be incomplete.
pub(crate) const BROKEN_OFF: &str =
    "the answer is incomplete: it broke off, or the rest of it could not be read";

/// An answer that is incomplete for a known reason.
pub(crate) fn broken_off(reason: &str) -> String {
    format!("the answer is incomplete: {reason}")
}

/// An answer without any of the requested parts.
pub(crate) fn not_given(parts: usize) -> String {
    match parts {
        1 => "it lacks the requested part".to_owned(),
        parts => format!("it lacks all {parts} requested parts"),
    }
}

/// A requested value and its name.
pub(crate) fn wanted(name: &str, path: &str) -> String {
    format!("- \"{name}\": the value at {path}")
}

/// A member to be removed and its name.
pub(crate) fn unwanted(name: &str, path: &str) -> String {
    format!("- \"{name}\": null, to remove the member at {path}")
}
