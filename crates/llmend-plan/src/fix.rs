//! Fixes of findings.

use serde::Serialize;

use crate::{Plan, Workflow};

pub(crate) mod edit;

/// A safe correction: it states nothing that the plan does not imply already.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "fix", rename_all = "snake_case")]
pub enum Fix {
    /// Adds a dependency on a step that is referred to.
    AddDependency {
        /// Index of the step.
        step: usize,
        /// Id of the dependency.
        on: String,
    },
    /// Removes a dependency.
    RemoveDependency {
        /// Index of the step.
        step: usize,
        /// Index in its `depends_on`.
        dependency: usize,
    },
    /// Corrects the spelling of a dependency.
    RenameDependency {
        /// Index of the step.
        step: usize,
        /// Index in its `depends_on`.
        dependency: usize,
        /// The id.
        to: String,
    },
    /// Corrects the spelling of one end of an edge.
    RenameEnd {
        /// Index of the edge.
        edge: usize,
        /// The end to correct.
        end: End,
        /// The id.
        to: String,
    },
}

/// An end of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The source.
    From,
    /// The target.
    To,
}

/// Applies `fixes`, all found in `plan` as it is, and returns how many were applied. Fixes of workflows
/// are ignored.
///
/// ```
/// use llmend_plan::{Options, Plan, Step, check_plan, fix_plan};
///
/// let step = Step { id: "a".into(), depends_on: vec!["a".into()], ..Step::default() };
/// let mut plan = Plan { steps: vec![step], ..Plan::default() };
/// let found = check_plan(&plan, &Options::default());
/// assert_eq!(fix_plan(&mut plan, found.iter().filter_map(|it| it.fix.as_ref())), 1);
/// assert!(plan.steps[0].depends_on.is_empty());
/// ```
pub fn fix_plan<'f>(plan: &mut Plan, fixes: impl IntoIterator<Item = &'f Fix>) -> usize {
    let mut applied = 0;
    let mut removed: Vec<(usize, usize)> = Vec::new();
    for fix in fixes {
        applied += usize::from(match fix {
            Fix::AddDependency { step, on } => plan.steps.get_mut(*step).is_some_and(|step| {
                step.depends_on.push(on.clone());
                true
            }),
            Fix::RemoveDependency { step, dependency } => {
                let exists = plan.steps.get(*step);
                let exists = exists.is_some_and(|step| *dependency < step.depends_on.len());
                if exists {
                    removed.push((*step, *dependency));
                }
                exists
            }
            Fix::RenameDependency { step, dependency, to } => {
                let slot = plan.steps.get_mut(*step);
                match slot.and_then(|step| step.depends_on.get_mut(*dependency)) {
                    Some(slot) => {
                        slot.clone_from(to);
                        true
                    }
                    None => false,
                }
            }
            Fix::RenameEnd { .. } => false,
        });
    }
    // From the last to the first, so that indices stay valid.
    removed.sort_unstable();
    removed.dedup();
    for (step, dependency) in removed.into_iter().rev() {
        if let Some(step) = plan.steps.get_mut(step) {
            step.depends_on.remove(dependency);
        }
    }
    applied
}

/// Applies `fixes` to `workflow` and returns how many were applied. Fixes of plans are ignored.
pub fn fix_workflow<'f>(
    workflow: &mut Workflow,
    fixes: impl IntoIterator<Item = &'f Fix>,
) -> usize {
    let mut applied = 0;
    for fix in fixes {
        if let Fix::RenameEnd { edge, end, to } = fix
            && let Some(edge) = workflow.edges.get_mut(*edge)
        {
            match end {
                End::From => edge.from.clone_from(to),
                End::To => edge.to.clone_from(to),
            }
            applied += 1;
        }
    }
    applied
}
