//! Texts of drawings: titles, details and findings, shortened and cleaned.

use llmend_json::{Diagnostic, Severity};

use llmend_plan::{Edge, Node, NodeKind, Workflow};

/// Maximum characters of a node's title.
pub(crate) const TITLE: usize = 28;
/// Maximum characters of a node's detail.
pub(crate) const DETAIL: usize = 36;
/// Maximum characters of an edge's label.
pub(crate) const EDGE: usize = 18;
/// Maximum characters of a text on its own line.
pub(crate) const LINE: usize = 160;

/// The text of a shape.
pub(crate) struct ShapeText {
    /// Kind of the node.
    pub(crate) kind: &'static str,
    /// Name of the node, or its id.
    pub(crate) title: String,
    /// What the node does; empty if equal to the title.
    pub(crate) detail: String,
}

/// Puts `text` on one line, removes invisible characters and shortens it to `most` characters.
pub(crate) fn clean(text: &str, most: usize) -> String {
    let mut clean = String::new();
    let (mut length, mut space) = (0, false);
    for c in text.chars() {
        if c.is_whitespace() {
            space = length > 0;
            continue;
        }
        if is_invisible(c) {
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
        clean.push(c);
        length += 1;
    }
    clean
}

/// Returns whether `c` controls the screen or the writing direction, or is a noncharacter.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{fdd0}'..='\u{fdef}' | '\u{e0000}'..='\u{e007f}')
        || u32::from(c) & 0xfffe == 0xfffe
}

/// Returns the title of a workflow.
pub(crate) fn heading(workflow: &Workflow) -> String {
    let names = [&workflow.name, &workflow.objective, &workflow.id];
    let heading = names.into_iter().flatten().map(|name| clean(name, LINE));
    heading.into_iter().find(|name| !name.is_empty()).unwrap_or_else(|| "Workflow".to_owned())
}

/// Returns the text of a node.
pub(crate) fn of_node(node: &Node) -> ShapeText {
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
    ShapeText { kind, title: named(&title), detail }
}

/// Returns `name`, or a placeholder if it is empty.
pub(crate) fn named(name: &str) -> String {
    if name.is_empty() { "(no name)".to_owned() } else { name.to_owned() }
}

/// Returns the label of an edge that has an output.
pub(crate) fn of_edge(edge: &Edge) -> Option<String> {
    let output = edge.output.as_ref()?;
    let label = clean(&output.to_string(), EDGE);
    Some(if label.is_empty() { "(no name)".to_owned() } else { label })
}

/// Formats a finding as one line.
pub(crate) fn finding(row: &Diagnostic) -> String {
    clean(&format!("{} {}: {}", row.severity.as_str(), row.code, row.message), LINE)
}

/// Formats the number of errors and warnings: `1 error, 2 warnings`; empty if there are none.
pub(crate) fn counts<'d>(findings: impl Iterator<Item = &'d Diagnostic>) -> String {
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

/// Formats a count with its noun: `1 node`, `2 nodes`.
pub(crate) fn number(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
