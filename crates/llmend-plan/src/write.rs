//! How is a document written in a dialect, and what gets lost?

use std::collections::HashSet;

use llmend_json::{Diagnostic, Severity, choice};
use serde::Serialize;
use serde_json::Value;

use crate::{
    Dialect, Document, Map, Patch, Plan, Workflow, code,
    dialect::{
        anthropic_tool_use, calls, clickweave_graph, clickweave_patch, clickweave_steps, gomind,
        markdown, mcp_tools_call, openai_tool_calls, openmanus,
    },
    places::ItemPlaces,
    read::steps,
};

/// A document in a dialect.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// What the text says, and what reading it gives again.
    pub kept: Document,
    /// What the dialect cannot carry: one row each, with the canonical path of what is lost. Empty
    /// if the document and [`Self::kept`] say the same.
    pub lost: Vec<Diagnostic>,
}

/// Why a document cannot be written in a dialect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this cannot be written in the dialect `{dialect}`: {}", .reasons.first().map(|row| row.message.as_str()).unwrap_or_default())]
pub struct NotWritable {
    /// The dialect.
    pub dialect: Dialect,
    /// Every reason, with the canonical path of what it is about; at least one.
    pub reasons: Vec<Diagnostic>,
}

choice! {
    /// How JSON is laid out.
    #[derive(Default)]
    Layout {
        /// On one line.
        #[default]
        Compact = "compact",
        /// One member a line, two spaces a level.
        Indented = "indented",
    }
}

/// Writes `document` in `dialect`. A plan is written as a workflow, and a workflow as a plan, where
/// the dialect has the other one. Nothing is made up: where the dialect needs something that the
/// document does not say, that is a reason against it.
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
            other => return Err(refused(vec![another(other, "patches")])),
        },
        Dialect::AntonResult => match document {
            Document::TaskResult(result) => (json(result, layout), document.clone()),
            other => return Err(refused(vec![another(other, "the reports of tasks")])),
        },
        Dialect::LlmCompiler => {
            let row =
                Diagnostic::new(code::NOT_CARRIED, Severity::Error, "this dialect is read only");
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

fn as_plan(document: &Document) -> Result<Plan, Vec<Diagnostic>> {
    match document {
        Document::Plan(plan) => Ok(plan.clone()),
        Document::Workflow(workflow) => workflow.to_plan().map_err(|error| error.reasons),
        other => Err(vec![another(other, "plans")]),
    }
}

fn as_workflow(document: &Document) -> Result<Workflow, Vec<Diagnostic>> {
    document.to_workflow().ok_or_else(|| vec![another(document, "workflows")])
}

fn another(found: &Document, wanted: &str) -> Diagnostic {
    let message = format!("this is {}, and the dialect is one of {wanted}", found.what());
    Diagnostic::new(code::ANOTHER_DOCUMENT, Severity::Error, message).on("")
}

fn of_plan(
    mut plan: Plan,
    dialect: Dialect,
    layout: Layout,
    losses: &mut Losses,
) -> (String, Document) {
    if plan.steps.is_empty() && dialect.needs_steps() {
        losses.refuse("/steps", "the dialect has no plan without steps");
    }
    if matches!(dialect, Dialect::Canonical | Dialect::Auto | Dialect::GoMind) {
        keep_dependencies(&mut plan, losses);
    }
    match dialect {
        Dialect::OpenManus => openmanus::keep(&mut plan, losses),
        Dialect::GoMind => gomind::keep(&mut plan, losses),
        Dialect::OpenAiToolCalls | Dialect::AnthropicToolUse => calls::keep(&mut plan, losses),
        Dialect::McpToolsCall => mcp_tools_call::keep(&mut plan, losses),
        Dialect::Markdown => markdown::keep(&mut plan, losses),
        _ => {}
    }
    let text = match dialect {
        Dialect::OpenManus => json(&openmanus::shape(&plan), layout),
        Dialect::GoMind => json(&gomind::shape(&plan), layout),
        Dialect::OpenAiToolCalls => json(&openai_tool_calls::shape(&plan), layout),
        Dialect::AnthropicToolUse => json(&anthropic_tool_use::shape(&plan), layout),
        Dialect::McpToolsCall => json(&mcp_tools_call::shape(&plan), layout),
        Dialect::Markdown => markdown::text(&plan),
        _ => json(&plan, layout),
    };
    (text, plan.into())
}

/// A dependency that is no step's id, but reads as one (`$1`), is that one from then on.
fn keep_dependencies(plan: &mut Plan, losses: &mut Losses) {
    let ids: HashSet<String> = plan.steps.iter().map(|step| step.id.clone()).collect();
    for (at, step) in plan.steps.iter_mut().enumerate() {
        let mut meant = step.depends_on.clone();
        steps::resolve_all(&mut meant, &mut ItemPlaces::default(), |name| ids.contains(name));
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
        losses.refuse("/nodes", "the dialect has no workflow without nodes");
    }
    let text = match dialect {
        Dialect::ClickweaveSteps => {
            clickweave_steps::keep(&mut workflow, losses);
            json(&clickweave_steps::shape(&workflow), layout)
        }
        Dialect::ClickweaveGraph => {
            clickweave_graph::keep(&mut workflow, losses);
            json(&clickweave_graph::shape(&workflow), layout)
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
            clickweave_patch::keep(&mut patch, losses);
            json(&clickweave_patch::shape(&patch), layout)
        }
        _ => json(&patch, layout),
    };
    (text, patch.into())
}

/// The JSON of a shape, whose keys are all texts, so that nothing can fail.
fn json(shape: &impl Serialize, layout: Layout) -> String {
    let text = match layout {
        Layout::Compact => serde_json::to_string(shape),
        Layout::Indented => serde_json::to_string_pretty(shape),
    };
    text.unwrap_or_default()
}

/// What a dialect cannot carry, and what it needs and does not get.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    rows: Vec<Diagnostic>,
    refused: Vec<Diagnostic>,
}

