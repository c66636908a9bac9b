//! Which backslashes of a string are escapes, and which are text?
//!
//! Only asked of a string with at least one escape that JSON does not know.

use crate::parser::window::legal_escape;

/// How a string's backslashes are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Escapes, but for those that JSON does not know.
    Escapes,
    /// Every one is text, but for doubled ones and escaped quotes.
    Literal,
    /// Text within a word that has an escape that JSON does not know; escapes elsewhere.
    ByWord,
}

/// Longest half of a word that is looked at, in bytes.
const WORD_REACH: usize = 200;

/// `LaTeX` commands that begin like a legal escape of JSON.
const COMMANDS: &[&str] = &[
    "nu",
    "ne",
    "neq",
    "nabla",
    "not",
    "ni",
    "newline",
    "newcommand",
    "nolimits",
    "nonumber",
    "theta",
    "tau",
    "times",
    "text",
    "textbf",
    "textit",
    "textrm",
    "tan",
    "tanh",
    "to",
    "top",
    "triangle",
    "tilde",
    "tfrac",
    "beta",
    "bar",
    "begin",
    "bmod",
    "binom",
    "big",
    "bigl",
    "bigr",
    "bf",
    "bot",
    "bullet",
    "boldsymbol",
    "bmatrix",
    "frac",
    "forall",
    "flat",
    "fbox",
    "foot",
    "rho",
    "right",
    "rangle",
    "rightarrow",
    "rm",
    "rfloor",
    "rceil",
    "rvert",
    "real",
    "upsilon",
    "uparrow",
    "underline",
    "underbrace",
    "uplus",
    "usepackage",
];

/// How the backslashes of `content`, the inside of a string, are to be read.
pub(crate) fn reading(content: &str) -> Reading {
    let start = content.trim_start_matches(['"', '\'', '(', ' ']);
    let drive = start.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        && start.get(1..3) == Some(":\\");
    let open = (content.len() - content.trim_end_matches('\\').len()) % 2 == 1;
    if drive && open {
        // A path that ends with its separator.
        return Reading::Literal;
    }
    if !has_unknown(content, |byte| byte.is_ascii_alphanumeric()) {
        // `\(` or `\[` beside a command is LaTeX too.
        let formula =
            has_unknown(content, |byte| b"()[]{}|,;!".contains(&byte)) && has_command(content);
        return if formula { Reading::ByWord } else { Reading::Escapes };
    }
    if drive || start.starts_with("\\\\") || start.starts_with(".\\") || start.starts_with("..\\") {
        return Reading::Literal;
    }
    Reading::ByWord
}

/// Whether the escape at `at`, a legal one, is text in a string that is read by word.
pub(crate) fn is_text(content: &str, at: usize) -> bool {
    let command = letters(content, at);
    if COMMANDS.contains(&command)
        || (command.len() > 1
            && content.get(at + 1 + command.len()..).is_some_and(|rest| rest.starts_with('{')))
    {
        return true;
    }
    // A comma that bounds a repetition, as in `\w{2,}`, is part of its word.
    let stop = |place: usize, c: char| {
        let bounds = c == ',' && repeats(content, place);
        c.is_whitespace() || (matches!(c, '"' | '\'' | ',' | ';' | '`') && !bounds)
    };
    let near = |place: usize| {
        (place.min(content.len())..=content.len())
            .find(|&end| content.is_char_boundary(end))
            .unwrap_or(0)
    };
    let start = near(at.saturating_sub(WORD_REACH));
    let before = content.get(start..at).unwrap_or_default();
    let from = before
        .char_indices()
        .rev()
        .find(|&(place, c)| stop(start + place, c))
        .map_or(start, |(place, c)| start + place + c.len_utf8());
    let rest = content.get(at..near(at + WORD_REACH)).unwrap_or_default();
    let to = rest
        .char_indices()
        .find(|&(place, c)| stop(at + place, c))
        .map_or(at + rest.len(), |(place, _)| at + place);
    content.get(from..to).is_some_and(|word| has_unknown(word, |byte| byte.is_ascii_alphanumeric()))
}

/// Whether a path may begin before the first backslash of a string, which `next` follows; `before`
/// is what stands before it.
pub(crate) fn may_open_path(before: &str, next: u8) -> bool {
    match before.trim_start_matches(['"', '\'', '(', ' ']).as_bytes() {
        [] => next == b'\\',
        [b'.'] | [b'.', b'.'] => true,
        [drive, b':'] => drive.is_ascii_alphabetic(),
        _ => false,
    }
}

