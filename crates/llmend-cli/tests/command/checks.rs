//! `llmend checks`: the table.

use std::collections::HashSet;

use crate::process::run;

#[test]
fn the_table_has_a_line_for_each_code() {
    let table = run("checks", "").expect(0).stdout;
    let rows = run("checks --json", "").expect(0).json();
    let rows = rows.as_array().expect("an array");
    let codes: Vec<&str> = rows.iter().filter_map(|row| row["code"].as_str()).collect();
    let shown: Vec<&str> =
        table.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(shown, codes);
    assert!(table.lines().all(|line| line.chars().count() <= 150), "{table}");
    assert_eq!(codes.iter().collect::<HashSet<_>>().len(), codes.len());
    for row in rows {
        assert!(
            row["doc"].as_str().is_some_and(|doc| !doc.is_empty() && !doc.contains('\n')),
            "{row}"
        );
        assert!(matches!(row["severity"].as_str(), Some("error" | "warning" | "info")), "{row}");
    }
    for code in ["plan/cycle", "workflow/missing-branch", "infer/loop-label", "patch/unknown"] {
        assert!(codes.contains(&code), "{code}");
    }
}
