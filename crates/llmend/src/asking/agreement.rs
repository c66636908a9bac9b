//! The value that most of several answers agree on, field by field.
//!
//! Members are compared by name and items by place, if most lists have the same length. Where no
//! value has more votes than all others, there is no majority, which is an error.

use llmend_json::{Diagnostic, Kind, Node, Severity, preview, push_token};
use serde_json::Value as Json;

/// The depth below which parts are compared as a whole.
const MOST_DEPTH: usize = 64;

/// The number of characters of a value that a finding shows.
const SHOWN_CHARS: usize = 60;

/// The number of different values that a finding shows.
const SHOWN_VALUES: usize = 8;

/// What the answers agree on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Agreement {
    /// The value as JSON.
    pub(super) json: String,
    /// A warning for each part that not all answers agree on, in order; an error without a majority.
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
    let groups = groups(answers, |answer| same(*answer));
    let first = largest(&groups).first().copied();
    first.and_then(|first| answers.iter().position(|one| same(*one) == same(first))).unwrap_or(0)
}

/// What a part is compared by.
#[derive(PartialEq)]
enum Form {
    /// An object, of which the members are compared.
    Object,
    /// A list, of which the items are compared.
    Array,
    /// Anything else, as a whole.
    Whole(String),
}

impl Form {
    fn of(part: Node<'_>, depth: usize) -> Self {
        match part.kind() {
            Kind::Object if depth < MOST_DEPTH => Self::Object,
            Kind::Array if depth < MOST_DEPTH => Self::Array,
            _ => Self::Whole(same(part)),
        }
    }
}

/// Parts with the same key, in the order in which the first of each occurs.
type Groups<'v, K> = Vec<(K, Vec<Node<'v>>)>;

