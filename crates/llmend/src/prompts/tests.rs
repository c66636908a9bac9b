//! Tests of all prompts.

use std::collections::BTreeSet;

use llmend_plan::Gaps;

use super::{
    ALL, ARITHMETIC, FEEDBACK, FORM_CANONICAL, FORM_GOMIND, FORM_OPENMANUS, FORM_WORKFLOW_PATCH,
    LAST_ATTEMPT, MISTAKES, Placement, RETRY_EMPHATIC, RETRY_FULL, named, planning, shaped,
};
use crate::{
    Dialect, ReviewOptions, model::stable_hash, plan::Catalog, review_patch_with, review_plan,
    review_plan_with,
};

#[test]
fn each_prompt_has_a_name_a_version_and_a_place() {
    let mut seen = BTreeSet::new();
    for prompt in ALL {
        assert!(seen.insert(prompt.name), "{} stands twice", prompt.name);
        assert!(prompt.version > 0 && !prompt.about.is_empty(), "{}", prompt.name);
        assert_eq!(named(prompt.name), Some(prompt));
        // With all slots filled none is left, and what was filled in is not searched again.
        let slots = prompt.slots();
        let values: Vec<(&str, &str)> = slots.iter().map(|slot| (*slot, "<<x>>")).collect();
        let words = prompt.fill(&values);
        assert_eq!(words.matches("<<").count(), words.matches("<<x>>").count(), "{words}");
        // With none filled, no line leads to nothing.
        let words = prompt.fill(&[]);
        assert!(!words.contains("<<") && !words.ends_with(':'), "{}: {words}", prompt.name);
    }
}

#[test]
fn a_version_stands_for_its_words() {
    let versions = include_str!("versions.txt");
    let lines: Vec<String> = ALL
        .iter()
        .map(|prompt| {
            format!("{} {} {:016x}", prompt.name, prompt.version, stable_hash(prompt.text))
        })
        .collect();
    let expected: Vec<&str> = versions.lines().collect();
    assert_eq!(lines, expected, "a prompt whose words change needs a new version, here and there");
}

#[test]
fn the_rules_of_json_say_what_a_program_needs() {
    let rows = [
        // S1-19
        "You are a JSON API.",
        "one raw JSON object",
        // S1-20, S1-21, S1-22
        "Write valid JSON",
        "no code fences, no backticks, no bold, no italic, no underline",
        // S1-23, S3-62
        "Write nothing before it and nothing after it",
        // S1-24
        "A string is plain text",
        // S1-26
        "is a step of its own, or is written as\n  the value that it comes to",
        // S1-27
        "Begin with { and end with }",
    ];
    let words = planning(Dialect::Auto, None, "other");
    for row in rows {
        assert!(words.contains(row), "{row}");
    }
}

