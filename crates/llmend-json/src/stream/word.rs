//! Escapes that later text in the string cannot change.
//!
//! In a string with an invalid escape, a valid escape in the same word is literal text. The rest of
//! the word is therefore awaited, and is checked once for all escapes in it.

use crate::{
    judge::string::backslash::{WORD_REACH, is_command, is_control, is_text, is_unknown},
    parser::window::{LONGEST_ESCAPE, legal_escape},
};

/// Progress in the word around an escape. Offsets count from the start of the string.
#[derive(Debug, Default)]
pub(super) struct Word {
    /// End of the letters after the last backslash.
    letters: usize,
    /// End of the processed part of the word; no escape before it is undecided.
    seen: usize,
    /// Whether the word ends there.
    ends: bool,
    /// End of the last escape that requires checking its neighbors: one for a backslash, since
    /// looking back into it finds another escape, or one after a drive letter.
    pub(super) unsure: Option<usize>,
}

impl Word {
    /// Returns whether the valid escape at `at` remains one whatever follows `content`, the start
    /// of a string that is no path and has only valid escapes before `at`; `None` if that cannot be
    /// decided yet.
    pub(super) fn is_escape_for_good(&mut self, content: &str, at: usize) -> Option<bool> {
        let bytes = content.as_bytes();
        self.letters = self.letters.max(at + 1);
        while bytes.get(self.letters).is_some_and(u8::is_ascii_alphabetic) {
            self.letters += 1;
        }
        if self.letters >= bytes.len() {
            return None;
        }
        if is_command(content, at) {
            return Some(false);
        }
        if self.seen <= at {
            (self.seen, self.ends) = (at, false);
        }
        while !self.ends && self.seen <= at + WORD_REACH {
            if !self.step(content)? {
                return Some(false);
            }
        }
        let near = |unsure: usize| at.saturating_sub(unsure) <= WORD_REACH;
        Some(!self.unsure.is_some_and(near) || !is_text(content, at))
    }

    /// Processes one more character of the word; returns whether the other escapes remain valid
    /// beside it, or `None` if more text is needed.
    fn step(&mut self, content: &str) -> Option<bool> {
        let byte = *content.as_bytes().get(self.seen)?;
        let length = match byte {
            b'\\' if is_control(content, self.seen) => return Some(false),
            b'\\' => match legal_escape(content, self.seen) {
                // An escaped quote ends the word like a quote.
                Some(_) if content.as_bytes().get(self.seen + 1) == Some(&b'"') => 1,
                Some(length) => length,
                None if content.len() - self.seen < LONGEST_ESCAPE => return None,
                None if is_unknown(content, self.seen, |byte| byte.is_ascii_alphanumeric()) => {
                    return Some(false);
                }
                None => 1,
            },
            b'"' | b'\'' | b';' | b'`' => 0,
            b',' if !self.is_in_bounds(content) => 0,
            _ => {
                let character = content.get(self.seen..)?.chars().next()?;
                if character.is_whitespace() { 0 } else { character.len_utf8() }
            }
        };
        self.ends = length == 0;
        self.seen += length;
        Some(true)
    }

    /// Returns whether a comma here may separate the bounds of a regular expression's quantifier,
    /// after a brace and digits.
    fn is_in_bounds(&self, content: &str) -> bool {
        let before = content.get(..self.seen).unwrap_or_default();
        before.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with('{')
    }
}

#[cfg(test)]
mod tests {
    use super::Word;

    #[test]
    fn a_word_is_awaited() {
        let long = format!("a\\n{}", "x".repeat(250));
        for (content, at, expected) in [
            (r"a\nb", 1, None),
            (r"a\nb c", 1, Some(true)),
            (r"a\tan b", 1, Some(false)),
            (r"a\tx{", 1, Some(false)),
            (r"a\nb\d", 1, None),
            (r"a\nb\fc d", 1, Some(false)),
            (r"a\nb\d+ and much more", 1, Some(false)),
            (r#"a\nb\"c"#, 1, Some(true)),
            (r"a\n{2,", 1, None),
            (r"a\n, b", 1, Some(true)),
            (r"a\n\n\n", 1, None),
            (&long, 1, None),
        ] {
            assert_eq!(Word::default().is_escape_for_good(content, at), expected, "{content}");
        }
    }

    #[test]
    fn what_was_seen_for_one_escape_counts_for_the_next() {
        let content = r"a\nb\tc\rd e";
        let mut word = Word::default();
        assert_eq!(word.is_escape_for_good(&content[..7], 1), None);
        for at in [1, 4, 7] {
            assert_eq!(word.is_escape_for_good(content, at), Some(true), "{at}");
            assert_eq!(word.seen, 10);
        }
    }
}
