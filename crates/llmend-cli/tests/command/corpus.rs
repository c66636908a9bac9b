//! The corpora: every object and every explanation holds together.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::process::run;

/// The rows of a corpus, as text and as objects.
fn corpus(name: &str) -> (String, Vec<Value>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testing/fixtures").join(name);
    let text = fs::read_to_string(path).expect("the corpus is there");
    let rows =
        text.lines().map(|line| serde_json::from_str(line).expect("a row is JSON")).collect();
    (text, rows)
}

fn text_of(row: &Value) -> &str {
    row["input"].as_str().expect("a row has a text")
}

fn offset(value: &Value) -> usize {
    value
        .as_u64()
        .and_then(|offset| usize::try_from(offset).ok())
        .unwrap_or_else(|| panic!("{value} is no offset"))
}

/// What comes of carrying out the repairs of a report.
fn applied(text: &str, report: &Value) -> String {
    let mut out = String::new();
    let mut at = offset(&report["candidate"]["start"]);
    for repair in report["repairs"].as_array().expect("repairs") {
        out += &text[at..offset(&repair["start"])];
        out += repair["replacement"].as_str().expect("a replacement");
        at = offset(&repair["end"]);
    }
    out + &text[at..offset(&report["candidate"]["end"])]
}

/// What must be true of every object, whatever the text.
fn check(text: &str, report: &Value) {
    let classes = ["notation", "completion", "guess", "loss"];
    let rank = |class: &Value| classes.iter().position(|name| class == name);
    let repairs = report["repairs"].as_array().expect("repairs");
    if report["status"] == "refused" {
        assert_eq!((&report["json"], repairs.len()), (&Value::Null, 0), "{report}");
        assert!(
            report["error"]["code"].is_string() && report["error"]["message"].is_string(),
            "{report}"
        );
        assert_eq!(report["diagnostics"][0]["code"], report["error"]["code"]);
        return;
    }
    let json = report["json"].as_str().expect("a text");
    serde_json::from_str::<serde::de::IgnoredAny>(json)
        .unwrap_or_else(|error| panic!("{error}: {json}"));
    assert_eq!(applied(text, report), json, "{report}");
    assert_eq!(report["error"], json!(null));
    assert_eq!(report["status"] == "unchanged", json == text, "{report}");
    assert_eq!(report["status"] == "repaired", !repairs.is_empty(), "{report}");
    let gravest = repairs.iter().map(|repair| rank(&repair["class"])).max().flatten();
    assert!(rank(&report["class"]) >= gravest, "{report}");
}

#[test]
fn every_object_holds_together() {
    // S0-43: the same text gives the same object.
    for name in ["defects.jsonl", "dev.jsonl"] {
        let (text, rows) = corpus(name);
        for policy in ["strict", "extract", "conservative", "standard", "lenient"] {
            let arguments = format!("batch --field input --policy {policy}");
            let first = run(&arguments, &text).expect(0);
            let objects = first.json_lines();
            assert_eq!(objects.len(), rows.len());
            for (row, object) in rows.iter().zip(&objects) {
                check(text_of(row), object);
            }
            assert_eq!(run(&arguments, &text).expect(0).stdout, first.stdout);
        }
    }
}

#[test]
fn every_text_can_be_explained() {
    let (_, rows) = corpus("defects.jsonl");
    for row in &rows {
        let run = run("repair --explain --quiet", text_of(row));
        let code = run.code.unwrap_or(-1);
        let run = run.expect(i32::from(code == 1));
        let marked = run.stderr.contains("repair")
            || run.stderr.contains("found")
            || run.stderr.contains("error[");
        assert!(marked || run.stdout.trim_end() == text_of(row).trim_end(), "{run:?}");
        assert!(!run.stderr.contains(|c: char| c.is_control() && c != '\n'), "{:?}", run.stderr);
    }
}
