//! Each strategy: what it asks, and what it makes of the answer.

use llmend::asking::{AskOptions, Ladder, OnSameFindings, Retries, Strategy};
use llmend::model::{ChatResponse, Output};

use crate::{QUESTION, TRIP, cut_off, json, play, play_texts, trip};

fn on(strategy: Strategy) -> AskOptions {
    AskOptions {
        ladder: Ladder::of([strategy]),
        on_same_findings: OnSameFindings::GoOn,
        retries: Retries::of(3),
        ..AskOptions::default()
    }
}

#[test]
fn fields_are_asked_for_and_put_in_their_places() {
    let rows = [
        // One that does not fit.
        (
            r#"{"city": "Oslo", "days": "a few"}"#,
            r#"{"days": 3}"#,
            r#"{"city": "Oslo", "days": 3}"#,
        ),
        // One that is missing, in a part of the list; under its path.
        (
            r#"{"city": "Oslo", "days": 3, "stops": [{"place": "Vigeland"}, {"price": 7.50}]}"#,
            r#"{"/stops/1/place": "Fjord"}"#,
            r#"{"city": "Oslo", "days": 3, "stops": [{"place": "Vigeland"}, {"price": 7.50, "place": "Fjord"}]}"#,
        ),
        // One that may not be there.
        (
            r#"{"city": "Oslo", "days": 3, "stops": [{"place": "Vigeland", "zzzz": 1}]}"#,
            r#"{"field_1": null}"#,
            r#"{"city": "Oslo", "days": 3, "stops": [{"place": "Vigeland"}]}"#,
        ),
        // Several, and an answer that is broken itself.
        (
            r#"{"city": 7, "days": 0, "stops": [{"place": "A"}, {"place": "B"}, {"place": "C"}]}"#,
            r"Sure: {'days': '3', 'city': 'Oslo',}",
            r#"{"city": "7", "days": "3", "stops": [{"place": "A"}, {"place": "B"}, {"place": "C"}]}"#,
        ),
        // Numbers keep their text, and what is not asked for stays as it stood.
        (
            r#"{"city": "Oslo",  "days": -1, "stops": [{"place": "A", "price": 1.50}], "more": 12345678901234567890.10}"#,
            r#"{"days": 3, "city": "Bergen"}"#,
            r#"{"city": "Oslo",  "days": 3, "stops": [{"place": "A", "price": 1.50}], "more": 12345678901234567890.10}"#,
        ),
        // The whole again gives what was asked for, and nothing else of it counts.
        (
            r#"{"city": "Oslo", "days": "a few"}"#,
            r#"{"city": "Oslo, Norway", "days": 3, "stops": []}"#,
            r#"{"city": "Oslo", "days": 3}"#,
        ),
        (
            r#"{"city": "Oslo", "stops": [{"place": "A", "price": "cheap"}], "days": 3}"#,
            r#"{"city": "Bergen", "stops": [{"place": "B", "price": 2.50}], "days": 4}"#,
            r#"{"city": "Oslo", "stops": [{"place": "A", "price": 2.50}], "days": 3}"#,
        ),
        // In an object that bears the name of the one that was asked for.
        (
            r#"{"city": "Oslo", "days": "a few"}"#,
            r#"{"corrections": {"days": 3}}"#,
            r#"{"city": "Oslo", "days": 3}"#,
        ),
    ];
    for (first, second, expected) in rows {
        let played = play_texts(&trip(), on(Strategy::Fields), &[first, second]);
        assert_eq!(played.strategies(), ["-", "fields"], "{first}");
        assert_eq!(played.done().answer, expected, "{first}");
        assert!(played.done().ledger.attempts[1].failure.is_none());
    }
}

