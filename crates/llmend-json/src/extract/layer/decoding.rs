//! Values that were not decoded: a tokenizer's signs for white space, or UTF-8 that was read as
//! Windows-1252.

use crate::parser::Window;

/// The signs of one way to encode text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decoding {
    /// First byte of every sign.
    pub(super) mark: u8,
    /// The signs, and what each stands for. The longest of those that begin alike is first.
    pub(super) signs: &'static [(&'static str, &'static str)],
}

static DECODINGS: [Decoding; 4] = [
    // Bytes of GPT-2's vocabulary.
    Decoding { mark: 0xC4, signs: &[("Ġ", " "), ("Ċ", "\n"), ("ĉ", "\t")] },
    // SentencePiece, whose other bytes stand as numbers.
    Decoding { mark: 0xE2, signs: &[("▁", " ")] },
    Decoding { mark: b'<', signs: &[("<0x0A>", "\n"), ("<0x09>", "\t")] },
    // Quotes, dashes and the ellipsis, as Windows-1252 shows them. The last byte of the closing
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
];

/// Returns the decoding that the value at `at` lacks: one of its signs follows the
/// brackets.
pub(super) fn missing_at(window: &Window<'_>, at: usize) -> Option<&'static Decoding> {
    let next =
        at + window.run(at, |byte| matches!(byte, b'{' | b'[' | b' ' | b'\t' | b'\n' | b'\r'));
    let is_sign = |(sign, _): &(&str, _)| window.starts_with(next, sign.as_bytes());
    DECODINGS.iter().find(|decoding| decoding.signs.iter().any(is_sign))
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
            ("{\"a\":Ġ1}", None),
            ("[ĊĠ\"a\"]", Some("Ġ")),
            ("{▁\"a\":▁2}", Some("▁")),
            ("{<0x0A>\"a\": 2}", Some("<0x0A>")),
            ("{â€œaâ€: 1}", Some("â€œ")),
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
