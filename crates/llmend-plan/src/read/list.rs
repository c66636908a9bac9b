//! Where in the value is the list of steps?
//!
//! Models wrap it: `{"plan": {"steps": […]}}`, `{"result": {"tasks": […]}}`, or a list and nothing
//! around it.

use llmend_json::{Kind, Node};

use crate::{
    Strictness, code,
    findings::{Findings, shown},
    object::{Names, Part, below},
};

/// The list of a plan's steps.
pub(crate) const STEPS: Names = &["steps", "tasks", "plan", "actions", "subtasks"];

/// Keys of an object whose value is the document, whatever stands beside it.
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

/// Longest key, in bytes, of a wrapper that is known by being alone: it is part of every path.
const LONGEST_KEY: usize = 64;

/// Most objects around a document.
const MOST_WRAPPERS: usize = 4;

/// The document within its wrappers: the innermost object that holds one of `marks`, or a list.
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
    for _ in 0..MOST_WRAPPERS {
        let Some((name, inner)) = wrapped(it.node, marks) else { break };
        for (key, _) in it.node.members() {
            let beside = key.str().unwrap_or_default();
            if beside != name {
                let message =
                    format!("`{}` stands beside `{name}`, and is left out", shown(beside));
                findings.warn(code::UNKNOWN_FIELD, &below(&it.path, beside), key.span(), message);
            }
        }
        it = Part::item(inner, below(&it.path, name));
    }
    it
}

/// The same, for who only wants to look.
pub(crate) fn core<'v>(node: Node<'v>, marks: &[Names]) -> Node<'v> {
    let mut node = node;
    for _ in 0..MOST_WRAPPERS {
        match wrapped(node, marks) {
            Some((_, inner)) => node = inner,
            None => break,
        }
    }
    node
}

/// The member of a wrapper that is the document, with its key.
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
                member.0.len() <= LONGEST_KEY && objects(member) && holds(member.1)
            };
            Some(first).filter(|member| second.is_none() && fits(member))
        })
}
