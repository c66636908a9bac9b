//! Cases of `Switch` nodes and their edges.

use std::collections::{HashMap, HashSet};

use crate::{
    Case, Edge, Node, NodeKind, NodeType, Output,
    check::{
        CodeRow, Finding,
        flow_view::{FlowView, shown},
    },
    code::Elsewhere,
    graph::names,
};

pub(super) const CODES: [CodeRow; 6] = [
    CodeRow::error("workflow/duplicate-case", "two cases of a Switch have the same name")
        .standalone(),
    CodeRow::error("workflow/case-without-edge", "a case of a Switch has no edge")
        .elsewhere(Elsewhere::Warning),
    CodeRow::error("workflow/case-with-two-edges", "a case of a Switch has two edges")
        .elsewhere(Elsewhere::Warning)
        .standalone(),
    CodeRow::error("workflow/unknown-case", "an edge refers to an unknown case of its Switch")
        .standalone(),
    CodeRow::error("workflow/unlabeled-case", "an edge of a Switch has no label"),
    CodeRow::error("workflow/no-case", "a Switch has no cases").standalone(),
];

pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    for (node, it) in view.of_type(NodeType::Switch) {
        let NodeKind::Switch { cases } = &it.kind else { continue };
        let path = |part: &str| view.subject.path(node, part);
        if cases.is_empty() {
            let message = format!("Switch `{}` has no cases", names::shown(&it.id));
            found.push(CODES[5].at(path("/cases"), message));
        }
        let mut declared: HashSet<&str> = HashSet::new();
        for (nth, case) in cases.iter().enumerate() {
            if !declared.insert(&case.name) {
                let message = format!("duplicate case `{}`", names::shown(&case.name));
                found.push(CODES[0].at(path(&format!("/cases/{nth}/name")), message));
            }
        }
        let taken = edges(view, node, cases, &declared, found);
        without_edge(it, cases, &taken, &path, found);
    }
}

/// Checks the edges of a `Switch` and returns the cases that have one.
fn edges<'e>(
    view: &FlowView<'e>,
    node: usize,
    cases: &[Case],
    declared: &HashSet<&str>,
    found: &mut Vec<Finding>,
) -> HashSet<&'e str> {
    let mut first: HashMap<&Output, &Edge> = HashMap::new();
    let mut taken = HashSet::new();
    for (at, edge) in view.out(node) {
        let path = format!("/edges/{at}");
        let help = || {
            Some(format!(
                "expected one of {}",
                names::listed(cases.iter().map(|case| case.name.as_str()))
            ))
        };
        match &edge.output {
            None => {
                let message = format!("edge {} starts at a Switch and has no label", shown(edge));
                found.push(CODES[4].at(path, message).help(help()));
            }
            Some(output) if output.owner() != NodeType::Switch => {
                let message =
                    format!("edge {} starts at a Switch and has label `{output}`", shown(edge));
                found.push(CODES[3].at(format!("{path}/output"), message).help(help()));
            }
            Some(Output::SwitchCase { name }) if !declared.contains(name.as_str()) => {
                let message = format!("unknown case `{}`", names::shown(name));
                let near = llmend_json::nearest(
                    name,
                    cases.iter().take(1_000).map(|case| case.name.as_str()),
                );
                let help = near
                    .map(|near| format!("did you mean `{}`?", names::shown(near)))
                    .or_else(help);
                found.push(CODES[3].at(format!("{path}/output"), message).help(help));
            }
            Some(output) => {
                if let Output::SwitchCase { name } = output {
                    taken.insert(name.as_str());
                }
                if let Some(other) = first.insert(output, edge) {
                    let message = format!(
                        "edge {} has label `{output}`, and so does {}",
                        shown(edge),
                        shown(other)
                    );
                    found.push(CODES[2].at(path, message));
                }
            }
        }
    }
    taken
}

/// Reports the cases without an edge.
fn without_edge(
    it: &Node,
    cases: &[Case],
    taken: &HashSet<&str>,
    path: &impl Fn(&str) -> String,
    found: &mut Vec<Finding>,
) {
    let mut seen = HashSet::new();
    for (nth, case) in cases.iter().enumerate() {
        if seen.insert(case.name.as_str()) && !taken.contains(case.name.as_str()) {
            let (id, name) = (names::shown(&it.id), names::shown(&case.name));
            let message = format!("case `{name}` of Switch `{id}` has no edge");
            found.push(CODES[1].at(path(&format!("/cases/{nth}")), message));
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn rows() {
        // S3-27, S3-66
        crate::check::tests::of_flows(
            &super::CODES,
            &[
                ("S:x,y a b c", "S-=x>a S-=y>b S-default>c", ""),
                ("S:x a", "S-=x>a", ""),
                ("S:x,x a", "S-=x>a", "workflow/duplicate-case@/nodes/0/cases/1/name"),
                ("S:x,y a", "S-=x>a", "workflow/case-without-edge@/nodes/0/cases/1"),
                (
                    "S:x a b",
                    "S-=x>a S-=x>b S-default>a S-default>b",
                    "workflow/case-with-two-edges@/edges/1 workflow/case-with-two-edges@/edges/3",
                ),
                (
                    "S:x a b",
                    "S-=x>a S-=z>b S-true>a S>b",
                    "workflow/unknown-case@/edges/1/output workflow/unknown-case@/edges/2/output workflow/unlabeled-case@/edges/3",
                ),
                ("S a", "S>a", "workflow/no-case@/nodes/0/cases workflow/unlabeled-case@/edges/0"),
            ],
        );
    }
}
