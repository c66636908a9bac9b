//! The columns of the rows.

use std::sync::{Arc, LazyLock};

use arrow_array::{
    ArrayRef, BooleanArray, ListArray, StructArray,
    builder::{BooleanBuilder, Int64Builder, StringBuilder},
};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields};
use llmend::Class;

use crate::Row;

/// The maximum length of the texts of a column in bytes, since Arrow has 32-bit offsets.
const MAX_BYTES: usize = i32::MAX as usize;

fn text(name: &str, is_nullable: bool) -> Field {
    Field::new(name, DataType::Utf8, is_nullable)
}

fn place(name: &str, is_nullable: bool) -> Field {
    Field::new(name, DataType::Int64, is_nullable)
}

/// The fields of a repair.
static REPAIR: LazyLock<Fields> = LazyLock::new(|| {
    let texts = [text("rule", false), text("class", false)];
    let places = [place("start", false), place("end", false)];
    texts.into_iter().chain(places).chain([text("replacement", false)]).collect()
});

/// The fields of an error.
static ERROR: LazyLock<Fields> = LazyLock::new(|| {
    let texts = [text("code", false), text("message", false)];
    texts.into_iter().chain([place("start", true), place("end", true)]).collect()
});

static ITEM: LazyLock<FieldRef> =
    LazyLock::new(|| Arc::new(Field::new("item", DataType::Struct(REPAIR.clone()), false)));

/// The fields of a row.
static ROW: LazyLock<Fields> = LazyLock::new(|| {
    Fields::from(vec![
        text("value", true),
        text("status", false),
        text("class", true),
        Field::new("truncated", DataType::Boolean, false),
        Field::new("repairs", DataType::List(ITEM.clone()), false),
        Field::new("error", DataType::Struct(ERROR.clone()), true),
    ])
});

/// Returns the type of the rows, as a column called `name`:
///
/// - `value`: strict JSON, or null;
/// - `status`: `unchanged`, `extracted`, `repaired`, `coerced` or `refused`;
/// - `class`: `notation`, `completion`, `guess`, `loss`, or null;
/// - `truncated`: whether the text was cut off;
/// - `repairs`: a list of structs `rule`, `class`, `start`, `end`, `replacement`, in code points;
/// - `error`: a struct `code`, `message`, `start`, `end`, or null where there is a value.
pub fn field(name: &str) -> FieldRef {
    Arc::new(Field::new(name, DataType::Struct(ROW.clone()), true))
}

/// A builder of rows.
#[derive(Debug)]
pub struct Columns {
    rows: NullBufferBuilder,
    value: StringBuilder,
    status: StringBuilder,
    class: StringBuilder,
    truncated: BooleanBuilder,
    repairs: Repairs,
    errors: Errors,
    /// The length of all texts in bytes.
    bytes: usize,
}

#[derive(Debug)]
struct Repairs {
    counts: Vec<usize>,
    rule: StringBuilder,
    class: StringBuilder,
    start: Int64Builder,
    end: Int64Builder,
    replacement: StringBuilder,
}

#[derive(Debug)]
struct Errors {
    rows: NullBufferBuilder,
    code: StringBuilder,
    message: StringBuilder,
    start: Int64Builder,
    end: Int64Builder,
}

impl Default for Columns {
    fn default() -> Self {
        Self::new()
    }
}

impl Columns {
    /// Creates a builder without rows.
    #[must_use]
    pub fn new() -> Self {
        Self {
            rows: NullBufferBuilder::new(0),
            value: StringBuilder::new(),
            status: StringBuilder::new(),
            class: StringBuilder::new(),
            truncated: BooleanBuilder::new(),
            repairs: Repairs {
                counts: Vec::new(),
                rule: StringBuilder::new(),
                class: StringBuilder::new(),
                start: Int64Builder::new(),
                end: Int64Builder::new(),
                replacement: StringBuilder::new(),
            },
            errors: Errors {
                rows: NullBufferBuilder::new(0),
                code: StringBuilder::new(),
                message: StringBuilder::new(),
                start: Int64Builder::new(),
                end: Int64Builder::new(),
            },
            bytes: 0,
        }
    }

    /// Appends a row, or a null. Fails if the texts of a column would exceed 2 GiB.
    pub fn push(&mut self, row: Option<Row>) -> Result<(), ArrowError> {
        self.rows.append(row.is_some());
        // The contents of a null row are never seen.
        let row = row.unwrap_or(Row {
            value: None,
            status: "",
            class: None,
            truncated: false,
            repairs: Vec::new(),
            error: None,
        });
        self.bytes += row.value.as_ref().map_or(0, String::len) + row.status.len();
        self.bytes += row.error.as_ref().map_or(0, |error| error.code.len() + error.message.len());
        let replaced = row.repairs.iter().map(|repair| repair.replacement.len() + 64);
        self.bytes += replaced.sum::<usize>();
        if self.bytes > MAX_BYTES {
            let message = "the result exceeds 2 GiB; pass smaller arrays, or a stream of them";
            return Err(ArrowError::ComputeError(message.to_owned()));
        }
        self.value.append_option(row.value);
        self.status.append_value(row.status);
        self.class.append_option(row.class.map(Class::as_str));
        self.truncated.append_value(row.truncated);
        self.repairs.counts.push(row.repairs.len());
        for repair in row.repairs {
            self.repairs.rule.append_value(repair.rule.name());
            self.repairs.class.append_value(repair.class().as_str());
            self.repairs.start.append_value(signed(repair.span.start));
            self.repairs.end.append_value(signed(repair.span.end));
            self.repairs.replacement.append_value(&repair.replacement);
        }
        self.errors.rows.append(row.error.is_some());
        let (start, end) = row.error.as_ref().and_then(|error| error.place).unzip();
        self.errors.start.append_option(start.map(signed));
        self.errors.end.append_option(end.map(signed));
        let (code, message) =
            row.error.map(|error| (error.code, error.message)).unwrap_or_default();
        self.errors.code.append_value(code);
        self.errors.message.append_value(message);
        Ok(())
    }

    /// Returns the array of all rows.
    pub fn finish(mut self) -> Result<StructArray, ArrowError> {
        let Repairs { counts, rule, class, start, end, replacement } = &mut self.repairs;
        let offsets = OffsetBuffer::from_lengths(counts.iter().copied());
        let columns: Vec<ArrayRef> = vec![
            Arc::new(rule.finish()),
            Arc::new(class.finish()),
            Arc::new(start.finish()),
            Arc::new(end.finish()),
            Arc::new(replacement.finish()),
        ];
        let repairs = StructArray::try_new(REPAIR.clone(), columns, None)?;
        let repairs = ListArray::try_new(ITEM.clone(), offsets, Arc::new(repairs), None)?;
        let Errors { rows, code, message, start, end } = &mut self.errors;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(code.finish()),
            Arc::new(message.finish()),
            Arc::new(start.finish()),
            Arc::new(end.finish()),
        ];
        let errors = StructArray::try_new(ERROR.clone(), columns, rows.finish())?;
        let truncated: BooleanArray = self.truncated.finish();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.value.finish()),
            Arc::new(self.status.finish()),
            Arc::new(self.class.finish()),
            Arc::new(truncated),
            Arc::new(repairs),
            Arc::new(errors),
        ];
        StructArray::try_new(ROW.clone(), columns, self.rows.finish())
    }
}

fn signed(offset: usize) -> i64 {
    i64::try_from(offset).unwrap_or(i64::MAX)
}
