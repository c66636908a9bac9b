//! Dependencies and inputs in other tools' words, and forms that are known and not read.

use llmend_plan::{Document, Error, Options, read_text};
use serde_json::{Value, json};

/// The steps in canonical JSON.
fn steps(text: &str) -> Value {
    let read = read_text(text, &Options::default())
        .unwrap_or_else(|error| panic!("{text}: {error} {:#?}", error.diagnostics()));
    let Document::Plan(plan) = read.value else { panic!("{text}: a plan") };
    serde_json::to_value(plan.steps).expect("JSON")
}

/// The dependencies of the last step.
fn last(text: &str) -> Vec<String> {
    let steps = steps(text);
    let last = steps.as_array().and_then(|steps| steps.last()).cloned().unwrap_or_default();
    serde_json::from_value(last.get("depends_on").cloned().unwrap_or(json!([]))).expect("names")
}

#[test]
fn dependencies_are_read_in_other_words() {
    let rows: &[(&str, &[&str])] = &[
        (
            r#"{"todos": [{"id": "1", "content": "Read"}, {"id": "2", "content": "Write", "dependencies": ["1"]}]}"#,
            &["1"],
        ),
        (
            r#"{"todo_list": [{"id": 1, "task": "Read"}, {"id": 2, "task": "Write", "blocked_by": [1]}]}"#,
            &["1"],
        ),
        (
            r#"[{"task_id": "1", "instruction": "Read"}, {"task_id": "2", "instruction": "Write", "dependent_task_ids": ["1"]}]"#,
            &["1"],
        ),
        (
            r#"{"tasks": [{"id": "a", "tool": "x"}, {"id": "b", "tool": "y", "parent_task_ids": ["a"]}]}"#,
            &["a"],
        ),
        (
            r#"{"tasks": [{"id": "a", "tool": "x"}, {"id": "b", "tool": "y", "prerequisite_task_ids": ["a"]}]}"#,
            &["a"],
        ),
        (r#"[{"id": "a", "tool": "x"}, {"id": "b", "tool": "y", "context": ["a"]}]"#, &["a"]),
        (
            r#"{"tasks": [{"name": "plan it", "agent": "p"}, {"name": "do it", "agent": "d", "context": ["plan it"]}]}"#,
            &["1"],
        ),
        (
            r#"{"tasks": [{"name": "plan it", "agent": "p"}, {"name": "do it", "agent": "d", "depends_on": ["plan it"]}]}"#,
            &["1"],
        ),
        // A context that is no list of steps is metadata, as are the steps that follow.
        (r#"[{"id": "a", "tool": "x"}, {"id": "b", "tool": "y", "context": ["weather"]}]"#, &[]),
        (r#"[{"id": "a", "tool": "x"}, {"id": "b", "tool": "y", "context": "a"}]"#, &[]),
        (r#"[{"id": "a", "tool": "x"}, {"id": "b", "tool": "y", "child_task_ids": ["a"]}]"#, &[]),
        ("1. Read\n2. Write (depends on 1)\n", &["1"]),
        ("1. Read\n2. Tidy\n3. **Write**: the text (after steps 1 and 2)\n", &["1", "2"]),
        ("1. Read\n2. Write\n   - Depends on: 1\n", &["1"]),
        ("- [x] Read\n- [ ] Write (needs 1)\n", &["1"]),
        ("1. Read\n2. Write (depends on the weather)\n", &[]),
    ];
    for (text, expected) in rows {
        assert_eq!(last(text), *expected, "{text}");
    }
}

#[test]
fn a_dependency_leaves_the_text_of_a_markdown_item() {
    let text = "1. Read\n2. **Write** (depends on 1)\n   in short words\n   Depends on: 1\n";
    assert_eq!(
        steps(text)[1],
        json!({"id": "2", "title": "Write", "description": "in short words", "depends_on": ["1"]})
    );
}

#[test]
fn inputs_may_be_json_text() {
    for (inputs, expected) in [
        (r#""{\"q\": \"x\", \"n\": 2}""#, json!({"q": "x", "n": 2})),
        (r#""{'q': 'x', n: 2}""#, json!({"q": "x", "n": 2})),
        (r#"" {} ""#, Value::Null),
    ] {
        let text = format!(r#"{{"steps": [{{"id": "a", "tool": "x", "inputs": {inputs}}}]}}"#);
        assert_eq!(steps(&text)[0]["inputs"], expected, "{text}");
        let flow = format!(
            r#"{{"nodes": [{{"id": "a", "type": "tool", "tool": "x", "arguments": {inputs}}}]}}"#
        );
        let read = read_text(&flow, &Options::default()).expect(&flow);
        let value = serde_json::to_value(read.value).expect("JSON");
        assert_eq!(value["nodes"][0]["arguments"], expected, "{flow}");
    }
    for inputs in [r#""Oslo""#, r#""find {x}""#, r#""[1]""#, r#""{\"q\": }, {""#] {
        let text = format!(r#"{{"steps": [{{"id": "a", "tool": "x", "inputs": {inputs}}}]}}"#);
        assert!(read_text(&text, &Options::default()).is_err(), "{text}");
    }
}

#[test]
fn the_order_of_keys_is_no_finding() {
    let text = r#"{"steps": [{"id": "a", "tool": "x", "inputs": {"z": 1, "b": {"y": 1, "a": 2}}, "m": {"z": 1, "a": 2}}]}"#;
    let read = read_text(text, &Options::default()).expect(text);
    let codes: Vec<_> = read.diagnostics.iter().map(|row| &*row.code).collect();
    assert_eq!(codes, ["plan/unknown-field"]);
}

#[test]
fn a_form_that_is_not_read_is_named() {
    for (text, form) in [
        ("sequenceDiagram\n  A->>B: hello", "a Mermaid sequence diagram"),
        ("Plan:\n```mermaid\nstateDiagram-v2\n[*] --> A\n```", "a Mermaid state diagram"),
        ("<?xml version=\"1.0\"?><bpmn:definitions/>", "a BPMN diagram"),
        ("steps:\n  - id: &a a\n    tool: x\n", "YAML"),
        (r#"{"document": {"dsl": "1.0.0"}, "do": []}"#, "a Serverless Workflow definition"),
        (r#"{"openapi": "3.1.0", "paths": {}}"#, "an OpenAPI description"),
    ] {
        let error = read_text(text, &Options::default()).expect_err(text);
        assert!(matches!(error, Error::Unreadable { .. }), "{text}: {error}");
        let [row] = error.diagnostics() else { panic!("{text}: {:#?}", error.diagnostics()) };
        assert_eq!(row.code, "plan/unread-form", "{text}");
        assert_eq!(row.message, format!("this is {form}, which is not read as a plan"), "{text}");
    }
}

#[test]
fn a_plan_in_yaml_is_read() {
    let yaml = "steps:\n  - id: a\n    tool: x\n    depends_on: []\n  - id: b\n    tool: y\n";
    for text in [yaml.to_owned(), format!("My plan:\n```yaml\n{yaml}```\n")] {
        assert_eq!(steps(&text)[1]["id"], "b", "{text}");
    }
}

#[test]
fn a_plan_beside_a_diagram_is_read() {
    let text = "```mermaid\ngraph TD\nA-->B\n```\n{\"steps\": [{\"id\": \"a\", \"tool\": \"x\"}]}";
    assert_eq!(steps(text)[0]["id"], "a");
    let faulty = "```mermaid\ngraph TD\nA-->B\n```\n{\"steps\": [{\"id\": \"a\", \"tool\": 7}]}";
    let error = read_text(faulty, &Options::default()).expect_err(faulty);
    assert_eq!(error.diagnostics()[0].code, "plan/wrong-type");
}
