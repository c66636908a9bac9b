//! The loop whose caller sends the requests.

use std::time::Duration;

use llmend::Value;
use llmend::asking::{
    Ask, AskOptions, FindingSource, Ladder, LoopError, ManualLoop, OnSameFindings, Planner,
    PricedModel, SchemaSubject, Strategy,
};
use llmend::json::{OffsetUnit, Span};
use llmend::model::{ChatError, ChatErrorKind, ChatResponse, Message};

const NOW: Duration = Duration::ZERO;

fn mine() -> Vec<PricedModel> {
    vec![PricedModel { name: "mine".to_owned(), price: None }]
}

fn trip(options: AskOptions) -> ManualLoop<SchemaSubject> {
    let schema = r#"{"type": "object", "required": ["city", "days"],
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}"#;
    let ask = Ask::<Value<'static>>::of_text(schema).unwrap().options(options);
    ask.manual_loop("A trip, please.", mine())
}

fn on(strategy: Strategy) -> AskOptions {
    AskOptions {
        ladder: Ladder::of([strategy]),
        on_same_findings: OnSameFindings::GoOn,
        ..AskOptions::default()
    }
}

fn says(text: &str) -> ChatResponse {
    ChatResponse::of_text(text)
}

/// Why there is nothing after these answers.
fn failed(driven: &mut ManualLoop<SchemaSubject>, answers: &[&str]) -> Box<LoopError> {
    for answer in answers {
        assert!(driven.next(NOW).is_some(), "{answer}");
        driven.answer(Ok(says(answer)), NOW);
    }
    assert!(driven.next(NOW).is_none());
    driven.end(NOW).expect("the end").expect_err("no value")
}

