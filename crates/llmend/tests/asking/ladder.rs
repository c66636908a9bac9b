//! Which failure is which, when is asked again, and when not.

use llmend::asking::{
    AskOptions, FailureKind, Family, FurtherModel, GiveUpReason, Keep, KeptAnswer, Ladder,
    OnExhausted, OnSameFindings, Preset, Retries, SchemaSubject, Strategy, Validation, Validity,
};
use llmend::model::{ChatError, ChatErrorKind, ChatResponse, Finish, ToolCall, Usage};
use llmend::{Diagnostic, Severity};

use crate::{cut_off, json, play, play_texts, trip};

const GOOD: &str = r#"{"city": "Oslo", "days": 3}"#;

fn patient(retries: u32) -> AskOptions {
    AskOptions {
        retries: Retries::of(retries),
        on_same_findings: OnSameFindings::GoOn,
        ..AskOptions::default()
    }
}

#[test]
fn a_good_answer_is_not_asked_for_again() {
    // S2-10, S2-11, S2-31: what can be mended is, and nobody is asked for it.
    for text in [
        GOOD,
        "Sure!\n```json\n{city: 'Oslo', 'days': \"3\",}\n```",
        "{\"City\": \"Oslo\", \"days\": 3.0",
    ] {
        let played = play_texts(&trip(), AskOptions::default(), &[text]);
        assert_eq!(played.asked.len(), 1, "{text}");
        let done = played.done();
        assert_eq!((done.validity, done.ledger.attempts[0].failure), (Validity::Valid, None));
        assert_eq!(done.ledger.attempts[0].repairs > 0, text != GOOD, "{text}");
    }
}

