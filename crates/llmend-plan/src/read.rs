//! Reading of plans, workflows, patches and task results.

use llmend_json::Value;

use crate::{Dialect, Document, Error, Options, Patch, TaskResult, Workflow, dialect, form};

pub(crate) mod assembly;
pub(crate) mod condition;
pub(crate) mod context;
pub(crate) mod edges;
pub(crate) mod gap;
pub(crate) mod json_text;
pub(crate) mod list;
pub(crate) mod node;
pub(crate) mod nodes;
mod parsed;
pub(crate) mod quoted_call;
pub(crate) mod steps;
pub(crate) mod successors;
pub(crate) mod written_condition;

use context::Context;
pub use parsed::{ParsedDocument, ParsedPlan};

/// Reads a plan from a value. The error lists all problems at once.
///
/// An unknown key that is a near miss of an absent field is an error in every dialect, since ignoring it
/// would silently drop what was meant.
///
/// ```
/// use llmend_plan::{Dialect, read};
///
/// let parsed = llmend_json::parse(r#"{"setps": [{"id": "a"}]}"#)?;
/// let problems = read(&parsed.value, Dialect::Canonical).unwrap_err();
/// assert_eq!(problems.diagnostics()[1].help.as_deref(), Some("did you mean `steps`?"));
/// # Ok::<(), llmend_json::Error>(())
/// ```
pub fn read(value: &Value<'_>, dialect: Dialect) -> Result<ParsedPlan, Error> {
    read_with(value, &Options { dialect, ..Options::default() })
}

/// Reads a plan from a value with options. A workflow without control flow is converted to a plan.
///
/// ```
/// use llmend_plan::{OnBadStep, Options, read_with};
///
/// let answer = "{tasks: [{id: 1, tool: 'a'}, {id: 2, tool: 7, needs: [1]}, {id: 3, tool: 'c', needs: [2]}]}";
/// let parsed = llmend_json::parse(answer)?;
/// let options = Options { on_bad_step: Some(OnBadStep::Bridge), ..Options::default() };
/// let reading = read_with(&parsed.value, &options)?;
/// assert_eq!(reading.plan.steps[1].depends_on, ["1"]);
/// assert_eq!(
///     reading.diagnostics[0].message,
///     "omitted tasks[1] (`2`): `/tasks/1/tool`: expected string, found number"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_with(value: &Value<'_>, options: &Options) -> Result<ParsedPlan, Error> {
    let ParsedDocument { value, dialect, diagnostics, locations } = read_document(value, options)?;
    let plan = match value {
        Document::Plan(plan) => plan,
        Document::Workflow(workflow) => match workflow.to_plan() {
            Ok(plan) => plan,
            Err(error) => {
                let reasons = error.reasons.into_iter().map(|row| locations.locate(row));
                let diagnostics = diagnostics.into_iter().chain(reasons).collect();
                return Err(Error::Unreadable { dialect, diagnostics });
            }
        },
        other => return Err(Error::unexpected(dialect, &other, "a plan", diagnostics)),
    };
    Ok(ParsedPlan { plan, dialect, diagnostics, locations })
}

/// Reads a workflow from a value. A plan is converted to a workflow.
///
/// ```
/// use llmend_plan::{NodeType, Options, read_workflow};
///
/// let answer = r#"{"nodes": [{"id": "n1", "step_type": "Tool", "tool_name": "click", "arguments": {}}], "edges": []}"#;
/// let parsed = llmend_json::parse(answer)?;
/// let workflow = read_workflow(&parsed.value, &Options::default())?.value;
/// assert_eq!(workflow.nodes[0].node_type(), NodeType::Tool);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_workflow(
    value: &Value<'_>,
    options: &Options,
) -> Result<ParsedDocument<Workflow>, Error> {
    read_document(value, options)?.into_workflow()
}

