//! Links between nodes.

/// Where a link points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrow {
    Forward,
    Backward,
    Both,
    /// It has no head.
    Plain,
    /// It only places the nodes.
    Invisible,
}

/// A link with its label.
pub(super) struct Link<'t> {
    pub(super) arrow: Arrow,
    pub(super) label: Option<&'t str>,
    /// Whether the line is dotted or thick.
    pub(super) is_styled: bool,
    pub(super) len: usize,
}

/// Arrows that models write although Mermaid does not know them.
const SLOPPY: [&str; 7] = ["->", "=>", "→", "⟶", "—>", "–>", "➔"];

/// Returns whether a link starts here.
pub(super) fn starts(text: &str) -> bool {
    let body = text.strip_prefix(['<', 'x', 'o']).unwrap_or(text);
    ["--", "==", "-."].iter().any(|line| body.starts_with(line))
        || text.starts_with("~~~")
        || SLOPPY.iter().any(|arrow| text.starts_with(arrow))
        || has_id(text)
}

/// Returns whether a link with an id starts here.
pub(super) fn has_id(text: &str) -> bool {
    id_len(text) > 0
}

/// Returns the length of the id of a link: `e1@`.
fn id_len(text: &str) -> usize {
    let word =
        text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let rest = text.get(word..).and_then(|rest| rest.strip_prefix('@')).unwrap_or_default();
    let leads = ["--", "==", "-.", "~~~"].iter().any(|line| rest.starts_with(line));
    if word > 0 && leads { word + 1 } else { 0 }
}

/// Parses the link at the start of `text`, with its label.
pub(super) fn parse(text: &str) -> Option<Link<'_>> {
    let line = text.get(..text.find('\n').unwrap_or(text.len()))?;
    let named = id_len(line);
    let mut link = line_of(line.get(named..)?)?;
    link.len += named;
    let rest = line.get(link.len..)?;
    let gap = rest.len() - rest.trim_start().len();
    if let Some(inner) = rest.trim_start().strip_prefix('|') {
        let end = end_of_label(inner)?;
        link.label = inner.get(..end);
        link.len += gap + 1 + end + 1;
        // Models write `-->|yes|> B`.
        link.len += usize::from(line.get(link.len..).is_some_and(|rest| rest.starts_with('>')));
    }
    Some(link)
}

/// Returns the end of a label between bars, which may be quoted.
fn end_of_label(inner: &str) -> Option<usize> {
    let quoted = inner.strip_prefix('"').and_then(|rest| rest.find("\"|")).map(|end| end + 2);
    quoted.or_else(|| inner.find('|'))
}

/// Parses a link without the label between bars.
fn line_of(text: &str) -> Option<Link<'_>> {
    if text.starts_with("~~~") {
        let len = text.bytes().take_while(|byte| *byte == b'~').count();
        return Some(Link { arrow: Arrow::Invisible, label: None, is_styled: false, len });
    }
    let is_back = text.starts_with('<');
    let head = usize::from(text.starts_with(['<', 'x', 'o']));
    let body = text.get(head..)?;
    let (line, styled) = if body.starts_with("--") {
        ("--", false)
    } else if body.starts_with("==") {
        ("==", true)
    } else if body.starts_with("-.") {
        ("-.", true)
    } else {
        let arrow = SLOPPY.iter().find(|arrow| text.starts_with(**arrow))?;
        let (arrow, label, len) = (Arrow::Forward, None, arrow.len());
        return Some(Link { arrow, label, is_styled: false, len });
    };
    let (label, has_head, len) = match closed(body, line) {
        Some((len, has_head)) => (None, has_head, len),
        None => labeled(body, line)?,
    };
    let arrow = match (is_back, has_head) {
        (true, true) => Arrow::Both,
        (true, false) => Arrow::Backward,
        (false, true) => Arrow::Forward,
        (false, false) => Arrow::Plain,
    };
    Some(Link { arrow, label, is_styled: styled, len: head + len })
}

