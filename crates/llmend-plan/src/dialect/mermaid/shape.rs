//! Shapes of nodes.

use crate::dialect::mermaid::link;

/// The shape of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `[text]`
    Rectangle,
    /// `([text])`
    Stadium,
    /// `[[text]]`
    Subroutine,
    /// `{text}`
    Rhombus,
    /// `{{text}}`
    Hexagon,
    /// `(text)`
    Rounded,
    /// `[/text/]`
    Slanted,
    /// `>text]`
    Flag,
    /// Any other shape, or none.
    Other,
}

/// Openers with the closers that may belong to them; a longer opener comes first.
const SHAPES: [(&str, &[&str], Shape); 14] = [
    ("(((", &[")))"], Shape::Other),
    ("((", &["))"], Shape::Other),
    ("([", &["])"], Shape::Stadium),
    ("(-", &["-)"], Shape::Other),
    ("[[", &["]]"], Shape::Subroutine),
    ("[(", &[")]"], Shape::Other),
    ("[/", &["/]", "\\]"], Shape::Slanted),
    ("[\\", &["\\]", "/]"], Shape::Slanted),
    ("[|", &["|]"], Shape::Other),
    ("{{", &["}}"], Shape::Hexagon),
    ("{", &["}"], Shape::Rhombus),
    ("(", &[")"], Shape::Rounded),
    ("[", &["]"], Shape::Rectangle),
    (">", &["]"], Shape::Flag),
];

/// A shape with its text.
pub(super) struct Shaped<'t> {
    pub(super) shape: Shape,
    pub(super) label: &'t str,
    pub(super) len: usize,
}

/// Returns whether a shape may start here.
pub(super) fn opens(text: &str) -> bool {
    text.starts_with(['[', '(', '{', '>']) || text.starts_with("@{")
}

/// Parses the shape at the start of `text`.
pub(super) fn parse(text: &str) -> Option<Shaped<'_>> {
    if let Some(inner) = text.strip_prefix("@{") {
        return stated(inner);
    }
    SHAPES.iter().find_map(|(open, closers, shape)| {
        let inner = text.strip_prefix(open)?;
        let (label, close) = quoted(inner, closers).or_else(|| raw(inner, closers))?;
        let len = open.len() + close;
        Some(Shaped { shape: *shape, label, len })
    })
}

/// Parses `"text"]`, and returns the text and the length.
fn quoted<'t>(inner: &'t str, closers: &[&str]) -> Option<(&'t str, usize)> {
    let start = inner.len() - inner.trim_start().len();
    let text = inner.get(start..)?.strip_prefix('"')?;
    let end = text.find('"')?;
    let rest = text.get(end + 1..)?;
    let gap = rest.len() - rest.trim_start().len();
    let close = closers.iter().find(|close| rest.trim_start().starts_with(**close))?;
    Some((text.get(..end)?, start + 1 + end + 1 + gap + close.len()))
}

/// Parses text up to the first closer on its line behind which a statement can go on.
fn raw<'t>(inner: &'t str, closers: &[&str]) -> Option<(&'t str, usize)> {
    let line = inner.get(..inner.find('\n').unwrap_or(inner.len()))?;
    let mut ends: Vec<(usize, usize)> = closers
        .iter()
        .flat_map(|close| line.match_indices(*close).map(|(at, close)| (at, close.len())))
        .collect();
    ends.sort_unstable();
    let goes_on = |end: usize| line.get(end..).is_some_and(can_follow);
    let (at, len) = ends.into_iter().find(|(at, len)| goes_on(at + len))?;
    Some((line.get(..at)?, at + len))
}

/// Returns whether `rest` of a line may follow a node.
fn can_follow(rest: &str) -> bool {
    let body = rest.trim_start();
    body.is_empty()
        || body.starts_with([';', '&'])
        || body.starts_with("%%")
        || body.starts_with(":::")
        || link::starts(body)
}

/// Parses `shape: diam, label: "text" }`.
fn stated(inner: &str) -> Option<Shaped<'_>> {
    const LONGEST: usize = 1000;
    let end = inner.bytes().take(LONGEST).position(|byte| byte == b'}')?;
    let fields = inner.get(..end)?;
    let value = |name: &str| {
        let at = fields.find(name)?;
        let rest = fields.get(at + name.len()..)?.trim_start().strip_prefix(':')?.trim_start();
        match rest.strip_prefix('"') {
            Some(rest) => rest.get(..rest.find('"')?),
            None => Some(rest.get(..rest.find(',').unwrap_or(rest.len()))?.trim()),
        }
    };
    let shape = match value("shape") {
        Some("diam" | "diamond" | "decision" | "question") => Shape::Rhombus,
        Some("hex" | "hexagon" | "prepare") => Shape::Hexagon,
        _ => Shape::Other,
    };
    Some(Shaped { shape, label: value("label").unwrap_or_default(), len: 2 + end + 1 })
}

#[cfg(test)]
mod tests {
    use super::{Shape, parse};

    #[test]
    fn shapes_are_parsed() {
        let rows = [
            ("[Fetch]", Shape::Rectangle, "Fetch", ""),
            ("[\"a ] b\"] --> B", Shape::Rectangle, "a ] b", " --> B"),
            ("([Start])-->B", Shape::Stadium, "Start", "-->B"),
            ("((x))", Shape::Other, "x", ""),
            ("(((x)))", Shape::Other, "x", ""),
            ("{ok?} -->|yes| B", Shape::Rhombus, "ok?", " -->|yes| B"),
            ("{{ok?}}", Shape::Hexagon, "ok?", ""),
            ("[[sub]]", Shape::Subroutine, "sub", ""),
            ("[(db)]", Shape::Other, "db", ""),
            ("[/in/]", Shape::Slanted, "in", ""),
            ("[/in\\]", Shape::Slanted, "in", ""),
            ("[/api/users]", Shape::Rectangle, "/api/users", ""),
            (">flag]", Shape::Flag, "flag", ""),
            ("[Call f(x[0])] --> B", Shape::Rectangle, "Call f(x[0])", " --> B"),
            ("[x]:::big", Shape::Rectangle, "x", ":::big"),
            ("[x];", Shape::Rectangle, "x", ";"),
            ("[\"a\nb\"]", Shape::Rectangle, "a\nb", ""),
            ("@{ shape: diam, label: \"ok?\" }", Shape::Rhombus, "ok?", ""),
            ("(Round (a))", Shape::Rounded, "Round (a)", ""),
        ];
        for (text, shape, label, rest) in rows {
            let found = parse(text).expect(text);
            assert_eq!((found.shape, found.label), (shape, label), "{text}");
            assert_eq!(&text[found.len..], rest, "{text}");
        }
        assert!(parse("[open").is_none());
        assert!(parse("{open\n}").is_none());
    }
}
