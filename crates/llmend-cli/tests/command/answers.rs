//! The example answers, each with what becomes of it.

use serde_json::{Value, json};

use crate::process::{Run, examples, run};

/// What `subcommand` makes of the example `name`.
fn example(subcommand: &str, name: &str) -> Run {
    run(&format!("{subcommand} {}", examples().join(name).display()), "")
}

/// The report on the example `name`, which has a value.
fn report(name: &str) -> (Value, Value) {
    let report = example("repair --report json", name).expect(0).json();
    let value = report["json"].as_str().and_then(|json| serde_json::from_str(json).ok());
    (value.unwrap_or_else(|| panic!("no value: {report}")), report)
}

/// The rules that the repairs of `report` follow, each once, in order of the alphabet.
fn rules(report: &Value) -> Vec<&str> {
    let repairs = report["repairs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut names: Vec<&str> =
        repairs.iter().filter_map(|repair| repair["rule"].as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[test]
fn a_planners_answer_in_a_fence_with_many_defects() {
    // S0-01, S1-05: a fence. S1-07: words around it. S2-02, S2-03, S2-04: Python's notation.
    // S0-05: comments. S2-05, S2-06: trailing commas. S2-09: a missing comma.
    let (value, report) = report("planner.txt");
    assert_eq!(report["candidate"]["origin"], "fence");
    assert_eq!(report["class"], "completion");
    assert_eq!(report["truncated"], false);
    assert_eq!(
        rules(&report),
        [
            "foreign-literal",
            "hash-comment",
            "line-comment",
            "missing-comma",
            "number-format",
            "single-quotes",
            "trailing-comma"
        ]
    );
    assert_eq!(value["steps"].as_array().map(Vec::len), Some(4));
    assert_eq!(value["steps"][2]["title"], "Compare checksums, the customer's invoices first");
    assert_eq!(value["steps"][2]["inputs"], json!({"sample": null, "threshold": 0.999}));
    // S1-12: a template in a string is text.
    assert_eq!(
        value["steps"][1]["inputs"]["command"],
        "rclone copy old:{{inventory.response.bucket}} new:archive --checksum"
    );
}

#[test]
fn a_short_answer_with_a_defect_in_each_line() {
    let (value, report) = report("booking.txt");
    assert_eq!(report["class"], "guess");
    assert_eq!(
        value,
        json!({
            "guest": "Ines Moreau", "nights": 3, "late_arrival": true,
            "wishes": ["quiet room", "early breakfast"],
            "note": "She asked for \"the blue room\" again.", "total": 412.5
        })
    );
}

#[test]
fn an_openmanus_plan_with_smart_quotes() {
    // S0-08, S0-09: trailing commas. S0-07: the URL survives.
    let (value, report) = report("openmanus-plan.txt");
    // Quotes within quotes: which of them ends the string is a guess, and said to be one.
    assert_eq!(rules(&report), ["inner-quotes", "smart-quotes", "trailing-comma"]);
    assert_eq!(report["class"], "guess");
    assert_eq!(value["version"], "1.0");
    assert_eq!(value["steps"][0]["inputs"]["urls"], json!(["https://parks.example/notices"]));
    assert_eq!(
        value["steps"][1]["description"],
        "Group the notices, newest first; a notice that says “all trails” counts for each."
    );
    assert_eq!(value["notes"], "The ranger’s office answers the phone until 16:00.");
}

#[test]
fn a_tool_call_in_pythons_notation() {
    let (value, report) = report("tool-call.txt");
    assert_eq!(report["candidate"]["origin"], "wrapper");
    assert_eq!(report["class"], "notation");
    assert_eq!(
        value,
        json!({
            "name": "search_fares",
            "arguments": {
                "origin": "Bergen", "destination": "St. John's", "date": "2025-06-14",
                "flexible": true, "max_stops": null, "cabin": ["economy", "premium"]
            }
        })
    );
}

#[test]
fn an_answer_that_was_cut_off() {
    let (value, report) = report("cut-off.txt");
    assert_eq!(report["truncated"], true);
    assert_eq!(report["class"], "loss");
    assert_eq!(value["suppliers"][2], json!({"name": "Blekk & Blad", "price": 2010.0}));
    let said = example("repair", "cut-off.txt").expect(0).stderr;
    assert!(said.contains("cut off at line 7, column 59"), "{said}");
}

#[test]
fn a_refusal_by_the_model() {
    // S4-21, S4-29: a clear error that shows the text. S4-11: its first 100 characters.
    let refused = example("repair", "refusal.txt").expect(1);
    assert_eq!(refused.stdout, "");
    let said = "error[extract/no-json]: no JSON value found";
    assert!(refused.stderr.contains(said), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("I'm sorry, but I can't draw up this plan."),
        "{}",
        refused.stderr
    );
    let text =
        std::fs::read_to_string(examples().join("refusal.txt")).expect("the example is there");
    let preview: String = text.chars().take(100).collect();
    let error = example("repair --report json", "refusal.txt").expect(1).json()["error"].clone();
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|message| message.ends_with(&format!("{preview}\")"))),
        "{error}"
    );
}

#[test]
fn an_expression_is_refused_and_kept_as_text_on_demand() {
    // S1-10: never computed.
    let refused = example("repair --report json", "expression.txt").expect(1).json();
    assert_eq!(refused["error"]["code"], "syntax/expression");
    let text = example("repair --quiet --policy lenient", "expression.txt").expect(0).json();
    assert_eq!(text["vat"], "1480.00 * 0.25");
}

#[test]
fn quotes_that_nobody_escaped() {
    let (value, report) = report("inner-quotes.txt");
    assert_eq!(rules(&report), ["inner-quotes"]);
    assert_eq!(report["class"], "guess");
    assert_eq!(
        value["comments"],
        json!([
            "The phrase \"as soon as possible\" in section 2 is no deadline.",
            "Replace <a href=\"/old\">the link</a> on page 4.",
            "She called it \"a fair draft\", and I agree."
        ])
    );
}

#[test]
fn a_draft_in_the_reasoning_is_not_the_answer() {
    let (value, report) = report("reasoning.txt");
    assert_eq!(report["status"], "extracted");
    assert_eq!(value["picks"], json!(["A", "C"]));
}

#[test]
fn every_example_is_accounted_for() {
    let mut names: Vec<String> = std::fs::read_dir(examples())
        .expect("the examples are there")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name != "calls")
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "booking.txt",
            "cut-off.txt",
            "expression.txt",
            "flowchart.txt",
            "inner-quotes.txt",
            "loop-and-if.txt",
            "openmanus-plan.txt",
            "order.txt",
            "parallel-calls.txt",
            "patch.txt",
            "planner.txt",
            "reasoning.txt",
            "refusal.txt",
            "routing-plan.txt",
            "ticket.txt",
            "tool-call.txt"
        ]
    );
}