/// Reads a patch of a workflow from a value. If its dialect cannot be detected, it is llmend's own, so
/// that an empty object is a patch that changes nothing.
///
/// ```
/// use llmend_plan::{Dialect, Options, read_patch};
///
/// let parsed = llmend_json::parse(r#"{"remove_node_ids": ["n2"], "add_edges": [{"from": "n1", "to": "n3"}]}"#)?;
/// let patch = read_patch(&parsed.value, &Options::default())?.value;
/// assert_eq!(patch.remove_nodes, ["n2"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_patch(value: &Value<'_>, options: &Options) -> Result<ParsedDocument<Patch>, Error> {
    let dialect = match options.dialect {
        Dialect::Auto => dialect::detect::detect_patch(value.root()),
        named => named,
    };
    let options = Options { dialect, ..options.clone() };
    let ParsedDocument { value, dialect, diagnostics, locations } = read_document(value, &options)?;
    match value {
        Document::Patch(value) => Ok(ParsedDocument { value, dialect, diagnostics, locations }),
        other => Err(Error::unexpected(dialect, &other, "a patch", diagnostics)),
    }
}

/// Reads a task result from a value.
///
/// ```
/// use llmend_plan::{Options, TaskStatus, read_task_result};
///
/// let parsed = llmend_json::parse("{status: 'completed', changes: [], notes: 'done'}")?;
/// let result = read_task_result(&parsed.value, &Options::default())?.value;
/// assert_eq!(result.status, TaskStatus::Completed);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_task_result(
    value: &Value<'_>,
    options: &Options,
) -> Result<ParsedDocument<TaskResult>, Error> {
    let ParsedDocument { value, dialect, diagnostics, locations } = read_document(value, options)?;
    match value {
        Document::TaskResult(value) => {
            Ok(ParsedDocument { value, dialect, diagnostics, locations })
        }
        other => Err(Error::unexpected(dialect, &other, "a task result", diagnostics)),
    }
}

/// Reads a document of any kind from a value.
///
/// ```
/// use llmend_plan::{DocumentKind, Options, read_document};
///
/// let parsed = llmend_json::parse("{steps: [{id: 'a'}]}")?;
/// let document = read_document(&parsed.value, &Options::default())?.value;
/// assert_eq!(document.kind(), DocumentKind::Plan);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_document(
    value: &Value<'_>,
    options: &Options,
) -> Result<ParsedDocument<Document>, Error> {
    read_partial(value, options).whole()
}

/// Reads a document of any kind from a value as far as possible, so that a caller can check the rest
/// and report all problems at once. Malformed parts are omitted or have empty fields, so some later
/// findings may be consequences of these.
///
/// ```
/// use llmend_plan::{Document, Options, read_partial};
///
/// let parsed = llmend_json::parse("{steps: [{id: 'a', tool: 7}, {id: 'b', depends_on: ['c']}]}")?;
/// let read = read_partial(&parsed.value, &Options::default());
/// assert_eq!(read.diagnostics[0].path.as_deref(), Some("/steps/0/tool"));
/// let Some(Document::Plan(plan)) = read.value else { panic!("a plan") };
/// assert_eq!(plan.steps[1].depends_on, ["c"]);
/// # Ok::<(), llmend_json::Error>(())
/// ```
#[must_use]
pub fn read_partial(value: &Value<'_>, options: &Options) -> ParsedDocument<Option<Document>> {
    let node = value.root();
    let dialect = match options.dialect {
        Dialect::Auto => dialect::detect::detect(node),
        named => named,
    };
    let mut context = Context::new(options, dialect);
    let document = dialect::read::read_value(node, &mut context);
    let read = context.finish(document);
    let unread = || form::unread_value(node).filter(|_| options.dialect == Dialect::Auto);
    // What else was found there is about a plan that it is not.
    match (read.has_errors() || is_hollow(&read)).then(unread).flatten() {
        Some(row) => Context::new(options, dialect).refuse(row),
        None => read,
    }
}

/// Returns whether nothing that steps do was read.
fn is_hollow(read: &ParsedDocument<Option<Document>>) -> bool {
    let says = |step: &crate::Step| {
        step.tool.is_some() || step.title.is_some() || step.description.is_some()
    };
    matches!(&read.value, Some(Document::Plan(plan)) if !plan.steps.iter().any(says))
}

