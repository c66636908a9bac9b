//! Variables of conditions and transformations.

use std::collections::HashMap;

use crate::{
    NodeKind, ValueRef,
    check::{CodeRow, Finding, conditions, flow_view::FlowView},
    code::Elsewhere,
    graph::names::shown,
};

pub(super) const CODES: [CodeRow; 3] = [
    CodeRow::error("workflow/empty-variable", "a variable has no name").standalone(),
    CodeRow::error("workflow/unknown-variable", "a variable refers to an unknown node")
        .elsewhere(Elsewhere::Warning),
    CodeRow::error("workflow/not-a-producer", "a variable refers to a node without a result")
        .elsewhere(Elsewhere::Warning),
];

pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    let prefixes = prefixes(view);
    for (node, it) in view.workflow.nodes.iter().enumerate() {
        for (part, condition) in conditions::of(it) {
            let sides = [("left", Some(&condition.left)), ("right", condition.right.as_ref())];
            for (side, value) in sides {
                if let Some(ValueRef::Variable { name }) = value {
                    let path = view.subject.path(node, &format!("{part}/{side}/name"));
                    found.extend(check_variable(view, &prefixes, name, path, Form::WithField));
                }
            }
        }
        if let NodeKind::AiTransform { input_ref, .. } = &it.kind {
            let path = view.subject.path(node, "/input_ref");
            found.extend(check_variable(view, &prefixes, input_ref, path, Form::MayBeWhole));
        }
    }
}

/// Whether a variable must name a field of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    WithField,
    MayBeWhole,
}

/// Maps variable prefixes to nodes: ids, and ids and names with all characters except letters, digits
/// and `_` replaced by `_`. A prefix that several nodes share names the first. A node without a name
/// goes by its tool, if it is the only one.
fn prefixes(view: &FlowView<'_>) -> HashMap<String, usize> {
    let nodes = || view.workflow.nodes.iter().enumerate();
    let ids = nodes().map(|(at, node)| (node.id.clone(), at));
    let plain = nodes().map(|(at, node)| (sanitized(&node.id), at));
    let named = nodes().filter_map(|(at, node)| Some((sanitized(node.name.as_deref()?), at)));
    let mut prefixes = HashMap::new();
    for (prefix, at) in ids.chain(plain).chain(named) {
        prefixes.entry(prefix).or_insert(at);
    }
    for (tool, at) in only_by_tool(view) {
        prefixes.entry(tool).or_insert(at);
    }
    prefixes
}

/// Returns the tools that only one node without a name uses, with that node.
fn only_by_tool(view: &FlowView<'_>) -> impl Iterator<Item = (String, usize)> {
    let mut users: HashMap<String, Option<usize>> = HashMap::new();
    for (at, node) in view.workflow.nodes.iter().enumerate() {
        if let (None, NodeKind::Tool { tool, .. }) = (&node.name, &node.kind) {
            users.entry(sanitized(tool)).and_modify(|user| *user = None).or_insert(Some(at));
        }
    }
    users.into_iter().filter_map(|(tool, user)| Some((tool, user?)))
}

fn sanitized(name: &str) -> String {
    let plain = |c: char| {
        if c.is_alphanumeric() || c == '_' { c.to_ascii_lowercase() } else { '_' }
    };
    name.chars().map(plain).collect()
}

/// Returns the finding about the variable `name`, if any.
fn check_variable(
    view: &FlowView<'_>,
    prefixes: &HashMap<String, usize>,
    name: &str,
    path: String,
    form: Form,
) -> Option<Finding> {
    if name.trim().is_empty() {
        return Some(CODES[0].at(path, "variable has no name"));
    }
    let help = "Write variables as node.field.";
    let (prefix, field) = name.split_once('.').unwrap_or((name, ""));
    if field.is_empty() && form == Form::WithField {
        let message = format!("variable `{}` names no field", shown(name));
        return Some(CODES[1].at(path, message).help(Some(help.to_owned())));
    }
    // IdIndex match in any case; an exact id takes precedence.
    let Some(node) = prefixes.get(prefix).or_else(|| prefixes.get(&sanitized(prefix))) else {
        let message = format!("variable `{}` refers to an unknown node", shown(name));
        return Some(CODES[1].at(path, message).help(view.subject.names.advice(prefix)));
    };
    let kind = view.node_type(*node)?;
    kind.is_control().then(|| {
        let message =
            format!("variable refers to `{}`, a `{kind}` node without a result", shown(prefix));
        CODES[2].at(path, message)
    })
}