/// Parses a link that ends without a text in it: `-->`, `---`, `-.->`, `==>`.
fn closed(body: &str, line: &str) -> Option<(usize, bool)> {
    let mark = line.chars().next()?;
    let strokes = if line == "-." {
        let dots = body.get(1..)?.bytes().take_while(|byte| *byte == b'.').count();
        // `-.->` and `-.-`
        body.get(1 + dots..)?.starts_with('-').then_some(dots + 2)?
    } else {
        body.chars().take_while(|one| *one == mark).count()
    };
    let rest = body.get(strokes..)?;
    match head(rest) {
        0 if strokes > 2 || line == "-." => Some((strokes, false)),
        0 => None,
        head => Some((strokes + head, true)),
    }
}

/// Returns the length of the head of an arrow.
fn head(rest: &str) -> usize {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t', '|']);
    match rest.as_bytes() {
        [b'>', b'>', ..] => 2,
        [b'>', ..] => 1,
        [b'x' | b'o', ..] if rest.get(1..).is_some_and(ends) => 1,
        _ => 0,
    }
}

/// Parses a link with a text in it: `-- yes -->`.
fn labeled<'t>(body: &'t str, line: &str) -> Option<(Option<&'t str>, bool, usize)> {
    let inner = body.get(line.len()..)?;
    let close = if line == "-." { ".-" } else { line };
    for (at, _) in inner.match_indices(close) {
        let rest = inner.get(at..)?;
        let found = if line == "-." {
            let strokes = rest.bytes().take_while(|byte| *byte == b'.').count() + 1;
            Some((strokes, head(rest.get(strokes..)?)))
        } else {
            let strokes = rest.bytes().take_while(|byte| *byte == line.as_bytes()[0]).count();
            let head = head(rest.get(strokes..)?);
            (strokes > 2 || head > 0).then_some((strokes, head))
        };
        if let Some((strokes, head)) = found {
            let label = inner.get(..at)?.trim();
            let label = Some(label).filter(|label| !label.is_empty());
            return Some((label, head > 0, line.len() + at + strokes + head));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Arrow, parse, starts};

    #[test]
    fn links_are_parsed() {
        use Arrow::{Backward, Both, Forward, Invisible, Plain};
        let rows = [
            ("--> B", Forward, None, " B"),
            ("-->B", Forward, None, "B"),
            ("----> B", Forward, None, " B"),
            ("--- B", Plain, None, " B"),
            ("-->|yes| B", Forward, Some("yes"), " B"),
            ("--> |yes| B", Forward, Some("yes"), " B"),
            ("-->|\"a | b\"| B", Forward, Some("\"a | b\""), " B"),
            ("-->|yes|> B", Forward, Some("yes"), " B"),
            ("-- yes --> B", Forward, Some("yes"), " B"),
            ("--yes-->B", Forward, Some("yes"), "B"),
            ("-- \"if a-b\" ---> B", Forward, Some("\"if a-b\""), " B"),
            ("-- yes --- B", Plain, Some("yes"), " B"),
            ("==> B", Forward, None, " B"),
            ("== yes ==> B", Forward, Some("yes"), " B"),
            ("-.-> B", Forward, None, " B"),
            ("-. no .-> B", Forward, Some("no"), " B"),
            ("-.- B", Plain, None, " B"),
            ("-..-> B", Forward, None, " B"),
            ("<--> B", Both, None, " B"),
            ("<-- B --> C", Both, Some("B"), " C"),
            ("<--- B", Backward, None, " B"),
            ("--x B", Forward, None, " B"),
            ("--o B", Forward, None, " B"),
            ("x--x B", Forward, None, " B"),
            ("~~~ B", Invisible, None, " B"),
            ("-> B", Forward, None, " B"),
            ("-->> B", Forward, None, " B"),
            ("→ B", Forward, None, " B"),
            ("e1@--> B", Forward, None, " B"),
        ];
        for (text, arrow, label, rest) in rows {
            assert!(starts(text), "{text}");
            let found = parse(text).expect(text);
            assert_eq!((found.arrow, found.label), (arrow, label), "{text}");
            assert_eq!(&text[found.len..], rest, "{text}");
        }
        for text in ["-- yes B", "B", "", "-", "x B"] {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}
