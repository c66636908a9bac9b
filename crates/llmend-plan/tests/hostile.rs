//! Hostile answers, whose cost stays proportional to their size.
//!
//! A cost that grows with the square of the size would keep these tests from ending.

use llmend_plan::{Dialect, Document, OnBadStep, Options, read_document, read_text};

const MANY: usize = 50_000;

fn read(text: &str, on_bad_step: OnBadStep) -> Result<Document, llmend_plan::Error> {
    let options = Options { on_bad_step: Some(on_bad_step), ..Options::default() };
    let parsed = llmend_json::parse(text).expect("JSON");
    read_document(&parsed.value, &options).map(|read| read.value)
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!(r#"{{"steps": [{}]}}"#, items.collect::<Vec<_>>().join(","))
}

#[test]
fn long_chains_are_bridged() {
    let bad = (1..MANY).map(|at| format!(r#"{{"id": {at}, "tool": 1, "needs": [{}]}}"#, at - 1));
    let text = list(
        [r#"{"id": 0}"#.to_owned()]
            .into_iter()
            .chain(bad)
            .chain([format!(r#"{{"id": "end", "needs": [{}]}}"#, MANY - 1)]),
    );
    let Ok(Document::Plan(plan)) = read(&text, OnBadStep::Bridge) else { panic!("a plan") };
    assert_eq!((plan.steps.len(), plan.steps[1].depends_on.as_slice()), (2, &["0".to_owned()][..]));
    let nodes: Vec<String> = (0..MANY)
        .map(|at| match at {
            0 => r#"{"id": "0", "type": "ai_step", "prompt": "p"}"#.to_owned(),
            _ if at + 1 == MANY => format!(r#"{{"id": "{at}", "type": "ai_step", "prompt": "p"}}"#),
            _ => format!(r#"{{"id": "{at}"}}"#),
        })
        .collect();
    let edges: Vec<String> =
        (1..MANY).map(|at| format!(r#"{{"from": "{}", "to": "{at}"}}"#, at - 1)).collect();
    let text = format!(r#"{{"nodes": [{}], "edges": [{}]}}"#, nodes.join(","), edges.join(","));
    let Ok(Document::Workflow(workflow)) = read(&text, OnBadStep::Bridge) else {
        panic!("a workflow")
    };
    assert_eq!((workflow.nodes.len(), workflow.edges.len()), (2, 1));
}

#[test]
fn stars_lose_the_edges_to_their_center() {
    let bad = r#"{"id": "bad", "tool": 1}"#.to_owned();
    let rays = (0..MANY).map(|at| format!(r#"{{"id": {at}, "needs": ["bad"]}}"#));
    let Ok(Document::Plan(plan)) = read(&list([bad].into_iter().chain(rays)), OnBadStep::Drop)
    else {
        panic!("a plan")
    };
    assert!(plan.steps.iter().all(|step| step.depends_on.is_empty()));
    let bad = (0..MANY).map(|at| format!(r#"{{"id": {at}, "tool": 1}}"#));
    let all: Vec<String> = (0..MANY).map(|at| at.to_string()).collect();
    let last = format!(r#"{{"id": "end", "needs": [{}, "x", "x"]}}"#, all.join(","));
    let Ok(Document::Plan(plan)) = read(&list(bad.chain([last])), OnBadStep::Bridge) else {
        panic!("a plan")
    };
    assert_eq!(plan.steps[0].depends_on, ["x"]);
}

#[test]
fn long_keys_do_not_repeat_in_every_path() {
    let key = "k".repeat(MANY);
    let numbers = vec!["1"; MANY].join(",");
    for text in [
        format!(r#"{{"steps": [{{"id": "a", "inputs": {{"{key}": [{numbers}]}}}}]}}"#),
        format!(r#"{{"{key}": {{"steps": [{numbers}]}}}}"#),
        format!(r#"{{"steps": [{{"id": "a", "{key}": [{numbers}]}}]}}"#),
    ] {
        let parsed = llmend_json::parse(&text).expect("JSON");
        let outcome = read_document(&parsed.value, &Options::default());
        if let Ok(read) = outcome {
            let paths = read.locations.lists.values().flatten().flat_map(|item| item.parts.keys());
            assert!(paths.map(String::len).sum::<usize>() < 32 * text.len());
        }
    }
}

#[test]
fn deep_values_give_an_error_or_a_plan() {
    let deep = format!("{}1{}", "[".repeat(MANY), "]".repeat(MANY));
    for text in [
        format!(r#"{{"steps": [{{"id": "a", "inputs": {{"x": {deep}}}}}]}}"#),
        format!(r#"{{"steps": {deep}}}"#),
        format!("{}{}", r#"{"plan": "#.repeat(MANY), "}".repeat(MANY)),
    ] {
        let options =
            llmend_json::Options { max_depth: 2 * MANY, ..llmend_json::Options::default() };
        let parsed = llmend_json::parse_with(&text, &options).expect("JSON");
        assert!(read_document(&parsed.value, &Options::default()).is_err());
    }
}

#[test]
fn unterminated_texts_are_read_once() {
    for unit in [
        "#E",
        "#E1=",
        "#E1=a[",
        "1. a(\n",
        "1. a(1) b\n",
        "1. a('\n",
        "Plan:\n",
        "- [ ] a\n",
        "1. a\n",
        "**",
        "{{",
        "${",
    ] {
        let text = unit.repeat(MANY);
        for dialect in [Dialect::LlmCompiler, Dialect::Markdown, Dialect::Auto] {
            let options = Options { dialect, ..Options::default() };
            if let Ok(read) = read_text(&text, &options) {
                let Document::Plan(plan) = read.value else { panic!("a plan") };
                assert!(plan.steps.len() <= MANY);
            }
        }
    }
}

#[test]
fn flowcharts_take_linear_time() {
    let lines = |line: &dyn Fn(usize) -> String| {
        let body: Vec<String> = (0..MANY).map(line).collect();
        format!("flowchart TD\n{}", body.join("\n"))
    };
    let texts = [
        lines(&|at| format!("n{at} --> n{}", at + 1)),
        lines(&|at| format!("subgraph g{at}\nn{at}\nend\ng{at} --> g{}", at + 1)),
        lines(&|at| format!("subgraph g{at}\nn{at}")),
        lines(&|_| "A[\"open".to_owned()),
        lines(&|_| "A@{ open".to_owned()),
        lines(&|_| "This is prose.".to_owned()),
        format!("flowchart TD\nA {}", "-- b ".repeat(MANY)),
        format!("flowchart TD\nA[{}", "x]x ".repeat(MANY)),
        format!("flowchart TD\nA{}", "[".repeat(MANY)),
        format!("flowchart TD\nA{} --> B", " & A".repeat(MANY)),
        format!("flowchart TD\n{0}a --> {0}b", "a & ".repeat(1000)),
        format!("flowchart TD\nA[\"{}\"] --> B", "#<&".repeat(MANY)),
        "flowchart TD\nA-->B\n```\n".repeat(MANY),
    ];
    for text in texts {
        let options = Options { dialect: Dialect::Mermaid, ..Options::default() };
        let _ = llmend_plan::review(&text, &options);
    }
}

#[test]
fn workflows_of_other_tools_take_linear_time() {
    let join = |one: &dyn Fn(usize) -> String| (0..MANY / 5).map(one).collect::<Vec<_>>().join(",");
    let mut nested =
        r#"{"StartAt": "A", "States": {"A": {"Type": "Pass", "End": true}}}"#.to_owned();
    for at in 0..40 {
        nested = format!(
            r#"{{"StartAt": "P{at}", "States": {{"P{at}": {{"Type": "Parallel", "Branches": [{nested}], "End": true}}}}}}"#
        );
    }
    let texts = [
        nested,
        format!(
            r#"{{"StartAt": "s0", "States": {{{}}}}}"#,
            join(&|at| format!(
                r#""s{at}": {{"Type": "Map", "Iterator": {{"StartAt": "t{at}", "States": {{"t{at}": {{"Type": "Pass", "End": true}}}}}}, "Next": "s{}"}}"#,
                at + 1
            ))
        ),
        format!(
            r#"{{"StartAt": "s", "States": {{"s": {{"Type": "Choice", "Choices": [{}]}}}}}}"#,
            join(&|_| r#"{"Variable": "$.a", "NumericEquals": 1, "Next": "s"}"#.to_owned())
        ),
        format!(
            r#"{{"nodes": [{}], "connections": {{{}}}}}"#,
            join(&|at| format!(
                r#"{{"name": "n{at}", "type": "n8n-nodes-base.if", "parameters": {{}}}}"#
            )),
            join(&|at| format!(r#""n{at}": {{"main": [[{{"node": "n{}"}}]]}}"#, at + 1))
        ),
        format!(
            r#"{{"nodes": [{{"id": "__start__"}}, {}], "edges": [{}]}}"#,
            join(&|at| format!(r#"{{"id": "n{at}"}}"#)),
            join(&|at| format!(
                r#"{{"source": "n{at}", "target": "n{}", "conditional": true}}"#,
                at / 2
            ))
        ),
        format!(
            r#"{{"arazzo": "1.0.1", "workflows": [{}]}}"#,
            join(&|at| format!(
                r#"{{"workflowId": "w{at}", "dependsOn": ["w{}"], "steps": [{{"stepId": "s", "operationId": "o"}}]}}"#,
                at / 2
            ))
        ),
    ];
    for text in texts {
        let _ = llmend_plan::review(&text, &Options::default());
    }
}