impl Losses {
    /// What stands at `path` is lost.
    pub(crate) fn lose(&mut self, path: &str) {
        let message = format!("`{path}` is not carried");
        self.rows.push(Diagnostic::new(code::NOT_CARRIED, Severity::Warning, message).on(path));
    }

    /// It cannot be written.
    pub(crate) fn refuse(&mut self, path: &str, why: &str) {
        let message = format!("`{path}`: {why}");
        self.refused.push(Diagnostic::new(code::NOT_CARRIED, Severity::Error, message).on(path));
    }

    /// What the dialect needs must be there.
    pub(crate) fn need<T>(&mut self, value: Option<&T>, path: &str) {
        if value.is_none() {
            self.refuse(path, "the dialect needs it, and it is not there");
        }
    }

    /// What the dialect needs must not be empty, where it is there.
    pub(crate) fn need_text(&mut self, value: Option<&str>, path: &str) {
        if value == Some("") {
            self.refuse(path, "the dialect needs it, and it is empty");
        }
    }

    /// What is there is lost.
    pub(crate) fn take<T>(&mut self, value: &mut Option<T>, path: &str) {
        if value.take().is_some() {
            self.lose(path);
        }
    }

    /// What is not `usual` is lost.
    pub(crate) fn flag<T: PartialEq>(&mut self, value: &mut T, usual: T, path: &str) {
        if *value != usual {
            self.lose(path);
            *value = usual;
        }
    }

    /// All items are lost.
    pub(crate) fn list<T>(&mut self, values: &mut Vec<T>, path: &str) {
        if !values.is_empty() {
            self.lose(path);
            values.clear();
        }
    }

    /// All members are lost.
    pub(crate) fn map(&mut self, map: &mut Map, path: &str) {
        self.members(map, path, |_, _| false);
    }

    /// The members are lost that are not `kept`.
    pub(crate) fn members(
        &mut self,
        map: &mut Map,
        path: &str,
        kept: impl Fn(&str, &Value) -> bool,
    ) {
        map.retain(|name, value| {
            let stays = kept(name, value);
            if !stays {
                self.lose(&crate::object::below(path, name));
            }
            stays
        });
    }
}
