//! Dependencies and inputs in other tools' words, and forms that are known and not read.

use llmend_plan::{
    Catalog, Dialect, Document, Error, Layout, Options, Ordered, read_calls, read_text, review,
    write_reviewed,
};
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
        // A context that is no list of steps is metadata.
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

/// The dependencies of all steps, as `id<dependency,dependency`.
fn dependencies(text: &str) -> String {
    let steps = steps(text);
    let steps = steps.as_array().into_iter().flatten().map(|step| {
        let names = step["depends_on"].as_array().into_iter().flatten();
        let names: Vec<&str> = names.filter_map(Value::as_str).collect();
        format!("{}<{}", step["id"].as_str().unwrap_or_default(), names.join(","))
    });
    steps.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_steps_behind_a_step_depend_on_it() {
    for field in
        ["downstream_task_ids", "_downstream_task_ids", "downstream", "child_task_ids", "blocks"]
    {
        let text = r#"{"tasks": [{"task_id": "a", "F": ["b", "c"]}, {"task_id": "b", "F": ["d"]}, {"task_id": "c", "F": ["d"]}, {"task_id": "d", "F": []}]}"#;
        let text = text.replace('F', field);
        assert_eq!(dependencies(&text), "a< b<a c<a d<b,c", "{text}");
        let read = read_text(&text, &Options::default()).expect(&text);
        assert_eq!(read.diagnostics, [], "{text}");
        let place = read.locations.of("/steps/3/depends_on/1").expect("a place");
        assert_eq!(place.path, Some(format!("/tasks/2/{field}/0")));
    }
    let rows = [
        // One name, numbers, objects, and both directions.
        (r#"[{"id": 1, "downstream": 2}, {"id": 2}]"#, "1< 2<1"),
        (r#"[{"id": "a", "successors": [{"id": "b"}]}, {"id": "b"}]"#, "a< b<a"),
        (
            r#"[{"id": "a", "downstream_task_ids": ["b"]}, {"id": "b", "upstream_task_ids": ["a"]}]"#,
            "a< b<a",
        ),
        (
            r#"[{"id": "a", "downstream_task_ids": ["c", "c"]}, {"id": "b"}, {"id": "c", "depends_on": ["b"]}]"#,
            "a< b< c<b,a",
        ),
        // A later step may come first in the text.
        (r#"[{"id": "b"}, {"id": "a", "required_by": ["b"]}]"#, "b<a a<"),
        // What names no step is metadata.
        (r#"[{"id": "a", "blocks": ["the road"]}, {"id": "b"}]"#, "a< b<"),
        (r#"[{"id": "a", "blocks": [{"type": "text"}]}, {"id": "b"}]"#, "a< b<"),
        (r#"[{"id": "a", "downstream": {"id": 7}}, {"id": "b"}]"#, "a< b<"),
    ];
    for (text, expected) in rows {
        assert_eq!(dependencies(text), expected, "{text}");
    }
}

#[test]
fn an_unknown_step_behind_a_step_is_an_error() {
    let text = r#"[{"id": "a", "downstream_task_ids": ["b", "x"]}, {"id": "b"}]"#;
    let error = read_text(text, &Options::default()).expect_err(text);
    let found: Vec<_> =
        error.diagnostics().iter().map(|row| (&*row.code, row.path.as_deref())).collect();
    assert_eq!(found, [("plan/unknown-dependency", Some("/0/downstream_task_ids/1"))]);
}

#[test]
fn the_order_of_arguments_is_that_of_the_text() {
    let rows = [
        (
            r#"{"steps": [{"id": "a", "tool": "x", "inputs": {"z": 1, "b": [{"y": 1, "a": {"d": 1, "c": 0.5}}]}}, {"id": "b", "tool": "x", "inputs": {"a": 1, "b": 2}}]}"#,
            r#"{"z":1,"b":[{"y":1,"a":{"d":1,"c":0.5}}]} {"a":1,"b":2}"#,
        ),
        (
            r#"[{"id": "a", "tool": "x", "inputs": "{\"to\": \"me\", \"body\": {\"z\": null, \"b\": \"ü\"}}"}]"#,
            r#"{"to":"me","body":{"z":null,"b":"ü"}}"#,
        ),
        (
            r#"[{"type": "tool_use", "id": "a", "name": "x", "input": {"z": 1, "b": 2}}]"#,
            r#"{"z":1,"b":2}"#,
        ),
        (
            r#"{"tool_calls": [{"id": "a", "function": {"name": "x", "arguments": "{\"z\": 1, \"b\": 2}"}}]}"#,
            r#"{"z":1,"b":2}"#,
        ),
        (r#"{"tasks": [{"name": "x", "arguments": {"z": 1, "b": 2}}]}"#, r#"{"z":1,"b":2}"#),
        (
            r#"{"nodes": [{"id": "a", "type": "tool", "tool": "x", "arguments": {"z": 1, "b": 2}}], "edges": []}"#,
            r#"{"z":1,"b":2}"#,
        ),
        (
            r#"{"nodes": [{"name": "A", "type": "n8n-nodes-base.set", "parameters": {"z": 1, "b": {"y": 1, "a": 2}}}], "connections": {}}"#,
            r#"{"z":1,"b":{"y":1,"a":2}}"#,
        ),
        (
            r#"{"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "x", "Parameters": {"z": 1, "b": 2}, "End": true}}}"#,
            r#"{"z":1,"b":2}"#,
        ),
        // Keys that are escaped in a path.
        (
            r#"[{"id": "a", "tool": "x", "inputs": {"b/c": {"z": 1, "a~": 2}, "a": 1}}]"#,
            r#"{"b/c":{"z":1,"a~":2},"a":1}"#,
        ),
    ];
    for (text, expected) in rows {
        let read = read_text(text, &Options::default()).expect(text);
        let ordered = Ordered { document: &read.value, locations: &read.locations };
        let json = serde_json::to_string(&ordered).expect("JSON");
        let parsed = llmend_json::parse(&json).expect(&json);
        let root = parsed.value.root();
        let items = root.get("steps").or_else(|| root.get("nodes")).expect(&json);
        let inputs =
            items.items().filter_map(|it| it.get("inputs").or_else(|| it.get("arguments")));
        let inputs: Vec<&str> = inputs.map(|it| it.span().of(&json)).collect();
        assert_eq!(inputs.join(" "), expected, "{text}");
        // It is the same document, with the same fields in the same order.
        let sorted: Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(sorted, serde_json::to_value(&read.value).expect("JSON"), "{text}");
    }
}

#[test]
fn the_order_of_arguments_holds_for_renamed_ones_and_in_a_workflow() {
    let tools = json!({"mail": {"type": "object", "properties": {"to": {"type": "string"}, "body": {"type": "string"}, "at": {"type": "integer", "default": 1}}, "required": ["to", "body", "at"]}});
    let catalog = Some(Catalog::read(&tools).expect("a catalog"));
    let options = Options { catalog, ..Options::default() };
    let text = r#"[{"id": "a", "tool": "mail", "inputs": {"To": "me", "Body": "hi"}}]"#;
    let reviewed = review(text, &options).expect(text);
    for (dialect, field) in [(Dialect::Canonical, "inputs"), (Dialect::Workflow, "arguments")] {
        let written = write_reviewed(&reviewed, dialect, Layout::Compact).expect(text);
        let expected = format!(r#""{field}":{{"to":"me","body":"hi","at":1}}"#);
        assert!(written.text.contains(&expected), "{}", written.text);
    }
    let written = write_reviewed(&reviewed, Dialect::OpenAiToolCalls, Layout::Compact).expect(text);
    let expected = r#""arguments":"{\"to\":\"me\",\"body\":\"hi\",\"at\":1}""#;
    assert!(written.text.contains(expected), "{}", written.text);
}

#[test]
fn the_order_of_arguments_is_that_of_a_call() {
    let text = "<|tool_call_start|>[search(z=1, b=2)]<|tool_call_end|>";
    let reading = llmend_calls::read(
        text,
        &llmend_calls::Tools::default(),
        &llmend_calls::Options::default(),
    );
    let read = read_calls(&reading, text, &Options::default());
    let document = read.value.expect(text);
    let json = serde_json::to_string(&Ordered { document: &document, locations: &read.locations });
    let expected = r#"{"steps":[{"id":"1","tool":"search","inputs":{"z":1,"b":2}}]}"#;
    assert_eq!(json.expect("JSON"), expected);
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
fn a_plan_in_yaml_that_cannot_be_read_has_the_place_of_its_error() {
    for text in
        ["steps:\n  - id: &a a\n    tool: x\n", "```yaml\nsteps:\n  - id: &a a\n    tool: x\n```"]
    {
        let error = read_text(text, &Options::default()).expect_err(text);
        let Error::NoJson { error, .. } = error else { panic!("{text}: {error}") };
        let place = text.find("&a").map(|at| at + "&a ".len());
        assert_eq!(error.span().map(|span| span.start), place, "{text}: {error}");
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
