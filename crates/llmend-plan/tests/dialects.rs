//! Detection and reading of each dialect.

use llmend_json::{Diagnostic, Severity};
use llmend_plan::{
    Catalog, Dialect, Document, Layout, NodeType, OnBadStep, OnNearTool, Options, ParsedDocument,
    Plan, TaskStatus, read_document, read_text, read_text_partial, write,
};
use serde_json::{Value, json};

fn read_as(text: &str, dialect: Dialect) -> ParsedDocument<Document> {
    let options = Options { dialect, ..Options::default() };
    read_text(text, &options)
        .unwrap_or_else(|error| panic!("{text}: {error} {:#?}", error.diagnostics()))
}

/// `text` is known to be of `dialect`, and says `expected` without a warning but those of `codes`.
fn check(text: &str, dialect: Dialect, codes: &[&str], expected: &Value) {
    let read = read_as(text, Dialect::Auto);
    assert_eq!(read.dialect, dialect, "{text}");
    let found: Vec<&str> = read.diagnostics.iter().map(|row| &*row.code).collect();
    assert_eq!(found, codes, "{text}: {:#?}", read.diagnostics);
    assert_eq!(&serde_json::to_value(&read.value).expect("JSON"), expected, "{text}");
    let named = read_as(text, dialect);
    assert_eq!(named.value, read.value, "{text}");
}

#[test]
fn reads_a_gomind_routing_plan() {
    // S1-09, S1-12
    let text = r#"{"plan_id": "p-1", "original_request": "Weather in Oslo?", "mode": "autonomous", "steps": [
        {"step_id": "step-1", "agent_name": "geo", "namespace": "default", "instruction": "Find Oslo",
         "metadata": {"capability": "geocode", "parameters": {"city": "Oslo"}}},
        {"step_id": "step-2", "agent_name": "weather", "namespace": "default", "instruction": "Look",
         "depends_on": ["step-1"],
         "metadata": {"capability": "current", "parameters": {"lat": "{{step-1.response.lat}}"}}}]}"#;
    let expected = json!({
        "objective": "Weather in Oslo?",
        "steps": [
            {"id": "step-1", "description": "Find Oslo", "tool": "geo", "inputs": {"city": "Oslo"},
             "metadata": {"capability": "geocode", "namespace": "default"}},
            {"id": "step-2", "description": "Look", "tool": "weather", "inputs": {"lat": "{{step-1.response.lat}}"},
             "depends_on": ["step-1"], "metadata": {"capability": "current", "namespace": "default"}},
        ],
        "metadata": {"plan_id": "p-1", "mode": "autonomous"},
    });
    check(text, Dialect::GoMind, &[], &expected);
    let read = read_as(text, Dialect::GoMind);
    let place = read.locations.of("/steps/1/inputs/lat").expect("a place");
    assert_eq!(place.path.as_deref(), Some("/steps/1/metadata/parameters/lat"));
    assert_eq!(place.span.of(text), r#""{{step-1.response.lat}}""#);
}

#[test]
fn gomind_steps_need_an_id_and_an_agent() {
    let text = r#"{"plan_id": "p", "original_request": "r", "steps": [{"instruction": "x"}]}"#;
    let error = read_text(text, &Options::default()).expect_err(text);
    let paths: Vec<_> = error.diagnostics().iter().filter_map(|row| row.path.as_deref()).collect();
    assert_eq!(paths, ["/steps/0/id", "/steps/0/tool"]);
}

#[test]
fn reads_the_canonical_workflow() {
    let text = r#"{"name": "W", "nodes": [{"id": "a", "type": "ai_step", "prompt": "p", "enabled": false, "timeout_ms": 5,
        "retries": 1, "expected_outcome": "o", "position": {"x": 1, "y": 2}}], "edges": []}"#;
    let expected = json!({"name": "W", "nodes": [{"id": "a", "type": "ai_step", "prompt": "p", "enabled": false,
        "timeout_ms": 5, "retries": 1, "expected_outcome": "o", "position": {"x": 1.0, "y": 2.0}}], "edges": []});
    check(text, Dialect::Workflow, &[], &expected);
}

