//! What is wrong with a plan or a workflow?
//!
//! Every check runs, and all findings come at once. A check only looks: it changes nothing. What can
//! safely be put right comes as a [`Fix`] beside the finding, and is made only by who asks for it.

use llmend_json::{Diagnostic, Severity};

use crate::{Fix, Options, Plan, Workflow};

mod arguments;
mod conditions;
mod cycle;
mod dangling;
mod dependencies;
mod empty;
mod end_loops;
mod entry;
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

/// Something that is wrong, or may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it is. Its path is that of the canonical form.
    pub diagnostic: Diagnostic,
    /// What would put it right, if that is safe.
    pub fix: Option<Fix>,
}

/// A code that a check may give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The stable code.
    pub code: &'static str,
    /// How much it matters, at most.
    pub severity: Severity,
    /// What it says, in a few words.
    pub about: &'static str,
}

impl Listed {
    pub(crate) const fn error(code: &'static str, about: &'static str) -> Self {
        Self { code, severity: Severity::Error, about }
    }

    const fn warning(code: &'static str, about: &'static str) -> Self {
        Self { code, severity: Severity::Warning, about }
    }

    /// A finding of this code about the part at `path` of the canonical form.
    fn at(&self, path: impl Into<String>, message: impl Into<String>) -> Finding {
        let diagnostic = Diagnostic::new(self.code, self.severity, message).on(path);
        Finding { diagnostic, fix: None }
    }
}

impl Finding {
    /// The same with advice, if there is some.
    fn help(mut self, help: Option<String>) -> Self {
        self.diagnostic.help = help;
        self
    }

    /// The same with what puts it right.
    fn fix(mut self, fix: Option<Fix>) -> Self {
        self.fix = fix;
        self
    }

    /// The same, but no error.
    fn only_warning(mut self) -> Self {
        self.diagnostic.severity = Severity::Warning;
        self
    }
}

/// A check, which looks at what it is about and says what it finds, and the codes that it gives.
type OfBoth = (fn(&Subject<'_>, &mut Vec<Finding>), &'static [Listed]);
type OfPlan = (fn(&PlanView<'_>, &mut Vec<Finding>), &'static [Listed]);
type OfWorkflow = (fn(&FlowView<'_>, &mut Vec<Finding>), &'static [Listed]);

/// Checks that both shapes have.
const SHARED: [OfBoth; 7] = [
    (empty::check, &empty::CODES),
    (size::check, &size::CODES),
    (ids::check, &ids::CODES),
    (tools::check, &tools::CODES),
    (arguments::check, &arguments::CODES),
    (expression::check, &expression::CODES),
    (template::check, &template::CODES),
];

/// Checks of a plan alone.
const OF_A_PLAN: [OfPlan; 4] = [
    (dependencies::check, &dependencies::CODES),
    (self_dependency::check, &self_dependency::CODES),
    (cycle::check, &cycle::CODES),
    (waiting::check, &waiting::CODES),
];

/// Checks of a workflow alone.
const OF_A_WORKFLOW: [OfWorkflow; 13] = [
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

/// Every code that a check may give, each once, in the order of the checks.
pub fn listed() -> impl Iterator<Item = Listed> {
    let shared = SHARED.iter().flat_map(|(_, codes)| codes.iter());
    let plan = OF_A_PLAN.iter().flat_map(|(_, codes)| codes.iter());
    let workflow = OF_A_WORKFLOW.iter().flat_map(|(_, codes)| codes.iter());
    shared.chain(plan).chain(workflow).copied()
}

/// Everything that is wrong with `plan`. The options say which tools there are, and how many steps
/// are too many.
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
    for (check, _) in OF_A_PLAN {
        check(&view, &mut found);
    }
    found
}

/// Everything that is wrong with `workflow`. The options say which tools there are, and how many
/// nodes and edges are too many.
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
    found.extend(flow_alone(&view));
    found
}

/// What is wrong with `workflow` that cannot be wrong with a plan.
pub(crate) fn of_flow_alone(workflow: &Workflow, options: &Options) -> Vec<Finding> {
    flow_alone(&FlowView::new(workflow, options))
}

fn flow_alone(view: &FlowView<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for (check, _) in OF_A_WORKFLOW {
        check(view, &mut found);
    }
    found
}
