//! How does an answer become a type of the user's?

use std::fmt;

use llmend_json::{Class, Options, Report};
use llmend_schema::Coercion;
use serde::de::DeserializeOwned;

use crate::{Error, config::Repairing, fit::gravest, metrics::parse_counted};

/// A value, and how it was come by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<T> {
    /// The value.
    pub value: T,
    /// What was done to the text.
    pub report: Report,
    /// What was done to the value that the text says, so that it fits; nothing without a schema.
    pub coercions: Vec<Coercion>,
}

impl<T> Outcome<T> {
    /// How sure the value is: the gravest of the repairs, of the choice of the candidate and of the
    /// coercions. `None` if there was none of them.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        gravest(&self.report, &self.coercions)
    }

    /// Whether the value may lack something: what carried meaning was left out or replaced, or the
    /// answer was cut off.
    #[must_use]
    pub fn is_unsure(&self) -> bool {
        self.class() == Some(Class::Loss) || self.report.truncated()
    }

    /// The value alone, for those who want no report: an error, which holds the outcome, if it may
    /// lack something.
    pub fn sure(self) -> Result<T, FromStrError<T>> {
        if self.is_unsure() { Err(FromStrError::Unsure(Box::new(self))) } else { Ok(self.value) }
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
    parse_with(answer, &Repairing::from_env()?.options())
}

/// [`parse`] with options. The environment is not read.
pub fn parse_with<T: DeserializeOwned>(
    answer: &str,
    options: &Options,
) -> Result<Outcome<T>, Error> {
    let parsed = parse_counted(answer, options)?;
    let value = parsed.value.deserialize()?;
    Ok(Outcome { value, report: parsed.report, coercions: Vec::new() })
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
    parse(answer)?.sure()
}

/// Why [`from_str`] or [`Outcome::sure`] gives no value that can be used without a second look.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum FromStrError<T> {
    /// There is no value.
    #[error(transparent)]
    NoValue(#[from] Error),
    /// There is a value, but it may lack something.
    #[error("{}", doubt(&.0.report, &.0.coercions))]
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
pub(crate) fn doubt(report: &Report, coercions: &[Coercion]) -> String {
    let lost = report.repairs.iter().find(|repair| repair.class() == Class::Loss);
    let dropped = coercions.iter().find(|coercion| coercion.class == Class::Loss);
    match (report.cut, lost, dropped) {
        (Some(at), _, _) => {
            format!("the answer was cut off at byte {at}, so that the value may lack something")
        }
        (None, Some(repair), _) => format!(
            "the value lacks something that the answer says: at byte {}, by the rule `{}`",
            repair.span.start, repair.rule
        ),
        (None, None, Some(coercion)) => format!(
            "the value lacks something that the answer says: at `{}`, by the coercion `{}`",
            coercion.path,
            coercion.kind.name()
        ),
        (None, None, None) => "the value may lack something that the answer says".to_owned(),
    }
}
