//! The instructions of a conversation, composed of prompts.

use llmend_plan::{Catalog, Dialect, Document};
use serde_json::Value as Json;

use super::{
    ASSISTANT, CHANGE, FORM_CANONICAL, FORM_CLICKWEAVE_GRAPH, FORM_CLICKWEAVE_STEPS, FORM_GOMIND,
    FORM_OPENMANUS, FORM_OTHER, FORM_PLAN_PATCH, FORM_WORKFLOW, FORM_WORKFLOW_PATCH, JSON_ONLY,
    JSON_SCHEMA, PLAN, catalog, example, filled, provider,
};
use crate::{
    asking::fenced,
    model::{ANSWER_MEMBER, Rewording},
};

/// The maximum number of references from the root of a schema that are followed.
const MOST_REFERENCES: usize = 8;

/// Returns the instructions for an answer that fits a schema: the rules of JSON, the schema with an
/// example if there is one ([`example`]), and what the provider of `model` needs to be told.
///
/// `schema` is a JSON Schema as text, which the instructions contain verbatim.
///
/// ```
/// let instructions = llmend::prompts::shaped(r#"{"type": "integer"}"#, "openai:gpt-4o");
/// assert!(instructions.contains(r#"{"type": "integer"}"#));
/// ```
#[must_use]
pub fn shaped(schema: &str, model: &str) -> String {
    let example = example(schema).unwrap_or_default();
    let shown = JSON_SCHEMA.fill(&[("schema", schema), ("example", &example)]);
    joined(&[&rules(model, Kind::of(schema)), &shown])
}

/// Returns what [`shaped`] says of the form of the answer, and what it says where the answer has to
/// be the only member of an object.
pub(crate) fn in_object(schema: &str, model: &str) -> Rewording {
    let kind = Kind::of(schema);
    let [name, ..] = kind.words();
    let bounds = format!(
        "Begin with {{ and end with }}. Its only member, \"{ANSWER_MEMBER}\", holds the {name}: what is said\n  \
         of the JSON below holds for that member."
    );
    Rewording {
        from: rules(model, kind),
        to: worded(model, [Kind::Object.words()[0], &bounds, Kind::Object.words()[2]]),
    }
}

/// Returns the instructions for a plan in a dialect: its form, the tools, and the rules of JSON for
/// a JSON dialect. Without a catalog, or with an empty one, any tool is allowed.
///
/// ```
/// let instructions = llmend::prompts::planning(llmend::Dialect::GoMind, None, "ollama:llama3");
/// assert!(instructions.contains("JSON"));
/// ```
#[must_use]
pub fn planning(dialect: Dialect, tools: Option<&Catalog>, model: &str) -> String {
    let catalog = tools.map(catalog).unwrap_or_default();
    let plan = PLAN.fill(&[("form", &form(dialect)), ("catalog", &catalog)]);
    if dialect.is_text() { plan } else { joined(&[&plan, &rules(model, Kind::Object)]) }
}

/// Returns the instructions for a change of a plan or a workflow.
pub(crate) fn changing(document: &Document, tools: Option<&Catalog>, model: &str) -> String {
    let form = match document {
        Document::Plan(_) => FORM_PLAN_PATCH,
        _ => FORM_WORKFLOW_PATCH,
    };
    // Serializing the canonical form cannot fail: all keys are strings.
    let data = fenced("document", &serde_json::to_string(document).unwrap_or_default());
    let catalog = tools.map(catalog).unwrap_or_default();
    let values = [
        ("what", document.what()),
        ("document", &data),
        ("form", &form.fill(&[])),
        ("catalog", &catalog),
    ];
    joined(&[&CHANGE.fill(&values), &rules(model, Kind::Object)])
}

/// Returns the instructions for a conversation about a workflow, including the rules of JSON for
/// answers that are JSON.
///
/// ```
/// assert!(llmend::prompts::assisting(None).contains("workflow"));
/// ```
#[must_use]
pub fn assisting(tools: Option<&Catalog>) -> String {
    let catalog = tools.map(catalog).unwrap_or_default();
    let (rules, form) = (FORM_WORKFLOW.fill(&[]), FORM_WORKFLOW_PATCH.fill(&[]));
    ASSISTANT.fill(&[("rules", &rules), ("form", &form), ("catalog", &catalog)])
}

/// Returns the description of the requested form.
fn form(dialect: Dialect) -> String {
    let form = match dialect {
        Dialect::Auto | Dialect::Canonical => FORM_CANONICAL,
        Dialect::OpenManus => FORM_OPENMANUS,
        Dialect::GoMind => FORM_GOMIND,
        Dialect::Workflow => FORM_WORKFLOW,
        Dialect::ClickweaveSteps => FORM_CLICKWEAVE_STEPS,
        Dialect::ClickweaveGraph => FORM_CLICKWEAVE_GRAPH,
        other => return FORM_OTHER.fill(&[("dialect", other.as_str())]),
    };
    form.fill(&[])
}

/// The kind of value that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Object,
    Array,
    /// A scalar, or one of several kinds.
    Value,
}

impl Kind {
    /// Returns the kind of the values of a schema.
    fn of(schema: &str) -> Self {
        let schema: Json = serde_json::from_str(schema).unwrap_or_default();
        let mut root = &schema;
        let target = |root: &Json| {
            let reference = root.get("$ref")?.as_str()?.strip_prefix('#')?.to_owned();
            schema.pointer(&reference)
        };
        // References may be circular.
        for _ in 0..MOST_REFERENCES {
            let Some(next) = target(root) else { break };
            root = next;
        }
        match root.get("type").and_then(Json::as_str) {
            Some("object") => Self::Object,
            Some("array") => Self::Array,
            None if root.get("properties").is_some() => Self::Object,
            _ => Self::Value,
        }
    }

    /// Returns its name, a sentence about where it begins and ends, and its first character.
    const fn words(self) -> [&'static str; 3] {
        match self {
            Self::Object => ["object", "Begin with { and end with }.", "{"],
            Self::Array => ["array", "Begin with [ and end with ].", "["],
            Self::Value => ["value", "Write the value alone.", ""],
        }
    }
}

/// Returns the rules of JSON, with the note on the provider of `model`.
fn rules(model: &str, kind: Kind) -> String {
    worded(model, kind.words())
}

/// Returns the rules of JSON in the words of [`Kind::words`].
fn worded(model: &str, [name, bounds, first]: [&str; 3]) -> String {
    let note = provider(model).map(|note| note.line).unwrap_or_default();
    let note = filled(note, &[("first", first)]).unwrap_or_default();
    JSON_ONLY.fill(&[("kind", name), ("bounds", bounds), ("note", &note)])
}

fn joined(parts: &[&str]) -> String {
    parts.join("\n\n")
}
