//! Coercions and their results.

use llmend_json::{Class, Relocate, Span, Value};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::Violation;

/// Defines the table of coercions: the enum and the properties of each.
macro_rules! coercions {
    ($($(#[doc = $doc:literal])+ $kind:ident = $name:literal, $class:ident, $schema:literal, $before:literal => $after:literal;)+) => {
        /// Kind of a coercion. Coercion makes no other changes than these.
        ///
        /// ```
        /// use llmend_schema::CoercionKind;
        ///
        /// let kind = CoercionKind::NumberFromText;
        /// assert_eq!(kind.name(), "number-from-text");
        /// assert_eq!(kind.example(), (r#"{"type":"integer"}"#, r#""42""#, "42"));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum CoercionKind {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl CoercionKind {
            /// All kinds, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// Returns the stable name, such as `number-from-text`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }

            /// Returns the class. A `json-in-string` coercion takes the class of the repairs of
            /// that JSON if it is worse.
            #[must_use]
            pub const fn class(self) -> Class {
                match self {
                    $(Self::$kind => Class::$class,)+
                }
            }

            /// Returns a one-sentence description.
            #[must_use]
            pub fn doc(self) -> &'static str {
                match self {
                    $(Self::$kind => concat!($($doc),+).trim_start(),)+
                }
            }

            /// Returns an example: a schema, a value that does not fit it, and the coerced value.
            #[must_use]
            pub const fn example(self) -> (&'static str, &'static str, &'static str) {
                match self {
                    $(Self::$kind => ($schema, $before, $after),)+
                }
            }
        }
    };
}

coercions! {
    /// Converts a string that holds a number to the number.
    NumberFromText = "number-from-text", Notation, r#"{"type":"integer"}"#, r#""42""# => "42";
    /// Converts a string with digit group separators to the number.
    GroupedNumber = "grouped-number", Guess, r#"{"type":"integer"}"#, r#""1,234""# => "1234";
    /// Converts a string with a number and a unit to the number. Requires the option `units`.
    NumberWithUnit = "number-with-unit", Guess, r#"{"type":"number"}"#, r#""50%""# => "50";
    /// Removes the zero fraction of an integer. Only draft 4 distinguishes the two forms.
    WholeNumber = "whole-number", Notation, r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"integer"}"#, "3.0" => "3";
    /// Converts a string that spells `true` or `false` to the boolean.
    BooleanFromText = "boolean-from-text", Notation, r#"{"type":"boolean"}"#, r#""True""# => "true";
    /// Converts a word for yes or no, or 1 or 0, to a boolean.
    BooleanFromWord = "boolean-from-word", Completion, r#"{"type":"boolean"}"#, r#""yes""# => "true";
    /// Converts a number or boolean to a string, as it was written.
    TextFromScalar = "text-from-scalar", Notation, r#"{"type":"string"}"#, "1.50" => r#""1.50""#;
    /// Removes Markdown emphasis around a whole string. Requires the option `emphasis`.
    Emphasis = "emphasis", Notation, r#"{"type":"string"}"#, r#""**Paris**""# => r#""Paris""#;
    /// Converts a string that spells null to null.
    NullFromText = "null-from-text", Notation, r#"{"type":["integer","null"]}"#, r#""None""# => "null";
    /// Converts the empty string to null, where null is allowed and the empty string is not.
    NullFromEmpty = "null-from-empty", Guess, r#"{"type":["integer","null"]}"#, r#""""# => "null";
    /// Corrects the case, accents, punctuation or separators of an enum value.
    EnumSpelling = "enum-spelling", Notation, r#"{"enum":["DARK_BLUE","RED"]}"#, r#""dark blue""# => r#""DARK_BLUE""#;
    /// Replaces an alias that the schema declares by the enum value.
    EnumAlias = "enum-alias", Notation, r#"{"oneOf":[{"const":"eur","title":"Euro"},{"const":"usd","title":"Dollar"}]}"#, r#""Euro""# => r#""eur""#;
    /// Extracts the only enum value that a longer answer names.
    EnumInText = "enum-in-text", Guess, r#"{"enum":["red","green"]}"#, r#""The answer is green.""# => r#""green""#;
    /// Corrects a typo in an enum value.
    EnumTypo = "enum-typo", Guess, r#"{"enum":["pending","completed"]}"#, r#""compleeted""# => r#""completed""#;
    /// Replaces a string that holds JSON by its content.
    JsonInString = "json-in-string", Notation, r#"{"type":"array"}"#, r#""[1, 2]""# => "[1,2]";
    /// Wraps a single value in an array.
    SingleItem = "single-item", Completion, r#"{"type":"array","items":{"type":"integer"}}"#, "7" => "[7]";
    /// Converts an object with the keys 0, 1, 2 and so on to an array.
    ArrayFromObject = "array-from-object", Notation, r#"{"type":"array"}"#, r#"{"0":"a","1":"b"}"# => r#"["a","b"]"#;
    /// Replaces an array of one fitting object by the object.
    ObjectFromItem = "object-from-item", Completion, r#"{"type":"object"}"#, r#"[{"a":1}]"# => r#"{"a":1}"#;
    /// Replaces a wrapper object with a single member by that member's value.
    Unwrapped = "unwrapped", Guess, r#"{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}"#, r#"{"plan":{"a":1}}"# => r#"{"a":1}"#;
    /// Replaces an array of one enum value by the value.
    EnumFromItem = "enum-from-item", Completion, r#"{"enum":["ONE","TWO"]}"#, r#"["TWO"]"# => r#""TWO""#;
    /// Wraps a value in an object as its only property.
    SingleProperty = "single-property", Guess, r#"{"type":"object","properties":{"names":{"type":"array"}},"required":["names"]}"#, r#"["a"]"# => r#"{"names":["a"]}"#;
    /// Corrects the case, accents or separators of a key.
    KeySpelling = "key-spelling", Notation, r#"{"type":"object","properties":{"due_date":{}},"required":["due_date"]}"#, r#"{"dueDate":1}"# => r#"{"due_date":1}"#;
    /// Replaces an alias that the schema declares by the property name.
    KeyAlias = "key-alias", Notation, r#"{"type":"object","properties":{"due":{"title":"Deadline"}},"required":["due"]}"#, r#"{"deadline":1}"# => r#"{"due":1}"#;
    /// Corrects a typo in a key, where other keys are not allowed.
    KeyTypo = "key-typo", Guess, r#"{"type":"object","properties":{"priority":{}},"additionalProperties":false}"#, r#"{"prioritty":1}"# => r#"{"priority":1}"#;
    /// Removes a duplicate member with an equal value.
    DuplicateMember = "duplicate-member", Notation, r#"{"type":"object","properties":{"a":{"type":"integer"}}}"#, r#"{"a":1,"a":1}"# => r#"{"a":1}"#;
    /// Adds a missing required property with the schema's default.
    Default = "default", Guess, r#"{"type":"object","properties":{"n":{"default":3}},"required":["n"]}"#, "{}" => r#"{"n":3}"#;
    /// Rewrites an unambiguous date or time in the format of the schema.
    DateForm = "date-form", Notation, r#"{"type":"string","format":"date"}"#, r#""April 3, 2024""# => r#""2024-04-03""#;
    /// Adds the seconds that a time lacks, or midnight to a date where a time is expected.
    DateCompletion = "date-completion", Completion, r#"{"type":"string","format":"date-time"}"#, r#""2024-04-03T10:00""# => r#""2024-04-03T10:00:00""#;
    /// Removes a member that is not allowed. Requires the option `on_extra`.
    DroppedExtra = "dropped-extra", Loss, r#"{"type":"object","additionalProperties":false}"#, r#"{"zzz":1}"# => "{}";
    /// Removes an array item that does not fit. Requires the option `on_bad_item`.
    DroppedItem = "dropped-item", Loss, r#"{"type":"array","items":{"type":"integer"}}"#, r#"[1,"x"]"# => "[1]";
    /// Replaces an array item that does not fit by null. Requires the option `on_bad_item`.
    NulledItem = "nulled-item", Loss, r#"{"type":"array","items":{"type":["integer","null"]}}"#, r#"[1,"x"]"# => "[1,null]";
}

