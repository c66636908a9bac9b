//! Construction of validators.

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Map, Value as Json};

use crate::compile::bound::{self, Bound, Exact};
use crate::instance::Tape;

/// Maximum size of a compiled pattern, in bytes.
const MAX_PATTERN: usize = 1 << 20;
/// Maximum number of backtracking steps of a pattern.
const MAX_BACKTRACKING: usize = 20_000;

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
