//! In which ways can an attempt fail?

use llmend_json::ErrorKind;
use serde::Serialize;

/// What a failure belongs to, as far as retries are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Family {
    /// No answer came: the connection, or the server.
    Transport,
    /// There was an answer, and no whole value in it.
    Parsing,
    /// There was a value, and it is not what was asked for.
    Validation,
}

/// Makes the table of kinds: the enum and what is said of each.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident = $name:literal, $family:ident, $advice:literal;)+) => {
        /// How an attempt failed. One table: each kind is counted apart.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum FailureKind {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl FailureKind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// The name that ledgers and reports use.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }

            /// What it belongs to, as far as retries are counted.
            #[must_use]
            pub const fn family(self) -> Family {
                match self {
                    $(Self::$kind => Family::$family,)+
                }
            }

            /// What a person can change if it goes on.
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
    /// The model could not be asked, or its answer did not arrive.
    Transport = "transport", Transport, "Look at the connection, the key and the limits of the provider, or choose another provider.";
    /// The model, or a filter of its provider, does not want to answer.
    Refusal = "refusal", Parsing, "Change what is asked for, or choose another model.";
    /// There is no JSON in the answer.
    NoJson = "no-json", Parsing, "Choose a model or a provider with a JSON mode, or ask for JSON alone.";
    /// The JSON cannot be read, and no repair is sure enough.
    Syntax = "syntax", Parsing, "Choose a model or a provider with structured output, or a ladder with another model.";
    /// The answer was cut off.
    Truncation = "truncation", Parsing, "Raise the limit of tokens, ask for less at once, or use the rung `continue`.";
    /// The value lacks something that the answer says.
    Loss = "loss", Parsing, "Ask for JSON alone, or allow what is lost.";
    /// The value does not fit the schema, or is no plan.
    Schema = "schema", Validation, "Make the schema simpler or say more of it in the prompt, or choose another model.";
    /// The plan or workflow hangs together wrongly.
    Structure = "structure", Validation, "Say more of the tools and of the steps in the prompt, or choose another model.";
}

impl FailureKind {
    /// The kind of an error of the engine.
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

    /// The kind of what has this stable code, where nothing else is known of it.
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
