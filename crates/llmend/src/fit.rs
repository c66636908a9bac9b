//! Fitting an answer to a schema.

use llmend_json::{Class, Fit, Hints, Options, Report, Rule, Value, WithoutJson};
use llmend_schema::{Coerced, OtherSpelling, Schema, Violation, coerce, near_names, validate};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    Error, config::RepairMode, fit_index, fitted::Fitted, metrics::parse_fitting_counted,
    outcome::Outcome,
};

/// The options of [`fit_with`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FitOptions {
    /// Options for the text. The schema's names are added to its [`Hints`](llmend_json::Hints).
    pub text: Options,
    /// Options for the value.
    pub coerce: CoerceMode,
}

/// Whether a value is changed to fit the schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoerceMode {
    /// It is only validated.
    Off,
    /// It is coerced as far as these options allow.
    On(llmend_schema::Options),
}

impl CoerceMode {
    /// Coerces or validates `value`.
    pub(crate) fn coerced(&self, value: Value<'_>, schema: &Schema) -> Coerced {
        match self {
            Self::On(options) => coerce(&value, schema, options),
            Self::Off => {
                let violations = validate(&value, schema);
                Coerced { value: value.into_owned(), coercions: Vec::new(), violations }
            }
        }
    }

    /// Returns how well `value` fits, perhaps after coercion.
    pub(crate) fn fits(&self, value: &Value<'_>, schema: &Schema) -> Fit {
        match self {
            Self::On(options) => match coerce(value, schema, options) {
                coerced if !coerced.violations.is_empty() => Fit::No,
                coerced if coerced.class() >= Some(Class::Guess) => Fit::Guessed,
                _ => Fit::Sure,
            },
            Self::Off => validate(value, schema).is_empty().into(),
        }
    }
}

impl CoerceMode {
    /// Returns the options for reading into a type, which ignores unknown members: members that
    /// only differ in spelling are renamed.
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

impl Default for CoerceMode {
    fn default() -> Self {
        Self::On(llmend_schema::Options::default())
    }
}

impl From<RepairMode> for FitOptions {
    /// Returns the default options; with repair off, the policy `strict` and validation only.
    fn from(mode: RepairMode) -> Self {
        let coerce = match mode {
            RepairMode::On => CoerceMode::default(),
            RepairMode::Off => CoerceMode::Off,
        };
        Self { text: mode.options(), coerce }
    }
}

impl Fitted {
    /// Reads the value into a type. Fails if it does not fit the schema.
    pub fn into_outcome<T: DeserializeOwned>(self) -> Result<Outcome<T>, Error> {
        if !self.violations.is_empty() {
            return Err(Error::Unfit(Box::new(self)));
        }
        let value = self.value.deserialize()?;
        Ok(Outcome { value, report: self.report, coercions: self.coercions })
    }
}

/// Finds the value in `answer`, makes it fit `schema`, and reports every change.
///
/// The schema also decides among several values in the answer: if the one that is read without a
/// schema does not fit and exactly one other does, that one is taken, and so is one that fits
/// without a guess where that one needs a guess. See [`parse_fitting`](llmend_json::parse_fitting).
///
/// An error means that there is no value. A value that does not fit is not an error: see
/// [`Fitted::violations`]. The default options apply; with `LLMEND_REPAIR=0` the answer has to be
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
    fit_with(answer, schema, &RepairMode::from_env()?.into())
}

/// Fits an answer like [`fit`], with options. The environment is not read.
///
/// ```
/// use llmend::{CoerceMode, FitOptions, Schema};
///
/// let schema = Schema::from_text(r#"{"type": "object", "properties": {"days": {"type": "integer"}}}"#)?;
/// let options = FitOptions { coerce: CoerceMode::Off, ..FitOptions::default() };
/// let fitted = llmend::fit_with("{'days': '3'}", &schema, &options)?;
/// assert_eq!(fitted.violations[0].path, "/days");
/// # Ok::<(), llmend::Error>(())
/// ```
pub fn fit_with(answer: &str, schema: &Schema, options: &FitOptions) -> Result<Fitted, Error> {
    let fits = |value: &Value<'_>| options.coerce.fits(value, schema);
    let parsed = parse_fitting_counted(answer, &hinted(&options.text, schema), fits)?;
    Ok(of_parsed(parsed.value, parsed.report, schema, &options.coerce))
}

/// Fits a parsed value.
pub(crate) fn of_parsed(
    value: Value<'_>,
    mut report: Report,
    schema: &Schema,
    coerce: &CoerceMode,
) -> Fitted {
    let Coerced { value, mut coercions, mut violations } = coerce.coerced(value, schema);
    fit_index::count_unread(&report, &value, &mut coercions);
    explain_several(&report, &value, &mut violations);
    if violations.is_empty() {
        report.diagnostics.extend(near_names(&value, schema));
    }
    Fitted { value, report, coercions, violations }
}

/// Explains a list that the engine made of several values in the text.
fn explain_several(report: &Report, value: &Value<'_>, violations: &mut [Violation]) {
    let several = report.repairs.iter().any(|repair| repair.rule == Rule::SeveralDocuments);
    let is_list = |row: &&mut Violation| row.path.is_empty() && row.keyword == "type";
    if let Some(row) = violations.iter_mut().find(is_list).filter(|_| several) {
        let count = value.root().len();
        row.code = "schema/ambiguous";
        row.message =
            format!("expected {}, found {count} values that may be the answer", row.expected);
        row.hint = Some("Answer with one value only.".to_owned());
    }
}

/// Returns `options` with the names that `schema` knows.
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

/// Finds the value in `answer`, makes it fit the schema of a type, and reads it into that type.
///
/// The outcome reports the changes to the text and the value; [`Outcome::sure`] rejects a value
/// that may lack something. The error lists every violation: [`Error::diagnostics`]. Each call
/// compiles the schema: to compile it once, keep `Schema::of::<T>()` and call [`fit`] and
/// [`Fitted::into_outcome`].
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
    let options = FitOptions::from(RepairMode::from_env()?);
    let options = FitOptions { coerce: options.coerce.for_a_type(), ..options };
    fit_with(answer, &Schema::of::<T>()?, &options)?.into_outcome()
}
