//! Plans that a model answers as tool calls, in its own notation.

use llmend::{
    Class, Policy, Review, ReviewOptions,
    calls::{self, NOTATIONS, Notation, Tools},
    json::Severity,
    plan::{Catalog, Dialect, Document, Options, Step},
    review_plan_with,
};
use serde_json::json;

fn with_catalog() -> ReviewOptions {
    let tools = json!({
        "get_time": {"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"]},
        "get_date": {"type": "object", "properties": {"zone": {"type": "string"}, "days": {"type": "integer"}}},
    });
    let catalog = Some(Catalog::read(&tools).expect("a catalog"));
    ReviewOptions { plan: Options { catalog, ..Options::default() }, ..ReviewOptions::default() }
}

fn steps(review: &Review) -> &[Step] {
    match &review.reviewed.value {
        Document::Plan(plan) => &plan.steps,
        other => panic!("expected a plan, found {}", other.what()),
    }
}

/// Returns the codes of the errors.
fn errors(answer: &str, options: &ReviewOptions) -> Vec<String> {
    let rows = match review_plan_with(answer, options) {
        Ok(review) => review.reviewed.diagnostics,
        Err(error) => error.diagnostics(),
    };
    let errors = rows.into_iter().filter(|row| row.severity == Severity::Error);
    errors.map(|row| row.code.into_owned()).collect()
}

#[test]
fn every_notation_is_a_plan() {
    for row in NOTATIONS {
        let review = review_plan_with(row.example, &with_catalog()).expect(row.name);
        assert!(!review.reviewed.has_errors(), "{}: {:?}", row.name, review.reviewed.diagnostics);
        let [step] = steps(&review) else { panic!("{}: {:?}", row.name, steps(&review)) };
        assert_eq!(step.tool.as_deref(), Some("get_time"), "{}", row.name);
        assert_eq!(json!(step.inputs), json!({"zone": "UTC"}), "{}", row.name);
        // Messages of APIs are plans in their own dialects, with their ids.
        let own = matches!(row.name, "openai" | "mcp" | "anthropic" | "compiler");
        assert_eq!(review.reviewed.dialect == Dialect::Calls, !own, "{}", row.name);
        assert!(own || step.id == "1", "{}", row.name);
    }
}

#[test]
fn calls_in_quotes_are_steps() {
    let review = review_plan_with("[\"get_time(zone='UTC')\"]", &with_catalog()).expect("a call");
    assert!(!review.reviewed.has_errors(), "{:?}", review.reviewed.diagnostics);
    let [step] = steps(&review) else { panic!("{:?}", steps(&review)) };
    assert_eq!(step.tool.as_deref(), Some("get_time"));
    assert_eq!(json!(step.inputs), json!({"zone": "UTC"}));
}

#[test]
fn without_a_catalog_marks_are_needed() {
    let is_marked = |row: &Notation| {
        let reading = calls::read(row.example, &Tools::default(), &calls::Options::default());
        !row.openers.is_empty() && !reading.calls.is_empty()
    };
    let marked: Vec<&Notation> = NOTATIONS.iter().filter(|row| is_marked(row)).collect();
    assert!(marked.len() > 30, "{}", marked.len());
    for row in marked {
        let review = review_plan_with(row.example, &ReviewOptions::default()).expect(row.name);
        assert!(!review.reviewed.has_errors(), "{}: {:?}", row.name, review.reviewed.diagnostics);
        assert_eq!(steps(&review)[0].tool.as_deref(), Some("get_time"), "{}", row.name);
    }
    let none = ReviewOptions::default();
    assert_eq!(errors("get_time(zone=\"UTC\")", &none), ["extract/no-json"]);
    assert_eq!(errors("[get_time(zone=\"UTC\")]", &none), ["plan/quoted-call"]);
}

#[test]
fn what_was_done_to_calls_is_on_record() {
    let answer =
        "Now.\n<tool_call>\n{name: 'get_date', arguments: {zone: 5, days: '3',}}\n</tool_call>";
    let review = review_plan_with(answer, &with_catalog()).expect("calls");
    assert!(!review.reviewed.has_errors(), "{:?}", review.reviewed.diagnostics);
    assert_eq!(json!(steps(&review)[0].inputs), json!({"zone": "5", "days": 3}));
    assert!(review.report.class >= Some(Class::Notation));
    let repaired = review.report.repairs.iter().map(|repair| repair.rule.name());
    assert!(repaired.into_iter().any(|rule| rule == "trailing-comma"), "{:?}", review.report);
    let places: Vec<&str> = review
        .reviewed
        .diagnostics
        .iter()
        .filter(|row| row.code == "plan/coerced-arguments")
        .map(|row| row.span.expect("a place").of(answer))
        .collect();
    assert_eq!(places, ["5", "'3'"]);
}

