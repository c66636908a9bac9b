//! Updates of nodes in the forms that models write, and what they do.

use llmend_plan::{Gaps, Options, Workflow, apply, read_patch};
use serde_json::{Value, json};

fn workflow() -> Workflow {
    serde_json::from_value(json!({
        "nodes": [
            {"id": "a", "name": "Look", "type": "tool", "tool": "search", "arguments": {"q": "x", "n": 3}},
            {"id": "b", "type": "ai_step", "prompt": "sum up", "max_tool_calls": 2},
            {"id": "c", "type": "loop", "exit_condition": {"left": {"type": "variable", "name": "a.found"}, "operator": "is_empty"}, "max_iterations": 5},
            {"id": "d", "type": "ai_transform", "kind": "summarize", "input_ref": "a.text", "retries": 2},
        ],
    }))
    .expect("a workflow")
}

/// The node at `index` after the patch in `text`, with the codes of the findings, or the errors.
fn patched(text: &str, index: usize) -> (Value, String) {
    let parsed = llmend_json::parse(text).expect(text);
    let codes = |rows: &[llmend_json::Diagnostic]| {
        let rows =
            rows.iter().map(|row| format!("{} {}", row.code, row.path.as_deref().unwrap_or("-")));
        rows.collect::<Vec<_>>().join(", ")
    };
    let read = match read_patch(&parsed.value, &Options::default()) {
        Ok(read) => read,
        Err(error) => return (Value::Null, codes(error.diagnostics())),
    };
    let before = workflow();
    match apply(&before, &read.value, Gaps::Leave) {
        Ok(made) => {
            let node = &made.or(before).nodes[index];
            (serde_json::to_value(node).expect("JSON"), codes(&read.diagnostics))
        }
        Err(error) => (Value::Null, codes(&error.violations)),
    }
}