#[test]
fn kinds_of_failures_are_distinguished() {
    // S2-12: what triggers a retry is the kind of an error, and no word of it. S0-27, S3-08.
    let rows = [
        ("", FailureKind::NoJson),
        ("I would rather not.", FailureKind::NoJson),
        ("```json\n```", FailureKind::NoJson),
        (r#"{"city": "Oslo", "days": 3 + 4}"#, FailureKind::Syntax),
        (r#"{"city": "Oslo"}"#, FailureKind::Schema),
        (r#"[{"city": "Oslo", "days": "JSON decode error"}]"#, FailureKind::Schema),
        (r#"{"city": "Oslo", "days": 3, "stops": [{"place": "Vig"#, FailureKind::Truncation),
    ];
    for (text, expected) in rows {
        let played =
            play_texts(&trip(), AskOptions { retries: Retries::of(0), ..patient(0) }, &[text]);
        let gave_up = played.gave_up();
        assert_eq!(gave_up.failure(), Some(expected), "{text}");
        assert!(!gave_up.diagnostics().is_empty());
    }
    // The limit of tokens was reached, and what there is may lack something.
    let played =
        play(&trip(), patient(0), |_| Ok(cut_off(r#"{"city": "Oslo", "days": 3, "stops": []"#)));
    assert_eq!(played.gave_up().failure(), Some(FailureKind::Truncation));
    // It was reached in the words after the value.
    let played = play(&trip(), patient(0), |_| Ok(cut_off(&format!("{GOOD}\nI hope th"))));
    assert_eq!(json(played.done()), r#"{"city":"Oslo","days":3}"#);
}

#[test]
fn each_family_has_its_own_counter() {
    // The limits of GoMind: two retries of what does not parse, one of what is not valid.
    let options = AskOptions::preset(Preset::GoMind);
    let bad = "no JSON";
    let invalid = r#"{"city": "Oslo"}"#;
    let after = GiveUpReason::RetriesAfter;
    let rows: [(&[&str], usize, GiveUpReason, &str); 4] = [
        (&[bad], 3, after(Family::Parsing), "after an answer that cannot be parsed. "),
        (&[invalid], 2, after(Family::Validation), "after an invalid answer. "),
        (&[bad, bad, invalid, invalid], 4, GiveUpReason::Retries, "no retries left. "),
        (&[invalid, bad, bad, bad], 4, GiveUpReason::Retries, "no retries left. "),
    ];
    for (texts, calls, why, words) in rows {
        let played = play_texts(&trip(), options.clone(), texts);
        assert_eq!(played.asked.len(), calls, "{texts:?}");
        assert_eq!((&played.gave_up().why, played.gave_up().code()), (&why, "ask/retries"));
        assert!(played.gave_up().to_string().contains(words), "{}", played.gave_up());
    }
    assert_eq!(play_texts(&trip(), options, &[bad, bad, invalid, GOOD]).done().answer, GOOD);
}

#[test]
fn the_same_findings_twice_in_a_row_stop_it() {
    let invalid = r#"{"city": "Oslo"}"#;
    let options = AskOptions { retries: Retries::of(9), ..AskOptions::default() };
    let whole = AskOptions { ladder: Ladder::of([Strategy::Full]), ..options };
    let played = play_texts(&trip(), whole, &[invalid]);
    assert_eq!((played.asked.len(), &played.gave_up().why), (2, &GiveUpReason::SameFindings));
    // Other findings in between, and it goes on.
    let other = r#"{"days": 3}"#;
    let options = AskOptions { retries: Retries::of(9), ..AskOptions::preset(Preset::Standard) };
    let played = play_texts(
        &trip(),
        options,
        &[invalid, "no JSON", other, invalid, "no JSON at all", other, other],
    );
    assert_eq!(played.asked.len(), 7);
    assert_eq!(played.gave_up().why, GiveUpReason::SameFindings);
}

#[test]
fn an_error_says_how_often_with_whom_why_and_what_to_change() {
    // S2-22, S2-27, S2-28, S2-36: the number of attempts, the first and the last cause with its place,
    // the model, what to change, and all notes. S1-17: the parser's own message.
    let texts = ["no JSON", r#"{"city": "Oslo", "days": 3 * 4}"#, r#"{"city": "Oslo", "days": 0}"#];
    let gave_up = play_texts(&trip(), patient(2), &texts);
    let gave_up = gave_up.gave_up();
    let text = gave_up.to_string();
    for part in [
        "after 3 attempts with first",
        "no retries left",
        "First: no JSON value found (text starts with \"no JSON",
        "Last: ",
        "(at `/days`, line 1, column 26)",
        "choose another model",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(gave_up.code(), "ask/retries");
    assert_eq!(gave_up.answer, texts[2]);
    let ledger = &gave_up.ledger;
    let rows: Vec<_> = ledger.attempts.iter().map(|row| (row.number, row.failure)).collect();
    assert_eq!(
        rows,
        [
            (1, Some(FailureKind::NoJson)),
            (2, Some(FailureKind::Syntax)),
            (3, Some(FailureKind::Schema)),
        ]
    );
    assert!(ledger.failures().values().all(|count| *count == 1));
    assert_eq!((ledger.took.as_secs(), ledger.attempts[1].took.as_secs()), (3, 1));
    assert!(ledger.attempts[1].findings[0].span.is_some());
}

#[test]
fn a_ledger_is_there_on_success_too_and_sums_up() {
    let mut turn = 0;
    let played = play(&trip(), AskOptions::default(), |_| {
        turn += 1;
        let mut response = ChatResponse::of_text(if turn == 1 { "no JSON" } else { GOOD });
        response.usage = (turn == 1).then_some(Usage { input: 100, output: 20, estimated: false });
        response.transport_retries = 2;
        Ok(response)
    });
    let ledger = &played.done().ledger;
    assert_eq!(ledger.attempts.len(), 2);
    let [first, second] = ledger.attempts.as_slice() else { panic!("two") };
    assert!(!first.usage.estimated && second.usage.estimated, "what is not told is estimated");
    assert_eq!(ledger.usage.input, 100 + second.usage.input);
    assert_eq!(second.usage.output, Usage::estimate(0, GOOD.len()).output);
    assert!(ledger.usage.estimated);
    assert_eq!(ledger.transport_retries, 4);
    assert_eq!(second.answer, KeptAnswer::Text(GOOD.to_owned()));
    let json = serde_json::to_value(ledger).unwrap();
    assert_eq!(json["attempts"][0]["failure"], "no-json");
    assert_eq!(json["attempts"][1]["strategy"], "full");
    assert_eq!(json["milliseconds"], 2000);

    let options = AskOptions { keep: Keep::Hash, ..AskOptions::default() };
    let played = play_texts(&trip(), options, &[GOOD]);
    let KeptAnswer::Hash(hash) = &played.done().ledger.attempts[0].answer else { panic!("a hash") };
    assert!(
        hash.len() == 16 && !serde_json::to_string(&played.done().ledger).unwrap().contains("Oslo")
    );
}

#[test]
fn what_does_not_arrive_is_no_retry() {
    let busy = || Err(ChatError::new(ChatErrorKind::Server, "overloaded"));
    // Models wait and try again themselves: the loop does not, where nothing is said.
    let played = play(&trip(), AskOptions::default(), |_| busy());
    let GiveUpReason::Transport(error) = &played.gave_up().why else {
        panic!("{}", played.gave_up())
    };
    assert_eq!((played.asked.len(), error.kind), (1, ChatErrorKind::Server));
    assert!(played.gave_up().to_string().contains("overloaded"));

    // With a budget of its own, the same is asked again, and the attempts are all still there.
    let mut options = patient(2);
    options.budget.transport_retries = 2;
    let mut turn = 0;
    let played = play(&trip(), options.clone(), |_| {
        turn += 1;
        match turn {
            1 | 3 => busy(),
            5 => Ok(ChatResponse::of_text(GOOD)),
            _ => Ok(ChatResponse::of_text("no JSON")),
        }
    });
    let numbers: Vec<_> = played.asked.iter().map(|asking| asking.number).collect();
    assert_eq!(numbers, [1, 1, 2, 2, 3]);
    assert_eq!(played.asked[0].request.messages, played.asked[1].request.messages);
    assert_eq!(played.asked[2].request.messages, played.asked[3].request.messages);
    let failures = played.done().ledger.failures();
    assert_eq!((failures[&FailureKind::Transport], failures[&FailureKind::NoJson]), (2, 2));
    assert_eq!(played.done().ledger.attempts_made(), 3);

    // What will not change is not tried again.
    let played =
        play(&trip(), options, |_| Err(ChatError::new(ChatErrorKind::Authentication, "no key")));
    assert_eq!(played.asked.len(), 1);
    assert!(played.gave_up().to_string().contains("Check the provider's key"));
}

#[test]
fn what_stands_in_an_error_is_read() {
    let mut error = ChatError::new(ChatErrorKind::Unreadable, "failed to parse tool call");
    error.context.answer = Some("{'city': 'Oslo', 'days': 3,}".to_owned());
    let played = play(&trip(), AskOptions::default(), |_| Err(error.clone()));
    assert_eq!(json(played.done()), r#"{"city":"Oslo","days":3}"#);

    // What broke off is never a whole answer, whatever it looks like.
    let mut error = ChatError::new(ChatErrorKind::Interrupted, "the connection broke");
    error.context.partial = Some(ChatResponse::of_text(GOOD));
    let mut turn = 0;
    let played = play(&trip(), AskOptions::default(), |_| {
        turn += 1;
        if turn == 1 { Err(error.clone()) } else { Ok(ChatResponse::of_text("")) }
    });
    // The model says that there is nothing more to it.
    assert_eq!(played.done().answer, GOOD);
    let first = &played.done().ledger.attempts[0];
    assert_eq!(first.failure, Some(FailureKind::Truncation));
    assert_eq!(played.strategies()[1], "continue");
}

#[test]
fn who_does_not_want_to_answer_is_not_pressed() {
    let played = play(&trip(), patient(5), |_| {
        let mut response = ChatResponse::of_text("");
        response.finish = Finish::ContentFilter;
        Ok(response)
    });
    assert_eq!((played.asked.len(), &played.gave_up().why), (1, &GiveUpReason::Refused));
    assert_eq!(played.gave_up().failure(), Some(FailureKind::Refusal));
}

#[test]
fn another_model_may_be_asked_what_one_does_not_want_to_answer() {
    let options = AskOptions { ladder: Ladder::of([Strategy::Escalate]), ..patient(3) };
    let played = play(&trip(), options, |asking| {
        let mut response = ChatResponse::of_text(if asking.model == 0 { "" } else { GOOD });
        if asking.model == 0 {
            response.refusal = "I would rather not.".to_owned();
        }
        Ok(response)
    });
    assert_eq!(played.done().answer, GOOD);
    let first = &played.done().ledger.attempts[0];
    assert_eq!(first.failure, Some(FailureKind::Refusal));
    assert!(first.cause.as_deref().is_some_and(|cause| cause.contains("rather not")));
    // It is asked the question itself, without a word of the refusal.
    assert_eq!(played.asked[1].request.messages, played.asked[0].request.messages);
}

#[test]
fn the_end_of_a_budget_hands_back_too() {
    let mut options = AskOptions { on_exhausted: OnExhausted::HandBack, ..patient(5) };
    options.budget.time = Some(std::time::Duration::from_secs(2));
    let played = play_texts(&trip(), options, &[r#"{"city": "Oslo"}"#]);
    assert_eq!((played.asked.len(), played.done().validity), (2, Validity::Invalid));
}

#[test]
fn without_validation_a_value_is_unchecked_and_never_valid() {
    // S3-18: 0 does not validate.
    let options = AskOptions { validation: Validation::Off, ..patient(2) };
    let played = play_texts(&trip(), options.clone(), &[r#"{"city": "Oslo"}"#]);
    assert_eq!((played.asked.len(), played.done().validity), (1, Validity::Unchecked));
    // What is no JSON is no value all the same.
    let played = play_texts(&trip(), options, &["no JSON", GOOD]);
    assert_eq!((played.asked.len(), played.done().validity), (2, Validity::Valid));
}

#[test]
fn the_last_value_is_handed_back_as_invalid_where_that_was_asked_for() {
    // S3-17: as it is, and marked. S3-19…S3-22: so many attempts.
    for (attempts, calls) in [(1, 1), (2, 2), (3, 3), (7, 7)] {
        let options = AskOptions::preset(Preset::ClickweaveAssistant(attempts));
        let played = play_texts(&trip(), options, &[r#"{"city": "Oslo"}"#]);
        assert_eq!((played.asked.len(), played.done().validity), (calls, Validity::Invalid));
        assert_eq!(json(played.done()), r#"{"city":"Oslo"}"#);
        assert!(!played.done().findings.is_empty());
    }
    // A later answer that holds nothing does not take it away.
    let options = AskOptions { on_exhausted: OnExhausted::HandBack, ..patient(1) };
    let played = play_texts(&trip(), options.clone(), &[r#"{"city": "Oslo"}"#, "no JSON"]);
    assert_eq!(json(played.done()), r#"{"city":"Oslo"}"#);
    // Without any value there is nothing to hand back.
    let played = play_texts(&trip(), options, &["no JSON"]);
    assert_eq!(played.gave_up().why, GiveUpReason::Retries);
}

#[test]
fn what_no_schema_says_is_checked_too() {
    let subject: SchemaSubject = trip().checked(|fitted| {
        let days = fitted.value.root().get("days").and_then(llmend::Node::number);
        let row = Diagnostic::new("trip/too-long", Severity::Error, "nobody has so many days");
        if days == Some("400") { vec![row.on("/days")] } else { Vec::new() }
    });
    let played = play_texts(
        &subject,
        AskOptions::default(),
        &[r#"{"city": "Oslo", "days": 400}"#, r#"{"days": 4}"#],
    );
    assert!(played.prompts()[1].contains("nobody has so many days"));
    assert_eq!(played.done().answer, r#"{"city": "Oslo", "days": 4}"#);
}

#[test]
fn attempts_are_bounded_whatever_comes() {
    // S0-46, S2-13, S2-32: never more than it may be.
    for retries in 0..5 {
        for text in ["", "no JSON", "{", r#"{"city": 1}"#, "[[[[", r#"{"days": "x", "city": {}}"#] {
            let played = play_texts(&trip(), patient(retries), &[text]);
            let expected = usize::try_from(retries).unwrap() + 1;
            assert_eq!(played.asked.len(), expected, "{text}");
            assert!(played.asked.last().unwrap().is_last);
        }
    }
}

#[test]
fn what_is_handed_back_belongs_together() {
    let first = r#"{"city": "Oslo", "days": "a few"}"#;
    let options = AskOptions { on_exhausted: OnExhausted::HandBack, ..patient(1) };
    for second in ["I am sorry.", r#"{"city": "Oslo", "days": 3 + 4}"#] {
        let options = AskOptions { ladder: Ladder::of([Strategy::Full]), ..options.clone() };
        let played = play_texts(&trip(), options, &[first, second]);
        let done = played.done();
        assert_eq!((done.validity, done.answer.as_str()), (Validity::Invalid, first), "{second}");
        assert_eq!(json(done), r#"{"city":"Oslo","days":"a few"}"#);
        assert_eq!(done.findings[0].path.as_deref(), Some("/days"), "{second}");
    }
}

#[test]
fn a_correction_is_asked_for_with_a_temperature_of_its_own() {
    // S1-38: GoMind asks for a plan at 0.3, and for a corrected one at 0.2.
    let options = AskOptions::preset(Preset::GoMind);
    let texts = ["no JSON", r#"{"city": "Oslo"}"#, GOOD];
    let played = play_texts(&trip(), options, &texts);
    let temperatures: Vec<_> =
        played.asked.iter().map(|asking| asking.request.temperature).collect();
    assert_eq!(temperatures, [Some(0.3), Some(0.3), Some(0.2)]);
    // Where nothing is said of it, it is that of the question.
    let options = AskOptions { temperature: Some(0.7), ..AskOptions::default() };
    let played = play_texts(&trip(), options, &texts[1..]);
    assert!(played.asked.iter().all(|asking| asking.request.temperature == Some(0.7)));
}

#[test]
fn the_last_retry_can_be_another_models() {
    /// A preset, the answers, and who is asked with which strategy.
    type Row = (Preset, &'static [&'static str], &'static [(&'static str, &'static str)]);

    const INVALID: &str = r#"{"city": "Oslo, in the south of Norway", "days": "a few"}"#;
    let rows: [Row; 3] = [
        (
            Preset::Standard,
            &[INVALID, r#"{"days": "some"}"#, GOOD],
            &[("first", "-"), ("first", "fields"), ("second", "escalate")],
        ),
        // The only retry of what is not valid is the last one of its kind.
        (Preset::GoMind, &[INVALID, GOOD], &[("first", "-"), ("second", "escalate")]),
        // After the other model there is none, and it is asked itself.
        (
            Preset::GoMind,
            &[INVALID, "no", "no", GOOD],
            &[("first", "-"), ("second", "escalate"), ("second", "full"), ("second", "full")],
        ),
    ];
    for (preset, texts, expected) in rows {
        let mut options = AskOptions::preset(preset);
        options.ladder.on_last = Some(Strategy::Escalate);
        let played = play_texts(&trip(), options, texts);
        let names = played.asked.iter().map(|asking| asking.name.as_str());
        let found: Vec<_> = names.zip(played.strategies()).collect();
        assert_eq!(found, expected, "{preset}");
        assert_eq!(played.done().answer, GOOD);
    }
}

#[test]
fn what_a_tool_was_to_be_called_with_is_no_answer_before_a_text_that_is_one() {
    let called = |text: &str, name: &str| {
        let mut response = ChatResponse::of_text(text);
        let arguments = r#"{"city": "Bergen", "days": 2}"#.to_owned();
        response.tool_calls = vec![ToolCall { id: None, name: name.to_owned(), arguments }];
        Ok(response)
    };
    let played = play(&trip(), AskOptions::default(), |_| called(GOOD, "get_weather"));
    assert_eq!((played.done().answer.as_str(), played.done().findings.len()), (GOOD, 0));
    // Where there is no other answer it is taken, and said.
    for (name, told) in [("get_weather", true), ("answer", false), ("Answer_", false), ("", false)]
    {
        let played = play(&trip(), AskOptions::default(), |_| called("I call a tool.", name));
        let done = played.done();
        assert_eq!(json(done), r#"{"city":"Bergen","days":2}"#);
        let codes: Vec<_> = done.findings.iter().map(|row| row.code.as_ref()).collect();
        assert_eq!(codes, if told { vec!["ask/other-tool"] } else { vec![] }, "{name}");
    }
}

#[test]
fn places_are_those_of_the_answer_that_is_shown() {
    let first = r#"{"city": "Oslo", "days": "a few"}"#;
    let played = play_texts(&trip(), patient(1), &[first, r#"{"days": 3 * 2}"#]);
    let gave_up = played.gave_up();
    assert_eq!((gave_up.answer.as_str(), gave_up.diagnostics().len()), (first, 1));
    assert_eq!(gave_up.diagnostics()[0].code, "syntax/expression");
    assert_eq!(gave_up.diagnostics()[0].span, None, "it is in the other text");
    // The ledger has each text with its own places.
    assert!(gave_up.ledger.attempts[1].findings[0].span.is_some());
}

#[test]
fn where_one_model_is_down_the_next_one_is_asked_at_once() {
    let ladder = Ladder { on_last: Some(Strategy::Escalate), ..Ladder::default() };
    let options = || AskOptions { ladder: ladder.clone(), ..AskOptions::default() };
    let good = || Ok(ChatResponse::of_text(r#"{"city": "Oslo", "days": 3, "stops": []}"#));
    let down = |kind| Err(ChatError::new(kind, "no answer"));
    for kind in [
        ChatErrorKind::Server,
        ChatErrorKind::Connection,
        ChatErrorKind::RateLimited,
        ChatErrorKind::Quota,
    ] {
        let played = play(&trip(), options(), |asking| match asking.model {
            0 => down(kind),
            _ => good(),
        });
        let asked: Vec<_> = played.asked.iter().map(|asking| asking.model).collect();
        assert_eq!(asked, [0, 1], "{kind:?}");
        // It is asked the question itself, and no retry is used up.
        assert_eq!(played.asked[0].request.messages, played.asked[1].request.messages);
        assert_eq!(played.asked[1].number, 1);
        assert_eq!(played.done().ledger.attempts[1].model, "second");
    }
    // A refused key is no outage, and nobody is there to be asked after the last one.
    let played = play(&trip(), options(), |_| down(ChatErrorKind::Authentication));
    assert!(matches!(played.gave_up().why, GiveUpReason::Transport(_)));
    assert_eq!(played.asked.len(), 1);
    let played = play(&trip(), options(), |_| down(ChatErrorKind::Server));
    assert_eq!((played.asked.len(), played.gave_up().model.as_str()), (2, "second"));
    // What failed before is what the other model gets to see.
    let played = play(&trip(), options(), |asking| match (asking.model, asking.number) {
        (0, 1) => Ok(ChatResponse::of_text(r#"{"city": "Oslo", "days": "a few"}"#)),
        (0, _) => down(ChatErrorKind::Server),
        _ => good(),
    });
    assert!(played.prompts()[2].contains("/days"), "{}", played.prompts()[2]);
    assert_eq!(played.strategies()[2], "escalate");
    // Without such a ladder an outage ends it.
    let played = play(&trip(), AskOptions::default(), |_| down(ChatErrorKind::Server));
    assert_eq!(played.asked.len(), 1);
}

#[test]
fn instructions_of_the_caller_come_first() {
    let options = AskOptions { system: Some("Speak French.".to_owned()), ..AskOptions::default() };
    let played = play_texts(&trip(), options, &["{}", r#"{"city": "Oslo", "days": 3}"#]);
    for asking in &played.asked {
        assert_eq!(asking.request.messages[0].content, "Speak French.\n\nBe brief.");
    }
}

#[test]
fn another_model_gets_instructions_of_its_own() {
    let further = FurtherModel {
        temperature: Some(0.1),
        system: Some("Speak Dutch.".to_owned()),
        answer_tokens: Some(50),
        ..FurtherModel::default()
    };
    let options = AskOptions {
        system: Some("Speak French.".to_owned()),
        temperature: Some(0.9),
        ladder: Ladder::of([Strategy::Escalate]),
        further: Some(further),
        ..AskOptions::default()
    };
    let played = play_texts(&trip(), options, &["{}", r#"{"city": "Oslo", "days": 3}"#]);
    for (asking, system, temperature, most) in [
        (&played.asked[0], "Speak French.", 0.9, None),
        (&played.asked[1], "Speak Dutch.", 0.1, Some(50)),
    ] {
        let request = &asking.request;
        assert_eq!(request.messages[0].content, format!("{system}\n\nBe brief."));
        assert_eq!((request.temperature, request.max_output_tokens), (Some(temperature), most));
    }
}
