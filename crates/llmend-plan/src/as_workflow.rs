//! Does a plan stand up as the workflow that is written of it?

use llmend_json::{Diagnostic, Severity};

use crate::{Inferred, Options, Places, Plan, check, infer};

/// What would be refused in the workflow that is written of `plan`, as warnings with the codes of
/// those errors. A plan may fork and begin at several steps; a workflow has one entry, and a node in
/// it one successor.
///
/// What is wrong with the plan itself is for [`check_plan`](crate::check_plan). `places` are those of
/// the plan, and the findings stand there.
///
/// ```
/// use llmend_plan::{Document, Options, review, unsound_as_workflow};
///
/// let reviewed = review("1. Boil water\n2. Pour it\n", &Options::default())?;
/// let Document::Plan(plan) = &reviewed.value else { panic!("a plan") };
/// let found = unsound_as_workflow(plan, &reviewed.places);
/// assert_eq!(found[0].code, "workflow/several-entries");
/// # Ok::<(), llmend_plan::Error>(())
/// ```
#[must_use]
pub fn unsound_as_workflow(plan: &Plan, places: &Places) -> Vec<Diagnostic> {
    let converted = plan.to_workflow();
    let places = converted.places(places);
    let Inferred { workflow, places, .. } = infer(converted.workflow, places);
    let found = check::of_flow_alone(&workflow, &Options::default());
    let errors = found.into_iter().map(|it| it.diagnostic);
    let errors = errors.filter(|row| row.severity == Severity::Error);
    errors
        .map(|row| {
            let message = format!("a check refuses the workflow written of this: {}", row.message);
            places.locate(Diagnostic { severity: Severity::Warning, message, ..row })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_workflow_cannot_be_is_told() {
        let rows: [(&str, &[&str]); 4] = [
            (r#"[{"id": "a"}, {"id": "b", "depends_on": ["a"]}]"#, &[]),
            (
                r#"[{"id": "a"}, {"id": "b", "depends_on": ["a"]}, {"id": "c", "depends_on": ["a"]}]"#,
                &["workflow/several-successors"],
            ),
            (r#"[{"id": "a"}, {"id": "b"}]"#, &["workflow/several-entries"]),
            // What is wrong with the plan itself is told by its own check.
            (r#"[{"id": "a", "inputs": {"x": "{{a.y"}}]"#, &[]),
        ];
        for (steps, expected) in rows {
            let steps = serde_json::from_str(steps).unwrap();
            let plan = Plan { steps, ..Plan::default() };
            let found = unsound_as_workflow(&plan, &Places::default());
            let codes: Vec<&str> = found.iter().map(|row| &*row.code).collect();
            assert_eq!(codes, expected, "{plan:?}");
            assert!(found.iter().all(|row| row.severity == Severity::Warning), "{found:?}");
        }
    }
}
