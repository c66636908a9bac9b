//! What do the counters of the process count? In a process of its own, with one test.

use std::collections::BTreeMap;

use llmend::{metrics::snapshot, parse_plan_payload, parse_plan_text, parse_with_retries};

const PLAN: &str = r#"{"version": "1", "objective": "o", "steps": []}"#;

/// What went up of plans since `before`, time aside.
fn since(before: &BTreeMap<String, u64>) -> Vec<(String, u64)> {
    let plans = snapshot().into_iter().filter(|(name, _)| name.starts_with("planning."));
    let rows = plans.map(|(name, now)| {
        let grown = now - before[&name];
        (name, grown)
    });
    rows.filter(|(name, grown)| *grown > 0 && name != "planning.total_ms_total").collect()
}

fn check(act: impl FnOnce(), expected: &[(&str, u64)]) {
    let before = snapshot();
    act();
    let expected: Vec<_> = expected.iter().map(|&(name, count)| (name.to_owned(), count)).collect();
    assert_eq!(since(&before), expected);
}

#[test]
fn outcomes_are_counted_by_kind() {
    // S0-34: names with whole numbers, from the start.
    let names: Vec<String> = snapshot().into_keys().collect();
    assert_eq!(
        names,
        [
            "planning.ok",
            "planning.parse_fail",
            "planning.repair_fail",
            "planning.retry",
            "planning.schema_fail",
            "planning.total_count",
            "planning.total_ms_total",
        ]
    );
    // S0-30: what succeeds. S0-33: and how long that took, in all and how often.
    let ok = [("planning.ok", 1), ("planning.total_count", 1)];
    check(|| assert!(parse_plan_text(PLAN, 2).is_ok()), &ok);
    check(|| assert!(parse_plan_payload(PLAN).is_ok()), &ok);
    // S0-31: what fails, by kind, and without a time.
    check(|| assert!(parse_plan_text("no", 2).is_err()), &[("planning.repair_fail", 1)]);
    check(|| assert!(parse_plan_text("{\"a\": 1 + b}", 2).is_err()), &[("planning.parse_fail", 1)]);
    check(|| assert!(parse_plan_payload("{}").is_err()), &[("planning.schema_fail", 1)]);
    // S0-32: each time that the model is asked again.
    check(
        || {
            let mut answers = ["no", "{}", PLAN].into_iter().map(str::to_owned);
            let first = answers.next().expect("there is one");
            assert!(parse_with_retries(&first, 5, |_| answers.next()).is_ok());
        },
        &[
            ("planning.ok", 1),
            ("planning.repair_fail", 1),
            ("planning.retry", 2),
            ("planning.schema_fail", 1),
            ("planning.total_count", 1),
        ],
    );
    let long = format!(
        "{{\"version\": \"1\", \"objective\": \"{}\", \"steps\": []}}",
        "o ".repeat(8 << 20)
    );
    let before = snapshot()["planning.total_ms_total"];
    assert!(parse_plan_text(&long, 0).is_ok());
    assert!(snapshot()["planning.total_ms_total"] > before, "16 MB take more than a millisecond");
}
