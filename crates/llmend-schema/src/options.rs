//! What may coercion be told?

use llmend_json::{Class, choice};
use serde::{Deserialize, Serialize};

choice! {
    /// What becomes of an item of an array that cannot be made to fit.
    #[derive(Default)]
    OnBadItem {
        /// It is a violation.
        #[default]
        Fail = "fail",
        /// It is left out, on record as `dropped-item`, class `loss`. One of `prefixItems` is a
        /// violation all the same: the next one would take its place, and so its meaning.
        Drop = "drop",
        /// It becomes null where the items may be null, on record as `nulled-item`, class `loss`.
        Null = "null",
    }
}

choice! {
    /// What becomes of a member that the schema does not allow. A near miss of an absent property
    /// is renamed before this is asked.
    #[derive(Default)]
    OnExtra {
        /// It stays, and so it is a violation where the schema forbids it.
        #[default]
        Keep = "keep",
        /// It is a violation, also where the schema says nothing of further members.
        Fail = "fail",
        /// It is left out where the schema forbids it, on record as `dropped-extra`, class `loss`.
        Drop = "drop",
    }
}

choice! {
    /// What becomes of a member that may stand where it is, since the schema says nothing of further
    /// members, and whose key is another spelling of an optional property that is absent.
    #[derive(Default)]
    OtherSpelling {
        /// It stays: [`near_names`](crate::near_names) tells of it.
        #[default]
        Keep = "keep",
        /// It is renamed, on record as `key-spelling`. For whoever reads the value into a type that
        /// takes no notice of members that it does not name, and would leave the property empty.
        Rename = "rename",
    }
}

choice! {
    /// Whether `"50%"` and `"$1.50"` are numbers.
    #[derive(Default)]
    Units {
        /// They are not.
        #[default]
        Refuse = "refuse",
        /// They are what stands beside the unit: 50 and 1.5. Class `guess`.
        Strip = "strip",
    }
}

choice! {
    /// Whether Markdown emphasis around a whole string (`"**Paris**"`) goes where a free string is
    /// wanted. Numbers, booleans and enum values are always read through it.
    #[derive(Default)]
    Emphasis {
        /// It is text.
        #[default]
        Keep = "keep",
        /// It goes, on record as `emphasis`.
        Strip = "strip",
    }
}

choice! {
    /// Whether a slip of the pen is recognised by edit distance: in a value of an enumeration, and
    /// in a key where keys that the schema does not name are not allowed. Class `guess`.
    #[derive(Default)]
    NearMatch {
        /// One edit for every four characters, if no other is nearly as near.
        #[default]
        On = "on",
        /// Only what is equal but for case, accents and separators.
        Off = "off",
    }
}

/// Everything that [`coerce`](crate::coerce) can be told.
///
/// ```
/// use llmend_schema::{OnBadItem, Options};
///
/// let options = Options { on_bad_item: OnBadItem::Drop, ..Options::default() };
/// assert_eq!(options.max_depth, 512);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Items that do not fit.
    pub on_bad_item: OnBadItem,
    /// Members that are not allowed.
    pub on_extra: OnExtra,
    /// Members whose key spells an absent property otherwise.
    pub on_other_spelling: OtherSpelling,
    /// Numbers with a unit.
    pub units: Units,
    /// Emphasis around free strings.
    pub emphasis: Emphasis,
    /// Slips in enum values and keys.
    pub near: NearMatch,
    /// The gravest class of a coercion that stands; a graver one is the violation `schema/unsure`.
    pub max_class: Class,
    /// Most levels of nesting; never more than 512, whatever this says. More is the violation
    /// `limit/depth`.
    pub max_depth: usize,
    /// Most steps of work, besides 200 for each part of the value; a step is one part of the value
    /// held against one part of the schema. More is the violation `limit/work`.
    pub max_work: usize,
    /// Most steps of work however large the value is; without it, the size alone decides. A part of
    /// the work may be done three times: to see what fits, to make the rest fit, and to validate that.
    pub max_work_in_all: Option<usize>,
}

/// Steps of work for each part of a value.
const WORK_A_PART: usize = 200;

impl Options {
    /// Most steps of work for `value`.
    pub(crate) fn work(&self, value: &llmend_json::Value<'_>) -> usize {
        let by_size = value.parts().saturating_mul(WORK_A_PART).saturating_add(self.max_work);
        self.max_work_in_all.map_or(by_size, |most| by_size.min(most))
    }
}

/// Most levels of a value or a schema: what validates them recurses.
pub(crate) const MOST_DEPTH: usize = 512;

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
            max_depth: MOST_DEPTH,
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
    fn options_that_were_kept_are_the_same_again() {
        let options = Options {
            on_bad_item: OnBadItem::Null,
            on_other_spelling: OtherSpelling::Rename,
            near: NearMatch::Off,
            max_class: Class::Guess,
            max_work_in_all: Some(7),
            ..Options::default()
        };
        let kept = serde_json::to_string(&options).unwrap();
        assert_eq!(serde_json::from_str::<Options>(&kept).unwrap(), options, "{kept}");
    }
}
