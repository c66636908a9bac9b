//! What asking may cost, and what it did.

use serde_json::json;

use super::{GOOD, place};
use crate::asking::texts;

#[test]
fn limits_and_prices_of_known_models_are_overridden() {
    let flags = "ask --schema s.json --budget-cost 1 --answer-tokens 90000 --dry-run Trip! --model";
    let sent = |own: &str, model: &str| {
        let shown = place(own, "").run(&format!("{flags} {model}"), &[], "").expect(0).stdout;
        let body = shown.lines().last().unwrap_or_default().to_owned();
        serde_json::from_str::<serde_json::Value>(&body).unwrap_or_else(|_| panic!("{shown}"))
    };
    assert_eq!(sent("", "openai:gpt-4o-mini")["max_completion_tokens"], 16_384);
    let own = "[models.\"gpt-4o-mini\"]\noutput_limit = 20000\n";
    assert_eq!(sent(own, "openai:gpt-4o-mini")["max_completion_tokens"], 20_000);
    assert_eq!(sent("", "anthropic:claude-sonnet-4-5")["max_tokens"], 64_000);
    // A model that is not known has no price, and a budget needs one.
    let run = place("", "").run(&format!("{flags} openai:mine"), &[], "").expect(2);
    assert!(run.stderr.contains("the model has no list price"), "{}", run.stderr);
    let own = "[models.mine]\nprice = \"1/2\"\noutput_limit = 50\n";
    assert_eq!(sent(own, "openai:mine")["max_completion_tokens"], 50);
}

#[test]
fn costs_are_shown_in_the_currency_of_the_price() {
    let place = place("", "");
    place.write("project/deep/inside/in.jsonl", "{\"q\": \"Trip!\"}\n");
    // 11 tokens in and 7 out.
    for (price, expected) in [
        ("1/2", "cost 0.000025\n"),
        ("$1/2", "cost $0.000025\n"),
        ("1/2EUR", "cost 0.000025 EUR\n"),
        ("€1/€2", "cost €0.000025\n"),
    ] {
        for command in ["ask Trip!", "batch in.jsonl --ask q -o out.jsonl"] {
            let server = texts(&[GOOD]);
            let model = format!("--model openai+{}/v1:m --price {price}", server.url());
            let run = place.run(&format!("{command} --schema s.json {model}"), &[], "").expect(0);
            assert!(run.stderr.contains(expected), "{command} {price}: {}", run.stderr);
        }
        std::fs::remove_file(place.path("project/deep/inside/out.jsonl")).expect("the output");
    }
    for (flags, expected) in [
        ("--price -1/2", "expected the prices of a million input and output tokens"),
        ("--price $1/€2", "expected the prices of a million input and output tokens"),
        (
            "--price $1/2 --escalate other --escalate-price 1/2EUR",
            "the price of the model is in $, that of the --escalate model in EUR",
        ),
    ] {
        let flags = flags.replace("--price ", "--price=");
        let run =
            place.run(&format!("ask --schema s.json --model ollama:m {flags} Trip!"), &[], "");
        let run = run.expect(2);
        assert!(run.stderr.contains(expected), "{flags}: {}", run.stderr);
    }
}

#[test]
fn a_budget_has_the_currency_of_the_prices() {
    let place = place("", "");
    for (flags, expected) in [
        (["--price", "1/2", "--budget-cost", "0.05 EUR"], "cost 0.000025 EUR\n"),
        (["--price", "1/2 EUR", "--budget-cost", "0.05"], "cost 0.000025 EUR\n"),
        (["--price", "1/2 EUR", "--budget-cost", "eur 0.05"], "cost 0.000025 EUR\n"),
        (["--price", "$1/2", "--budget-cost", "$0.05"], "cost $0.000025\n"),
        (["--price", "1/2", "--budget-cost", "0.05"], "cost 0.000025\n"),
    ] {
        let server = texts(&[GOOD]);
        let model = format!("openai+{}/v1:m", server.url());
        let ask = ["ask", "Trip!", "--schema", "s.json", "--model", &model];
        let run = place.run_with(&[&ask[..], &flags].concat()).expect(0);
        assert!(run.stderr.contains(expected), "{flags:?}: {}", run.stderr);
    }
    let of_two =
        "the cost budget is in EUR, the price of the model in $; give both in one currency";
    for (model, flags, expected) in [
        ("ollama:m", ["--price", "$1/2", "--budget-cost", "0.05 EUR"], of_two),
        // The list price is in dollars.
        ("openai:gpt-4o", ["--deadline", "9", "--budget-cost", "0.05 EUR"], of_two),
        (
            "ollama:m",
            ["--price", "1/2", "--budget-cost", "$0.05 EUR"],
            "expected an amount above 0",
        ),
        ("ollama:m", ["--price", "1/2", "--budget-cost", "0 EUR"], "expected an amount above 0"),
    ] {
        let ask = ["ask", "Trip!", "--schema", "s.json", "--model", model];
        let run = place.run_with(&[&ask[..], &flags].concat()).expect(2);
        assert!(run.stderr.contains(expected), "{flags:?}: {}", run.stderr);
    }
}

#[test]
fn a_report_names_the_currency_of_its_costs() {
    let place = place("", "");
    place.write("project/deep/inside/in.jsonl", "{\"q\": \"Trip!\"}\n");
    for (price, currency) in [("1/2EUR", json!("EUR")), ("$1/2", json!("$")), ("1/2", json!(null))]
    {
        let server = texts(&[GOOD, GOOD]);
        let model = format!("--schema s.json --price {price} --model openai+{}/v1:m", server.url());
        let report =
            place.run(&format!("ask Trip! {model} --report json"), &[], "").expect(0).json();
        assert_eq!((&report["ledger"]["cost"], &report["currency"]), (&json!(25), &currency));
        place.run(&format!("batch in.jsonl --ask q -o out.jsonl {model}"), &[], "").expect(0);
        let row = place.read("project/deep/inside/out.jsonl");
        let row: serde_json::Value = serde_json::from_str(&row).expect("an object");
        assert_eq!((&row["ledger"]["cost"], &row["currency"]), (&json!(25), &currency));
        std::fs::remove_file(place.path("project/deep/inside/out.jsonl")).expect("the output");
    }
}