/// Whether the legal escape at `at` stays one whatever comes after `content`, the start of a string
/// that begins no path. Nothing if `content` ends too early to tell.
pub(crate) fn is_escape_for_good(content: &str, at: usize) -> Option<bool> {
    let rest = content.get(at + 1..).unwrap_or_default();
    let command = letters(content, at);
    if command.len() == rest.len() {
        return None;
    }
    // A comma behind a brace and digits may yet turn out to bound a repetition.
    let bounds = |place: usize| {
        let before = rest.get(..place).unwrap_or_default();
        before.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with('{')
    };
    let stop = |(place, c): (usize, char)| {
        c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '`') || (c == ',' && !bounds(place))
    };
    if rest.len() <= WORD_REACH && !rest.char_indices().any(stop) {
        return None;
    }
    Some(!is_text(content, at))
}

/// Whether the comma at `at` stands in the bounds of a repetition: `{2,}`, `{1,3}`, `{,3}`.
fn repeats(content: &str, at: usize) -> bool {
    let before =
        content.get(..at).unwrap_or_default().trim_end_matches(|c: char| c.is_ascii_digit());
    let after =
        content.get(at + 1..).unwrap_or_default().trim_start_matches(|c: char| c.is_ascii_digit());
    before.ends_with('{') && after.starts_with('}')
}

/// Whether a `LaTeX` command stands in `content`.
fn has_command(content: &str) -> bool {
    content.match_indices('\\').any(|(at, _)| COMMANDS.contains(&letters(content, at)))
}

/// The letters after the backslash at `at`.
fn letters(content: &str, at: usize) -> &str {
    let rest = content.get(at + 1..).unwrap_or_default();
    rest.get(..rest.bytes().take_while(u8::is_ascii_alphabetic).count()).unwrap_or_default()
}

/// Whether `content` has a backslash that makes no escape, before a byte that counts.
fn has_unknown(content: &str, counts: impl Fn(u8) -> bool) -> bool {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', content.as_bytes().get(at..).unwrap_or_default())
    {
        at += found;
        let next = content.as_bytes().get(at + 1).copied().unwrap_or(b' ');
        let known = legal_escape(content, at).is_some()
            || foreign(content, at).is_some()
            || surrogate(content, at);
        if !known && counts(next) {
            return true;
        }
        at += 2;
    }
    false
}

/// Whether a well-formed `\u` escape of a lone surrogate stands at `at`.
pub(crate) fn surrogate(content: &str, at: usize) -> bool {
    content.as_bytes().get(at + 1) == Some(&b'u')
        && crate::parser::escape::hex4(content, at + 2)
            .is_some_and(|code| (0xD800..0xE000).contains(&code))
}

/// The character that `\xHH` or `\UHHHHHHHH` at `at` means, and the escape's length.
pub(crate) fn foreign(content: &str, at: usize) -> Option<(char, usize)> {
    let digits = match content.as_bytes().get(at + 1)? {
        b'x' => 2,
        b'U' => 8,
        _ => return None,
    };
    let hex = content.get(at + 2..at + 2 + digits)?;
    if !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let character = char::from_u32(u32::from_str_radix(hex, 16).ok()?)?;
    Some((character, 2 + digits))
}

#[cfg(test)]
mod tests {
    use super::{Reading, is_text, reading};

    #[test]
    fn how_backslashes_are_read() {
        for (content, expected) in [
            (r"it\'s \_ok\_", Reading::Escapes),
            (r"pays \$5", Reading::Escapes),
            (r"caf\xe9", Reading::Escapes),
            (r"\ud83d", Reading::Escapes),
            (r"C:\Users\new", Reading::Literal),
            (r"\\server\new\docs", Reading::Literal),
            (r"\d+\t", Reading::ByWord),
            (r"\alpha + \frac{1}{2}", Reading::ByWord),
        ] {
            assert_eq!(reading(content), expected, "{content}");
        }
    }

    #[test]
    fn which_legal_escapes_are_text() {
        for (content, at, expected) in [
            (r"\alpha + \frac", 9, true),
            (r"\d+\t", 3, true),
            (r"re \d+ then\nnext", 11, false),
            (r"C: see D:\x\new", 11, true),
            (r"\sigma\nis big", 6, true),
            (r"\b\w{2,}\b", 8, true),
            (r"\b[a-z]{1,3}\d\b", 0, true),
            (r"a,\b \w", 2, false),
        ] {
            assert_eq!(is_text(content, at), expected, "{content}");
        }
    }
}
