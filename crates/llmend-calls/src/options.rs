//! Options of reading.

use llmend_json::choice;
use serde::{Deserialize, Serialize};

use crate::Notation;

choice! {
    /// Which texts count as calls.
    #[derive(Default)]
    Accept {
        /// Marked calls, and unmarked ones if there is enough evidence.
        #[default]
        Auto = "auto",
        /// Only calls between the markers of a notation.
        Marked = "marked",
    }
}

choice! {
    /// Whether calls inside reasoning count.
    #[derive(Default)]
    InReasoning {
        /// They are drafts. A warning reports a marked call that nothing follows.
        #[default]
        Ignore = "ignore",
        /// They count like any other.
        Accept = "accept",
    }
}

/// Options of [`read`](crate::read) and [`CallStream`](crate::CallStream).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Which texts count as calls.
    pub accept: Accept,
    /// The notation that the model is known to use. Calls of its family without marks then count as
    /// labelled ones do: also between paragraphs. Other notations are read as ever.
    pub notation: Option<&'static Notation>,
    /// Whether calls inside reasoning count.
    pub in_reasoning: InReasoning,
    /// How JSON is repaired. The search and choice of values are the reader's own.
    pub json: llmend_json::Options,
    /// How arguments are coerced to the schemas of the tools.
    pub schema: llmend_schema::Options,
}
