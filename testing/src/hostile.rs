//! Texts that make repair libraries slow or crash: one small piece repeated to any size.

use crate::random::Random;

/// The pieces that are repeated, each with a name.
pub const KINDS: &[(&str, &str)] = &[
    ("brackets", "["),
    ("braces", "{"),
    ("members", "{\"a\":"),
    ("bracket-members", "[{\"a\":"),
    ("quotes", "\""),
    ("single-quotes", "'"),
    ("smart-quotes", "“"),
    ("backticks", "`"),
    ("backslashes", "\\"),
    ("escaped-quotes", "\\\""),
    ("escaped-members", "{\\\""),
    ("line-comments", "//"),
    ("block-comments", "/*"),
    ("closed-comments", "/**/"),
    ("hashes", "#"),
    ("html-comments", "<!--"),
    ("fences", "```"),
    ("fence-lines", "```json\n"),
    ("tilde-fences", "~~~\n"),
    ("items", "\"a\","),
    ("quoted-commas", "\", \""),
    ("adjacent-strings", "\"a\" "),
    ("inner-quotes", "{\"a\":\"b\" \"c\" "),
    ("members-in-string", "\"a\": \"b, "),
    ("prose-with-braces", "see {this} and [that] "),
    ("prose-with-colons", "a: b, "),
    ("spaces", " "),
    ("lines", "\n"),
    ("closing-braces", "}"),
    ("closing-brackets", "]"),
    ("mixed-closers", "]}"),
    ("wrong-closers", "[}"),
    ("digits", "7"),
    ("signs", "-"),
    ("dots", "."),
    ("commas", ","),
    ("colons", ":"),
    ("numbers", "[1,"),
    ("empty-lists", "[]"),
    ("empty-objects", "{}"),
    ("documents", "{\"a\":1}\n"),
    ("think-tags", "<think>"),
    ("closed-think-tags", "<think></think>"),
    ("tool-tags", "<tool_call>"),
    ("tool-calls", "<tool_call>{}"),
    ("entities", "&quot;"),
    ("literal-newlines", "\\n"),
    ("continued-lines", "\\\n"),
    ("braced-escapes", "\\u{"),
    ("formulas", "$\\pi "),
    ("parentheses", "("),
    ("unicode-escapes", "\"\\ud83d"),
    ("words", "word "),
    ("literals", "tru"),
    ("calls", "f("),
    ("concatenation", "\"a\"+"),
    ("triple-quotes", "\"\"\""),
    ("windows-paths", "\"C:\\q\\"),
    ("keys-without-values", "\"a\":"),
    ("bare-pairs", "a: b\n"),
    ("stop-tokens", "<|im_end|>"),
    ("templates", "{{a}}"),
    ("ellipses", "[...,"),
    ("full-width", "｛＂"),
    ("byte-order-marks", "\u{feff}"),
];

/// Text of at most `size` bytes made of one piece; nearly `size`, cut at a character.
///
/// # Panics
/// When no kind has this name.
#[must_use]
pub fn hostile(kind: &str, size: usize) -> String {
    let (_, piece) =
        KINDS.iter().find(|(name, _)| *name == kind).expect("a kind that is in the list");
    let mut text = piece.repeat(size / piece.len() + 1);
    let end = (0..=size).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    text.truncate(end);
    text
}

/// A text of at most `size` bytes in which two kinds take turns, one of them inside an open string.
#[must_use]
pub fn mixture(first: &str, second: &str, size: usize) -> String {
    let third = size / 3;
    let parts = [
        "{\"a\": [",
        &hostile(first, third),
        "\"",
        &hostile(second, third),
        "\", ",
        &hostile(first, third),
    ];
    let mut text = parts.concat();
    let end = (0..=size.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    text.truncate(end);
    text
}

/// Pieces that only do harm beside others.
const BESIDE: &[&str] = &[
    "{\"a\": \"z\" q ",
    "{\"a\": \"z\" y \" w\"} x\n",
    "\"a\": \"b\n",
    "\"} x\n",
    "\"}",
    "'x' ",
    "\", \"b\": \"",
    "\"]",
    "x, y: z\n",
    "\n\n",
    "```\n",
    "{\"a\": [",
    "Here it is: ",
    "",
];

/// A text in which two pieces are repeated, with others before, between and behind them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts<'p> {
    /// What stands once: before, between and behind.
    pub once: [&'p str; 3],
    /// What is repeated.
    pub often: [&'p str; 2],
}

impl Parts<'static> {
    /// Parts by chance.
    #[must_use]
    pub fn any(r: &mut Random) -> Self {
        let piece = |r: &mut Random| {
            if r.chance(40) { *r.one(BESIDE) } else { r.one(KINDS).1 }
        };
        Self { once: std::array::from_fn(|_| piece(r)), often: std::array::from_fn(|_| piece(r)) }
    }
}

impl<'p> Parts<'p> {
    /// Parts with `|` between them: the three that stand once, and the two that are repeated.
    #[must_use]
    pub fn read(text: &'p str) -> Self {
        let mut parts = text.trim_end_matches('\n').split('|');
        let mut part = || parts.next().unwrap_or_default();
        Self { once: [part(), part(), part()], often: [part(), part()] }
    }

    /// The text of about `size` bytes.
    #[must_use]
    pub fn text(&self, size: usize) -> String {
        let half = |piece: &str| piece.repeat(size / 2 / piece.len().max(1));
        let [before, between, behind] = self.once;
        let [first, second] = self.often;
        [before, &half(first), between, &half(second), behind].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_kept() {
        for (name, piece) in KINDS {
            let text = hostile(name, 1_000);
            assert!(text.len() <= 1_000 && text.len() + piece.len() >= 1_000, "{name}");
            assert!(mixture(name, "quotes", 300).len() <= 300);
        }
    }
}
