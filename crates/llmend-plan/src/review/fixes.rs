//! Applying the fixes of a review.

use std::collections::HashSet;

use llmend_json::Severity;

use crate::{
    Document, Fix, Locations, Options,
    locations::ItemLocations,
    review::{Reviewed, check},
};

/// Maximum rounds of fixes: a fix may enable further ones.
const ROUNDS: usize = 4;

/// Applies all fixes of a review. Fixed findings stay in the list with severity `info` and are counted
/// in [`Reviewed::fixed`]. The result is checked again, since a fix may cause a finding: a declared
/// dependency may close a cycle.
///
/// ```
/// use llmend_plan::{Document, Options, apply_fixes, review};
///
/// let answer = r#"{"steps": [{"id": "a"}, {"id": "b", "depends_on": ["b", "A"]}]}"#;
/// let options = Options::default();
/// let reviewed = apply_fixes(review(answer, &options)?, &options);
/// let Document::Plan(plan) = &reviewed.value else { panic!("a plan") };
/// assert_eq!(plan.steps[1].depends_on, ["a"]);
/// assert!(!reviewed.has_errors());
/// assert_eq!((reviewed.fixed, reviewed.diagnostics.len()), (2, 2));
/// # Ok::<(), llmend_plan::Error>(())
/// ```
#[must_use]
pub fn apply_fixes(mut reviewed: Reviewed<Document>, options: &Options) -> Reviewed<Document> {
    for _ in 0..ROUNDS {
        if reviewed.fixes.is_empty() {
            break;
        }
        reviewed = apply_once(reviewed, options);
    }
    reviewed
}

/// Applies the current fixes and checks the result again.
fn apply_once(reviewed: Reviewed<Document>, options: &Options) -> Reviewed<Document> {
    let Reviewed { mut value, extent, dialect, mut diagnostics, fixes, mut fixed, mut locations } =
        reviewed;
    let fixes = without_duplicates(fixes);
    // The rows of the checks are the last ones, in the order of the findings.
    let found = check(&value, dialect, options);
    let rows = diagnostics.split_off(diagnostics.len().saturating_sub(found.len()));
    for (mut row, finding) in rows.into_iter().zip(found) {
        if finding.fix.is_some() {
            row.severity = Severity::Info;
            row.message = format!("fixed: {}", row.message);
            row.help = None;
            diagnostics.push(row);
            fixed += 1;
        }
    }
    value.fix(&fixes);
    update_places(&mut locations, &fixes);
    let mut remaining = Vec::new();
    for finding in check(&value, dialect, options) {
        diagnostics.push(locations.locate(finding.diagnostic));
        remaining.extend(finding.fix);
    }
    Reviewed { value, extent, dialect, diagnostics, fixes: remaining, fixed, locations }
}

/// Removes fixes that add a dependency which another fix renames to.
fn without_duplicates(fixes: Vec<Fix>) -> Vec<Fix> {
    let renamed: HashSet<(usize, String)> = fixes
        .iter()
        .filter_map(|fix| match fix {
            Fix::RenameDependency { step, to, .. } => Some((*step, to.clone())),
            _ => None,
        })
        .collect();
    let is_duplicate = |fix: &Fix| match fix {
        Fix::AddDependency { step, on } => renamed.contains(&(*step, on.clone())),
        _ => false,
    };
    fixes.into_iter().filter(|fix| !is_duplicate(fix)).collect()
}

/// Moves the locations of dependencies behind removed ones.
fn update_places(locations: &mut Locations, fixes: &[Fix]) {
    let mut gone: Vec<(usize, usize)> = fixes
        .iter()
        .filter_map(|fix| match fix {
            Fix::RemoveDependency { step, dependency } => Some((*step, *dependency)),
            _ => None,
        })
        .collect();
    gone.sort_unstable();
    gone.dedup();
    for (step, dependency) in gone.into_iter().rev() {
        if let Some(item) = locations.lists.get_mut("steps").and_then(|steps| steps.get_mut(step)) {
            close_gap(item, dependency);
        }
    }
}

fn close_gap(item: &mut ItemLocations, gone: usize) {
    let path = |nth: usize| format!("/depends_on/{nth}");
    item.parts.remove(&path(gone));
    let mut nth = gone + 1;
    while let Some(place) = item.parts.remove(&path(nth)) {
        item.parts.insert(path(nth - 1), place);
        nth += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review;

    fn fixed(text: &str) -> Reviewed<Document> {
        let options = Options::default();
        apply_fixes(review(text, &options).unwrap(), &options)
    }

    fn shown(reviewed: &Reviewed<Document>, text: &str) -> Vec<String> {
        let rows = reviewed.diagnostics.iter().map(|row| {
            let place = row.span.map(|span| span.of(text)).unwrap_or_default();
            format!("{} {} {place}", row.severity.as_str(), row.code)
        });
        rows.collect()
    }

    #[test]
    fn no_dependency_is_declared_twice() {
        let text = r#"{"steps": [{"id": "a"}, {"id": "b", "depends_on": ["A"], "inputs": {"x": "{{a.y}}"}}]}"#;
        let Document::Plan(plan) = fixed(text).value else { panic!("a plan") };
        assert_eq!(plan.steps[1].depends_on, ["a"]);
    }

    #[test]
    fn fixed_findings_are_kept_and_the_result_is_checked_again() {
        let rows: [(&str, &[&str]); 4] = [
            (
                r#"{"steps": [{"id": "a"}, {"id": "b", "depends_on": ["A"]}]}"#,
                &[r#"info plan/unknown-dependency "A""#],
            ),
            // The step's own id is not a certain correction.
            (
                r#"{"steps": [{"id": "a", "depends_on": ["A"]}]}"#,
                &[r#"error plan/unknown-dependency "A""#],
            ),
            // Dependencies behind a removed one keep their locations.
            (
                r#"{"steps": [{"id": "a", "depends_on": ["a", "x"]}]}"#,
                &[r#"info plan/self-dependency "a""#, r#"error plan/unknown-dependency "x""#],
            ),
            // Cycles are not broken.
            (
                r#"{"steps": [{"id": "a", "depends_on": ["B"]}, {"id": "b", "depends_on": ["a"]}]}"#,
                &[r#"info plan/unknown-dependency "B""#, r#"error plan/cycle "B""#],
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(shown(&fixed(text), text), expected, "{text}");
        }
    }
}
