//! Texts in every notation, and texts without a call, with what they say.

mod call_support;

use std::collections::BTreeMap;

use llmend_calls::{Options, Reading, read};
use llmend_json::Class;
use serde_json::Value as Json;

/// What is wrong with a reading, if anything. `silent` says that nothing warns of it.
struct Fault {
    text: String,
    silent: bool,
}

/// Returns the value with each number as a float: `5` equals `5.0`.
fn numbers(value: &Json) -> Json {
    match value {
        Json::Number(number) => serde_json::json!(number.as_f64()),
        Json::Array(items) => items.iter().map(numbers).collect(),
        Json::Object(members) => {
            Json::Object(members.iter().map(|(key, value)| (key.clone(), numbers(value))).collect())
        }
        other => other.clone(),
    }
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn fault(fixture: &Json, reading: &Reading) -> Option<Fault> {
    let silent = reading.is_usable()
        && reading.findings().next().is_none()
        && reading.class() < Some(Class::Guess);
    let wrong = |text: String| Some(Fault { text, silent });
    let calls: Vec<Json> = reading
        .calls
        .iter()
        .map(|call| {
            serde_json::from_str(&format!(
                "{{\"name\":{:?},\"arguments\":{}}}",
                call.name, call.arguments
            ))
            .unwrap()
        })
        .collect();
    let expected: Vec<Json> = fixture["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| serde_json::json!({"name": call["name"], "arguments": call["arguments"]}))
        .collect();
    if !calls.iter().map(numbers).eq(expected.iter().map(numbers)) {
        return wrong(format!("calls {} instead of {}", Json::Array(calls), Json::Array(expected)));
    }
    if fixture["refused"] == true && reading.is_usable() {
        return wrong("nothing is refused".to_owned());
    }
    if fixture["refused"] != true && !reading.refused.is_empty() {
        return wrong(format!("refused: {}", reading.refused[0].diagnostic.message));
    }
    if let Some(class) = fixture["class"].as_str()
        && reading.class().map(Class::as_str) != Some(class)
    {
        return wrong(format!("class {:?} instead of {class}", reading.class()));
    }
    if fixture["truncated"] == true && !reading.truncated() {
        return wrong("not cut off".to_owned());
    }
    if fixture["truncated"] == false && reading.truncated() {
        return wrong("cut off".to_owned());
    }
    for (key, found) in [("content", &reading.text), ("reasoning", &reading.reasoning)] {
        if let Some(text) = fixture[key].as_str()
            && squeezed(text) != squeezed(found)
        {
            return wrong(format!("{key} {found:?} instead of {text:?}"));
        }
    }
    None
}

#[test]
fn every_notation_is_read() {
    let mut all: BTreeMap<(String, bool), (usize, usize, usize)> = BTreeMap::new();
    let mut report = String::new();
    for (fixture, tools) in call_support::fixtures() {
        let text = fixture["text"].as_str().unwrap();
        let reading = read(text, &tools, &Options::default());
        let none = fixture["calls"].as_array().unwrap().is_empty();
        let row = all.entry((fixture["notation"].as_str().unwrap().to_owned(), none)).or_default();
        row.0 += 1;
        if let Some(fault) = fault(&fixture, &reading) {
            row.1 += 1;
            row.2 += usize::from(fault.silent);
            let silent = if fault.silent { "SILENT " } else { "" };
            report.extend([format!("{silent}{}: {}\n", fixture["id"], fault.text)]);
        }
    }
    let sum = |f: &dyn Fn(&(usize, usize, usize)) -> usize| all.values().map(f).sum::<usize>();
    let (count, wrong, silent) = (sum(&|row| row.0), sum(&|row| row.1), sum(&|row| row.2));
    println!("{report}{count} texts, {wrong} wrong, {silent} of them silently");
    assert!(wrong * 100 <= count, "{report}");
    assert_eq!(silent, 0, "{report}");
}
