//! Plans, workflows and changes of them, put right on the second call.

use llmend::asking::{
    AskOptions, FailureKind, GiveUpReason, Ladder, PlanSubject, Preset, Retries, Strategy, Validity,
};
use llmend::plan::{Catalog, Dialect, Document, Gaps, OnExtraArgument};
use llmend::{Fixes, Review, ReviewOptions};
use serde_json::json;

use crate::{Played, play_texts};

fn subject(dialect: Dialect) -> PlanSubject {
    let catalog = Catalog::read(&json!({"tools": [
        {"name": "search", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}, "most": {"type": "integer"}}, "required": ["query"]}},
        {"name": "book"}
    ]}))
    .unwrap();
    let plan = llmend::plan::Options { dialect, catalog: Some(catalog), ..Default::default() };
    PlanSubject {
        options: ReviewOptions { plan, fixes: Fixes::Made, ..ReviewOptions::default() },
        changing: None,
    }
}

fn on(strategy: Strategy) -> AskOptions {
    AskOptions { ladder: Ladder::of([strategy]), ..AskOptions::default() }
}

fn steps(played: &Played<Review>) -> Vec<&str> {
    match &played.done().value.reviewed.value {
        Document::Plan(plan) => plan.steps.iter().map(|step| step.id.as_str()).collect(),
        Document::Workflow(flow) => flow.nodes.iter().map(|node| node.id.as_str()).collect(),
        other => panic!("{}", other.what()),
    }
}

#[test]
fn what_inference_and_fixes_solve_is_not_asked_for() {
    // S3-57, S3-64: read, inferred, put right and checked before anybody is asked again.
    let played = play_texts(
        &subject(Dialect::Auto),
        AskOptions::default(),
        &[
            "Sure: {steps: [{id: 'a', tool: 'search', inputs: {query: 'x'}}, {id: 'b', tool: 'book', depends_on: ['A']}]}",
        ],
    );
    assert_eq!((played.asked.len(), steps(&played)), (1, vec!["a", "b"]));
}

