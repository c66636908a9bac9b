//! Which words does a picture show, and how much of them?

use llmend_json::{Diagnostic, Severity};

use crate::{
    Edge, Node, NodeKind, Workflow,
    draw::scene::{Scene, Shape},
};

/// Most characters of a node's name.
pub(super) const TITLE: usize = 28;
/// Most characters of what a node does.
pub(super) const DETAIL: usize = 36;
/// Most characters of an edge's label.
pub(super) const EDGE: usize = 18;
/// Most characters of a text that stands alone.
pub(super) const LINE: usize = 160;

/// What a node is called in a picture.
pub(super) struct Words {
    /// Its kind.
    pub(super) kind: &'static str,
    /// Its name, or its id where it has none.
    pub(super) title: String,
    /// What it does; empty where the name says it.
    pub(super) detail: String,
}

/// `text` on one line, without what cannot be seen, and of `most` characters at most.
pub(super) fn clean(text: &str, most: usize) -> String {
    let mut clean = String::new();
    let (mut length, mut space) = (0, false);
    for mark in text.chars() {
        if mark.is_whitespace() {
            space = length > 0;
            continue;
        }
        if is_unseen(mark) {
            continue;
        }
        if length + 1 + usize::from(space) > most {
            while length >= most {
                length -= usize::from(clean.pop().is_some());
            }
            return clean.trim_end().to_owned() + "…";
        }
        if space {
            clean.push(' ');
            length += 1;
        }
        space = false;
        clean.push(mark);
        length += 1;
    }
    clean
}

/// Whether `mark` directs a screen or the direction of writing, or is no character at all.
fn is_unseen(mark: char) -> bool {
    mark.is_control()
        || matches!(mark,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{fdd0}'..='\u{fdef}' | '\u{e0000}'..='\u{e007f}')
        || u32::from(mark) & 0xfffe == 0xfffe
}

/// What a workflow is called.
pub(super) fn heading(workflow: &Workflow) -> String {
    let names = [&workflow.name, &workflow.objective, &workflow.id];
    let heading = names.into_iter().flatten().map(|name| clean(name, LINE));
    heading.into_iter().find(|name| !name.is_empty()).unwrap_or_else(|| "Workflow".to_owned())
}

/// What `shape` is called.
pub(super) fn words(shape: Shape<'_>) -> Words {
    match shape {
        Shape::Node(node) => of_node(node),
        Shape::Missing(id) => {
            Words { kind: "missing", title: named(&clean(id, TITLE)), detail: String::new() }
        }
    }
}

/// What the shape of that index is called.
pub(super) fn words_of(scene: &Scene<'_>, shape: usize) -> Words {
    words(scene.shapes.get(shape).copied().unwrap_or(Shape::Missing("")))
}

fn of_node(node: &Node) -> Words {
    let name = clean(node.name.as_deref().unwrap_or_default(), TITLE);
    let title = if name.is_empty() { clean(&node.id, TITLE) } else { name };
    let (kind, detail) = match &node.kind {
        NodeKind::Tool { tool, .. } => ("tool", clean(tool, DETAIL)),
        NodeKind::AiStep { prompt, .. } => ("AI step", clean(prompt, DETAIL)),
        NodeKind::AiTransform { kind, input_ref, .. } => {
            ("AI transform", clean(&format!("{kind} {input_ref}"), DETAIL))
        }
        NodeKind::If { condition } => ("if", clean(&condition.to_string(), DETAIL)),
        NodeKind::Switch { cases } => {
            let names: Vec<_> = cases.iter().take(DETAIL).map(|case| case.name.as_str()).collect();
            ("switch", clean(&names.join(", "), DETAIL))
        }
        NodeKind::Loop { exit_condition, max_iterations } => {
            ("loop", clean(&format!("at most {max_iterations}, until {exit_condition}"), DETAIL))
        }
        NodeKind::EndLoop { loop_id } => ("end of loop", clean(loop_id, DETAIL)),
    };
    let detail = if detail == title { String::new() } else { detail };
    Words { kind, title: named(&title), detail }
}

/// A name that can be seen.
fn named(name: &str) -> String {
    if name.is_empty() { "(no name)".to_owned() } else { name.to_owned() }
}

/// The label of an edge, where it has one.
pub(super) fn of_edge(edge: &Edge) -> Option<String> {
    let output = edge.output.as_ref()?;
    let label = clean(&output.to_string(), EDGE);
    Some(if label.is_empty() { "(no name)".to_owned() } else { label })
}

/// One line about a finding.
pub(super) fn finding(row: &Diagnostic) -> String {
    clean(&format!("{} {}: {}", row.severity.as_str(), row.code, row.message), LINE)
}

/// How many errors and warnings there are: ` · 1 error, 2 warnings`; empty without any.
pub(super) fn counts<'d>(findings: impl Iterator<Item = &'d Diagnostic>) -> String {
    let (mut errors, mut warnings) = (0, 0);
    for row in findings {
        match row.severity {
            Severity::Error => errors += 1,
            Severity::Warning => warnings += 1,
            Severity::Info => {}
        }
    }
    let parts = [(errors, "error"), (warnings, "warning")];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    parts.map(|(count, word)| number(count, word)).collect::<Vec<_>>().join(", ")
}

/// `1 node`, `2 nodes`.
pub(super) fn number(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
