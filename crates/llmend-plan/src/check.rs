//! Checks of plans and workflows.
//!
//! All checks run and report all findings at once. A check changes nothing: a safe correction is a
//! [`Fix`] in the finding, which the caller may apply.

use llmend_json::{Diagnostic, Severity};

use crate::{Fix, Options, Plan, Workflow, code::CodeRow};

mod arguments;
mod conditions;
mod cycle;
mod dangling;
mod dependencies;
mod empty;
mod end_loops;
pub(crate) mod entry;
mod expression;
mod flow_cycle;
mod flow_view;
mod ids;
mod if_branches;
mod iterations;
mod labels;
mod loops;
mod plan_view;
mod self_dependency;
mod size;
mod subject;
mod successors;
mod switch;
mod template;
mod tools;
mod unreachable;
mod variables;
mod waiting;

pub(crate) use template::UNDECLARED;

#[cfg(test)]
mod tests;

use flow_view::FlowView;
use plan_view::PlanView;
use subject::Subject;

/// A problem, or a possible problem, that a check reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Code, severity and message. The path is a JSON Pointer into the canonical form.
    pub diagnostic: Diagnostic,
    /// The fix, if a safe one exists.
    pub fix: Option<Fix>,
}

impl CodeRow {
    /// Returns a finding with this code at `path` of the canonical form.
    fn at(&self, path: impl Into<String>, message: impl Into<String>) -> Finding {
        let diagnostic = Diagnostic::new(self.code, self.severity, message).on(path);
        Finding { diagnostic, fix: None }
    }
}

impl Finding {
    /// Sets the help.
    fn help(mut self, help: Option<String>) -> Self {
        self.diagnostic.help = help;
        self
    }

    /// Sets the fix.
    fn fix(mut self, fix: Option<Fix>) -> Self {
        self.fix = fix;
        self
    }

    /// Lowers the severity to a warning.
    fn only_warning(mut self) -> Self {
        self.diagnostic.severity = Severity::Warning;
        self
    }
}

/// A check and the codes it reports.
type SharedCheck = (fn(&Subject<'_>, &mut Vec<Finding>), &'static [CodeRow]);
type PlanCheck = (fn(&PlanView<'_>, &mut Vec<Finding>), &'static [CodeRow]);
type WorkflowCheck = (fn(&FlowView<'_>, &mut Vec<Finding>), &'static [CodeRow]);

/// Checks of plans and workflows.
const SHARED: [SharedCheck; 7] = [
    (empty::check, &empty::CODES),
    (size::check, &size::CODES),
    (ids::check, &ids::CODES),
    (tools::check, &tools::CODES),
    (arguments::check, &arguments::CODES),
    (expression::check, &expression::CODES),
    (template::check, &template::CODES),
];

/// Checks of plans.
const PLAN: [PlanCheck; 4] = [
    (dependencies::check, &dependencies::CODES),
    (self_dependency::check, &self_dependency::CODES),
    (cycle::check, &cycle::CODES),
    (waiting::check, &waiting::CODES),
];

/// Checks of workflows.
const WORKFLOW: [WorkflowCheck; 13] = [
    (dangling::check, &dangling::CODES),
    (entry::check, &entry::CODES),
    (labels::check, &labels::CODES),
    (if_branches::check, &if_branches::CODES),
    (switch::check, &switch::CODES),
    (loops::check, &loops::CODES),
    (successors::check, &successors::CODES),
    (end_loops::check, &end_loops::CODES),
    (flow_cycle::check, &flow_cycle::CODES),
    (unreachable::check, &unreachable::CODES),
    (iterations::check, &iterations::CODES),
    (conditions::check, &conditions::CODES),
    (variables::check, &variables::CODES),
];

/// Returns the codes of all checks, in the order of the checks.
pub(crate) fn codes() -> impl Iterator<Item = CodeRow> {
    let shared = SHARED.iter().flat_map(|(_, codes)| codes.iter());
    let plan = PLAN.iter().flat_map(|(_, codes)| codes.iter());
    let workflow = WORKFLOW.iter().flat_map(|(_, codes)| codes.iter());
    shared.chain(plan).chain(workflow).copied()
}

/// Checks `plan`. The options give the catalog of tools and the maximum number of steps.
///
/// ```
/// use llmend_plan::{Options, Plan, Step, check_plan};
///
/// let step = |id: &str, on: &str| Step { id: id.into(), depends_on: vec![on.into()], ..Step::default() };
/// let plan = Plan { steps: vec![step("a", "b"), step("b", "a"), step("c", "x")], ..Plan::default() };
/// let found = check_plan(&plan, &Options::default());
/// let codes: Vec<_> = found.iter().map(|it| &*it.diagnostic.code).collect();
/// assert_eq!(codes, ["plan/unknown-dependency", "plan/cycle"]);
/// ```
#[must_use]
pub fn check_plan(plan: &Plan, options: &Options) -> Vec<Finding> {
    let view = PlanView::new(plan, options);
    let mut found = Vec::new();
    for (check, _) in SHARED {
        check(&view.subject, &mut found);
    }
    for (check, _) in PLAN {
        check(&view, &mut found);
    }
    found
}

/// Checks `workflow`. The options give the catalog of tools and the maximum number of nodes and edges.
///
/// ```
/// use llmend_plan::{Options, Workflow, check_workflow};
///
/// let workflow: Workflow = serde_json::from_value(serde_json::json!({
///     "nodes": [{"id": "a", "type": "tool", "tool": "x"}, {"id": "b", "type": "tool", "tool": "x"}],
///     "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}],
/// }))?;
/// let found = check_workflow(&workflow, &Options::default());
/// assert_eq!(found[0].diagnostic.path.as_deref(), Some("/edges/1/to"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn check_workflow(workflow: &Workflow, options: &Options) -> Vec<Finding> {
    let view = FlowView::new(workflow, options);
    let mut found = Vec::new();
    for (check, _) in SHARED {
        check(&view.subject, &mut found);
    }
    found.extend(run_workflow_checks(&view));
    found
}

/// Runs only the checks that do not apply to plans.
pub(crate) fn check_flow(workflow: &Workflow, options: &Options) -> Vec<Finding> {
    run_workflow_checks(&FlowView::new(workflow, options))
}

fn run_workflow_checks(view: &FlowView<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for (check, _) in WORKFLOW {
        check(view, &mut found);
    }
    found
}
