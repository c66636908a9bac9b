//! Writing documents in a dialect.

use std::collections::HashSet;

use llmend_json::{Diagnostic, Severity};

use crate::{
    Dialect, Document, KeyOrders, Ordered, Patch, Plan, Reviewed, Workflow, code,
    dialect::{
        anthropic_tool_use, calls, clickweave_graph, clickweave_patch, clickweave_steps, gomind,
        markdown, mcp_tools_call, openai_tool_calls, openmanus,
    },
    layout::{Layout, json},
    locations::ItemLocations,
    losses::Losses,
    read::steps,
};

/// A document written in a dialect.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// The document that reading the text returns.
    pub kept: Document,
    /// What the dialect cannot represent: a warning for each lost value, with its canonical path. Empty if
    /// [`Self::kept`] equals the document.
    pub lost: Vec<Diagnostic>,
}

/// Error for a document that cannot be written in a dialect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot write dialect `{dialect}`: {}", .reasons.first().map(|row| row.message.as_str()).unwrap_or_default())]
pub struct NotWritable {
    /// The dialect.
    pub dialect: Dialect,
    /// All reasons, with canonical paths; at least one.
    pub reasons: Vec<Diagnostic>,
}

/// Writes `document` in `dialect`. Plans and workflows are converted into each other if the dialect
/// requires it. Nothing is invented: if the dialect requires a value that the document lacks, the
/// document cannot be written.
///
/// ```
/// use llmend_plan::{Dialect, Layout, Plan, Step, write};
///
/// let step = Step { id: "s1".to_owned(), tool: Some("weather".to_owned()), title: Some("Look".to_owned()), ..Step::default() };
/// let plan = Plan { steps: vec![step], ..Plan::default() };
/// let written = write(&plan.into(), Dialect::GoMind, Layout::Compact)?;
/// assert_eq!(written.text, r#"{"steps":[{"step_id":"s1","agent_name":"weather"}]}"#);
/// assert_eq!(written.lost[0].path.as_deref(), Some("/steps/0/title"));
/// # Ok::<(), llmend_plan::NotWritable>(())
/// ```
pub fn write(
    document: &Document,
    dialect: Dialect,
    layout: Layout,
) -> Result<Written, NotWritable> {
    let mut losses = Losses::default();
    let refused = |reasons| NotWritable { dialect, reasons };
    let written = match dialect {
        Dialect::Workflow | Dialect::ClickweaveSteps | Dialect::ClickweaveGraph => {
            of_workflow(as_workflow(document).map_err(refused)?, dialect, layout, &mut losses)
        }
        Dialect::Patch | Dialect::ClickweavePatch => match document {
            Document::Patch(patch) => of_patch(patch.clone(), dialect, layout, &mut losses),
            other => return Err(refused(vec![another(other, "a patch")])),
        },
        Dialect::AntonResult => match document {
            Document::TaskResult(result) => (json(result, layout), document.clone()),
            other => return Err(refused(vec![another(other, "a task result")])),
        },
        read_only if !read_only.is_written() => {
            let row = Diagnostic::new(
                code::NOT_CARRIED,
                Severity::Error,
                "this dialect can only be read",
            );
            return Err(refused(vec![row.on("")]));
        }
        _ => of_plan(as_plan(document).map_err(refused)?, dialect, layout, &mut losses),
    };
    if !losses.refused.is_empty() {
        return Err(refused(losses.refused));
    }
    let (text, kept) = written;
    Ok(Written { text, kept, lost: losses.rows })
}

/// Writes a reviewed document like [`write()`], with the keys of arguments in the order of the text.
///
/// ```
/// use llmend_plan::{Dialect, Layout, Options, review, write_reviewed};
///
/// let answer = r#"{"steps": [{"id": "a", "tool": "mail", "inputs": {"to": "me", "body": "hi"}}]}"#;
/// let reviewed = review(answer, &Options::default())?;
/// let written = write_reviewed(&reviewed, Dialect::Workflow, Layout::Compact)?;
/// assert!(written.text.contains(r#""arguments":{"to":"me","body":"hi"}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_reviewed(
    reviewed: &Reviewed<Document>,
    dialect: Dialect,
    layout: Layout,
) -> Result<Written, NotWritable> {
    let mut written = write(&reviewed.value, dialect, layout)?;
    let converted;
    let locations = match (&reviewed.value, dialect) {
        (Document::Plan(_), Dialect::Canonical | Dialect::Auto)
        | (Document::Workflow(_), Dialect::Workflow) => &reviewed.locations,
        (Document::Plan(plan), Dialect::Workflow) => {
            converted = plan.to_workflow().locations(&reviewed.locations);
            &converted
        }
        (_, Dialect::Markdown) => return Ok(written),
        (document, _) => {
            let mut orders = KeyOrders::default();
            orders.add(document, &reviewed.locations);
            written.text = orders.written(&written.text, dialect, layout);
            return Ok(written);
        }
    };
    written.text = json(&Ordered { document: &written.kept, locations }, layout);
    Ok(written)
}

