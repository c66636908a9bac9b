//! What may coercion be told?

use std::str::FromStr;

use llmend_json::Class;

/// Makes a choice between words: the enum, its names, and how flags are read.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $word:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$of])* $word,)+
        }

        impl $name {
            /// All of them, the default first.
            pub const ALL: &'static [Self] = &[$(Self::$word,)+];

            /// The name that flags use.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)+
                }
            }
        }

        impl FromStr for $name {
            type Err = UnknownChoice;

            fn from_str(name: &str) -> Result<Self, UnknownChoice> {
                Self::ALL
                    .iter()
                    .copied()
                    .find(|choice| choice.as_str() == name)
                    .ok_or_else(|| UnknownChoice(name.to_owned()))
            }
        }
    };
}

/// A word that names no choice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no choice `{0}`")]
pub struct UnknownChoice(pub String);

choice! {
    /// What becomes of an item of an array that cannot be made to fit.
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
    /// Whether `"50%"` and `"$1.50"` are numbers.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Items that do not fit.
    pub on_bad_item: OnBadItem,
    /// Members that are not allowed.
    pub on_extra: OnExtra,
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
}

/// Steps of work for each part of a value.
const WORK_A_PART: usize = 200;

impl Options {
    /// Most steps of work for `value`.
    pub(crate) fn work(&self, value: &llmend_json::Value<'_>) -> usize {
        self.max_work.saturating_add(value.parts().saturating_mul(WORK_A_PART))
    }
}

/// Most levels of a value or a schema: what validates them recurses.
pub(crate) const MOST_DEPTH: usize = 512;

impl Default for Options {
    fn default() -> Self {
        Self {
            on_bad_item: OnBadItem::default(),
            on_extra: OnExtra::default(),
            units: Units::default(),
            emphasis: Emphasis::default(),
            near: NearMatch::default(),
            max_class: Class::Loss,
            max_depth: MOST_DEPTH,
            max_work: 2_000_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Emphasis, NearMatch, OnBadItem, OnExtra, Units};

    #[test]
    fn every_choice_is_read_by_its_name() {
        macro_rules! each {
            ($($name:ident),+) => {$(
                for choice in $name::ALL {
                    assert_eq!(choice.as_str().parse(), Ok(*choice));
                }
                assert_eq!($name::ALL.first(), Some(&$name::default()));
                assert!("nonsense".parse::<$name>().is_err());
            )+};
        }
        each!(OnBadItem, OnExtra, Units, Emphasis, NearMatch);
    }
}
