//! Texts whose every space is a tokenizer's sign: `HereĠyouĠare:Ċ{Ġ"a":Ġ1}`.

use super::Sign;
use crate::extract::layer::decoding;

/// Fewest signs.
const FEWEST: usize = 2;

/// Returns the signs of a tokenizer in `text`, if they are all of its spaces.
pub(super) fn of_tokens(text: &str) -> Option<Vec<Sign>> {
    if memchr::memchr(b' ', text.as_bytes()).is_some() {
        return None;
    }
    decoding::TOKENIZERS.iter().find_map(|tokenizer| {
        let decodings = tokenizer.iter().flat_map(|decoding| decoding.signs);
        let mut signs: Vec<Sign> = decodings
            .flat_map(|(sign, meant)| text.match_indices(sign).map(move |found| (found, *meant)))
            .map(|((at, sign), meant)| Sign::new(at, at + sign.len(), meant))
            .collect();
        signs.sort_by_key(|sign| sign.span.start);
        (signs.len() >= FEWEST).then_some(signs)
    })
}

#[cfg(test)]
mod tests {
    use super::{super::tests::applied, of_tokens};

    #[test]
    fn decoded_texts() {
        for (text, expected) in [
            ("HereĠisĠit:Ċ```jsonĊ{\"a\":Ġ1}Ċ```", Some("Here is it:\n```json\n{\"a\": 1}\n```")),
            ("▁Here▁is▁it:<0x0A>{\"a\":▁1}", Some(" Here is it:\n{\"a\": 1}")),
            // Spaces are there, too, or hardly any signs.
            ("Here isĠit:ĠĠĠ{\"a\":Ġ1}", None),
            ("[1,▁2,▁3]", Some("[1, 2, 3]")),
            ("{\"a\":Ġ1}", None),
            ("{\"a\":1}", None),
        ] {
            let found = applied(text, of_tokens(text));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
