//! What a proposal changes, and why a person should look at it.

use llmend::{
    asking::{Validity, without_keys},
    assistant::{Proposal, Reply, Turn},
    draw::{Annotations, Format, draw},
    json::{Diagnostic, Severity},
    plan::Document,
};

use crate::render::{counted, guesses};

/// Returns the proposal of a turn. `None` for plain text.
pub(super) const fn proposal(turn: &Turn) -> Option<&Proposal> {
    match &turn.reply {
        Reply::Patch(proposal) | Reply::Whole(proposal) => Some(proposal),
        _ => None,
    }
}

/// Returns the number of places in the answer that were guessed.
pub(super) fn guessed(turn: &Turn) -> usize {
    let review = proposal(turn).and_then(|proposal| proposal.review.as_ref());
    review.map_or(0, |review| guesses::guessed(&review.report, None))
}

/// Returns what a person should know of a proposal before it is applied.
pub(super) fn reasons(before: Option<&Document>, turn: &Turn, document: &Document) -> Vec<String> {
    let mut reasons = Vec::new();
    let changed = before.map_or(0, |before| removed(before, document));
    if changed > 0 {
        reasons.push(format!("removes or changes {}", counted(changed, "part")));
    }
    let guessed = guessed(turn);
    if guessed > 0 {
        reasons.push(format!("{} guessed", counted(guessed, "place")));
    }
    if turn.validity == Validity::Unchecked {
        reasons.push("unchecked".to_owned());
    }
    let warnings = turn.findings.iter().filter(|row| row.severity == Severity::Warning).count();
    if warnings > 0 {
        reasons.push(counted(warnings, "warning"));
    }
    reasons
}

/// Returns a workflow or plan as a tree for the terminal.
pub(super) fn drawing(document: &Document) -> Option<String> {
    Some(draw(&document.to_workflow()?, &Annotations::default(), Format::Tree))
}

/// Counts the parts of `before` (nodes, edges, steps) that are missing or changed in `after`.
fn removed(before: &Document, after: &Document) -> usize {
    // A document that cannot be serialized has no parts to compare.
    let json = |document: &Document| serde_json::to_value(document).unwrap_or_default();
    let (before, after) = (json(before), json(after));
    let lists = ["steps", "nodes", "edges"].map(|name| (before.get(name), after.get(name)));
    let parts = |list: Option<&serde_json::Value>| list.and_then(|list| list.as_array()).cloned();
    let gone = |(before, after): (Option<&_>, Option<&_>)| {
        let after = parts(after).unwrap_or_default();
        let before = parts(before).unwrap_or_default();
        before.iter().filter(|part| !after.contains(part)).count()
    };
    lists.into_iter().map(gone).sum()
}

/// Returns findings as they are shown: without the spans, which refer to an answer that is not, and without
/// what looks like a key.
pub(super) fn shown(rows: &[Diagnostic]) -> Vec<Diagnostic> {
    let without = |row: &Diagnostic| Diagnostic { span: None, ..row.clone() };
    let mut rows: Vec<_> = rows.iter().map(without).collect();
    without_keys(&mut rows);
    rows
}

#[cfg(test)]
mod tests {
    use llmend::plan::Document;

    use super::removed;

    #[test]
    fn additions_remove_nothing() {
        let read = |text: &str| -> Document {
            llmend::review_plan(text).expect("it reads").reviewed.value
        };
        let two = read(
            r#"{"nodes": [{"id": "a", "type": "tool", "tool": "t"}, {"id": "b", "type": "tool", "tool": "t"}], "edges": [{"from": "a", "to": "b"}]}"#,
        );
        let one = read(r#"{"nodes": [{"id": "a", "type": "tool", "tool": "t"}], "edges": []}"#);
        let other = read(r#"{"nodes": [{"id": "a", "type": "tool", "tool": "u"}], "edges": []}"#);
        let plan = read(r#"{"steps": [{"id": "a", "tool": "t"}]}"#);
        for (before, after, expected) in
            [(&one, &two, 0), (&two, &two, 0), (&two, &one, 2), (&one, &other, 1), (&one, &plan, 1)]
        {
            assert_eq!(removed(before, after), expected, "{before:?} {after:?}");
        }
    }
}