impl Agreement {
    /// Writes the part that most of `parts` agree on.
    fn vote(&mut self, parts: &[Node<'_>], path: &mut String, depth: usize) {
        let forms = groups(parts, |part| Form::of(*part, depth));
        self.note(
            &votes(&forms, |form, first| match form {
                Form::Whole(_) => preview(&first.to_string(), SHOWN_CHARS).to_owned(),
                _ => first.kind().as_str().to_owned(),
            }),
            path,
        );
        let chosen = largest(&forms);
        match chosen.first().map(|first| (Form::of(*first, depth), first)) {
            Some((Form::Object, _)) => self.vote_members(chosen, path, depth),
            Some((Form::Array, _)) => {
                let lengths = groups(chosen, |list| list.len());
                self.note(&votes(&lengths, |length, _| format!("a list of {length}")), path);
                self.vote_items(largest(&lengths), path, depth);
            }
            Some((Form::Whole(_), first)) => self.json.push_str(&first.to_string()),
            None => {}
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
            let start = path.len();
            push_token(path, name);
            let presence = groups(objects, |object| object.get(name).is_some());
            let shown = |there: &bool, _| (if *there { "given" } else { "missing" }).to_owned();
            self.note(&votes(&presence, shown), path);
            let parts: Vec<Node<'_>> =
                largest(&presence).iter().filter_map(|object| object.get(name)).collect();
            if !parts.is_empty() {
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

    /// Notes what the answers have at `path`, if it is not the same: as an error if no value has
    /// more votes than all others.
    fn note(&mut self, votes: &[(String, usize)], path: &str) {
        let [(_, most), (_, second), ..] = votes else { return };
        let total: usize = votes.iter().map(|(_, count)| count).sum();
        let shown = votes.iter().take(SHOWN_VALUES);
        let mut shown: Vec<_> =
            shown.map(|(value, count)| format!("{value} ({count} of {total})")).collect();
        if votes.len() > SHOWN_VALUES {
            shown.push(format!("{} more", votes.len() - SHOWN_VALUES));
        }
        let (code, severity, what) = if most == second {
            ("ask/no-majority", Severity::Error, "no majority")
        } else {
            ("ask/disagreement", Severity::Warning, "answers differ")
        };
        let message = format!("{what}: {}", shown.join(", "));
        self.findings.push(Diagnostic::new(code, severity, message).on(path));
    }
}

/// Groups parts by a key.
fn groups<'v, K: PartialEq>(parts: &[Node<'v>], key: impl Fn(&Node<'v>) -> K) -> Groups<'v, K> {
    let mut groups: Groups<'v, K> = Vec::new();
    for part in parts {
        let key = key(part);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push(*part),
            None => groups.push((key, vec![*part])),
        }
    }
    groups
}

/// Returns the largest group, the first of several.
fn largest<'g, 'v, K>(groups: &'g Groups<'v, K>) -> &'g [Node<'v>] {
    let most = groups.iter().map(|(_, members)| members.len()).max().unwrap_or_default();
    let largest = groups.iter().find(|(_, members)| members.len() == most);
    largest.map(|(_, members)| members.as_slice()).unwrap_or_default()
}

/// Returns how many votes each group has and how it is shown, the one with most first.
fn votes<'v, K>(
    groups: &Groups<'v, K>,
    shown: impl Fn(&K, Node<'v>) -> String,
) -> Vec<(String, usize)> {
    let first =
        |(key, members): &(K, Vec<Node<'v>>)| Some((shown(key, *members.first()?), members.len()));
    let mut votes: Vec<_> = groups.iter().filter_map(first).collect();
    votes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    votes
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
    use super::{Diagnostic, Severity, agree, commonest};

    /// Compares what the answers agree on, with the places on which they differ; those without a
    /// majority begin with `!`.
    fn check(answers: &[&str], expected: &str, places: &[&str]) {
        let parsed: Vec<_> =
            answers.iter().map(|answer| llmend_json::parse(answer).unwrap().value).collect();
        let roots: Vec<_> = parsed.iter().map(|value| value.root()).collect();
        let found = agree(&roots).unwrap();
        assert_eq!(found.json, expected, "{answers:?}");
        let place = |row: &Diagnostic| {
            let path = row.path.clone().unwrap_or_default();
            if row.severity == Severity::Error { format!("!{path}") } else { path }
        };
        let found_places: Vec<_> = found.findings.iter().map(place).collect();
        assert_eq!(found_places, places, "{answers:?}: {:?}", found.findings);
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
        // Members that most have, and those that most do not have.
        check(
            &[r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#, r#"{"b": 2, "c": 3}"#],
            r#"{"a":1,"b":2}"#,
            &["/a", "/b", "/c"],
        );
        // Lists of the length that most have; a value of another kind.
        check(&["[1, 2]", "[1, 3]", "[1, 2]", "[1, 3, 4]"], "[1,2]", &["", "/1"]);
        check(
            &["[1]", "null", r#"{"a~b": 1}"#, r#"{"a~b": 2}"#, r#"{"a~b": 2}"#],
            r#"{"a~b":2}"#,
            &["", "/a~0b"],
        );
        check(&["1", "1.0", "2"], "1", &[""]);
        check(&["1", "2", "3", "2"], "2", &[""]);
        check(&["[]", "[]", "[]"], "[]", &[]);
    }

    #[test]
    fn without_more_votes_than_all_others_there_is_no_majority() {
        check(&[r#"{"a": "x"}"#, r#"{"a": "y"}"#], r#"{"a":"x"}"#, &["!/a"]);
        check(&["1", "2", "3"], "1", &["!"]);
        check(&["1", "1", "2", "2", "3"], "1", &["!"]);
        check(&[r#"{"a": 1, "b": 2}"#, r#"{"b": 2}"#], r#"{"a":1,"b":2}"#, &["!/a"]);
        check(&["[1]", "[1, 2]"], "[1]", &["!"]);
        check(&["null", r#"{"a": 1}"#], "null", &["!"]);
        check(&["[1, 2]", "[1, 3]", "[1, 3, 4]"], "[1,2]", &["", "!/1"]);
    }

    #[test]
    fn a_disagreement_says_which_values_and_how_many_have_each() {
        for (answers, expected) in [
            (
                &[r#"{"a": "x"}"#, r#"{"a": "y"}"#, r#"{"a": "y"}"#][..],
                r#"answers differ: "y" (2 of 3), "x" (1 of 3)"#,
            ),
            (&[r#"{"a": "x"}"#, r#"{"a": "y"}"#], r#"no majority: "x" (1 of 2), "y" (1 of 2)"#),
            (&["{}", "{}", r#"{"a": 1}"#], "answers differ: missing (2 of 3), given (1 of 3)"),
            (&["[]", "[1]"], "no majority: a list of 0 (1 of 2), a list of 1 (1 of 2)"),
            (&["{}", "{}", "null"], "answers differ: object (2 of 3), null (1 of 3)"),
        ] {
            let parsed: Vec<_> =
                answers.iter().map(|answer| llmend_json::parse(answer).unwrap().value).collect();
            let roots: Vec<_> = parsed.iter().map(|value| value.root()).collect();
            assert_eq!(agree(&roots).unwrap().findings[0].message, expected);
        }
        let parsed = ["1", "2", "2"].map(|answer| llmend_json::parse(answer).unwrap().value);
        assert_eq!(commonest(&parsed.each_ref().map(|value| value.root())), 1);
        assert!(agree(&[]).is_none());
    }

    #[test]
    fn depth_takes_no_stack() {
        let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
        check(&[&deep, &deep], &deep, &[]);
    }
}