#[test]
fn a_plan_that_does_not_hold_together_is_asked_for_again() {
    // S1-38, S3-09: validation belongs to the same loop.
    let rows = [
        (
            r#"{"steps": [{"id": "a", "tool": "book", "depends_on": ["b"]}, {"id": "b", "tool": "book", "depends_on": ["a"]}]}"#,
            FailureKind::Structure,
            "plan/cycle",
        ),
        (r#"{"steps": [{"id": "a", "tool": "fly"}]}"#, FailureKind::Schema, "plan/unknown-tool"),
        (
            r#"{"steps": [{"id": "a", "tool": "book"}, {"tool": "book"}]}"#,
            FailureKind::Schema,
            "plan/missing-field",
        ),
        (r#"{"steps": []}"#, FailureKind::Schema, "plan/empty"),
        ("not json at all", FailureKind::NoJson, "extract/no-json"),
    ];
    let good = r#"{"steps": [{"id": "a", "tool": "book"}]}"#;
    for (bad, kind, code) in rows {
        let played = play_texts(&subject(Dialect::Auto), on(Strategy::Full), &[bad, good]);
        let first = &played.done().ledger.attempts[0];
        let error = first.findings.iter().find(|row| row.severity == llmend::Severity::Error);
        let found = (first.failure, error.map(|row| &*row.code));
        assert_eq!(found, (Some(kind), Some(code)), "{bad}: {:?}", first.findings);
        assert!(played.prompts()[1].contains(&format!("[{code}]")), "{}", played.prompts()[1]);
        assert_eq!((played.asked.len(), steps(&played)), (2, vec!["a"]));
    }
}

#[test]
fn the_tool_that_a_finding_is_about_is_shown() {
    let bad = r#"{"steps": [{"id": "a", "tool": "search", "inputs": {"query": "x", "most": "all of them"}}, {"id": "b", "tool": "fly"}]}"#;
    // A tool that there is not comes first: what it takes cannot be known.
    let played = play_texts(
        &subject(Dialect::Auto),
        on(Strategy::Fields),
        &[bad, r#"{"steps.1.tool": "book"}"#, r#"{"steps.0.inputs.most": 9}"#],
    );
    assert_eq!(played.strategies(), ["-", "fields", "fields"]);
    let Document::Plan(plan) = &played.done().value.reviewed.value else { panic!("a plan") };
    assert_eq!(plan.steps[0].inputs["most"].as_i64(), Some(9));
    assert_eq!(plan.steps[1].tool.as_deref(), Some("book"));

    let known = bad.replace("fly", "book");
    let played = play_texts(&subject(Dialect::Auto), on(Strategy::Full), &[bad, &known, &known]);
    let prompts = played.prompts();
    assert!(prompts[1].contains(r#"available tools: ["book","search"]"#), "{}", prompts[1]);
    assert!(prompts[2].contains(r#""search": {"arguments":"#), "{}", prompts[2]);
}

#[test]
fn an_argument_that_the_tool_forbids_is_taken_out_and_not_asked_for() {
    let closed = json!({"tools": [{"name": "search", "inputSchema": {
        "type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"], "additionalProperties": false
    }}]});
    let mut subject = subject(Dialect::Auto);
    subject.options.plan.catalog = Some(Catalog::read(&closed).unwrap());
    let bad = r#"{"steps": [{"id": "a", "tool": "search", "inputs": {"query": "x", "deep": 1}}, {"id": "b", "tool": "search", "inputs": {"query": "y"}}]}"#;
    let played = play_texts(&subject, on(Strategy::Fields), &[bad, r#"{"field_1": null}"#]);
    let prompt = &played.prompts()[1];
    assert!(prompt.contains(r#""field_1": null, to remove the member at /steps/0/inputs/deep"#));
    assert!(prompt.contains(r#""properties":{"field_1":{"type":"null"}}"#), "{prompt}");
    let Document::Plan(plan) = &played.done().value.reviewed.value else { panic!("a plan") };
    assert_eq!(serde_json::to_value(&plan.steps[0].inputs).unwrap(), json!({"query": "x"}));
    // Nobody is asked if the options say what becomes of it.
    subject.options.plan.on_extra_argument = OnExtraArgument::Drop;
    let played = play_texts(&subject, on(Strategy::Fields), &[bad]);
    assert_eq!((played.asked.len(), steps(&played)), (1, vec!["a", "b"]));
    let rows = &played.done().findings;
    assert!(rows.iter().any(|row| row.message.contains("omitted `1`")), "{rows:?}");
}

#[test]
fn the_parts_are_asked_for_with_the_schemas_of_their_tools_alone() {
    let bad = r#"{"steps": [{"id": "a", "tool": "search", "inputs": {"query": "x", "most": "all of them"}}, {"id": "b", "tool": "book", "depends_on": ["a"]}]}"#;
    let subject = subject(Dialect::Auto);
    let instructions =
        llmend::prompts::planning(Dialect::Auto, subject.options.plan.catalog.as_ref(), "any");
    assert!(instructions.contains(r#"{"name":"book"}"#));
    let task = llmend::asking::Task::new(instructions, "Find a hotel");
    let played = crate::play_task(
        &subject,
        on(Strategy::Fields),
        task,
        &[bad, r#"{"steps.0.inputs.most": 9}"#],
    );
    let retry = &played.asked[1].request;
    let schema = &retry.output.shape().expect("a schema").schema;
    assert!(schema.contains(r#""steps.0.inputs.most":{"anyOf":[{"type":"integer"},"#), "{schema}");
    let rules = &retry.messages[0].content;
    assert!(rules.contains(r#"{"name":"search","#), "{rules}");
    assert!(!rules.contains(r#"{"name":"book"}"#), "{rules}");
    assert_eq!(steps(&played), ["a", "b"]);
}

#[test]
fn a_plan_is_patched_in_the_form_that_the_model_wrote_it_in() {
    let bad = r#"{"plan_id": "p", "original_request": "q", "mode": "autonomous", "steps": [{"step_id": "s1", "agent_name": "book", "namespace": "n", "instruction": "go", "depends_on": ["s2"]}, {"step_id": "s2", "agent_name": "book", "namespace": "n", "instruction": "go", "depends_on": ["s1"]}]}"#;
    let patch = r#"{"plan": ["break the circle"], "patch": [{"op": "remove", "path": "/steps/0/depends_on"}]}"#;
    let played = play_texts(&subject(Dialect::GoMind), on(Strategy::Patch), &[bad, patch]);
    assert_eq!((played.strategies(), steps(&played)), (vec!["-", "patch"], vec!["s1", "s2"]));
    assert!(played.done().answer.contains("\"step_id\": \"s1\""));
}

/// A workflow with one branch of an If.
const ONE_BRANCH: &str = r#"{"nodes": [{"id": "n1", "step_type": "If", "condition": {"left": {"type": "Literal", "value": {"type": "Bool", "value": true}}, "operator": "Equals", "right": {"type": "Literal", "value": {"type": "Bool", "value": true}}}}, {"id": "n2", "step_type": "Tool", "tool_name": "book", "arguments": {}}], "edges": [{"from": "n1", "to": "n2", "output": {"type": "IfTrue"}}]}"#;

#[test]
fn a_workflow_is_repaired_by_its_own_patch() {
    let patch = r#"{"add_nodes": [{"id": "n3", "type": "tool", "tool": "book"}], "add_edges": [{"from": "n1", "to": "n3", "output": "if_false"}]}"#;
    let played =
        play_texts(&subject(Dialect::ClickweaveGraph), on(Strategy::Patch), &[ONE_BRANCH, patch]);
    let prompt = played.prompts()[1];
    assert!(
        prompt.contains("[workflow/missing-branch]") && prompt.contains("\"add_edges\""),
        "{prompt}"
    );
    assert_eq!((played.strategies(), steps(&played)), (vec!["-", "patch"], vec!["n1", "n2", "n3"]));
    // One that cannot be applied leaves all as it was, and is told.
    for useless in [r#"{"remove_nodes": ["n9"]}"#, "no JSON", r#"{"nodes": "all of them"}"#] {
        let texts = [ONE_BRANCH, useless, patch];
        let played = play_texts(&subject(Dialect::ClickweaveGraph), on(Strategy::Patch), &texts);
        assert_eq!(steps(&played), ["n1", "n2", "n3"], "{useless}");
        let prompt = played.prompts()[2];
        assert!(
            prompt.contains("What came after it") && prompt.contains("missing-branch"),
            "{prompt}"
        );
    }
    // One that does not make it valid is where the next one begins.
    let half = r#"{"add_nodes": [{"id": "n3", "type": "tool", "tool": "book"}]}"#;
    let rest = r#"{"add_edges": [{"from": "n1", "to": "n3", "output": "if_false"}]}"#;
    let played = play_texts(
        &subject(Dialect::ClickweaveGraph),
        on(Strategy::Patch),
        &[ONE_BRANCH, half, rest],
    );
    assert_eq!(
        (played.strategies(), steps(&played)),
        (vec!["-", "patch", "patch"], vec!["n1", "n2", "n3"])
    );
}

#[test]
fn a_change_is_judged_by_what_comes_of_it() {
    // S3-10, S3-14…S3-16, S3-58: the patch is merged, the result is checked, and asked again.
    let before =
        llmend::review_plan(r#"{"steps": [{"id": "a"}, {"id": "b", "depends_on": ["a"]}]}"#)
            .unwrap();
    let subject = PlanSubject {
        options: ReviewOptions::default(),
        changing: Some((before.reviewed.value, Gaps::Leave)),
    };
    let bad = r#"{"add_dependencies": [{"step": "a", "on": "b"}]}"#;
    let good = r#"{"add_steps": [{"id": "c", "depends_on": ["b"]}]}"#;
    for attempts in 2..4 {
        let options = AskOptions::preset(Preset::ClickweaveAssistant(attempts));
        let played = play_texts(&subject, options, &[bad, good]);
        assert_eq!((played.asked.len(), steps(&played)), (2, vec!["a", "b", "c"]));
        assert!(played.prompts()[1].contains("[plan/cycle]"));
        assert_eq!(played.done().answer, good);
    }
    // S3-17…S3-22: nothing is checked with 0; with 1 and more the last one comes back, marked.
    for (attempts, calls, validity) in [
        (0, 1, Validity::Unchecked),
        (1, 1, Validity::Invalid),
        (2, 2, Validity::Invalid),
        (3, 3, Validity::Invalid),
    ] {
        let options = AskOptions::preset(Preset::ClickweaveAssistant(attempts));
        let played = play_texts(&subject, options, &[bad]);
        assert_eq!((played.asked.len(), played.done().validity), (calls, validity), "{attempts}");
        assert_eq!(played.done().answer, bad);
    }
}

#[test]
fn the_planner_of_clickweave_has_one_retry() {
    // S3-07, S3-63: concrete feedback, once, and then its error.
    let options = AskOptions::preset(Preset::ClickweavePlanner);
    let played = play_texts(&subject(Dialect::Auto), options, &["not json at all"]);
    assert_eq!((played.asked.len(), &played.gave_up().why), (2, &GiveUpReason::Retries));
    assert_eq!(Retries::of(1), AskOptions::preset(Preset::ClickweavePlanner).retries);
}

#[test]
fn a_plan_that_is_no_json_is_read_as_it_stands() {
    let plan = llmend::plan::Options { dialect: Dialect::Markdown, ..Default::default() };
    let subject =
        PlanSubject { options: ReviewOptions { plan, ..ReviewOptions::default() }, changing: None };
    assert_eq!(
        steps(&play_texts(&subject, AskOptions::default(), &["1. Boil water\n2. Pour it\n"])).len(),
        2
    );
}
