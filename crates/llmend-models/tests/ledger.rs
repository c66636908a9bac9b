//! The ledger's tokens and cost against the servers' own counts.
//!
//! `cargo test -p llmend-models --test ledger -- --nocapture` prints the table.

mod rig;

use std::fmt::Write as _;

use llmend::asking::{Ask, AskOptions, Callbacks, Models, Price};
use llmend_model_server::{Answer, ModelServer};
use rig::{FORMS, Waits, model_with};

/// A schema that is closed, so that every server is asked for it as a strict one.
const CLOSED: &str = r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}"#;

#[tokio::test]
async fn the_ledger_counts_what_the_servers_count() {
    const QUESTIONS: u64 = 50;
    let mut table = String::from(
        "| form | requests | tokens in, server | ledger | tokens out, server | ledger | cost, server | ledger |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    let price = Price { input: 150_000, output: 600_000 };
    for (form, ..) in FORMS {
        // Every request is counted differently, and every third answer has to be asked for again.
        let usage = |number: u64| (100 + 7 * number, 10 + 3 * number);
        let count = std::sync::atomic::AtomicU64::new(0);
        let server = ModelServer::answering(move |seen| {
            let number = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let (input, output) = usage(number);
            let text = if number.is_multiple_of(3) { r#"{"a": "many"}"# } else { r#"{"a": 1}"# };
            let answer = if seen.json()["tools"].is_array() {
                Answer::call("answer", text)
            } else {
                Answer::text(text)
            };
            answer.usage(input, output).into()
        });
        let model = model_with(&server, form, None, Waits::default().options());
        let ask = Ask::of_text(CLOSED).unwrap().options(AskOptions::default());
        let (mut input, mut output, mut cost) = (0, 0, 0);
        for _ in 0..QUESTIONS {
            let models = Models::of(&model).at(price);
            let answered = ask.run(models, "How many?", &mut Callbacks::new()).await.unwrap();
            let ledger = &answered.ledger;
            assert!(!ledger.usage.estimated, "{form:?}");
            input += ledger.usage.input;
            output += ledger.usage.output;
            cost += ledger.cost.unwrap();
        }
        let requests = server.requests().len() as u64;
        let all = |pick: fn((u64, u64)) -> u64| {
            (0..requests).map(|number| pick(usage(number))).sum::<u64>()
        };
        let (input_there, output_there) = (all(|usage| usage.0), all(|usage| usage.1));
        let millionths =
            |(input, output): (u64, u64)| (input * 150_000 + output * 600_000).div_ceil(1_000_000);
        let cost_there: u64 = (0..requests).map(|number| millionths(usage(number))).sum();
        assert_eq!((input, output, cost), (input_there, output_there, cost_there), "{form:?}");
        writeln!(
            table,
            "| {form:?} | {requests} | {input_there} | {input} | {output_there} | {output} | {cost_there} | {cost} |"
        )
        .unwrap();
    }
    println!("{table}");
    insta::assert_snapshot!("ledger", table);
}
