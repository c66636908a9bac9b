//! What does a value have to fit, and what may be changed so that it does?

use std::{borrow::Cow, path::PathBuf, str::FromStr};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use llmend::{
    Coercing, Coercion, Error, FitOptions, Schema, Violation, fit_with,
    json::{Class, Diagnostic, EmphasisInValues},
    schema::{self, Emphasis, NearMatch, OnBadItem, OnExtra, Units},
};

use crate::{
    answer::{Answer, Layout},
    engine::Engine,
    exit::{Exit, Failure},
    render::meaning,
};

/// The schema, and what may be changed so that a value fits it.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "What the value has to fit")]
pub(crate) struct SchemaArguments {
    /// A file with the JSON Schema that the value has to fit. Without one nothing is coerced
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, group = "wanted")]
    pub(crate) schema: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) coercing: CoercionArguments,
}

/// What may be changed so that a value fits.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "What the value has to fit")]
pub(crate) struct CoercionArguments {
    /// What becomes of an item of a list that does not fit
    #[arg(long, value_name = "ACTION", requires = "wanted", default_value = OnBadItem::Fail.as_str(), value_parser = on_bad_item())]
    on_bad_item: OnBadItem,
    /// What becomes of a member that the schema does not name
    #[arg(long, value_name = "ACTION", requires = "wanted", default_value = OnExtra::Keep.as_str(), value_parser = on_extra())]
    on_extra: OnExtra,
    /// Whether "50%" and "$1.50" are numbers
    #[arg(long, value_name = "ACTION", requires = "wanted", default_value = Units::Refuse.as_str(), value_parser = units())]
    units: Units,
    /// Whether a slip of the pen in a key or in a value of an enumeration is recognised
    #[arg(long, value_name = "WHETHER", requires = "wanted", default_value = NearMatch::On.as_str(), value_parser = near())]
    near: NearMatch,
    /// The gravest class of a change that makes the value fit; `llmend coercions` lists them
    #[arg(long, value_name = "CLASS", requires = "wanted", default_value = Class::Loss.as_str(), value_parser = classes())]
    max_class: Class,
}

impl CoercionArguments {
    /// What the library is told. Where repair is switched off, nothing is coerced either.
    pub(crate) fn options(&self, engine: &Engine) -> FitOptions {
        let Self { on_bad_item, on_extra, units, near, max_class } = *self;
        let mut text = engine.options.clone();
        if engine.switched_off.is_some() {
            return FitOptions { text, coercing: Coercing::Off };
        }
        // The schema knows better than the look of a string where emphasis is no part of it.
        let emphasis = match std::mem::take(&mut text.emphasis) {
            EmphasisInValues::Keep => Emphasis::Keep,
            EmphasisInValues::Strip => Emphasis::Strip,
        };
        let max_depth = text.max_depth;
        let options = schema::Options {
            on_bad_item,
            on_extra,
            units,
            emphasis,
            near,
            max_class,
            max_depth,
            ..schema::Options::default()
        };
        FitOptions { text, coercing: Coercing::On(options) }
    }
}

/// What came of holding a value against a schema.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fit {
    pub(crate) coercions: Vec<Coercion>,
    pub(crate) violations: Vec<Violation>,
}

/// The value in `text`, made to fit `schema`.
pub(crate) fn fitted<'t>(
    text: &'t str,
    schema: &Schema,
    options: &FitOptions,
    layout: Layout,
) -> Result<Answer<'t>, Failure> {
    let fitted = fit_with(text, schema, options).map_err(|error| unread(&error))?;
    let json: Cow<'t, str> = match layout {
        Layout::Kept => fitted.json(text),
        Layout::Indented => format!("{:#}", fitted.value).into(),
    };
    let fit = Fit { coercions: fitted.coercions, violations: fitted.violations };
    if fit.violations.is_empty() {
        return Ok(Answer { json, report: fitted.report, fit: Some(fit), plan: None });
    }
    let diagnostics = fit.violations.iter().map(Diagnostic::from).collect();
    Err(Failure {
        report: Some(Box::new(fitted.report)),
        fit: Some(Box::new(fit)),
        ..Failure::new(Exit::Refused, diagnostics)
    })
}

/// The failure to read a value that could be held against the schema.
fn unread(error: &Error) -> Failure {
    match error {
        Error::Json(error) => Failure::from(error),
        error => Failure::new(Exit::Refused, error.diagnostics()),
    }
}

fn on_bad_item() -> impl TypedValueParser<Value = OnBadItem> {
    choice([
        (OnBadItem::Fail.as_str(), "It is a violation."),
        (OnBadItem::Drop.as_str(), "It is left out, which is on record with its index."),
        (OnBadItem::Null.as_str(), "It becomes null where that is allowed, which is on record."),
    ])
}

fn on_extra() -> impl TypedValueParser<Value = OnExtra> {
    choice([
        (OnExtra::Keep.as_str(), "It stays, and is a violation where the schema forbids it."),
        (OnExtra::Fail.as_str(), "It is a violation, also where the schema does not forbid it."),
        (OnExtra::Drop.as_str(), "It is left out where the schema forbids it, which is on record."),
    ])
}

fn units() -> impl TypedValueParser<Value = Units> {
    choice([
        (Units::Refuse.as_str(), "They are not."),
        (Units::Strip.as_str(), "They are 50 and 1.5, as a guess."),
    ])
}

fn near() -> impl TypedValueParser<Value = NearMatch> {
    choice([
        (
            NearMatch::On.as_str(),
            "It is, as a guess, if no other name is as near; in a key, where others are forbidden.",
        ),
        (NearMatch::Off.as_str(), "It is not: case, accents and separators alone may differ."),
    ])
}

fn classes() -> impl TypedValueParser<Value = Class> {
    choice(Class::ALL.map(|class| (class.as_str(), meaning(class))))
}

/// Reads one of a few words, each with what it means.
fn choice<T, const N: usize>(
    words: [(&'static str, &'static str); N],
) -> impl TypedValueParser<Value = T>
where
    T: FromStr + Clone + Send + Sync + 'static,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    let values = words.map(|(word, help)| PossibleValue::new(word).help(help));
    PossibleValuesParser::new(values).try_map(|word| word.parse::<T>())
}
