//! Checks of a plan as the workflow it converts to.

use llmend_json::{Diagnostic, Severity};

use crate::{Inference, Locations, Options, Plan, check, infer};

/// Checks the workflow that `plan` converts to and returns its errors as warnings. A plan may fork
/// and have several first steps; a workflow has one entry, and a plain node one successor.
///
/// Problems of the plan itself are found by [`check_plan`](crate::check_plan). The findings are
/// located by `locations`, the locations of the plan.
///
/// ```
/// use llmend_plan::{Document, Options, review, check_plan_as_workflow};
///
/// let reviewed = review("1. Boil water\n2. Pour it\n", &Options::default())?;
/// let Document::Plan(plan) = &reviewed.value else { panic!("a plan") };
/// let findings = check_plan_as_workflow(plan, &reviewed.locations);
/// assert_eq!(findings[0].code, "workflow/several-entries");
/// # Ok::<(), llmend_plan::Error>(())
/// ```
#[must_use]
pub fn check_plan_as_workflow(plan: &Plan, locations: &Locations) -> Vec<Diagnostic> {
    let converted = plan.to_workflow();
    let locations = converted.locations(locations);
    let Inference { workflow, locations, .. } = infer(converted.workflow, locations);
    let found = check::check_flow(&workflow, &Options::default());
    let errors = found.into_iter().map(|it| it.diagnostic);
    let errors = errors.filter(|row| row.severity == Severity::Error);
    errors
        .map(|row| {
            let message = format!("invalid as a workflow: {}", row.message);
            locations.locate(Diagnostic { severity: Severity::Warning, message, ..row })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_workflow_cannot_be_is_reported() {
        let rows: [(&str, &[&str]); 4] = [
            (r#"[{"id": "a"}, {"id": "b", "depends_on": ["a"]}]"#, &[]),
            (
                r#"[{"id": "a"}, {"id": "b", "depends_on": ["a"]}, {"id": "c", "depends_on": ["a"]}]"#,
                &["workflow/several-successors"],
            ),
            (r#"[{"id": "a"}, {"id": "b"}]"#, &["workflow/several-entries"]),
            // What is wrong with the plan itself is found by `check_plan`.
            (r#"[{"id": "a", "inputs": {"x": "{{a.y"}}]"#, &[]),
        ];
        for (steps, expected) in rows {
            let steps = serde_json::from_str(steps).unwrap();
            let plan = Plan { steps, ..Plan::default() };
            let found = check_plan_as_workflow(&plan, &Locations::default());
            let codes: Vec<&str> = found.iter().map(|row| &*row.code).collect();
            assert_eq!(codes, expected, "{plan:?}");
            assert!(found.iter().all(|row| row.severity == Severity::Warning), "{found:?}");
        }
    }
}
