//! In which ways does a column hold texts?

use std::{error::Error, fmt};

use arrow_array::{Array, LargeStringArray, StringArray, StringViewArray, cast::AsArray};
use arrow_schema::DataType;

/// A column of texts, read where they stand.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a>(Held<'a>);

#[derive(Clone, Copy, Debug)]
enum Held<'a> {
    Small(&'a StringArray),
    Large(&'a LargeStringArray),
    View(&'a StringViewArray),
}

/// A column of another type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotTexts(pub DataType);

impl<'a> Texts<'a> {
    /// The texts of `array`, if it is one of `Utf8`, `LargeUtf8` or `Utf8View`.
    pub fn of(array: &'a dyn Array) -> Result<Self, NotTexts> {
        Ok(Self(match array.data_type() {
            DataType::Utf8 => Held::Small(array.as_string()),
            DataType::LargeUtf8 => Held::Large(array.as_string()),
            DataType::Utf8View => Held::View(array.as_string_view()),
            other => return Err(NotTexts(other.clone())),
        }))
    }

    /// Whether columns of this type can be read.
    pub fn are(data_type: &DataType) -> bool {
        matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self.0 {
            Held::Small(texts) => texts.len(),
            Held::Large(texts) => texts.len(),
            Held::View(texts) => texts.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of a row; nothing where it is null, or where there is no such row.
    pub fn get(&self, row: usize) -> Option<&'a str> {
        if row >= self.len() {
            return None;
        }
        match self.0 {
            Held::Small(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Held::Large(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Held::View(texts) => texts.is_valid(row).then(|| texts.value(row)),
        }
    }
}

impl fmt::Display for NotTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the column must be of type string, large_string or string_view, not {}", self.0)
    }
}

impl Error for NotTexts {}
