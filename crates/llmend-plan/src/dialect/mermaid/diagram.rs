//! Where a text holds a flowchart.

use llmend_json::Span;

/// A flowchart in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Diagram<'t> {
    /// What follows the line `flowchart TD`.
    pub(super) body: Span,
    /// From the fence or the first line to the end.
    pub(super) whole: Span,
    /// The title that its front matter states.
    pub(super) title: Option<&'t str>,
    /// Other diagrams, which are not read.
    pub(super) others: Vec<Span>,
}

/// A block of lines: in a fence, or the text around fences.
struct Block {
    span: Span,
    /// The language of the fence, or `None` outside of fences.
    language: Option<String>,
}

/// Returns the first flowchart of `text`.
pub(super) fn find(text: &str) -> Option<Diagram<'_>> {
    if !text.contains("flowchart") && !text.contains("graph") {
        return None;
    }
    let mut found: Option<Diagram<'_>> = None;
    let mut others = Vec::new();
    for block in blocks(text) {
        let diagram = in_block(text, &block);
        let is_other = diagram.is_none() && block.language.as_deref() == Some("mermaid");
        match diagram {
            Some(diagram) if found.is_none() => found = Some(diagram),
            Some(diagram) => others.push(diagram.whole),
            None if is_other && !block.span.is_empty() => others.push(block.span),
            None => {}
        }
    }
    found.map(|found| Diagram { others, ..found })
}

/// Splits a text at its fences.
fn blocks(text: &str) -> Vec<Block> {
    let (mut blocks, mut start, mut at) = (Vec::new(), 0, 0);
    let mut open: Option<(char, String)> = None;
    for line in text.split_inclusive('\n') {
        let (from, body) = (at, line.trim());
        at += line.len();
        let mark = ['`', '~']
            .into_iter()
            .find(|mark| body.len() >= 3 && body.chars().take(3).all(|one| one == *mark));
        let closes = open.as_ref().is_none_or(|(opener, _)| mark == Some(*opener));
        let Some(mark) = mark.filter(|_| closes) else { continue };
        let language = open.take().map(|(_, language)| language);
        let was_open = language.is_some();
        blocks.push(Block { span: Span::new(start, from), language });
        if !was_open {
            let word = body.trim_start_matches(mark).trim().to_lowercase();
            open = Some((mark, word.trim_matches(['{', '}', '.']).to_owned()));
        }
        start = at;
    }
    let language = open.map(|(_, language)| language);
    blocks.push(Block { span: Span::new(start, text.len()), language });
    blocks
}

/// Returns the flowchart in a block.
fn in_block<'t>(text: &'t str, block: &Block) -> Option<Diagram<'t>> {
    let (mut at, mut title, mut is_matter, mut is_first) = (block.span.start, None, false, true);
    let is_fenced = block.language.is_some();
    let may_be_short = matches!(block.language.as_deref(), Some("mermaid" | "mmd"));
    for line in block.span.of(text).split_inclusive('\n') {
        let (from, body) = (at, line.trim());
        at += line.len();
        if body == "---" {
            is_matter = is_first || !is_matter;
        } else if is_matter {
            title = title.or_else(|| body.strip_prefix("title:").map(str::trim));
        } else if let Some(rest) = header(body, may_be_short) {
            let start = from + line.len() - line.trim_start().len() + body.len() - rest.len();
            let end =
                if is_fenced { block.span.end } else { end_of_plain(text, at, block.span.end) };
            let whole = if is_fenced { block.span } else { Span::new(from, end) };
            let title = title.map(|title| title.trim_matches(['"', '\'']));
            let body = Span::new(start, end.max(start));
            return Some(Diagram { body, whole, title, others: Vec::new() });
        } else if is_fenced && !body.is_empty() && !body.starts_with("%%") {
            return None;
        }
        is_first &= body.is_empty();
    }
    None
}

