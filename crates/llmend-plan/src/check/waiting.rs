//! Steps that can never start.

use std::collections::VecDeque;

use crate::{
    check::{CodeRow, Finding, plan_view::PlanView},
    graph::names::shown,
};

pub(super) const CODES: [CodeRow; 1] =
    [CodeRow::warning("plan/never-starts", "a step depends on one that can never start")];

/// Other checks report steps in a cycle, and those that depend on themselves or on unknown steps. This
/// one reports the steps that wait for them.
pub(super) fn check(view: &PlanView<'_>, found: &mut Vec<Finding>) {
    let Some(graph) = view.graph() else { return };
    let components = graph.components();
    let stuck = |at: usize| {
        let step = view.plan.steps.get(at);
        let unknown = step.is_some_and(|step| {
            step.depends_on.iter().any(|id| *id == step.id || view.subject.names.get(id).is_none())
        });
        let circle = components.of.get(at).and_then(|number| components.members.get(*number));
        unknown || circle.is_some_and(|members| members.len() > 1)
    };
    let mut why: Vec<Option<usize>> = vec![None; graph.len()];
    let mut open: VecDeque<usize> = (0..graph.len()).filter(|at| stuck(*at)).collect();
    for at in &open {
        if let Some(slot) = why.get_mut(*at) {
            *slot = Some(*at);
        }
    }
    while let Some(at) = open.pop_front() {
        let cause = why.get(at).copied().flatten();
        for arrow in graph.after(at) {
            if let Some(slot @ None) = why.get_mut(arrow.to) {
                *slot = cause;
                open.push_back(arrow.to);
            }
        }
    }
    for (at, cause) in why.into_iter().enumerate() {
        let Some(cause) = cause.filter(|cause| *cause != at) else { continue };
        let message =
            format!("step can never start: it waits for `{}`", shown(view.subject.names.id(cause)));
        found.push(CODES[0].at(view.subject.path(at, ""), message));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn rows() {
        crate::check::tests::of_plans(
            &super::CODES,
            &[
                (
                    r#"[{"id": "a", "depends_on": ["b"]}, {"id": "b", "depends_on": ["a"]}, {"id": "c", "depends_on": ["b"]}, {"id": "d", "depends_on": ["c"]}, {"id": "e"}]"#,
                    "plan/never-starts@/steps/2 plan/never-starts@/steps/3",
                ),
                (
                    r#"[{"id": "a", "depends_on": ["x"]}, {"id": "b", "depends_on": ["a"]}]"#,
                    "plan/never-starts@/steps/1",
                ),
                (r#"[{"id": "a"}, {"id": "b", "depends_on": ["a"]}]"#, ""),
            ],
        );
    }
}
