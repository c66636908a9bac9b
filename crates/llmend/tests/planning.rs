//! Plans read from answers.
//!
//! The cases of the `OpenManus` planning documents, and what they leave open.

use std::error::Error as _;

use llmend::{
    Class, DEFAULT_MAX_RETRIES, Dialect, Options, Origin, Plan, PlanErrorKind, PlanningError,
    Policy, Rule, Severity, Stage, parse_plan_payload, parse_plan_payload_with, parse_plan_text,
    parse_with_retries,
};
use serde_json::{Value, json};

const STEP: &str =
    r#"{"id": "s1", "title": "T", "description": "D", "tool": "python", "expected_output": "E"}"#;

fn plan_with(steps: &str) -> String {
    format!(r#"{{"version": "1.0", "objective": "Demo", "steps": [{steps}]}}"#)
}

fn read(text: &str) -> Plan {
    parse_plan_text(text, DEFAULT_MAX_RETRIES).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn fail(text: &str) -> PlanningError {
    parse_plan_text(text, DEFAULT_MAX_RETRIES).expect_err(text)
}

fn strict(text: &str) -> Result<Plan, PlanningError> {
    parse_plan_payload_with(text, &Options::policy(Policy::Strict), Dialect::OpenManus)
        .map(|(plan, _)| plan)
}

#[test]
fn the_documented_example_is_read_and_fails_in_strict_mode() {
    // S0-48: a fence, a key in smart quotes, a comma before the brace.
    // S0-24: text and the number of retries in, a plan out.
    let text = "```json\n{“version”: \"1.0\", \"objective\": \"Demo\", \"steps\": [],}\n```";
    let plan = read(text);
    assert_eq!((plan.version.as_deref(), plan.objective.as_deref()), (Some("1.0"), Some("Demo")));
    // S0-38: in strict mode the first thing that is no JSON is the error.
    let error = strict(text).expect_err("a fence is no JSON");
    assert_eq!(error.kind(), PlanErrorKind::ParseFailed);
    assert_eq!(error.diagnostics()[0].span.map(|span| span.start), Some(0));
}

#[test]
fn a_valid_plan_in_a_fence_is_read_with_notes() {
    // S0-01: fences, with and without a tag. S0-02: words before and after.
    // S0-26: the notes say what was applied.
    for tag in ["json", "JSON", ""] {
        let text = format!("Here is the plan.\n```{tag}\n{}\n```\nShall I start?", plan_with(STEP));
        let (plan, meta) = parse_plan_payload(&text).expect(&text);
        assert_eq!(
            (plan.version.as_deref(), plan.steps[0].tool.as_deref()),
            (Some("1.0"), Some("python"))
        );
        assert_eq!(meta.notes, ["extract: fence"]);
        assert_eq!((meta.report.candidate.origin, meta.report.class), (Origin::Fence, None));
        assert_eq!(meta.dialect, Dialect::OpenManus);
    }
    let (_, meta) = parse_plan_payload(&plan_with(STEP)).expect("it is valid");
    assert_eq!(meta.notes, [""; 0]);
}

#[test]
fn every_pass_of_the_documents_is_noted() {
    // S0-26: each once, in the order of the text.
    let text = "So: {“version”: \"1.0\", /* draft */ \"objective\": \"line\nbreak\ttab\", // done\n\"steps\": [],} ok";
    let (plan, meta) = parse_plan_payload(text).expect(text);
    assert_eq!(plan.objective.as_deref(), Some("line\nbreak\ttab"));
    assert_eq!(
        meta.notes,
        [
            "extract: bare",
            "smart-quotes",
            "block-comment",
            "raw-newline",
            "raw-tab",
            "line-comment",
            "trailing-comma",
        ]
    );
}

#[test]
fn a_step_with_an_extra_field_is_a_schema_error() {
    // S0-22: unknown fields are forbidden. S0-27: the schema's own kind of error.
    let text = plan_with(&STEP.replacen('{', "{\"extra\": 1, ", 1));
    let error = fail(&text);
    assert_eq!(error.kind(), PlanErrorKind::SchemaFailed);
    let [row] = error.diagnostics().try_into().expect("one problem");
    assert_eq!((&*row.code, row.path.as_deref()), ("plan/unknown-field", Some("/steps/0/extra")));
    assert_eq!(row.span.map(|span| span.of(&text)), Some("\"extra\""));
    assert!(error.report().is_some());
}

#[test]
fn what_is_no_json_at_all_fails_after_one_attempt() {
    // S0-27: repair failed, or not JSON. The same text is not tried again: there is no model.
    for retries in [1, DEFAULT_MAX_RETRIES, u32::MAX] {
        let error = parse_plan_text("not a json at all", retries).expect_err("no JSON");
        assert_eq!(error.kind(), PlanErrorKind::RepairFailed);
        assert_eq!((error.code(), error.attempts()), ("extract/no-json", 1));
        let message = error.to_string();
        assert!(message.contains("there is no model to ask again"), "{message}");
        assert!(message.contains("not a json at all"), "{message}");
    }
    let error = parse_plan_text("not a json at all", 0).expect_err("no JSON");
    assert!(!error.to_string().contains("again"));
}

#[test]
fn each_stage_has_its_kind_of_error_under_one_base() {
    // S0-27, S0-28: three kinds, one type. S0-29: the kind tells the stage.
    // S0-45: the error says what to do.
    for (text, kind, stage, name) in [
        ("", PlanErrorKind::RepairFailed, Stage::Repair, "JSONRepairFailed"),
        ("I cannot do that.", PlanErrorKind::RepairFailed, Stage::Repair, "JSONRepairFailed"),
        (
            r#"{"version": "1", "objective": 2 * price, "steps": []}"#,
            PlanErrorKind::ParseFailed,
            Stage::Parse,
            "JSONParseError",
        ),
        (r#"{"version": "1"}"#, PlanErrorKind::SchemaFailed, Stage::Schema, "JSONSchemaError"),
        ("[1, 2]", PlanErrorKind::SchemaFailed, Stage::Schema, "JSONSchemaError"),
    ] {
        let error = fail(text);
        assert_eq!(
            (error.kind(), error.kind().stage(), error.kind().as_str()),
            (kind, stage, name),
            "{text}"
        );
        assert!(!error.to_string().contains(name), "{error}");
        assert!(!error.hint().is_empty() && !error.diagnostics().is_empty(), "{text}");
        assert!(error.source().is_some(), "{text}: the cause is kept");
    }
    let expression = fail(r#"{"version": 2 * price, "objective": "o", "steps": []}"#);
    assert!(expression.hint().contains("never computed"), "{}", expression.hint());
}

#[test]
fn the_schema_comes_after_the_repair() {
    // S0-17: cut out, clean, parse, and only then the schema. S0-19: what was parsed is held
    // against it. So one text with damage in both is mended first and refused then.
    let error = fail("```json\n{'version': '1', 'steps': [{'id': 1,}],} // x\n```");
    assert_eq!(error.kind(), PlanErrorKind::SchemaFailed);
    assert_eq!(error.diagnostics().len(), 6);
    assert_eq!(error.report().map(|report| report.class), Some(Some(Class::Notation)));
}

#[test]
fn a_plan_that_lacks_one_closer_is_read_and_no_other_cut_off_one() {
    // S0-14: one closer that restores the balance. S0-15: never more, where nobody sees a report.
    let whole = plan_with(STEP);
    assert_eq!(read(&whole[..whole.len() - 1]), read(&whole));
    for cut in [whole.len() - 2, whole.len() - 4, whole.len() - 30] {
        let text = &whole[..cut];
        let error = fail(text);
        assert!(
            matches!(error.kind(), PlanErrorKind::RepairFailed | PlanErrorKind::SchemaFailed),
            "{text}: {error}"
        );
    }
    let text = &whole[..whole.len() - 2];
    let error = fail(text);
    assert_eq!((error.code(), error.unsure_plan()), ("value/truncated", Some(&read(&whole))));
    // With a report, it is given and flagged.
    let (plan, meta) = parse_plan_payload(text).expect(text);
    assert_eq!((plan, meta.report.truncated()), (read(&whole), true));
}

#[test]
fn a_plan_that_lost_something_is_refused() {
    // S0-45: no destructive edit without a word.
    let text = plan_with(&STEP.replacen('{', "{\"inputs\": {\"limit\": NaN}, ", 1));
    let error = fail(&text);
    assert_eq!((error.kind(), error.code()), (PlanErrorKind::RepairFailed, "value/loss"));
    let plan = error.unsure_plan().expect("it is held");
    assert_eq!(plan.steps[0].inputs["limit"], Value::Null);
    assert_eq!(error.report().map(|report| report.repairs[0].rule), Some(Rule::NotANumber));
    assert_eq!(error.diagnostics()[0].severity, Severity::Error);
}

#[test]
fn the_arguments_of_a_tool_call_become_a_plan_and_a_plain_map() {
    // S0-40: the arguments come as one string. S0-41: the plan goes on as a plain map.
    let call =
        json!({"name": "planning", "arguments": plan_with(STEP).replace("\"E\"}", "\"E\",}")});
    let arguments = call["arguments"].as_str().expect("arguments are text");
    let (plan, meta) = parse_plan_payload(arguments).expect(arguments);
    assert_eq!(meta.notes, ["trailing-comma"]);
    let step: Value = serde_json::from_str(STEP).expect("valid");
    assert_eq!(
        Value::from(plan.to_map()),
        json!({"version": "1.0", "objective": "Demo", "steps": [step]})
    );
}

#[test]
fn junk_after_the_arguments_is_tolerated() {
    let text = format!("{}<//tool_cal", plan_with(STEP));
    assert_eq!(read(&text), read(&plan_with(STEP)));
}

#[test]
fn retries_ask_the_model_and_are_bounded() {
    // S0-25: a payload and a number of retries in, a plan out. S0-46: at most that many.
    for (retries, good_answer, asked, succeeds) in [
        (0, 1, 0, false),
        (2, 0, 0, true),
        (2, 1, 1, true),
        (2, 2, 2, true),
        (2, 3, 2, false),
        (5, 9, 5, false),
    ] {
        let answer = |number: u32| {
            if number == good_answer { plan_with(STEP) } else { format!("no. {number}") }
        };
        let mut calls = 0;
        let outcome = parse_with_retries(&answer(0), retries, |error| {
            assert_eq!(error.code(), "extract/no-json");
            assert_eq!(error.attempts(), calls + 1);
            calls += 1;
            Some(answer(calls))
        });
        assert_eq!((calls, outcome.is_ok()), (asked, succeeds), "{retries} {good_answer}");
        if let Err(error) = outcome {
            assert_eq!(error.attempts(), retries + 1);
            let expected = if retries == 0 {
                "1 attempt".to_owned()
            } else {
                format!("{} attempts", retries + 1)
            };
            assert!(error.to_string().contains(&expected), "{error}");
        }
    }
}

#[test]
fn no_model_is_asked_where_repair_is_enough() {
    // S2-10: the automatic repair comes first. S2-11: only where that fails is the model asked.
    for text in ["Sure: {version: '1', 'objective': “o”, steps: [],}", &plan_with(STEP)] {
        let plan = parse_with_retries(text, 2, |error| panic!("{text}: {error}"));
        assert!(plan.is_ok(), "{text}");
    }
}

#[test]
fn whoever_is_asked_may_give_up() {
    let error = parse_with_retries("no", 5, |_| None).expect_err("no plan");
    assert_eq!((error.attempts(), error.kind()), (1, PlanErrorKind::RepairFailed));
}

#[test]
fn strict_mode_reads_what_is_valid_and_nothing_else() {
    // S0-38: parse and validate, without repair. S0-42: what strict parsing reads, the parser
    // that repairs reads the same.
    let valid = plan_with(STEP);
    for text in [valid.clone(), format!("\n {valid}\n"), plan_with("")] {
        assert_eq!(strict(&text).expect(&text), read(&text), "{text}");
    }
    for text in [
        format!("Sure: {valid}"),
        valid.replace('"', "'"),
        valid[..valid.len() - 1].to_owned(),
        String::new(),
    ] {
        assert_eq!(strict(&text).expect_err(&text).kind(), PlanErrorKind::ParseFailed, "{text}");
    }
    let error = strict(&plan_with("7")).expect_err("no step");
    assert_eq!(error.kind(), PlanErrorKind::SchemaFailed);
}

#[test]
fn the_same_text_gives_the_same_plan_and_notes() {
    // S0-43: nothing depends on chance or on what came before.
    let text = "Plan: {version: '1', objective: “O”, steps: [],} /* end */";
    let first = parse_plan_payload(text).expect(text);
    for _ in 0..20 {
        assert_eq!(parse_plan_payload(text).expect(text), first);
    }
}

#[test]
fn another_dialect_can_be_asked_for() {
    let text = "{steps: [{id: 'a'}], owner: 'me'}";
    let (plan, meta) =
        parse_plan_payload_with(text, &Options::default(), Dialect::Auto).expect(text);
    assert_eq!((plan.steps[0].id.as_str(), meta.dialect), ("a", Dialect::Canonical));
    assert_eq!(
        meta.diagnostics.iter().map(|row| &*row.code).collect::<Vec<_>>(),
        ["plan/unknown-field"]
    );
    assert_eq!(fail(text).kind(), PlanErrorKind::SchemaFailed);
}

#[test]
fn the_conservative_policy_refuses_large_removals() {
    // S0-16: more than 30 % removed. S0-03: measured after the fence and the words went.
    let comment =
        "/* a comment that is much longer than the plan that it stands in, and longer still */";
    let text = format!(
        "{} ```json\n{{\"version\": \"1\", \"objective\": \"o\", {comment} \"steps\": []}}\n```",
        "Words. ".repeat(99)
    );
    let conservative = Options::policy(Policy::Conservative);
    let error = parse_plan_payload_with(&text, &conservative, Dialect::OpenManus).expect_err(&text);
    assert_eq!((error.kind(), error.code()), (PlanErrorKind::RepairFailed, "repair/unsafe-delta"));
    assert!(error.to_string().contains("the repair would discard"), "{error}");
    // S0-45: it says what to do.
    assert!(
        error.hint().contains("Ask the model") && error.hint().contains("strict mode"),
        "{}",
        error.hint()
    );
    let text = text.replace(comment, "/* short */");
    assert!(parse_plan_payload_with(&text, &conservative, Dialect::OpenManus).is_ok());
    // The default counts what carried meaning, and a comment did not.
    assert!(parse_plan_payload(&text).is_ok());
}
