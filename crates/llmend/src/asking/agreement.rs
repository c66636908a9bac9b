//! The value that most of several answers agree on, field by field.
//!
//! Members are compared by name and items by place, if most lists have the same length. Where no
//! value has more votes than another, the earliest answer counts.

use std::collections::BTreeMap;

use llmend_json::{Diagnostic, Kind, Node, Severity, preview, push_token};
use serde_json::Value as Json;

/// The depth below which parts are compared as a whole.
const MOST_DEPTH: usize = 64;

/// The number of characters of a value that a finding shows.
const SHOWN_CHARS: usize = 60;

/// What the answers agree on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Agreement {
    /// The value as JSON.
    pub(super) json: String,
    /// A warning for each part that not all answers agree on, in order.
    pub(super) findings: Vec<Diagnostic>,
}

/// Returns what `answers` agree on. `None` without any.
pub(super) fn agree(answers: &[Node<'_>]) -> Option<Agreement> {
    let mut agreement = Agreement::default();
    let mut path = String::new();
    (!answers.is_empty()).then(|| {
        agreement.vote(answers, &mut path, 0);
        agreement
    })
}

/// Returns the index of the answer that most others equal as a whole, the earliest of several.
pub(super) fn commonest(answers: &[Node<'_>]) -> usize {
    majority(answers, |answer| same(*answer)).first().copied().unwrap_or_default()
}

impl Agreement {
    /// Writes the part that most of `parts` agree on.
    fn vote(&mut self, parts: &[Node<'_>], path: &mut String, depth: usize) {
        let kinds = majority(parts, |part| part.kind());
        let chosen: Vec<Node<'_>> = kinds.iter().filter_map(|at| parts.get(*at).copied()).collect();
        let kind = chosen.first().map(|part| part.kind());
        let is_deep = depth >= MOST_DEPTH;
        match kind {
            Some(Kind::Object) if !is_deep => {
                self.note_kinds(parts, &chosen, path);
                self.vote_members(&chosen, path, depth);
            }
            Some(Kind::Array) if !is_deep => {
                let lengths = majority(&chosen, |part| part.len());
                let lists: Vec<_> =
                    lengths.iter().filter_map(|at| chosen.get(*at).copied()).collect();
                self.note_kinds(parts, &lists, path);
                self.vote_items(&lists, path, depth);
            }
            _ => self.vote_whole(parts, path),
        }
    }

    fn vote_members(&mut self, objects: &[Node<'_>], path: &mut String, depth: usize) {
        let mut names: Vec<&str> = Vec::new();
        for name in
            objects.iter().flat_map(|object| object.members()).filter_map(|(key, _)| key.str())
        {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        self.json.push('{');
        let mut is_first = true;
        for name in names {
            let parts: Vec<Node<'_>> = objects.iter().filter_map(|it| it.get(name)).collect();
            let start = path.len();
            push_token(path, name);
            let missing = objects.len() - parts.len();
            let is_in_first = objects.first().is_some_and(|first| first.get(name).is_some());
            let is_kept = parts.len() > missing || (parts.len() == missing && is_in_first);
            if missing > 0 {
                let what = if is_kept { "kept" } else { "omitted" };
                let message = format!(
                    "{} of {} answers have this member; it is {what}",
                    parts.len(),
                    objects.len()
                );
                self.note(path, message);
            }
            if is_kept {
                if !is_first {
                    self.json.push(',');
                }
                is_first = false;
                self.json.push_str(&Json::from(name).to_string());
                self.json.push(':');
                self.vote(&parts, path, depth + 1);
            }
            path.truncate(start);
        }
        self.json.push('}');
    }

    fn vote_items(&mut self, lists: &[Node<'_>], path: &mut String, depth: usize) {
        self.json.push('[');
        for at in 0..lists.first().map_or(0, |list| list.len()) {
            if at > 0 {
                self.json.push(',');
            }
            let start = path.len();
            push_token(path, &at.to_string());
            let parts: Vec<Node<'_>> = lists.iter().filter_map(|list| list.item(at)).collect();
            self.vote(&parts, path, depth + 1);
            path.truncate(start);
        }
        self.json.push(']');
    }

    fn vote_whole(&mut self, parts: &[Node<'_>], path: &str) {
        let chosen = majority(parts, |part| same(*part));
        let Some(first) = chosen.first().and_then(|at| parts.get(*at)) else { return };
        self.json.push_str(&first.to_string());
        if chosen.len() < parts.len() {
            let chosen: Vec<_> = chosen.iter().filter_map(|at| parts.get(*at).copied()).collect();
            self.note_kinds(parts, &chosen, path);
        }
    }

    /// Notes which parts are not among the chosen ones, if some are not.
    fn note_kinds(&mut self, parts: &[Node<'_>], chosen: &[Node<'_>], path: &str) {
        if chosen.len() == parts.len() {
            return;
        }
        let is_chosen = |part: &Node<'_>| {
            chosen.iter().any(|one| one.kind() == part.kind() && same(*one) == same(*part))
        };
        let mut others: BTreeMap<String, usize> = BTreeMap::new();
        for other in parts.iter().filter(|part| !is_chosen(part)) {
            *others.entry(shown(*other)).or_default() += 1;
        }
        let others: Vec<_> = others.iter().map(|(text, count)| format!("{count} {text}")).collect();
        let first = chosen.first().map_or_else(String::new, |first| shown(*first));
        let message = format!(
            "{} of {} answers have {first}; others: {}",
            chosen.len(),
            parts.len(),
            others.join(", ")
        );
        self.note(path, message);
    }

    fn note(&mut self, path: &str, message: String) {
        self.findings
            .push(Diagnostic::new("ask/disagreement", Severity::Warning, message).on(path));
    }
}

fn shown(part: Node<'_>) -> String {
    preview(&part.to_string(), SHOWN_CHARS).to_owned()
}

/// Returns the places of the largest group of parts with the same key; of several, the one that
/// begins first.
fn majority<'v, K: PartialEq>(parts: &[Node<'v>], key: impl Fn(&Node<'v>) -> K) -> Vec<usize> {
    let mut groups: Vec<(K, Vec<usize>)> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let key = key(part);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, places)) => places.push(at),
            None => groups.push((key, vec![at])),
        }
    }
    let most = groups.iter().map(|(_, places)| places.len()).max().unwrap_or_default();
    let largest = groups.into_iter().find(|(_, places)| places.len() == most);
    largest.map(|(_, places)| places).unwrap_or_default()
}

/// Returns a text that two parts share if they are the same value: `1`, `1.0` and `1e0` are.
fn same(part: Node<'_>) -> String {
    let text = part.to_string();
    serde_json::from_str::<Json>(&text).map_or(text, |value| normal(&value).to_string())
}

fn normal(value: &Json) -> Json {
    match value {
        Json::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or_default();
            // Whole numbers that both types hold exactly.
            let is_whole = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
            let whole = is_whole.then(|| format!("{number:.0}").parse::<i64>().ok()).flatten();
            whole.map_or_else(|| value.clone(), Json::from)
        }
        Json::Array(items) => items.iter().map(normal).collect(),
        Json::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), normal(value))).collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::{agree, commonest};

    fn check(answers: &[&str], expected: &str, paths: &[&str]) {
        let parsed: Vec<_> =
            answers.iter().map(|answer| llmend_json::parse(answer).unwrap().value).collect();
        let roots: Vec<_> = parsed.iter().map(|value| value.root()).collect();
        let found = agree(&roots).unwrap();
        assert_eq!(found.json, expected, "{answers:?}");
        let places: Vec<_> =
            found.findings.iter().map(|row| row.path.clone().unwrap_or_default()).collect();
        assert_eq!(places, paths, "{answers:?}: {:?}", found.findings);
    }

    #[test]
    fn most_votes_win_field_by_field() {
        check(&[r#"{"a": 1}"#], r#"{"a":1}"#, &[]);
        check(&[r#"{"a": 1, "b": 2}"#, r#"{"b": 2.0, "a": 1}"#], r#"{"a":1,"b":2}"#, &[]);
        // No single answer is the one that most agree on.
        check(
            &[
                r#"{"a": 1, "b": 9, "c": 3}"#,
                r#"{"a": 9, "b": 2, "c": 3}"#,
                r#"{"a": 1, "b": 2, "c": 9}"#,
            ],
            r#"{"a":1,"b":2,"c":3}"#,
            &["/a", "/b", "/c"],
        );
        // At a draw, the first counts.
        check(&[r#"{"a": "x"}"#, r#"{"a": "y"}"#], r#"{"a":"x"}"#, &["/a"]);
        // Members that most have, and those that most do not have.
        check(
            &[r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#, r#"{"b": 2, "c": 3}"#],
            r#"{"a":1,"b":2}"#,
            &["/a", "/b", "/c"],
        );
        // Lists of the length that most have; a value of another kind.
        check(&["[1, 2]", "[1, 3]", "[1, 3, 4]"], "[1,2]", &["", "/1"]);
        check(
            &["[1]", "null", r#"{"a~b": 1}"#, r#"{"a~b": 2}"#, r#"{"a~b": 2}"#],
            r#"{"a~b":2}"#,
            &["", "/a~0b"],
        );
        check(&["1", "1.0", "2"], "1", &[""]);
        check(&["[]", "[]", "[]"], "[]", &[]);
    }

    #[test]
    fn a_disagreement_says_who_says_what() {
        let answers = [r#"{"a": "x"}"#, r#"{"a": "x"}"#, r#"{"a": "y"}"#];
        let parsed: Vec<_> =
            answers.iter().map(|answer| llmend_json::parse(answer).unwrap().value).collect();
        let roots: Vec<_> = parsed.iter().map(|value| value.root()).collect();
        let found = agree(&roots).unwrap();
        assert_eq!(found.findings[0].message, r#"2 of 3 answers have "x"; others: 1 "y""#);
        assert_eq!(commonest(&roots), 0);
        assert_eq!(commonest(&[roots[2], roots[0], roots[1]]), 1);
        assert!(agree(&[]).is_none());
    }

    #[test]
    fn depth_takes_no_stack() {
        let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
        check(&[&deep, &deep], &deep, &[]);
    }
}
