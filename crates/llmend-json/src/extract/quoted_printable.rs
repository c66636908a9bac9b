//! Text that a mail program encoded as quoted-printable: `=C3=A9` for `é`, and `=` at the end of a line
//! that goes on. A value in it is a guess, since it shows the signs of the encoding.

/// Returns whether `text` is quoted-printable: each equals sign in it begins a sign of the encoding, and one
/// of them is a character of several bytes or the break of a line.
pub(crate) fn is_likely(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut proven = false;
    for at in memchr::memchr_iter(b'=', bytes) {
        let rest = bytes.get(at + 1..).unwrap_or_default();
        match rest {
            [b'\n', ..] | [b'\r', b'\n', ..] => proven = true,
            [high, low, rest @ ..] if is_hex(*high) && is_hex(*low) => {
                // The first byte of a character in UTF-8, and a next one.
                let begins = matches!(high, b'C'..=b'F');
                proven |= begins && matches!(rest, [b'=', b'8' | b'9' | b'A' | b'B', ..]);
            }
            _ => return false,
        }
    }
    proven
}

fn is_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'A'..=b'F')
}

#[cfg(test)]
mod tests {
    use super::is_likely;

    #[test]
    fn encodings() {
        for (text, expected) in [
            ("{\"a\": \"Kr=C3=B6ger\"}", true),
            ("{\"a\": \"two and=\n three\"}", true),
            ("{\"a\": \"two and=\r\n three\"}", true),
            ("{\"q\": \"a=3D1\", \"c\": \"=C3=9C\"}", true),
            ("{\"q\": \"a=3D1\"}", false),
            ("{\"q\": \"a=1&b=2\"}", false),
            ("{\"q\": \"=C3=9C and x=y\"}", false),
            ("{\"k\": \"YWJj==\"}", false),
            ("{\"a\": 1}", false),
        ] {
            assert_eq!(is_likely(text), expected, "{text}");
        }
    }
}
