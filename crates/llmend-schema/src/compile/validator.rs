//! Construction of validators.

use std::sync::OnceLock;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Map, Value as Json};

use crate::compile::bound::{self, Bound, Exact};
use crate::instance::Tape;

/// Maximum size of a compiled pattern, in bytes.
const MAX_PATTERN: usize = 1 << 20;
/// Maximum number of backtracking steps of a pattern.
const MAX_BACKTRACKING: usize = 20_000;

/// Formats that drafts before 2019-09 do not know, as newer ones check them.
static UUID: OnceLock<Option<Validator>> = OnceLock::new();
static DURATION: OnceLock<Option<Validator>> = OnceLock::new();
static DATE_TIME: OnceLock<Option<Validator>> = OnceLock::new();

/// Returns whether draft 2020-12 accepts `text` in a format.
fn is_of_format(validator: &OnceLock<Option<Validator>>, format: &str, text: &str) -> bool {
    let validator = validator.get_or_init(|| {
        let options = jsonschema::options().offline().should_validate_formats(true);
        options.build(&serde_json::json!({"format": format})).ok()
    });
    validator.as_ref().is_none_or(|validator| validator.is_valid(&Json::from(text)))
}

/// Returns whether `text` is a date and time. The zone may be missing: what programs write, and
/// pydantic accepts, often has none.
fn is_date_time(text: &str) -> bool {
    let is_valid = |text: &str| is_of_format(&DATE_TIME, "date-time", text);
    is_valid(text) || (text.contains(['T', 't']) && is_valid(&format!("{text}Z")))
}

/// Builds a validator; `None` if the schema is invalid.
pub(super) fn validator(schema: &Json, draft: Option<Draft>) -> Option<Validator<Tape>> {
    build(schema, draft).ok()
}

/// Builds a validator. Patterns are matched in linear time; those with look-around or
/// backreferences fall back to bounded backtracking.
pub(super) fn build(
    schema: &Json,
    draft: Option<Draft>,
) -> Result<Validator<Tape>, jsonschema::ValidationError<'static>> {
    let options = || {
        let options = jsonschema::options_for::<Tape>().offline().should_validate_formats(true);
        let options = options
            .with_format("uuid", |text: &str| is_of_format(&UUID, "uuid", text))
            .with_format("duration", |text: &str| is_of_format(&DURATION, "duration", text))
            .with_format("date-time", is_date_time);
        let options = bound::KEYWORDS.into_iter().fold(options, |options, keyword| {
            options.with_keyword(keyword, move |parent: &Map<String, Json>, _: &Json, _| {
                Ok(Box::new(Exact(Bound::of(keyword, parent))))
            })
        });
        match draft {
            Some(draft) => options.with_draft(draft),
            None => options,
        }
    };
    options()
        .with_pattern_options(PatternOptions::regex().size_limit(MAX_PATTERN))
        .build(schema)
        .or_else(|_| {
            let patterns = PatternOptions::fancy_regex()
                .backtrack_limit(MAX_BACKTRACKING)
                .size_limit(MAX_PATTERN);
            options().with_pattern_options(patterns).build(schema)
        })
}
