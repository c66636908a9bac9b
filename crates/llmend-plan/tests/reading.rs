//! Reading of plans in each dialect, and findings about everything else.

use llmend_json::Severity;
use llmend_plan::{Dialect, Error, ParsedPlan, Plan, read};
use serde_json::{Value, json};

const MINIMAL: &str = r#"{
  "version": "1.0", "objective": "Demo",
  "steps": [{"id": "s1", "title": "T", "description": "D", "tool": "python", "expected_output": "E"}]
}"#;

fn read_as(text: &str, dialect: Dialect) -> Result<ParsedPlan, Error> {
    let parsed = llmend_json::parse(text).expect(text);
    read(&parsed.value, dialect)
}

fn accept(text: &str, dialect: Dialect) -> Plan {
    match read_as(text, dialect) {
        Ok(reading) => {
            assert!(reading.diagnostics.iter().all(|row| row.severity < Severity::Error), "{text}");
            reading.plan
        }
        Err(error) => panic!("{text}: {error}: {:?}", error.diagnostics()),
    }
}

/// A finding: severity, code, path, and the text at its place.
type Row<'t> = (Severity, &'t str, &'t str, &'t str);

fn rows<'t>(diagnostics: &'t [llmend_json::Diagnostic], text: &'t str) -> Vec<Row<'t>> {
    diagnostics
        .iter()
        .map(|row| {
            let span = row.span.expect("every finding has a place");
            (row.severity, &*row.code, row.path.as_deref().expect("and a path"), span.of(text))
        })
        .collect()
}

fn refuse(text: &str, dialect: Dialect, expected: &[Row<'_>]) {
    let error = read_as(text, dialect).expect_err(text);
    assert_eq!(rows(error.diagnostics(), text), expected, "{text}");
}

use Severity::{Error as E, Warning};

#[test]
fn reads_the_smallest_openmanus_plan() {
    // S0-23: without the optional fields. S0-20, S0-21: into a public plan with public steps.
    let plan = accept(MINIMAL, Dialect::OpenManus);
    assert_eq!((plan.version.as_deref(), plan.objective.as_deref()), (Some("1.0"), Some("Demo")));
    assert_eq!((plan.constraints.len(), plan.success_criteria.len(), plan.notes), (0, 0, None));
    let [step] = plan.steps.as_slice() else { panic!("one step") };
    assert_eq!(
        (step.id.as_str(), step.title.as_deref(), step.description.as_deref()),
        ("s1", Some("T"), Some("D"))
    );
    assert_eq!(
        (step.tool.as_deref(), step.expected_output.as_deref()),
        (Some("python"), Some("E"))
    );
    assert_eq!((step.depends_on.len(), step.inputs.len()), (0, 0));
}

#[test]
fn reads_a_complete_openmanus_plan() {
    // S0-20, S0-21: every field has its place.
    let text = r#"{"version": "1.0", "objective": "O", "constraints": ["c"], "success_criteria": ["s", "t"],
        "steps": [{"id": "a", "title": "", "description": "d", "depends_on": ["b", "c"], "tool": "t",
                   "inputs": {"n": [1, {"x": null}]}, "expected_output": "e"}], "notes": "n"}"#;
    let plan = accept(text, Dialect::OpenManus);
    assert_eq!(Value::from(plan.to_map()), serde_json::from_str::<Value>(text).expect("valid"));
}

#[test]
fn openmanus_plans_may_be_empty_and_have_null_notes() {
    let plan = accept(
        r#"{"version": "1", "objective": "", "steps": [], "notes": null}"#,
        Dialect::OpenManus,
    );
    assert_eq!((plan.steps.len(), plan.notes), (0, None));
}

#[test]
fn openmanus_forbids_unknown_fields() {
    // S0-22: in the plan and in a step.
    let text = MINIMAL.replacen('{', "{\"extra\": 1,", 1);
    refuse(&text, Dialect::OpenManus, &[(E, "plan/unknown-field", "/extra", "\"extra\"")]);
    let text = MINIMAL.replace("{\"id\"", "{\"extra\": 1, \"metadata\": {}, \"id\"");
    refuse(
        &text,
        Dialect::OpenManus,
        &[
            (E, "plan/unknown-field", "/steps/0/extra", "\"extra\""),
            (E, "plan/unknown-field", "/steps/0/metadata", "\"metadata\""),
        ],
    );
}

