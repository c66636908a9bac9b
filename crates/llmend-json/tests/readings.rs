//! Texts with a tempting wrong reading: what becomes of them, and how sure that is.
//!
//! Each group is a class of texts with its traps: a row that has to be mended, one that has to
//! stay as it is, and one that nobody can read, which has to be refused.

use llmend_json::{Class, parse};

/// How a row ends: in a value that is this sure, or in an error of this code.
type Reading = Result<(&'static str, Option<Class>), &'static str>;

const PLAIN: Option<Class> = None;
const NOTATION: Option<Class> = Some(Class::Notation);
const GUESS: Option<Class> = Some(Class::Guess);

/// Each text gives the value that stands beside it, under the default policy.
#[track_caller]
fn check(rows: &[(&str, Reading)]) {
    for (text, expected) in rows {
        match (parse(text), expected) {
            (Ok(parsed), Ok((value, class))) => {
                let value: serde_json::Value = serde_json::from_str(value).expect(value);
                assert_eq!(parsed.value.to_serde().value, value, "{text}");
                assert_eq!(parsed.report.class, *class, "{text}");
            }
            (Err(error), Err(code)) => assert_eq!(error.code(), *code, "{text}: {error}"),
            (Ok(parsed), Err(code)) => panic!("{text} becomes {:?}, not {code}", parsed.value),
            (Err(error), Ok((value, _))) => panic!("{text} is refused and not {value}: {error}"),
        }
    }
}

#[test]
fn prose_behind_a_value_is_no_member() {
    check(&[
        (r#"With {"q": "x"}, we get: 5"#, Ok((r#"{"q": "x"}"#, PLAIN))),
        (r#"{"ok": true}, note: see below"#, Ok((r#"{"ok": true}"#, PLAIN))),
        ("Given {\"q\": \"x\"}, the answer is:\n\nyes", Ok((r#"{"q": "x"}"#, PLAIN))),
        ("With {q: 'x'}, we get: 5", Ok((r#"{"q": "x"}"#, NOTATION))),
        ("{\"q\": \"x\"}\n\"b\"", Ok((r#"{"q": "x"}"#, PLAIN))),
        (r#"{"a": 1}, "b": 2}"#, Ok((r#"{"a": 1, "b": 2}"#, GUESS))),
        ("{a: 1}, b: 2}", Ok((r#"{"a": 1, "b": 2}"#, GUESS))),
    ]);
}
