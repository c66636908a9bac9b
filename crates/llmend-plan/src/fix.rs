//! How is something put right that a check found?

use serde::Serialize;

use crate::{Plan, Workflow};

/// A change that is safe: it says no more than the author said already.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "fix", rename_all = "snake_case")]
pub enum Fix {
    /// A step that refers to another depends on it.
    AddDependency {
        /// Index of the step.
        step: usize,
        /// Id of the step that comes first.
        on: String,
    },
    /// A dependency goes.
    RemoveDependency {
        /// Index of the step.
        step: usize,
        /// Index of the dependency in it.
        dependency: usize,
    },
    /// A dependency is spelt as the id is.
    RenameDependency {
        /// Index of the step.
        step: usize,
        /// Index of the dependency in it.
        dependency: usize,
        /// The id.
        to: String,
    },
    /// One end of an edge is spelt as the id is.
    RenameEnd {
        /// Index of the edge.
        edge: usize,
        /// Which end.
        end: End,
        /// The id.
        to: String,
    },
}

/// An end of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Where it starts.
    From,
    /// Where it leads.
    To,
}

/// Puts right in `plan` what `fixes` say, all of which were found in it as it is. Returns how many
/// were made; those of a workflow are not.
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
    let mut made = 0;
    let mut gone: Vec<(usize, usize)> = Vec::new();
    for fix in fixes {
        made += usize::from(match fix {
            Fix::AddDependency { step, on } => plan.steps.get_mut(*step).is_some_and(|step| {
                step.depends_on.push(on.clone());
                true
            }),
            Fix::RemoveDependency { step, dependency } => {
                let there = plan.steps.get(*step);
                let there = there.is_some_and(|step| *dependency < step.depends_on.len());
                if there {
                    gone.push((*step, *dependency));
                }
                there
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
    // The last first, so that the indexes of the others stand.
    gone.sort_unstable();
    gone.dedup();
    for (step, dependency) in gone.into_iter().rev() {
        if let Some(step) = plan.steps.get_mut(step) {
            step.depends_on.remove(dependency);
        }
    }
    made
}

/// Puts right in `workflow` what `fixes` say. Returns how many were made; those of a plan are not.
pub fn fix_workflow<'f>(
    workflow: &mut Workflow,
    fixes: impl IntoIterator<Item = &'f Fix>,
) -> usize {
    let mut made = 0;
    for fix in fixes {
        if let Fix::RenameEnd { edge, end, to } = fix
            && let Some(edge) = workflow.edges.get_mut(*edge)
        {
            match end {
                End::From => edge.from.clone_from(to),
                End::To => edge.to.clone_from(to),
            }
            made += 1;
        }
    }
    made
}
