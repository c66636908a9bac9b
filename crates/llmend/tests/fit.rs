//! Answers fitted to a schema.

use llmend::{
    Class, CoerceMode, Error, FitOptions, FitParts, FitStream, FittedPart, OnBadItem, Options,
    Policy, Schema, fit, fit_with, json::parse, schema,
};
use serde::Deserialize;

#[derive(Debug, PartialEq, Deserialize)]
struct Trip {
    city: String,
    days: u8,
    #[serde(default)]
    sights: Vec<String>,
}

fn trip() -> Schema {
    Schema::from_text(
        r#"{
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer", "minimum": 1, "maximum": 99},
                "sights": {"type": "array", "items": {"type": "string"}}
            },
            "required": ["city", "days"]
        }"#,
    )
    .expect("a schema")
}

#[test]
fn a_value_that_fits_is_not_touched() {
    // S3-36: types that are right stay, and so does every byte.
    for answer in [
        "{\"city\": \"Oslo\", \"days\": 3}",
        " {\"days\":3,\n\"city\":\"\\u0041\"}\n",
        "Sure:\n```json\n{'city':  'Oslo', days: 3,}\n```",
        "{\"city\": \"12\", \"days\": 3, \"sights\": [\"true\", \"null\", \"[1]\"]}",
    ] {
        let fitted = fit(answer, &trip()).expect(answer);
        assert_eq!((&fitted.coercions, &fitted.violations), (&vec![], &vec![]), "{answer}");
        let plain = llmend::repair(answer).expect(answer);
        assert_eq!(fitted.json(answer), plain.text, "{answer}");
        assert_eq!(fitted.class(), plain.report.class, "{answer}");
    }
}

#[test]
fn what_is_coerced_is_on_record_and_the_class_covers_it() {
    for (answer, json, kinds, class) in [
        (
            "{\"City\": \"Oslo\",  \"days\": \"3\"}",
            "{\"city\": \"Oslo\",  \"days\": 3}",
            vec!["key-spelling", "number-from-text"],
            Class::Notation,
        ),
        (
            "{'city': 'Oslo', 'days': 3, 'sights': 'Vigeland'}",
            "{\"city\": \"Oslo\", \"days\": 3, \"sights\": [\"Vigeland\"]}",
            vec!["single-item"],
            Class::Completion,
        ),
        (
            "{\"city\": \"Oslo\" \"days\": \"3\"}",
            "{\"city\": \"Oslo\", \"days\": 3}",
            vec!["number-from-text"],
            Class::Completion,
        ),
        (
            "{\"answer\": {\"city\": \"Oslo\", \"days\": 3}}",
            "{\"city\":\"Oslo\",\"days\":3}",
            vec!["unwrapped"],
            Class::Guess,
        ),
    ] {
        let fitted = fit(answer, &trip()).expect(answer);
        assert!(fitted.violations.is_empty(), "{answer}: {:?}", fitted.violations);
        let made: Vec<_> = fitted.coercions.iter().map(|row| row.kind.name()).collect();
        assert_eq!(made, kinds, "{answer}");
        assert_eq!(fitted.json(answer), json, "{answer}");
        assert_eq!(parse(&fitted.json(answer)).expect("JSON").value, fitted.value);
        assert_eq!(fitted.class(), Some(class), "{answer}");
    }
}

#[test]
fn every_reason_of_a_violation_is_reported() {
    let answer = "Here: {'city': ['Oslo', 'Bergen'], 'days': 'a few'}";
    let fitted = fit(answer, &trip()).expect("there is a value");
    let paths: Vec<_> = fitted.violations.iter().map(|row| row.path.as_str()).collect();
    assert_eq!(paths, ["/city", "/days"]);
    let places: Vec<_> =
        fitted.violations.iter().filter_map(|row| row.span).map(|span| span.of(answer)).collect();
    assert_eq!(places, ["['Oslo', 'Bergen']", "'a few'"]);
    let rows = fitted.diagnostics();
    assert_eq!(rows[1].path.as_deref(), Some("/days"));
    assert!(rows.iter().any(|row| row.code == "extract/surroundings"));
    let error = fitted.into_outcome::<Trip>().expect_err("it does not fit");
    assert_eq!(error.diagnostics(), rows);
    assert_eq!(error.code(), "schema/type");
    assert_eq!(error.span().map(|span| span.of(answer)), Some("['Oslo', 'Bergen']"));
}

