//! docs/reference/faults.md: what goes wrong, and who puts it right. Every row is run.

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
fn each_fault_has_the_fate_that_is_told() {
    // S1-16: what is cleanable, what only a prompt prevents, and for what the model is asked again.
    let rows = rows();
    assert!(rows.len() > 15);
    for [fault, example, fate, told] in &rows {
        let report = |flags: &str, code| {
            run(&format!("plan --report json {flags}"), example).expect(code).json()
        };
        match fate.as_str() {
            "mended" => {
                let report = report("", 0);
                match told.strip_prefix("extract: ") {
                    Some(origin) => assert_eq!(report["candidate"]["origin"], origin, "{fault}"),
                    None => assert!(
                        codes(&report, "repairs", "rule").contains(&told.as_str()),
                        "{fault}: {report}"
                    ),
                }
            }
            "kept" => {
                let report = report("", 0);
                assert_eq!(report["status"], "unchanged", "{fault}");
                let found = codes(&report, "diagnostics", "code");
                let wanted: Vec<&str> =
                    Some(told.as_str()).filter(|told| !told.is_empty()).into_iter().collect();
                assert_eq!(found, wanted, "{fault}");
            }
            "put right" => {
                assert_eq!(report("", 1)["error"]["code"], told.as_str(), "{fault}");
                assert_eq!(codes(&report("--fix", 0), "diagnostics", "code"), [told], "{fault}");
            }
            "asked again" => {
                let error = &report("--fix", 1)["error"];
                assert_eq!(error["code"], told.as_str(), "{fault}");
                assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{fault}");
            }
            fate => panic!("{fate} of {fault}"),
        }
    }
}
