//! The value on a terminal while it arrives.
//!
//! A stream never changes what it has shown, so the value is only appended to. Nothing is redrawn: nothing
//! flickers at any terminal width, and everything stays in the scrollback.

use std::fmt::Write as _;

use llmend::json::{Items, Kind, Members, Node, State};

use crate::render::hidden;

/// Blanks for each level.
const INDENT: usize = 2;

/// The progress of writing an indented value.
#[derive(Debug, Default)]
pub(crate) struct Growth {
    /// For each open container, the number of its items or members that were begun.
    levels: Vec<usize>,
    /// The bytes written of the open string.
    string: Option<usize>,
    begun: bool,
}

/// The remaining items or members of a container.
enum Rest<'v> {
    Items(Items<'v>),
    Members(Members<'v>),
}

impl<'v> Rest<'v> {
    fn of(node: Node<'v>) -> Self {
        match node.kind() {
            Kind::Object => Self::Members(node.members()),
            _ => Self::Items(node.items()),
        }
    }

    /// Skips `skipped` children. Returns the key, if any, and the value of the next.
    fn nth(&mut self, skipped: usize) -> Option<(Option<Node<'v>>, Node<'v>)> {
        match self {
            Self::Items(items) => items.nth(skipped).map(|item| (None, item)),
            Self::Members(members) => members.nth(skipped).map(|(key, value)| (Some(key), value)),
        }
    }
}

/// An open container.
struct Container<'v> {
    node: Node<'v>,
    rest: Rest<'v>,
}

impl Growth {
    /// Whether anything was written.
    pub(crate) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Returns the new text for the value at `root`; `state` says how complete each part is.
    pub(crate) fn grow(&mut self, root: Node<'_>, state: impl Fn(Node<'_>) -> State) -> String {
        let mut out = String::new();
        let mut open = Vec::new();
        let mut string = self.find(root, &mut open);
        if !self.begun {
            self.begun = true;
            string = self.begin(root, &mut open, &mut out);
        }
        loop {
            if let Some((node, written)) = string.take() {
                let text = node.str().unwrap_or_default();
                escape(text.get(written..).unwrap_or_default(), &mut out);
                self.string = Some(text.len().max(written));
                if state(node) != State::Complete {
                    return out;
                }
                self.string = None;
                out.push('"');
            }
            let depth = self.levels.len();
            let (Some(Container { node, rest }), Some(begun)) =
                (open.last_mut(), self.levels.last_mut())
            else {
                return out;
            };
            if let Some((key, value)) = rest.nth(0) {
                line(if *begun > 0 { "," } else { "" }, depth, &mut out);
                *begun += 1;
                if let Some(key) = key {
                    out.push('"');
                    escape(key.str().unwrap_or_default(), &mut out);
                    out.push_str("\": ");
                }
                string = self.begin(value, &mut open, &mut out);
            } else if state(*node) == State::Complete {
                if *begun > 0 {
                    line("", depth - 1, &mut out);
                }
                out.push(if node.kind() == Kind::Object { '}' } else { ']' });
                open.pop();
                self.levels.pop();
            } else {
                return out;
            }
        }
    }

    /// Finds the open containers, and the open string with the bytes written of it.
    fn find<'v>(&self, root: Node<'v>, open: &mut Vec<Container<'v>>) -> Option<(Node<'v>, usize)> {
        let mut next = self.begun.then_some(root);
        for begun in &self.levels {
            let node = next.take()?;
            let mut rest = Rest::of(node);
            next = begun.checked_sub(1).and_then(|last| rest.nth(last)).map(|(_, value)| value);
            open.push(Container { node, rest });
        }
        next.zip(self.string)
    }

    /// Writes the start of `node`. A string is returned after its opening quote.
    fn begin<'v>(
        &mut self,
        node: Node<'v>,
        open: &mut Vec<Container<'v>>,
        out: &mut String,
    ) -> Option<(Node<'v>, usize)> {
        match node.kind() {
            Kind::Array | Kind::Object => {
                out.push(if node.kind() == Kind::Object { '{' } else { '[' });
                open.push(Container { node, rest: Rest::of(node) });
                self.levels.push(0);
            }
            Kind::String => {
                out.push('"');
                return Some((node, 0));
            }
            _ => {
                let _ = write!(out, "{node}");
            }
        }
        None
    }
}

/// Ends a line and indents the next.
fn line(end: &str, depth: usize, out: &mut String) {
    out.push_str(end);
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', INDENT * depth));
}

/// Writes `text` as part of a JSON string, with control and invisible characters escaped.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // None of them is beyond four digits.
            c if hidden(c) => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use llmend::json::{Choice, Options, State, Stream};

    use super::Growth;

    /// Watches `text` in chunks of all sizes.
    fn check(text: &str, expected: &str) {
        for chunk in 1..=text.len() {
            let mut stream = Stream::new(Options { choice: Choice::First, ..Options::default() });
            let mut growth = Growth::default();
            let mut shown = String::new();
            for chunk in text.as_bytes().chunks(chunk) {
                stream.push(chunk);
                let view = stream.view();
                if let Some(root) = view.root() {
                    shown.push_str(&growth.grow(root, |node| view.state(node)));
                }
            }
            let parsed = stream.finish().expect("there is a value");
            shown.push_str(&growth.grow(parsed.value.root(), |_| State::Complete));
            assert_eq!(shown, expected, "{text} in chunks of {chunk}");
        }
    }

    #[test]
    fn the_value_is_written_once_however_it_arrives() {
        check("Sure: {'a': 1, b: [],} and so on", "{\n  \"a\": 1,\n  \"b\": []\n}");
        check(
            r#"{"steps": [{"id": 1, "say": "a \"b\"\tü\u202e"}, {}, "x y z", null], "on": tr"#,
            concat!(
                "{\n  \"steps\": [\n    {\n      \"id\": 1,\n      \"say\": \"a \\\"b\\\"\\tü\\u202e\"\n    },\n",
                "    {},\n    \"x y z\",\n    null\n  ],\n  \"on\": true\n}"
            ),
        );
        check(
            "[[[[1], [2, [3]]]]]",
            "[\n  [\n    [\n      [\n        1\n      ],\n      [\n        2,\n        [\n          3\n        ]\n      ]\n    ]\n  ]\n]",
        );
        check("{'key': 'the first and the se", "{\n  \"key\": \"the first and the se\"\n}");
    }
}
