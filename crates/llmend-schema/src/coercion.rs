//! What was changed so that a value fits?

use llmend_json::{Class, Relocate, Span, Value};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::Violation;

/// Makes the table of coercions: the enum and what is said of each.
macro_rules! coercions {
    ($($(#[doc = $doc:literal])+ $kind:ident = $name:literal, $class:ident, $schema:literal, $before:literal => $after:literal;)+) => {
        /// Which change it was. One table: what is in it is all that coercion ever does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum CoercionKind {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl CoercionKind {
            /// All of them, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// The stable name, such as `number-from-text`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }

            /// How sure it is at least. JSON held in a string takes the class of its repairs, if
            /// that is graver.
            #[must_use]
            pub const fn class(self) -> Class {
                match self {
                    $(Self::$kind => Class::$class,)+
                }
            }

            /// What it does, in one sentence.
            #[must_use]
            pub fn doc(self) -> &'static str {
                match self {
                    $(Self::$kind => concat!($($doc),+).trim_start(),)+
                }
            }

            /// A schema, a value that does not fit it, and what becomes of that.
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
    /// A string that says a number becomes the number.
    NumberFromText = "number-from-text", Notation, r#"{"type":"integer"}"#, r#""42""# => "42";
    /// A string with separators between groups of three digits becomes the number.
    GroupedNumber = "grouped-number", Guess, r#"{"type":"integer"}"#, r#""1,234""# => "1234";
    /// A string with a number and a unit becomes the number. Only with the option `units`.
    NumberWithUnit = "number-with-unit", Guess, r#"{"type":"number"}"#, r#""50%""# => "50";
    /// A number without a fraction is written without one. Only draft 4 tells the two apart.
    WholeNumber = "whole-number", Notation, r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"integer"}"#, "3.0" => "3";
    /// A string or number that says yes or no becomes the boolean.
    BooleanFromText = "boolean-from-text", Notation, r#"{"type":"boolean"}"#, r#""True""# => "true";
    /// A word for yes or no, or 1 or 0, becomes the boolean.
    BooleanFromWord = "boolean-from-word", Completion, r#"{"type":"boolean"}"#, r#""yes""# => "true";
    /// A number or boolean becomes a string: its text.
    TextFromScalar = "text-from-scalar", Notation, r#"{"type":"string"}"#, "1.50" => r#""1.50""#;
    /// Markdown emphasis around a whole string goes. Only with the option `emphasis`.
    Emphasis = "emphasis", Notation, r#"{"type":"string"}"#, r#""**Paris**""# => r#""Paris""#;
    /// A string that says null becomes null.
    NullFromText = "null-from-text", Notation, r#"{"type":["integer","null"]}"#, r#""None""# => "null";
    /// The empty string becomes null, where that is allowed and the empty string is not.
    NullFromEmpty = "null-from-empty", Guess, r#"{"type":["integer","null"]}"#, r#""""# => "null";
    /// A value of an enumeration that differs in case, accents, punctuation or separators.
    EnumSpelling = "enum-spelling", Notation, r#"{"enum":["DARK_BLUE","RED"]}"#, r#""dark blue""# => r#""DARK_BLUE""#;
    /// What the schema declares as another name of a value of an enumeration.
    EnumAlias = "enum-alias", Notation, r#"{"oneOf":[{"const":"eur","title":"Euro"},{"const":"usd","title":"Dollar"}]}"#, r#""Euro""# => r#""eur""#;
    /// The one value of an enumeration that a longer answer names.
    EnumInText = "enum-in-text", Guess, r#"{"enum":["red","green"]}"#, r#""The answer is green.""# => r#""green""#;
    /// A slip of the pen in a value of an enumeration.
    EnumTypo = "enum-typo", Guess, r#"{"enum":["pending","completed"]}"#, r#""compleeted""# => r#""completed""#;
    /// A string that holds JSON becomes what it holds.
    JsonInString = "json-in-string", Notation, r#"{"type":"array"}"#, r#""[1, 2]""# => "[1,2]";
    /// A value that stands alone becomes the one item of a list.
    SingleItem = "single-item", Completion, r#"{"type":"array","items":{"type":"integer"}}"#, "7" => "[7]";
    /// An object with the keys 0, 1, 2 and so on becomes a list.
    ArrayFromObject = "array-from-object", Notation, r#"{"type":"array"}"#, r#"{"0":"a","1":"b"}"# => r#"["a","b"]"#;
    /// A list of one fitting object becomes that object.
    ObjectFromItem = "object-from-item", Completion, r#"{"type":"object"}"#, r#"[{"a":1}]"# => r#"{"a":1}"#;
    /// An object with one member that holds what is wanted becomes what it holds.
    Unwrapped = "unwrapped", Guess, r#"{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}"#, r#"{"plan":{"a":1}}"# => r#"{"a":1}"#;
    /// The value of the only property becomes the object.
    SingleProperty = "single-property", Guess, r#"{"type":"object","properties":{"names":{"type":"array"}},"required":["names"]}"#, r#"["a"]"# => r#"{"names":["a"]}"#;
    /// A key that differs in case, accents or separators.
    KeySpelling = "key-spelling", Notation, r#"{"type":"object","properties":{"due_date":{}},"required":["due_date"]}"#, r#"{"dueDate":1}"# => r#"{"due_date":1}"#;
    /// What the schema declares as another name of a property.
    KeyAlias = "key-alias", Notation, r#"{"type":"object","properties":{"due":{"title":"Deadline"}},"required":["due"]}"#, r#"{"deadline":1}"# => r#"{"due":1}"#;
    /// A slip of the pen in a key, where other keys are not allowed.
    KeyTypo = "key-typo", Guess, r#"{"type":"object","properties":{"priority":{}},"additionalProperties":false}"#, r#"{"prioritty":1}"# => r#"{"priority":1}"#;
    /// A member that stands twice with the same value stands once.
    DuplicateMember = "duplicate-member", Notation, r#"{"type":"object","properties":{"a":{"type":"integer"}}}"#, r#"{"a":1,"a":1}"# => r#"{"a":1}"#;
    /// A property that is required and missing takes the schema's default.
    Default = "default", Guess, r#"{"type":"object","properties":{"n":{"default":3}},"required":["n"]}"#, "{}" => r#"{"n":3}"#;
    /// A date or time in another unambiguous form is written as the format wants it.
    DateForm = "date-form", Notation, r#"{"type":"string","format":"date"}"#, r#""April 3, 2024""# => r#""2024-04-03""#;
    /// A member that is not allowed is left out. Only with the option `on_extra`.
    DroppedExtra = "dropped-extra", Loss, r#"{"type":"object","additionalProperties":false}"#, r#"{"zzz":1}"# => "{}";
    /// An item that does not fit is left out. Only with the option `on_bad_item`.
    DroppedItem = "dropped-item", Loss, r#"{"type":"array","items":{"type":"integer"}}"#, r#"[1,"x"]"# => "[1]";
    /// An item that does not fit becomes null. Only with the option `on_bad_item`.
    NulledItem = "nulled-item", Loss, r#"{"type":"array","items":{"type":["integer","null"]}}"#, r#"[1,"x"]"# => "[1,null]";
}

/// One change that made a value fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coercion {
    /// Which change it was.
    pub kind: CoercionKind,
    /// How sure it is.
    pub class: Class,
    /// JSON Pointer into the fitted value; of what was left out, the one it had.
    pub path: String,
    /// What it was made from, in the caller's text; nothing if it does not stand there.
    pub span: Option<Span>,
    /// What stood there, as JSON of at most 100 characters.
    pub before: String,
    /// What stands there now, likewise; empty if nothing does.
    pub after: String,
    /// Of an item that was left out or became null: where it stood in the list, from 0.
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

/// What came of a value.
#[derive(Clone, Debug)]
pub struct Coerced {
    /// The value as far as it could be made to fit. If `violations` is empty, it validates. Its
    /// parts have their places in the caller's text.
    pub value: Value<'static>,
    /// Every change, in the order of the value.
    pub coercions: Vec<Coercion>,
    /// Every way in which it still does not fit. If there is one, this is no success.
    pub violations: Vec<Violation>,
}

impl Coerced {
    /// The gravest class of the coercions; nothing if there is none.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        self.coercions.iter().map(|coercion| coercion.class).max()
    }
}
