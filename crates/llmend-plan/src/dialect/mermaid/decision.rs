//! Decisions: nodes whose edges have labels.

use crate::{
    Case, Condition, Literal, NodeKind, Output,
    dialect::mermaid::shape::Shape,
    read::{condition::folded, written_condition},
};

/// Labels of the edge to take if the answer is yes.
const YES: [&str; 14] = [
    "yes", "y", "true", "ok", "ja", "oui", "si", "sí", "sim", "да", "是", "はい", "then", "iftrue",
];

/// Labels of the edge to take if the answer is no.
const NO: [&str; 12] =
    ["no", "n", "false", "notok", "nein", "non", "não", "нет", "否", "いいえ", "else", "iffalse"];

/// Labels of the edge to take otherwise.
const OTHERWISE: [&str; 6] = ["else", "otherwise", "default", "other", "others", "anythingelse"];

/// A decision, with the labels of its edges.
pub(super) struct Decision {
    pub(super) kind: NodeKind,
    /// The label of each edge, in order.
    pub(super) outputs: Vec<Option<Output>>,
    /// Whether a condition is kept as text.
    pub(super) is_text: bool,
}

fn is_one_of(words: &[&str], label: &str) -> bool {
    words.contains(&folded(label).as_str())
}

/// Returns the decision that a node makes between its edges with these labels, if it is one: a node with
/// several edges that has the shape of a decision, or whose edges all have labels, or one a yes or no.
pub(super) fn of(question: &str, shape: Shape, labels: &[Option<String>]) -> Option<Decision> {
    let is_shaped = matches!(shape, Shape::Rhombus | Shape::Hexagon);
    let labeled = labels.iter().flatten().count();
    let is_answer = |label: &String| is_one_of(&YES, label) || is_one_of(&NO, label);
    let decides = match labels.len() {
        0 => false,
        1 => is_shaped && labeled == 1,
        _ => labeled == labels.len() || is_shaped || labels.iter().flatten().any(is_answer),
    };
    if !decides {
        return None;
    }
    Some(yes_or_no(question, labels).unwrap_or_else(|| switch(question, labels)))
}

/// Returns an If: where each label is a yes or a no, or one of two is.
fn yes_or_no(question: &str, labels: &[Option<String>]) -> Option<Decision> {
    let outputs: Vec<Option<Output>> = labels
        .iter()
        .map(|label| match label {
            Some(label) if is_one_of(&YES, label) => Some(Output::IfTrue),
            Some(label) if is_one_of(&NO, label) => Some(Output::IfFalse),
            _ => None,
        })
        .collect();
    let unknown = labels.iter().zip(&outputs).filter(|(_, output)| output.is_none());
    let unlabeled = unknown.clone().filter(|(label, _)| label.is_none()).count();
    let fits = unknown.count() == unlabeled && (unlabeled == 0 || labels.len() == 2);
    if !fits {
        return None;
    }
    let parsed = written_condition::parse(question);
    let is_text = parsed.is_none();
    let condition =
        parsed.unwrap_or_else(|| written_condition::answered(question, Literal::Bool(true)));
    Some(Decision { kind: NodeKind::If { condition }, outputs, is_text })
}

/// Returns a Switch with a case for each label.
fn switch(question: &str, labels: &[Option<String>]) -> Decision {
    let mut decision = Decision {
        kind: NodeKind::Switch { cases: Vec::new() },
        outputs: Vec::new(),
        is_text: false,
    };
    let mut cases: Vec<Case> = Vec::new();
    let mut names = std::collections::HashSet::new();
    let last = labels.len().saturating_sub(1);
    for (at, label) in labels.iter().enumerate() {
        let is_default = match label {
            // `no` is an answer beside others, and not what is left of them.
            Some(label) => {
                at == last && is_one_of(&OTHERWISE, label) || is_one_of(&OTHERWISE[1..], label)
            }
            None => labels.iter().flatten().count() == last,
        };
        if is_default {
            decision.outputs.push(Some(Output::SwitchDefault));
            continue;
        }
        let name = label.clone();
        decision.outputs.push(name.clone().map(|name| Output::SwitchCase { name }));
        let Some(name) = name.filter(|name| names.insert(name.clone())) else { continue };
        let condition = case(question, &name);
        decision.is_text |= condition.is_none();
        let condition = condition
            .unwrap_or_else(|| written_condition::answered(question, Literal::Text(name.clone())));
        cases.push(Case { name, condition });
    }
    decision.kind = NodeKind::Switch { cases };
    decision
}

/// Returns the condition that a label states: `n > 5`, or `> 5` behind a variable.
fn case(question: &str, label: &str) -> Option<Condition> {
    let whole = || written_condition::parse(label);
    let variable = question.trim().trim_end_matches('?').trim_end();
    let signed = label.trim_start().starts_with(['<', '>', '=', '≥', '≤', '≠', '!']);
    let joined = || written_condition::parse(&format!("{variable} {label}")).filter(|_| signed);
    whole().or_else(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kind, the labels and whether a condition is text.
    fn shown(question: &str, shape: Shape, labels: &[&str]) -> Option<String> {
        let labels: Vec<Option<String>> =
            labels.iter().map(|it| Some((*it).to_owned()).filter(|it| !it.is_empty())).collect();
        let found = of(question, shape, &labels)?;
        let outputs = found
            .outputs
            .iter()
            .map(|it| it.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string));
        let outputs = outputs.collect::<Vec<_>>().join(" ");
        let text = if found.is_text { " text" } else { "" };
        Some(format!("{}: {outputs}{text}", found.kind.node_type()))
    }

    #[test]
    fn decisions_are_told_by_shape_and_labels() {
        use Shape::{Rectangle, Rhombus};
        let rows: [(&str, Shape, &[&str], Option<&str>); 17] = [
            ("ok?", Rhombus, &["yes", "no"], Some("if: true false text")),
            ("ok?", Rhombus, &["No", "Yes"], Some("if: false true text")),
            ("a.n > 5?", Rhombus, &["yes", "no"], Some("if: true false")),
            ("ok?", Rhombus, &["yes", ""], Some("if: true - text")),
            ("ok?", Rhombus, &["", ""], Some("if: - - text")),
            ("ok?", Rhombus, &["yes"], Some("if: true text")),
            ("ok?", Rhombus, &[""], None),
            ("ok?", Rhombus, &["yes", "yes", "no"], Some("if: true true false text")),
            ("kind", Rhombus, &["mail", "call"], Some("switch: mail call text")),
            ("kind", Rhombus, &["mail", "call", "else"], Some("switch: mail call default text")),
            ("kind", Rhombus, &["mail", "call", ""], Some("switch: mail call default text")),
            ("a.n", Rhombus, &["> 5", "<= 5"], Some("switch: > 5 <= 5")),
            ("Check it", Rectangle, &["ok", "not ok"], Some("if: true false text")),
            ("Check it", Rectangle, &["yes", ""], Some("if: true - text")),
            ("Fetch", Rectangle, &["data"], None),
            ("Fetch", Rectangle, &["data", ""], None),
            ("Fetch", Rectangle, &[], None),
        ];
        for (question, shape, labels, expected) in rows {
            assert_eq!(
                shown(question, shape, labels).as_deref(),
                expected,
                "{question} {labels:?}"
            );
        }
    }
}
