//! `llmend plan`: the plan in an answer, or everything that is wrong with it.

use serde_json::{Value, json};

use crate::process::{Scratch, examples, run, run_with};

const SMALL: &str = "{'objective': 'Tea', 'steps': [{'id': 'boil', 'tool': 'kettle',},]}";

#[test]
fn the_canonical_plan_goes_to_standard_output() {
    let answer = examples().join("planner.txt");
    let run = run(&format!("plan {}", answer.display()), "").expect(0);
    assert_eq!(run.stdout.lines().count(), 1);
    let plan = run.json();
    let ids: Vec<_> =
        plan["steps"].as_array().expect("steps").iter().map(|step| &step["id"]).collect();
    assert_eq!(ids, ["inventory", "copy", "verify", "switch"]);
    assert_eq!(plan["steps"][1]["depends_on"], json!(["inventory"]));
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(run.stderr.starts_with("llmend: repaired (completion): "), "{}", run.stderr);
}

#[test]
fn an_openmanus_plan_is_read_by_its_own_rules() {
    let answer = examples().join("openmanus-plan.txt");
    let plan = run(&format!("plan --dialect openmanus {}", answer.display()), "").expect(0).json();
    assert_eq!(plan["version"], "1.0");
    assert_eq!(plan["steps"][1]["depends_on"], json!(["s1"]));
    // S0-22: unknown fields are forbidden, in the plan and in a step.
    let step =
        json!({"id": "a", "title": "b", "description": "c", "tool": "d", "expected_output": "e"});
    let strict = json!({"version": "1", "objective": "x", "steps": [step]});
    run("plan --dialect openmanus", strict.to_string()).expect(0);
    for path in ["", "/steps/0"] {
        let mut plan = strict.clone();
        plan.pointer_mut(path).expect("an object")["surplus"] = json!(1);
        let refused = run("plan --dialect openmanus", plan.to_string()).expect(1);
        assert_eq!(refused.stdout, "");
        assert!(refused.stderr.contains("surplus"), "{}", refused.stderr);
    }
}

#[test]
fn every_problem_is_reported_at_once() {
    let run = run(
        "plan",
        "{steps: [\n  {tool: 'kettle'},\n  {id: [7]},\n  {id: 'c', depends_on: true}\n]}",
    )
    .expect(1);
    assert_eq!(run.stdout, "");
    insta::assert_snapshot!("plan_problems", run.stderr);
}

#[test]
fn several_plans_are_reported() {
    let two = "{\"steps\": [{\"id\": \"a\"}]}\n\n{\"steps\": [{\"id\": \"b\"}]}\n";
    let refused = run("plan", two).expect(1);
    for told in [
        "plan/several-documents",
        "2 documents (several-documents)",
        "starting at 1:1, 3:1",
        "`first`",
    ] {
        assert!(refused.stderr.contains(told), "{told} in {}", refused.stderr);
    }
    assert!(!refused.stderr.contains("array"), "{}", refused.stderr);
    let first = run("plan --choice first --quiet", two).expect(0);
    assert_eq!(first.json()["steps"][0]["id"], "a");
    // One array that the model wrote itself is another mistake.
    let array = run("plan", "[{\"steps\": []}]").expect(1);
    assert!(array.stderr.contains("plan/missing-field"), "{}", array.stderr);
    let many = "{\"steps\": 1}\n{\"steps\": 2}\n".repeat(4);
    let refused = run("plan --report json", many).expect(1).json();
    let said = refused["error"]["message"].as_str().expect("a message");
    assert!(said.contains("8 documents") && said.ends_with("5:1 and more"), "{said}");
}

