//! `llmend repair`: statuses, policies, rules, reports.

use serde_json::json;

use crate::process::{run, run_with};

#[test]
fn a_value_goes_to_standard_output_and_the_summary_beside_it() {
    let run = run("repair", "Sure!\n```json\n{'a': 1,}\n```\nBye").expect(0);
    assert_eq!(run.stdout, "{\"a\": 1}\n");
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(
        run.stderr.starts_with("llmend: repaired (notation): single-quotes ×2"),
        "{}",
        run.stderr
    );
}

#[test]
fn valid_json_comes_back_byte_for_byte() {
    for text in
        ["{\"a\": [1.0, 12345678901234567890]}\n", "  [1 ,2]\r\n\n", "\"“x”\\u00e9\"\n", "null\n"]
    {
        let run = run("repair", text).expect(0);
        assert_eq!(run.stdout, text);
        assert_eq!(run.stderr, "llmend: unchanged: valid JSON\n");
    }
}

#[test]
fn a_line_end_is_added_where_there_is_none() {
    assert_eq!(run("repair --quiet", "[1]").expect(0).stdout, "[1]\n");
    assert_eq!(run("repair --quiet", "[1,]\n").expect(0).stdout, "[1]\n");
}

#[test]
fn a_refusal_writes_nothing_to_standard_output() {
    // S2-28: the error tells line and column. S1-10: an expression is named, and never computed.
    let run = run("repair", "{\"a\": 1,\n \"b\": 2 * 3}").expect(1);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("error[syntax/expression]"), "{}", run.stderr);
    assert!(run.stderr.contains("<stdin>:2:7\n"), "{}", run.stderr);
}

#[test]
fn quiet_leaves_out_the_summary_and_keeps_errors() {
    assert_eq!(run("repair --quiet", "[1,]").expect(0).stderr, "");
    assert!(run("repair -q", "no value here").expect(1).stderr.contains("extract/no-json"));
}

#[test]
fn policies_allow_what_they_say() {
    for (policy, text, code) in [
        ("strict", "[1]", 0),
        ("strict", "Here: [1, 2]", 1),
        ("strict", "[1,]", 1),
        ("extract", "Here: {\"a\": 1}", 0),
        ("extract", "Here: {\"a\": 1,}", 1),
        ("conservative", "{\"a\": 1,}", 0),
        ("conservative", "{'a': 1}", 1),
        ("standard", "{'a': 1}", 0),
        ("standard", "{\"a\": 2 * 3}", 1),
        ("lenient", "{\"a\": 2 * 3}", 0),
    ] {
        let run = run(&format!("repair --policy {policy}"), text);
        assert_eq!(run.code, Some(code), "{policy} {text} {run:?}");
    }
}

#[test]
fn rules_are_switched_one_by_one() {
    run("repair --no-rule trailing-comma", "[1,]").expect(1);
    run("repair --policy strict --rule trailing-comma", "[1,]").expect(0);
    run("repair --policy strict --rule trailing-comma,single-quotes", "['a',]").expect(0);
    run("repair --policy strict --rule trailing_comma --rule single-quotes", "['a',]").expect(0);
    let refused = run("repair --no-rule single-quotes", "['a']").expect(1);
    assert!(refused.stderr.contains("error[repair/refused]"), "{}", refused.stderr);
    assert!(refused.stderr.contains("`--rule single-quotes`"), "{}", refused.stderr);
}

#[test]
fn usage_errors_suggest_the_nearest_name() {
    for (arguments, near) in [
        ("repair --polcy strict", "--policy"),
        ("repair --policy standart", "standard"),
        ("repair --rule trailing-coma", "trailing-comma"),
        ("repair --no-rule singel-quotes", "single-quotes"),
        ("repiar", "repair"),
        ("repair --report jsn", "json"),
    ] {
        let run = run(arguments, "[1]").expect(2);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.contains("similar"), "{arguments}: {}", run.stderr);
        assert!(run.stderr.contains(near), "{arguments}: {}", run.stderr);
    }
    let both = run("repair --rule tuple --no-rule tuple", "[1]").expect(2);
    assert!(both.stderr.contains("rule 'tuple' is given to both"), "{}", both.stderr);
    run("repair --max-bytes 0", "[1]").expect(2);
    run("repair --max-depth many", "[1]").expect(2);
    run("", "").expect(2);
}

