//! Plans, workflows and patches: checked, mended, written in another form, in batches.

use serde_json::{Value, json};

use crate::process::{Run, Scratch, examples, root, run};

/// Two findings that can be put right, and one that cannot.
const FAULTY: &str = "Sure: {steps: [\n  {id: 'a', tool: 'search'},\n  {id: 'b', depends_on: ['A', 'c']},\n  {id: 'd', depends_on: ['d']}\n]}";

fn answer(subcommand: &str, name: &str) -> Run {
    run(&format!("{subcommand} {}", examples().join(name).display()), "")
}

fn workflow(name: &str) -> String {
    root().join("examples/workflows").join(name).display().to_string()
}

fn rows<'r>(report: &'r Value, severity: &str) -> Vec<&'r str> {
    let rows = report["diagnostics"].as_array().map(Vec::as_slice).unwrap_or_default();
    let rows = rows.iter().filter(|row| row["severity"] == severity);
    rows.filter_map(|row| row["code"].as_str()).collect()
}

#[test]
fn a_planners_answer_with_a_loop_and_an_if() {
    // S3-46, S3-50, S3-53, S3-64: read, inferred, checked; what was inferred is on record.
    let report = answer("plan --report json", "loop-and-if.txt").expect(0).json();
    assert_eq!(report["dialect"], "clickweave-graph");
    assert_eq!(rows(&report, "error"), [""; 0]);
    assert_eq!(
        rows(&report, "info").into_iter().filter(|code| code.starts_with("infer/")).count(),
        5
    );
    let edges: Vec<String> = report["plan"]["edges"]
        .as_array()
        .expect("edges")
        .iter()
        .map(|edge| {
            let text = |part: &Value| part.as_str().unwrap_or("-").to_owned();
            format!(
                "{} {} {}",
                text(&edge["from"]),
                text(&edge["output"]["type"]),
                text(&edge["to"])
            )
        })
        .collect();
    assert_eq!(
        edges,
        [
            "again loop_body open_next",
            "again loop_done tell",
            "open_next - is_invoice",
            "is_invoice if_true ask",
            "is_invoice if_false file",
            "ask - file",
            "file - end",
            "end - again",
        ]
    );
    // A plan has no control flow, and nothing is left out in silence.
    let refused = answer("plan --to plan", "loop-and-if.txt").expect(1);
    assert_eq!(refused.stdout, "");
    assert!(refused.stderr.contains("a plan cannot express `loop`"), "{}", refused.stderr);
    // S3-37, S3-38: types are switched off by name, however that is spelled.
    for (names, count) in [("if,loop", 2), ("If,LOOP", 2), ("AiStep", 1), ("ai-step,end-loop", 2)] {
        let flags = format!("plan --disable {names} --on-bad-step fail --report json");
        let disabled = answer(&flags, "loop-and-if.txt").expect(1).json();
        let errors = rows(&disabled, "error");
        assert_eq!(
            errors.iter().filter(|code| **code == "plan/disabled-type").count(),
            count,
            "{names}"
        );
    }
}

#[test]
fn a_routing_plan_with_templates() {
    // S1-09, S1-12: a typed plan, its references untouched.
    let report = answer("plan --report json", "routing-plan.txt").expect(1).json();
    assert_eq!(report["dialect"], "gomind");
    assert_eq!(report["json"], json!(null));
    assert_eq!(rows(&report, "error"), ["plan/undeclared-dependency"]);
    assert_eq!(report["error"]["code"], "plan/undeclared-dependency");
    assert_eq!(report["plan"]["steps"][3]["depends_on"], json!(["step-3"]));
    let fixed = answer("plan --fix", "routing-plan.txt").expect(0);
    assert_eq!(fixed.json()["steps"][3]["depends_on"], json!(["step-3", "step-2"]));
    assert_eq!(fixed.json()["steps"][2]["inputs"]["amount"], "{{step-1.response.price}}");
    assert!(fixed.stderr.contains("1 finding fixed"), "{}", fixed.stderr);
}

