//! How does an answer become a type of the user's?

use std::fmt;

use llmend_json::{Class, Options, Report};
use serde::de::DeserializeOwned;

use crate::{Error, config::Settings};

/// A value, and how it was come by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<T> {
    /// The value.
    pub value: T,
    /// What was done to the text.
    pub report: Report,
}

impl<T> Outcome<T> {
    /// Whether the value may lack something: text that carried meaning was left out or replaced,
    /// or the answer was cut off.
    #[must_use]
    pub fn is_unsure(&self) -> bool {
        self.report.class == Some(Class::Loss) || self.report.truncated()
    }
}

/// Reads the value that `answer` holds into a type, and reports what was done to the text.
///
/// The report says how far the value can be trusted: [`Report::class`] and [`Report::truncated`].
/// The engine's default options apply, or those of the policy `strict` where `LLMEND_REPAIR=0`.
///
/// ```
/// let outcome = llmend::parse::<Vec<f64>>("```json\n[1.5, 2.25, .5]\n```")?;
/// assert_eq!(outcome.value, [1.5, 2.25, 0.5]);
/// assert_eq!(outcome.report.repairs[0].rule, llmend::Rule::NumberFormat);
/// # Ok::<(), llmend::Error>(())
/// ```
pub fn parse<T: DeserializeOwned>(answer: &str) -> Result<Outcome<T>, Error> {
    parse_with(answer, &Settings::from_env()?.repair.options())
}

/// [`parse`] with options. The environment is not read.
pub fn parse_with<T: DeserializeOwned>(
    answer: &str,
    options: &Options,
) -> Result<Outcome<T>, Error> {
    let parsed = llmend_json::parse_with(answer, options)?;
    Ok(Outcome { value: parsed.value.deserialize()?, report: parsed.report })
}

/// Reads the value that `answer` holds into a type, for those who want no report.
///
/// Since nothing else would tell them, a value that may lack something is an error, which holds
/// the value: see [`Outcome::is_unsure`].
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
    let outcome = parse(answer)?;
    if outcome.is_unsure() {
        Err(FromStrError::Unsure(Box::new(outcome)))
    } else {
        Ok(outcome.value)
    }
}

/// Why [`from_str`] gives no value that can be used without a second look.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum FromStrError<T> {
    /// There is no value.
    #[error(transparent)]
    NoValue(#[from] Error),
    /// There is a value, but it may lack something.
    #[error("{}", doubt(&.0.report))]
    Unsure(Box<Outcome<T>>),
}

impl<T> FromStrError<T> {
    /// The value, if there is one.
    #[must_use]
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::NoValue(_) => None,
            Self::Unsure(outcome) => Some(&outcome.value),
        }
    }

    /// The value with its report, if there is one.
    #[must_use]
    pub fn into_outcome(self) -> Option<Outcome<T>> {
        match self {
            Self::NoValue(_) => None,
            Self::Unsure(outcome) => Some(*outcome),
        }
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoValue(error) => error.code(),
            Self::Unsure(outcome) if outcome.report.truncated() => "value/truncated",
            Self::Unsure(_) => "value/loss",
        }
    }
}

/// Says what happened, and not what the value is, which need not be printable.
impl<T> fmt::Debug for FromStrError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FromStrError({}: {self})", self.code())
    }
}

/// What makes the value of this report unsure, in one sentence.
pub(crate) fn doubt(report: &Report) -> String {
    let lost = report.repairs.iter().find(|repair| repair.class() == Class::Loss);
    match (report.cut, lost) {
        (Some(at), _) => {
            format!("the answer was cut off at byte {at}, so that the value may lack something")
        }
        (None, Some(repair)) => format!(
            "the value lacks something that the answer says: at byte {}, by the rule `{}`",
            repair.span.start, repair.rule
        ),
        (None, None) => "the value may lack something that the answer says".to_owned(),
    }
}