#[test]
fn openmanus_checks_the_types_of_its_fields() {
    // S0-19: what was parsed is held against the schema, and every problem is named at once.
    let step = r#"{"id": 1, "depends_on": "a", "inputs": [], "x/y": 0, "tool": null}"#;
    let text = format!(
        r#"{{"objective": ["O"], "steps": [{step}, 7], "notes": 3, "constraints": ["a", 1]}}"#
    );
    refuse(
        &text,
        Dialect::OpenManus,
        &[
            (E, "plan/missing-field", "/version", &text),
            (E, "plan/wrong-type", "/objective", r#"["O"]"#),
            (E, "plan/missing-field", "/steps/0/title", step),
            (E, "plan/missing-field", "/steps/0/description", step),
            (E, "plan/missing-field", "/steps/0/expected_output", step),
            (E, "plan/wrong-type", "/steps/0/id", "1"),
            (E, "plan/wrong-type", "/steps/0/depends_on", "\"a\""),
            (E, "plan/wrong-type", "/steps/0/inputs", "[]"),
            (E, "plan/unknown-field", "/steps/0/x~1y", "\"x/y\""),
            (E, "plan/wrong-type", "/steps/0/tool", "null"),
            (E, "plan/wrong-type", "/steps/1", "7"),
            (E, "plan/wrong-type", "/notes", "3"),
            (E, "plan/wrong-type", "/constraints/1", "1"),
        ],
    );
}

#[test]
fn a_plan_must_be_an_object() {
    for text in ["\"a\"", "null", "1"] {
        for dialect in Dialect::ALL {
            refuse(text, dialect, &[(E, "plan/wrong-type", "", text)]);
        }
    }
    // A list may be one of steps, but not where reading is strict.
    refuse("[1, 2]", Dialect::OpenManus, &[(E, "plan/wrong-type", "", "[1, 2]")]);
    refuse(
        "[1, 2]",
        Dialect::Auto,
        &[(E, "plan/wrong-type", "/0", "1"), (E, "plan/wrong-type", "/1", "2")],
    );
}

#[test]
fn the_canonical_plan_needs_only_steps_with_ids() {
    let plan = accept(
        r#"{"steps": [{"id": "a"}, {"id": "b", "title": null, "depends_on": ["a"]}]}"#,
        Dialect::Canonical,
    );
    assert_eq!(
        Value::from(plan.to_map()),
        json!({"steps": [{"id": "a"}, {"id": "b", "depends_on": ["a"]}]})
    );
    refuse("{}", Dialect::Canonical, &[(E, "plan/missing-field", "/steps", "{}")]);
    refuse(r#"{"steps": []}"#, Dialect::Canonical, &[(E, "plan/empty", "/steps", "[]")]);
    refuse(r#"{"steps": null}"#, Dialect::Canonical, &[(E, "plan/wrong-type", "/steps", "null")]);
    refuse(
        r#"{"steps": {"id": "a"}, "version": 1}"#,
        Dialect::Canonical,
        &[
            (E, "plan/wrong-type", "/steps", r#"{"id": "a"}"#),
            (E, "plan/wrong-type", "/version", "1"),
        ],
    );
}

#[test]
fn unknown_fields_of_the_canonical_plan_become_metadata() {
    let text = r#"{"steps": [{"id": "a", "priority": [2]}], "owner": "me", "metadata": {"k": 1}}"#;
    let reading = read_as(text, Dialect::Canonical).expect(text);
    assert_eq!(
        rows(&reading.diagnostics, text),
        [
            (Warning, "plan/unknown-field", "/steps/0/priority", "\"priority\""),
            (Warning, "plan/unknown-field", "/owner", "\"owner\""),
        ]
    );
    assert_eq!(
        Value::from(reading.plan.to_map()),
        json!({
            "steps": [{"id": "a", "metadata": {"priority": [2]}}],
            "metadata": {"k": 1, "owner": "me"},
        })
    );
    refuse(
        r#"{"steps": [{"id": "a"}], "k": 2, "metadata": {"k": 1}}"#,
        Dialect::Canonical,
        &[(E, "plan/unknown-field", "/k", "\"k\"")],
    );
}

#[test]
fn a_near_miss_of_an_absent_field_is_an_error_with_a_suggestion() {
    for dialect in [Dialect::Canonical, Dialect::OpenManus] {
        let text = MINIMAL.replace("\"tool\"", "\"tol\"");
        let error = read_as(&text, dialect).expect_err(&text);
        let slip = error
            .diagnostics()
            .iter()
            .find(|row| row.code == "plan/unknown-field")
            .expect("it is there");
        assert_eq!(slip.help.as_deref(), Some("did you mean `tool`?"), "{dialect}");
        assert_eq!((slip.severity, slip.path.as_deref()), (E, Some("/steps/0/tol")), "{dialect}");
    }
    // Not where the field is there as well.
    let text = r#"{"steps": [{"id": "a", "tool": "t", "tools": "u"}]}"#;
    let reading = read_as(text, Dialect::Canonical).expect(text);
    assert_eq!(
        reading
            .diagnostics
            .iter()
            .map(|row| (row.severity, row.help.as_deref()))
            .collect::<Vec<_>>(),
        [(Warning, None),]
    );
}

#[test]
fn the_dialect_is_detected_by_its_required_fields() {
    let canonical = MINIMAL.replace("\"title\": \"T\",", "");
    for (text, expected) in [
        (MINIMAL, Dialect::OpenManus),
        (canonical.as_str(), Dialect::Canonical),
        (r#"{"version": "1", "objective": "o", "steps": []}"#, Dialect::OpenManus),
        (r#"{"objective": "o", "steps": [{"id": "a"}]}"#, Dialect::Canonical),
    ] {
        assert_eq!(read_as(text, Dialect::Auto).expect(text).dialect, expected, "{text}");
    }
    // Its required fields are there, and so it is strict.
    let text = MINIMAL.replace("{\"id\"", "{\"extra\": 1, \"id\"");
    refuse(&text, Dialect::Auto, &[(E, "plan/unknown-field", "/steps/0/extra", "\"extra\"")]);
    // Only the canonical plan has metadata.
    let text = MINIMAL.replace("{\"id\"", "{\"metadata\": {\"a\": 1}, \"id\"");
    assert_eq!(read_as(&text, Dialect::Auto).expect(&text).dialect, Dialect::Canonical);
}

#[test]
fn losses_in_inputs_are_reported() {
    let text =
        r#"{"steps": [{"id": "a", "inputs": {"b": 0.1234567890123456789012, "a": 1, "a": 2}}]}"#;
    let reading = read_as(text, Dialect::Canonical).expect(text);
    assert_eq!(
        rows(&reading.diagnostics, text),
        [
            (Warning, "plan/not-carried", "/steps/0/inputs/b", "0.1234567890123456789012"),
            (Warning, "plan/not-carried", "/steps/0/inputs/a", "\"a\""),
        ]
    );
}

#[test]
fn a_number_that_would_change_is_rejected() {
    for number in ["12345678901234567890123", "-9223372036854775809", "9007199254740993.0", "1e400"]
    {
        let text = format!(r#"{{"steps": [{{"id": "a", "inputs": {{"b": {number}}}}}]}}"#);
        refuse(&text, Dialect::Canonical, &[(E, "plan/not-carried", "/steps/0/inputs/b", number)]);
    }
}

#[test]
fn a_plan_round_trips_in_a_fixed_order() {
    let text = r#"{"metadata": {"m": 1}, "steps": [{"expected_output": "", "id": "a", "inputs": {"x": 1.5}, "tool": "t",
        "depends_on": ["z"], "title": "T", "description": "D"}], "notes": "n", "objective": "o",
        "success_criteria": ["s"], "constraints": ["c"], "version": "1"}"#;
    let plan = accept(text, Dialect::Canonical);
    let written = serde_json::to_string(&plan).expect("a plan is JSON");
    assert_eq!(
        written,
        r#"{"version":"1","objective":"o","constraints":["c"],"success_criteria":["s"],"steps":[{"id":"a","title":"T","description":"D","tool":"t","inputs":{"x":1.5},"depends_on":["z"],"expected_output":""}],"notes":"n","metadata":{"m":1}}"#
    );
    assert_eq!(accept(&written, Dialect::Canonical), plan);
    // S0-41: as a plain map it says the same.
    assert_eq!(serde_json::to_value(&plan).expect("a plan is JSON"), Value::from(plan.to_map()));
}

#[test]
fn the_error_counts_the_problems_and_names_the_first() {
    for (text, expected) in [
        ("{}", "not a valid plan in dialect `canonical`: missing field `steps`"),
        (
            r#"{"steps": [{}], "notes": 1}"#,
            "not a valid plan in dialect `canonical`: missing field `id` in `/steps/0` (and 1 more problem)",
        ),
        (
            r#"{"steps": [{"id": []}, {}], "notes": 1, "owner": 2}"#,
            "not a valid plan in dialect `canonical`: `/steps/0/id`: expected string, found array (and 2 more problems)",
        ),
    ] {
        assert_eq!(read_as(text, Dialect::Canonical).expect_err(text).to_string(), expected);
    }
}

#[test]
fn dialects_parse_from_their_names() {
    for dialect in Dialect::ALL {
        assert_eq!(dialect.as_str().parse(), Ok(dialect));
        assert_eq!(serde_json::to_value(dialect).expect("a name"), json!(dialect.as_str()));
    }
    assert!("yaml".parse::<Dialect>().is_err());
}