#[test]
fn a_plan_that_is_no_json() {
    let run = answer("plan", "parallel-calls.txt").expect(0);
    let plan = run.json();
    assert_eq!(plan["steps"][2]["tool"], "calculate");
    assert_eq!(plan["steps"][2]["depends_on"], json!(["1", "2"]));
    // S1-10, S3-44: arithmetic is not computed, and the warning is shown in its place.
    assert_eq!(plan["steps"][2]["inputs"]["expression"], "$1 / $2");
    assert!(run.stderr.contains("parallel-calls.txt:4:14"), "{}", run.stderr);
    assert!(run.stderr.contains("read as llmcompiler; 1 warning"), "{}", run.stderr);
    // The kill switch leaves strict JSON, and nothing else.
    let path = examples().join("parallel-calls.txt");
    crate::process::run_with(&format!("plan {}", path.display()), &[("LLMEND_REPAIR", "0")], "")
        .expect(1);
}

#[test]
fn a_patch_is_applied_as_a_whole_or_not_at_all() {
    // S3-14, S3-15, S3-65
    let flow = workflow("newsletter.json");
    let patch = examples().join("patch.txt").display().to_string();
    let bridged = run(&format!("patch --bridge {flow} {patch}"), "").expect(0);
    let edges = &bridged.json()["edges"];
    assert!(
        edges
            .as_array()
            .is_some_and(|edges| edges.contains(&json!({"from": "draft", "to": "agreed"}))),
        "{edges}"
    );
    // Without the bridge, what comes of it is no sound workflow.
    let report = run(&format!("patch --report json {flow} {patch}"), "").expect(1).json();
    assert_eq!(rows(&report, "error"), ["workflow/several-entries"]);
    assert_eq!(
        rows(&report, "info").iter().filter(|code| **code == "patch/edge-removed").count(),
        2
    );
    // All reasons at once, each in its place in the patch; nothing is written.
    let bad = "{'remove_nodes': ['spell', 'speling'],\n 'add_nodes': [{'id': 'ask', 'type': 'tool', 'tool': 'post'}]}";
    let refused = run(&format!("patch {flow} -"), bad).expect(1);
    assert_eq!(refused.stdout, "");
    for told in ["patch/unknown", "<stdin>:1:28", "patch/twice", "node `ask` already exists"] {
        assert!(refused.stderr.contains(told), "{told} in {}", refused.stderr);
    }
    // Keys that nobody knows are no empty patch; one that is empty says so.
    let misspelled = run(&format!("patch --report json {flow} -"), "{'remove_nods': ['spell']}");
    let misspelled = misspelled.expect(1).json();
    assert_eq!(misspelled["diagnostics"][0]["help"], "did you mean `remove_nodes`?");
    let empty = run(&format!("patch --report json {flow} -"), "{}").expect(0).json();
    assert_eq!(rows(&empty, "info"), ["patch/no-change"]);
    // The form of the patch is told, whether it is applied or not.
    for (text, code) in
        [("{'remove_node_ids': ['spell']}", 0), ("{'remove_node_ids': ['speling']}", 1)]
    {
        let report = run(&format!("patch --bridge --report json {flow} -"), text).expect(code);
        assert_eq!(
            report.json()["dialect"],
            if code == 0 { json!("clickweave-patch") } else { json!(null) }
        );
    }
    let operations = r#"[{"op": "replace", "path": "/nodes/4/tool", "value": "post"}]"#;
    let replaced = run(&format!("patch --quiet {flow} -"), operations).expect(0).json();
    assert_eq!(replaced["nodes"][4]["tool"], "post");
    assert!(run("patch - -", "").expect(2).stderr.contains("both"));
    run(&format!("patch no-such-file.json {patch}"), "").expect(3);
}

