//! Capabilities of a model, and ways of asking for structured output.

use serde::{Deserialize, Serialize};

/// What a model is known to support.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Capabilities {
    /// The best way of asking for structured output that the model is not known to refuse.
    pub output: OutputMode,
}

impl Capabilities {
    /// Returns the capabilities of a model that is best asked in this way.
    #[must_use]
    pub const fn with_output(output: OutputMode) -> Self {
        Self { output }
    }
}

/// A way of asking for structured output, ordered from weakest to strongest.
///
/// A server that accepts a schema does not necessarily enforce it: every answer has to be read like any
/// other.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OutputMode {
    /// Words in the prompt only.
    #[default]
    Prompt,
    /// A forced call of a tool whose arguments are the answer.
    ForcedTool,
    /// The provider's JSON mode; the schema is in the prompt.
    JsonObject,
    /// A schema in the request.
    JsonSchema,
}

impl OutputMode {
    /// Every mode, strongest first: the order in which they are tried.
    pub const BEST_FIRST: [Self; 4] =
        [Self::JsonSchema, Self::JsonObject, Self::ForcedTool, Self::Prompt];

    /// Returns the name used in records and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::ForcedTool => "forced-tool",
            Self::JsonObject => "json-object",
            Self::JsonSchema => "json-schema",
        }
    }
}
