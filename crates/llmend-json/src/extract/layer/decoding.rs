//! Values that were not decoded: a tokenizer's signs for white space, UTF-8 that was read as
//! Windows-1252, Windows-1252 that was read as Latin-1, or UTF-16 that was read byte by byte.

use crate::{
    Span,
    parser::{Window, quote},
};

/// The signs of one way to encode text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decoding {
    /// First byte of every sign.
    pub(super) mark: u8,
    /// The signs, and what each stands for. The longest of those that begin alike is first.
    pub(in crate::extract) signs: &'static [(&'static str, &'static str)],
}

/// The signs of each kind of tokenizer.
pub(in crate::extract) static TOKENIZERS: [&[Decoding]; 2] = [
    // Bytes of GPT-2's vocabulary.
    &[Decoding { mark: 0xC4, signs: &[("Ġ", " "), ("Ċ", "\n"), ("ĉ", "\t")] }],
    // SentencePiece, whose other bytes stand as numbers.
    &[
        Decoding { mark: 0xE2, signs: &[("▁", " ")] },
        Decoding { mark: b'<', signs: &[("<0x0A>", "\n"), ("<0x09>", "\t")] },
    ],
];

/// The signs of texts that were decoded wrongly.
static MISREAD: &[Decoding] = &[
    // Quotes, dashes and the ellipsis, as Windows-1252 shows their UTF-8. The last byte of the closing
    // quote is no character there, and is often lost.
    Decoding {
        mark: 0xC3,
        signs: &[
            ("â€œ", "“"),
            ("â€\u{9d}", "”"),
            ("â€˜", "‘"),
            ("â€™", "’"),
            ("â€“", "–"),
            ("â€”", "—"),
            ("â€¦", "…"),
            ("â€", "”"),
        ],
    },
    // No-break spaces and guillemets in the same way. The no-break space is often made a plain one.
    Decoding {
        mark: 0xC3, signs: &[("Â\u{a0}", " "), ("Â ", " "), ("Â«", "«"), ("Â»", "»")]
    },
    // UTF-16, whose letters of ASCII are each beside a zero byte.
    Decoding { mark: 0, signs: &[("\0", "")] },
    // The quotes, dashes and the ellipsis of Windows-1252 as Latin-1 shows them.
    Decoding {
        mark: 0xC2,
        signs: &[
            ("\u{93}", "“"),
            ("\u{94}", "”"),
            ("\u{91}", "‘"),
            ("\u{92}", "’"),
            ("\u{84}", "„"),
            ("\u{85}", "…"),
            ("\u{96}", "–"),
            ("\u{97}", "—"),
        ],
    },
];

/// Most brackets at the start of a value that are passed over.
const DEEP: usize = 8;
/// Longest first key or string that is passed over, in characters.
const KEY_REACH: usize = 40;

/// Returns the decoding that the value at `at` lacks: one of its signs follows the brackets, or is
/// before what begins a value behind the first key or string.
pub(super) fn missing_at(window: &Window<'_>, at: usize) -> Option<&'static Decoding> {
    let mut next = window.skip_space(at);
    for _ in 0..DEEP {
        if !matches!(window.byte(next), Some(b'{' | b'[')) {
            break;
        }
        next = window.skip_space(next + 1);
    }
    let sign_at = |place: usize| {
        // Most values begin with other characters of ASCII.
        window.byte(place).filter(|&byte| matches!(byte, b'<' | 0) || !byte.is_ascii())?;
        TOKENIZERS.iter().copied().chain([MISREAD]).flatten().find_map(|decoding| {
            let mut signs = decoding.signs.iter();
            let (sign, meant) =
                signs.find(|(sign, _)| window.starts_with(place, sign.as_bytes()))?;
            Some((decoding, place + sign.len(), *meant))
        })
    };
    if window.byte(next) != Some(b'"') {
        return sign_at(next).map(|(decoding, ..)| decoding);
    }
    let value = behind_string(window, next)?;
    let (decoding, behind, meant) = sign_at(value).or_else(|| sign_at(window.skip_space(value)))?;
    let begins = |byte: u8| matches!(byte, b'"' | b'{' | b'[' | b'-' | b'0'..=b'9');
    let opens = meant.starts_with(quote::is_mark) || window.byte(behind).is_some_and(begins);
    opens.then_some(decoding)
}

/// Returns the place behind the plain string at `at` and the colon or comma that touches it.
fn behind_string(window: &Window<'_>, at: usize) -> Option<usize> {
    let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$');
    let end = at + 1 + window.short_word(at + 1, KEY_REACH, name);
    matches!(window.bytes(Span::new(end, end + 2)), b"\":" | b"\",").then_some(end + 2)
}

impl Decoding {
    /// Returns the length of the sign at the start of `rest`, and what it stands for.
    pub(super) fn undo(&self, rest: &str) -> Option<(usize, &'static str)> {
        let sign = self.signs.iter().find(|(sign, _)| rest.starts_with(sign));
        sign.map(|(sign, meant)| (sign.len(), *meant))
    }
}

#[cfg(test)]
mod tests {
    use super::missing_at;
    use crate::parser::Window;

    #[test]
    fn decodings() {
        for (text, expected) in [
            ("{Ġ\"a\":Ġ1}", Some("Ġ")),
            ("{\"a\":Ġ1}", Some("Ġ")),
            ("{\"a\":▁\"b\"}", Some("▁")),
            ("[\"a\",Ġ\"b\"]", Some("Ġ")),
            ("{\"a\":<0x0A>{", Some("<0x0A>")),
            ("{\"a\":Ġortiz}", None),
            ("{\"a\": \"b\",▁\"c\"", None),
            ("[ĊĠ\"a\"]", Some("Ġ")),
            ("{▁\"a\":▁2}", Some("▁")),
            ("{<0x0A>\"a\": 2}", Some("<0x0A>")),
            ("{â€œaâ€: 1}", Some("â€œ")),
            ("{Â\u{a0}\"a\": 1}", Some("Â\u{a0}")),
            ("{Â \"a\": 1}", Some("Â\u{a0}")),
            ("{\"a\":Â\u{a0}1}", Some("Â\u{a0}")),
            ("{ Â« a Â» : 1}", Some("Â\u{a0}")),
            ("{\u{93}a\u{94}: 1}", Some("\u{93}")),
            ("{Âge: 1}", None),
            ("{\"a\": \"\u{93}b\u{94} Â\u{a0}\"}", None),
            ("{\"a\": \"Ġb\"}", None),
            ("{\"a\": \"x: Ġ\", \"b\": \"▁\"}", None),
            ("{Ġortiz: 1, Ċ: 2}", Some("Ġ")),
            ("{aĠ: 1}", None),
            ("{\"a\": \"it’s\"}", None),
            ("{â: 1}", None),
            ("{<b>: 1}", None),
        ] {
            let found = missing_at(&Window::whole(text), 0).map(|found| found.signs[0].0);
            assert_eq!(found, expected, "{text}");
        }
    }
}