#[test]
fn an_error_counts_the_other_violations() {
    // Tests of both bindings, which write the message themselves, have the same rows.
    let even = Schema::from_text(r#"{"items": {"multipleOf": 2}}"#).expect("a schema");
    for (answer, rest) in [
        ("[5]", ""),
        ("[5, 7]", ", and one more violation"),
        ("[5, 7, 9]", ", and 2 more violations"),
    ] {
        let fitted = fit(answer, &even).expect("there is a value");
        let error = fitted.into_outcome::<Vec<u8>>().expect_err("it does not fit");
        let message =
            "the value does not fit the schema: expected a multiple of 2, found 5 (at `/0`)";
        assert_eq!(error.to_string(), format!("{message}{rest}"));
    }
}

#[test]
fn losses_and_cuts_are_not_sure() {
    let drop = FitOptions {
        coerce: CoerceMode::On(schema::Options {
            on_bad_item: OnBadItem::Drop,
            ..schema::Options::default()
        }),
        ..FitOptions::default()
    };
    let answer = "{'city': 'Oslo', 'days': '3', 'sights': ['Vigeland', {'name': ''}]}";
    let outcome = fit_with(answer, &trip(), &drop)
        .and_then(llmend::Fitted::into_outcome::<Trip>)
        .expect("it fits");
    assert_eq!(outcome.class(), Some(Class::Loss));
    assert_ne!(outcome.report.class, outcome.class());
    let error = outcome.sure().expect_err("it lacks an item");
    assert_eq!(error.code(), "value/loss");
    assert!(error.to_string().contains("dropped-item"), "{error}");
    assert_eq!(error.value().map(|trip| trip.sights.len()), Some(1));

    let outcome = fit("{'city': 'Oslo', 'days': '3', 'sights': ['Vig", &trip())
        .and_then(llmend::Fitted::into_outcome::<Trip>)
        .expect("it fits");
    assert_eq!(outcome.sure().expect_err("it was cut off").code(), "value/truncated");

    let sure = fit("{'city': 'Oslo', 'days': '3'}", &trip())
        .and_then(llmend::Fitted::into_outcome::<Trip>)
        .map(llmend::Outcome::sure);
    let oslo = Trip { city: "Oslo".to_owned(), days: 3, sights: vec![] };
    assert_eq!(sure, Ok(Ok(oslo)));
}

#[test]
fn the_options_are_obeyed() {
    let strict = FitOptions { text: Options::policy(Policy::Strict), ..FitOptions::default() };
    assert!(matches!(fit_with("{'city': 1}", &trip(), &strict), Err(Error::Json(_))));
    let off = FitOptions { coerce: CoerceMode::Off, ..FitOptions::default() };
    let fitted = fit_with("{'city': 'Oslo', 'days': '3'}", &trip(), &off).expect("a value");
    assert_eq!(fitted.violations.len(), 1);
    assert_eq!(fitted.value.to_string(), r#"{"city":"Oslo","days":"3"}"#);
}

#[test]
fn a_schema_that_cannot_be_used_is_an_error_of_its_own() {
    for (text, code) in [
        ("{", "schema/syntax"),
        (r#"{"type": "integr"}"#, "schema/unusable"),
        (r##"{"$ref": "#/$defs/none"}"##, "schema/unusable"),
    ] {
        let error = Error::from(Schema::from_text(text).expect_err(text));
        assert_eq!((error.code(), error.span()), (code, None), "{text}");
        assert_eq!(error.diagnostics()[0].message, error.to_string());
    }
}

#[test]
fn items_are_validated_as_they_close() {
    let answer = "Trips: {'list': [{'City': 'Oslo', 'days': '3'}, {'city': 'Rome', 'days': 'a few'}, \
                  {'city': 'Bern', 'days': 2}]} Enjoy!";
    let text = Options { choice: llmend::Choice::First, ..Options::default() };
    let options = FitOptions { text, ..FitOptions::default() };
    let mut stream = FitStream::new(options, "/list", trip());
    let mut items = Vec::new();
    let mut arrived = Vec::new();
    for (at, byte) in answer.bytes().enumerate() {
        stream.push(&[byte]);
        while let Some(item) = stream.next_item() {
            items.push(item);
            arrived.push(at);
        }
    }
    assert_eq!(items.len(), 3);
    assert!(arrived[0] < answer.find("Rome").expect("it is there"));
    let kinds: Vec<_> = items[0].coercions.iter().map(|row| row.kind.name()).collect();
    assert_eq!(kinds, ["key-spelling", "number-from-text"]);
    assert_eq!(items[0].value.to_string(), r#"{"city":"Oslo","days":3}"#);
    let violation = &items[1].violations[0];
    assert_eq!(violation.path, "/days");
    assert_eq!(violation.span.map(|span| span.of(answer)), Some("'a few'"));
    assert!(items[2].coercions.is_empty() && items[2].violations.is_empty());
    let (rest, parsed) = stream.finish().expect("there is a value");
    assert!(rest.is_empty());
    assert_eq!(parsed.value.root().get("list").map(llmend::Node::len), Some(3));

    // What is seen at the end only is held against the schema then.
    let mut late = FitStream::new(FitOptions::default(), "/list", trip());
    late.push(answer.as_bytes());
    assert!(late.next_item().is_none());
    let (rest, _) = late.finish().expect("there is a value");
    let told = |items: &[schema::Coerced]| -> Vec<(String, usize, usize)> {
        let row = |item: &schema::Coerced| {
            (item.value.to_string(), item.coercions.len(), item.violations.len())
        };
        items.iter().map(row).collect()
    };
    assert_eq!(told(&rest), told(&items));
}

#[test]
fn a_value_without_the_list_is_an_error_which_holds_it() {
    for (list, message, span) in [
        ("/trips", "expected array, found nothing", None),
        ("/list", "expected array, found object", Some("{'city': 'Oslo'}")),
    ] {
        let answer = "Trips: {'list': {'city': 'Oslo'}}";
        let mut stream = FitStream::new(FitOptions::default(), list, trip());
        stream.push(answer.as_bytes());
        let Err(Error::Unfit(fitted)) = stream.finish() else { panic!("{list}: no error") };
        let row = &fitted.violations[0];
        assert_eq!((row.code, row.message.as_str()), ("items/no-list", message), "{list}");
        assert_eq!(row.span.map(|span| span.of(answer)), span, "{list}");
        assert_eq!(fitted.value.to_string(), r#"{"list":{"city":"Oslo"}}"#);
    }
}

#[test]
fn a_word_alone_is_an_answer_where_only_a_word_can_be() {
    const COLORS: &str = r#"{"enum": ["red", "green", "dark blue"]}"#;
    const MAYBE: &str = r#"{"anyOf": [{"enum": ["red", "green"]}, {"type": "null"}]}"#;
    for (schema, answer, expected) in [
        (COLORS, "red", Ok(r#""red""#)),
        (COLORS, " **red**\n", Ok(r#""red""#)),
        (COLORS, "The answer is red.", Ok(r#""red""#)),
        (COLORS, "Dark Blue", Ok(r#""dark blue""#)),
        (COLORS, "red or green", Err("schema/")),
        (COLORS, "not red", Err("schema/")),
        (COLORS, "I cannot tell.", Err("schema/enum")),
        (COLORS, "[red or", Err("extract/no-json")),
        (COLORS, "", Err("extract/empty")),
        (MAYBE, "None", Ok("null")),
        (MAYBE, "Green", Ok(r#""green""#)),
        (r#"{"type": "boolean"}"#, "yes", Ok("true")),
        (r#"{"type": "boolean"}"#, "True", Ok("true")),
        (r#"{"type": "boolean"}"#, "It is not true", Err("schema/type")),
        (r#"{"type": "null"}"#, "None", Ok("null")),
        (r#"{"type": "integer"}"#, "42", Ok("42")),
        (r#"{"type": "integer"}"#, "**42**", Ok("42")),
        (r#"{"type": "integer"}"#, "42 apples", Err("schema/type")),
        (r#"{"type": "integer"}"#, "12,111", Ok("12111")),
        (r#"{"type": "integer"}"#, "1,234,567", Ok("1234567")),
        (r#"{"type": "integer"}"#, "12,11", Err("schema/type")),
        (r#"{"type": "integer"}"#, "0,111", Err("schema/type")),
        (r#"{"type": "integer"}"#, "12, 111", Err("schema/type")),
        (r#"{"type": ["number", "null"]}"#, "n/a", Err("schema/")),
        // A free text could be anything, also an excuse.
        (r#"{"type": "string"}"#, "red", Err("extract/no-json")),
        (r#"{"anyOf": [{"enum": ["red"]}, {"type": "string"}]}"#, "red", Err("extract/no-json")),
        (r#"{"type": "array", "items": {"enum": ["red"]}}"#, "red", Err("extract/no-json")),
        (r#"{"properties": {"color": {"enum": ["red"]}}}"#, "red", Err("extract/no-json")),
    ] {
        let schema = Schema::from_text(schema).expect(schema);
        let told = match fit(answer, &schema) {
            Ok(fitted) if fitted.violations.is_empty() => {
                assert_eq!(parse(&fitted.json(answer)).expect("JSON").value, fitted.value);
                assert!(fitted.class() > Some(Class::Notation) || answer == "42", "{answer}");
                Ok(fitted.value.to_string())
            }
            Ok(fitted) => {
                let span = fitted.violations[0].span.expect("it stands in the text");
                assert_eq!(span.of(answer), answer.trim());
                Err(fitted.violations[0].code)
            }
            Err(error) => Err(error.code()),
        };
        match (&told, expected) {
            (Ok(value), Ok(expected)) => assert_eq!(value, expected, "{answer}"),
            (Err(code), Err(expected)) => assert!(code.starts_with(expected), "{answer}: {code}"),
            _ => panic!("{answer}: {told:?}"),
        }
    }
}

#[test]
fn two_values_that_may_be_the_answer_are_reported() {
    let answer = "{\"city\": \"Oslo\", \"days\": 1}\n{\"city\": \"Oslo\", \"days\": 2}";
    let fitted = fit(answer, &trip()).expect("there is a value");
    let [row] = fitted.violations.as_slice() else { panic!("{:?}", fitted.violations) };
    assert_eq!(row.code, "schema/ambiguous");
    assert_eq!(row.message, "expected object, found 2 values that may be the answer");
    // A list that the text itself has is one value.
    let list = fit("[{\"city\": \"Oslo\"}, {\"city\": \"Rome\"}]", &trip()).expect("a value");
    assert_eq!(list.violations[0].code, "schema/type");
}

#[test]
fn parts_are_validated_as_they_close() {
    let schema = Schema::from_text(
        r##"{
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "stay": {
                    "type": "object",
                    "properties": {"days": {"type": "integer"}, "beds": {"type": "integer"}},
                    "required": ["days", "beds"]
                },
                "stops": {"type": "array", "items": {"$ref": "#/$defs/stop"}, "maxItems": 2},
                "note": {"anyOf": [{"type": "integer"}, {"type": "null"}]}
            },
            "required": ["city", "guide"],
            "$defs": {"stop": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}}
        }"##,
    )
    .expect("a schema");
    let answer = "Trip: {'city': 7, 'stay': {'days': 'a few'}, 'stops': [{'ID': '1'}, {'id': 'x'}, {}], \
                  'note': 'None', 'other': [1]} Enjoy!";
    let text = Options { choice: llmend::Choice::First, ..Options::default() };
    let options = FitOptions { text, ..FitOptions::default() };
    let mut stream = FitParts::new(options.clone(), schema.clone());
    let mut told = Vec::new();
    let row = |part: &FittedPart| {
        let made = part.fitted.coercions.iter().map(|row| (row.kind.name(), row.path.clone()));
        let wrong = part.fitted.violations.iter().map(|row| (row.code, row.path.clone()));
        (part.path.clone(), made.chain(wrong).collect::<Vec<_>>())
    };
    for byte in answer.bytes() {
        stream.push(&[byte]);
        while let Some(part) = stream.next_part() {
            for violation in &part.fitted.violations {
                assert!(violation.span.is_some_and(|span| span.of(answer).len() > 1));
                assert!(
                    violation.schema_path.starts_with("/properties/stay")
                        || violation.schema_path.starts_with("/properties/stops")
                        || violation.schema_path.starts_with("/$defs/stop"),
                    "{violation:?}"
                );
            }
            told.push(row(&part));
        }
    }
    let expected = |path: &str, rows: &[(&'static str, &str)]| {
        (path.to_owned(), rows.iter().map(|(kind, path)| (*kind, (*path).to_owned())).collect())
    };
    let all: Vec<(String, Vec<(&str, String)>)> = vec![
        expected("/city", &[("text-from-scalar", "/city")]),
        expected("/stay/days", &[("schema/type", "/stay/days")]),
        expected("/stay", &[("schema/required", "/stay")]),
        // The key is another one in the text, so that nothing is known of its value alone.
        expected(
            "/stops/0",
            &[("key-spelling", "/stops/0/id"), ("number-from-text", "/stops/0/id")],
        ),
        expected("/stops/1/id", &[("schema/type", "/stops/1/id")]),
        expected("/stops/1", &[]),
        expected("/stops/2", &[("schema/required", "/stops/2")]),
        expected("/stops", &[("schema/length", "/stops")]),
        expected("/note", &[("null-from-text", "/note")]),
    ];
    assert_eq!(told, all);
    let (rest, fitted) = stream.finish().expect("there is a value");
    assert!(rest.is_empty());
    assert_eq!(fitted, fit_with(answer, &schema, &options).expect("there is a value"));
    let paths: Vec<_> = fitted.violations.iter().map(|row| row.path.as_str()).collect();
    assert!(paths.contains(&"") && paths.contains(&"/stay/days"), "{paths:?}");

    // What is seen at the end only is held against the schema then.
    let mut late = FitParts::new(FitOptions::default(), schema);
    late.push(answer.as_bytes());
    assert!(late.next_part().is_none());
    let (rest, _) = late.finish().expect("there is a value");
    assert_eq!(rest.iter().map(row).collect::<Vec<_>>(), all);
}