/// A change that made a value fit its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coercion {
    /// Kind of the change.
    pub kind: CoercionKind,
    /// Class of the change.
    pub class: Class,
    /// JSON Pointer into the coerced value; for a removed part, its original path.
    pub path: String,
    /// Span of the original part in the caller's text; `None` for an added value.
    pub span: Option<Span>,
    /// The original value, as JSON of at most 100 characters.
    pub before: String,
    /// The new value, likewise; empty if the part was removed.
    pub after: String,
    /// Original index of an array item that was removed or replaced by null.
    pub index: Option<usize>,
}

impl Relocate for Coercion {
    fn relocate(&mut self, to: &mut impl FnMut(usize) -> usize) {
        self.span.relocate(to);
    }
}

impl Serialize for Coercion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("Coercion", 8)?;
        row.serialize_field("kind", self.kind.name())?;
        row.serialize_field("class", self.class.as_str())?;
        row.serialize_field("path", &self.path)?;
        row.serialize_field("start", &self.span.map(|span| span.start))?;
        row.serialize_field("end", &self.span.map(|span| span.end))?;
        row.serialize_field("before", &self.before)?;
        row.serialize_field("after", &self.after)?;
        row.serialize_field("index", &self.index)?;
        row.end()
    }
}

/// Result of [`coerce`](crate::coerce).
#[derive(Clone, Debug)]
pub struct Coerced {
    /// The coerced value. It validates if `violations` is empty. Spans of its parts refer to the
    /// caller's text.
    pub value: Value<'static>,
    /// All changes, in the order of the value.
    pub coercions: Vec<Coercion>,
    /// All remaining violations. The coercion succeeded only if there are none.
    pub violations: Vec<Violation>,
}

impl Coerced {
    /// Returns the worst class of the coercions; `None` if nothing was changed.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        self.coercions.iter().map(|coercion| coercion.class).max()
    }
}
