//! Which text does a scalar say?

use crate::CoercionKind;
use crate::coerce::reading::{Reading, Refusal, Scalar};
use crate::instance::Part;

/// Reads a number or a boolean as a string: its text, as it was written.
pub(crate) fn read(part: Part<'_>) -> Result<Reading, Refusal> {
    let text = match (part.digits(), part.bool()) {
        (Some(digits), _) => digits.to_owned(),
        (None, Some(value)) => value.to_string(),
        _ => return Err(Refusal::new("write it as one string")),
    };
    Ok(Reading::new(Scalar::Text(text), CoercionKind::TextFromScalar))
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::coerce::reading::Scalar;
    use crate::instance::Part;

    #[test]
    fn scalars_have_a_text_and_others_have_none() {
        for (part, expected) in [
            (Part::Number("1.50"), Some("1.50")),
            (Part::Number("12345678901234567890"), Some("12345678901234567890")),
            (Part::Bool(true), Some("true")),
            (Part::Null, None),
        ] {
            let read = read(part).ok().map(|reading| reading.to);
            assert_eq!(read, expected.map(|text| Scalar::Text(text.to_owned())), "{part:?}");
        }
    }
}
