//! Escaping of untrusted text for HTML.

use askama::filters::HtmlSafeOutput;

/// Escapes a text for HTML. Characters that a page must not contain at all are replaced.
pub(super) fn escaped(text: &str) -> HtmlSafeOutput<String> {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() || is_bidi(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    HtmlSafeOutput(out)
}

/// Whether a character changes the direction of text, which can make one name look like another.
const fn is_bidi(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
