//! Which keys stand twice in an object, and say different things?

use std::collections::HashMap;

use llmend_json::{Node, Value};

use crate::Violation;
use crate::clip::clipped;
use crate::compile::join;
use crate::explain::MOST_TOLD;
use crate::instance::canonical;

/// Adds a violation for each member that says something else than an earlier one with its key: who
/// reads the value would see only one of them, also where the schema says nothing of either. What
/// is told of such a key already is not told again.
pub(crate) fn tell(value: &Value<'_>, told: &mut Vec<Violation>) {
    if !value.may_repeat_keys() {
        return;
    }
    let mut open = vec![(value.root(), String::new())];
    while let Some((node, path)) = open.pop() {
        let known = |path: &str| {
            told.iter().any(|row| row.code == "schema/duplicate-key" && row.path == path)
        };
        if node.may_repeat_keys() && !known(&path) {
            let places = differing(node).into_iter();
            let rows: Vec<Violation> = places
                .map(|(key, value)| violation(join(&path, key), value))
                .filter(|row| !known(&row.path))
                .collect();
            told.extend(rows);
            if told.len() >= MOST_TOLD {
                return;
            }
        }
        let members = node.members();
        open.extend(
            members.map(|(key, value)| (value, join(&path, key.str().unwrap_or_default()))),
        );
        let items = node.items().enumerate();
        open.extend(items.map(|(at, item)| (item, join(&path, &at.to_string()))));
    }
}

/// The members that say something else than the first one with their key.
fn differing(node: Node<'_>) -> Vec<(&str, Node<'_>)> {
    let mut first: HashMap<&str, Node<'_>> = HashMap::new();
    let members = node.members().map(|(key, value)| (key.str().unwrap_or_default(), value));
    members
        .filter(|(key, value)| {
            let known = *first.entry(key).or_insert(*value);
            known.index() != value.index() && canonical(known) != canonical(*value)
        })
        .collect()
}

fn violation(path: String, value: Node<'_>) -> Violation {
    Violation {
        code: "schema/duplicate-key",
        path,
        schema_path: String::new(),
        keyword: String::new(),
        message: "the key stands twice, and says different things".to_owned(),
        expected: "one value".to_owned(),
        found: clipped(value),
        hint: Some("keep the one that is meant".to_owned()),
        span: Some(value.span()),
    }
}
