//! Kinds of failed attempts.

use llmend_json::ErrorKind;
use serde::Serialize;

/// The group of failures that share a retry limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Family {
    /// No answer arrived: connection or server failure.
    Transport,
    /// The answer has no complete value.
    Parsing,
    /// The value is not what was asked for.
    Validation,
}

/// Generates the table of kinds: the enum and the data of each variant.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident = $name:literal, $family:ident, $advice:literal;)+) => {
        /// The kind of a failed attempt. Each kind is counted separately.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum FailureKind {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl FailureKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// Returns the name used in ledgers and reports.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }

            /// Returns the group whose retry limit applies.
            #[must_use]
            pub const fn family(self) -> Family {
                match self {
                    $(Self::$kind => Family::$family,)+
                }
            }

            /// Returns what to change if the failure persists.
            #[must_use]
            pub const fn advice(self) -> &'static str {
                match self {
                    $(Self::$kind => $advice,)+
                }
            }
        }
    };
}

kinds! {
    /// The model could not be reached, or its answer did not arrive.
    Transport = "transport", Transport, "Check the connection, the key and the provider's limits, or choose another provider.";
    /// The model, or a filter of its provider, refused to answer.
    Refusal = "refusal", Parsing, "Change the request, or choose another model.";
    /// The answer contains no JSON.
    NoJson = "no-json", Parsing, "Choose a model or provider with a JSON mode, or ask for JSON only.";
    /// The JSON cannot be read, and no repair is certain enough.
    Syntax = "syntax", Parsing, "Choose a model or provider with structured output, or add another model to the ladder.";
    /// The answer was cut off, by its token limit or on its way.
    Truncation = "truncation", Parsing, "Raise the token limit, ask for less at once, or use the strategy `continue`.";
    /// The value lacks something that the answer says.
    Loss = "loss", Parsing, "Ask for JSON only, or allow the loss.";
    /// The value does not fit the schema, or is not a plan.
    Schema = "schema", Validation, "Simplify the schema, explain it in the prompt, or choose another model.";
    /// The plan or workflow is structurally invalid.
    Structure = "structure", Validation, "Describe the tools and steps in the prompt, or choose another model.";
}

impl FailureKind {
    /// Returns the kind for an error of the engine.
    pub(crate) const fn of_json(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Empty
            | ErrorKind::NoJson
            | ErrorKind::EmptyBlock
            | ErrorKind::ReasoningOnly => Self::NoJson,
            ErrorKind::UnclosedBlock | ErrorKind::UnexpectedEnd => Self::Truncation,
            ErrorKind::Shape => Self::Schema,
            _ => Self::Syntax,
        }
    }

    /// Returns the kind for a stable code.
    pub(crate) fn of_code(code: &str) -> Self {
        match code {
            "extract/unclosed-block" | "syntax/unexpected-end" | "value/truncated" => {
                Self::Truncation
            }
            "value/loss" => Self::Loss,
            _ if code.starts_with("extract/") => Self::NoJson,
            _ if ["syntax/", "repair/", "limit/", "input/"]
                .iter()
                .any(|part| code.starts_with(part)) =>
            {
                Self::Syntax
            }
            _ => Self::Schema,
        }
    }
}
