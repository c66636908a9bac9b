//! `llmend notations`: the table.

use llmend::calls::NOTATIONS;

use crate::process::run;

#[test]
fn the_table_has_a_line_for_each_notation() {
    let table = run("notations", "").expect(0).stdout;
    let rows: Vec<(&str, &str)> = table
        .lines()
        .skip(1)
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?, words.next()?))
        })
        .collect();
    let expected: Vec<(&str, &str)> =
        NOTATIONS.iter().map(|row| (row.name, row.family.as_str())).collect();
    assert_eq!(rows, expected);
    assert!(table.lines().all(|line| line.chars().count() <= 110), "{table}");
}

#[test]
fn each_example_is_read_in_its_notation() {
    let scratch = crate::process::Scratch::new();
    let tools = r#"{"get_time": {"properties": {"zone": {"type": "string"}}}, "get_date": {}}"#;
    let tools = scratch.file("tools.json", tools);
    let rows = run("notations --json", "").expect(0).json();
    let rows = rows.as_array().expect("an array").clone();
    assert_eq!(rows.len(), NOTATIONS.len());
    for row in rows {
        assert!(row["models"].as_str().is_some_and(|text| !text.is_empty()), "{row}");
        let flags = format!("calls --report json --tools {}", tools.display());
        let report = run(&flags, row["example"].as_str().expect("a text")).expect(0).json();
        assert_eq!(report["calls"][0]["notation"], row["name"], "{report}");
        assert_eq!(report["calls"][0]["arguments"]["zone"], "UTC", "{report}");
    }
}

#[test]
fn one_notation_is_shown_with_its_example() {
    insta::assert_snapshot!(run("notations react", "").expect(0).stdout, @r#"
    react
      A line with the name, and a line with the arguments.
      family    lines
      models    ReAct prompts, LangChain
      example
        Action: get_time
        Action Input: {"zone": "UTC"}
    "#);
    assert_eq!(
        run("notations react glm --json", "").expect(0).json().as_array().map(Vec::len),
        Some(2)
    );
    assert!(run("notations hermse", "").expect(2).stderr.contains("'hermes'"));
}
