//! What does an answer say, once all that can safely be put right was?

use std::collections::HashSet;

use llmend_json::Severity;

use crate::{Document, Fix, Options, Places, Reviewed, places::ItemPlaces, review::check};

/// How often what was put right is looked at again, since fixes may follow from a fix.
const ROUNDS: usize = 4;

/// The same answer with all fixes made. What was put right stays on record at level info, and is
/// counted; the result is checked again, so that a finding that follows from a fix is not missed: a
/// dependency that was declared may close a cycle.
///
/// ```
/// use llmend_plan::{Document, Options, put_right, review};
///
/// let answer = r#"{"steps": [{"id": "a"}, {"id": "b", "depends_on": ["b", "A"]}]}"#;
/// let options = Options::default();
/// let fixed = put_right(review(answer, &options)?, &options);
/// let Document::Plan(plan) = &fixed.value else { panic!("a plan") };
/// assert_eq!(plan.steps[1].depends_on, ["a"]);
/// assert!(!fixed.has_errors());
/// assert_eq!((fixed.put_right, fixed.diagnostics.len()), (2, 2));
/// # Ok::<(), llmend_plan::Error>(())
/// ```
#[must_use]
pub fn put_right(mut reviewed: Reviewed<Document>, options: &Options) -> Reviewed<Document> {
    for _ in 0..ROUNDS {
        if reviewed.fixes.is_empty() {
            break;
        }
        reviewed = again(reviewed, options);
    }
    reviewed
}

/// The same with its fixes made, and checked again.
fn again(reviewed: Reviewed<Document>, options: &Options) -> Reviewed<Document> {
    let Reviewed { mut value, extent, dialect, mut diagnostics, fixes, mut put_right, mut places } =
        reviewed;
    let fixes = without_twins(fixes);
    // The rows of the checks come last, in the order of the findings.
    let found = check(&value, dialect, options);
    let rows = diagnostics.split_off(diagnostics.len().saturating_sub(found.len()));
    for (mut row, finding) in rows.into_iter().zip(found) {
        if finding.fix.is_some() {
            row.severity = Severity::Info;
            row.message = format!("put right: {}", row.message);
            row.help = None;
            diagnostics.push(row);
            put_right += 1;
        }
    }
    value.fix(&fixes);
    follow(&mut places, &fixes);
    let mut left = Vec::new();
    for finding in check(&value, dialect, options) {
        diagnostics.push(places.locate(finding.diagnostic));
        left.extend(finding.fix);
    }
    Reviewed { value, extent, dialect, diagnostics, fixes: left, put_right, places }
}

/// The fixes, without dependencies to be declared that another fix spells right already.
fn without_twins(fixes: Vec<Fix>) -> Vec<Fix> {
    let renamed: HashSet<(usize, String)> = fixes
        .iter()
        .filter_map(|fix| match fix {
            Fix::RenameDependency { step, to, .. } => Some((*step, to.clone())),
            _ => None,
        })
        .collect();
    let is_twin = |fix: &Fix| match fix {
        Fix::AddDependency { step, on } => renamed.contains(&(*step, on.clone())),
        _ => false,
    };
    fixes.into_iter().filter(|fix| !is_twin(fix)).collect()
}

/// Lets the places of dependencies follow those that were removed.
fn follow(places: &mut Places, fixes: &[Fix]) {
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
        if let Some(item) = places.lists.get_mut("steps").and_then(|steps| steps.get_mut(step)) {
            close_gap(item, dependency);
        }
    }
}

fn close_gap(item: &mut ItemPlaces, gone: usize) {
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
        put_right(review(text, &options).unwrap(), &options)
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
    fn what_was_put_right_stays_on_record_and_is_checked_again() {
        let rows: [(&str, &[&str]); 4] = [
            (
                r#"{"steps": [{"id": "a"}, {"id": "b", "depends_on": ["A"]}]}"#,
                &[r#"info plan/unknown-dependency "A""#],
            ),
            // Whether its own id is meant is not certain.
            (
                r#"{"steps": [{"id": "a", "depends_on": ["A"]}]}"#,
                &[r#"error plan/unknown-dependency "A""#],
            ),
            // Those behind one that went keep their places.
            (
                r#"{"steps": [{"id": "a", "depends_on": ["a", "x"]}]}"#,
                &[r#"info plan/self-dependency "a""#, r#"error plan/unknown-dependency "x""#],
            ),
            // A cycle is not broken.
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
