//! The expected result of a text, and its comparison with what was read.

#![allow(dead_code, reason = "each program of tests needs some of it")]

use llmend_json::{Class, Error, Parsed};

/// A value with its class, or an error with this code.
pub(crate) type Reading = Result<(&'static str, Option<Class>), &'static str>;

pub(crate) const PLAIN: Option<Class> = None;
pub(crate) const NOTATION: Option<Class> = Some(Class::Notation);
pub(crate) const COMPLETION: Option<Class> = Some(Class::Completion);
pub(crate) const GUESS: Option<Class> = Some(Class::Guess);
pub(crate) const LOSS: Option<Class> = Some(Class::Loss);

/// Compares what was read from `text` with what is expected.
#[track_caller]
pub(crate) fn compare(text: &str, found: &Result<Parsed<'_>, Error>, expected: &Reading) {
    match (found, expected) {
        (Ok(parsed), Ok((value, class))) => {
            let value: serde_json::Value = serde_json::from_str(value).expect(value);
            assert_eq!(parsed.value.to_serde().value, value, "{text}");
            assert_eq!(parsed.report.class, *class, "{text}: {:?}", parsed.report);
        }
        (Err(error), Err(code)) => assert_eq!(error.code(), *code, "{text}: {error}"),
        (Ok(parsed), Err(code)) => panic!("{text} becomes {:?}, not {code}", parsed.value),
        (Err(error), Ok((value, _))) => panic!("{text} is refused and not {value}: {error}"),
    }
}
