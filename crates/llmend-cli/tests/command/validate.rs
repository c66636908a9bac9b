//! `llmend validate`: strict JSON, and nothing is changed.

use serde_json::json;

use crate::process::{Run, Scratch, root, run};

const SCHEMA: &str =
    r#"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}"#;

fn check(flags: &str, text: &str) -> Run {
    let scratch = Scratch::new();
    let path = scratch.file("schema.json", SCHEMA);
    run(&format!("validate --schema {} {flags}", path.display()), text)
}

#[test]
fn a_value_that_fits_is_said_to() {
    let valid = check("", " {\"n\": 1}\n").expect(0);
    assert_eq!(valid.stdout, "");
    assert_eq!(valid.stderr, "llmend: unchanged: valid JSON; fits the schema\n");
    assert_eq!(check("--quiet", "{\"n\": 1}").expect(0).stderr, "");
    let report = check("--quiet --report json", "{\"n\": 1}").expect(0).json();
    assert_eq!(
        report,
        json!({
            "status": "unchanged", "json": "{\"n\": 1}", "truncated": false, "class": null,
            "candidate": {"start": 0, "end": 8, "origin": "whole"}, "repairs": [],
            "coercions": [], "violations": [], "diagnostics": [], "error": null
        })
    );
}

#[test]
fn nothing_is_coerced() {
    let refused = check("", "{\"n\": \"1\"}").expect(1);
    assert_eq!(refused.stdout, "");
    assert!(refused.stderr.contains("error[schema/type]"), "{}", refused.stderr);
    assert!(refused.stderr.contains("<stdin>:1:7\n"), "{}", refused.stderr);
    let report = check("--report json", "{\"n\": \"1\"}").expect(1).json();
    assert_eq!(report["violations"][0]["path"], "/n");
    assert_eq!(report["coercions"], json!([]));
}

#[test]
fn every_violation_is_reported_and_many_are_counted() {
    let scratch = Scratch::new();
    let schema = scratch.file("s.json", r#"{"items": {"type": "integer"}}"#);
    let text = format!("[{}0]", "\"x\",\n".repeat(120));
    let flags = format!("validate --schema {}", schema.display());
    let refused = run(&flags, &text).expect(1);
    assert_eq!(refused.stderr.matches("error[schema/type]").count(), 50);
    assert!(refused.stderr.contains("70 more problems not shown"), "{}", refused.stderr);
    let report = run(&format!("{flags} --report json"), &text).expect(1).json();
    assert_eq!(report["violations"].as_array().map(Vec::len), Some(120));
}

#[test]
fn what_is_no_strict_json_is_refused_and_repair_is_advised() {
    for text in ["{\"n\": 1,}", "{'n': 1}", "Here: {\"n\": 1}", "{\"n\": 1", ""] {
        let refused = check("", text).expect(1);
        assert_eq!(refused.stdout, "");
        assert!(!refused.stderr.contains("--rule"), "{}", refused.stderr);
    }
    assert!(check("", "{'n': 1}").expect(1).stderr.contains("`llmend repair`"));
    let long = check("--max-bytes 5", "{\"n\": 1}").expect(1);
    assert!(long.stderr.contains("--max-bytes"), "{}", long.stderr);
    assert!(check("--max-depth 1", "{\"n\": [[1]]}").expect(1).stderr.contains("limit/depth"));
}

#[test]
fn usage_errors_and_missing_files_are_distinguished() {
    assert!(run("validate", "{}").expect(2).stderr.contains("--schema"));
    assert!(check("--pretty", "{}").expect(2).stderr.contains("--report"));
    run("validate --schema /no/such/file", "{}").expect(3);
    check("/no/such/file", "").expect(3);
    let bad = Scratch::new();
    let bad = bad.file("s.json", "{\"type\": 1}");
    run(&format!("validate --schema {}", bad.display()), "{}").expect(2);
}

#[test]
fn the_example_schemas_are_schemas() {
    for name in ["order.json", "ticket.json"] {
        let path = root().join("examples/schemas").join(name);
        let refused = run(&format!("validate --schema {}", path.display()), "{}").expect(1);
        assert!(refused.stderr.contains("error[schema/required]"), "{}", refused.stderr);
    }
}
