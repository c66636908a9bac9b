//! Reasoning in a text. Its drafts are never chosen.

use crate::{Span, parser::Window};

/// A reasoning tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// Opens reasoning that ends at `end`.
    Opens { end: usize, json: bool },
    /// Closes reasoning that was never opened.
    ClosesOnly { end: usize },
}

/// Longest tag that is recognized, in bytes.
const TAG_REACH: usize = 40;

/// Names of reasoning tags.
const NAMES: &[&str] = &[
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "scratchpad",
    "analysis",
    "reflection",
    "internal_monologue",
    "inner_monologue",
    "monologue",
];

/// Returns the reasoning tag at `at`, if there is one.
pub(super) fn tag(window: &Window<'_>, at: usize) -> Option<Tag> {
    if window.starts_with(at, CHANNEL.as_bytes()) {
        return channel(window, at + CHANNEL.len());
    }
    let closes = window.byte(at + 1) == Some(b'/');
    let start = at + 1 + usize::from(closes);
    let after = window.find(start, TAG_REACH, |bytes| memchr::memchr(b'>', bytes))? + 1;
    let name = window.slice(Span::new(start, after - 1));
    // Models may add a namespace: `seed:think`.
    let local = name.rsplit(':').next()?;
    NAMES.iter().find(|known| local.eq_ignore_ascii_case(known))?;
    if closes {
        return Some(Tag::ClosesOnly { end: after });
    }
    let close = format!("</{name}>");
    let found = window.find(after, usize::MAX, |bytes| find_ignoring_case(bytes, close.as_bytes()));
    let end = found.map_or(window.end(), |place| place + close.len());
    let json =
        memchr::memchr2(b'{', b'[', window.slice(Span::new(after, end)).as_bytes()).is_some();
    Some(Tag::Opens { end, json })
}

/// The token that opens a channel in answers of gpt-oss.
const CHANNEL: &str = "<|channel|>";
/// Tokens that end a message in a channel, or begin the next one.
const ENDS: &[&str] = &["<|end|>", "<|start|>", "<|channel|>", "<|return|>", "<|call|>"];

/// Returns the reasoning in the channel whose name starts at `at`: `analysis<|message|>…<|end|>`.
fn channel(window: &Window<'_>, at: usize) -> Option<Tag> {
    let start = at + window.run(at, |byte| byte == b' ');
    if !window.starts_with(start, b"analysis") {
        return None;
    }
    let first = |bytes: &[u8]| {
        memchr::memmem::find_iter(bytes, "<|").find(|&at| {
            ENDS.iter().any(|end| bytes.get(at..).is_some_and(|b| b.starts_with(end.as_bytes())))
        })
    };
    let end = window.find(start, usize::MAX, first).unwrap_or(window.end());
    let json =
        memchr::memchr2(b'{', b'[', window.slice(Span::new(start, end)).as_bytes()).is_some();
    Some(Tag::Opens { end, json })
}

/// Pairs of reasoning marks that are not tags.
const MARKS: &[(&str, &str)] = &[("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷")];

/// Returns the end of the reasoning that a mark at `at` opens.
pub(super) fn mark(window: &Window<'_>, at: usize) -> Option<usize> {
    let (open, close) = MARKS.iter().find(|(open, _)| window.starts_with(at, open.as_bytes()))?;
    let found = window
        .find(at + open.len(), usize::MAX, |bytes| memchr::memmem::find(bytes, close.as_bytes()));
    Some(found.map_or(window.end(), |place| place + close.len()))
}

/// Words that label a line of reasoning.
const LABELS: &[&str] = &["Thought", "Thinking", "Reasoning"];

/// Returns whether the line at `at` is labeled as reasoning: `Thought:`, `**Thinking**:`.
pub(super) fn is_label(window: &Window<'_>, at: usize) -> bool {
    let start = at + window.run(at, |byte| byte == b'*');
    LABELS.iter().any(|label| {
        window.starts_with(start, label.as_bytes()) && {
            let end = start + label.len();
            window.byte(end + window.run(end, |byte| byte == b'*')) == Some(b':')
        }
    })
}

/// Returns the first position of `mark` in `text`, ignoring ASCII case.
fn find_ignoring_case(text: &[u8], mark: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'<', text).find(|&at| {
        text.get(at..at + mark.len()).is_some_and(|found| found.eq_ignore_ascii_case(mark))
    })
}

#[cfg(test)]
mod tests {
    use super::{Tag, tag};
    use crate::parser::Window;

    #[test]
    fn reasoning_tags() {
        for (text, expected) in [
            ("<think>a</think>b", Some(Tag::Opens { end: 16, json: false })),
            ("<Thinking>{</THINKING>b", Some(Tag::Opens { end: 22, json: true })),
            ("<think>a {", Some(Tag::Opens { end: 10, json: true })),
            ("</think>b", Some(Tag::ClosesOnly { end: 8 })),
            ("<|channel|>analysis<|message|>{<|end|>b", Some(Tag::Opens { end: 31, json: true })),
            ("<|channel|>final<|message|>{", None),
            ("<thinker>", None),
            ("<b>", None),
        ] {
            assert_eq!(tag(&Window::whole(text), 0), expected, "{text}");
        }
    }
}
