//! How does an answer become a value that fits what was asked for?

use std::borrow::Cow;

use llmend_json::{Class, Diagnostic, Hints, Options, Report, Rule, Value, WithoutJson};
use llmend_schema::{
    Coerced, Coercion, OtherSpelling, Schema, Violation, coerce, near_names, validate,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Error, Outcome, config::Repairing, layout::rewritten, metrics::parse_counted};

/// Everything that [`fit_with`] can be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FitOptions {
    /// What may be done to the text. What the schema knows is added to its
    /// [`Hints`](llmend_json::Hints).
    pub text: Options,
    /// What may be done to the value.
    pub coercing: Coercing,
}

/// Whether a value is changed so that it fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coercing {
    /// It is held against the schema as it stands.
    Off,
    /// It is changed as far as these options allow.
    On(llmend_schema::Options),
}

impl Coercing {
    /// What becomes of `value`.
    pub(crate) fn coerced(&self, value: Value<'_>, schema: &Schema) -> Coerced {
        match self {
            Self::On(options) => coerce(&value, schema, options),
            Self::Off => {
                let violations = validate(&value, schema);
                Coerced { value: value.into_owned(), coercions: Vec::new(), violations }
            }
        }
    }
}

impl Coercing {
    /// The same for a value that is read into a type which takes no notice of members that it does
    /// not name: what only spells one otherwise is renamed.
    #[must_use]
    pub fn for_a_type(self) -> Self {
        match self {
            Self::On(options) => Self::On(llmend_schema::Options {
                on_other_spelling: OtherSpelling::Rename,
                ..options
            }),
            Self::Off => Self::Off,
        }
    }
}

impl Default for Coercing {
    fn default() -> Self {
        Self::On(llmend_schema::Options::default())
    }
}

impl From<Repairing> for FitOptions {
    /// The default options; with repairing switched off, the policy `strict`, and the value is only
    /// held against the schema.
    fn from(repairing: Repairing) -> Self {
        let coercing = match repairing {
            Repairing::On => Coercing::default(),
            Repairing::Off => Coercing::Off,
        };
        Self { text: repairing.options(), coercing }
    }
}

/// A value that was held against a schema, and all that was done on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// The value as far as it could be made to fit. It fits if and only if `violations` is empty.
    pub value: Value<'static>,
    /// What was done to the text. Its diagnostics also tell of members that bear the name of an
    /// absent property in another spelling.
    pub report: Report,
    /// What was done to the value that the text says, in the order of the value.
    pub coercions: Vec<Coercion>,
    /// Every way in which it still does not fit.
    pub violations: Vec<Violation>,
}

impl Fitted {
    /// How sure the value is: the gravest of the repairs, of the choice of the candidate and of the
    /// coercions. `None` if there was none of them.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        gravest(&self.report, &self.coercions)
    }

    /// What there is to tell a person, a program or the model: each violation, then what the report
    /// tells.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let violations = self.violations.iter().map(Diagnostic::from);
        violations.chain(self.report.diagnostics.iter().cloned()).collect()
    }

    /// The value as strict JSON. `answer` is the text that it was read from.
    ///
    /// Where nothing was coerced it is the repaired text, byte for byte. Else the parts that were
    /// not touched keep their white space, and an object or array that has more or fewer members
    /// than it had is written compactly.
    #[must_use]
    pub fn json<'t>(&self, answer: &'t str) -> Cow<'t, str> {
        let json = self.report.output(answer);
        if self.coercions.is_empty() { json } else { rewritten(&json, &self.value).into() }
    }

    /// Reads the value into a type; an error if it does not fit the schema.
    pub fn into_outcome<T: DeserializeOwned>(self) -> Result<Outcome<T>, Error> {
        if !self.violations.is_empty() {
            return Err(Error::Unfit(Box::new(self)));
        }
        let value = self.value.deserialize()?;
        Ok(Outcome { value, report: self.report, coercions: self.coercions })
    }
}

/// The gravest of what was done to a text and to the value that it says.
pub(crate) fn gravest(report: &Report, coercions: &[Coercion]) -> Option<Class> {
    report.class.max(coercions.iter().map(|coercion| coercion.class).max())
}

