//! Reading an answer into a type.

use std::fmt;

use llmend_json::Options;
use serde::de::DeserializeOwned;

use crate::{
    Error,
    config::RepairMode,
    metrics::parse_counted,
    outcome::{Outcome, unsure_reason},
};

impl<T> Outcome<T> {
    /// Returns the value alone, for callers who want no report. Fails, with the outcome, if the
    /// value may lack something.
    pub fn sure(self) -> Result<T, FromStrError<T>> {
        if self.is_unsure() { Err(FromStrError::Unsure(Box::new(self))) } else { Ok(self.value) }
    }
}

/// Reads the value in `answer` into a type, and reports what was done to the text.
///
/// The report says how far the value can be trusted: [`Report::class`](llmend_json::Report) and [`Report::truncated`](llmend_json::Report).
/// The engine's default options apply, or those of the policy `strict` with `LLMEND_REPAIR=0`.
///
/// ```
/// let outcome = llmend::parse::<Vec<f64>>("```json\n[1.5, 2.25, .5]\n```")?;
/// assert_eq!(outcome.value, [1.5, 2.25, 0.5]);
/// assert_eq!(outcome.report.repairs[0].rule, llmend::Rule::NumberFormat);
/// # Ok::<(), llmend::Error>(())
/// ```
pub fn parse<T: DeserializeOwned>(answer: &str) -> Result<Outcome<T>, Error> {
    parse_with(answer, &RepairMode::from_env()?.options())
}

/// Reads an answer like [`parse`], with options. The environment is not read.
///
/// ```
/// use llmend::{Options, Policy};
///
/// let strict = Options::policy(Policy::Strict);
/// assert_eq!(llmend::parse_with::<Vec<u8>>("[1, 2]", &strict)?.value, [1, 2]);
/// assert!(llmend::parse_with::<Vec<u8>>("[1, 2,]", &strict).is_err());
/// # Ok::<(), llmend::Error>(())
/// ```
pub fn parse_with<T: DeserializeOwned>(
    answer: &str,
    options: &Options,
) -> Result<Outcome<T>, Error> {
    let parsed = parse_counted(answer, options)?;
    let value = parsed.value.deserialize()?;
    Ok(Outcome { value, report: parsed.report, coercions: Vec::new() })
}

/// Reads the value in `answer` into a type, for callers who want no report.
///
/// Without a report, a value that may lack something is an error, which contains the value: see
/// [`Outcome::is_unsure`].
///
/// ```
/// use std::collections::BTreeMap;
/// use llmend::FromStrError;
///
/// let prices: BTreeMap<String, u32> = llmend::from_str("Here: {tea: 3, coffee: 4,}").unwrap();
/// assert_eq!(prices["coffee"], 4);
/// match llmend::from_str::<BTreeMap<String, u32>>("Here: {tea: 3, coffee: 4, ju") {
///     Err(FromStrError::Unsure(outcome)) => assert_eq!(outcome.value, prices),
///     other => panic!("{other:?}"),
/// }
/// ```
pub fn from_str<T: DeserializeOwned>(answer: &str) -> Result<T, FromStrError<T>> {
    parse(answer)?.sure()
}

/// The reason why [`from_str`] or [`Outcome::sure`] returns no value that can be used without a
/// second look.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum FromStrError<T> {
    /// There is no value.
    #[error(transparent)]
    NoValue(#[from] Error),
    /// The value may lack something.
    #[error("{}", unsure_reason(&.0.report, &.0.coercions))]
    Unsure(Box<Outcome<T>>),
}

impl<T> FromStrError<T> {
    /// Returns the value, if there is one.
    #[must_use]
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::NoValue(_) => None,
            Self::Unsure(outcome) => Some(&outcome.value),
        }
    }

    /// Returns the value with its report, if there is one.
    #[must_use]
    pub fn into_outcome(self) -> Option<Outcome<T>> {
        match self {
            Self::NoValue(_) => None,
            Self::Unsure(outcome) => Some(*outcome),
        }
    }

    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoValue(error) => error.code(),
            Self::Unsure(outcome) if outcome.report.truncated() => "value/truncated",
            Self::Unsure(_) => "value/loss",
        }
    }
}

/// Shows the error without the value, which need not be printable.
impl<T> fmt::Debug for FromStrError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FromStrError({}: {self})", self.code())
    }
}