#[test]
fn options_and_reports_are_those_of_repair() {
    assert_eq!(
        run("plan --quiet --pretty", SMALL).expect(0).stdout.lines().nth(1),
        Some("  \"objective\": \"Tea\",")
    );
    run("plan --policy strict", SMALL).expect(1);
    run("plan --no-rule trailing-comma", SMALL).expect(1);
    run_with("plan", &[("OPENMANUS_PLANNING_REPAIR", "0")], SMALL).expect(1);
    run("plan --dialect openmanos", SMALL).expect(2);
    let report = run("plan --report json", SMALL).expect(0).json();
    assert_eq!(report["status"], "repaired");
    assert_eq!(report["class"], "notation");
    let plan: serde_json::Value =
        serde_json::from_str(report["json"].as_str().expect("a text")).expect("JSON");
    assert_eq!(plan, json!({"objective": "Tea", "steps": [{"id": "boil", "tool": "kettle"}]}));
    let report = run("plan --report json", "{\"steps\": [{}, {}]}").expect(1).json();
    assert_eq!(report["status"], "refused");
    assert_eq!(report["json"], json!(null));
    assert_eq!(report["diagnostics"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["error"]["code"], report["diagnostics"][0]["code"]);
    assert_eq!(
        run("plan --report json", "no plan").expect(1).json()["error"]["code"],
        "extract/no-json"
    );
}

#[test]
fn repairs_are_explained() {
    let run = run("plan --explain", SMALL).expect(0);
    assert!(run.stderr.contains("trailing-comma ×2 (notation): removed"), "{}", run.stderr);
}

#[test]
fn the_counters_are_shown_on_demand() {
    // S0-35: a snapshot of the metrics once the text was parsed, whatever came of it.
    for (text, code, counted) in [
        (SMALL, 0, "planning.ok"),
        ("no plan at all", 1, "planning.repair_fail"),
        ("{'a': 1 + b}", 1, "planning.parse_fail"),
        ("[]", 1, "planning.schema_fail"),
    ] {
        let said = run("plan --quiet --metrics", text).expect(code).stderr;
        let line = said.lines().last().and_then(|line| line.strip_prefix("llmend: metrics "));
        let counters: Value =
            serde_json::from_str(line.expect("a line of counters")).expect("JSON");
        let names = counters.as_object().expect("an object").keys();
        let of_plans = names.filter(|name| name.starts_with("planning."));
        assert_eq!(of_plans.count(), 7, "{counters}");
        for name in
            ["planning.ok", "planning.repair_fail", "planning.parse_fail", "planning.schema_fail"]
        {
            assert_eq!(counters[name], u64::from(name == counted), "{name} of {counters}");
        }
    }
    assert_eq!(run("plan --quiet", SMALL).expect(0).stderr, "");
}

#[test]
fn tool_calls_in_any_notation_are_a_plan() {
    let scratch = Scratch::new();
    let tools = scratch.file(
        "tools.json",
        r#"[{"name": "get_time", "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"]}}]"#,
    );
    let plan = format!("plan --catalog {}", tools.display());
    let json = r#"{"name": "get_time", "arguments": {"zone": "UTC"}}"#;
    for (family, answer) in [
        ("json", format!("<tool_call>\n{json}\n</tool_call>")),
        ("named", r#"<function=get_time>{"zone": "UTC"}</function>"#.to_owned()),
        ("pythonic", r#"[get_time(zone="UTC")]"#.to_owned()),
        (
            "parameters",
            "<function_calls>\n<invoke name=\"get_time\">\n<parameter name=\"zone\">UTC</parameter>\n</invoke>\n</function_calls>"
                .to_owned(),
        ),
        (
            "pairs",
            "<tool_call>get_time\n<arg_key>zone</arg_key>\n<arg_value>UTC</arg_value>\n</tool_call>"
                .to_owned(),
        ),
        (
            "channel",
            r#"<|channel|>commentary to=functions.get_time <|constrain|>json<|message|>{"zone": "UTC"}<|call|>"#
                .to_owned(),
        ),
        ("lines", "Action: get_time\nAction Input: {\"zone\": \"UTC\"}".to_owned()),
        ("typed", r#"<|tool_call>call:get_time{zone:<|"|>UTC<|"|>}<tool_call|>"#.to_owned()),
    ] {
        let run = run(&plan, answer).expect(0);
        let step = json!({"id": "1", "tool": "get_time", "inputs": {"zone": "UTC"}});
        assert_eq!(run.json(), json!({"steps": [step]}), "{family}");
        assert!(run.stderr.contains("1 step, read as calls"), "{family}: {}", run.stderr);
    }
    for (answer, told) in [
        (
            format!("<tool_call>\n{}\n</tool_call>", json.replace("get_time", "send")),
            "unknown tool `send`",
        ),
        (format!("<tool_call>\n{}", json.replace("UTC\"}}", "")), "cut off inside a call"),
        ("[get_time(zone=here)]".to_owned(), "expected literal"),
        ("{\"steps\": [\"get_time(zone='UTC')\"]}".to_owned(), "error[plan/quoted-call]"),
    ] {
        let refused = run(&plan, answer.as_str()).expect(1);
        assert_eq!(refused.stdout, "", "{answer}");
        assert!(refused.stderr.contains(told), "{answer}: {}", refused.stderr);
    }
    // Without a catalog, calls need marks.
    run("plan", format!("<tool_call>\n{json}\n</tool_call>")).expect(0);
    let refused = run("plan", "[get_time(zone=\"UTC\")]").expect(1);
    assert!(refused.stderr.contains("Give a catalog of the tools"), "{}", refused.stderr);
}
