//! Blocks of YAML as the values of keys in JSON.

use crate::{
    Repair, Rule, Span,
    extract::{layer::Layer, yaml::document},
    judge::key::{bare_key, opens_key},
    parser::Window,
};

/// Longest line before a block that is read, in bytes.
const LINE_REACH: usize = 400;
/// Most keys whose lines are tried.
const TRIES: usize = 64;
/// Longest text that is searched for blocks, in bytes.
const REACH: usize = 1 << 20;

/// Returns the text with each block of YAML behind a key as JSON, if it has any: `"steps":` and deeper
/// lines, `- build` or `name: job`, up to a line of JSON.
pub(crate) fn translated(window: &Window<'_>) -> Option<Layer> {
    if window.end() > REACH || memchr::memchr2(b'{', b'[', window.text.as_bytes()).is_none() {
        return None;
    }
    let bytes = window.text.as_bytes();
    let (mut edits, mut at, mut place) = (Vec::new(), 0, Place::default());
    let ends = memchr::memmem::find_iter(bytes, b":\n").map(|colon| colon + 1);
    for line_end in ends.take(TRIES) {
        if line_end < at {
            continue;
        }
        place.pass(window.slice(Span::new(at, line_end)));
        at = line_end;
        if place.is_key()
            && let Some(block) = block_after(window, line_end)
            && let Ok(document) = document::translate(&indented(window, block), false)
        {
            let replacement = document.json.into();
            edits.push(Repair { rule: Rule::YamlDocument, span: block, replacement });
            at = block.end;
        }
    }
    (!edits.is_empty()).then(|| Layer::edited(window, 0, edits))
}

/// Where in JSON a text has been read to.
#[derive(Default)]
struct Place {
    quoted: bool,
    depth: usize,
}

impl Place {
    /// Reads on over `text`, which does not begin inside an escape.
    fn pass(&mut self, text: &str) {
        let mut escaped = false;
        for byte in text.bytes() {
            match byte {
                b'"' if !escaped => self.quoted = !self.quoted,
                b'{' | b'[' if !self.quoted => self.depth += 1,
                b'}' | b']' if !self.quoted => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            escaped = byte == b'\\' && !escaped;
        }
    }

    /// Returns whether a key may end here.
    const fn is_key(&self) -> bool {
        !self.quoted && self.depth > 0
    }
}

/// Returns the lines of YAML behind the key whose colon ends its line at `line_end`.
fn block_after(window: &Window<'_>, line_end: usize) -> Option<Span> {
    let outer = window.column(line_end, LINE_REACH)?;
    let start = window.skip_space(line_end);
    let first = window.line_before(start, LINE_REACH)?;
    let inner = first.len();
    let is_list = is_item(window, start);
    let deeper = inner > outer || (is_list && inner == outer);
    if !first.trim().is_empty() || !deeper || !(is_list || is_member(window, start)) {
        return None;
    }
    let (mut end, mut place) = (start, start);
    loop {
        let line = window.line_after(place, usize::MAX);
        if line.trim_end().ends_with(',') {
            return None;
        }
        end = if line.trim().is_empty() { end } else { place + line.trim_end().len() };
        let next = place + line.len() + 1;
        if next >= window.end() {
            return None;
        }
        let line = window.line_after(next, usize::MAX);
        let column = line.len() - line.trim_start().len();
        let begins = next + column;
        let inside = column > inner
            || (column == inner
                && (is_item(window, begins) || (!is_list && is_member(window, begins))));
        if !line.trim().is_empty() && !inside {
            let json = matches!(window.byte(begins)?, b'}' | b']')
                || opens_key(window, begins)
                || bare_key(window, begins).is_some();
            return (json && column <= inner).then_some(Span::new(start, end));
        }
        place = next;
    }
}

/// Returns a block with the white space before its first line, as deep as its others.
fn indented(window: &Window<'_>, block: Span) -> String {
    let space = window.line_before(block.start, LINE_REACH).unwrap_or_default();
    format!("{space}{}", window.slice(block))
}

/// Returns whether an item of YAML is at `at`.
fn is_item(window: &Window<'_>, at: usize) -> bool {
    window.starts_with(at, b"- ")
}

/// Returns whether a member of YAML is at `at`: a key without quotes.
fn is_member(window: &Window<'_>, at: usize) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let end = at + window.short_word(at, LINE_REACH, is_name);
    end > at && window.byte(end) == Some(b':') && matches!(window.byte(end + 1), Some(b' ' | b'\n'))
}

#[cfg(test)]
mod tests {
    use super::translated;
    use crate::parser::Window;

    #[test]
    fn blocks_behind_keys() {
        for (text, expected) in [
            (
                "{\n  \"n\": 1,\n  \"s\":\n    - \"a\"\n    - b\n}",
                Some("{\n  \"n\": 1,\n  \"s\":\n    [\"a\", \"b\"]\n}"),
            ),
            (
                "{\"m\":1, \"s\":\n  - a\n  - b\n\"t\":[2]}",
                Some("{\"m\":1, \"s\":\n  [\"a\", \"b\"]\n\"t\":[2]}"),
            ),
            (
                "{\"k\":1,\n\"m\":\n  name: cfg\n  n: 5\n\"d\":{}}",
                Some("{\"k\":1,\n\"m\":\n  {\"name\": \"cfg\", \"n\": 5}\n\"d\":{}}"),
            ),
            (
                "{\n  e:\n    - c: O\n      y: 3\n    - c: V\n      y: 2\n  \"s\": 1\n}",
                Some(
                    "{\n  e:\n    [{\"c\": \"O\", \"y\": 3}, {\"c\": \"V\", \"y\": 2}]\n  \"s\": 1\n}",
                ),
            ),
            // Members of JSON, and lines of prose.
            ("{\n  \"a\":\n    \"b\": 1,\n  \"c\": 2\n}", None),
            ("{\n  \"a\":\n    [1],\n  \"c\": 2\n}", None),
            ("{\"a\": 1}\nPoints:\n- one\n- two\nDone", None),
            ("Points:\n- one\n- two\n", None),
            // Lines of a string.
            ("{\n  \"n\": \"Plan:\n  - go\n  - rest\nend: ok\",\n  \"b\": 1\n}", None),
        ] {
            let layer = translated(&Window::whole(text));
            assert_eq!(layer.map(|layer| layer.text).as_deref(), expected, "{text}");
        }
    }
}
