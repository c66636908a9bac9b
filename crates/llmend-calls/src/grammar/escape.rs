//! Escapes in the strings of Python and JavaScript.

/// Returns whether the byte at `at` of a string that begins at `start` is escaped.
pub(super) fn is_escaped(bytes: &[u8], start: usize, at: usize) -> bool {
    let before = bytes.get(start..at).unwrap_or_default();
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// Appends the text that the content of a string literal stands for.
pub(super) fn unescape(content: &str, raw: bool, out: &mut String) {
    if raw || !content.contains('\\') {
        out.push_str(content);
        return;
    }
    let mut rest = content;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.get(..at).unwrap_or_default());
        let after = rest.get(at + 1..).unwrap_or_default();
        let mut chars = after.chars();
        let Some(escape) = chars.next() else {
            out.push('\\');
            return;
        };
        let mut tail = chars.as_str();
        match escape {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'v' => out.push('\u{b}'),
            'a' => out.push('\u{7}'),
            '0' => out.push('\0'),
            '\n' => {}
            '\\' | '\'' | '"' | '`' | '/' => out.push(escape),
            'x' | 'u' | 'U' => {
                let length = match escape {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                match code_point(tail, length) {
                    Some((c, used)) => {
                        out.push(c);
                        tail = tail.get(used..).unwrap_or_default();
                    }
                    None => out.extend(['\\', escape]),
                }
            }
            // Python keeps the backslash of an unknown escape.
            _ => out.extend(['\\', escape]),
        }
        rest = tail;
    }
    out.push_str(rest);
}

/// Returns the character of the hexadecimal digits that `text` begins with, and their length. A
/// surrogate is read with its second half.
fn code_point(text: &str, length: usize) -> Option<(char, usize)> {
    let hex = |text: &str| u32::from_str_radix(text.get(..length)?, 16).ok();
    let first = hex(text)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, length));
    }
    let second = hex(text.get(length..)?.strip_prefix("\\u")?)?;
    let both = (0xd800..0xdc00).contains(&first) && (0xdc00..0xe000).contains(&second);
    let c = both.then(|| 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))?;
    Some((char::from_u32(c)?, 2 * length + 2))
}