#[test]
fn a_switch_may_be_planned() {
    // S3-66
    let text = r#"{"nodes": [{"id": "n1", "step_type": "Switch", "cases": [
        {"name": "a", "condition": {"left": {"type": "Variable", "name": "n0.x"}, "operator": "IsEmpty", "right": {"type": "Literal", "value": {"type": "String", "value": ""}}}}]}],
        "edges": []}"#;
    let expected = json!({"nodes": [{"id": "n1", "type": "switch", "cases": [
        {"name": "a", "condition": {"left": {"type": "variable", "name": "n0.x"}, "operator": "is_empty"}}]}], "edges": []});
    check(text, Dialect::ClickweaveGraph, &[], &expected);
}

#[test]
fn reads_a_task_result() {
    let text = r#"{"status": "completed", "changes": [{"path": "src/a.py", "action": "create", "content": "x"}],
        "tests_added": ["t"], "blockers": [], "notes": "it's done", "tools_used": ["edit"]}"#;
    let expected = json!({"status": "completed", "changes": [{"path": "src/a.py", "action": "create", "content": "x"}],
        "tests_added": ["t"], "notes": "it's done", "tools_used": ["edit"]});
    check(text, Dialect::AntonResult, &[], &expected);
}

#[test]
fn a_task_without_a_status_is_not_completed() {
    for text in [
        r#"{"changes": [], "notes": "completed"}"#,
        r#"{"status": null, "changes": []}"#,
        r#"{"status": "splendid", "changes": []}"#,
        "I completed everything.",
    ] {
        let options = Options { dialect: Dialect::AntonResult, ..Options::default() };
        assert!(read_text(text, &options).is_err(), "{text}");
    }
    let Document::TaskResult(result) =
        read_as(r#"{"status": "In Progress"}"#, Dialect::AntonResult).value
    else {
        panic!("a task result")
    };
    assert_eq!(result.status, TaskStatus::InProgress);
}

#[test]
fn reads_openai_tool_calls() {
    let call = r#"{"id": "call_1", "type": "function", "function": {"name": "search", "arguments": "{\"q\": \"x\"}"}}"#;
    let step = json!({"id": "call_1", "tool": "search", "inputs": {"q": "x"}});
    let alone = json!({"steps": [step]});
    let noted = json!({"steps": [step], "notes": "Let me look."});
    for (text, codes, expected) in [
        (format!("[{call}]"), &[][..], &alone),
        (call.to_owned(), &[], &alone),
        (format!(r#"{{"role": "assistant", "content": null, "tool_calls": [{call}]}}"#), &[], &alone),
        (format!(r#"{{"role": "assistant", "content": "Let me look.", "tool_calls": [{call}]}}"#), &[], &noted),
        (format!(r#"{{"choices": [{{"index": 0, "message": {{"content": "Let me look.", "tool_calls": [{call}]}}}}]}}"#), &[], &noted),
        (r#"{"output": [{"type": "reasoning", "id": "r"}, {"type": "function_call", "call_id": "call_1", "name": "search", "arguments": "{\"q\": \"x\"}"}]}"#.to_owned(), &[], &alone),
        (call.replace(r#""{\"q\": \"x\"}""#, r#"{"q": "x"}"#), &[], &alone),
        (call.replace(r#"{\"q\": \"x\"}"#, "{q: 'x',}"), &["plan/mended-arguments"], &alone),
    ] {
        check(&text, Dialect::OpenAiToolCalls, codes, expected);
    }
    check(
        r#"{"role": "assistant", "function_call": {"name": "a", "arguments": "{}"}}"#,
        Dialect::OpenAiToolCalls,
        &["plan/numbered"],
        &json!({"steps": [{"id": "1", "tool": "a"}]}),
    );
    check(
        r#"[{"function": {"name": "a", "arguments": ""}}, {"function": {"name": "b", "arguments": "{}"}}]"#,
        Dialect::OpenAiToolCalls,
        &["plan/numbered"],
        &json!({"steps": [{"id": "1", "tool": "a"}, {"id": "2", "tool": "b"}]}),
    );
}

#[test]
fn arguments_must_be_an_object() {
    for (arguments, code) in [
        (r#""100 * 2""#, "extract/no-json"),
        (r#""[1, 2]""#, "plan/wrong-type"),
        ("7", "plan/wrong-type"),
    ] {
        let text =
            format!(r#"[{{"id": "c", "function": {{"name": "a", "arguments": {arguments}}}}}]"#);
        let error = read_text(&text, &Options::default()).expect_err(&text);
        let row = &error.diagnostics()[0];
        assert_eq!(
            (&*row.code, row.path.as_deref()),
            (code, Some("/0/function/arguments")),
            "{text}"
        );
    }
}

#[test]
fn reads_anthropic_tool_use() {
    let block = r#"{"type": "tool_use", "id": "toolu_1", "name": "search", "input": {"q": "x"}}"#;
    let step = json!({"id": "toolu_1", "tool": "search", "inputs": {"q": "x"}});
    for (text, expected) in [
        (block.to_owned(), json!({"steps": [step]})),
        (format!("[{block}]"), json!({"steps": [step]})),
        (
            format!(
                r#"{{"role": "assistant", "content": [{{"type": "text", "text": "Let me look."}}, {block}]}}"#
            ),
            json!({"steps": [step], "notes": "Let me look."}),
        ),
    ] {
        check(&text, Dialect::AnthropicToolUse, &[], &expected);
    }
}

#[test]
fn reads_mcp_tools_calls() {
    let request = r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "search", "arguments": {"q": "x"}}}"#;
    let expected = json!({"steps": [{"id": "7", "tool": "search", "inputs": {"q": "x"}}]});
    check(request, Dialect::McpToolsCall, &[], &expected);
    check(&format!("[{request}]"), Dialect::McpToolsCall, &[], &expected);
}

#[test]
fn a_call_comes_after_those_that_it_refers_to() {
    let call = |id: &str, q: &str| json!({"type": "tool_use", "id": id, "name": "x", "input": {"q": {"in": [q]}}});
    // What the inputs of the first and the second call say, and what each depends on.
    let rows: [(&str, &str, &[&str], &[&str]); 5] = [
        ("", "{{a.y}} and {{a.z}}", &[], &["a"]),
        ("${b}", "", &["b"], &[]),
        ("{{b.y}}", "{{a.y}}", &["b"], &["a"]),
        ("$5 and {{HOME}}", "none", &[], &[]),
        ("", "{{b.y}}", &[], &[]),
    ];
    for (first, second, of_first, of_second) in rows {
        let text = json!([call("a", first), call("b", second)]).to_string();
        let read = read_as(&text, Dialect::AnthropicToolUse);
        let Document::Plan(plan) = &read.value else { panic!("a plan") };
        assert_eq!(plan.steps[0].depends_on, of_first, "{text}");
        assert_eq!(plan.steps[1].depends_on, of_second, "{text}");
        let told = of_first.len() + of_second.len();
        assert_eq!(read.diagnostics.len(), told, "{text}: {:?}", read.diagnostics);
        for row in &read.diagnostics {
            assert_eq!((&*row.code, row.severity), ("plan/undeclared-dependency", Severity::Info));
            assert!(row.span.is_some(), "{row:?}");
        }
        let written =
            write(&read.value, Dialect::AnthropicToolUse, Layout::Compact).expect("calls");
        assert_eq!((&written.kept, written.lost), (&read.value, Vec::new()), "{text}");
    }
}

#[test]
fn a_lost_argument_or_call_is_reported() {
    let rows: [(&str, &[(&str, &str)]); 4] = [
        ("1. f(q=\"a\", q=\"b\")\n", &[("plan/unreadable-line", "q=\"a\", q=\"b\"")]),
        ("1. f(q=\"a\", r=\"b\")\n", &[]),
        (
            "#E1 = Search[a] #E2 = Search[b #E1]\n",
            &[("plan/unreadable-line", "#E2 = Search[b #E1]")],
        ),
        ("#E1 = Search[a] to get #E1\n#E2 = Search[#E1]\n", &[]),
    ];
    for (text, expected) in rows {
        let options = Options { dialect: Dialect::LlmCompiler, ..Options::default() };
        let found = match read_text(text, &options) {
            Ok(read) => read.diagnostics,
            Err(error) => error.diagnostics().to_vec(),
        };
        let found: Vec<_> = found
            .iter()
            .map(|row| (&*row.code, row.span.map_or("", |span| span.of(text))))
            .collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn reads_llmcompiler_text() {
    let text = "Here is my plan.\n1. search(query=\"Oslo (Norway)\", limit=3)\n2. search(\"it's late\")\n\
        Thought: I need both, at $5 each.\n3. math('$1 + ${2}', ['a', True], opts={\"k\": None})\n4. join()<END_OF_PLAN>\n";
    check(
        text,
        Dialect::LlmCompiler,
        &[],
        &json!({"steps": [
            {"id": "1", "tool": "search", "inputs": {"query": "Oslo (Norway)", "limit": 3}},
            {"id": "2", "tool": "search", "inputs": {"args": ["it's late"]}},
            {"id": "3", "tool": "math", "description": "I need both, at $5 each.",
             "inputs": {"args": ["$1 + ${2}", ["a", true]], "opts": {"k": null}}, "depends_on": ["1", "2"]},
        ]}),
    );
    let read = read_as(text, Dialect::Auto);
    let place = |path: &str| read.locations.of(path).map(|place| place.span.of(text));
    assert_eq!(place("/steps/2/depends_on/1"), Some("${2}"));
    assert_eq!(place("/steps/1"), Some("2. search(\"it's late\")"));
}

#[test]
fn positional_arguments_get_the_names_of_required_parameters() {
    let catalog = json!({"search": {"required": ["query", "limit"]}, "one": {"required": ["q"]}});
    let options = Options {
        catalog: Some(Catalog::read(&catalog).expect("a catalog")),
        ..Options::default()
    };
    let text = "1. search(\"x\", 3)\n2. search(3, query=\"y\")\n3. one(\"a\", \"b\")\n";
    let read = read_text(text, &options).expect(text);
    let steps = serde_json::to_value(&read.value).expect("JSON");
    let inputs: Vec<&Value> = (0..3).map(|at| &steps["steps"][at]["inputs"]).collect();
    assert_eq!(
        inputs,
        [
            &json!({"query": "x", "limit": 3}),
            &json!({"query": "y", "limit": 3}),
            &json!({"args": ["a", "b"]})
        ]
    );
}

#[test]
fn reads_rewoo_text() {
    let text = "Plan: Find who wrote it.\n#E1 = Search[author of \"Dune\"]\nPlan: Ask for the year. #E2 = LLM[When was #E1 born?]\n";
    check(
        text,
        Dialect::LlmCompiler,
        &[],
        &json!({"steps": [
            {"id": "E1", "tool": "Search", "description": "Find who wrote it.", "inputs": {"input": "author of \"Dune\""}},
            {"id": "E2", "tool": "LLM", "description": "Ask for the year.", "inputs": {"input": "When was #E1 born?"}, "depends_on": ["E1"]},
        ]}),
    );
}

#[test]
fn an_unclosed_call_is_reported() {
    let text = "1. search(query=\"x\"\n2. other(a=1)\n";
    let options = Options { dialect: Dialect::LlmCompiler, ..Options::default() };
    let error = read_text(text, &options).expect_err(text);
    let row = &error.diagnostics()[0];
    assert_eq!(&*row.code, "plan/unreadable-line");
    assert_eq!(row.span.map(|span| span.of(text)), Some("1. search(query=\"x\""));
}

#[test]
fn a_numbered_step_without_a_call_is_kept() {
    let rows: [(&str, &[(&str, &str)]); 6] = [
        (
            "1. search(q=1)\n2. Sum up $1.\n3. tell($1)\n",
            &[("plan/unreadable-line", "2. Sum up $1.")],
        ),
        (
            "1. search(q=1) -> found\n2. tell(q=2)\n",
            &[("plan/unreadable-line", "1. search(q=1) -> found")],
        ),
        // What has the number of a call is about it.
        (
            "1. search(q=1)\n2. join()\n\nWhy:\n1. It is not known.\n2. Then it ends.\n",
            &[("plan/left-aside", "1. It is not known."), ("plan/left-aside", "2. Then it ends.")],
        ),
        // The end of a plan is no step, and neither is what stands within a call or says a number.
        ("1. search(q=1)\n2. join\n", &[]),
        ("1. search(q=\"\nx\n\")\n2. tell(q=1)\n3.5 seconds later\n", &[]),
        ("1. Plan: look it up\n#E1 = Search[x]\n", &[]),
    ];
    for (text, expected) in rows {
        let options = Options { dialect: Dialect::LlmCompiler, ..Options::default() };
        let rows = match read_text(text, &options) {
            Ok(read) => read.diagnostics,
            Err(error) => error.diagnostics().to_vec(),
        };
        let found: Vec<(&str, &str)> = rows
            .iter()
            .map(|row| (&*row.code, row.span.map(|span| span.of(text)).unwrap_or_default()))
            .collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn reads_markdown_lists() {
    check(
        "# Make tea\n\nSure:\n\n1. **Boil**: Boil the water.\n   Not too long.\n2. Pour it\n\nEnjoy!\n",
        Dialect::Markdown,
        &[],
        &json!({"objective": "Make tea", "steps": [
            {"id": "1", "title": "Boil", "description": "Boil the water.\nNot too long."},
            {"id": "2", "title": "Pour it"},
        ]}),
    );
    check(
        "- [x] Boil\n- [ ] **Pour** - slowly\n- [X] **Wait:** two minutes\n",
        Dialect::Markdown,
        &[],
        &json!({"steps": [
            {"id": "1", "title": "Boil", "metadata": {"done": true}},
            {"id": "2", "title": "Pour", "description": "slowly", "metadata": {"done": false}},
            {"id": "3", "title": "Wait", "description": "two minutes", "metadata": {"done": true}},
        ]}),
    );
    check(
        "3) **Bold** beginning\n5) Next\n\nAnother:\n1) Else\n",
        Dialect::Markdown,
        &["plan/left-aside"],
        &json!({"steps": [{"id": "3", "title": "**Bold** beginning"}, {"id": "5", "title": "Next"}]}),
    );
}

#[test]
fn json_dialects_share_one_extraction() {
    // S3-59: in prose, in a fence, broken.
    for (dialect, json) in [
        (Dialect::Canonical, "{steps: [{id: 'a'},]}"),
        (Dialect::GoMind, "{original_request: 'r', steps: [{step_id: 'a', agent_name: 'g'},]}"),
        (Dialect::ClickweaveSteps, "{steps: [{step_type: 'AiStep', prompt: 'p'},]}"),
        (Dialect::ClickweavePatch, "{remove_node_ids: ['n1',]}"),
        (Dialect::AntonResult, "{status: 'failed', changes: [],}"),
        (Dialect::AnthropicToolUse, "{type: 'tool_use', id: 'c', name: 'n', input: {},}"),
    ] {
        let text = format!("Sure, here it is:\n```json\n{json}\n```\nAnything else?");
        assert_eq!(read_as(&text, Dialect::Auto).dialect, dialect, "{text}");
    }
}

#[test]
fn json_takes_precedence_over_surrounding_text() {
    let text = "My steps:\n1. Think\n2. Answer\n\n```json\n{\"steps\": [{\"id\": \"a\"}]}\n```\n";
    assert_eq!(read_as(text, Dialect::Auto).dialect, Dialect::Canonical);
    let text = "{\"steps\": [{\"id\": \"a\", \"description\": \"\n1. search(q=1)\n\"}]}";
    assert_eq!(read_as(text, Dialect::Auto).dialect, Dialect::Canonical);
    let error = read_text("Sorry, I cannot.", &Options::default()).expect_err("no plan");
    assert!(
        error.code().starts_with("syntax/") || error.code().starts_with("extract/"),
        "{}",
        error.code()
    );
    let parsed = llmend_json::parse("{}").expect("JSON");
    for dialect in [Dialect::Markdown, Dialect::LlmCompiler] {
        let options = Options { dialect, ..Options::default() };
        assert!(read_document(&parsed.value, &options).is_err());
    }
}

fn plan() -> Plan {
    serde_json::from_value(json!({
        "version": "1", "objective": "O", "constraints": ["c"], "success_criteria": ["s"],
        "steps": [
            {"id": "s1", "title": "T", "description": "D", "tool": "t", "inputs": {"a": 1}, "expected_output": "e"},
            {"id": "s2", "title": "U", "description": "E", "tool": "u", "depends_on": ["s1"], "expected_output": "f",
             "metadata": {"namespace": "n", "owner": 1}},
        ],
        "notes": "n", "metadata": {"plan_id": "p", "k": 2},
    }))
    .expect("a plan")
}

/// The canonical paths of what is lost.
fn lost(dialect: Dialect) -> Vec<String> {
    let written = write(&plan().into(), dialect, Layout::Compact).expect("it can be written");
    written.lost.into_iter().filter_map(|row| row.path).collect()
}

#[test]
fn losses_of_a_dialect_are_listed() {
    let none: [&str; 0] = [];
    assert_eq!(lost(Dialect::Canonical), none);
    assert_eq!(lost(Dialect::Workflow), none);
    assert_eq!(
        lost(Dialect::OpenManus),
        [
            "/metadata/k",
            "/metadata/plan_id",
            "/steps/1/metadata/namespace",
            "/steps/1/metadata/owner"
        ]
    );
    assert_eq!(
        lost(Dialect::GoMind),
        [
            "/version",
            "/constraints",
            "/success_criteria",
            "/notes",
            "/metadata/k",
            "/steps/0/title",
            "/steps/0/expected_output",
            "/steps/1/title",
            "/steps/1/expected_output",
        ]
    );
    let calls = [
        "/version",
        "/objective",
        "/constraints",
        "/success_criteria",
        "/metadata/k",
        "/metadata/plan_id",
        "/steps/0/title",
        "/steps/0/description",
        "/steps/0/expected_output",
        "/steps/1/title",
        "/steps/1/description",
        "/steps/1/depends_on",
        "/steps/1/expected_output",
        "/steps/1/metadata/namespace",
        "/steps/1/metadata/owner",
    ];
    assert_eq!(lost(Dialect::OpenAiToolCalls), calls);
    assert_eq!(lost(Dialect::AnthropicToolUse), calls);
    assert_eq!(lost(Dialect::McpToolsCall), [&calls[..], &["/notes"]].concat());
}

#[test]
fn missing_required_fields_make_a_document_unwritable() {
    let plan: Plan = serde_json::from_value(json!({"steps": [{"id": "a", "description": "d"}]}))
        .expect("a plan");
    for (dialect, paths) in [
        (
            Dialect::OpenManus,
            &[
                "/version",
                "/objective",
                "/steps/0/title",
                "/steps/0/tool",
                "/steps/0/expected_output",
            ][..],
        ),
        (Dialect::GoMind, &["/steps/0/tool"]),
        (Dialect::OpenAiToolCalls, &["/steps/0/tool"]),
        (Dialect::LlmCompiler, &[""]),
        (Dialect::Calls, &[""]),
        (Dialect::Patch, &[""]),
        (Dialect::AntonResult, &[""]),
    ] {
        let error =
            write(&plan.clone().into(), dialect, Layout::Compact).expect_err("it lacks something");
        let found: Vec<_> = error.reasons.iter().filter_map(|row| row.path.as_deref()).collect();
        assert_eq!(found, paths, "{dialect}");
    }
    let none = Plan::default();
    assert!(write(&none.clone().into(), Dialect::Canonical, Layout::Compact).is_err());
    assert!(write(&none.into(), Dialect::Markdown, Layout::Compact).is_err());
}

/// Reads `text` as calls of `get_weather` and `get_time`, and returns its plan and `code severity` of
/// each finding.
fn read_calls(text: &str, options: Options) -> (Value, Vec<String>) {
    let tools = json!({
        "get_weather": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]},
        "get_time": {"type": "object", "properties": {"zone": {"type": "string"}}},
    });
    let catalog = Some(Catalog::read(&tools).expect("a catalog"));
    let options = Options { dialect: Dialect::Calls, catalog, ..options };
    let read = read_text_partial(text, &options).expect("text");
    // The remarks of the reader of calls are its own matter.
    let remark =
        |row: &&Diagnostic| row.code.starts_with("calls/") && row.severity == Severity::Info;
    let rows = read.diagnostics.iter().filter(|row| !remark(row));
    let rows = rows.map(|row| format!("{} {:?}", row.code, row.severity));
    (serde_json::to_value(&read.value).expect("JSON"), rows.collect())
}

#[test]
fn reads_calls_of_any_notation() {
    let weather = json!({"id": "1", "tool": "get_weather", "inputs": {"city": "Oslo"}});
    let time = |inputs| json!({"id": "2", "tool": "get_time", "inputs": inputs});
    for (text, plan, codes) in [
        ("[get_weather(city='Oslo')]", json!({"steps": [weather]}), ""),
        // References are dependencies.
        (
            "[get_weather('Oslo'), get_time(zone='$1')]",
            json!({"steps": [weather, {"id": "2", "tool": "get_time", "inputs": {"zone": "$1"}, "depends_on": ["1"]}]}),
            "plan/undeclared-dependency Info",
        ),
        (
            "Both:\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"get_time\", \"arguments\": {}}\n</tool_call>",
            json!({"notes": "Both:", "steps": [weather, {"id": "2", "tool": "get_time"}]}),
            "",
        ),
        // Arguments are made to fit, and every change is on record.
        (
            "<function=get_weather>{\"City\": \"Oslo\", \"days\": \"3\"}</function>",
            json!({"steps": [{"id": "1", "tool": "get_weather", "inputs": {"city": "Oslo", "days": 3}}]}),
            "plan/coerced-arguments Info, plan/coerced-arguments Info",
        ),
        // A refused call is an invalid step, in its place.
        (
            "<tool_call>{\"name\": \"send\", \"arguments\": {}}</tool_call>\n<tool_call>{\"name\": \"get_time\", \"arguments\": {\"zone\": \"UTC\"}}</tool_call>",
            json!({"steps": [{"id": "1", "tool": "send"}, time(json!({"zone": "UTC"}))]}),
            "calls/unknown-tool Error",
        ),
        // So is a call of a misspelled tool, unless the options say otherwise.
        (
            "[get_wether(city='Oslo')]",
            json!({"steps": [{"id": "1", "tool": "get_wether", "inputs": {"city": "Oslo"}}]}),
            "plan/unknown-tool Error",
        ),
        ("Nothing to call.", json!({"steps": [], "notes": "Nothing to call."}), "plan/empty Error"),
        (
            "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Os",
            json!({"steps": []}),
            "calls/truncated Error",
        ),
    ] {
        let (read, rows) = read_calls(text, Options::default());
        assert_eq!((read, rows.join(", ").as_str()), (plan, codes), "{text}");
    }
    let rename = Options { on_near_tool: OnNearTool::Rename, ..Options::default() };
    let (read, rows) = read_calls("[get_wether(city='Oslo')]", rename);
    assert_eq!(
        (read, rows),
        (json!({"steps": [weather]}), vec!["plan/tool-renamed Warning".to_owned()])
    );
    let drop = Options { on_bad_step: Some(OnBadStep::Drop), ..Options::default() };
    let (read, rows) = read_calls(
        "<tool_call>{\"name\": \"send\", \"arguments\": {}}</tool_call>\n<tool_call>{\"name\": \"get_time\", \"arguments\": {\"zone\": \"UTC\"}}</tool_call>",
        drop,
    );
    assert_eq!(
        (read, rows),
        (
            json!({"steps": [time(json!({"zone": "UTC"}))]}),
            vec!["calls/unknown-tool Warning".to_owned()]
        )
    );
    for options in [
        Options { max_items: 1, ..Options::default() },
        Options { disabled: [NodeType::Tool].into(), ..Options::default() },
    ] {
        let (_, rows) = read_calls("[get_time(), get_time(zone='UTC')]", options);
        assert!(rows.iter().all(|row| row.ends_with("Error")) && !rows.is_empty(), "{rows:?}");
    }
}

#[test]
fn a_step_that_quotes_a_call_is_an_error() {
    let quoted = |text: &str| {
        let read = read_text_partial(text, &Options::default()).expect("a plan");
        let rows = read.diagnostics.iter().filter(|row| row.code == "plan/quoted-call");
        rows.map(|row| row.span.expect("a place").of(text).to_owned()).collect::<Vec<_>>()
    };
    for (text, places) in [
        ("[search(q='x'), look(at=1)]", &["search(q='x')", "look(at=1)"][..]),
        (r#"{"steps": ["Look", "search(q='x')"]}"#, &["\"search(q='x')\""]),
        (r#"{"steps": [{"id": "a", "description": "search(q='x')"}]}"#, &["\"search(q='x')\""]),
        (
            r#"{"steps": [{"id": "a", "title": "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>"}]}"#,
            &[r#""<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>""#],
        ),
        (r#"{"steps": [{"id": "a", "tool": "search(q='x')"}]}"#, &["\"search(q='x')\""]),
        ("1) Look\n2) `search(q='x')`", &["2) `search(q='x')`"]),
        // A title says what the call is for, and a tool is named.
        (r#"{"steps": [{"id": "a", "title": "Search", "description": "search(q='x')"}]}"#, &[]),
        (r#"{"steps": [{"id": "a", "tool": "t", "description": "search(q='x')"}]}"#, &[]),
        (r#"{"steps": ["Call search(q='x') and read on"]}"#, &[]),
    ] {
        assert_eq!(quoted(text), places, "{text}");
    }
}

#[test]
fn json_layout_is_configurable() {
    let plan: Plan = serde_json::from_value(json!({"steps": [{"id": "a"}]})).expect("a plan");
    let text =
        |layout| write(&plan.clone().into(), Dialect::Canonical, layout).expect("a plan").text;
    assert_eq!(text(Layout::Compact), r#"{"steps":[{"id":"a"}]}"#);
    assert_eq!(text(Layout::Indented).lines().count(), 7);
}

#[test]
fn openmanus_plans_write_every_field() {
    // S0-20…S0-23: what is written reads as the strict plan.
    let written =
        write(&plan().into(), Dialect::OpenManus, Layout::Compact).expect("it has all fields");
    let read = read_as(&written.text, Dialect::Auto);
    assert_eq!((read.dialect, &read.value), (Dialect::OpenManus, &written.kept));
    assert!(written.text.starts_with(r#"{"version":"1","objective":"O","constraints":["c"]"#));
}