#[cfg(test)]
mod tests {
    use crate::{Case, NodeKind, Options, ValueRef, check_workflow, sketch};

    #[test]
    fn rows() {
        let rows = [
            ("a.result", ""),
            ("find_text.found", ""),
            ("find text.found", ""),
            ("x.result", "workflow/unknown-variable"),
            ("a", "workflow/unknown-variable"),
            ("a.", "workflow/unknown-variable"),
            ("", "workflow/empty-variable"),
            (" ", "workflow/empty-variable"),
            ("I.result", "workflow/not-a-producer"),
            ("L.result", "workflow/not-a-producer"),
        ];
        for (name, expected) in rows {
            let variable = ValueRef::Variable { name: name.to_owned() };
            let mut workflow = sketch::workflow(
                "a I L b E:L S:x c",
                "a>I I-true>L I-false>S L-body>b b>E E>L L-done>S S-=x>c",
            );
            workflow.nodes[0].name = Some("Find Text".to_owned());
            // In each kind of condition, on either side.
            for (at, path) in [
                (1, "/nodes/1/condition/left/name"),
                (2, "/nodes/2/exit_condition/right/name"),
                (5, "/nodes/5/cases/0/condition/left/name"),
            ] {
                let mut workflow = workflow.clone();
                match &mut workflow.nodes[at].kind {
                    NodeKind::If { condition } => condition.left = variable.clone(),
                    NodeKind::Loop { exit_condition, .. } => {
                        exit_condition.right = Some(variable.clone());
                    }
                    NodeKind::Switch { cases } => {
                        let [Case { condition, .. }] = cases.as_mut_slice() else {
                            panic!("one case")
                        };
                        condition.left = variable.clone();
                    }
                    _ => panic!("a condition"),
                }
                let found = check_workflow(&workflow, &Options::default());
                let found: Vec<_> = found
                    .iter()
                    .map(|it| (&*it.diagnostic.code, it.diagnostic.path.as_deref().unwrap()))
                    .collect();
                let expected: Vec<_> = Some((expected, path))
                    .filter(|(code, _)| !code.is_empty())
                    .into_iter()
                    .collect();
                assert_eq!(found, expected, "{name}");
            }
        }
    }

    #[test]
    fn a_node_without_a_name_goes_by_its_tool() {
        let rows = [
            // The names of two nodes with the tool `find_text`, and how many findings there are.
            (None, "click", 0),
            (Some("Look"), "click", 1),
            (None, "find_text", 1),
        ];
        for (name, other, expected) in rows {
            let mut workflow = sketch::workflow("a t b", "a>t t>b");
            let tool =
                |tool: &str| NodeKind::Tool { tool: tool.to_owned(), arguments: crate::Map::new() };
            workflow.nodes[0].kind = tool("find_text");
            workflow.nodes[0].name = name.map(str::to_owned);
            workflow.nodes[2].kind = tool(other);
            workflow.nodes[2].name = None;
            workflow.nodes[1].kind = NodeKind::AiTransform {
                kind: "summarize".to_owned(),
                input_ref: "find_text.found".to_owned(),
                output_schema: None,
            };
            let found = check_workflow(&workflow, &Options::default());
            assert_eq!(found.len(), expected, "{name:?} {other}: {found:?}");
        }
    }

    #[test]
    fn transform_inputs_are_checked() {
        for (input_ref, expected) in [("a.text", 0), ("a", 0), ("b.text", 1), ("", 1)] {
            let mut workflow = sketch::workflow("a t", "a>t");
            workflow.nodes[1].kind = NodeKind::AiTransform {
                kind: "summarize".to_owned(),
                input_ref: input_ref.to_owned(),
                output_schema: None,
            };
            assert_eq!(
                check_workflow(&workflow, &Options::default()).len(),
                expected,
                "{input_ref}"
            );
        }
    }
}
