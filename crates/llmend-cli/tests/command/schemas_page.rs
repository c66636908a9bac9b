//! docs/reference/schemas.md: what it says becomes of an answer is what becomes of it.

use std::fs;

use serde_json::Value;

use crate::process::{Scratch, root, run};

/// The page.
fn page() -> String {
    fs::read_to_string(root().join("docs/reference/schemas.md")).expect("the page")
}

/// The cells of a row of a table, without the marks around code.
fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split(" | ").map(|cell| cell.trim().trim_matches('`')).collect()
}

#[test]
fn every_row_is_what_a_run_gives() {
    let page = page();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `{")).collect();
    assert!(rows.len() > 10, "{rows:?}");
    for row in rows {
        let [schema, answer, becomes] = cells(row)[..] else { panic!("{row}") };
        let scratch = Scratch::new();
        let path = scratch.file("schema.json", schema);
        let arguments = format!("repair --report json --schema {}", path.display());
        let report = run(&arguments, answer);
        let report: Value = serde_json::from_str(&report.stdout).expect("a report");
        if becomes.contains('/') {
            assert_eq!(report["error"]["code"], becomes, "{row}");
        } else {
            assert_eq!(report["json"], becomes, "{row}");
        }
    }
}

#[test]
fn every_flag_and_every_key_is_one() {
    let page = page();
    let help = run("repair --help", "").expect(0).stdout;
    let scratch = Scratch::new();
    let path = scratch.file("schema.json", r#"{"type": "integer"}"#);
    let report = run(&format!("repair --report json --schema {}", path.display()), "[]").json();
    let violation = report["violations"][0].as_object().expect("a violation");
    let mut keys = 0;
    for row in page.lines().filter(|line| line.starts_with("| `")) {
        let name = row.trim_start_matches("| `").split('`').next().unwrap_or_default();
        if name.starts_with("--") {
            assert!(
                help.contains(&format!("{name} ")) || help.contains(&format!("{name}\n")),
                "{name}"
            );
        } else if !name.starts_with('{') {
            assert!(violation.contains_key(name), "{name}");
            keys += 1;
        }
    }
    // `start` and `end` share a row.
    assert_eq!(keys + 1, violation.len());
}
