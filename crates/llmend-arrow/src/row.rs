//! The row of one answer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use llmend::{
    Class, Error, FitOptions, Repair, Report, Schema, fit_with,
    json::{ErrorRow, OffsetUnit, Relocate as _, decode},
    repair_with,
};

/// What offsets count.
const UNIT: OffsetUnit = OffsetUnit::CodePoint;

/// The outcome of one answer. Offsets count code points, as in SQL and Python.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The value as strict JSON; `None` if there is an error.
    pub value: Option<String>,
    /// `unchanged`, `extracted`, `repaired`, `coerced` or `refused`.
    pub status: &'static str,
    /// The worst class of all repairs and coercions.
    pub class: Option<Class>,
    /// Whether the text was cut off.
    pub truncated: bool,
    /// The repairs of the text.
    pub repairs: Vec<Repair>,
    /// Why there is no value.
    pub error: Option<Problem>,
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The code of the first error.
    pub code: String,
    /// The message.
    pub message: String,
    /// Its start and end, in code points.
    pub place: Option<(usize, usize)>,
}

impl Row {
    /// Repairs `text`, and fits it to `schema` if there is one. A panic becomes an error of this row, so that a bug
    /// does not affect other rows.
    pub fn of(text: &str, options: &FitOptions, schema: Option<&Schema>) -> Self {
        let made = catch_unwind(AssertUnwindSafe(|| match schema {
            Some(schema) => fitted(text, schema, options),
            None => repaired(text, options),
        }));
        made.unwrap_or_else(|_| {
            Self::refused(Problem {
                code: "internal/fault".to_owned(),
                message: "internal error in llmend; please report it".to_owned(),
                place: None,
            })
        })
    }

    /// Repairs bytes that may not be UTF-8.
    pub fn of_bytes(bytes: &[u8], options: &FitOptions, schema: Option<&Schema>) -> Self {
        match decode(bytes) {
            Ok(text) => Self::of(text, options, schema),
            Err(error) => Self::refused(problem(ErrorRow::of_bytes(&error, bytes, UNIT))),
        }
    }

    fn refused(error: Problem) -> Self {
        Self {
            value: None,
            status: "refused",
            class: None,
            truncated: false,
            repairs: Vec::new(),
            error: Some(error),
        }
    }

    fn new(
        text: &str,
        value: Option<String>,
        status: &'static str,
        class: Option<Class>,
        report: Report,
    ) -> Self {
        let truncated = report.truncated();
        let mut repairs = report.repairs;
        if !repairs.is_empty() {
            repairs.convert_offsets(text, UNIT);
        }
        Self { value, status, class, truncated, repairs, error: None }
    }
}

fn repaired(text: &str, options: &FitOptions) -> Row {
    match repair_with(text, &options.text) {
        Ok(made) => {
            let (status, class) = (made.report.status.as_str(), made.report.class);
            Row::new(text, Some(made.text.into_owned()), status, class, made.report)
        }
        Err(error) => Row::refused(problem(ErrorRow::of(&error, text, UNIT))),
    }
}

fn fitted(text: &str, schema: &Schema, options: &FitOptions) -> Row {
    match fit_with(text, schema, options) {
        Ok(fitted) if fitted.violations.is_empty() => {
            let is_coerced = !fitted.coercions.is_empty();
            let status = if is_coerced { "coerced" } else { fitted.report.status.as_str() };
            let (json, class) = (fitted.json(text).into_owned(), fitted.class());
            Row::new(text, Some(json), status, class, fitted.report)
        }
        Ok(fitted) => {
            let class = fitted.class();
            let error = problem(Error::Unfit(Box::new(fitted.clone())).row(text, UNIT));
            Row { error: Some(error), ..Row::new(text, None, "refused", class, fitted.report) }
        }
        Err(error) => Row::refused(problem(error.row(text, UNIT))),
    }
}

/// Returns the first error, with the message that the command shows.
fn problem(error: ErrorRow) -> Problem {
    let first = error.diagnostics.into_iter().next();
    let message = first.map_or(error.message, |row| row.message);
    Problem { code: error.code.into_owned(), message, place: error.start.zip(error.end) }
}
