//! The JSON form of plans and workflows, and their conversion.

use llmend_plan::{
    Case, Catalog, Condition, Edge, Literal, Map, Node, NodeKind, NodeType, Operator, Output,
    Patch, Plan, TaskResult, TaskStatus, ValueRef, Workflow,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// `json` reads as a `T` and is written the same.
fn same<T: Serialize + DeserializeOwned>(json: &Value) -> T {
    let value: T =
        serde_json::from_value(json.clone()).unwrap_or_else(|error| panic!("{json}: {error}"));
    assert_eq!(&serde_json::to_value(&value).expect("a model is JSON"), json);
    value
}

fn found() -> Condition {
    Condition {
        left: ValueRef::Variable { name: "n1.found".to_owned() },
        operator: Operator::Equals,
        right: Some(ValueRef::Literal { value: Literal::Bool(true) }),
    }
}

#[test]
fn a_workflow_round_trips_every_kind_of_node_and_label() {
    // S3-66: a Switch with named cases is one of them.
    let condition = json!({
        "left": {"type": "variable", "name": "n1.found"}, "operator": "equals",
        "right": {"type": "literal", "value": true},
    });
    let workflow: Workflow = same(&json!({
        "name": "W",
        "nodes": [
            {"id": "n1", "name": "Look", "type": "tool", "tool": "find", "arguments": {"text": "x"}, "timeout_ms": 5, "retries": 2},
            {"id": "n2", "type": "ai_step", "prompt": "p", "allowed_tools": [], "max_tool_calls": 3, "enabled": false},
            {"id": "n3", "type": "ai_transform", "kind": "summarize", "input_ref": "n1.text", "output_schema": {"type": "string"}},
            {"id": "n4", "type": "if", "condition": condition},
            {"id": "n5", "type": "switch", "cases": [{"name": "a", "condition": condition}]},
            {"id": "n6", "type": "loop", "exit_condition": condition, "max_iterations": 20, "position": {"x": 1.0, "y": 2.5}},
            {"id": "n7", "type": "end_loop", "loop_id": "n6", "metadata": {"k": 1}},
        ],
        "edges": [
            {"from": "n1", "to": "n2"},
            {"from": "n4", "to": "n5", "output": {"type": "if_true"}},
            {"from": "n4", "to": "n5", "output": {"type": "if_false"}},
            {"from": "n5", "to": "n6", "output": {"type": "switch_case", "name": "a"}},
            {"from": "n5", "to": "n6", "output": {"type": "switch_default"}},
            {"from": "n6", "to": "n7", "output": {"type": "loop_body"}},
            {"from": "n6", "to": "n7", "output": {"type": "loop_done"}},
        ],
    }));
    let types: Vec<NodeType> = workflow.nodes.iter().map(Node::node_type).collect();
    assert_eq!(types, NodeType::ALL);
    assert_eq!(workflow.nodes[3].kind, NodeKind::If { condition: found() });
    assert_eq!(
        workflow.nodes[4].kind,
        NodeKind::Switch { cases: vec![Case { name: "a".to_owned(), condition: found() }] }
    );
    assert_eq!(workflow.edges[3].output, Some(Output::SwitchCase { name: "a".to_owned() }));
    let owners: Vec<_> =
        workflow.edges.iter().filter_map(|edge| edge.output.as_ref()).map(Output::owner).collect();
    assert_eq!(
        owners,
        [
            NodeType::If,
            NodeType::If,
            NodeType::Switch,
            NodeType::Switch,
            NodeType::Loop,
            NodeType::Loop
        ]
    );
}

#[test]
fn omitted_fields_of_a_workflow_have_defaults() {
    let workflow: Workflow = serde_json::from_value(json!({"nodes": [
        {"id": "a", "type": "loop", "exit_condition": {"left": {"type": "variable", "name": "x"}, "operator": "is_empty"}},
        {"id": "b", "type": "end_loop"},
    ]}))
    .expect("a workflow");
    let NodeKind::Loop { exit_condition, max_iterations } = &workflow.nodes[0].kind else {
        panic!("a loop")
    };
    assert_eq!((exit_condition.right.as_ref(), *max_iterations), (None, 100));
    assert!(workflow.nodes[0].enabled);
    assert_eq!(workflow.nodes[1].kind, NodeKind::EndLoop { loop_id: String::new() });
    assert_eq!(exit_condition.to_string(), "x is empty");
    assert_eq!(found().to_string(), "n1.found = true");
}

#[test]
fn operators_and_types_parse_from_their_names() {
    for operator in Operator::ALL {
        assert_eq!(operator.as_str().parse(), Ok(operator));
        assert_eq!(serde_json::to_value(operator).expect("a name"), json!(operator.as_str()));
    }
    for node_type in NodeType::ALL {
        assert_eq!(node_type.as_str().parse(), Ok(node_type));
        assert_eq!(serde_json::to_value(node_type).expect("a name"), json!(node_type.as_str()));
    }
    for status in TaskStatus::ALL {
        assert_eq!(status.as_str().parse(), Ok(status));
        assert_eq!(serde_json::to_value(status).expect("a name"), json!(status.as_str()));
    }
}

#[test]
fn a_patch_adds_updates_and_removes_nodes_and_edges() {
    // S3-65
    let patch: Patch = same(&json!({
        "remove_nodes": ["a"],
        "update_nodes": [
            {"replace": {"id": "b", "type": "ai_step", "prompt": "p"}},
            {"change": {"id": "c", "name": "C", "arguments": {"x": 1}}},
        ],
        "add_nodes": [{"id": "d", "type": "tool", "tool": "t"}],
        "append_nodes": [{"id": "", "type": "tool", "tool": "t"}],
        "remove_edges": [{"from": "b", "to": "c"}],
        "add_edges": [{"from": "b", "to": "d", "output": {"type": "loop_body"}}],
        "insert_before": [{"node": "d", "before": "c"}],
    }));
    assert_eq!(
        patch.update_nodes.iter().map(llmend_plan::Update::id).collect::<Vec<_>>(),
        ["b", "c"]
    );
    assert!(!patch.is_empty() && Patch::default().is_empty());
}

#[test]
fn a_task_result_has_a_status() {
    // The status is never made up.
    let result: TaskResult = same(&json!({
        "subtask_id": "t1", "status": "in_progress",
        "changes": [{"path": "a.rs", "action": "create", "content": "x"}],
        "tests_added": ["t"], "tests_passed": false, "error": "e", "blockers": ["b"],
        "tools_used": ["u"], "notes": "n", "metadata": {"k": null},
    }));
    assert_eq!(result.status, TaskStatus::InProgress);
    assert!(serde_json::from_value::<TaskResult>(json!({"notes": "done"})).is_err());
}

#[test]
fn a_plan_survives_conversion_to_a_workflow_and_back() {
    let plan: Plan = same(&json!({
        "version": "1", "objective": "O", "constraints": ["c"], "success_criteria": ["s"],
        "steps": [
            {"id": "a", "title": "A", "description": "D", "tool": "t", "inputs": {"x": 1}, "expected_output": "e"},
            {"id": "b", "title": "B", "depends_on": ["a"], "inputs": {"y": 2},
             "metadata": {"timeout_ms": 7, "retries": 1, "enabled": false, "position": {"x": 1.0, "y": 2.0}, "owner": "me"}},
            {"id": "c", "description": "D", "depends_on": ["b", "a", "z"], "metadata": {"allowed_tools": ["u"]}},
            {"id": "d", "metadata": {"type": "ai_transform", "kind": "k", "input_ref": "a.x"}},
        ],
        "notes": "n", "metadata": {"m": 1},
    }));
    let converted = plan.to_workflow();
    let workflow = &converted.workflow;
    assert_eq!(converted.edges, [(1, 0), (2, 0), (2, 1), (2, 2)]);
    assert_eq!(
        workflow.edges,
        [Edge::new("a", "b"), Edge::new("b", "c"), Edge::new("a", "c"), Edge::new("z", "c")]
    );
    let b = &workflow.nodes[1];
    assert_eq!((b.timeout_ms, b.retries, b.enabled), (Some(7), 1, false));
    assert_eq!(
        b.kind,
        NodeKind::AiStep { prompt: "B".to_owned(), allowed_tools: None, max_tool_calls: None }
    );
    assert_eq!(Value::from(b.metadata.clone()), json!({"inputs": {"y": 2}, "owner": "me"}));
    assert_eq!(workflow.to_plan().expect("no control flow"), plan);
}

#[test]
fn control_flow_cannot_become_a_plan_and_every_reason_is_listed() {
    let tool =
        |id: &str| Node::new(id, NodeKind::Tool { tool: "t".to_owned(), arguments: Map::new() });
    let workflow = Workflow {
        nodes: vec![tool("a"), Node::new("b", NodeKind::If { condition: found() }), tool("a")],
        edges: vec![
            Edge { output: Some(Output::IfTrue), ..Edge::new("b", "a") },
            Edge::new("a", "nowhere"),
        ],
        ..Workflow::default()
    };
    let error = workflow.to_plan().expect_err("control flow");
    let paths: Vec<_> = error.reasons.iter().filter_map(|row| row.path.as_deref()).collect();
    assert_eq!(paths, ["/nodes/1/type", "/nodes/2/id", "/edges/0/output", "/edges/1/to"]);
    assert_eq!(
        error.to_string(),
        "workflow cannot be converted to a plan: a plan cannot express `if` nodes"
    );
}

#[test]
fn a_catalog_is_read_in_every_format() {
    let schema = json!({"type": "object", "properties": {"q": {"type": "string"}}});
    let output = json!({"type": "object"});
    for (value, gives) in [
        (
            json!({"tools": [{"name": "s", "description": "d", "inputSchema": schema, "outputSchema": output}]}),
            true,
        ),
        (
            json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "s", "description": "d", "inputSchema": schema, "outputSchema": output}]}}),
            true,
        ),
        (
            json!([{"type": "function", "function": {"name": "s", "description": "d", "parameters": schema, "strict": true}}]),
            false,
        ),
        (
            json!([{"type": "function", "name": "s", "description": "d", "parameters": schema}]),
            false,
        ),
        (json!({"tools": [{"name": "s", "description": "d", "input_schema": schema}]}), false),
        (json!({"s": {"description": "d", "arguments": schema, "output": output}}), true),
    ] {
        let catalog = Catalog::read(&value).unwrap_or_else(|error| panic!("{value}: {error}"));
        let tool = catalog.tool("s").unwrap_or_else(|| panic!("{value}"));
        assert_eq!(tool.description.as_deref(), Some("d"), "{value}");
        assert_eq!(catalog.arguments("s", None), Some(&schema), "{value}");
        assert_eq!(catalog.output("s", None), gives.then_some(&output), "{value}");
    }
    let catalog = Catalog::read(&json!({"s": schema, "t": null, "tools": {"type": "object"}}))
        .expect("a map");
    assert_eq!(catalog.arguments("s", None), Some(&schema));
    assert_eq!(catalog.arguments("t", None), None);
    assert_eq!(catalog.tools.keys().collect::<Vec<_>>(), ["s", "t", "tools"]);
}

