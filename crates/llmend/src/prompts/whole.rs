//! Which prompts make the instructions of a conversation?

use llmend_plan::Catalog;

use super::{
    ASSISTANT, JSON_ONLY, JSON_SCHEMA, PLAN, Slots, WORKFLOW, WORKFLOW_PATCH, catalog, example,
    provider,
};

/// The instructions for an answer that fits a schema: the rules of JSON, the schema with an example if
/// one can be had ([`example`]), and what the provider of `model` needs to be told.
///
/// `schema` is JSON Schema as text. It stands in the instructions word for word.
#[must_use]
pub fn shaped(schema: &str, model: &str) -> String {
    let example = example(schema).unwrap_or_default();
    let slots = Slots { schema, example: &example, ..Slots::default() };
    joined(&[&rules(model), &JSON_SCHEMA.fill(&slots)])
}

/// The instructions for a plan: the rules of JSON, the form of plans, and the tools. Without a catalog,
/// or with an empty one, any tool goes.
#[must_use]
pub fn planning(tools: Option<&Catalog>, model: &str) -> String {
    let catalog = tools.map(catalog).unwrap_or_default();
    let slots = Slots { catalog: &catalog, ..Slots::default() };
    joined(&[&rules(model), &PLAN.fill(&slots)])
}

/// The instructions for talking about a workflow. The rules of JSON are in them, for those answers that
/// are JSON.
#[must_use]
pub fn assisting(tools: Option<&Catalog>) -> String {
    let catalog = tools.map(catalog).unwrap_or_default();
    let rules = WORKFLOW.fill(&Slots::default());
    let patch = WORKFLOW_PATCH.fill(&Slots::default());
    ASSISTANT.fill(&Slots { catalog: &catalog, rules: &rules, patch: &patch, ..Slots::default() })
}

/// The rules of JSON, with what the provider of `model` needs to be told.
fn rules(model: &str) -> String {
    let note = provider(model).map(|note| note.line).unwrap_or_default();
    JSON_ONLY.fill(&Slots { note, ..Slots::default() })
}

fn joined(parts: &[&str]) -> String {
    parts.join("\n\n")
}
