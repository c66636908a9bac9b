//! In which ways can a model be asked for structured output?

use serde::{Deserialize, Serialize};

/// What a model is known to be able to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Capabilities {
    /// The best way to ask it for structured output that is not known to be refused.
    pub output: OutputMode,
}

impl Capabilities {
    /// Those of a model that is best asked in this way.
    #[must_use]
    pub const fn with_output(output: OutputMode) -> Self {
        Self { output }
    }
}

/// A way of asking for structured output, the weakest first.
///
/// In whichever way a model was asked: that a server accepts a request for a schema does not mean that it
/// holds the model to it. What comes back has to be read as any other answer.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OutputMode {
    /// By words in the prompt alone.
    #[default]
    Prompt,
    /// By a tool that takes what is asked for as its arguments, and that the model has to call.
    ForcedTool,
    /// By a switch that makes the answer some JSON; the schema stands in the prompt.
    JsonObject,
    /// By a schema that is a part of the request.
    JsonSchema,
}

impl OutputMode {
    /// Every way, the best first: the order in which they are tried.
    pub const BEST_FIRST: [Self; 4] =
        [Self::JsonSchema, Self::JsonObject, Self::ForcedTool, Self::Prompt];

    /// The name that records and reports use.
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