#[test]
fn a_plan_is_patched_by_its_steps() {
    let scratch = Scratch::new();
    let plan =
        scratch.file("plan.json", r#"{"steps": [{"id": "a"}, {"id": "b", "depends_on": ["a"]}]}"#);
    let arguments = |flags: &str| format!("patch {flags} {} -", plan.display());
    let changed = run(&arguments("--quiet"), "{'remove_steps': ['a']}").expect(0).json();
    assert_eq!(changed, json!({"steps": [{"id": "b"}]}));
    let refused =
        run(&arguments("--report json"), "{'remove_steps': ['c'], 'add_steps': [{'id': 'b'}]}");
    assert_eq!(rows(&refused.expect(1).json(), "error"), ["patch/unknown", "patch/twice"]);
}

#[test]
fn every_finding_is_shown_in_its_place() {
    let refused = run("plan", FAULTY).expect(1);
    assert_eq!(refused.stdout, "");
    insta::assert_snapshot!("plan_findings", refused.stderr);
    // What is safe is put right, and stays on record; the rest stands.
    let report = run("plan --fix --report json", FAULTY).expect(1).json();
    assert_eq!(rows(&report, "error"), ["plan/unknown-dependency"]);
    assert_eq!(report["error"]["start"], json!(FAULTY.find("'c'")));
    assert_eq!(report["plan"]["steps"][1]["depends_on"], json!(["a", "c"]));
    assert_eq!(report["plan"]["steps"][2]["depends_on"], json!(null));
}

#[test]
fn tools_come_from_a_catalog() {
    let scratch = Scratch::new();
    let plan =
        "{steps: [{id: 'a', tool: 'send_mial', inputs: {to: 'x'}}, {id: 'b', tool: 'post'}]}";
    let catalog = workflow("tools.json");
    let report = run(&format!("plan --report json --catalog {catalog}"), plan).expect(1).json();
    // All at once: that there is no such tool, and that another is not given what it takes.
    assert_eq!(rows(&report, "error"), ["plan/unknown-tool", "plan/arguments"], "{report}");
    assert_eq!(report["dialect"], "canonical");
    let dropped =
        run(&format!("plan --on-bad-step drop --catalog {catalog} --report json"), plan).json();
    assert!(rows(&dropped, "warning").contains(&"plan/unknown-tool"), "{dropped}");
    run(&format!("plan --catalog {}", scratch.path().join("none.json").display()), plan).expect(3);
    for (text, code) in [
        ("{'a': 1}", "not strict JSON"),
        ("[1]", "catalog/wrong-type"),
        ("[{\"name\": \"a\"}, {\"name\": \"a\"}]", "catalog/duplicate-tool"),
    ] {
        let file = scratch.file("bad.json", text);
        for command in ["plan", "batch --as plan", "workflow check"] {
            let run = run(&format!("{command} --catalog {}", file.display()), "").expect(2);
            assert_eq!(run.stdout, "");
            assert!(run.stderr.contains(code), "{}", run.stderr);
        }
    }
}

#[test]
fn a_workflow_is_checked_and_written_in_another_form() {
    let flow = workflow("newsletter.json");
    let sound = run(&format!("workflow check {flow}"), "").expect(0);
    assert_eq!(sound.stdout, "");
    assert!(sound.stderr.contains("6 nodes and 5 edges"), "{}", sound.stderr);
    let lost = run(&format!("workflow convert --to clickweave-graph {flow}"), "").expect(0);
    assert_eq!(lost.json()["nodes"][0]["step_type"], "Tool");
    // What the form cannot carry is told.
    assert!(lost.stderr.contains("plan/not-carried"), "{}", lost.stderr);
    let written = lost.stdout;
    let back = run("plan --quiet --to workflow", &written).expect(0).json();
    assert_eq!(
        back["edges"][3],
        json!({"from": "agreed", "to": "send", "output": {"type": "if_true"}})
    );
    // S3-25, S3-26, S3-28: a branch that is missing, a cycle, a node that no edge touches.
    let broken = r#"{"nodes": [
        {"id": "a", "type": "tool", "tool": "x"},
        {"id": "if", "type": "if", "condition": {"left": {"type": "variable", "name": "a.ok"}, "operator": "equals", "right": {"type": "literal", "value": true}}},
        {"id": "b", "type": "tool", "tool": "x"}, {"id": "c", "type": "tool", "tool": "x"}, {"id": "d", "type": "tool", "tool": "x"}],
        "edges": [{"from": "a", "to": "if"}, {"from": "if", "to": "b", "output": {"type": "if_true"}}, {"from": "b", "to": "c"}, {"from": "c", "to": "b"}]}"#;
    let report = run("workflow check --report json", broken).expect(1).json();
    for code in ["workflow/missing-branch", "workflow/cycle", "workflow/orphan"] {
        assert!(rows(&report, "error").contains(&code), "{code} in {report}");
    }
    run("workflow", "").expect(2);
    run("workflow convert", "").expect(2);
    run("plan --to llmcompiler", FAULTY).expect(2);
    run("plan --to auto", FAULTY).expect(2);
    run("plan --to canonical", FAULTY).expect(2);
    run("plan --disable iff", FAULTY).expect(2);
    run("plan --on-bad-step skip", FAULTY).expect(2);
}

