//! How far from what was written is each coercion? What fewest and mildest means, where a value
//! may be one of several things.

use crate::CoercionKind;

/// The price of a coercion: the lower sum of two ways to fit a value wins, and equal sums with
/// different results are no answer.
pub(crate) const fn points(kind: CoercionKind) -> u32 {
    use CoercionKind as K;
    match kind {
        // The same thing, spelt otherwise.
        K::WholeNumber | K::NullFromText | K::EnumSpelling | K::KeySpelling => 1,
        K::DuplicateMember | K::Emphasis | K::DateForm => 1,
        K::NumberFromText | K::BooleanFromText | K::JsonInString | K::ArrayFromObject => 2,
        K::EnumAlias | K::KeyAlias => 2,
        // A number or boolean was written as one; that a string was wanted is the lesser reading.
        K::TextFromScalar => 4,
        K::BooleanFromWord | K::SingleItem | K::ObjectFromItem => 8,
        K::GroupedNumber | K::NumberWithUnit | K::NullFromEmpty | K::Unwrapped => 16,
        K::EnumInText | K::EnumTypo | K::KeyTypo | K::SingleProperty | K::Default => 32,
        K::DroppedExtra => 256,
        K::DroppedItem | K::NulledItem => 1024,
    }
}

#[cfg(test)]
mod tests {
    use llmend_json::Class;

    use super::points;
    use crate::CoercionKind;

    #[test]
    fn a_graver_class_never_costs_less() {
        let of = |class: Class| {
            let kinds = CoercionKind::ALL.iter().filter(move |kind| kind.class() == class);
            kinds.map(|kind| points(*kind))
        };
        for pair in Class::ALL.windows(2) {
            if let [milder, graver] = pair
                && let (Some(most), Some(least)) = (of(*milder).max(), of(*graver).min())
            {
                assert!(most < least, "{milder:?} {graver:?}");
            }
        }
    }
}