#[test]
fn a_request_stays_until_it_is_answered_and_the_end_is_reported_once() {
    let mut driven = trip(AskOptions::default());
    assert!(driven.answer(Ok(says("{'city': 'Oslo', 'days': 1}")), NOW).is_none());
    let first = driven.next(NOW).expect("a question").clone();
    assert_eq!((first.number, first.of, first.model, first.strategy), (1, 3, 0, None));
    assert_eq!(driven.next(Duration::from_secs(1)), Some(&first));
    assert!(driven.end(NOW).is_none());

    let again = driven.answer(Ok(says("{'city': 'Oslo', 'days': 'a few'}")), NOW).expect("a retry");
    assert_eq!((again.retry, again.of, again.strategy), (1, 2, Some(Strategy::Fields)));
    assert_eq!(driven.next(NOW).expect("a retry").number, 2);
    assert!(driven.answer(Ok(says("{\"days\": 3}")), NOW).is_none());
    assert!(driven.next(NOW).is_none());
    assert!(driven.answer(Ok(says("{}")), NOW).is_none());

    let finished = driven.end(NOW).expect("the end").expect("a value");
    assert_eq!(finished.value.value.to_string(), r#"{"city":"Oslo","days":3}"#);
    assert_eq!(finished.ledger.attempts.len(), 2);
    assert!(driven.end(NOW).is_none() && driven.next(NOW).is_none());
}

#[test]
fn time_counts_from_the_first_question() {
    let mut options = on(Strategy::Fields);
    options.budget.time = Some(Duration::from_secs(10));
    let mut driven = trip(options);
    let at = |seconds: u64| Duration::from_secs(100 + seconds);
    assert_eq!(
        driven.next(at(0)).and_then(|asking| asking.request.timeout),
        Some(Duration::from_secs(10))
    );
    driven.answer(Ok(says("{'city': 'Oslo', 'days': 'a few'}")), at(4));
    assert_eq!(
        driven.next(at(4)).and_then(|asking| asking.request.timeout),
        Some(Duration::from_secs(6))
    );
    driven.answer(Ok(says("{'days': 'some'}")), at(11));
    assert!(driven.next(at(11)).is_none());
    let gave_up = driven.end(at(11)).expect("the end").expect_err("no value");
    assert_eq!((gave_up.code(), gave_up.ledger.took), ("ask/time", Duration::from_secs(11)));
}

#[test]
fn an_answer_that_does_not_arrive_is_an_answer_too() {
    let mut options = AskOptions::default();
    options.budget.transport_retries = 1;
    let mut driven = trip(options);
    let lost = || Err(ChatError::new(ChatErrorKind::Connection, "it broke"));
    assert!(driven.next(NOW).is_some());
    let again = driven.answer(lost(), NOW).expect("the same again");
    assert_eq!((again.strategy, again.retry), (None, 0));
    assert!(driven.next(NOW).is_some());
    assert!(driven.answer(lost(), NOW).is_none());
    let gave_up = driven.end(NOW).expect("the end").expect_err("no value");
    assert_eq!(gave_up.code(), "model/connection");
    assert_eq!(driven.answers(), ["", ""]);
}

#[test]
fn places_are_counted_as_the_caller_counts_them() {
    // What was found, counted in characters: in the first answer, and in the last as it is told of the end.
    let rows = [
        (
            Strategy::Full,
            ["é {'city': 'Orléans', 'days': 'several'}", "日 {'city': 'Orléans', 'days': 'some'}"],
            [Some("'several'"), Some("'some'")],
            FindingSource::Answer,
        ),
        (
            Strategy::Fields,
            ["é {'city': 'Orléans', 'days': 'several'}", "日 {'days': 'some'}"],
            [Some("'several'"), None],
            FindingSource::Whole,
        ),
        // What is no answer to what was asked for has its places in itself.
        (
            Strategy::Fields,
            ["é {'city': 'Orléans', 'days': 'several'}", "日 {'days': 2 * 3}"],
            [Some("'several'"), Some("2 * 3")],
            FindingSource::Answer,
        ),
    ];
    for (strategy, answers, expected, found_in) in rows {
        let retries = llmend::asking::Retries::of(1);
        let mut driven = trip(AskOptions { retries, ..on(strategy) });
        let mut gave_up = failed(&mut driven, &answers);
        assert_eq!(driven.answers(), answers);
        assert_eq!(gave_up.ledger.attempts.last().map(|last| last.found_in), Some(found_in));
        gave_up.convert_offsets(driven.answers(), OffsetUnit::CodePoint);
        let row = serde_json::to_value(&gave_up).unwrap();
        let last = gave_up.findings.iter().find_map(|row| row.span).map(|span| span.start);
        assert_eq!(row["diagnostics"][0]["start"], serde_json::json!(last));
        assert_eq!(row["code"], gave_up.code());
        for ((attempt, answer), expected) in
            gave_up.ledger.attempts.iter().zip(answers).zip(expected)
        {
            let shown = attempt
                .findings
                .iter()
                .find_map(|row| row.span)
                .map(|span| characters(answer, span));
            assert_eq!(shown.as_deref(), expected, "{answer}");
        }
    }
}

#[test]
fn findings_of_the_end_have_their_places_in_the_reported_answer() {
    let options = AskOptions { retries: llmend::asking::Retries::of(1), ..on(Strategy::Fields) };
    let answers = ["é {'city': 'Orléans', 'days': 'several'}", "日 {'days': 'some'}"];
    let gave_up = failed(&mut trip(options), &answers);
    let span = gave_up.findings.iter().find_map(|row| row.span).expect("a place");
    assert_eq!(span.of(&gave_up.answer), "\"some\"");
}

#[test]
fn the_reason_to_ask_again_has_places_in_what_was_answered() {
    let answer = "日 {'city': 'Orléans', 'days': 'several'}";
    let mut driven = trip(on(Strategy::Fields));
    assert!(driven.next(NOW).is_some());
    let mut again = driven.answer(Ok(says(answer)), NOW).expect("a retry");
    again.convert_offsets(answer, OffsetUnit::CodePoint);
    let span = again.findings.iter().find_map(|row| row.span).expect("a place");
    assert_eq!(characters(answer, span), "'several'");
    assert!(driven.next(NOW).is_some());
    let mut again = driven.answer(Ok(says("{'days': 'some'}")), NOW).expect("a retry");
    assert_eq!(again.found_in, FindingSource::Whole);
    again.convert_offsets("", OffsetUnit::Byte);
    assert!(again.findings.iter().all(|row| row.span.is_none() && row.edit.is_none()));
}

#[test]
fn without_a_model_nothing_is_asked() {
    let ask = Ask::<Value<'static>>::of_text("true").unwrap();
    let mut driven = ask.manual_loop("Anything.", Vec::new());
    assert!(driven.next(NOW).is_none());
    let gave_up = driven.end(NOW).expect("the end").expect_err("no value");
    assert_eq!(gave_up.code(), "ask/no-model");
    assert_eq!(gave_up.to_string(), "no model was asked: none was given. Name a model.");
}

#[test]
fn a_plan_is_asked_for_at_the_end_of_a_conversation() {
    let said = vec![Message::user("Hello"), Message::assistant("Yes?"), Message::user("Tea.")];
    let mut driven = Planner::new().rules("JSON alone.").manual_loop(said.clone(), mine());
    let asking = driven.next(NOW).expect("a question");
    assert_eq!(asking.request.messages.first(), Some(&Message::system("JSON alone.")));
    assert_eq!(asking.request.messages.get(1..), Some(said.as_slice()));
    driven.answer(Ok(says("Plan: {steps: [{id: 'a', tool: 'kettle'}]}")), NOW);
    let finished = driven.end(NOW).expect("the end").expect("a plan");
    assert_eq!(finished.value.reviewed.value.what(), "a plan");
}

fn characters(text: &str, span: Span) -> String {
    text.chars().skip(span.start).take(span.len()).collect()
}