#[test]
fn whole_nodes_and_flat_fields_change_what_they_state() {
    let found = json!({"id": "a", "name": "Look", "type": "tool", "tool": "find", "arguments": {"q": "x", "n": 3}});
    let whole =
        json!({"id": "a", "name": "Look", "type": "tool", "tool": "find", "arguments": {"q": "y"}});
    let short = json!({"id": "b", "type": "ai_step", "prompt": "short", "max_tool_calls": 2});
    let rows: &[(&str, usize, &Value)] = &[
        (r#"{"update_nodes": [{"id": "a", "tool": "find"}]}"#, 0, &found),
        (r#"{"update_nodes": [{"id": "a", "type": "tool", "tool": "find"}]}"#, 0, &found),
        (r#"{"update_nodes": [{"id": "a", "changes": {"tool": "find"}}]}"#, 0, &found),
        (
            r#"{"update_nodes": [{"nodeId": "a", "set": {"id": "a", "tool_name": "find"}}]}"#,
            0,
            &found,
        ),
        (r#"{"update": [{"node_id": "a", "step_type": "Tool", "tool_name": "find"}]}"#, 0, &found),
        (
            r#"{"update_nodes": [{"id": "a", "name": "Look", "type": "tool", "tool": "find", "arguments": {"q": "y"}}]}"#,
            0,
            &whole,
        ),
        (
            r#"{"update_nodes": [{"id": "a", "name": "Look", "kind": "tool", "tool": "find", "arguments": "{\"q\": \"y\"}"}]}"#,
            0,
            &whole,
        ),
        (
            r#"{"update_nodes": [{"id": "a", "replace": {"type": "tool", "name": "Look", "tool": "find", "arguments": {"q": "y"}}}]}"#,
            0,
            &whole,
        ),
        // By id, each in the same forms, and a single one.
        (r#"{"update_nodes": {"a": {"tool": "find"}}}"#, 0, &found),
        (r#"{"update": {"a": {"id": "a", "type": "tool", "tool": "find"}}}"#, 0, &found),
        (r#"{"update_nodes": {"b": {"name": "B"}, "a": {"set": {"tool": "find"}}}}"#, 0, &found),
        (r#"{"update_nodes": {"a": {"id": "a", "changes": {"tool": "find"}}}}"#, 0, &found),
        (r#"{"patch": {"update_nodes": {"a": {"tool": "find"}}}}"#, 0, &found),
        (
            r#"{"update_nodes": {"a": {"replace": {"type": "tool", "name": "Look", "tool": "find", "arguments": {"q": "y"}}}}}"#,
            0,
            &whole,
        ),
        (r#"{"update_nodes": {"id": "a", "tool": "find"}}"#, 0, &found),
        (r#"{"update_nodes": {"id": "a", "changes": {"tool": "find"}}}"#, 0, &found),
        (r#"{"update_nodes": [{"id": "b", "prompt": "short"}]}"#, 1, &short),
        (r#"{"update_nodes": [{"id": "b", "type": "ai_step", "prompt": "short"}]}"#, 1, &short),
        (r#"{"update_nodes": [{"change": {"id": "b", "prompt": "short"}}]}"#, 1, &short),
    ];
    for (text, index, expected) in rows {
        assert_eq!(patched(text, *index), ((*expected).clone(), String::new()), "{text}");
    }
}

#[test]
fn each_kind_has_its_fields() {
    let rows = [
        (r#"{"id": "c", "max_iterations": 9}"#, 2, "/max_iterations", json!(9)),
        (
            r#"{"id": "c", "condition": {"left": "a.count", "op": ">", "right": 3}}"#,
            2,
            "/exit_condition/operator",
            json!("greater_than"),
        ),
        (
            r#"{"id": "c", "type": "loop", "exit_condition": {"left": "a.count", "op": ">", "right": 3}}"#,
            2,
            "/max_iterations",
            json!(5),
        ),
        (r#"{"id": "d", "kind": "extract"}"#, 3, "/kind", json!("extract")),
        (
            r#"{"id": "d", "type": "ai_transform", "kind": "extract", "input_ref": "b.text"}"#,
            3,
            "/retries",
            json!(2),
        ),
        (r#"{"id": "b", "type": "tool", "tool": "mail"}"#, 1, "/tool", json!("mail")),
        (
            r#"{"id": "a", "type": "if", "condition": {"left": "b.found", "op": "=", "right": true}}"#,
            0,
            "/condition/left/name",
            json!("b.found"),
        ),
        (r#"{"id": "a", "metadata": {"owner": "me"}}"#, 0, "/metadata/owner", json!("me")),
    ];
    for (update, index, path, expected) in rows {
        let (node, codes) = patched(&format!(r#"{{"update_nodes": [{update}]}}"#), index);
        assert_eq!((node.pointer(path), &*codes), (Some(&expected), ""), "{update}: {node}");
    }
}

#[test]
fn what_does_not_fit_the_node_is_an_error() {
    let rows = [
        (r#"{"id": "a", "prompt": "p"}"#, "patch/unfit /update_nodes/0/change"),
        (r#"{"id": "b", "type": "tool"}"#, "patch/unfit /update_nodes/0/change"),
        (r#"{"id": "b", "type": "tool", "prompt": "p"}"#, "patch/unfit /update_nodes/0/change"),
        (r#"{"id": "a", "type": "teleport"}"#, "plan/unknown-type /update_nodes/0/type"),
        (r#"{"id": "a", "tol": "find"}"#, "plan/unknown-field /update_nodes/0/tol"),
        (
            r#"{"id": "a", "changes": {"id": "x", "tool": "find"}}"#,
            "plan/wrong-type /update_nodes/0/changes/id",
        ),
        (r#"{"tool": "find"}"#, "plan/no-valid-step , plan/missing-field /update_nodes/0/id"),
        (r#"{"id": "a"}"#, "plan/missing-field /update_nodes/0"),
        (r#"{"id": "a", "arguments": "q=y"}"#, "plan/wrong-type /update_nodes/0/arguments"),
    ];
    for (update, expected) in rows {
        let (node, codes) = patched(&format!(r#"{{"update_nodes": [{update}]}}"#), 0);
        assert_eq!((node, &*codes), (Value::Null, expected), "{update}");
    }
}

#[test]
fn what_does_not_fit_an_object_of_updates_is_an_error() {
    let rows = [
        (r#"{"a": {"prompt": "p"}}"#, "patch/unfit /update_nodes/0/change"),
        (r#"{"x/y": {"tool": "find"}}"#, "patch/unknown /update_nodes/0/change/id"),
        (r#"{"a": {"id": "b", "tool": "find"}}"#, "plan/wrong-type /update_nodes/a/id"),
        (r#"{"a": {"id": "b", "set": {"tool": "find"}}}"#, "plan/wrong-type /update_nodes/a/id"),
        (r#"{"a": {"tol": "find"}}"#, "plan/unknown-field /update_nodes/a/tol"),
        (r#"{"a": {}}"#, "plan/missing-field /update_nodes/a"),
        (r#"{"a": "find"}"#, "plan/wrong-type /update_nodes"),
        (r#"{"tool": "find", "arguments": {}}"#, "plan/wrong-type /update_nodes"),
    ];
    for (updates, expected) in rows {
        let (node, codes) = patched(&format!(r#"{{"update_nodes": {updates}}}"#), 0);
        assert_eq!((node, &*codes), (Value::Null, expected), "{updates}");
    }
}

#[test]
fn null_leaves_a_field_as_it_is_with_a_warning() {
    let text = r#"{"update_nodes": [{"id": "a", "tool": "find", "name": null}]}"#;
    let (node, codes) = patched(text, 0);
    assert_eq!(node["name"], "Look");
    assert_eq!(codes, "plan/left-aside /update_nodes/0/name");
}

#[test]
fn removed_nodes_may_be_named_by_objects() {
    let text = r#"{"remove_nodes": [{"id": "a"}, "b"]}"#;
    assert_eq!(patched(text, 0).0["id"], "c");
}