#[test]
fn the_kind_of_value_that_is_asked_for_is_named() {
    let array = "one raw JSON array";
    let rows = [
        (r#"{"type": "object"}"#, "one raw JSON object", "answer is {."),
        (r#"{"properties": {"a": {}}}"#, "one raw JSON object", "answer is {."),
        (r#"{"type": "array"}"#, array, "answer is [."),
        (r##"{"$ref": "#/$defs/L", "$defs": {"L": {"type": "array"}}}"##, array, "answer is [."),
        (r##"{"$ref": "#"}"##, "one raw JSON value", "Write the value alone."),
        (r#"{"type": "integer"}"#, "one raw JSON value", "Write the value alone."),
        (r#"{"anyOf": [{"type": "array"}, {"type": "null"}]}"#, "one raw JSON value", "alone."),
    ];
    for (schema, kind, also) in rows {
        let words = shaped(schema, "anthropic:claude");
        assert!(words.contains(kind) && words.contains(also), "{schema}: {words}");
        assert!(!words.contains("<<"), "{words}");
    }
}

#[test]
fn arithmetic_is_pressed_in_retries_alone() {
    // S1-25: with explicit invalid examples. Not in the first prompt, where it drove models to hide the
    // expression in valid JSON.
    let line = ARITHMETIC.fill(&[]);
    assert!(line.contains("Wrong: {\"amount\": 100 * price}"), "{line}");
    assert!(line.contains("{\"expression\": \"100 * price\"}"), "{line}");
    assert!(FEEDBACK.slots().contains(&"arithmetic"));
    for prompt in
        ALL.iter().filter(|prompt| matches!(prompt.place, Placement::System | Placement::User))
    {
        assert!(!prompt.text.contains(" * "), "{}", prompt.name);
    }
}

#[test]
fn the_full_retry_quotes_the_findings_and_lists_common_mistakes() {
    let words = FEEDBACK.fill(&[
        ("what", "its JSON cannot be read"),
        ("findings", "[syntax/expression] invalid character '*'"),
    ]);
    // S1-35, S1-36, S3-24
    assert!(words.starts_with("Your last answer could not be used: its JSON cannot be read."));
    assert!(words.contains("invalid character '*'"));
    assert!(!words.contains("It was cut off"), "{words}");
    let words = RETRY_FULL.fill(&[("mistakes", &MISTAKES.fill(&[]))]);
    // S1-37, S2-19: what models do wrong, and a valid answer asked for. S3-05: that alone.
    assert!(words.contains("code fences around the JSON, trailing commas, missing commas"));
    assert!(words.contains("Answer with ONLY the corrected JSON, whole and\nvalid"), "{words}");
}

#[test]
fn the_emphatic_notice_is_numbered_and_gives_examples() {
    let last = LAST_ATTEMPT.fill(&[]);
    let words = RETRY_EMPHATIC.fill(&[("retry", "1"), ("of", "2"), ("last", &last)]);
    let rows = [
        // S2-14, S2-15
        "*** RETRY 1 OF 2: YOUR PREVIOUS RESPONSE HAD INVALID JSON",
        // S2-16, S2-17, S2-18, S2-19
        "Right: {\"status\": \"completed\"}",
        "Single quotes are invalid. Wrong: {'status': 'completed'}",
        "Names without quotes are invalid. Wrong: {status: \"completed\"}",
        "Wrong: {\"a\": 1 \"b\": 2}",
        "Wrong: {\"a\": 1, \"b\": 2,}",
        // S2-20
        "1. JSON and nothing else",
        "2. Every name in double quotes",
        "3. Every string in double quotes",
        "4. A comma between all members",
        "5. Read through once more",
        // S2-21
        "if this answer cannot be used either, the task fails",
    ];
    for row in rows {
        assert!(words.contains(row), "{row}: {words}");
    }
}

/// The last line of a prompt.
fn example_of(words: &str) -> &str {
    words.trim_end().lines().next_back().unwrap_or_default()
}

#[test]
fn the_examples_in_the_prompts_are_what_they_ask_for() {
    let plan = review_plan(example_of(FORM_CANONICAL.text)).unwrap();
    assert!(plan.reviewed.diagnostics.is_empty(), "{:?}", plan.reviewed.diagnostics);
    assert!(plan.report.repairs.is_empty());
    // A form in the dialect of another is read in that dialect.
    for (form, dialect) in [(FORM_OPENMANUS, Dialect::OpenManus), (FORM_GOMIND, Dialect::GoMind)] {
        let options = ReviewOptions {
            plan: crate::plan::Options { dialect, ..Default::default() },
            ..ReviewOptions::default()
        };
        let review = review_plan_with(example_of(form.text), &options).unwrap();
        assert!(!review.reviewed.has_errors(), "{:?}", review.reviewed.diagnostics);
    }

    let workflow = r#"{"nodes": [{"id": "fetch", "type": "tool", "tool": "t"}, {"id": "send", "type": "tool", "tool": "t"}], "edges": [{"from": "fetch", "to": "send"}]}"#;
    let workflow = review_plan(workflow).unwrap().reviewed.value;
    let options = ReviewOptions::default();
    let patch = example_of(FORM_WORKFLOW_PATCH.text);
    let patched = review_patch_with(&workflow, patch, Gaps::Leave, &options).unwrap();
    assert!(!patched.reviewed.has_errors(), "{:?}", patched.reviewed.diagnostics);
    assert!(patched.report.repairs.is_empty());
}

#[test]
fn instructions_hold_the_schema_one_example_and_what_the_provider_needs() {
    // S1-28: the rules go to every provider. S1-39: what is known of each.
    let schema = r#"{"type": "object", "properties": {"days": {"type": "integer"}}}"#;
    for model in ["openai:gpt-4o", "anthropic:claude", "gemini:pro", "ollama:llama3", "other"] {
        let words = shaped(schema, model);
        assert!(words.contains(schema) && words.contains("{\"days\":1}"), "{words}");
        assert!(words.starts_with("You are a JSON API."));
        let note = super::provider(model).map_or("", |note| note.line).replace("<<first>>", "{");
        assert!(words.contains(&note));
        assert!(planning(Dialect::Auto, None, model).contains("You are a JSON API."));
    }
    assert!(
        shaped(schema, "anthropic:claude").contains("The first character of your answer is {.")
    );
}

#[test]
fn a_plan_is_asked_for_with_the_tools_that_there_are() {
    let tools = serde_json::json!({"search": {"description": "Looks \n for", "arguments": {"type": "object"}}});
    let tools = Catalog::read(&tools).unwrap();
    let words = planning(Dialect::Canonical, Some(&tools), "other");
    let line = r#"{"name":"search","description":"Looks \n for","arguments":{"type":"object"}}"#;
    assert!(words.contains(&format!("as they are spelled here:\n{line}\n\n")), "{words}");
    assert!(!planning(Dialect::Canonical, None, "other").contains("Use only these tools"));
    assert!(!planning(Dialect::Markdown, None, "other").contains("JSON API"));
}
