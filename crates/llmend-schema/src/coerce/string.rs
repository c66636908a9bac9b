//! Which text does a scalar say?

use crate::CoercionKind;
use crate::coerce::reading::{Reading, Refusal, Scalar};
use crate::instance::Part;

/// Reads a number or a boolean as a string: its text, as it was written.
pub(crate) fn read(part: Part<'_>) -> Result<Reading, Refusal> {
    let text = match (part.digits(), part.bool()) {
        (Some(digits), _) => source(part).unwrap_or(digits).to_owned(),
        (None, Some(value)) => source(part).map_or_else(|| value.to_string(), str::to_owned),
        _ => return Err(Refusal::new("write it as one string")),
    };
    Ok(Reading::new(Scalar::Text(text), CoercionKind::TextFromScalar))
}

/// What stands in the text where a number or a boolean was read, which may not be how JSON writes
/// it: `0x1F`, `1,234`, `True`. Nothing where it stands for something else there.
fn source(part: Part<'_>) -> Option<&str> {
    let node = part.node()?;
    let text = node.value().text().get(node.span().start..node.span().end)?;
    let scalar = |mark: char| mark.is_ascii_alphanumeric() || "+-.,_".contains(mark);
    (!text.is_empty() && text.chars().all(scalar)).then_some(text)
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
