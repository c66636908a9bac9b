//! Steps, nodes, edges and entries that are read one by one, and findings about bad ones.

use llmend_json::Severity::{self, Error as E, Info, Warning as W};
use llmend_plan::{
    Catalog, Dialect, Document, Edge, Error, NodeType, OnBadStep, OnNearTool, Options,
    ParsedDocument, Strictness, read_document, read_patch, read_with, read_workflow,
};
use serde_json::{Value, json};

fn policy(on_bad_step: OnBadStep) -> Options {
    Options { on_bad_step: Some(on_bad_step), ..Options::default() }
}

fn read(text: &str, options: &Options) -> Result<ParsedDocument<Document>, Error> {
    let parsed = llmend_json::parse(text).expect(text);
    read_document(&parsed.value, options)
}

/// The plan in canonical JSON.
fn plan(text: &str, options: &Options) -> Value {
    let parsed = llmend_json::parse(text).expect(text);
    let reading = read_with(&parsed.value, options)
        .unwrap_or_else(|error| panic!("{text}: {error} {:#?}", error.diagnostics()));
    serde_json::to_value(reading.plan).expect("a plan is JSON")
}

/// Severity, code, path and the text at its place.
type Row<'t> = (Severity, &'t str, &'t str, &'t str);

fn rows<'t>(diagnostics: &'t [llmend_json::Diagnostic], text: &'t str) -> Vec<Row<'t>> {
    let row = |row: &'t llmend_json::Diagnostic| {
        let span = row.span.unwrap_or_else(|| panic!("{row:?} has no place"));
        (row.severity, &*row.code, row.path.as_deref().expect("a path"), span.of(text))
    };
    diagnostics.iter().map(row).collect()
}

#[test]
fn fields_are_read_under_the_names_that_models_use() {
    // S3-11: wrong key names.
    let expected = json!({"steps": [
        {"id": "1", "tool": "search", "inputs": {"q": "x"}},
        {"id": "2", "description": "Read it", "depends_on": ["1"]},
    ]});
    for text in [
        r#"{"steps": [{"id": "1", "tool": "search", "inputs": {"q": "x"}}, {"id": "2", "description": "Read it", "depends_on": ["1"]}]}"#,
        r#"{"tasks": [{"task_id": 1, "action": "search", "args": {"q": "x"}}, {"task_id": 2, "task": "Read it", "deps": [1]}]}"#,
        r#"{"plan": [{"id": 1, "function": "search", "arguments": {"q": "x"}}, {"id": 2, "instruction": "Read it", "needs": 1}]}"#,
        r#"{"actions": [{"step_id": "1", "agent": "search", "parameters": {"q": "x"}}, {"step_id": "2", "description": "Read it", "dependencies": ["$1"]}]}"#,
        r#"[{"id": "1", "tool_name": "search", "params": {"q": "x"}}, {"id": "2", "details": "Read it", "after": ["{{1.response.text}}"]}]"#,
        r#"{"plan": [{"step": 1, "tool": "search", "inputs": {"q": "x"}}, {"step": 2, "description": "Read it", "needs": [1]}]}"#,
        r#"{"plan": {"steps": [{"id": "1", "tool": "search", "input": {"q": "x"}}, {"id": "2", "description": "Read it", "requires": "${1}"}]}}"#,
        r#"{"result": {"data": {"tasks": [{"id": "1", "tool": "search", "inputs": {"q": "x"}}, {"id": "2", "description": "Read it", "dependsOn": [{"id": "1"}]}]}}}"#,
        r##"{"my_own_name": {"steps": [{"id": 1, "tool": "search", "inputs": {"q": "x"}}, {"id": 2, "description": "Read it", "depends_on": ["#E1"]}]}}"##,
    ] {
        assert_eq!(plan(text, &Options::default()), expected, "{text}");
    }
}

