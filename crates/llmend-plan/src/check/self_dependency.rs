//! Steps that depend on themselves.

use crate::{
    Fix,
    check::{CodeRow, Finding, plan_view::PlanView},
    graph::names::shown,
};

pub(super) const CODES: [CodeRow; 1] =
    [CodeRow::error("plan/self-dependency", "a step depends on itself").standalone()];

pub(super) fn check(view: &PlanView<'_>, found: &mut Vec<Finding>) {
    for (at, step) in view.plan.steps.iter().enumerate() {
        for (nth, _) in step.depends_on.iter().enumerate().filter(|(_, id)| **id == step.id) {
            let message = format!("step `{}` depends on itself", shown(&step.id));
            let path = view.subject.path(at, &format!("/depends_on/{nth}"));
            let help = "Remove the dependency.".to_owned();
            let fix = Fix::RemoveDependency { step: at, dependency: nth };
            found.push(CODES[0].at(path, message).help(Some(help)).fix(Some(fix)));
        }
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
                    r#"[{"id": "a", "depends_on": ["a"]}]"#,
                    "plan/self-dependency@/steps/0/depends_on/0+fix",
                ),
                (r#"[{"id": "a"}, {"id": "b", "depends_on": ["a"]}]"#, ""),
            ],
        );
    }
}
