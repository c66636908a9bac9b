//! Coercion to booleans.

use crate::CoercionKind;
use crate::coerce::bare;
use crate::coerce::conversion::{Conversion, Refusal, Scalar};

/// Reads a text or number as a boolean.
pub(crate) fn read(text: &str) -> Result<Conversion, Refusal> {
    let (value, kind) = match bare::bare(text).to_ascii_lowercase().as_str() {
        "true" => (true, CoercionKind::BooleanFromText),
        "false" => (false, CoercionKind::BooleanFromText),
        "yes" | "on" | "1" => (true, CoercionKind::BooleanFromWord),
        "no" | "off" | "0" => (false, CoercionKind::BooleanFromWord),
        _ => return Err(Refusal::new("write true or false")),
    };
    Ok(Conversion::new(Scalar::Bool(value), kind))
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::coerce::conversion::Scalar;

    #[test]
    fn only_whole_texts_are_booleans() {
        for (text, expected) in [
            ("true", Some(true)),
            ("True", Some(true)),
            ("FALSE", Some(false)),
            ("yes", Some(true)),
            ("No", Some(false)),
            ("on", Some(true)),
            ("off", Some(false)),
            ("1", Some(true)),
            ("0", Some(false)),
            ("**true**", Some(true)),
            ("'True'", Some(true)),
            ("True!", Some(true)),
            ("~~true~~", None),
            ("untrue", None),
            ("It is not true", None),
            ("true, I think", None),
            ("2", None),
            ("none", None),
            ("", None),
        ] {
            let read = read(text).ok().map(|conversion| conversion.to);
            assert_eq!(read, expected.map(Scalar::Bool), "{text}");
        }
    }
}
