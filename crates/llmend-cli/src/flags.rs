//! Flags that several subcommands share, and the options they stand for.

mod calls;
mod engine;
#[cfg(feature = "models")]
mod model;
mod output;
mod plan;
mod schema;
mod source;

pub(crate) use calls::{NotationParser, ToolFlags};
pub(crate) use engine::{EngineFlags, LimitFlags, RuleParser};
#[cfg(feature = "models")]
pub(crate) use model::ModelFlags;
pub(crate) use output::{OutputFlags, ReportFlags};
pub(crate) use plan::{CheckFlags, PlanFlags, formats, forms_help, targets};
pub(crate) use schema::{CoercionFlags, SchemaFlags};
pub(crate) use source::SourceFlags;

use std::{error::Error, str::FromStr};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Parses one of a few words, each with its help text.
pub(crate) fn choice<T, const N: usize>(
    words: [(&'static str, &'static str); N],
) -> impl TypedValueParser<Value = T>
where
    T: FromStr + Clone + Send + Sync + 'static,
    T::Err: Error + Send + Sync + 'static,
{
    let values = words.map(|(word, help)| PossibleValue::new(word).help(help));
    PossibleValuesParser::new(values).try_map(|word| word.parse::<T>())
}
