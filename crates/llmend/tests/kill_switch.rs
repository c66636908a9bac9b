//! Does the environment switch repairing off? The test runs itself, once for each environment.

use std::{env, process::Command};

use llmend::{Error, PlanErrorKind, from_str, parse, parse_plan_payload, parse_plan_text};

const VALID: &str = r#"{"version": "1", "objective": "o", "steps": []}"#;
const BROKEN: &str = "Sure: {'version': '1', 'objective': 'o', 'steps': [],}";

/// Tells the run within from the run outside.
const WITHIN: &str = "LLMEND_TEST_EXPECTS";

#[test]
fn the_environment_disables_repair() {
    // S0-39: without a change of code, as the same program runs in each environment.
    // S0-36: on where nothing is said. S0-37: off by OPENMANUS_PLANNING_REPAIR=0.
    if let Ok(expected) = env::var(WITHIN) {
        return within(&expected);
    }
    let program = env::current_exe().expect("the test has a path");
    for (variables, expected) in [
        (&[][..], "on"),
        (&[("OPENMANUS_PLANNING_REPAIR", "0")], "off"),
        (&[("LLMEND_REPAIR", "0")], "off"),
        (&[("LLMEND_REPAIR", "false"), ("OPENMANUS_PLANNING_REPAIR", "1")], "off"),
        (&[("LLMEND_REPAIR", "1"), ("OPENMANUS_PLANNING_REPAIR", "0")], "on"),
        (&[("OPENMANUS_PLANNING_REPAIR", "never")], "OPENMANUS_PLANNING_REPAIR"),
        (&[("LLMEND_REPAIR", "")], "LLMEND_REPAIR"),
    ] {
        let run = Command::new(&program)
            .args(["--exact", "the_environment_disables_repair"])
            .env_remove("LLMEND_REPAIR")
            .env_remove("OPENMANUS_PLANNING_REPAIR")
            .envs(variables.iter().copied())
            .env(WITHIN, expected)
            .output()
            .expect("the test runs itself");
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && said.contains("1 passed"), "{variables:?}: {said}");
    }
}

fn within(expected: &str) {
    match expected {
        "on" => {
            assert!(parse_plan_text(BROKEN, 2).is_ok());
            assert!(parse_plan_payload(BROKEN).is_ok());
            assert!(from_str::<serde_json::Value>(BROKEN).is_ok());
        }
        "off" => {
            // S0-38: parsing and the schema, and no repair.
            assert!(parse_plan_text(VALID, 2).is_ok());
            assert!(parse::<serde_json::Value>(VALID).is_ok());
            let error = parse_plan_text(BROKEN, 2).expect_err("strict JSON only");
            assert_eq!((error.kind(), error.attempts()), (PlanErrorKind::ParseFailed, 1));
            assert!(matches!(parse::<serde_json::Value>(BROKEN), Err(Error::Json(_))));
        }
        variable => {
            let error = parse_plan_text(VALID, 2).expect_err("the variable is wrong");
            assert_eq!(error.kind(), PlanErrorKind::BadSetting);
            assert!(error.to_string().contains(variable), "{error}");
            assert!(
                matches!(parse::<serde_json::Value>(VALID), Err(Error::Setting(error)) if error.place.to_string() == variable)
            );
        }
    }
}
