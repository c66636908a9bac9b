//! In which ways does a column hold texts?

use std::{error::Error, fmt, ops::Range};

use arrow_array::{
    Array, BinaryArray, BinaryViewArray, LargeBinaryArray, cast::AsArray, downcast_integer_array,
};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;

/// A column of texts, read where they stand.
///
/// Held as bytes: who hands over a column of texts by the C interface of Arrow says that they are UTF-8,
/// and nobody looks. Spark has texts that are not, and so have files.
#[derive(Clone, Debug)]
pub struct Texts(Held);

#[derive(Clone, Debug)]
enum Held {
    Small(BinaryArray),
    Large(LargeBinaryArray),
    View(BinaryViewArray),
    /// So many nulls: the type that a column gets of which nobody has seen a text.
    Nulls(usize),
    /// Some texts, and which of them each row has.
    Chosen {
        rows: Vec<Option<usize>>,
        texts: Box<Texts>,
    },
}

/// A column of another type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotTexts(pub DataType);

impl Texts {
    /// The texts of `array`, if it [is of texts](Self::are).
    pub fn of(array: &dyn Array) -> Result<Self, NotTexts> {
        Ok(Self(match array.data_type() {
            DataType::Utf8 => Held::Small(array.as_string::<i32>().clone().into()),
            DataType::LargeUtf8 => Held::Large(array.as_string::<i64>().clone().into()),
            DataType::Utf8View => Held::View(array.as_string_view().clone().to_binary_view()),
            DataType::Binary => Held::Small(array.as_binary().clone()),
            DataType::LargeBinary => Held::Large(array.as_binary().clone()),
            DataType::BinaryView => Held::View(array.as_binary_view().clone()),
            DataType::Null => Held::Nulls(array.len()),
            DataType::Dictionary(_, values) if Self::are(values) => {
                let dictionary = array.as_any_dictionary();
                let texts = Box::new(Self::of(dictionary.values().as_ref())?);
                Held::Chosen { rows: chosen(dictionary.keys()), texts }
            }
            other => return Err(NotTexts(other.clone())),
        }))
    }

    /// Whether columns of this type can be read: texts or bytes, each as they are, large or as a view,
    /// those of a dictionary, and nulls.
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

    /// How many rows there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Held::Small(texts) => texts.len(),
            Held::Large(texts) => texts.len(),
            Held::View(texts) => texts.len(),
            Held::Nulls(rows) => *rows,
            Held::Chosen { rows, .. } => rows.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of a row, as bytes that ought to be UTF-8; nothing where it is null, or where there is no
    /// such row.
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        let (texts, row) = match &self.0 {
            Held::Chosen { rows, texts } => (&texts.0, rows.get(row).copied().flatten()?),
            held => (held, row),
        };
        match texts {
            Held::Small(texts) => one(texts, row, BinaryArray::value),
            Held::Large(texts) => one(texts, row, LargeBinaryArray::value),
            Held::View(texts) => one(texts, row, BinaryViewArray::value),
            Held::Nulls(_) | Held::Chosen { .. } => None,
        }
    }

    /// The rows from `start` on, of which there are no more than `rows`, and but one if their texts have
    /// more than `bytes` together: what is to be done before somebody looks up from the work.
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

/// The bytes of a row, if it is there and not null.
fn one<A: Array>(texts: &A, row: usize, value: fn(&A, usize) -> &[u8]) -> Option<&[u8]> {
    (row < texts.len() && texts.is_valid(row)).then(|| value(texts, row))
}

/// The places in a dictionary that its keys name.
fn chosen(keys: &dyn Array) -> Vec<Option<usize>> {
    downcast_integer_array!(
        keys => keys.iter().map(|key| key.and_then(ArrowNativeType::to_usize)).collect(),
        _ => Vec::new(),
    )
}

impl fmt::Display for NotTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the column must be of texts: string, binary or null, not {}", self.0)
    }
}

impl Error for NotTexts {}