/// Makes the value that `answer` holds fit `schema`, and says everything that was done on the way.
///
/// An error means that no value could be had. A value that does not fit is none: see
/// [`Fitted::violations`]. The default options apply; where `LLMEND_REPAIR=0` the answer has to be
/// strict JSON, and nothing is coerced.
///
/// ```
/// let schema = llmend::Schema::from_text(r#"{
///     "type": "object",
///     "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
///     "required": ["city", "days"]
/// }"#)?;
/// let answer = "Gladly: {'City': 'Oslo', 'days': '3'}";
/// let fitted = llmend::fit(answer, &schema)?;
/// assert!(fitted.violations.is_empty());
/// assert_eq!(fitted.json(answer), r#"{"city": "Oslo", "days": 3}"#);
/// assert_eq!(fitted.coercions[1].kind.name(), "number-from-text");
///
/// let unfit = llmend::fit("{'city': 'Oslo', 'days': 'a few'}", &schema)?;
/// assert_eq!(unfit.violations[0].path, "/days");
/// # Ok::<(), llmend::Error>(())
/// ```
pub fn fit(answer: &str, schema: &Schema) -> Result<Fitted, Error> {
    fit_with(answer, schema, &Repairing::from_env()?.into())
}

/// [`fit`] with options. The environment is not read.
pub fn fit_with(answer: &str, schema: &Schema, options: &FitOptions) -> Result<Fitted, Error> {
    let parsed = parse_counted(answer, &hinted(&options.text, schema))?;
    Ok(of_parsed(parsed.value, parsed.report, schema, &options.coercing))
}

/// What becomes of a value that was read.
pub(crate) fn of_parsed(
    value: Value<'_>,
    mut report: Report,
    schema: &Schema,
    coercing: &Coercing,
) -> Fitted {
    let Coerced { value, coercions, mut violations } = coercing.coerced(value, schema);
    tell_of_several(&report, &value, &mut violations);
    if violations.is_empty() {
        report.diagnostics.extend(near_names(&value, schema));
    }
    Fitted { value, report, coercions, violations }
}

/// Says of a list that only the engine made, of several values in the text, what it is.
fn tell_of_several(report: &Report, value: &Value<'_>, violations: &mut [Violation]) {
    let several = report.repairs.iter().any(|repair| repair.rule == Rule::SeveralDocuments);
    let is_list = |row: &&mut Violation| row.path.is_empty() && row.keyword == "type";
    if let Some(row) = violations.iter_mut().find(is_list).filter(|_| several) {
        let count = value.root().len();
        row.code = "schema/ambiguous";
        row.message = format!(
            "the text holds {count} values that may be the answer, and {} is wanted",
            row.expected
        );
        row.hint = Some("answer with one value only".to_owned());
    }
}

/// `options` with what `schema` knows of the value beforehand.
pub(crate) fn hinted(options: &Options, schema: &Schema) -> Options {
    let mut options = options.clone();
    let Hints { keys, words, without_json } = schema.hints();
    options.hints.keys.extend(keys);
    options.hints.words.extend(words);
    if without_json == WithoutJson::Text {
        options.hints.without_json = without_json;
    }
    options
}

/// Makes the value that `answer` holds fit the schema of a type, and reads it into that type.
///
/// The outcome says what was done to the text and to the value; [`Outcome::sure`] refuses a value
/// that may lack something. Every way in which the value does not fit is told by the error:
/// [`Error::diagnostics`]. The schema is compiled anew in each call: to compile it once, keep
/// `Schema::of::<T>()`, and call [`fit`] and [`Fitted::into_outcome`].
///
/// ```
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// #[serde(rename_all = "camelCase")]
/// struct Trip { city: String, day_count: u8, guided: Option<bool> }
///
/// let outcome = llmend::parse_as::<Trip>("{'City': 'Oslo', 'day_count': '3', 'guided': 'None'}")?;
/// assert_eq!((outcome.value.city.as_str(), outcome.value.day_count), ("Oslo", 3));
/// assert_eq!(outcome.value.guided, None);
/// assert_eq!(outcome.coercions.len(), 4);
///
/// let error = llmend::parse_as::<Trip>("{'city': 'Oslo', 'dayCount': '300'}").err().unwrap();
/// assert_eq!(error.diagnostics()[0].path.as_deref(), Some("/dayCount"));
/// # Ok::<(), llmend::Error>(())
/// ```
#[cfg(feature = "schemars")]
pub fn parse_as<T: DeserializeOwned + schemars::JsonSchema>(
    answer: &str,
) -> Result<Outcome<T>, Error> {
    let options = FitOptions::from(Repairing::from_env()?);
    let options = FitOptions { coercing: options.coercing.for_a_type(), ..options };
    fit_with(answer, &Schema::of::<T>()?, &options)?.into_outcome()
}