#[test]
fn calls_that_cannot_be_used_are_errors() {
    let options = with_catalog();
    for (answer, codes) in [
        ("<tool_call>{\"name\": \"send\", \"arguments\": {}}</tool_call>", "calls/unknown-tool"),
        (
            "<tool_call>{\"name\": \"get_tme\", \"arguments\": {\"zone\": \"UTC\"}}</tool_call>",
            "plan/unknown-tool",
        ),
        ("[get_time(zone=\"UTC\"), get_date(zone=here)]", "calls/unreadable"),
        ("<tool_call>{\"name\": \"get_time\", \"arguments\": {}}</tool_call>", "plan/arguments"),
        (
            "<tool_call>{\"name\": \"get_date\", \"arguments\": {\"days\": \"soon\"}}</tool_call>",
            "plan/arguments",
        ),
        // Cut off: the calls before are shown, and not used.
        (
            "<tool_call>{\"name\": \"get_time\", \"arguments\": {\"zone\": \"UTC\"}}</tool_call>\n<tool_call>{\"name\": \"get_ti",
            "calls/truncated",
        ),
        ("<tool_call>{\"name\": \"get_time\", \"arguments\": {\"zone\": \"U", "calls/truncated"),
        ("[TOOL_CALLS] [{\"name\": \"get_time\", \"arguments\": {\"zone\": \"U", "calls/truncated"),
        // Calls that are only quoted.
        ("{\"steps\": [\"Look\", \"get_time(zone='UTC')\"]}", "plan/quoted-call"),
        ("{\"steps\": [get_time(zone='UTC')]}", "plan/quoted-call"),
    ] {
        assert_eq!(errors(answer, &options).join(" "), codes, "{answer}");
    }
}

#[test]
fn plans_stay_plans() {
    let call =
        r#"<tool_call>{\"name\": \"get_time\", \"arguments\": {\"zone\": \"UTC\"}}</tool_call>"#;
    for (answer, dialect, ids) in [
        // Calls inside of strings are part of what the plan says.
        (
            format!(r#"{{"steps": [{{"id": "a", "tool": "get_date", "inputs": {{"zone": "{call}"}}}}]}}"#),
            Dialect::Canonical,
            "a",
        ),
        (format!(r#"[{{"tool": "get_date", "inputs": {{"zone": "{call}"}}}}]"#), Dialect::Canonical, "1"),
        (format!(r#"{{"steps": ["Write {call} first"]}}"#), Dialect::Canonical, "1"),
        // A list of tools with inputs, without marks.
        (r#"[{"name": "get_time", "arguments": {"zone": "UTC"}}]"#.to_owned(), Dialect::Canonical, "1"),
        // A plan as the argument of a call.
        (
            r#"<tool_call>{"name": "plan", "arguments": {"steps": [{"id": "a", "title": "Look"}]}}</tool_call>"#
                .to_owned(),
            Dialect::Canonical,
            "a",
        ),
        (r#"{"steps": [{"id": "a", "title": "get_time (UTC)"}]}"#.to_owned(), Dialect::Canonical, "a"),
        ("1. get_time(\"UTC\")\n2. get_date($1)\n".to_owned(), Dialect::LlmCompiler, "1 2"),
        ("- [ ] Call get_time(zone=\"UTC\")\n- [ ] Compare\n".to_owned(), Dialect::Markdown, "1 2"),
    ] {
        for options in [with_catalog(), ReviewOptions::default()] {
            let review = review_plan_with(&answer, &options).expect(&answer);
            assert!(!review.reviewed.has_errors(), "{answer}: {:?}", review.reviewed.diagnostics);
            let found: Vec<&str> = steps(&review).iter().map(|step| step.id.as_str()).collect();
            assert_eq!((review.reviewed.dialect, found.join(" ").as_str()), (dialect, ids), "{answer}");
        }
    }
}

#[test]
fn a_list_beside_marked_calls_describes_them() {
    let answer = "1. Look up the time\n2. Tell it\n\n<tool_call>get_time\n<arg_key>zone</arg_key>\n<arg_value>UTC</arg_value>\n</tool_call>";
    let review = review_plan_with(answer, &with_catalog()).expect("calls");
    assert_eq!(steps(&review)[0].tool.as_deref(), Some("get_time"));
    let Document::Plan(plan) = &review.reviewed.value else { panic!("a plan") };
    assert_eq!(plan.notes.as_deref(), Some("1. Look up the time\n2. Tell it"));
}

#[test]
fn calls_are_read_only_where_they_may_be() {
    let answer =
        "<tool_call>{\"name\": \"get_time\", \"arguments\": {\"zone\": \"UTC\"}}</tool_call>";
    // Strict JSON was asked for.
    let text = llmend::Options::policy(Policy::Strict);
    assert_ne!(errors(answer, &ReviewOptions { text, ..with_catalog() }), [""; 0]);
    // So was a dialect.
    let named = |dialect| {
        let mut options = with_catalog();
        options.plan.dialect = dialect;
        options
    };
    assert_eq!(errors(answer, &named(Dialect::Canonical)), ["plan/missing-field"]);
    assert_eq!(errors(answer, &named(Dialect::Calls)), [""; 0]);
    assert_eq!(errors("{\"steps\": [{\"id\": \"a\"}]}", &named(Dialect::Calls)), ["plan/empty"]);
}
