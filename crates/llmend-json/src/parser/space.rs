//! White space that JSON does not allow, and white space as HTML and tokenizers write it.

use crate::parser::Window;

/// White space as HTML and tokenizers write it.
const SPACES: &[&str] = &["<br>", "<br/>", "<br />", "&nbsp;", "&#160;", "<0x0A>", "<0x09>"];

/// Returns the length of the white space at `at` as HTML and tokenizers write it.
pub(crate) fn written_space(window: &Window<'_>, at: usize) -> Option<usize> {
    SPACES.iter().find(|space| window.starts_with(at, space.as_bytes())).map(|space| space.len())
}

/// Returns whether a character is invisible, or white space that JSON does not allow.
pub(crate) const fn is_unusual_space(character: char) -> bool {
    matches!(
        character,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}' | '\u{85}' | '\u{a0}' | '\u{ad}' | '\u{61c}'
            | '\u{1680}' | '\u{2000}'..='\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202f}' | '\u{205f}'
            | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{3000}' | '\u{feff}'
    )
}
