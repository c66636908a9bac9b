//! How, and within which bounds, is a schema handed to the validator?

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Map, Value as Json};

use crate::compile::exact::{self, Bound, Exact};
use crate::instance::Tape;

/// Bytes of a compiled pattern.
const MOST_PATTERN: usize = 1 << 20;
/// Steps back of a pattern that cannot be matched in linear time.
const MOST_BACKTRACKING: usize = 20_000;

/// Validators with the settings that all of them share.
pub(super) fn validator(schema: &Json, draft: Option<Draft>) -> Option<Validator<Tape>> {
    build(schema, draft).ok()
}

/// Patterns are matched in linear time. One that looks around or back has to be tried by
/// backtracking, within a bound.
pub(super) fn build(
    schema: &Json,
    draft: Option<Draft>,
) -> Result<Validator<Tape>, jsonschema::ValidationError<'static>> {
    let options = || {
        let options = jsonschema::options_for::<Tape>().offline().should_validate_formats(true);
        let options = exact::KEYWORDS.into_iter().fold(options, |options, keyword| {
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
        .with_pattern_options(PatternOptions::regex().size_limit(MOST_PATTERN))
        .build(schema)
        .or_else(|_| {
            let patterns = PatternOptions::fancy_regex()
                .backtrack_limit(MOST_BACKTRACKING)
                .size_limit(MOST_PATTERN);
            options().with_pattern_options(patterns).build(schema)
        })
}