#[test]
fn a_plan_that_is_no_sound_workflow_is_reported() {
    let fork = "{steps: [{id: 'a', tool: 'x'}, {id: 'b', tool: 'x', depends_on: ['a']}, {id: 'c', tool: 'x', depends_on: ['a']}]}";
    let line = "{steps: [{id: 'a', tool: 'x'}, {id: 'b', tool: 'x', depends_on: ['a']}]}";
    let list = "1. Boil water\n2. Pour it\n";
    for form in ["workflow", "clickweave-graph"] {
        for (text, expected) in
            [(fork, "workflow/several-successors"), (list, "workflow/several-entries"), (line, "")]
        {
            let report = run(&format!("plan --to {form} --report json"), text).expect(0).json();
            let told = rows(&report, "warning");
            let told: Vec<_> = told.iter().filter(|code| code.starts_with("workflow/")).collect();
            assert_eq!(told.first().map_or("", |code| **code), expected, "{form} {report}");
            let written = run(&format!("plan --quiet --to {form}"), text).expect(0).stdout;
            let code = i32::from(!expected.is_empty());
            run("workflow check", &written).expect(code);
        }
    }
    // As a plan it is sound, and nothing is told.
    let report = run("plan --report json", fork).expect(0).json();
    assert_eq!(rows(&report, "warning"), [""; 0]);
}

#[test]
fn a_patch_is_no_plan() {
    let refused = answer("plan", "patch.txt").expect(1);
    assert!(refused.stderr.contains("Apply it with `llmend patch`"), "{}", refused.stderr);
}

#[test]
fn plans_come_in_batches() {
    let lines = ["{\"steps\": [{\"id\": \"a\", \"tool\": \"x\"}]}", FAULTY, "no plan"]
        .map(|text| json!({"answer": text}).to_string());
    let input = lines.join("\n");
    let done = run("batch --field answer --as plan", &input).expect(0).json_lines();
    let status: Vec<_> = done.iter().map(|row| row["status"].clone()).collect();
    assert_eq!(status, ["unchanged", "refused", "refused"]);
    assert_eq!(done[0]["dialect"], "canonical");
    assert_eq!(done[1]["plan"]["steps"][0]["id"], "a");
    assert_eq!(done[2]["plan"], json!(null));
    assert_eq!(done[2]["error"]["code"], "extract/no-json");
    // The object is that of `llmend plan --report json`.
    let mut single = run("plan --report json", FAULTY).expect(1).json();
    single["line"] = json!(2);
    assert_eq!(done[1], single);
    let flows = run("batch --field answer --as workflow", &input).expect(0).json_lines();
    let flow: Value =
        serde_json::from_str(flows[0]["json"].as_str().expect("a text")).expect("JSON");
    assert_eq!(flow["nodes"][0]["type"], "tool");
    run("batch --as plan --schema x.json", "").expect(2);
    run("batch --as mermaid", "").expect(2);
    run("batch --fix", "").expect(2);
}

#[test]
fn a_plan_without_steps_is_one_where_its_dialect_says_so() {
    // S0-23: the minimal plan of OpenManus has no steps.
    let minimal = r#"{"version": "1", "objective": "x", "steps": []}"#;
    let run_as = |dialect| run(&format!("plan --dialect {dialect}"), minimal);
    assert_eq!(run_as("openmanus").expect(0).json()["steps"], json!([]));
    assert!(run_as("canonical").expect(1).stderr.contains("plan/empty"));
}

#[test]
fn the_patch_between_two_workflows_makes_the_second_of_the_first() {
    let scratch = Scratch::new();
    let rows = [
        (
            r#"{"nodes": [{"id": "a", "type": "tool", "tool": "x"}, {"id": "b", "type": "tool", "tool": "y"}], "edges": [{"from": "a", "to": "b"}]}"#,
            r"Sure: {nodes: [{id: 'a', type: 'tool', tool: 'z'}, {id: 'c', type: 'tool', tool: 'y'}], edges: [{from: 'a', to: 'c'}]}",
        ),
        (
            r#"{"steps": [{"id": "a", "tool": "x"}, {"id": "b", "tool": "y", "depends_on": ["a"]}]}"#,
            r#"{"steps": [{"id": "a", "tool": "x"}, {"id": "b", "tool": "y"}, {"id": "c", "tool": "z", "depends_on": ["b"]}]}"#,
        ),
    ];
    for (before, after) in rows {
        let (old, new) = (scratch.file("old.json", before), scratch.file("new.txt", after));
        let (old, new) = (old.display(), new.display());
        let diff = run(&format!("workflow diff {old} {new}"), "").expect(0);
        let patch = scratch.file("patch.json", &diff.stdout);
        let patched = run(&format!("patch {old} {}", patch.display()), "").expect(0);
        let wanted = run(&format!("plan {new}"), "").expect(0);
        assert_eq!(patched.json(), wanted.json(), "{}", diff.stdout);
    }
}