#[test]
fn fields_are_asked_for_with_their_part_of_the_schema() {
    let first =
        r#"{"city": "Oslo", "days": 3, "stops": [{"place": "A", "price": "cheap", "zzzz": 0}]}"#;
    let played = play_texts(
        &trip(),
        on(Strategy::Fields),
        &[first, r#"{"stops.0.price": 1, "field_2": null}"#],
    );
    let Output::Schema(shape) = &played.asked[1].request.output else { panic!("a schema") };
    assert_eq!(
        shape.schema,
        r#"{"type":"object","properties":{"stops.0.price":{"type":"number"},"field_2":{"type":"null"}},"required":["stops.0.price","field_2"],"additionalProperties":false}"#
    );
    let prompt = played.prompts()[1];
    assert!(prompt.starts_with(QUESTION), "the task comes first: {prompt}");
    assert!(prompt.contains("- \"stops.0.price\": the value at /stops/0/price"), "{prompt}");
    // What a model called a member is its own word, and no name of ours.
    assert!(
        prompt.contains("- \"field_2\": null, to remove the member at /stops/0/zzzz"),
        "{prompt}"
    );
    // A server that needs the schema in the prompt finds it there.
    assert!(prompt.contains(&shape.schema));
    assert_eq!(
        json(played.done()),
        r#"{"city":"Oslo","days":3,"stops":[{"place":"A","price":1}]}"#
    );
}

#[test]
fn what_goes_does_not_move_what_stays() {
    let subject = llmend::asking::SchemaSubject::of_text(
        r#"{"type": "object", "properties": {"a": {"type": "array", "prefixItems": [{"type": "integer"}], "items": false}, "b": {"type": "string", "minLength": 40}}}"#,
    )
    .unwrap();
    let long = "x".repeat(40);
    let first = format!(r#"{{"a": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], "b": "{long}"}}"#);
    let played = play(&subject, on(Strategy::Fields), |asking| {
        if asking.number == 1 {
            return Ok(ChatResponse::of_text(first.as_str()));
        }
        let gone: Vec<_> = (1..12).map(|at| format!(r#""a.{at}": null"#)).collect();
        Ok(ChatResponse::of_text(format!("{{{}}}", gone.join(", "))))
    });
    assert_eq!(played.done().answer, format!(r#"{{"a": [1], "b": "{long}"}}"#));
}

#[test]
fn fields_are_not_asked_for_where_the_whole_is_wrong() {
    for first in [
        "no JSON at all",
        "[1, 2, 3]",
        r#"{"city": "Oslo", "days": 100 * price}"#,
        // Most of it.
        r#"{"city": "Oslo", "days": 3, "stops": "a very long text that is no list at all, and most of the answer"}"#,
    ] {
        let played =
            play_texts(&trip(), on(Strategy::Fields), &[first, r#"{"city": "Oslo", "days": 3}"#]);
        assert_eq!(played.strategies(), ["-", "full"], "{first}");
        assert_eq!(json(played.done()), r#"{"city":"Oslo","days":3}"#, "{first}");
    }
}

#[test]
fn an_answer_that_cannot_be_put_in_place_changes_nothing() {
    let first = r#"{"city": "Oslo", "days": "a few"}"#;
    for second in ["no JSON", "{\"days\": 3 * 2}", "{\"days\": 3, \"city"] {
        let played = play_texts(&trip(), on(Strategy::Fields), &[first, second, r#"{"days": 4}"#]);
        assert_eq!(played.done().answer, r#"{"city": "Oslo", "days": 4}"#, "{second}");
        let prompt = played.prompts()[2];
        // What it is about is the first answer, and what came after it is told.
        assert!(prompt.contains(first) && prompt.contains("What came after it"), "{prompt}");
    }
}

#[test]
fn an_answer_without_the_parts_does_not_take_the_place_of_the_whole() {
    // Nothing of it is required, so that each of these would be a whole that fits.
    let subject = llmend::asking::SchemaSubject::of_text(
        r#"{"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "stops": {"type": "array", "items": {"type": "object", "properties": {"nights": {"type": "integer"}}}}}}"#,
    )
    .unwrap();
    let days = r#"{"city": "Oslo", "days": "a few"}"#;
    let nights = r#"{"city": "Oslo", "stops": [{"nights": 1}, {"nights": "two"}]}"#;
    let rows = [
        (days, "{}", r#"{"days": 3}"#, r#"{"city": "Oslo", "days": 3}"#),
        (
            days,
            r#"{"comment": "I cannot know"}"#,
            r#"{"days": 3}"#,
            r#"{"city": "Oslo", "days": 3}"#,
        ),
        (days, r#"[{"days": 3}]"#, r#"{"days": 4}"#, r#"{"city": "Oslo", "days": 4}"#),
        (
            days,
            r#"{"days": "a few"}
{"days": 3}"#,
            r#"{"days": 4}"#,
            r#"{"city": "Oslo", "days": 4}"#,
        ),
        // In a list of another length nobody knows which item is meant.
        (
            nights,
            r#"{"city": "Oslo", "stops": [{"nights": 2}, {"nights": 7}, {"nights": 2}]}"#,
            r#"{"stops.1.nights": 2}"#,
            r#"{"city": "Oslo", "stops": [{"nights": 1}, {"nights": 2}]}"#,
        ),
    ];
    for (first, second, third, expected) in rows {
        let played = play_texts(&subject, on(Strategy::Fields), &[first, second, third]);
        let done = played.done();
        let attempt = &done.ledger.attempts[1];
        assert_eq!(attempt.findings[0].code, "ask/not-given", "{second}");
        assert_eq!(done.answer, expected, "{second}");
        // What was right is still what the model is shown.
        assert!(played.prompts()[2].contains(first), "{second}");
        let played = play_texts(&subject, on(Strategy::Patch), &[first, second]);
        assert_eq!(played.gave_up().answer, first, "{second}");
    }
}

#[test]
fn what_was_done_to_a_part_counts_as_if_it_had_been_done_to_the_whole() {
    let list = r#"{"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "array", "items": {"type": "integer"}}}, "required": ["city", "days"]}"#;
    let subject = llmend::asking::SchemaSubject::of_text(list).unwrap();
    let first = r#"{"city": "a rather long name of it", "days": "a few"}"#;
    let parts = [
        (Strategy::Fields, ""),
        (Strategy::Patch, r#"{"patch": [{"op": "replace", "path": "/days", "value": "#),
    ];
    for (strategy, before) in parts {
        let written = |value: &str| match strategy {
            Strategy::Fields => format!(r#"{{"days": {value}}}"#),
            _ => format!("{before}{value}}}]}}"),
        };
        // What may lack something is none, as in a whole answer.
        let texts = [first.to_owned(), written("[1, 2, ...]"), written("[1, 2, 3]")];
        let texts = texts.each_ref().map(String::as_str);
        let played = play_texts(&subject, on(strategy), &texts);
        let attempts = &played.done().ledger.attempts;
        assert_eq!(attempts[1].failure, Some(llmend::asking::FailureKind::Loss), "{strategy}");
        assert_eq!(json(played.done()), r#"{"city":"a rather long name of it","days":[1,2,3]}"#);
        // What is warned of in it is told.
        let texts = [first.to_owned(), written(r#"[1], "more": 0, "more": 1"#)];
        let texts = texts.each_ref().map(String::as_str);
        let played = play_texts(&subject, on(strategy), &texts);
        let findings = &played.done().findings;
        assert!(
            findings.iter().any(|row| row.code == "value/duplicate-key"),
            "{strategy}: {findings:?}"
        );
        // What was mended in it is counted.
        let texts = [first.to_owned(), written("[1, 2, 3,]")];
        let texts = texts.each_ref().map(String::as_str);
        let attempt = &play_texts(&subject, on(strategy), &texts).end.unwrap().ledger.attempts[1];
        assert_eq!(
            (attempt.repairs, attempt.class),
            (1, Some(llmend::Class::Notation)),
            "{strategy}"
        );
    }
}

#[test]
fn a_patch_is_applied_in_its_order() {
    let first = r#"{"city": "Oslo", "days": "a few", "stops": [{"place": "A"}, {"price": 2}]}"#;
    let rows = [
        (
            r#"{"plan": ["a number", "a place"], "patch": [{"op": "replace", "path": "/days", "value": 3}, {"op": "add", "path": "/stops/1/place", "value": "B"}]}"#,
            r#"{"city": "Oslo", "days": 3, "stops": [{"place": "A"}, {"price": 2, "place": "B"}]}"#,
        ),
        (
            // Each operation sees what the ones before it made. The list alone will do.
            r#"[{"op": "remove", "path": "/stops/0"}, {"op": "remove", "path": "/stops/0"}, {"op": "add", "path": "/days", "value": 3}]"#,
            r#"{"city": "Oslo", "days": 3, "stops": []}"#,
        ),
        (
            "Here: {patch: [{op: 'replace', path: '/days', value: 3}, {op: 'add', path: '/stops/-', value: {place: 'C'}}, {op: 'remove', path: '/stops/1'}]}",
            r#"{"city": "Oslo", "days": 3, "stops": [{"place": "A"}, {"place":"C"}]}"#,
        ),
    ];
    for (patch, expected) in rows {
        let played = play_texts(&trip(), on(Strategy::Patch), &[first, patch]);
        assert_eq!(played.strategies(), ["-", "patch"]);
        assert_eq!(played.done().answer, expected, "{patch}");
    }
}

#[test]
fn a_patch_is_applied_whole_or_not_at_all() {
    let first = r#"{"city": "Oslo", "days": "a few"}"#;
    let rows = [
        (
            r#"{"patch": [{"op": "replace", "path": "/days", "value": 3}, {"op": "remove", "path": "/dayz"}]}"#,
            "operation 1 of the patch: nothing at `/dayz`",
        ),
        (
            r#"{"patch": [{"op": "move", "from": "/a", "path": "/days"}]}"#,
            "expected `op` add, remove or replace",
        ),
        (r#"{"patch": [{"op": "add", "path": "/days"}]}"#, "missing `value`"),
        (r#"{"patch": [{"op": "add", "path": 7, "value": 3}]}"#, "expected a string as `path`"),
        (r#"{"city": "Oslo", "days": 3}"#, "the answer is not a patch"),
    ];
    for (patch, expected) in rows {
        let good = r#"{"patch": [{"op": "replace", "path": "/days", "value": 4}]}"#;
        let played = play_texts(&trip(), on(Strategy::Patch), &[first, patch, good]);
        let attempt = &played.done().ledger.attempts[1];
        assert_eq!(attempt.findings[0].code, "ask/patch");
        assert!(attempt.findings[0].message.contains(expected), "{:?}", attempt.findings);
        assert_eq!(played.done().answer, r#"{"city": "Oslo", "days": 4}"#, "{patch}");
    }
}

#[test]
fn a_patch_that_changes_something_else_is_reported() {
    let first = r#"{"city": "Oslo", "days": "a few"}"#;
    let days = r#"{"op": "replace", "path": "/days", "value": 3}"#;
    let rows = [
        (format!("[{days}]"), 0),
        (format!(r#"[{days}, {{"op": "replace", "path": "/city", "value": "Bergen"}}]"#), 1),
        (
            r#"[{"op": "replace", "path": "", "value": {"city": "x"}}, {"op": "add", "path": "/days", "value": 1}]"#.to_owned(),
            1,
        ),
    ];
    for (patch, count) in rows {
        let played = play_texts(&trip(), on(Strategy::Patch), &[first, patch.as_str()]);
        let rows = &played.done().findings;
        let told = rows.iter().filter(|row| row.code == "ask/patch-elsewhere").count();
        assert_eq!(told, count, "{patch}: {rows:?}");
    }
    let misspelled = format!(r#"{{"plan": ["x"], "operations": [{days}]}}"#);
    let played = play_texts(&trip(), on(Strategy::Patch), &[first, misspelled.as_str(), days]);
    let message = &played.done().ledger.attempts[1].findings[0].message;
    assert_eq!(message, "the operations are under a name other than `patch`");
}

#[test]
fn a_patch_of_too_many_operations_is_refused() {
    let one = r#"{"op": "replace", "path": "/days", "value": 3}"#;
    let many = format!("[{}]", vec![one; 201].join(", "));
    let texts = [r#"{"city": "Oslo", "days": "a few"}"#, many.as_str(), one];
    let played = play_texts(&trip(), on(Strategy::Patch), &texts);
    assert_eq!(played.done().answer, r#"{"city": "Oslo", "days": 3}"#);
    let message = &played.done().ledger.attempts[1].findings[0].message;
    assert_eq!(message, "the patch has 201 operations (limit 200)");
}

#[test]
fn the_plan_of_a_patch_stands_before_it() {
    let played = play_texts(
        &trip(),
        on(Strategy::Patch),
        &[r#"{"city": "Oslo"}"#, r#"{"patch": [{"op": "add", "path": "/days", "value": 3}]}"#],
    );
    let Output::Schema(shape) = &played.asked[1].request.output else { panic!("a schema") };
    assert!(shape.schema.find("\"plan\"") < shape.schema.find("\"patch\""));
    assert!(shape.schema.contains(r#"{"enum":["add","remove","replace"]}"#));
    assert_eq!(json(played.done()), r#"{"city":"Oslo","days":3}"#);
}

#[test]
fn the_whole_is_asked_for_with_everything_that_was_found() {
    // S1-35…S1-37: it says that the answer could not be parsed, quotes the error, and lists the common
    // mistakes. S3-05, S3-62: only the JSON is wanted.
    let played = play_texts(
        &trip(),
        on(Strategy::Full),
        &[r#"{"city": "Oslo", "days": 3 * 2}"#, r#"{"city": "Oslo", "days": 6}"#],
    );
    let prompt = played.prompts()[1];
    for part in [
        QUESTION,
        "its JSON cannot be read",
        "[syntax/expression] (line 1, column 26): expected a literal, found an expression",
        "trailing commas",
        "arithmetic",
        "ONLY the corrected JSON",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    let Output::Schema(shape) = &played.asked[1].request.output else { panic!("a schema") };
    assert_eq!(shape.schema, TRIP, "a schema is shown as it was written");
    // Of a value that could be read, the mistakes of writing JSON are none of its business.
    let played = play_texts(
        &trip(),
        on(Strategy::Full),
        &[r#"{"city": "Oslo"}"#, r#"{"city": "Oslo", "days": 6}"#],
    );
    assert!(!played.prompts()[1].contains("Common mistakes"));
}

#[test]
fn a_notice_stands_in_front_of_everything() {
    // S2-14…S2-21, S2-25: emphatic, first, with the number of the retry, examples of what is right and
    // wrong, five requirements, a warning before the last one; and the task is still there.
    let played = play_texts(
        &trip(),
        AskOptions { retries: Retries::of(2), ..on(Strategy::Emphatic) },
        &["{", "{", "{"],
    );
    let prompts = played.prompts();
    assert_eq!(played.strategies(), ["-", "emphatic", "emphatic"]);
    assert!(prompts[1].starts_with("*** RETRY 1 OF 2: "), "{}", prompts[1]);
    assert!(prompts[2].starts_with("*** RETRY 2 OF 2: "), "{}", prompts[2]);
    for part in [
        "PREVIOUS RESPONSE HAD INVALID JSON",
        "Right: {\"status\": \"completed\"}",
        "Wrong: {'status': 'completed'}",
        "Wrong: {status: \"completed\"}",
        "A comma stands between members",
        "No comma stands before a closing bracket",
        "5. Read through once more",
        QUESTION,
    ] {
        assert!(prompts[1].contains(part) && prompts[2].contains(part), "{part}");
    }
    assert!(
        !prompts[1].contains("last attempt") && prompts[2].contains("This is the last attempt")
    );
    assert_eq!(
        played.asked.iter().map(|asking| asking.is_last).collect::<Vec<_>>(),
        [false, false, true]
    );
}

#[test]
fn an_answer_that_was_cut_off_goes_on() {
    let parts = [
        r#"{"city": "Oslo", "days": 3, "stops": [{"place": "Vigeland pa"#,
        r#"rk", "price": 0}, {"place": "Fj"#,
        r#"ord", "price": 12.50}]}"#,
    ];
    let mut turn = 0;
    let played = play(&trip(), AskOptions::default(), |_| {
        turn += 1;
        if turn < 3 { Ok(cut_off(parts[turn - 1])) } else { Ok(ChatResponse::of_text(parts[2])) }
    });
    assert_eq!(played.strategies(), ["-", "continue", "continue"]);
    assert_eq!(played.done().answer, parts.concat());
    // The rest of a value is no value: no form is asked for.
    assert_eq!(played.asked[1].request.output, Output::Text);
    let prompt = played.prompts()[1];
    assert!(
        prompt.contains("Go on exactly where it stops") && prompt.contains("Vigeland pa\n</"),
        "{prompt}"
    );
    assert!(prompt.starts_with(QUESTION));
    // On a ladder without it, the whole is asked for again.
    let mut turn = 0;
    let played = play(&trip(), on(Strategy::Full), |_| {
        turn += 1;
        if turn < 2 {
            Ok(cut_off(parts[0]))
        } else {
            Ok(ChatResponse::of_text(r#"{"city": "Oslo", "days": 3}"#))
        }
    });
    assert_eq!(played.strategies(), ["-", "full"]);
    assert!(played.prompts()[1].contains("it was cut off"), "{}", played.prompts()[1]);
}

#[test]
fn a_continuation_that_may_be_a_repetition_is_not_put_behind() {
    let first = r#"{"city": "Oslo", "days": 3, "stops": [{"place": "Vigeland park"}, "#;
    // Twice the same place, or a part of the answer once more?
    let second = r#"{"place": "Vigeland park"}, {"place": "Fjord"}]}"#;
    let whole =
        r#"{"city": "Oslo", "days": 3, "stops": [{"place": "Vigeland park"}, {"place": "Fjord"}]}"#;
    let mut texts = [second, whole].into_iter();
    let played = play(&trip(), AskOptions::default(), |asking| match asking.number {
        1 => Ok(cut_off(first)),
        _ => Ok(ChatResponse::of_text(texts.next().expect("one more answer"))),
    });
    assert_eq!(played.strategies(), ["-", "continue", "full"]);
    assert_eq!(played.done().answer, whole);
    assert_eq!(played.done().ledger.attempts[1].findings[0].code, "ask/continuation");
}

#[test]
fn another_model_is_asked() {
    let options = AskOptions {
        ladder: Ladder::of([Strategy::Full, Strategy::Escalate]),
        retries: Retries::of(3),
        ..AskOptions::default()
    };
    let texts = [
        "{\"city\": \"A\"}",
        "{\"days\": 1}",
        "{\"city\": \"B\"}",
        r#"{"city": "Oslo", "days": 3}"#,
    ];
    let played = play_texts(&trip(), options, &texts);
    let asked: Vec<_> =
        played.asked.iter().map(|asking| (asking.model, asking.name.as_str())).collect();
    // There is no third one, so that the second is asked again.
    assert_eq!(asked, [(0, "first"), (0, "first"), (1, "second"), (1, "second")]);
    let models: Vec<_> =
        played.done().ledger.attempts.iter().map(|row| row.model.as_str()).collect();
    assert_eq!(models, ["first", "first", "second", "second"]);
    assert!(played.prompts()[2].starts_with(QUESTION));
}

#[test]
fn strategies_are_read_by_their_names_and_say_what_they_do() {
    for strategy in Strategy::ALL {
        assert_eq!(strategy.as_str().parse(), Ok(*strategy));
        assert!(
            strategy.doc().ends_with('.') && !strategy.doc().starts_with(' '),
            "{}",
            strategy.doc()
        );
    }
    assert!("none".parse::<Strategy>().is_err());
}
