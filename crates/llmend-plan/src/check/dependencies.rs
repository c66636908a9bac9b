//! Dependencies on unknown steps.

use crate::{
    Fix,
    check::{CodeRow, Finding, plan_view::PlanView},
    code,
    graph::names::shown,
};

pub(super) const CODES: [CodeRow; 1] =
    [CodeRow::error(code::UNKNOWN_DEPENDENCY, "a step depends on an unknown step")];

pub(super) fn check(view: &PlanView<'_>, found: &mut Vec<Finding>) {
    let names = &view.subject.names;
    for (at, step) in view.plan.steps.iter().enumerate() {
        for (nth, id) in step.depends_on.iter().enumerate() {
            if names.get(id).is_some() {
                continue;
            }
            let message = format!("dependency on unknown step `{}`", shown(id));
            // An id that differs only in case is certain; a similar id is only suggested.
            let meant = names.ignoring_case(id).filter(|meant| *meant != at);
            let fix = meant.map(|meant| Fix::RenameDependency {
                step: at,
                dependency: nth,
                to: names.id(meant).to_owned(),
            });
            let path = view.subject.path(at, &format!("/depends_on/{nth}"));
            found.push(CODES[0].at(path, message).help(names.advice(id)).fix(fix));
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
                (r#"[{"id": "a"}, {"id": "b", "depends_on": ["a"]}]"#, ""),
                (
                    r#"[{"id": "a", "depends_on": ["x"]}, {"id": "b", "depends_on": ["a", "y"]}]"#,
                    "plan/unknown-dependency@/steps/0/depends_on/0 plan/unknown-dependency@/steps/1/depends_on/1",
                ),
                (
                    r#"[{"id": "a"}, {"id": "b", "depends_on": ["A"]}]"#,
                    "plan/unknown-dependency@/steps/1/depends_on/0+fix",
                ),
            ],
        );
    }
}
