//! Costs of coercions, for choosing between alternatives.

use crate::CoercionKind;

/// Returns the cost of a coercion. Of two ways to fit a value, the one with the lower sum wins;
/// equal sums with different results are ambiguous.
pub(crate) const fn cost(kind: CoercionKind) -> u32 {
    use CoercionKind as K;
    match kind {
        // Another spelling of the same value.
        K::WholeNumber | K::NullFromText | K::EnumSpelling | K::KeySpelling => 1,
        K::DuplicateMember | K::Emphasis | K::DateForm => 1,
        K::NumberFromText | K::BooleanFromText | K::JsonInString | K::ArrayFromObject => 2,
        K::EnumAlias | K::KeyAlias => 2,
        // Written as a number or boolean, so the reading as a string is the less likely one.
        K::TextFromScalar => 4,
        K::BooleanFromWord | K::SingleItem | K::ObjectFromItem | K::EnumFromItem => 8,
        K::DateCompletion => 8,
        K::GroupedNumber | K::NumberWithUnit | K::NullFromEmpty | K::Unwrapped => 16,
        K::EnumInText | K::EnumTypo | K::KeyTypo | K::SingleProperty | K::Default => 32,
        K::DroppedExtra => 256,
        K::DroppedItem | K::NulledItem => 1024,
    }
}

#[cfg(test)]
mod tests {
    use llmend_json::Class;

    use super::cost;
    use crate::CoercionKind;

    #[test]
    fn a_worse_class_never_costs_less() {
        let of = |class: Class| {
            let kinds = CoercionKind::ALL.iter().filter(move |kind| kind.class() == class);
            kinds.map(|kind| cost(*kind))
        };
        for pair in Class::ALL.windows(2) {
            if let [better, worse] = pair
                && let (Some(most), Some(least)) = (of(*better).max(), of(*worse).min())
            {
                assert!(most < least, "{better:?} {worse:?}");
            }
        }
    }
}
