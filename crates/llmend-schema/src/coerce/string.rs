//! Coercion to strings.

use crate::CoercionKind;
use crate::coerce::conversion::{Conversion, Refusal, Scalar};
use crate::instance::Instance;

/// Converts a number or boolean to a string, as it was written.
pub(crate) fn read(instance: Instance<'_>) -> Result<Conversion, Refusal> {
    let text = match (instance.digits(), instance.bool()) {
        (Some(digits), _) => source(instance).unwrap_or(digits).to_owned(),
        (None, Some(value)) => source(instance).map_or_else(|| value.to_string(), str::to_owned),
        _ => return Err(Refusal::new("write one string")),
    };
    Ok(Conversion::new(Scalar::Text(text), CoercionKind::TextFromScalar))
}

/// Returns the source text of a number or boolean, which may differ from the JSON notation (`0x1F`,
/// `1,234`, `True`); `None` if the source is anything else.
fn source(instance: Instance<'_>) -> Option<&str> {
    let node = instance.node()?;
    let text = node.value().text().get(node.span().start..node.span().end)?;
    let scalar = |mark: char| mark.is_ascii_alphanumeric() || "+-.,_".contains(mark);
    (!text.is_empty() && text.chars().all(scalar)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::coerce::conversion::Scalar;
    use crate::instance::Instance;

    #[test]
    fn scalars_have_a_text_and_others_have_none() {
        for (instance, expected) in [
            (Instance::Number("1.50"), Some("1.50")),
            (Instance::Number("12345678901234567890"), Some("12345678901234567890")),
            (Instance::Bool(true), Some("true")),
            (Instance::Null, None),
        ] {
            let read = read(instance).ok().map(|conversion| conversion.to);
            assert_eq!(read, expected.map(|text| Scalar::Text(text.to_owned())), "{instance:?}");
        }
    }
}
