//! `llmend rules`: the table.

use llmend::json::Rule;

use crate::process::run;

#[test]
fn the_table_has_a_line_for_each_rule() {
    let table = run("rules", "").expect(0).stdout;
    let names: Vec<&str> =
        table.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    let expected: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
    assert_eq!(names, expected);
    assert!(table.lines().all(|line| line.chars().count() <= 130), "{table}");
    let comma = table.lines().find(|line| line.starts_with("trailing-comma ")).unwrap_or_default();
    let cells: Vec<&str> = comma.split_whitespace().collect();
    assert_eq!(
        cells,
        ["trailing-comma", "notation", "conservative", "[1,", "2,]", "→", "[1,", "2]"]
    );
}

#[test]
fn the_table_is_there_for_programs() {
    let rows = run("rules --json", "").expect(0).json();
    let rows = rows.as_array().expect("an array");
    assert_eq!(rows.len(), Rule::ALL.len());
    for (row, rule) in rows.iter().zip(Rule::ALL) {
        assert_eq!(row["name"], rule.name());
        assert_eq!(row["class"], rule.class().as_str());
        assert_eq!(row["before"], rule.example().0);
        assert_eq!(row["after"], rule.example().1);
        assert!(
            row["doc"].as_str().is_some_and(|doc| doc.ends_with('.') && !doc.contains('\n')),
            "{row}"
        );
        assert!(
            row["policies"].as_array().is_some_and(|names| names.contains(&"lenient".into())),
            "{row}"
        );
    }
}

#[test]
fn one_rule_is_described_in_full() {
    insta::assert_snapshot!(run("rules inner-quotes raw-newline", "").expect(0).stdout, @r#"
    inner-quotes
      Escapes a quote inside a string.
      class     guess
      policies  standard, lenient
      before    ["say "hi" now"]
      after     ["say \"hi\" now"]

    raw-newline
      Escapes a line feed inside a string as `\n`.
      class     notation
      policies  conservative, standard, lenient
      before    ["a\nb"]
      after     ["a\nb"]
    "#);
    assert!(run("rules iner-quotes", "").expect(2).stderr.contains("inner-quotes"));
}
