//! Detection of duplicate keys with different values.

use std::collections::HashMap;

use llmend_json::{Node, Value};

use crate::Violation;
use crate::diagnose::MAX_VIOLATIONS;
use crate::instance::canonical;
use crate::pointer::join;
use crate::quote::clipped;

/// Adds a violation for each member whose value differs from that of an earlier member with the
/// same key: most readers would see only one of the two. Keys that already have such a violation
/// are skipped.
pub(crate) fn report(value: &Value<'_>, violations: &mut Vec<Violation>) {
    if !value.may_repeat_keys() {
        return;
    }
    let mut open = vec![(value.root(), String::new())];
    while let Some((node, path)) = open.pop() {
        let known = |path: &str| {
            violations.iter().any(|row| row.code == "schema/duplicate-key" && row.path == path)
        };
        if node.may_repeat_keys() && !known(&path) {
            let places = differing(node).into_iter();
            let rows: Vec<Violation> = places
                .map(|(key, value)| violation(join(&path, key), value))
                .filter(|row| !known(&row.path))
                .collect();
            violations.extend(rows);
            if violations.len() >= MAX_VIOLATIONS {
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

/// Returns the members whose value differs from that of the first member with the same key.
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
        message: "duplicate key with different values".to_owned(),
        expected: "one value".to_owned(),
        found: clipped(value),
        hint: Some("keep only the intended value".to_owned()),
        span: Some(value.span()),
    }
}
