//! Texts that are encoded as a whole, also where no bracket shows where the value begins.
//!
//! An encoding is undone in a copy of the text, which is read as any other text. It is looked for only
//! where the text itself cannot be read, or only by a guess, or says that it is encoded.

use crate::{Repair, Rule, Span, extract::layer::Layer, parser::Window};

mod colors;
mod lines;
mod octets;
mod percent;
pub(crate) mod quoted_printable;
mod signs;
mod units;
mod wrapped;

/// A text without its encoding.
pub(crate) struct Decoded {
    pub(crate) layer: Layer,
    pub(crate) rule: Rule,
    /// From where on the text says that it is encoded.
    pub(crate) declared: Option<usize>,
    /// Whether its signs mean nothing else.
    pub(crate) certain: bool,
}

/// What an encoding writes at a place, and the text that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sign {
    span: Span,
    meant: String,
}

impl Sign {
    fn new(start: usize, end: usize, meant: impl Into<String>) -> Self {
        Self { span: Span::new(start, end), meant: meant.into() }
    }
}

/// Returns the escapes of `text` from `at` on. `undo` gives the length of the one at the start of a text, and
/// its meaning if it is to be undone.
fn escapes<'m>(
    text: &str,
    mut at: usize,
    undo: impl Fn(&str) -> (usize, Option<&'m str>),
) -> Vec<Sign> {
    let mut signs = Vec::new();
    while let Some(found) = memchr::memchr(b'\\', text.as_bytes().get(at..).unwrap_or_default()) {
        let place = at + found;
        let (length, meant) = undo(text.get(place..).unwrap_or_default());
        at = place + length;
        signs.extend(meant.map(|meant| Sign::new(place, at, meant)));
    }
    signs
}

/// Returns the text without the encoding whose signs it shows. Of quoted-printable, at least `fewest` must be
/// such that no other text has.
pub(crate) fn decoded(window: &Window<'_>, fewest: usize) -> Option<Decoded> {
    if window.base > 0 {
        return None;
    }
    let text = window.text;
    let from = quoted_printable::declared(text);
    let is_plus = |sign: &Sign| sign.span.of(text) == "+";
    let certain = |signs| (Rule::MissingDecoding, signs, true);
    let (rule, signs, certain) = quoted_printable::signs(text, from, fewest)
        .map(certain)
        .or_else(|| {
            let signs = percent::signs(text)?;
            // A string may have a plus, unless one stands between tokens.
            let form = ["%3A+", "%2C+", "%3a+", "%2c+"].iter().any(|sign| text.contains(sign));
            let certain = form || !signs.iter().any(is_plus);
            Some((Rule::MissingDecoding, signs, certain))
        })
        .or_else(|| signs::of_tokens(text).map(certain))
        .or_else(|| wrapped::breaks(text).map(certain))
        .or_else(|| Some((Rule::EscapedDocument, lines::signs(text)?, true)))
        .or_else(|| {
            let signs = colors::signs(text)?;
            // A string may have what is left of a color.
            let certain = !signs.iter().any(|sign| sign.span.of(text).starts_with('['));
            Some((Rule::MissingDecoding, signs, certain))
        })
        .or_else(|| Some((Rule::EscapedDocument, units::signs(text)?, true)))?;
    let edit = |sign: Sign| Repair { rule, span: sign.span, replacement: sign.meant.into() };
    let edits = signs.into_iter().map(edit).collect();
    Some(Decoded { layer: Layer::edited(window, 0, edits), rule, declared: from, certain })
}

#[cfg(test)]
mod tests {
    use super::{Sign, decoded};
    use crate::{Span, parser::Window};

    /// Applies `signs` to a text.
    pub(super) fn applied(text: &str, signs: Option<Vec<Sign>>) -> Option<String> {
        let (mut out, mut from) = (String::new(), 0);
        for sign in signs? {
            out.push_str(Span::new(from, sign.span.start).of(text));
            out.push_str(&sign.meant);
            from = sign.span.end;
        }
        Some(out + Span::new(from, text.len()).of(text))
    }

    #[test]
    fn texts_without_an_encoding() {
        for text in [
            "",
            "{\"a\": 1}",
            "{\"a\": \"50 % of =C3 and %7B\"",
            "[1m, 2]",
            "so on, and so on",
            "{\"a\": \"\\u007b\\u0022\"",
        ] {
            assert!(decoded(&Window::whole(text), 1).is_none(), "{text}");
        }
    }
}