#[test]
fn the_environment_switches_repair_off() {
    // S0-37, S0-39: without a change to the command. S0-38: strict mode refuses at once.
    for variables in
        [[("LLMEND_REPAIR", "0")], [("LLMEND_REPAIR", "off")], [("OPENMANUS_PLANNING_REPAIR", "0")]]
    {
        let refused =
            run_with("repair --policy lenient --rule single-quotes", &variables, "{'a': 1}")
                .expect(1);
        assert_eq!(refused.stdout, "");
        assert!(refused.stderr.contains(variables[0].0), "{}", refused.stderr);
        let valid = run_with("repair", &variables, "{\"a\": 1}").expect(0);
        assert!(valid.stderr.contains("repair is disabled"), "{}", valid.stderr);
    }
    // S0-36: on by default, and by any word for yes.
    run_with("repair", &[("LLMEND_REPAIR", "1")], "{'a': 1}").expect(0);
    run_with("repair", &[("LLMEND_REPAIR", "1"), ("OPENMANUS_PLANNING_REPAIR", "0")], "{'a': 1}")
        .expect(0);
    let unclear = run_with("repair", &[("LLMEND_REPAIR", "perhaps")], "{'a': 1}").expect(2);
    assert!(unclear.stderr.contains("LLMEND_REPAIR"), "{}", unclear.stderr);
}

#[test]
fn a_report_has_its_keys_in_order() {
    let run = run("repair --report json --quiet", "Sure: {'a': 1").expect(0);
    assert_eq!(run.stderr, "");
    let keys =
        ["status", "json", "truncated", "class", "candidate", "repairs", "diagnostics", "error"];
    let mut at = 0;
    for key in keys {
        let found = run.stdout.get(at..).and_then(|rest| rest.find(&format!("\"{key}\":")));
        at += found.unwrap_or_else(|| panic!("{key} comes after what precedes it: {}", run.stdout));
    }
    let report = run.json();
    assert_eq!(report.as_object().expect("an object").len(), keys.len());
    assert_eq!(report["status"], "repaired");
    assert_eq!(report["json"], "{\"a\": 1}");
    assert_eq!(report["truncated"], true);
    // The number may lack digits.
    assert_eq!(report["class"], "guess");
    assert_eq!(report["candidate"]["start"], 6);
    assert_eq!(report["candidate"]["end"], 13);
    assert_eq!(report["error"], json!(null));
    assert_eq!(
        report["repairs"][0],
        json!({"rule": "single-quotes", "class": "notation", "start": 7, "end": 8, "replacement": "\""})
    );
    assert_eq!(
        report["repairs"][2],
        json!({"rule": "missing-closer", "class": "completion", "start": 13, "end": 13, "replacement": "}"})
    );
}

#[test]
fn a_report_is_written_whatever_the_exit() {
    let refused = run("repair --report json", "{\"a\": 2 * 3}").expect(1);
    let report = refused.json();
    assert_eq!(report["status"], "refused");
    assert_eq!(report["json"], json!(null));
    assert_eq!(report["class"], json!(null));
    assert_eq!(report["candidate"], json!(null));
    assert_eq!(report["error"]["code"], "syntax/expression");
    assert_eq!(report["diagnostics"][0]["code"], "syntax/expression");
    assert_eq!(report["diagnostics"][0]["severity"], "error");
    assert!(report["error"]["start"].is_u64(), "{report}");
    let missing = run("repair --report json /no/such/file", "").expect(3).json();
    assert_eq!(missing["status"], "refused");
    assert_eq!(missing["error"]["code"], "input/not-found");
}

#[test]
fn an_unchanged_text_says_so_in_its_report() {
    let report = run("repair --report json", " [1]\n").expect(0).json();
    assert_eq!(
        report,
        json!({
            "status": "unchanged", "json": " [1]\n", "truncated": false, "class": null,
            "candidate": {"start": 0, "end": 5, "origin": "whole"},
            "repairs": [], "diagnostics": [], "error": null
        })
    );
}

