//! Sentences of the loop's prompts and errors.
//!
//! The prompts themselves are files: see [`prompts`](crate::prompts).

/// The kinds of failure, as a model is told them.
pub(crate) const NO_JSON: &str = "there is no JSON in it";
pub(crate) const SYNTAX: &str = "its JSON cannot be read";
pub(crate) const TRUNCATION: &str = "it was cut off";
pub(crate) const LOSS: &str = "a part of it is no JSON and would get lost";
pub(crate) const SCHEMA: &str = "its value is not what was asked for";
pub(crate) const STRUCTURE: &str = "the plan that it holds does not hang together";

/// A continuation whose position in the answer is unclear.
pub(crate) const NO_CONTINUATION: &str =
    "it does not go on where the answer stops, or may repeat a part of it";
/// A refused answer.
pub(crate) const REFUSED: &str = "the model does not want to answer";
/// A part of an answer that was cut off.
pub(crate) const PART_CUT: &str = "the answer was cut off before it was complete";
/// An answer that may be incomplete.
pub(crate) const BROKEN_OFF: &str =
    "the answer did not arrive as a whole: it broke off, or the rest of it could not be read";

/// An answer without any of the requested parts.
pub(crate) fn not_given(parts: usize) -> String {
    match parts {
        1 => "the part that was asked for is not in it".to_owned(),
        parts => format!("none of the {parts} parts that were asked for is in it"),
    }
}

/// A requested value and its name.
pub(crate) fn wanted(name: &str, path: &str) -> String {
    format!("- \"{name}\": the value at {path}")
}

/// A member to be removed and its name.
pub(crate) fn unwanted(name: &str, path: &str) -> String {
    format!("- \"{name}\": null, so that the member at {path} goes")
}
