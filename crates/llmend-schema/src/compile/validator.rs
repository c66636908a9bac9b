//! Construction of validators.

use std::sync::OnceLock;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Map, Value as Json};

use crate::compile::bound::{self, Bound, Exact};
use crate::instance::{Instance, Tape};

/// Maximum size of a compiled pattern, in bytes.
const MAX_PATTERN: usize = 1 << 20;
/// Maximum number of backtracking steps of a pattern.
const MAX_BACKTRACKING: usize = 20_000;

/// The validator of a format, once it was needed.
type Format = OnceLock<Option<Validator<Tape>>>;

/// Formats that drafts before 2019-09 do not know, as newer ones check them.
static UUID: Format = OnceLock::new();
static DURATION: Format = OnceLock::new();
static DATE_TIME: Format = OnceLock::new();
static TIME: Format = OnceLock::new();

/// Returns whether draft 2020-12 accepts `text` in a format.
fn is_of_format(validator: &Format, format: &str, text: &str) -> bool {
    let validator = validator.get_or_init(|| {
        let options = jsonschema::options_for::<Tape>().offline().should_validate_formats(true);
        options.build(&serde_json::json!({"format": format})).ok()
    });
    validator.as_ref().is_none_or(|validator| validator.is_valid(Instance::Text(text)))
}

/// Returns whether `text` is a date and time. The zone may be missing: what programs write, and
/// pydantic accepts, often has none.
fn is_date_time(text: &str) -> bool {
    let is_valid = |text: &str| is_of_format(&DATE_TIME, "date-time", text);
    is_valid(text) || (text.contains(['T', 't']) && is_valid(&format!("{text}Z")))
}

/// Returns whether `text` is a time of day. The zone may be missing, as in a date and time.
fn is_time(text: &str) -> bool {
    let is_valid = |text: &str| is_of_format(&TIME, "time", text);
    is_valid(text) || is_valid(&format!("{text}Z"))
}

/// Returns whether `text` is a duration. It may be negative, and its last number have a fraction, as
/// pydantic writes it.
fn is_duration(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let whole = text.split_once('.').and_then(|(whole, rest)| {
        let unit = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let fraction = rest.strip_suffix(unit)?;
        (is_digits(fraction) && unit.len() == 1).then(|| format!("{whole}{unit}"))
    });
    is_of_format(&DURATION, "duration", whole.as_deref().unwrap_or(text))
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
            .with_format("duration", is_duration)
            .with_format("time", is_time)
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

#[cfg(test)]
mod tests {
    use super::{is_duration, is_time};

    #[test]
    fn times_and_durations_as_programs_write_them() {
        for (text, expected) in [
            ("10:00:00", true),
            ("10:00:00.5", true),
            ("10:00:00Z", true),
            ("10:00:00+02:00", true),
            ("10:00", false),
            ("25:00:00", false),
            ("ten", false),
            ("", false),
        ] {
            assert_eq!(is_time(text), expected, "{text}");
        }
        for (text, expected) in [
            ("PT1.5S", true),
            ("-P1D", true),
            ("P1DT2H", true),
            ("-PT0.25S", true),
            ("PT1.S", false),
            ("PT.5S", false),
            ("P1.5", false),
            ("--P1D", false),
            ("1.5S", false),
            ("", false),
        ] {
            assert_eq!(is_duration(text), expected, "{text}");
        }
    }
}