#[test]
fn a_catalog_with_inexact_numbers_is_rejected() {
    let text = r#"{"t": {"properties": {"n": {"maximum": 0.12345678901234567890}}}}"#;
    let parsed = llmend_json::parse(text).expect("JSON");
    let error = Catalog::from_node(parsed.value.root()).expect_err("a bound that is rounded");
    assert_eq!(error.path(), Some("/t/properties/n/maximum"));
    let parsed = llmend_json::parse(r#"{"t": {"maximum": 0.125}}"#).expect("JSON");
    assert!(Catalog::from_node(parsed.value.root()).is_ok());
}

#[test]
fn a_tool_may_have_several_capabilities() {
    let catalog = Catalog::read(&json!({
        "weather-agent": {"capabilities": {"now": {"parameters": {"required": ["city"]}, "returns": {"type": "object"}}}},
        "list-agent": {"capabilities": [{"name": "add"}]},
    }))
    .expect("a catalog");
    assert_eq!(
        catalog.arguments("weather-agent", Some("now")),
        Some(&json!({"required": ["city"]}))
    );
    assert_eq!(catalog.output("weather-agent", Some("now")), Some(&json!({"type": "object"})));
    assert_eq!(catalog.arguments("weather-agent", Some("then")), None);
    assert!(catalog.tools["list-agent"].capabilities.contains_key("add"));
}

#[test]
fn an_invalid_catalog_is_rejected_with_a_path() {
    for (value, expected) in [
        (
            json!(1),
            "invalid tool catalog: expected an array of tools or an object that maps names to tools",
        ),
        (json!([{"name": 1}]), "invalid tool catalog: expected a non-empty tool name at `/0/name`"),
        (json!([1]), "invalid tool catalog: expected an object that describes a tool at `/0`"),
        (
            json!({"tools": [{"name": "a"}, {"name": "a"}]}),
            "invalid tool catalog: duplicate tool `a` at `/tools/1`",
        ),
        (
            json!({"a": 1}),
            "invalid tool catalog: expected a JSON Schema, a tool description or null at `/a`",
        ),
        (
            json!({"a": {"arguments": "x"}}),
            "invalid tool catalog: expected a JSON Schema at `/a/arguments`",
        ),
        (
            json!({"jsonrpc": "2.0", "error": {"message": "no"}}),
            "expected a tool catalog, found an error response: no",
        ),
    ] {
        assert_eq!(Catalog::read(&value).expect_err("no catalog").to_string(), expected);
    }
}
