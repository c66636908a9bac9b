//! docs/reference/faults.md: every row is run.

use std::fs;

use serde_json::Value;

use crate::process::{root, run};

/// The cells of each row of the table.
fn rows() -> Vec<[String; 4]> {
    let page = fs::read_to_string(root().join("docs/reference/faults.md"))
        .expect("docs/reference/faults.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix('|'));
    let cells = rows.map(|row| {
        let cells: Vec<String> =
            row.split(" | ").map(|cell| cell.trim().trim_matches('`').to_owned()).collect();
        <[String; 4]>::try_from(cells).unwrap_or_else(|cells| panic!("{cells:?}"))
    });
    cells.skip(1).collect()
}

fn codes<'r>(report: &'r Value, list: &str, key: &str) -> Vec<&'r str> {
    let rows = report[list].as_array().map(Vec::as_slice).unwrap_or_default();
    rows.iter().filter_map(|row| row[key].as_str()).collect()
}

#[test]
fn each_fault_is_handled_as_documented() {
    // S1-16: what is cleanable, what only a prompt prevents, and for what the model is asked again.
    let rows = rows();
    assert!(rows.len() > 15);
    for [fault, example, handling, reported] in &rows {
        let report = |flags: &str, code| {
            run(&format!("plan --report json {flags}"), example).expect(code).json()
        };
        match handling.as_str() {
            "repaired" => {
                let report = report("", 0);
                match reported.strip_prefix("extract: ") {
                    Some(origin) => assert_eq!(report["candidate"]["origin"], origin, "{fault}"),
                    None => assert!(
                        codes(&report, "repairs", "rule").contains(&reported.as_str()),
                        "{fault}: {report}"
                    ),
                }
            }
            "kept" => {
                let report = report("", 0);
                assert_eq!(report["status"], "unchanged", "{fault}");
                let found = codes(&report, "diagnostics", "code");
                let wanted: Vec<&str> = Some(reported.as_str())
                    .filter(|reported| !reported.is_empty())
                    .into_iter()
                    .collect();
                assert_eq!(found, wanted, "{fault}");
            }
            "fixed" => {
                assert_eq!(report("", 1)["error"]["code"], reported.as_str(), "{fault}");
                assert_eq!(
                    codes(&report("--fix", 0), "diagnostics", "code"),
                    [reported],
                    "{fault}"
                );
            }
            "asked again" => {
                let error = &report("--fix", 1)["error"];
                assert_eq!(error["code"], reported.as_str(), "{fault}");
                assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{fault}");
            }
            handling => panic!("{handling} of {fault}"),
        }
    }
}
