//! What follows a step.

use std::collections::HashSet;

use llmend_json::{Node, Severity};

use crate::{
    Case, Condition, Literal, NodeKind, Output, code,
    findings::{Findings, shown},
    locations::{Location, below},
    object::{Object, Part},
    read::{
        assembly::{Assembly, place, report},
        context::Context,
        written_condition,
    },
};

use super::SUCCESS;

/// Where a step leads on success.
#[derive(Default)]
pub(super) struct After {
    /// Targets with a condition each, in order.
    cases: Vec<(Target, Condition, Location)>,
    /// The target if none of the conditions holds; the next step if there is none.
    otherwise: Option<(Target, Location)>,
}

/// Where an action leads.
enum Target {
    Step(String),
    End,
}

/// Reads the actions on success, and reports what those on failure do.
pub(super) fn read(object: &Object<'_>, findings: &mut Findings) -> After {
    let mut after = After::default();
    for it in object.find(SUCCESS).iter().flat_map(Part::items) {
        let Some(target) = target(&it, findings) else { continue };
        let criteria = it.node.get("criteria").into_iter().flat_map(Node::items);
        let criteria: Vec<Node<'_>> = criteria.collect();
        if criteria.is_empty() {
            after.otherwise = Some((target, place(&it)));
            break;
        }
        after.cases.push((target, condition(&it, &criteria, findings), place(&it)));
    }
    let failures = object.node().get("onFailure").into_iter().flat_map(Node::items);
    for (at, it) in failures.enumerate() {
        if it.get("type").and_then(Node::str) != Some("retry") {
            let name = it.get("name").and_then(Node::str).unwrap_or_default();
            let message = format!(
                "on failure, `{}` is done; error handling is kept as metadata and is not part of the flow",
                shown(name)
            );
            let path = below(&object.path_of("onFailure"), &at.to_string());
            findings.warn(code::NOT_IN_FLOW, &path, it.span(), message);
        }
    }
    after
}

fn target(it: &Part<'_>, findings: &mut Findings) -> Option<Target> {
    let text = |name: &str| it.node.get(name).and_then(Node::str);
    match (text("type"), text("stepId")) {
        (Some("end"), _) => Some(Target::End),
        (_, Some(step)) => Some(Target::Step(step.to_owned())),
        _ => {
            let message = "an action that leads out of the workflow is kept as metadata";
            findings.warn(code::NOT_IN_FLOW, &it.path, it.span(), message);
            None
        }
    }
}

/// Reads the criteria of an action: one comparison, or text.
fn condition(it: &Part<'_>, criteria: &[Node<'_>], findings: &mut Findings) -> Condition {
    let plain = |it: &Node<'_>| it.get("condition").and_then(Node::str).map(str::to_owned);
    let texts: Vec<String> = criteria.iter().filter_map(plain).collect();
    let is_simple = criteria.len() == 1 && criteria.iter().all(|it| it.len() == 1);
    let text = texts.join(" && ");
    if let Some(found) = written_condition::parse(&text).filter(|_| is_simple) {
        return found;
    }
    let message = format!("condition `{}` is kept as text", shown(&text));
    findings.warn(code::TEXT_CONDITION, &it.path, it.span(), message);
    written_condition::answered(&text, Literal::Bool(true))
}

/// Returns the number of retries on failure.
pub(super) fn retries(step: Node<'_>) -> u32 {
    let failures = step.get("onFailure").into_iter().flat_map(Node::items);
    let mut retries = failures.filter(|it| it.get("type").and_then(Node::str) == Some("retry"));
    let only = retries.next().filter(|_| retries.next().is_none());
    // One retry is the default of the specification.
    only.map_or(0, |it| {
        it.get("retryLimit").and_then(Node::number).map_or(1, |it| it.parse().unwrap_or_default())
    })
}

/// Returns the id of the node of a step.
type NodeOf<'a> = &'a dyn Fn(&str) -> String;

/// Adds the edges from the step `id`. A choice between several becomes an If or a Switch of its own.
pub(super) fn connect(
    id: &str,
    after: After,
    next: Option<&str>,
    at: &Location,
    (node, ids): (NodeOf<'_>, &HashSet<&str>),
    assembly: &mut Assembly,
    context: &mut Context<'_>,
) {
    let resolved = |target: Target| match target {
        Target::Step(step) => Some(node(&step)),
        Target::End => None,
    };
    let otherwise = match after.otherwise {
        Some((target, place)) => resolved(target).map(|to| (to, place)),
        None => next.map(|to| (to.to_owned(), at.clone())),
    };
    if after.cases.is_empty() {
        if let Some((to, place)) = otherwise {
            assembly.edge(id, &to, None, &place, context);
        }
        return;
    }
    let is_if = after.cases.len() == 1;
    let choice = assembly.free_id(&format!("{id}_next"), ids);
    let (mut cases, mut arrows) = (Vec::new(), Vec::new());
    for (nth, (target, condition, place)) in after.cases.into_iter().enumerate() {
        let name = (nth + 1).to_string();
        let output = if is_if { Output::IfTrue } else { Output::SwitchCase { name: name.clone() } };
        if let Some(to) = resolved(target) {
            arrows.push((to, output, place));
        } else {
            let message = "a branch ends the workflow, and so it has no edge";
            report(context, code::END_MARKER, Severity::Info, &place, message);
        }
        cases.push(Case { name, condition });
    }
    let kind = match <[Case; 1]>::try_from(cases) {
        Ok([case]) => NodeKind::If { condition: case.condition },
        Err(cases) => NodeKind::Switch { cases },
    };
    let added = crate::Node::new(choice.as_str(), kind);
    assembly.added(added, at, &format!("the choice after `{}`", shown(id)), context);
    assembly.edge(id, &choice, None, at, context);
    for (to, output, place) in arrows {
        assembly.edge(&choice, &to, Some(output), &place, context);
    }
    if let Some((to, place)) = otherwise {
        let output = if is_if { Output::IfFalse } else { Output::SwitchDefault };
        assembly.edge(&choice, &to, Some(output), &place, context);
    }
}
