//! Types read from answers.

use std::collections::BTreeMap;

use llmend::{Class, ErrorKind, FromStrError, Options, Policy, from_str, parse, parse_with};
use serde::Deserialize;

#[derive(Debug, PartialEq, Deserialize)]
struct City {
    name: String,
    people: u32,
    #[serde(default)]
    sights: Vec<String>,
}

fn oslo(sights: &[&str]) -> City {
    City {
        name: "Oslo".to_owned(),
        people: 717_710,
        sights: sights.iter().map(|s| (*s).to_owned()).collect(),
    }
}

#[test]
fn a_sure_value_is_given_with_and_without_a_report() {
    for (answer, class) in [
        (r#"{"name": "Oslo", "people": 717710}"#, None),
        ("Of course!\n```json\n{\"name\": \"Oslo\", \"people\": 717710}\n```", None),
        ("{name: 'Oslo', people: 717_710,}", Some(Class::Notation)),
        ("{\"name\": \"Oslo\" \"people\": 717710}", Some(Class::Completion)),
    ] {
        let outcome = parse::<City>(answer).expect(answer);
        assert_eq!((&outcome.value, outcome.report.class), (&oslo(&[]), class), "{answer}");
        assert!(!outcome.is_unsure(), "{answer}");
        assert_eq!(from_str::<City>(answer), Ok(oslo(&[])), "{answer}");
    }
}

#[test]
fn an_unsure_value_is_an_error_that_holds_it() {
    for (answer, sights, code) in [
        (
            "{\"name\": \"Oslo\", \"people\": 717710, \"sights\": [\"Vigeland\", \"Ake",
            vec!["Vigeland", "Ake"],
            "value/truncated",
        ),
        ("{\"name\": \"Oslo\", \"people\": 717710", vec![], "value/truncated"),
        (
            "{\"name\": \"Oslo\", \"people\": 717710, \"sights\": [\"Vigeland\"], \"rank\": NaN}",
            vec!["Vigeland"],
            "value/loss",
        ),
    ] {
        let outcome = parse::<City>(answer).expect(answer);
        assert!(outcome.is_unsure(), "{answer}");
        let error = from_str::<City>(answer).expect_err(answer);
        assert_eq!((error.value(), error.code()), (Some(&oslo(&sights)), code), "{answer}");
        assert!(error.to_string().contains("byte"), "{error}");
        assert_eq!(error.into_outcome(), Some(outcome), "{answer}");
    }
}

#[test]
fn where_there_is_no_value_the_error_says_why() {
    for (answer, code) in [
        ("", "extract/empty"),
        ("I cannot answer that.", "extract/no-json"),
        ("{\"name\": \"Oslo\", \"people\": 700000 + 17710}", "syntax/expression"),
        ("{\"name\": \"Oslo\", \"people\": \"many\"}", "value/shape"),
        ("{\"name\": \"Oslo\", \"people\": 5000000000}", "value/shape"),
        ("[\"Oslo\", 717710]", "value/shape"),
    ] {
        let error = parse::<City>(answer).expect_err(answer);
        assert_eq!(error.code(), code, "{answer}: {error}");
        let error = from_str::<City>(answer).expect_err(answer);
        assert_eq!((error.code(), error.value()), (code, None), "{answer}");
        assert!(matches!(error, FromStrError::NoValue(_)));
    }
}

#[test]
fn what_does_not_fit_the_type_is_named_by_place_and_path() {
    // S1-17: the parser's own words and place are kept.
    let answer = "Here:\n{\"oslo\": {\"name\": \"Oslo\", \"people\": 3.5}}";
    let error = parse::<BTreeMap<String, City>>(answer).expect_err(answer);
    assert_eq!(error.span().map(|span| span.of(answer)), Some("3.5"));
    assert_eq!(
        error.to_string(),
        "the value does not match the requested type: expected u32, found floating point `3.5` at \
         `/oslo/people` (line 2, column 37)"
    );
}

#[test]
fn options_are_obeyed() {
    let strict = Options::policy(Policy::Strict);
    let error = parse_with::<City>("{name: 'Oslo', people: 1}", &strict).expect_err("no JSON");
    assert!(
        matches!(error, llmend::Error::Json(error) if matches!(error.kind(), ErrorKind::Refused(_) | ErrorKind::Unexpected))
    );
}

#[test]
fn the_error_can_be_boxed_whatever_the_type() {
    /// Neither printable nor comparable.
    #[derive(Deserialize)]
    struct Opaque {}

    fn read(answer: &str) -> Result<Opaque, Box<dyn std::error::Error + Send + Sync>> {
        Ok(from_str(answer)?)
    }
    assert!(read("{}").is_ok());
    assert!(read("{").is_err_and(|error| error.to_string().contains("cut off")));
}
