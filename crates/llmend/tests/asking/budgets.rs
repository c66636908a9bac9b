//! No request asks for more than what is left, and none starts without anything left.

use std::time::Duration;

use llmend::asking::{
    AskOptions, AttemptOutcome, Budget, ExhaustedBudget, GiveUpReason, LEAST_OUTPUT, Loop, Next,
    OnSameFindings, Price, PricedModel, Retries,
};
use llmend::model::{ChatError, ChatErrorKind, ChatResponse, Usage};

use crate::{task, trip};

/// Tokens of an answer, and time.
type Limits = (Option<u32>, Option<Duration>);

/// Asks a model that always fails and says what it used; gives each request's limits, and the end.
fn spend(
    budget: Budget,
    price: Option<Price>,
    usage: impl Fn(u64) -> Usage,
) -> (Vec<Limits>, GiveUpReason) {
    let subject = trip();
    let options = AskOptions {
        budget,
        retries: Retries::of(100),
        on_same_findings: OnSameFindings::GoOn,
        ..AskOptions::default()
    };
    let model = PricedModel { name: "m".to_owned(), price };
    let mut asked = Loop::new(&subject, options, task(), vec![model]);
    let mut limits = Vec::new();
    let mut now = Duration::ZERO;
    loop {
        let request = match asked.next(now) {
            Next::Ask(asking) => asking.request,
            Next::GiveUp(gave_up) => return (limits, gave_up.why),
            _ => unreachable!("it asks or it does not"),
        };
        limits.push((request.max_output_tokens, request.timeout));
        now += Duration::from_secs(2);
        let mut response = ChatResponse::of_text("no JSON");
        response.usage = Some(usage(request.max_output_tokens.map_or(50, u64::from)));
        if let AttemptOutcome::GiveUp(gave_up) = asked.answer(Ok(response), now) {
            return (limits, gave_up.why);
        }
    }
}

#[test]
fn tokens() {
    let budget = Budget { tokens: Some(5_000), answer_tokens: Some(400), ..Budget::default() };
    let used = std::cell::Cell::new(0);
    let (limits, why) = spend(budget, None, |most| {
        // All that it may write, and a question of 300 tokens.
        used.set(used.get() + 300 + most);
        assert!(used.get() <= 5_000 + 300, "{}", used.get());
        Usage { input: 300, output: most, estimated: false }
    });
    assert_eq!(why, GiveUpReason::Budget(ExhaustedBudget::Tokens));
    assert!(limits.len() > 3, "{limits:?}");
    let mut left = 5_000;
    for (most, _) in limits {
        let most = u64::from(most.expect("a limit"));
        assert!((LEAST_OUTPUT..=400).contains(&most) && most <= left, "{most} of {left}");
        left -= 300 + most;
    }
}

#[test]
fn money() {
    // A token of the question costs 2, one of the answer 10.
    let price = Price { input: 2_000_000, output: 10_000_000 };
    let budget = Budget { cost: Some(20_000), ..Budget::default() };
    let spent = std::cell::Cell::new(0);
    let (limits, why) = spend(budget, Some(price), |most| {
        let usage = Usage { input: 200, output: most.min(300), estimated: false };
        spent.set(spent.get() + price.of(&usage));
        usage
    });
    assert_eq!(why, GiveUpReason::Budget(ExhaustedBudget::Cost));
    assert!(limits.len() > 3 && spent.get() <= 20_000, "{} {limits:?}", spent.get());
    assert!(limits.iter().all(|(most, _)| most.is_some()));
    // Without a price nothing is asked: it could not be kept.
    let (limits, why) = spend(budget, None, |_| Usage::default());
    assert_eq!((limits.len(), why), (0, GiveUpReason::NoPrice { model: "m".to_owned() }));
}

#[test]
fn time() {
    let budget = Budget { time: Some(Duration::from_secs(7)), ..Budget::default() };
    let (limits, why) = spend(budget, None, |_| Usage::default());
    let left: Vec<_> = limits.iter().map(|(_, left)| left.expect("a limit").as_secs()).collect();
    // Each takes two seconds, and none starts after the end.
    assert_eq!(left, [7, 5, 3, 1]);
    assert_eq!(why, GiveUpReason::Budget(ExhaustedBudget::Time));
    let nothing = Budget { time: Some(Duration::ZERO), ..Budget::default() };
    assert_eq!(spend(nothing, None, |_| Usage::default()).0.len(), 0);
}

#[test]
fn a_deadline_after_an_answer_is_no_failure_of_the_model() {
    let subject = trip();
    let budget = Budget { time: Some(Duration::from_secs(3)), ..Budget::default() };
    let options = AskOptions { budget, ..AskOptions::default() };
    let late = || ChatError::new(ChatErrorKind::Timeout, "the call timed out");
    let out_of_time = GiveUpReason::Budget(ExhaustedBudget::Time);
    for (answers, expected) in [(1, out_of_time), (0, GiveUpReason::Transport(late()))] {
        let mut asked = Loop::new(&subject, options.clone(), task(), vec![PricedModel::default()]);
        for _ in 0..answers {
            asked.next(Duration::ZERO);
            asked.answer(Ok(ChatResponse::of_text("no JSON")), Duration::from_secs(2));
        }
        asked.next(Duration::from_secs(2 * answers));
        let end = asked.answer(Err(late()), Duration::from_secs(3));
        let AttemptOutcome::GiveUp(end) = end else { unreachable!("no time is left: {end:?}") };
        assert_eq!(end.why, expected);
        assert_eq!(end.answer.is_empty(), answers == 0);
    }
}

#[test]
fn missing_usage_is_estimated() {
    let subject = trip();
    let options = AskOptions {
        budget: Budget { tokens: Some(2_000), ..Budget::default() },
        retries: Retries::of(100),
        on_same_findings: OnSameFindings::GoOn,
        ..AskOptions::default()
    };
    let mut asked = Loop::new(&subject, options, task(), vec![PricedModel::default()]);
    let gave_up = loop {
        match asked.next(Duration::ZERO) {
            Next::Ask(_) => {}
            Next::GiveUp(gave_up) => break gave_up,
            _ => unreachable!("it asks or it does not"),
        }
        let answer = asked.answer(Ok(ChatResponse::of_text("no JSON")), Duration::ZERO);
        assert!(!matches!(answer, AttemptOutcome::Done(_)));
    };
    assert_eq!(gave_up.why, GiveUpReason::Budget(ExhaustedBudget::Tokens));
    let ledger = gave_up.ledger;
    assert!(ledger.usage.estimated && ledger.usage.input > 100, "{:?}", ledger.usage);
    for attempt in &ledger.attempts {
        assert_eq!(attempt.usage, Usage::estimate(attempt.question_bytes, attempt.answer_bytes));
    }
}

#[test]
fn an_answer_of_no_tokens_is_not_asked_for() {
    let budget = Budget { answer_tokens: Some(0), ..Budget::default() };
    let options = AskOptions { budget, ..AskOptions::default() };
    let subject = trip();
    let mut asked = Loop::new(&subject, options, task(), vec![PricedModel::default()]);
    let Next::GiveUp(gave_up) = asked.next(Duration::ZERO) else { panic!("nothing to ask") };
    assert_eq!(gave_up.code(), "ask/tokens");
}