/// Reads a document of any kind from text: JSON, possibly broken and surrounded by prose, or a dialect
/// that is not JSON. JSON is repaired with default options.
///
/// ```
/// use llmend_plan::{Dialect, Document, Options, read_text};
///
/// let answer = "Plan:\n\n1. Boil water\n2. Pour it over the tea\n";
/// let read = read_text(answer, &Options::default())?;
/// let Document::Plan(plan) = read.value else { panic!("a plan") };
/// assert_eq!(read.dialect, Dialect::Markdown);
/// assert_eq!(plan.steps[1].title.as_deref(), Some("Pour it over the tea"));
/// # Ok::<(), llmend_plan::Error>(())
/// ```
pub fn read_text(text: &str, options: &Options) -> Result<ParsedDocument<Document>, Error> {
    read_text_partial(text, options)?.whole()
}

/// Reads a document of any kind from text as far as possible; see [`read_partial`]. Fails only if the
/// dialect is JSON and the text contains none.
///
/// ```
/// use llmend_plan::{Options, read_text_partial};
///
/// let read = read_text_partial("{steps: [{id: 'a', tool: 7}]}", &Options::default())?;
/// assert!(read.has_errors() && read.value.is_some());
/// # Ok::<(), llmend_plan::Error>(())
/// ```
pub fn read_text_partial(
    text: &str,
    options: &Options,
) -> Result<ParsedDocument<Option<Document>>, Error> {
    let dialect = match options.dialect {
        Dialect::Auto => Dialect::of_text(text),
        named => named,
    };
    if !dialect.is_text() {
        return match llmend_json::parse(text) {
            Ok(parsed) => {
                let read = read_partial(&parsed.value, options);
                let unread = form::unread_text(text, &read);
                Ok(match unread.filter(|_| options.dialect == Dialect::Auto) {
                    Some(row) => Context::new(options, dialect).refuse(row),
                    None => read,
                })
            }
            Err(error) => match form::unread_form(text) {
                Some(row) => Ok(Context::new(options, Dialect::Canonical).refuse(row)),
                None => Err(Error::NoJson { dialect, error: Box::new(error) }),
            },
        };
    }
    let mut context = Context::new(options, dialect);
    let document = dialect::read::read_text(text, &mut context);
    Ok(context.finish(Some(document)))
}

/// Reads the tool calls of an answer as a plan: a step for each call, in the order of the text. The
/// text around the calls becomes the plan's notes.
///
/// The steps are numbered from 1, and depend on those to which their inputs refer. A refused call is
/// an invalid step. The calls should have been read with the tools of the catalog
/// ([`Catalog::offered`](crate::Catalog::offered)).
///
/// ```
/// use llmend_plan::{Catalog, Document, Options, read_calls};
///
/// let tools = serde_json::json!({"search": {"type": "object", "required": ["q"]}});
/// let options = Options { catalog: Some(Catalog::read(&tools)?), ..Options::default() };
/// let offered = options.catalog.as_ref().map(Catalog::offered).unwrap_or_default();
/// let answer = "[search(q=\"rust\"), search(q=\"more on $1\")]";
/// let reading = llmend_calls::read(answer, &offered, &llmend_calls::Options::default());
/// let Some(Document::Plan(plan)) = read_calls(&reading, answer, &options).value else { panic!("a plan") };
/// assert_eq!(plan.steps[0].tool.as_deref(), Some("search"));
/// assert_eq!(plan.steps[1].depends_on, ["1"]);
/// # Ok::<(), llmend_plan::CatalogError>(())
/// ```
#[must_use]
pub fn read_calls(
    reading: &llmend_calls::Reading,
    text: &str,
    options: &Options,
) -> ParsedDocument<Option<Document>> {
    let mut context = Context::new(options, Dialect::Calls);
    let plan = dialect::any_notation::of_reading(reading, text, &mut context);
    context.finish(Some(plan.into()))
}
