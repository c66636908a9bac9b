//! What is a model told, and in which words?
//!
//! One file a prompt, in `prompts/`, with a name and a version, which changes with the words. A name in
//! `<<…>>` is a slot. Where a slot is empty the paragraph around it is left out, and what is put into a slot
//! is not searched for slots. Whatever a model wrote comes into a prompt between marks that do not stand in
//! it, and in no other way.
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
mod whole;

#[cfg(test)]
mod tests;

use std::fmt;

pub use example::example;
pub use listing::catalog;
pub use provider::{PROVIDERS, ProviderNote, provider};
use serde::Serialize;
pub(crate) use whole::changing;
pub use whole::{assisting, planning, shaped};

/// Something that a model is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Prompt {
    /// Its name, as `llmend prompts` takes it.
    pub name: &'static str,
    /// Its version, from 1: another one whenever the words are others.
    pub version: u32,
    /// Where it stands in a conversation.
    pub place: Place,
    /// What it is for, in one line.
    pub about: &'static str,
    /// The words, with their slots.
    pub text: &'static str,
}

/// Where a prompt stands in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In the instructions.
    System,
    /// In the user's message.
    User,
    /// In the user's message after an answer that failed.
    Feedback,
    /// In a slot of another prompt.
    Part,
}

impl Place {
    /// The name, as the files and `llmend prompts` write it.
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

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One prompt a line: its constant and its file.
macro_rules! prompts {
    ($($(#[$doc:meta])* $name:ident $file:literal)*) => {
        $(
            $(#[$doc])*
            pub const $name: Prompt = file::prompt(include_str!(concat!("../prompts/", $file)));
        )*

        /// Every prompt, in the order in which a conversation comes to use them.
        pub const ALL: &[Prompt] = &[$($name),*];
    };
}

prompts! {
    /// The rules of an answer that a program reads.
    JSON_ONLY "json-only.md"
    /// The schema of the answer, and an example.
    JSON_SCHEMA "json-schema.md"
    /// How a plan hangs together, and which tools there are.
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
    /// A form that is only named.
    FORM_OTHER "form-other.md"
    /// A workflow.
    FORM_WORKFLOW "form-workflow.md"
    /// A change of a workflow.
    FORM_WORKFLOW_PATCH "form-workflow-patch.md"
    /// A change of a plan.
    FORM_PLAN_PATCH "form-plan-patch.md"
    /// What is to be changed.
    CHANGE "change.md"
    /// How to talk about a workflow.
    ASSISTANT "assistant.md"
    /// What a person says, and the workflow as it is.
    ASSISTANT_TURN "assistant-turn.md"
    /// What was wrong with the last answer.
    FEEDBACK "feedback.md"
    /// Asks for the parts that failed.
    RETRY_FIELDS "retry-fields.md"
    /// Asks for a JSON Patch.
    RETRY_PATCH "retry-patch.md"
    /// Asks for a patch of the workflow that was understood.
    RETRY_WORKFLOW_PATCH "retry-workflow-patch.md"
    /// Asks for the whole answer.
    RETRY_FULL "retry-full.md"
    /// A notice in front of the task.
    RETRY_EMPHATIC "retry-emphatic.md"
    /// Asks for the rest.
    RETRY_CONTINUE "retry-continue.md"
    /// What models do wrong with JSON.
    MISTAKES "mistakes.md"
    /// No arithmetic. In feedback alone: where it was said at once, models hid the expression in valid JSON.
    ARITHMETIC "arithmetic.md"
    /// Nothing comes after this attempt.
    LAST_ATTEMPT "last-attempt.md"
}

/// The prompt of this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Prompt> {
    ALL.iter().find(|prompt| prompt.name == name)
}

impl Prompt {
    /// The names of the slots, in the order in which they first stand in the text.
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

    /// The words with `values` in the slots of their names, without a line end. A slot without a value, or
    /// with an empty one, takes its paragraph with it.
    pub(crate) fn fill(&self, values: &[(&str, &str)]) -> String {
        let slots = self.slots();
        debug_assert!(
            values.iter().all(|(name, _)| slots.contains(name)),
            "{} has no such slot: {values:?}",
            self.name
        );
        let paragraphs = self.text.trim_end().split("\n\n");
        let kept: Vec<String> =
            paragraphs.filter_map(|paragraph| filled(paragraph, values)).collect();
        kept.join("\n\n")
    }
}

/// A paragraph with its slots filled. `None` if one of them is empty.
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
