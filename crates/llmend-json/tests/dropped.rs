//! Streams that drop the beginning of the text, compared with whole texts.

use llmend_json::{Choice, Error, Event, Events, Options, Repair, parse_with};

/// Long enough that [`Events`] keep only what is needed to look back.
const LONG: usize = 200_000;
/// Length of a chunk in bytes.
const CHUNK: usize = 1_000;

fn options() -> Options {
    Options { choice: Choice::First, ..Options::default() }
}

/// Returns the repairs of the value as its text arrives.
fn repairs(text: &str) -> Result<Vec<Repair>, Error> {
    let mut events = Events::new(options());
    let mut told = Vec::new();
    for chunk in text.as_bytes().chunks(CHUNK) {
        events.push(chunk);
        told.extend(events.drain());
    }
    let (last, report) = events.finish()?;
    told.extend(last);
    let told = told.into_iter().filter_map(|event| match event {
        Event::Repaired(repair) => Some(repair),
        _ => None,
    });
    Ok(told.chain(report.repairs).collect())
}

#[test]
fn repairs_need_no_dropped_text() {
    for rest in [
        r#""b": ""x"", "c": 1}"#,
        r#""b": "say "hi" now", "c": ""x"", "d": 1}"#,
        r#""b": ''x'', ''c'': 1}"#,
        r#""b": ["1", ""x"", 2]}"#,
        r#""b": [1,000, 2]}"#,
        r#""b": [{"c": 1}, "c": 2}]}"#,
        r#""b": [{"c": 1}, "d": 2}], "e": 3}"#,
        r#""b": {"x", "y"}, "c": 1}"#,
        r#""b": "c" "d", e: True}"#,
        "\"b\": |\n  two\n  lines\n\"c\": 1}",
        "\"b\":\n\"c\": 1}",
        "\"b\": 1}}",
        "\"b\": [1, 2",
    ] {
        let text = format!("{{\"a\": \"{}\",\n{rest}", "words ".repeat(LONG / 6));
        let whole = parse_with(&text, &options()).map(|parsed| parsed.report.repairs);
        let outcome = |repairs: Result<Vec<Repair>, Error>| repairs.map_err(|it| it.to_string());
        assert_eq!(outcome(repairs(&text)), outcome(whole), "{rest}");
    }
}
