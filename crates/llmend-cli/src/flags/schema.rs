//! The schema of the value, and what may be changed to fit it.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use llmend::{
    CoerceMode, FitOptions,
    json::EmphasisInValues,
    schema::{self, Emphasis, NearMatch, OnExtra, Units},
};

use super::choice;
use crate::engine::Engine;

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Schema")]
pub(crate) struct SchemaFlags {
    /// The JSON Schema that the value has to fit, or FILE#/POINTER for a part of a file
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, group = "wanted")]
    pub(crate) schema: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) coercing: CoercionFlags,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Schema")]
pub(crate) struct CoercionFlags {
    /// What to do with a member that the schema does not name
    #[arg(long, value_name = "ACTION", requires = "wanted", default_value = OnExtra::Keep.as_str(), value_parser = on_extra())]
    on_extra: OnExtra,
    /// What to do with a unit beside a number, as in "50%" and "$1.50"
    #[arg(long, value_name = "ACTION", requires = "wanted", default_value = Units::Refuse.as_str(), value_parser = units())]
    units: Units,
    /// Whether to correct typos in keys and enum values
    #[arg(long, value_name = "WHETHER", requires = "wanted", default_value = NearMatch::On.as_str(), value_parser = near())]
    near: NearMatch,
}

impl CoercionFlags {
    /// Returns the options. Where repair is switched off, nothing is coerced either.
    pub(crate) fn options(&self, engine: &Engine) -> FitOptions {
        let Self { on_extra, units, near } = *self;
        let mut text = engine.options.clone();
        if engine.disabled_by.is_some() {
            return FitOptions { text, coerce: CoerceMode::Off };
        }
        // The schema knows better than the look of a string where emphasis is no part of it.
        let emphasis = match std::mem::take(&mut text.emphasis) {
            EmphasisInValues::Keep => Emphasis::Keep,
            EmphasisInValues::Strip => Emphasis::Strip,
        };
        let (max_depth, max_class, on_bad_item) =
            (text.max_depth, text.max_class, text.on_bad_item);
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
        FitOptions { text, coerce: CoerceMode::On(options) }
    }
}

fn on_extra() -> impl TypedValueParser<Value = OnExtra> {
    choice([
        (OnExtra::Keep.as_str(), "Keep it; a violation only where the schema forbids it"),
        (OnExtra::Fail.as_str(), "Report a violation even where the schema allows it"),
        (OnExtra::Drop.as_str(), "Remove it where the schema forbids it, and report it"),
    ])
}

fn units() -> impl TypedValueParser<Value = Units> {
    choice([
        (Units::Refuse.as_str(), "Report a violation"),
        (Units::Strip.as_str(), "Read them as 50 and 1.5, as a guess"),
    ])
}

fn near() -> impl TypedValueParser<Value = NearMatch> {
    choice([
        (
            NearMatch::On.as_str(),
            "Correct them, as a guess, if one name is nearest; in keys, only where others are forbidden",
        ),
        (NearMatch::Off.as_str(), "Only ignore case, accents and separators"),
    ])
}
