//! How often a model is asked, and after what.

use llmend_model_server::{Answer, ModelServer};

use super::{BAD, SCHEMA, place};

#[test]
fn the_variables_of_gomind_are_about_answers_that_cannot_be_parsed() {
    // S1-29, S1-30, S1-34.
    /// Variables, the answer, and how often is asked.
    type Row = (&'static [(&'static str, &'static str)], &'static str, usize);

    let rows: [Row; 16] = [
        (&[], "no JSON", 3),
        (&[("GOMIND_PLAN_RETRY_MAX", "1")], "no JSON", 2),
        (&[("GOMIND_PLAN_RETRY_MAX", "4")], "no JSON", 5),
        (&[("GOMIND_PLAN_RETRY_ENABLED", "false")], "no JSON", 1),
        (&[], BAD, 2),
        (&[("GOMIND_PLAN_RETRY_MAX", "0")], BAD, 2),
        (&[("GOMIND_PLAN_RETRY_ENABLED", "false")], BAD, 2),
        (&[("LLMEND_RETRY_ENABLED", "false")], BAD, 1),
        (&[("LLMEND_RETRY_MAX", "4")], BAD, 5),
        // Each bounds what it is about, whatever the other one says.
        (&[("LLMEND_RETRY_MAX", "1"), ("GOMIND_PLAN_RETRY_MAX", "4")], "no JSON", 2),
        (&[("LLMEND_RETRY_MAX", "4"), ("GOMIND_PLAN_RETRY_MAX", "1")], "no JSON", 2),
        (&[("LLMEND_RETRY_MAX", "4"), ("GOMIND_PLAN_RETRY_MAX", "1")], BAD, 5),
        (&[("LLMEND_RETRY_MAX", "4"), ("GOMIND_PLAN_RETRY_ENABLED", "0")], "no JSON", 1),
        (&[("LLMEND_RETRY_MAX", "4"), ("GOMIND_PLAN_RETRY_ENABLED", "0")], BAD, 5),
        (&[("LLMEND_RETRY_ENABLED", "1"), ("GOMIND_PLAN_RETRY_ENABLED", "0")], "no JSON", 1),
        (&[("LLMEND_RETRY_ENABLED", "0"), ("GOMIND_PLAN_RETRY_ENABLED", "1")], "no JSON", 1),
    ];
    for (variables, answer, calls) in rows {
        let server = ModelServer::answering(move |_| Answer::text(answer).into());
        let ask = format!(
            "ask --preset gomind --schema s.json --model openai+{}/v1:m Trip!",
            server.url()
        );
        place("", "").run(&ask, variables, "").expect(1);
        assert_eq!(server.requests().len(), calls, "{variables:?} {answer}");
    }
}

#[test]
fn a_flag_counts_more_than_what_the_environment_limits() {
    for (variables, flags, answer, calls, of) in [
        (("GOMIND_PLAN_RETRY_MAX", "0"), "--max-json-retries 2", "no JSON", 3, 3),
        (("GOMIND_PLAN_RETRY_ENABLED", "0"), "--max-json-retries 2", "no JSON", 3, 3),
        (("LLMEND_RETRY_ENABLED", "0"), "--max-json-retries 1", BAD, 2, 2),
        (("LLMEND_RETRY_MAX", "5"), "--max-json-retries 1", BAD, 2, 2),
        (("GOMIND_PLAN_RETRY_MAX", "9"), "--max-json-retries 0", "no JSON", 1, 1),
        // Without the flag, they count. So many attempts as are announced can be made.
        (("GOMIND_PLAN_RETRY_MAX", "0"), "", "no JSON", 1, 2),
        (("LLMEND_PARSE_RETRY_MAX", "0"), "--preset anton", "no JSON", 1, 1),
    ] {
        let server = ModelServer::answering(move |_| Answer::text(answer).into());
        let preset = if flags.contains("--preset") { "" } else { "--preset gomind" };
        let ask = format!(
            "ask {preset} {flags} --schema s.json --model openai+{}/v1:m Trip!",
            server.url()
        );
        let run = place("", "").run(&ask, &[variables], "").expect(1);
        assert_eq!(server.requests().len(), calls, "{variables:?} {flags}");
        let first = format!("attempt 1 of {of}");
        assert!(run.stderr.contains(&first), "{variables:?} {flags}: {}", run.stderr);
        // Where fewer are made, the reason says after what.
        let is_said = run.stderr.contains("no retries left after an answer that cannot be parsed");
        assert_eq!(is_said, calls < of, "{variables:?} {flags}: {}", run.stderr);
    }
}

#[test]
fn the_preset_of_anton_asks_again_after_errors_of_json_only() {
    for (answer, flags, calls) in [
        ("no JSON", "", 3),
        (BAD, "", 1),
        ("no JSON", "--max-json-retries 4", 5),
        (BAD, "--max-json-retries 4", 1),
    ] {
        let server = ModelServer::answering(move |_| Answer::text(answer).into());
        let model = format!("--model openai+{}/v1:m", server.url());
        let ask = format!("ask --preset anton --schema s.json {model} {flags} Trip!");
        place("", "").run(&ask, &[], "").expect(1);
        assert_eq!(server.requests().len(), calls, "{answer} {flags}");
    }
}

#[test]
fn a_member_too_many_is_kept_removed_or_refused_without_a_call_as_the_policy_says() {
    let answer = r#"{"days": 3, "mood": "good"}"#;
    let open = SCHEMA.replace(r#", "additionalProperties": false"#, "");
    let whole = Some(answer);
    let removed = Some(r#"{"days":3}"#);
    // A member that the schema forbids is asked about again, unless it is removed.
    for (schema, flags, calls, json) in [
        ("s.json", "--on-extra drop", 1, removed),
        ("s.json", "--on-extra keep", 2, None),
        ("s.json", "--on-extra fail", 2, None),
        ("s.json", "", 2, None),
        ("open.json", "--on-extra keep", 1, whole),
        ("open.json", "--on-extra drop", 1, whole),
        ("open.json", "--on-extra fail", 2, None),
        ("open.json", "", 1, whole),
    ] {
        let server = ModelServer::answering(move |_| Answer::text(answer).into());
        let model = format!("--model openai+{}/v1:m", server.url());
        let place = place("", "");
        place.write("project/deep/inside/open.json", &open);
        let ask = format!("ask --schema {schema} {model} {flags} --report json Trip!");
        let report = place.run(&ask, &[], "").json();
        assert_eq!(server.requests().len(), calls, "{schema} {flags}");
        assert_eq!(report["json"].as_str(), json, "{schema} {flags}");
        let is_reported = report["coercions"][0]["kind"] == "dropped-extra";
        assert_eq!(is_reported, json == removed, "{schema} {flags}");
    }
}