/// Returns what follows `flowchart TD` on its line.
fn header(line: &str, may_be_short: bool) -> Option<&str> {
    let names = ["flowchart-elk", "flowchart", "graph"];
    let rest = names.iter().find_map(|name| line.strip_prefix(name))?;
    if !rest.is_empty() && !rest.starts_with([' ', '\t', ';']) {
        return None;
    }
    let inner = rest.trim_start_matches([' ', '\t']);
    let directions = ["TD", "TB", "BT", "RL", "LR"];
    let direction = directions.iter().find_map(|name| {
        let (start, rest) = inner.split_at_checked(name.len())?;
        start.eq_ignore_ascii_case(name).then_some(rest)
    });
    match direction {
        Some(rest) if rest.is_empty() || rest.starts_with([' ', '\t', ';']) => Some(rest),
        _ => may_be_short.then_some(rest),
    }
}

/// Returns where a flowchart without a fence ends: before a paragraph that is prose.
fn end_of_plain(text: &str, start: usize, end: usize) -> usize {
    let (mut at, mut after_gap) = (start, false);
    for line in text.get(start..end).unwrap_or_default().split_inclusive('\n') {
        let body = line.trim();
        if body.is_empty() {
            after_gap = true;
        } else {
            if after_gap && !is_statement(body) {
                return at;
            }
            after_gap = false;
        }
        at += line.len();
    }
    end
}

/// Returns whether a line looks like a statement of a flowchart.
fn is_statement(line: &str) -> bool {
    let word = line.split(|one: char| !one.is_alphanumeric()).next().unwrap_or_default();
    let keywords =
        ["subgraph", "end", "style", "class", "classDef", "click", "linkStyle", "direction"];
    let links = ["--", "==", "-.", "->", "~~~"];
    let rest = line.get(word.len()..).unwrap_or_default();
    let is_shape = !word.is_empty() && rest.starts_with(['[', '(', '{', '>']);
    let is_keyword = keywords.contains(&word) && (rest.is_empty() || rest.starts_with([' ', ';']));
    line.starts_with("%%")
        || is_keyword && (word != "end" || rest.is_empty())
        || is_shape && line.ends_with([']', ')', '}', ';'])
        || links.iter().any(|link| line.contains(link)) && !line.starts_with(['-', '*', '#'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flowcharts_are_found() {
        let rows = [
            ("flowchart TD\nA-->B\n", Some("\nA-->B\n")),
            ("graph LR; A-->B; B-->C", Some("; A-->B; B-->C")),
            ("Here:\n```mermaid\ngraph TD\nA-->B\n```\nDone.", Some("\nA-->B\n")),
            ("```\nflowchart LR\nA-->B\n```", Some("\nA-->B\n")),
            ("```mermaid\n%% c\nflowchart\nA-->B\n```", Some("\nA-->B\n")),
            ("```mermaid\n---\ntitle: T\n---\ngraph TD\nA-->B\n```", Some("\nA-->B\n")),
            ("graph TD\nA-->B\n\nThis is it.", Some("\nA-->B\n\n")),
            ("graph TD\nA-->B\n\nB-->C\n", Some("\nA-->B\n\nB-->C\n")),
            ("First, graph TDs are nice.", None),
            ("graph TDs are nice", None),
            ("```python\nx = 1\ngraph TD\n```", None),
            ("```mermaid\npie title Pets\n\"Dogs\" : 3\n```", None),
            ("```mermaid\nsequenceDiagram\nA->>B: graph\n```", None),
            ("flowcharts", None),
        ];
        for (text, expected) in rows {
            let found = find(text).map(|diagram| diagram.body.of(text));
            assert_eq!(found, expected, "{text}");
        }
        let text = "```mermaid\npie\n\"a\": 1\n```\n```mermaid\ngraph TD\nA-->B\n```\n";
        let found = find(text).expect("a flowchart");
        assert_eq!(found.others.len(), 1);
    }
}