#[test]
fn the_name_of_a_bare_call_is_its_tool() {
    let call = json!({"id": "1", "tool": "search", "inputs": {"q": "x"}});
    let calls = [
        (r#"[{"name": "search", "arguments": {"q": "x"}}]"#, call.clone()),
        (r#"[{"id": 1, "name": "search", "parameters": {"q": "x"}}]"#, call.clone()),
        (
            r#"<tool_call>{"name": "search", "arguments": {"q": "x"}}</tool_call>
<tool_call>{"name": "b", "arguments": {}}</tool_call>"#,
            call,
        ),
        // A phrase is a title, and so is the name of what has a tool or takes no arguments.
        (
            r#"[{"name": "Look it up", "arguments": {"q": "x"}}]"#,
            json!({"id": "1", "title": "Look it up", "inputs": {"q": "x"}}),
        ),
        (
            r#"[{"name": "Look", "tool": "search", "arguments": {"q": "x"}}]"#,
            json!({"id": "1", "title": "Look", "tool": "search", "inputs": {"q": "x"}}),
        ),
        (r#"[{"name": "Look"}]"#, json!({"id": "1", "title": "Look"})),
    ];
    for (text, expected) in calls {
        assert_eq!(plan(text, &Options::default())["steps"][0], expected, "{text}");
    }
    // So that the catalog is asked whether there is one.
    let options = Options { catalog: Some(catalog()), ..Options::default() };
    let text = r#"[{"name": "find", "arguments": {}}]"#;
    let error = read(text, &options).expect_err(text);
    let unknown = (E, "plan/unknown-tool", "/0/name", r#""find""#);
    assert!(rows(error.diagnostics(), text).contains(&unknown), "{error:?}");
}

#[test]
fn a_reference_is_an_id_only_if_the_step_exists() {
    let text = r#"{"steps": [{"id": "$1"}, {"id": "1"}, {"id": "a", "depends_on": ["$1", "$2", "1.x", "E1", "{{b.c}}"]}]}"#;
    let plan = plan(text, &Options::default());
    assert_eq!(plan["steps"][2]["depends_on"], json!(["$1", "$2", "1", "E1", "{{b.c}}"]));
}

#[test]
fn one_string_may_name_several_steps() {
    let text = r#"{"steps": [{"id": 1}, {"id": 3}, {"id": 4, "deps": "1, 3"}, {"id": 5, "deps": ["1, 2"]}]}"#;
    let found = plan(text, &Options::default());
    assert_eq!(found["steps"][2]["depends_on"], json!(["1", "3"]));
    assert_eq!(found["steps"][3]["depends_on"], json!(["1, 2"]));
    let read = read(text, &Options::default()).expect(text);
    let place = read.locations.of("/steps/2/depends_on/1").expect("a place");
    assert_eq!((place.path.as_deref(), place.span.of(text)), (Some("/steps/2/deps"), r#""1, 3""#));
}

#[test]
fn the_field_step_is_an_id_or_a_description() {
    let text = r#"[{"step": 2, "tool": "a"}, {"step": 4, "tool": "b", "needs": [2]}]"#;
    let found = plan(text, &Options::default());
    assert_eq!(
        (&found["steps"][1]["id"], &found["steps"][1]["depends_on"]),
        (&json!("4"), &json!(["2"]))
    );
    let text = r#"[{"step": "Boil"}, {"step": "Pour"}]"#;
    let found = plan(text, &Options::default());
    assert_eq!(found["steps"][1], json!({"id": "2", "description": "Pour"}));
}

#[test]
fn references_in_inputs_are_kept() {
    // S1-12
    let text = r#"{"steps": [{"id": "a", "inputs": {"price": "{{step-1.response.price}}", "n": ["$1"]}}]}"#;
    let plan = plan(text, &Options::default());
    assert_eq!(
        plan["steps"][0]["inputs"],
        json!({"price": "{{step-1.response.price}}", "n": ["$1"]})
    );
}

#[test]
fn steps_without_ids_are_numbered_with_an_info() {
    let text = r#"{"steps": ["Boil water", {"title": "Pour"}]}"#;
    let read = read(text, &Options::default()).expect(text);
    assert_eq!(
        rows(&read.diagnostics, text),
        [(Info, "plan/numbered", "/steps", r#"["Boil water", {"title": "Pour"}]"#)]
    );
    assert_eq!(
        plan(text, &Options::default()),
        json!({"steps": [{"id": "1", "description": "Boil water"}, {"id": "2", "title": "Pour"}]})
    );
}

#[test]
fn references_that_may_count_from_zero_are_a_warning() {
    // Whoever counts from 0 means the second step.
    let text = r#"{"steps": [{"title": "Boil"}, {"title": "Pour"}, {"title": "Drink", "depends_on": [1]}]}"#;
    let found = read(text, &Options::default()).expect(text).diagnostics;
    let found: Vec<_> = found.iter().map(|row| (row.severity, &*row.code)).collect();
    assert!(found.contains(&(W, "plan/numbered")), "{found:?}");
}

#[test]
fn members_beside_a_wrapped_plan_are_reported() {
    let text = r#"{"thoughts": "hm", "plan": {"steps": [{"id": "a"}]}}"#;
    let read = read(text, &Options::default()).expect(text);
    assert_eq!(
        rows(&read.diagnostics, text),
        [(W, "plan/unknown-field", "/thoughts", r#""thoughts""#)]
    );
}

#[test]
fn strict_mode_accepts_only_canonical_names() {
    let options = Options { strictness: Some(Strictness::Strict), ..Options::default() };
    for (text, path) in [
        (r#"{"tasks": [{"id": "a"}]}"#, "/steps"),
        (r#"{"steps": [{"id": 1}]}"#, "/steps/0/id"),
        (r#"{"steps": [{"id": "a", "deps": ["b"]}]}"#, "/steps/0/deps"),
        (r#"{"plan": {"steps": [{"id": "a"}]}}"#, "/steps"),
        (r#"[{"id": "a"}]"#, ""),
        (r#"{"steps": [{"id": "a"}], "x": 1}"#, "/x"),
    ] {
        let error = read(text, &options).expect_err(text);
        assert!(rows(error.diagnostics(), text).iter().any(|row| row.2 == path), "{text}");
    }
    // Lenient reading takes them in a dialect that is strict otherwise.
    let options = Options {
        strictness: Some(Strictness::Lenient),
        dialect: Dialect::OpenManus,
        ..Options::default()
    };
    assert_eq!(plan(r#"{"tasks": [{"id": 1}]}"#, &options), json!({"steps": [{"id": "1"}]}));
}

const CHAIN: &str = r#"{"tasks": [{"id": "a"}, {"id": "b", "tool": 7, "deps": ["a"]}, {"name": "b2"},
    {"id": "c", "deps": ["b"]}, {"id": "d", "deps": ["c", "a"], "inputs": 3}, {"id": "e", "deps": ["d", "b"]}]}"#;

#[test]
fn an_invalid_step_is_an_error_omitted_or_bridged() {
    // S3-35, S3-36, S3-67: on its own, with its place in the original list, id and reason.
    let error = read(CHAIN, &policy(OnBadStep::Fail)).expect_err("three bad steps");
    let problems = [
        (E, "plan/wrong-type", "/tasks/1/tool", "7"),
        (E, "plan/missing-field", "/tasks/2/id", r#"{"name": "b2"}"#),
        (E, "plan/wrong-type", "/tasks/4/inputs", "3"),
    ];
    assert_eq!(rows(error.diagnostics(), CHAIN), problems);
    let dropped = read(CHAIN, &policy(OnBadStep::Drop)).expect(CHAIN);
    assert_eq!(
        rows(&dropped.diagnostics, CHAIN),
        [
            (W, "plan/wrong-type", "/tasks/1/tool", "7"),
            (W, "plan/missing-field", "/tasks/2/id", r#"{"name": "b2"}"#),
            (W, "plan/left-out", "/tasks/3/deps/0", r#""b""#),
            (W, "plan/wrong-type", "/tasks/4/inputs", "3"),
            (W, "plan/left-out", "/tasks/5/deps/0", r#""d""#),
            (W, "plan/left-out", "/tasks/5/deps/1", r#""b""#),
        ]
    );
    assert_eq!(
        dropped.diagnostics[0].message,
        "omitted tasks[1] (`b`): `/tasks/1/tool`: expected string, found number"
    );
    assert_eq!(
        dropped.diagnostics[1].message,
        "omitted tasks[2]: missing field `id` in `/tasks/2`"
    );
    assert_eq!(
        plan(CHAIN, &policy(OnBadStep::Drop)),
        json!({"steps": [{"id": "a"}, {"id": "c"}, {"id": "e"}]})
    );
    // `b` was linear, `d` was not.
    let bridged = read(CHAIN, &policy(OnBadStep::Bridge)).expect(CHAIN);
    assert_eq!(
        plan(CHAIN, &policy(OnBadStep::Bridge)),
        json!({"steps": [{"id": "a"}, {"id": "c", "depends_on": ["a"]}, {"id": "e", "depends_on": ["a"]}]})
    );
    let codes: Vec<&str> = bridged.diagnostics.iter().map(|row| &*row.code).collect();
    assert_eq!(codes[2..], ["plan/bridged", "plan/wrong-type", "plan/left-out", "plan/bridged"]);
}

#[test]
fn findings_about_the_plan_are_located_in_the_text() {
    let read = read(CHAIN, &policy(OnBadStep::Bridge)).expect(CHAIN);
    let place = |path: &str| {
        let row = llmend_json::Diagnostic::new("a/b", E, "x").on(path);
        let row = read.locations.locate(row);
        (row.path.expect("a path"), row.span.expect("a place").of(CHAIN))
    };
    assert_eq!(place("/steps/1/id"), ("/tasks/3/id".to_owned(), r#""c""#));
    assert_eq!(place("/steps/1/depends_on/0"), ("/tasks/3/deps/0".to_owned(), r#""b""#));
    assert_eq!(place("/steps/2/depends_on/0"), ("/tasks/5/deps/1".to_owned(), r#""b""#));
    assert_eq!(place("/steps/0/tool"), ("/tasks/0/tool".to_owned(), r#"{"id": "a"}"#));
    let workflow = read.clone().into_workflow().expect("a plan");
    let row = llmend_json::Diagnostic::new("a/b", E, "x").on("/edges/1/from");
    assert_eq!(workflow.value.edges[1], Edge::new("a", "e"));
    assert_eq!(workflow.locations.locate(row).span.map(|span| span.of(CHAIN)), Some(r#""b""#));
}

#[test]
fn parts_of_inputs_are_located() {
    let text = r#"{"steps": [{"id": "a", "args": {"q": ["x", {"deep": "{{b}}"}]}}]}"#;
    let read = read(text, &Options::default()).expect(text);
    let place = read.locations.of("/steps/0/inputs/q/1/deep").expect("a place");
    assert_eq!(
        (place.path.as_deref(), place.span.of(text)),
        (Some("/steps/0/args/q/1/deep"), r#""{{b}}""#)
    );
}

#[test]
fn a_cycle_of_omitted_steps_is_bridged_to_nothing() {
    let text = r#"{"steps": [{"id": "a", "tool": 1, "deps": ["b"]}, {"id": "b", "tool": 1, "deps": ["a"]}, {"id": "c", "deps": ["b"]}]}"#;
    assert_eq!(plan(text, &policy(OnBadStep::Bridge)), json!({"steps": [{"id": "c"}]}));
}

#[test]
fn a_plan_without_valid_steps_is_an_error() {
    // S3-45
    for (text, code, message) in [
        (r#"{"steps": []}"#, "plan/empty", "the plan has no steps"),
        (r#"{"steps": [{}]}"#, "plan/no-valid-step", "the only step is invalid"),
        (r#"{"steps": [{}, 1]}"#, "plan/no-valid-step", "all 2 steps are invalid"),
        (r#"{"nodes": [{}, 1], "edges": []}"#, "plan/no-valid-step", "all 2 steps are invalid"),
        (r#"{"nodes": []}"#, "plan/empty", "the plan has no steps"),
    ] {
        let error = read(text, &policy(OnBadStep::Drop)).expect_err(text);
        let found = error.diagnostics().iter().find(|row| row.severity == E).expect(text);
        assert_eq!((&*found.code, found.message.as_str()), (code, message), "{text}");
    }
}

#[test]
fn too_many_items_are_rejected() {
    let options = Options { max_items: 2, ..Options::default() };
    let text = r#"[{"id": "a"}, {"id": "b"}, {"id": "c"}]"#;
    let error = read(text, &options).expect_err(text);
    assert_eq!(error.diagnostics()[0].code, "plan/too-many");
    assert!(read(r#"[{"id": "a"}, {"id": "b"}]"#, &options).is_ok());
}

fn catalog() -> Catalog {
    Catalog::read(&json!({"search": {"required": ["query"]}, "click": null})).expect("a catalog")
}

#[test]
fn an_unknown_tool_is_an_error_with_a_suggestion() {
    // S3-48
    let text = r#"{"steps": [{"id": "a", "tool": "serach"}, {"id": "b", "tool": "fly"}, {"id": "c", "tool": "click"}]}"#;
    let options = Options { catalog: Some(catalog()), ..policy(OnBadStep::Drop) };
    let read = read(text, &options).expect(text);
    assert_eq!(
        rows(&read.diagnostics, text),
        [
            (W, "plan/unknown-tool", "/steps/0/tool", r#""serach""#),
            (W, "plan/unknown-tool", "/steps/1/tool", r#""fly""#),
        ]
    );
    assert_eq!(read.diagnostics[0].help.as_deref(), Some("did you mean `search`?"));
    assert_eq!(read.diagnostics[1].help, None);
    // A rename is a policy.
    let options = Options { on_near_tool: OnNearTool::Rename, ..options };
    assert_eq!(
        plan(text, &options),
        json!({"steps": [{"id": "a", "tool": "search"}, {"id": "c", "tool": "click"}]})
    );
}

#[test]
fn each_reason_to_omit_a_step_has_its_code() {
    // S3-37, S3-38, S3-39, S3-40, S3-44, S3-68: switched off, unknown and malformed are told apart.
    let text = r#"{"steps": [{"step_type": "Tool", "tool_name": "click", "arguments": {}},
        {"step_type": "AiTransform", "kind": "k", "input_ref": "n1.x"}, {"step_type": "AiStep", "prompt": "p"},
        {"step_type": "End"}, {"step_type": "Tool"}, {"step_type": "Tool", "tool_name": "fly", "arguments": {}}]}"#;
    let options = Options {
        disabled: [NodeType::AiTransform, NodeType::AiStep].into(),
        catalog: Some(catalog()),
        ..Options::default()
    };
    let read = read(text, &options).expect(text);
    assert_eq!(read.dialect, Dialect::ClickweaveSteps);
    assert_eq!(
        rows(&read.diagnostics, text),
        [
            (W, "plan/disabled-type", "/steps/1/step_type", r#""AiTransform""#),
            (W, "plan/disabled-type", "/steps/2/step_type", r#""AiStep""#),
            (W, "plan/unknown-type", "/steps/3/step_type", r#""End""#),
            (W, "plan/missing-field", "/steps/4/tool", r#"{"step_type": "Tool"}"#),
            (W, "plan/unknown-tool", "/steps/5/tool_name", r#""fly""#),
        ]
    );
    let Document::Workflow(workflow) = read.value else { panic!("a workflow") };
    assert_eq!((workflow.nodes.len(), workflow.edges.len()), (1, 0));
    // Switched on, they are there.
    let options = Options { catalog: Some(catalog()), ..Options::default() };
    let Document::Workflow(workflow) = self::read(text, &options).expect(text).value else {
        panic!()
    };
    assert_eq!(workflow.nodes.len(), 3);
}

#[test]
fn any_node_type_can_be_disabled() {
    for node_type in NodeType::ALL {
        let text = format!(
            r#"{{"nodes": [{}, {{"id": "z", "type": "ai_step", "prompt": "p"}},
            {{"id": "y", "type": "tool", "tool": "t"}}]}}"#,
            of_type(node_type)
        );
        let options = Options { disabled: [node_type].into(), ..policy(OnBadStep::Drop) };
        let read = read(&text, &options)
            .unwrap_or_else(|error| panic!("{text}: {:?}", error.diagnostics()));
        let Document::Workflow(workflow) = read.value else { panic!("a workflow") };
        assert!(workflow.nodes.iter().all(|node| node.node_type() != node_type), "{node_type}");
        assert!(read.diagnostics.iter().all(|row| row.code == "plan/disabled-type"), "{node_type}");
        assert!(!read.diagnostics.is_empty());
    }
}

fn of_type(node_type: NodeType) -> Value {
    let condition = json!({"left": "n1.x", "operator": "==", "right": 1});
    match node_type {
        NodeType::Tool => json!({"id": "x", "type": "tool", "tool": "t"}),
        NodeType::AiStep => json!({"id": "x", "type": "ai_step", "prompt": "p"}),
        NodeType::AiTransform => {
            json!({"id": "x", "type": "ai_transform", "kind": "k", "input_ref": "r"})
        }
        NodeType::If => json!({"id": "x", "type": "if", "condition": condition}),
        NodeType::Switch => {
            json!({"id": "x", "type": "switch", "cases": [{"name": "a", "condition": condition}]})
        }
        NodeType::Loop => json!({"id": "x", "type": "loop", "exit_condition": condition}),
        NodeType::EndLoop => json!({"id": "x", "type": "end_loop", "loop_id": "l"}),
    }
}

#[test]
fn conditions_are_read_in_every_notation() {
    let variable = json!({"type": "variable", "name": "n1.found"});
    let truth = json!({"type": "literal", "value": true});
    let expected = json!({"left": variable, "operator": "equals", "right": truth});
    for condition in [
        expected.clone(),
        json!({"left": {"type": "Variable", "name": "n1.found"}, "operator": "Equals", "right": {"type": "Literal", "value": {"type": "Bool", "value": true}}}),
        json!({"left": {"node": "n1", "field": "found"}, "operator": "==", "right": true}),
        json!({"left": "n1.found", "op": "=", "value": true}),
        json!({"left": "{{n1.found}}", "operator": "equals", "right": {"type": "literal", "value": true}}),
    ] {
        let text =
            json!({"nodes": [{"id": "a", "type": "if", "condition": condition}]}).to_string();
        let parsed = llmend_json::parse(&text).expect("JSON");
        let workflow = read_workflow(&parsed.value, &Options::default()).expect(&text).value;
        let written = serde_json::to_value(&workflow.nodes[0]).expect("a node is JSON");
        assert_eq!(written["condition"], expected, "{text}");
    }
    for (condition, code) in [
        (json!("n1.found == true"), "plan/wrong-type"),
        (json!({"left": "a", "operator": "resembles", "right": 1}), "plan/unknown-operator"),
        (json!({"left": "a", "operator": "equals"}), "plan/missing-field"),
        (json!({"left": "a", "operator": "equals", "right": [1]}), "plan/wrong-type"),
        (json!({"left": {"type": "constant"}, "operator": "is_empty"}), "plan/unknown-type"),
        (json!({"left": "a", "operator": "is_empty", "extra": 1}), "plan/unknown-field"),
    ] {
        let text =
            json!({"nodes": [{"id": "a", "type": "if", "condition": condition}]}).to_string();
        let error = read(&text, &Options::default()).expect_err(&text);
        assert!(
            error.diagnostics().iter().any(|row| row.code == code),
            "{text}: {:?}",
            error.diagnostics()
        );
    }
}

/// A graph whose node `n2` says `second`.
fn graph(second: &str, edges: &str) -> String {
    format!(
        r#"{{"nodes": [{{"id": "n1", "step_type": "Tool", "tool_name": "a", "arguments": {{}}}}, {second},
            {{"id": "n3", "step_type": "Tool", "tool_name": "c", "arguments": {{}}}}], "edges": [{edges}]}}"#
    )
}

const LINE: &str = r#"{"from": "n1", "to": "n2"}, {"from": "n2", "to": "n3"}"#;

#[test]
fn an_invalid_node_is_dropped_with_its_edges_or_bridged() {
    // S3-42, S3-43: the workflow is built from whatever survives.
    let text = graph(r#"{"id": "n2", "step_type": "End"}"#, LINE);
    let read = |policy: Option<OnBadStep>| {
        let options = Options { on_bad_step: policy, ..Options::default() };
        let parsed = llmend_json::parse(&text).expect("JSON");
        read_workflow(&parsed.value, &options)
    };
    let dropped = read(None).expect("dropped by default");
    assert_eq!((dropped.value.nodes.len(), dropped.value.edges.len()), (2, 0));
    assert_eq!(
        rows(&dropped.diagnostics, &text),
        [
            (W, "plan/unknown-type", "/nodes/1/step_type", r#""End""#),
            (W, "plan/left-out", "/edges/0/to", r#""n2""#),
        ]
    );
    let bridged = read(Some(OnBadStep::Bridge)).expect("bridged");
    assert_eq!(bridged.value.edges, [Edge::new("n1", "n3")]);
    assert_eq!(bridged.diagnostics[1].code, "plan/bridged");
    assert!(read(Some(OnBadStep::Fail)).is_err());
}

#[test]
fn a_bridge_is_neither_a_self_loop_nor_a_duplicate() {
    for (edges, expected) in [
        (r#"{"from": "n1", "to": "n2"}, {"from": "n2", "to": "n1"}"#, vec![]),
        (
            r#"{"from": "n1", "to": "n3"}, {"from": "n1", "to": "n2"}, {"from": "n2", "to": "n3"}"#,
            vec![Edge::new("n1", "n3")],
        ),
    ] {
        let text = graph(r#"{"id": "n2"}"#, edges);
        let parsed = llmend_json::parse(&text).expect("JSON");
        let read = read_workflow(&parsed.value, &policy(OnBadStep::Bridge)).expect("bridged");
        assert_eq!(read.value.edges, expected, "{edges}");
    }
    let text =
        r#"{"steps": [{"id": "a", "needs": ["b"]}, {"id": "b", "tool": 1, "needs": ["a"]}]}"#;
    assert_eq!(plan(text, &policy(OnBadStep::Bridge)), json!({"steps": [{"id": "a"}]}));
}

#[test]
fn an_omitted_branch_is_not_bridged() {
    let text = graph(
        r#"{"id": "n2", "step_type": "Fork"}"#,
        r#"{"from": "n1", "to": "n2"}, {"from": "n2", "to": "n3", "output": {"type": "IfTrue"}}"#,
    );
    let parsed = llmend_json::parse(&text).expect("JSON");
    let read = read_workflow(&parsed.value, &policy(OnBadStep::Bridge)).expect("bridged");
    assert!(read.value.edges.is_empty());
    assert_eq!(
        read.diagnostics[1].message,
        "`n2` was omitted; not bridged, since it is not linear"
    );
}

#[test]
fn an_invalid_edge_is_omitted_alone() {
    // S3-41, S3-42
    let tool = r#"{"id": "n2", "step_type": "Tool", "tool_name": "b", "arguments": {}}"#;
    let text = graph(
        tool,
        r#"{"from": "n1", "to": "n2", "output": {"type": "LoopCondition"}}, {"from": "n2", "to": "n3"},
        {"from": "n3", "to": "n9"}, {"from": "n3"}, {"from": "n3", "to": "DONE"}"#,
    );
    let read = read(&text, &Options::default()).expect(&text);
    assert_eq!(read.dialect, Dialect::ClickweaveGraph);
    let Document::Workflow(workflow) = read.value else { panic!("a workflow") };
    assert_eq!(workflow.edges, [Edge::new("n2", "n3")]);
    assert_eq!(
        rows(&read.diagnostics, &text),
        [
            (W, "plan/unknown-output", "/edges/0/output/type", r#""LoopCondition""#),
            (W, "plan/dangling-edge", "/edges/2/to", r#""n9""#),
            (W, "plan/missing-field", "/edges/3/to", r#"{"from": "n3"}"#),
            (Info, "plan/end-marker", "/edges/4", r#"{"from": "n3", "to": "DONE"}"#),
        ]
    );
}

#[test]
fn malformed_steps_of_a_graph_are_omitted() {
    // The end of a loop in a graph says which, and a tool has a name.
    for bad in [
        r#"{"id": "n2", "step_type": "EndLoop"}"#,
        r#"{"id": "n2", "step_type": "Tool"}"#,
        r#"{"id": "n2", "step_type": "If"}"#,
        r#"{"id": "n2"}"#,
        r#"{"id": "n2", "step_type": "Loop", "exit_condition": {"left": "a", "operator": "IsEmpty"}, "max_iterations": -1}"#,
        r#"{"step_type": "AiStep", "prompt": "p"}"#,
    ] {
        let text = graph(bad, "");
        let read = read(&text, &Options::default()).expect(&text);
        let Document::Workflow(workflow) = read.value else { panic!("a workflow") };
        assert_eq!(workflow.nodes.len(), 2, "{bad}");
        assert!(read.diagnostics[0].message.starts_with("omitted "), "{bad}");
    }
}

#[test]
fn a_label_may_be_just_its_name() {
    for (label, kind) in [
        (r#""IfTrue""#, "if_true"),
        (r#""if_false""#, "if_false"),
        (r#""true""#, "if_true"),
        (r#""yes""#, "if_true"),
        (r#""Then""#, "if_true"),
        (r#""else""#, "if_false"),
        (r#""no""#, "if_false"),
        (r#""exit""#, "loop_done"),
        (r#"{"type": "LoopBody"}"#, "loop_body"),
        (r#""done""#, "loop_done"),
        (r#"{"type": "switch_default"}"#, "switch_default"),
        (r#"{"type": "SwitchCase", "name": "a"}"#, "switch_case"),
    ] {
        let text = graph(
            r#"{"id": "n2", "step_type": "AiStep", "prompt": "p"}"#,
            &format!(r#"{{"from": "n1", "to": "n2", "output": {label}}}"#),
        );
        let parsed = llmend_json::parse(&text).expect("JSON");
        let read = read_workflow(&parsed.value, &Options::default()).expect(label);
        let output = serde_json::to_value(&read.value.edges[0].output).expect("a label is JSON");
        assert_eq!(output["type"], kind, "{label}");
        assert_eq!(read.diagnostics, [], "{label}");
    }
}

#[test]
fn the_calculator_loop_is_read_without_warnings() {
    // S3-46: Clickweave's own example of a graph with control flow.
    let tool = |id: &str, name: &str| json!({"id": id, "step_type": "Tool", "tool_name": name, "arguments": {}, "name": name});
    let condition = json!({"left": {"type": "Variable", "name": "check.text"}, "operator": "GreaterThan",
        "right": {"type": "Literal", "value": {"type": "Number", "value": 128}}});
    let edge = |from: &str, to: &str| json!({"from": from, "to": to});
    let labeled = |from: &str, to: &str, label: &str| json!({"from": from, "to": to, "output": {"type": label}});
    let text = json!({
        "nodes": [
            tool("n1", "focus_window"),
            {"id": "n2", "step_type": "Loop", "name": "Repeat", "exit_condition": condition, "max_iterations": 20},
            tool("n3", "click"), tool("n4", "type_text"), tool("n5", "click"), tool("n6", "type_text"), tool("n7", "find_text"),
            {"id": "n8", "step_type": "EndLoop", "loop_id": "n2"},
            tool("n9", "take_screenshot"),
        ],
        "edges": [
            edge("n1", "n2"), labeled("n2", "n3", "LoopBody"), edge("n3", "n4"), edge("n4", "n5"), edge("n5", "n6"),
            edge("n6", "n7"), edge("n7", "n8"), edge("n8", "n2"), labeled("n2", "n9", "LoopDone"),
        ],
    })
    .to_string();
    let read = read(&text, &Options::default()).expect(&text);
    let Document::Workflow(workflow) = read.value else { panic!("a workflow") };
    assert_eq!((workflow.nodes.len(), workflow.edges.len()), (9, 9));
    assert_eq!((read.dialect, read.diagnostics.len()), (Dialect::ClickweaveGraph, 0));
}

#[test]
fn a_flat_list_is_connected_in_order() {
    // S3-47, S3-49: ids count in the list as the model wrote it, also where a step is left out.
    let text = r#"{"steps": [
        {"step_type": "Tool", "tool_name": "a", "arguments": {}},
        {"step_type": "Loop", "exit_condition": {"left": "n1.x", "operator": "IsEmpty"}},
        {"step_type": "Nap"},
        {"step_type": "Tool", "tool_name": "b", "arguments": {}},
        {"step_type": "EndLoop", "loop_id": "n2"}]}"#;
    let read = read(text, &Options::default()).expect(text);
    let Document::Workflow(workflow) = read.value else { panic!("a workflow") };
    assert_eq!(
        workflow.edges,
        [Edge::new("n1", "n2"), Edge::new("n2", "n4"), Edge::new("n4", "n5")]
    );
    assert_eq!(rows(&read.diagnostics, text).len(), 1);
}

#[test]
fn the_entries_of_a_patch_are_read_independently() {
    // S3-35, S3-65
    let text = r#"{"add": [{"step_type": "Tool", "tool_name": "a", "arguments": {}}, {"step_type": "Nap"}],
        "add_nodes": [{"id": "x", "step_type": "AiStep", "prompt": "p"}],
        "add_edges": [{"from": "x", "to": "y"}, 5], "remove_node_ids": ["n1", null],
        "update": [{"node_id": "n2", "name": "N"}, "garbage", {"node_id": "n3"}, {"node_id": "n4", "node_type": {"step_type": "Tool", "tool_name": "t", "arguments": {"k": 1}}}]}"#;
    let parsed = llmend_json::parse(text).expect("JSON");
    let read = read_patch(&parsed.value, &Options::default()).expect(text);
    assert_eq!(read.dialect, Dialect::ClickweavePatch);
    assert_eq!(
        serde_json::to_value(&read.value).expect("a patch is JSON"),
        json!({
            "remove_nodes": ["n1"],
            "update_nodes": [
                {"change": {"id": "n2", "name": "N"}},
                {"change": {"id": "n4", "kind": {"type": "tool", "tool": "t", "arguments": {"k": 1}}}},
            ],
            "add_nodes": [{"id": "x", "type": "ai_step", "prompt": "p"}],
            "append_nodes": [{"id": "", "type": "tool", "tool": "a"}],
            "add_edges": [{"from": "x", "to": "y"}],
        })
    );
    let paths: Vec<&str> = rows(&read.diagnostics, text).into_iter().map(|row| row.2).collect();
    assert_eq!(
        paths,
        ["/add/1/step_type", "/add_edges/1", "/remove_node_ids/1", "/update/1", "/update/2"]
    );
    let options = policy(OnBadStep::Fail);
    assert_eq!(
        read_patch(&parsed.value, &options).expect_err("bad entries").diagnostics().len(),
        5
    );
}

#[test]
fn the_position_of_a_node_is_not_ignored() {
    for (list, key) in [
        ("add_nodes", "insert_before"),
        ("add_nodes", "insertAfter"),
        ("append_nodes", "insert_before"),
        ("add", "insert_before"),
    ] {
        let text =
            format!(r#"{{"{list}": [{{"id": "x", "type": "tool", "tool": "t", "{key}": "a"}}]}}"#);
        let parsed = llmend_json::parse(&text).expect("JSON");
        // Whatever becomes of bad entries: half of a patch is not to be applied.
        for on_bad_step in OnBadStep::ALL {
            let error = read_patch(&parsed.value, &policy(on_bad_step)).expect_err(&text);
            let rows = error.diagnostics();
            let errors: Vec<_> =
                rows.iter().filter(|row| row.severity == Severity::Error).collect();
            let path = format!("/{list}/0/{key}");
            assert_eq!(errors.len(), 1, "{text}: {rows:?}");
            assert_eq!(errors[0].path.as_deref(), Some(path.as_str()), "{text}");
        }
    }
    let text = r#"{"add_nodes": [{"id": "x", "type": "tool", "tool": "t"}], "insert_before": [{"node": "x", "before": "a"}]}"#;
    let parsed = llmend_json::parse(text).expect("JSON");
    assert!(read_patch(&parsed.value, &Options::default()).is_ok(), "{text}");
}

#[test]
fn unknown_keys_are_not_an_empty_patch() {
    let options = Options { dialect: Dialect::Patch, ..Options::default() };
    let empty = llmend_json::parse("{}").expect("JSON");
    assert!(read_patch(&empty.value, &options).expect("said so").value.is_empty());
    for text in [r#"{"remove": ["a"]}"#, r#"{"remove_nods": ["a"]}"#, r#"{"steps": []}"#] {
        let parsed = llmend_json::parse(text).expect("JSON");
        let error = read_patch(&parsed.value, &options).expect_err(text);
        assert_eq!(error.diagnostics()[0].code, "plan/unknown-field", "{text}");
    }
    // Something else is no patch either, and it is said what it is.
    let parsed = llmend_json::parse(r#"{"steps": [{"id": "a"}]}"#).expect("JSON");
    let error = read_patch(&parsed.value, &Options::default()).expect_err("a plan");
    assert_eq!(error.diagnostics()[0].message, "expected a patch, found a plan");
}

#[test]
fn arguments_are_coerced_to_the_schema_of_the_tool() {
    let catalog = json!({"search": {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "most": {"type": "integer", "minimum": 1},
            "order": {"enum": ["up", "down"]},
        },
        "required": ["query"],
        "additionalProperties": false,
    }, "odd": {"$ref": "#/nowhere"}});
    let options = Options {
        catalog: Some(Catalog::read(&catalog).expect("a catalog")),
        ..Options::default()
    };
    let text = r#"{"steps": [
        {"id": "a", "tool": "search", "inputs": {"Query": "x", "most": "3"}},
        {"id": "b", "tool": "search", "args": {"most": 0, "query": "{{a.response.id}}", "zzz": 1}},
        {"id": "c", "tool": "search", "inputs": {"order": "sideways"}},
        {"id": "d", "tool": "odd", "inputs": {"n": 1}}]}"#;
    let read = read(text, &options).expect(text);
    assert_eq!(
        rows(&read.diagnostics, text),
        [
            (Info, "plan/coerced-arguments", "/steps/0/inputs/Query", r#""x""#),
            (Info, "plan/coerced-arguments", "/steps/0/inputs/most", r#""3""#),
        ]
    );
    assert_eq!(
        serde_json::to_value(&read.value).expect("JSON")["steps"][0]["inputs"],
        json!({"query": "x", "most": 3})
    );
    // What does not fit all the same is told once, by the checks.
    let reviewed = llmend_plan::review(text, &options).expect("steps");
    let told = rows(&reviewed.diagnostics, text);
    assert_eq!(
        told.get(2..).unwrap_or_default(),
        [
            (Severity::Error, "plan/arguments", "/steps/1/args/most", "0"),
            (Severity::Error, "plan/arguments", "/steps/1/args/zzz", "1"),
            (Severity::Error, "plan/arguments", "/steps/2/inputs", r#"{"order": "sideways"}"#),
            (Severity::Error, "plan/arguments", "/steps/2/inputs/order", r#""sideways""#),
            (W, "plan/tool-schema", "/steps/3/tool", r#""odd""#),
            (
                Severity::Error,
                "plan/undeclared-dependency",
                "/steps/1/args/query",
                r#""{{a.response.id}}""#
            ),
        ]
    );
    let place = read.locations.of("/steps/0/inputs/query").expect("a place");
    assert_eq!(place.path.as_deref(), Some("/steps/0/inputs/Query"));
}
