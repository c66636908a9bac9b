//! Dependency cycles.

use crate::{
    check::{CodeRow, Finding, plan_view::PlanView},
    graph::{
        cycles::{Cycle, cycles},
        names::{IdIndex, shown},
    },
};

pub(super) const CODES: [CodeRow; 1] =
    [CodeRow::error("plan/cycle", "steps depend on each other").standalone()];

/// Maximum number of ids of a cycle in a message.
const SPELLED: usize = 12;

pub(super) fn check(view: &PlanView<'_>, found: &mut Vec<Finding>) {
    let Some(graph) = view.graph() else { return };
    for cycle in cycles(graph) {
        let Some(last) = cycle.arrows.last() else { continue };
        let way = spelled(&cycle, &view.subject.names);
        let message = format!("dependency cycle: {way}");
        let path = view.subject.path(last.to, &format!("/depends_on/{}", last.of));
        let help = "Remove a dependency that is not needed.";
        found.push(CODES[0].at(path, message).help(Some(help.to_owned())));
    }
}

/// Formats the path of a cycle, from its first item back to it.
pub(super) fn spelled(cycle: &Cycle, names: &IdIndex<'_>) -> String {
    let name = |item: usize| format!("`{}`", shown(names.id(item)));
    let mut way: Vec<String> =
        cycle.arrows.iter().take(SPELLED).map(|arrow| name(arrow.from)).collect();
    let more = cycle.arrows.len() - way.len();
    if more > 0 {
        way.push(format!("{more} more"));
    }
    way.extend(cycle.arrows.first().map(|arrow| name(arrow.from)));
    let way = way.join(" → ");
    match cycle.size - cycle.arrows.len() {
        0 => way,
        others => format!("{way} (and {others} more steps in cycles with these)"),
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
                    r#"[{"id": "a", "depends_on": ["b"]}, {"id": "b", "depends_on": ["a"]}]"#,
                    "plan/cycle@/steps/0/depends_on/0",
                ),
                (
                    r#"[{"id": "a", "depends_on": ["c"]}, {"id": "b", "depends_on": ["a"]}, {"id": "c", "depends_on": ["x", "b"]}]"#,
                    "plan/cycle@/steps/0/depends_on/0",
                ),
                (
                    r#"[{"id": "a"}, {"id": "b", "depends_on": ["a"]}, {"id": "c", "depends_on": ["a", "b"]}]"#,
                    "",
                ),
                (r#"[{"id": "a", "depends_on": ["a"]}]"#, ""),
            ],
        );
    }
}
