//! Prompts and instructions for models.
//!
//! Each prompt is a file in `prompts/` with a name and a version, which changes with the text. A
//! name in `<<…>>` is a slot. A paragraph with an empty slot is omitted, and a slot's content is
//! not searched for slots. A caller may replace the texts ([`replace`]). Whatever a model wrote is enclosed in markers that it does not contain.
//!
//! ```
//! let plan = llmend::prompts::named("plan").unwrap();
//! assert_eq!((plan.version, plan.slots()), (1, vec!["form", "catalog"]));
//!
//! let schema = r#"{"type": "object", "properties": {"days": {"type": "integer"}}}"#;
//! let instructions = llmend::prompts::shaped(schema, "anthropic:claude-sonnet-4-5");
//! assert!(instructions.contains(schema) && instructions.ends_with("{\"days\":1}"));
//! ```

mod example;
mod file;
mod listing;
mod provider;
mod replaced;
mod whole;

#[cfg(test)]
mod tests;

use std::fmt;

pub use example::example;
pub use listing::catalog;
pub use provider::{PROVIDERS, ProviderNote, provider};
pub use replaced::{BadPrompt, replace};
use serde::Serialize;
pub use whole::{assisting, planning, shaped};
pub(crate) use whole::{changing, in_object};

/// A prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PromptTemplate {
    /// The name, as `llmend prompts` takes it.
    pub name: &'static str,
    /// The version, from 1, which changes with the text.
    pub version: u32,
    /// The place in a conversation.
    pub place: Placement,
    /// The purpose, in one line.
    pub about: &'static str,
    /// The text, with its slots.
    pub text: &'static str,
}

/// The place of a prompt in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// The instructions.
    System,
    /// The user's message.
    User,
    /// The user's message after an answer that failed.
    Feedback,
    /// A slot of another prompt.
    Part,
}

impl Placement {
    /// Returns the name in the files and in `llmend prompts`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Feedback => "feedback",
            Self::Part => "part",
        }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Generates the prompts, one a row: constant and file.
macro_rules! prompts {
    ($($(#[$doc:meta])* $name:ident $file:literal)*) => {
        $(
            $(#[$doc])*
            pub const $name: PromptTemplate = file::prompt(include_str!(concat!("../prompts/", $file)));
        )*

        /// Every prompt, in the order in which a conversation uses them.
        pub const ALL: &[PromptTemplate] = &[$($name),*];
    };
}

prompts! {
    /// The rules of JSON for an answer that a program reads.
    JSON_ONLY "json-only.md"
    /// The schema of the answer, and an example.
    JSON_SCHEMA "json-schema.md"
    /// The structure of a plan, and the available tools.
    PLAN "plan.md"
    /// A plan in the canonical form.
    FORM_CANONICAL "form-canonical.md"
    /// A plan of `OpenManus`.
    FORM_OPENMANUS "form-openmanus.md"
    /// A plan of `GoMind`.
    FORM_GOMIND "form-gomind.md"
    /// A list of steps of Clickweave.
    FORM_CLICKWEAVE_STEPS "form-clickweave-steps.md"
    /// A graph of Clickweave.
    FORM_CLICKWEAVE_GRAPH "form-clickweave-graph.md"
    /// A form given by its name only.
    FORM_OTHER "form-other.md"
    /// A workflow.
    FORM_WORKFLOW "form-workflow.md"
    /// A change of a workflow.
    FORM_WORKFLOW_PATCH "form-workflow-patch.md"
    /// A change of a plan.
    FORM_PLAN_PATCH "form-plan-patch.md"
    /// The document to change.
    CHANGE "change.md"
    /// The instructions for a conversation about a workflow.
    ASSISTANT "assistant.md"
    /// The user's message and the current workflow.
    ASSISTANT_TURN "assistant-turn.md"
    /// What was wrong with the last answer.
    FEEDBACK "feedback.md"
    /// The request for the parts that failed.
    RETRY_FIELDS "retry-fields.md"
    /// The request for a JSON Patch.
    RETRY_PATCH "retry-patch.md"
    /// The request for a patch of the workflow that was understood.
    RETRY_WORKFLOW_PATCH "retry-workflow-patch.md"
    /// The request for the whole answer.
    RETRY_FULL "retry-full.md"
    /// A notice before the task.
    RETRY_EMPHATIC "retry-emphatic.md"
    /// The request for the rest.
    RETRY_CONTINUE "retry-continue.md"
    /// Common mistakes of models in JSON.
    MISTAKES "mistakes.md"
    /// No arithmetic. Only in feedback: in the first prompt it led models to hide the expression in
    /// valid JSON.
    ARITHMETIC "arithmetic.md"
    /// The notice of the last attempt.
    LAST_ATTEMPT "last-attempt.md"
}

/// Returns the prompt of this name.
///
/// ```
/// let prompt = llmend::prompts::named("plan").unwrap();
/// assert_eq!(prompt.place.as_str(), "system");
/// ```
#[must_use]
pub fn named(name: &str) -> Option<&'static PromptTemplate> {
    ALL.iter().find(|prompt| prompt.name == name)
}

impl PromptTemplate {
    /// Returns the names of the slots, in the order of their first occurrence.
    pub fn slots(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for piece in file::pieces(self.text) {
            if let file::Piece::Slot(name) = piece
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names
    }

    /// Fills the slots with `values`, without a final line end. A slot that is missing or empty
    /// removes its paragraph.
    pub(crate) fn fill(&self, values: &[(&str, &str)]) -> String {
        let slots = self.slots();
        debug_assert!(
            values.iter().all(|(name, _)| slots.contains(name)),
            "{} has no such slot: {values:?}",
            self.name
        );
        fill(self.text_in_use(), values)
    }
}

/// Fills the slots of a text with `values`, without a final line end. A slot that is missing or
/// empty removes its paragraph.
///
/// ```
/// let text = llmend::prompts::fill("Tools:\n<<tools>>\n\nOf <<whom>>.\n", &[("tools", "run")]);
/// assert_eq!(text, "Tools:\nrun");
/// ```
#[must_use]
pub fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let paragraphs = text.trim_end().split("\n\n");
    let kept: Vec<String> = paragraphs.filter_map(|paragraph| filled(paragraph, values)).collect();
    kept.join("\n\n")
}

/// Fills the slots of a paragraph. `None` if one of them is empty.
fn filled(paragraph: &str, values: &[(&str, &str)]) -> Option<String> {
    let mut words = String::with_capacity(paragraph.len());
    for piece in file::pieces(paragraph) {
        words.push_str(match piece {
            file::Piece::Words(words) => words,
            file::Piece::Slot(name) => {
                let value = values.iter().find(|(known, _)| *known == name)?.1.trim_end();
                if value.is_empty() {
                    return None;
                }
                value
            }
        });
    }
    Some(words)
}
