//! Columns of texts.

use std::{error::Error, fmt, ops::Range};

use arrow_array::{
    Array, BinaryArray, BinaryViewArray, LargeBinaryArray, cast::AsArray, downcast_integer_array,
};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;

/// A column of texts, borrowed from its array.
///
/// Texts are bytes: a column that arrives by the C data interface of Arrow claims to be UTF-8 unchecked, and in
/// Spark and in files it is not always.
#[derive(Clone, Debug)]
pub struct Texts(Storage);

#[derive(Clone, Debug)]
enum Storage {
    Small(BinaryArray),
    Large(LargeBinaryArray),
    View(BinaryViewArray),
    /// A number of nulls: the type of a column without a text.
    Nulls(usize),
    /// Dictionary values, and the index of each row.
    Dictionary {
        rows: Vec<Option<usize>>,
        texts: Box<Texts>,
    },
}

/// The error for a column of another type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotTexts(pub DataType);

impl Texts {
    /// Reads `array`, if its type is [supported](Self::are).
    pub fn of(array: &dyn Array) -> Result<Self, NotTexts> {
        Ok(Self(match array.data_type() {
            DataType::Utf8 => Storage::Small(array.as_string::<i32>().clone().into()),
            DataType::LargeUtf8 => Storage::Large(array.as_string::<i64>().clone().into()),
            DataType::Utf8View => Storage::View(array.as_string_view().clone().to_binary_view()),
            DataType::Binary => Storage::Small(array.as_binary().clone()),
            DataType::LargeBinary => Storage::Large(array.as_binary().clone()),
            DataType::BinaryView => Storage::View(array.as_binary_view().clone()),
            DataType::Null => Storage::Nulls(array.len()),
            DataType::Dictionary(_, values) if Self::are(values) => {
                let dictionary = array.as_any_dictionary();
                let texts = Box::new(Self::of(dictionary.values().as_ref())?);
                Storage::Dictionary { rows: indices(dictionary.keys()), texts }
            }
            other => return Err(NotTexts(other.clone())),
        }))
    }

    /// Whether columns of this type can be read: strings and bytes (plain, large, view or dictionary) and nulls.
    pub fn are(data_type: &DataType) -> bool {
        match data_type {
            DataType::Dictionary(_, values) => {
                !matches!(**values, DataType::Dictionary(..)) && Self::are(values)
            }
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
            other => *other == DataType::Null,
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        match &self.0 {
            Storage::Small(texts) => texts.len(),
            Storage::Large(texts) => texts.len(),
            Storage::View(texts) => texts.len(),
            Storage::Nulls(rows) => *rows,
            Storage::Dictionary { rows, .. } => rows.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the text of a row as bytes, which should be UTF-8; `None` if it is null or out of range.
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        let (texts, row) = match &self.0 {
            Storage::Dictionary { rows, texts } => (&texts.0, rows.get(row).copied().flatten()?),
            storage => (storage, row),
        };
        match texts {
            Storage::Small(texts) => one(texts, row, BinaryArray::value),
            Storage::Large(texts) => one(texts, row, LargeBinaryArray::value),
            Storage::View(texts) => one(texts, row, BinaryViewArray::value),
            Storage::Nulls(_) | Storage::Dictionary { .. } => None,
        }
    }

    /// Returns the next batch from `start`: at most `rows` rows and `bytes` bytes, but at least one row.
    pub fn some(&self, start: usize, rows: usize, bytes: usize) -> Range<usize> {
        let most = self.len().min(start.saturating_add(rows));
        let mut sum = 0_usize;
        let is_enough = |row: &usize| {
            sum = sum.saturating_add(self.get(*row).map_or(0, <[u8]>::len));
            sum > bytes
        };
        let end = (start..most).find(is_enough).map_or(most, |row| row.max(start + 1));
        start..end
    }
}

/// Returns the bytes of a row, unless it is null or out of range.
fn one<A: Array>(texts: &A, row: usize, value: fn(&A, usize) -> &[u8]) -> Option<&[u8]> {
    (row < texts.len() && texts.is_valid(row)).then(|| value(texts, row))
}

/// Returns the dictionary index of each row.
fn indices(keys: &dyn Array) -> Vec<Option<usize>> {
    downcast_integer_array!(
        keys => keys.iter().map(|key| key.and_then(ArrowNativeType::to_usize)).collect(),
        _ => Vec::new(),
    )
}

impl fmt::Display for NotTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected a column of string, binary or null, found {}", self.0)
    }
}

impl Error for NotTexts {}
