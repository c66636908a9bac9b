//! Nodes of n8n that direct the flow.

use std::collections::{HashMap, HashSet};

use llmend_json::{Kind, Node};

use crate::{
    Case, Condition, Literal, NodeKind, Operator, Output, ValueRef, dialect::n8n::condition,
    findings::Findings, object::Part, read::written_condition,
};

/// How the outputs of a node become labels.
pub(super) enum Control {
    /// The node has one output.
    None,
    /// True, then false.
    If,
    /// A case for each output, and the number of the output that is the default.
    Switch { names: HashMap<usize, String>, default: Option<usize> },
    /// Done, then the body; before version 3 of the node the body, then done.
    Loop { done_first: bool },
}

impl Control {
    pub(super) const fn is_loop(&self) -> bool {
        matches!(self, Self::Loop { .. })
    }

    /// Returns the label of the output with this number.
    pub(super) fn output(&self, output: usize) -> Option<Output> {
        match (self, output) {
            (Self::If, 0) => Some(Output::IfTrue),
            (Self::If, 1) => Some(Output::IfFalse),
            (Self::Switch { default, .. }, _) if *default == Some(output) => {
                Some(Output::SwitchDefault)
            }
            (Self::Switch { names, .. }, _) => {
                names.get(&output).map(|name| Output::SwitchCase { name: name.clone() })
            }
            (Self::Loop { done_first }, 0 | 1) => {
                let is_done = (output == 0) == *done_first;
                Some(if is_done { Output::LoopDone } else { Output::LoopBody })
            }
            _ => None,
        }
    }
}

/// Reads a node of this type, if it directs the flow.
pub(super) fn read(
    kind: &str,
    version: f64,
    parameters: Option<&Part<'_>>,
    before: Option<&str>,
    findings: &mut Findings,
) -> Option<(NodeKind, Control)> {
    let short = kind.rsplit('.').next().unwrap_or(kind);
    let node = parameters.map(|it| it.node);
    match short {
        "if" => {
            let condition = parameters.map(|it| condition::of(it, before, findings));
            let condition =
                condition.unwrap_or_else(|| written_condition::answered("", Literal::Bool(true)));
            Some((NodeKind::If { condition }, Control::If))
        }
        "switch" => {
            let cases = parameters.map(|it| cases(it, before, findings)).unwrap_or_default();
            let default = node.and_then(|node| fallback(node, cases.len()));
            let names = cases.iter().map(|(output, case)| (*output, case.name.clone())).collect();
            let cases = cases.into_iter().map(|(_, case)| case).collect();
            Some((NodeKind::Switch { cases }, Control::Switch { names, default }))
        }
        "splitInBatches" => {
            let exit_condition = Condition {
                left: ValueRef::Variable { name: "$context.noItemsLeft".to_owned() },
                operator: Operator::Equals,
                right: Some(ValueRef::Literal { value: Literal::Bool(true) }),
            };
            let kind = NodeKind::Loop { exit_condition, max_iterations: u32::MAX };
            Some((kind, Control::Loop { done_first: version >= 3.0 }))
        }
        _ => None,
    }
}

/// Reads the rules of a Switch, each with the number of its output.
fn cases(
    parameters: &Part<'_>,
    before: Option<&str>,
    findings: &mut Findings,
) -> Vec<(usize, Case)> {
    let node = parameters.node;
    let rules = node.get("rules");
    let named = |name: &str| rules.and_then(|rules| rules.get(name));
    let list = named("values").or_else(|| named("rules"));
    let list = list.or(rules.filter(|rules| rules.kind() == Kind::Array));
    let (mut cases, mut names) = (Vec::new(), HashSet::new());
    for (at, rule) in list.into_iter().flat_map(Node::items).enumerate() {
        let output = rule.get("output").and_then(Node::number).and_then(|it| it.parse().ok());
        let output: usize = output.unwrap_or(at);
        let key = ["outputKey", "renameOutput"];
        let key = key.iter().find_map(|key| rule.get(key).and_then(Node::str));
        let mut name = key.map_or_else(|| output.to_string(), str::to_owned);
        if !names.insert(name.clone()) {
            name = format!("{name} ({at})");
        }
        let it = Part { node: rule, ..parameters.clone() };
        let condition = condition::of_rule(&it, node.get("value1"), before, findings);
        cases.push((output, Case { name, condition }));
    }
    if cases.is_empty() {
        let count = node.get("numberOutputs").or_else(|| node.get("outputsAmount"));
        let count: usize = count.and_then(Node::number).and_then(|it| it.parse().ok()).unwrap_or(4);
        let expression = node.get("output").and_then(Node::str).unwrap_or_default();
        let all = (0..count.min(64)).map(|at| {
            let answer = Literal::Number(at.into());
            let condition = written_condition::answered(expression, answer);
            (at, Case { name: at.to_string(), condition })
        });
        cases.extend(all);
        let path = parameters.path.as_str();
        let message =
            "the outputs of the Switch are chosen by an expression, which is kept as text";
        findings.warn(crate::code::TEXT_CONDITION, path, parameters.span(), message);
    }
    cases
}

/// Returns the number of the output that is taken if no rule holds.
fn fallback(parameters: Node<'_>, cases: usize) -> Option<usize> {
    let options = parameters.get("options").and_then(|it| it.get("fallbackOutput"));
    let chosen = options.or_else(|| parameters.get("fallbackOutput"));
    match chosen {
        Some(it) if it.str() == Some("extra") => Some(cases),
        Some(it) => it.number().and_then(|it| it.parse().ok()),
        None => Some(cases),
    }
}
