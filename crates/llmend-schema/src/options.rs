//! Options of coercion.

use llmend_json::{Class, OnBadItem, choice};
use serde::{Deserialize, Serialize};

choice! {
    /// Handling of members that the schema does not allow. Near misses of missing properties are
    /// renamed first.
    #[derive(Default)]
    OnExtra {
        /// Keep the member, which is a violation where the schema forbids it.
        #[default]
        Keep = "keep",
        /// Report a violation, even where the schema allows additional members.
        Fail = "fail",
        /// Remove the member where the schema forbids it, recorded as `dropped-extra` with the
        /// class `loss`.
        Drop = "drop",
    }
}

choice! {
    /// Handling of allowed additional members whose key is another spelling of a missing optional
    /// property.
    #[derive(Default)]
    OtherSpelling {
        /// Keep the member; [`near_names`](crate::near_names) warns about it.
        #[default]
        Keep = "keep",
        /// Rename the member, recorded as `key-spelling`. Useful if the value is read into a type
        /// that ignores unknown members and would leave the property empty.
        Rename = "rename",
    }
}

choice! {
    /// Handling of strings with a number and a unit, such as `"50%"` and `"$1.50"`.
    #[derive(Default)]
    Units {
        /// Do not accept them as numbers.
        #[default]
        Refuse = "refuse",
        /// Convert them to the number without the unit, here 50 and 1.5, with the class `guess`.
        Strip = "strip",
    }
}

choice! {
    /// Handling of Markdown emphasis around a whole string, such as `"**Paris**"`, where any string
    /// is allowed. Numbers, booleans and enum values are always read through emphasis.
    #[derive(Default)]
    Emphasis {
        /// Keep the emphasis.
        #[default]
        Keep = "keep",
        /// Remove the emphasis, recorded as `emphasis`.
        Strip = "strip",
    }
}

choice! {
    /// Correction of typos by edit distance, in enum values and in keys of objects that allow no
    /// additional members. Corrections have the class `guess`.
    #[derive(Default)]
    NearMatch {
        /// Correct up to one edit per four characters, if no other name is about as near.
        #[default]
        On = "on",
        /// Accept only differences in case, accents and separators.
        Off = "off",
    }
}

/// Options of [`coerce`](crate::coerce).
///
/// ```
/// use llmend_schema::{OnBadItem, Options};
///
/// let options = Options { on_bad_item: OnBadItem::Drop, ..Options::default() };
/// assert_eq!(options.max_depth, 512);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Handling of array items that do not fit.
    pub on_bad_item: OnBadItem,
    /// Handling of members that are not allowed.
    pub on_extra: OnExtra,
    /// Handling of members whose key is another spelling of a missing property.
    pub on_other_spelling: OtherSpelling,
    /// Handling of numbers with a unit.
    pub units: Units,
    /// Handling of emphasis around strings.
    pub emphasis: Emphasis,
    /// Correction of typos in enum values and keys.
    pub near: NearMatch,
    /// Worst class of a coercion that is accepted; a coercion of a worse class is the violation
    /// `schema/unsure`.
    pub max_class: Class,
    /// Maximum nesting depth, capped at 512. Deeper values are the violation `limit/depth`.
    pub max_depth: usize,
    /// Work budget in steps, in addition to 200 steps per part of the value. A step compares one
    /// part of the value with one part of the schema. Exceeding it is the violation `limit/work`.
    pub max_work: usize,
    /// Upper bound on the total work budget, whatever the size of the value. Up to three phases may
    /// each use the budget: validating the value, coercing it, and validating the result.
    pub max_work_in_all: Option<usize>,
}

/// Steps of work per part of a value.
const WORK_PER_PART: usize = 200;

impl Options {
    /// Returns the work budget for `value`, in steps.
    pub(crate) fn work(&self, value: &llmend_json::Value<'_>) -> usize {
        let by_size = value.parts().saturating_mul(WORK_PER_PART).saturating_add(self.max_work);
        self.max_work_in_all.map_or(by_size, |most| by_size.min(most))
    }
}

/// Maximum nesting depth of a value or a schema; validation recurses.
pub(crate) const MAX_DEPTH: usize = 512;

impl Default for Options {
    fn default() -> Self {
        Self {
            on_bad_item: OnBadItem::default(),
            on_extra: OnExtra::default(),
            on_other_spelling: OtherSpelling::default(),
            units: Units::default(),
            emphasis: Emphasis::default(),
            near: NearMatch::default(),
            max_class: Class::Loss,
            max_depth: MAX_DEPTH,
            max_work: 2_000_000,
            max_work_in_all: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, Emphasis, NearMatch, OnBadItem, OnExtra, Options, OtherSpelling, Units};

    #[test]
    fn every_choice_is_read_by_its_name() {
        macro_rules! each {
            ($($name:ident),+) => {$(
                for choice in $name::ALL {
                    assert_eq!(choice.as_str().parse(), Ok(choice));
                }
                assert_eq!($name::ALL.first(), Some(&$name::default()));
                assert!("nonsense".parse::<$name>().is_err());
            )+};
        }
        each!(OnBadItem, OnExtra, OtherSpelling, Units, Emphasis, NearMatch);
    }

    #[test]
    fn options_survive_serialization() {
        let options = Options {
            on_bad_item: OnBadItem::Null,
            on_other_spelling: OtherSpelling::Rename,
            near: NearMatch::Off,
            max_class: Class::Guess,
            max_work_in_all: Some(7),
            ..Options::default()
        };
        let json = serde_json::to_string(&options).unwrap();
        assert_eq!(serde_json::from_str::<Options>(&json).unwrap(), options, "{json}");
    }
}