#[test]
fn a_difference_says_what_no_patch_can_say() {
    let scratch = Scratch::new();
    let old =
        scratch.file("old.json", r#"{"objective": "o", "steps": [{"id": "a", "tool": "x"}]}"#);
    let other = r#"{"objective": "p", "steps": [{"id": "a", "tool": "x"}]}"#;
    let diff = run(&format!("workflow diff {} -", old.display()), other).expect(0);
    assert_eq!(diff.stdout.trim(), "{}");
    assert!(diff.stderr.contains("patch/not-carried"), "{}", diff.stderr);
    let twice = r#"{"steps": [{"id": "a", "tool": "x"}, {"id": "a", "tool": "y"}]}"#;
    let refused = run(&format!("workflow diff {} -", old.display()), twice).expect(1);
    assert_eq!(refused.stdout, "");
    let both = run("workflow diff - -", "").expect(2);
    assert!(both.stderr.contains("standard input"), "{}", both.stderr);
}

#[test]
fn workflows_of_other_tools_are_read() {
    for (text, first) in [
        ("flowchart TD\n  A[Read] --> B{ok?}\n  B -->|yes| C[Go]\n  B -->|no| D[Stop]\n", "A"),
        (
            r#"{"StartAt": "A", "States": {"A": {"Type": "Pass", "Next": "B"}, "B": {"Type": "Succeed"}}}"#,
            "A",
        ),
        (
            r#"{"nodes": [{"name": "A", "type": "n8n-nodes-base.noOp", "parameters": {}}], "connections": {}}"#,
            "A",
        ),
        (
            r#"{"nodes": [{"id": "__start__"}, {"id": "A"}], "edges": [{"source": "__start__", "target": "A"}]}"#,
            "A",
        ),
        (
            r#"{"arazzo": "1.0.1", "workflows": [{"workflowId": "w", "steps": [{"stepId": "A", "operationId": "x"}]}]}"#,
            "A",
        ),
    ] {
        let read = run("plan", text).expect(0);
        let value: serde_json::Value = serde_json::from_str(&read.stdout).expect(text);
        assert_eq!(value["nodes"][0]["id"], first, "{text}");
    }
    // What is drawn is read back.
    let plan =
        r#"{"steps": [{"id": "a", "tool": "x"}, {"id": "b", "tool": "y", "depends_on": ["a"]}]}"#;
    let drawn = run("workflow draw --to mermaid", plan).expect(0);
    let read = run("plan", &drawn.stdout).expect(0);
    let value: serde_json::Value = serde_json::from_str(&read.stdout).expect("JSON");
    assert_eq!(value["edges"], serde_json::json!([{"from": "a", "to": "b"}]));
}

#[test]
fn a_form_that_is_not_read_is_named() {
    for (text, form) in [
        ("sequenceDiagram\n  A->>B: hello\n", "a Mermaid sequence diagram"),
        ("<bpmn:definitions/>", "a BPMN diagram"),
        (r#"{"openapi": "3.1.0", "paths": {}}"#, "an OpenAPI description"),
    ] {
        let refused = run("plan", text).expect(1);
        let message =
            format!("error[plan/unread-form]: this is {form}, which is not read as a plan");
        assert!(refused.stderr.contains(&message), "{text}: {}", refused.stderr);
        assert!(!refused.stderr.contains("no JSON"), "{}", refused.stderr);
    }
    // YAML is read, so a fault in it is told with its place.
    let refused = run("plan", "steps:\n  - id: &a a\n    tool: x\n").expect(1);
    assert!(refused.stderr.contains("without YAML anchors"), "{}", refused.stderr);
    assert!(refused.stderr.contains("2 |   - id: &a a"), "{}", refused.stderr);
}