fn as_plan(document: &Document) -> Result<Plan, Vec<Diagnostic>> {
    match document {
        Document::Plan(plan) => Ok(plan.clone()),
        Document::Workflow(workflow) => workflow.to_plan().map_err(|error| error.reasons),
        other => Err(vec![another(other, "a plan")]),
    }
}

fn as_workflow(document: &Document) -> Result<Workflow, Vec<Diagnostic>> {
    document.to_workflow().ok_or_else(|| vec![another(document, "a workflow")])
}

fn another(found: &Document, expected: &str) -> Diagnostic {
    let message = format!("expected {expected}, found {}", found.what());
    Diagnostic::new(code::ANOTHER_DOCUMENT, Severity::Error, message).on("")
}

fn of_plan(
    mut plan: Plan,
    dialect: Dialect,
    layout: Layout,
    losses: &mut Losses,
) -> (String, Document) {
    if plan.steps.is_empty() && dialect.needs_steps() {
        losses.refuse("/steps", "the dialect requires at least one step");
    }
    if matches!(dialect, Dialect::Canonical | Dialect::Auto | Dialect::GoMind) {
        resolve_dependencies(&mut plan, losses);
    }
    match dialect {
        Dialect::OpenManus => openmanus::restrict(&mut plan, losses),
        Dialect::GoMind => gomind::restrict(&mut plan, losses),
        Dialect::OpenAiToolCalls | Dialect::AnthropicToolUse => calls::restrict(&mut plan, losses),
        Dialect::McpToolsCall => mcp_tools_call::restrict(&mut plan, losses),
        Dialect::Markdown => markdown::restrict(&mut plan, losses),
        _ => {}
    }
    let text = match dialect {
        Dialect::OpenManus => json(&openmanus::encode(&plan), layout),
        Dialect::GoMind => json(&gomind::encode(&plan), layout),
        Dialect::OpenAiToolCalls => json(&openai_tool_calls::encode(&plan), layout),
        Dialect::AnthropicToolUse => json(&anthropic_tool_use::encode(&plan), layout),
        Dialect::McpToolsCall => json(&mcp_tools_call::encode(&plan), layout),
        Dialect::Markdown => markdown::encode(&plan),
        _ => json(&plan, layout),
    };
    (text, plan.into())
}

/// Replaces dependencies that are not ids but would be read as ids (`$1`).
fn resolve_dependencies(plan: &mut Plan, losses: &mut Losses) {
    let ids: HashSet<String> = plan.steps.iter().map(|step| step.id.clone()).collect();
    for (at, step) in plan.steps.iter_mut().enumerate() {
        let mut meant = step.depends_on.clone();
        steps::resolve_all(&mut meant, &mut ItemLocations::default(), |name| ids.contains(name));
        if meant != step.depends_on {
            losses.lose(&format!("/steps/{at}/depends_on"));
            step.depends_on = meant;
        }
    }
}

fn of_workflow(
    mut workflow: Workflow,
    dialect: Dialect,
    layout: Layout,
    losses: &mut Losses,
) -> (String, Document) {
    if workflow.nodes.is_empty() {
        losses.refuse("/nodes", "the dialect requires at least one node");
    }
    let text = match dialect {
        Dialect::ClickweaveSteps => {
            clickweave_steps::restrict(&mut workflow, losses);
            json(&clickweave_steps::encode(&workflow), layout)
        }
        Dialect::ClickweaveGraph => {
            clickweave_graph::restrict(&mut workflow, losses);
            json(&clickweave_graph::encode(&workflow), layout)
        }
        _ => json(&workflow, layout),
    };
    (text, workflow.into())
}

fn of_patch(
    mut patch: Patch,
    dialect: Dialect,
    layout: Layout,
    losses: &mut Losses,
) -> (String, Document) {
    let text = match dialect {
        Dialect::ClickweavePatch => {
            clickweave_patch::restrict(&mut patch, losses);
            json(&clickweave_patch::encode(&patch), layout)
        }
        _ => json(&patch, layout),
    };
    (text, patch.into())
}
