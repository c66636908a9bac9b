//! Escaping and unescaping of string content.

use std::fmt;

/// Appends the text that `content`, a string's content with legal JSON escapes, stands for.
///
/// Illegal escapes and lone surrogates become the replacement character.
pub(crate) fn unescape(content: &str, out: &mut String) {
    let mut rest = content;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(rest.get(..at).unwrap_or_default());
        let escape = rest.as_bytes().get(at + 1).copied().unwrap_or(b'\\');
        let mut taken = 2;
        match escape {
            b'n' => out.push('\n'),
            b't' => out.push('\t'),
            b'r' => out.push('\r'),
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'u' => {
                let (character, length) = unicode(rest.get(at..).unwrap_or_default());
                out.push(character);
                taken = length;
            }
            other => out.push(char::from(other)),
        }
        rest = rest.get(at + taken..).unwrap_or_default();
    }
    out.push_str(rest);
}

/// Returns the character of the `\u` escape or surrogate pair at the start of `text`, and its
/// length.
fn unicode(text: &str) -> (char, usize) {
    let high = hex4(text, 2).unwrap_or(0xFFFD);
    if (0xD800..0xDC00).contains(&high)
        && text.get(6..8) == Some("\\u")
        && let Some(low) = hex4(text, 8).filter(|low| (0xDC00..0xE000).contains(low))
    {
        let code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        return (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12);
    }
    (char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
}

/// Returns the value of the four hexadecimal digits at `at`.
pub(crate) fn hex4(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 4)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

/// Writes `text` as the content of a JSON string.
pub(crate) fn escape_into<W: fmt::Write + ?Sized>(text: &str, out: &mut W) -> fmt::Result {
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.write_str(text.get(plain..at).unwrap_or_default())?;
        plain = at + 1;
        match byte {
            b'"' => out.write_str("\\\"")?,
            b'\\' => out.write_str("\\\\")?,
            b'\n' => out.write_str("\\n")?,
            b'\r' => out.write_str("\\r")?,
            b'\t' => out.write_str("\\t")?,
            other => write!(out, "\\u{other:04x}")?,
        }
    }
    out.write_str(text.get(plain..).unwrap_or_default())
}

/// Appends the content of a JSON string that stands for `text`, without its quotes.
///
/// ```
/// let mut json = String::new();
/// llmend_json::push_escaped(&mut json, "a \"b\"\n");
/// assert_eq!(json, r#"a \"b\"\n"#);
/// ```
pub fn push_escaped(json: &mut String, text: &str) {
    // Writing to a string does not fail.
    let _ = escape_into(text, json);
}

#[cfg(test)]
mod tests {
    use super::{escape_into, unescape};

    #[test]
    fn escaped_text_round_trips() {
        for text in ["", "plain", "a\"b\\c/", "\n\r\t\u{8}\u{c}\u{1}\u{7f}", "é日😀"] {
            let mut escaped = String::new();
            escape_into(text, &mut escaped).expect("writing to a string");
            let mut back = String::new();
            unescape(&escaped, &mut back);
            assert_eq!(back, text);
        }
    }

    #[test]
    fn json_escapes_are_decoded() {
        for (content, expected) in [
            (r"a\/b", "a/b"),
            (r"\u0041\u00e9", "Aé"),
            (r"\ud83d\ude00!", "😀!"),
            (r#"\"\\\b\f"#, "\"\\\u{8}\u{c}"),
        ] {
            let mut out = String::new();
            unescape(content, &mut out);
            assert_eq!(out, expected, "{content}");
        }
    }
}