#[test]
fn pretty_indents() {
    let run1 = run("repair --pretty --quiet", "{'a': [1, {}], 'b': \"x\"}").expect(0);
    assert_eq!(run1.stdout, "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"x\"\n}\n");
    let report = run("repair --pretty --report json", "[1,]").expect(0);
    assert!(report.stdout.starts_with("{\n  \"status\": \"repaired\",\n"), "{}", report.stdout);
    // The text in the report is the one that the repairs lead to.
    assert_eq!(report.json()["json"], "[1]");
}

#[test]
fn the_choice_is_an_option() {
    let text = "{\"draft\": 1}\nor rather\n{\"draft\": 2}";
    assert_eq!(run("repair --choice first -q", text).expect(0).stdout, "{\"draft\": 1}\n");
    let report = run("repair --choice first --report json", text).expect(0).json();
    let codes: Vec<_> = report["diagnostics"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|row| &row["code"])
        .collect();
    assert!(codes.contains(&&json!("extract/more-json")), "{report}");
}

#[test]
fn emphasis_goes_on_demand_alone() {
    // S1-02, S1-04: never over the whole text, and only where it was asked for.
    let text = "{'city': \"**Oslo**\"}";
    assert_eq!(run("repair -q", text).expect(0).stdout, "{\"city\": \"**Oslo**\"}\n");
    assert_eq!(run("repair -q --emphasis", text).expect(0).stdout, "{\"city\": \"Oslo\"}\n");
}

#[test]
fn limits_are_options() {
    let deep = format!("{}{}", "[".repeat(40), "]".repeat(40));
    run("repair --max-depth 40", &deep).expect(0);
    let refused = run("repair --max-depth 39", &deep).expect(1);
    assert!(refused.stderr.contains("error[limit/depth]"), "{}", refused.stderr);
    assert!(refused.stderr.contains("--max-depth"), "{}", refused.stderr);
    run("repair --max-bytes 80", &deep).expect(0);
    let refused = run("repair --max-bytes 79", &deep).expect(1);
    assert!(refused.stderr.contains("error[limit/bytes]"), "{}", refused.stderr);
}

#[test]
fn an_item_that_cannot_be_read_is_left_out_if_asked() {
    let text = r#"[{"a": 1}, {"a": 2*3}, {"a": 3}]"#;
    for flags in ["", "--on-bad-item fail", "--on-bad-item drop --max-class guess"] {
        assert_eq!(run(&format!("repair {flags}"), text).expect(1).stdout, "", "{flags}");
    }
    let dropped = run("repair --on-bad-item drop", text).expect(0);
    assert_eq!(dropped.stdout, "[{\"a\": 1}, {\"a\": 3}]\n");
    assert!(dropped.stderr.contains("repaired (loss): unreadable-item"), "{}", dropped.stderr);
    let report = run("repair --on-bad-item null --report json", text).expect(0).json();
    assert_eq!(report["json"], "[{\"a\": 1}, null, {\"a\": 3}]");
    assert_eq!(report["repairs"][0]["rule"], "unreadable-item");
    assert_eq!(report["repairs"][0]["start"], 11);
}

#[test]
fn all_values_are_an_array() {
    let text = "{\"a\": 1}\n{\"a\": 2}\n";
    let report = run("repair --choice all --report json", text).expect(0).json();
    assert_eq!(
        (&report["json"], &report["class"]),
        (&"[{\"a\": 1},{\"a\": 2}]".into(), &().into())
    );
    run("repair --choice all --max-class notation", text).expect(0);
}

#[test]
fn yaml_is_read_where_there_is_no_json() {
    let text = "Here:\n```yaml\nname: Ada\nactive: yes\n```\n";
    let report = run("repair --report json", text).expect(0).json();
    assert_eq!(report["json"], "{\"name\": \"Ada\", \"active\": \"yes\"}");
    assert_eq!(
        (&report["class"], &report["candidate"]["start"]),
        (&"completion".into(), &14.into())
    );
    run("repair --no-rule yaml-document", text).expect(1);
}
