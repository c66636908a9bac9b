//! Unwrapping of documents.
//!
//! Models wrap the list of steps, as in `{"plan": {"steps": […]}}` or `{"result": {"tasks": […]}}`, or
//! write a bare list.

use llmend_json::{Kind, Node};

use crate::{
    Strictness, code,
    findings::{Findings, shown},
    locations::below,
    object::{Names, Part},
};

/// Names of the list of steps.
pub(crate) const STEPS: Names =
    &["steps", "tasks", "plan", "actions", "subtasks", "todos", "todo_list", "todo"];

/// Keys whose value is the document, whatever other members the object has.
const WRAPPERS: [&str; 10] = [
    "plan",
    "workflow",
    "patch",
    "result",
    "response",
    "output",
    "data",
    "answer",
    "arguments",
    "input",
];

/// Maximum length in bytes of any other key that may wrap a document, since it is part of every path.
const MAX_KEY_LEN: usize = 64;

/// Maximum number of nested wrappers.
const MAX_WRAPPERS: usize = 4;

/// Unwraps the document: the innermost object with one of the fields `marks`, or a list.
pub(crate) fn unwrap<'v>(
    node: Node<'v>,
    marks: &[Names],
    strictness: Strictness,
    findings: &mut Findings,
) -> Part<'v> {
    let mut it = Part::item(node, String::new());
    if strictness == Strictness::Strict {
        return it;
    }
    for _ in 0..MAX_WRAPPERS {
        let Some((name, inner)) = wrapped(it.node, marks) else { break };
        for (key, _) in it.node.members() {
            let beside = key.str().unwrap_or_default();
            if beside != name {
                let message = format!("`{}` beside `{name}` is ignored", shown(beside));
                findings.warn(code::UNKNOWN_FIELD, &below(&it.path, beside), key.span(), message);
            }
        }
        it = Part::item(inner, below(&it.path, name));
    }
    it
}

/// Unwraps the document without reporting findings.
pub(crate) fn core<'v>(node: Node<'v>, marks: &[Names]) -> Node<'v> {
    let mut node = node;
    for _ in 0..MAX_WRAPPERS {
        match wrapped(node, marks) {
            Some((_, inner)) => node = inner,
            None => break,
        }
    }
    node
}

/// Returns the member of a wrapper that holds the document, with its key.
fn wrapped<'v>(node: Node<'v>, marks: &[Names]) -> Option<(&'v str, Node<'v>)> {
    let holds = |node: Node<'_>| {
        marks
            .iter()
            .flat_map(|names| names.iter())
            .any(|name| node.get(name).is_some_and(|value| value.kind() != Kind::Object))
    };
    if node.kind() != Kind::Object || holds(node) {
        return None;
    }
    let mut members = node.members().filter_map(|(key, value)| Some((key.str()?, value)));
    let (first, second) = (members.next()?, members.next());
    let objects = |(_, value): &(&str, Node<'_>)| value.kind() == Kind::Object;
    if second.is_none() && objects(&first) && WRAPPERS.contains(&first.0) {
        return Some(first);
    }
    node.members()
        .filter_map(|(key, value)| Some((key.str()?, value)))
        .find(|member| objects(member) && WRAPPERS.contains(&member.0) && holds(member.1))
        .or_else(|| {
            let fits = |member: &(&str, Node<'_>)| {
                member.0.len() <= MAX_KEY_LEN && objects(member) && holds(member.1)
            };
            Some(first).filter(|member| second.is_none() && fits(member))
        })
}
