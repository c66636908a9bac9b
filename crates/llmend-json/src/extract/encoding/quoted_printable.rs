//! Text that a mail program encoded as quoted-printable: `=C3=A9` for `é`, and `=` at the end of a line
//! that goes on.

use super::{
    Sign,
    octets::{self, Octets},
};

/// The line of a message that says how its body is encoded.
const HEADER: &str = "Content-Transfer-Encoding:";
/// The name of the encoding.
const NAME: &str = "quoted-printable";

/// Returns where the body begins of which a line says that it is quoted-printable.
pub(crate) fn declared(text: &str) -> Option<usize> {
    let says = |line: &str| {
        let (name, value) = line.split_at_checked(HEADER.len()).unwrap_or_default();
        name.eq_ignore_ascii_case(HEADER) && value.trim().eq_ignore_ascii_case(NAME)
    };
    let has = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    if !["-Encoding:", "-encoding:", "-ENCODING:"].into_iter().any(has) {
        return None;
    }
    let mut end = 0;
    let mut lines = text.split_inclusive('\n').map(|line| {
        end += line.len();
        (end, line)
    });
    lines.find(|(_, line)| says(line.trim_start())).map(|(end, _)| end)
}

/// Returns the signs of the encoding in `text`, of which the part from `declared` on is said to be encoded.
/// If nothing says so, each equals sign must be one of them, and at least `fewest` must be such that no other
/// text has: characters beyond ASCII, and ends of lines.
pub(super) fn signs(text: &str, declared: Option<usize>, fewest: usize) -> Option<Vec<Sign>> {
    let bytes = text.as_bytes();
    let (mut signs, mut proofs, mut certain) = (Vec::new(), 0, fewest < 2);
    let mut at = declared.unwrap_or(0);
    while let Some(found) = memchr::memchr(b'=', bytes.get(at..).unwrap_or_default()) {
        let place = at + found;
        let rest = bytes.get(place..).unwrap_or_default();
        let broken = line_break(rest);
        if broken > 0 {
            certain |= is_long(text, place);
            at = place + broken;
            proofs += 1;
            signs.push(Sign::new(place, at, ""));
            continue;
        }
        match octets::read(rest, line_break) {
            Octets::Character(meant, length) => {
                at = place + length;
                certain = true;
                let is_last = matches!(bytes.get(at), Some(b'\r' | b'\n'));
                proofs += usize::from(!meant.is_ascii() || meant == ' ' && is_last);
                signs.push(Sign::new(place, at, meant));
            }
            Octets::Cut => {
                signs.push(Sign::new(place, text.len(), ""));
                break;
            }
            Octets::Other if declared.is_none() => return None,
            Octets::Other => at = place + 1,
        }
    }
    (!signs.is_empty() && (declared.is_some() || certain && proofs >= fewest)).then_some(signs)
}

/// Length of a line that a mail program breaks, at least.
const LONG: usize = 60;

/// Returns whether the line that goes up to `at` is so long that a mail program breaks it. In programs,
/// shorter ones end in an equals sign.
fn is_long(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.len() - before.rfind('\n').map_or(0, |end| end + 1) >= LONG
}

/// Returns the length of the break of a line that goes on, at the start of `rest`.
fn line_break(rest: &[u8]) -> usize {
    let Some((b'=', rest)) = rest.split_first() else { return 0 };
    let spaces = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    match rest.get(spaces..) {
        Some([b'\n', ..]) => spaces + 2,
        Some([b'\r', b'\n', ..]) => spaces + 3,
        _ => 0,
    }
}

/// Returns whether `text` is quoted-printable: each equals sign in it begins a sign of the encoding, and one
/// of them is a character of several bytes or the break of a long line.
pub(crate) fn is_likely(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut proven = false;
    for at in memchr::memchr_iter(b'=', bytes) {
        let rest = bytes.get(at + 1..).unwrap_or_default();
        match rest {
            [b'\n', ..] | [b'\r', b'\n', ..] => proven |= is_long(text, at),
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

/// Returns whether `text` has an equals sign before two digits of an octet or the end of a line.
pub(crate) fn has_sign(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'=', bytes).any(|at| {
        matches!(bytes.get(at + 1..), Some([b'\n' | b'\r', ..]))
            || matches!(bytes.get(at + 1..), Some([high, low, ..]) if is_hex(*high) && is_hex(*low))
    })
}

fn is_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'A'..=b'F')
}

#[cfg(test)]
mod tests {
    use super::{super::tests::applied, declared, is_likely, signs};

    #[test]
    fn encodings() {
        for (text, expected) in [
            ("{\"a\": \"Kr=C3=B6ger\"}", true),
            ("{\"a\": \"two and=\n three\"}", false),
            (&format!("{{\"a\": \"{}=\r\n three\"}}", "two and ".repeat(8)), true),
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

    #[test]
    fn decoded_texts() {
        for (text, expected) in [
            ("{\"=C3=A9\": \"=C3=A8\"}", Some("{\"é\": \"è\"}")),
            ("{\"t=\nag=\r\ns\": \"=C3=A9\"}", Some("{\"tags\": \"é\"}")),
            ("{\"sql\": \"WHERE a =\n1 AND b =\n2\"}", None),
            ("{\"a\": 1,=20\n\"b\": 2=20\n}", Some("{\"a\": 1, \n\"b\": 2 \n}")),
            // A character with a break of a line in it.
            ("=D0=\n=B4=D0=B4", Some("дд")),
            ("=C3=A9 a=3D1 =C3=A9", Some("é a=1 é")),
            // The text is cut off in a sign.
            ("=C3=A9 =C3=A9 =C3", Some("é é ")),
            // Too few signs, or others.
            ("{\"a\": \"=C3=A9\"}", None),
            ("{\"a\": \"x=3D1, y=3D2, z=3D3\"}", None),
            ("=C3=A9 =C3=A9 a=1.", None),
            ("=E9 =E9 =E9", None),
            ("YWJj==", None),
            // The text says so.
            (
                "Content-Transfer-Encoding: quoted-printable\n\n{\"=C3=A9\": 1}",
                Some("Content-Transfer-Encoding: quoted-printable\n\n{\"é\": 1}"),
            ),
            (
                "a=3D1\nContent-transfer-encoding:  Quoted-Printable\r\n\r\na=3D1 and a=1.",
                Some("a=3D1\nContent-transfer-encoding:  Quoted-Printable\r\n\r\na=1 and a=1."),
            ),
            ("Content-Transfer-Encoding: quoted-printable\n\n{}", None),
            ("Content-Transfer-Encoding: 8bit\n\n=C3=A9", None),
        ] {
            let found = applied(text, signs(text, declared(text), 2));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
