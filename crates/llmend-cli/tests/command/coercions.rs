//! `llmend coercions`: the table.

use llmend::CoercionKind;

use crate::process::{Scratch, run};

#[test]
fn the_table_has_a_line_for_each_coercion() {
    let table = run("coercions", "").expect(0).stdout;
    let names: Vec<&str> =
        table.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    let expected: Vec<&str> = CoercionKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(names, expected);
    assert!(table.lines().all(|line| line.chars().count() <= 130), "{table}");
}

#[test]
fn each_example_is_what_the_command_does() {
    // S3-35: what coercion does is all in one table, which is tried here row by row.
    let scratch = Scratch::new();
    let rows = run("coercions --json", "").expect(0).json();
    let rows = rows.as_array().expect("an array").clone();
    assert_eq!(rows.len(), CoercionKind::ALL.len());
    for row in rows {
        let text =
            |key: &str| row[key].as_str().unwrap_or_else(|| panic!("{key} of {row}")).to_owned();
        assert!(text("doc").ends_with('.') && !text("doc").contains('\n'), "{row}");
        let schema = scratch.file("schema.json", text("schema"));
        let on_demand = match text("name").as_str() {
            "number-with-unit" => "--units strip",
            "dropped-extra" => "--on-extra drop",
            "dropped-item" => "--on-bad-item drop",
            "nulled-item" => "--on-bad-item null",
            "emphasis" => "--emphasis",
            _ => "",
        };
        let flags = format!("repair --report json {on_demand} --schema {}", schema.display());
        let report = run(&flags, text("before")).expect(0).json();
        assert_eq!(report["coercions"][0]["kind"], row["name"], "{report}");
        assert_eq!(report["class"], row["class"], "{report}");
        let json = report["json"].as_str().expect("a text");
        let value: serde_json::Value = serde_json::from_str(json).expect("JSON");
        assert_eq!(Some(value), serde_json::from_str(&text("after")).ok(), "{report}");
    }
}

#[test]
fn one_coercion_is_described_in_full() {
    insta::assert_snapshot!(run("coercions single-item", "").expect(0).stdout, @r#"
    single-item
      Wraps a single value in an array.
      class     completion
      schema    {"type":"array","items":{"type":"integer"}}
      before    7
      after     [7]
    "#);
    assert!(run("coercions single-itm", "").expect(2).stderr.contains("single-item"));
}
