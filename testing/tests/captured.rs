//! Captured streams: the outcome is that of the text that they send.

#![cfg(feature = "llmend")]

use llmend_json::{Choice, Class, Options, parse_with};
use llmend_testing::stream::{Chunks, check_end};
use llmend_testing::{captured, corpus, damage, surroundings};

fn answers() -> Vec<String> {
    let known = corpus::dev().into_iter().chain(corpus::defects()).map(|case| case.input);
    let damaged = (0..400).map(|index| damage::case(771, index).input);
    let around = surroundings::cases(772, 4).into_iter().map(|case| case.input);
    // A single event may be the value itself.
    let all = known.chain(damaged).chain(around);
    all.filter(|answer| answer.chars().count() > 24).collect()
}

/// Returns what tells outcomes apart.
fn outcome(text: &str, choice: Choice) -> (Result<String, &'static str>, Option<Class>, bool) {
    match parse_with(text, &Options { choice, ..Options::default() }) {
        Ok(parsed) => {
            let report = &parsed.report;
            let output = report.output(text).into_owned();
            let value = parsed.value.to_string();
            assert_eq!(llmend_json::parse(&output).unwrap().value.to_string(), value, "{text}");
            (Ok(value), report.class, report.truncated())
        }
        Err(error) => (Err(error.code()), None, false),
    }
}

#[test]
fn a_capture_has_the_outcome_of_its_answer() {
    for (at, answer) in answers().iter().enumerate() {
        let format = at % captured::FORMATS;
        let text = captured::text(at as u64, format, answer);
        for choice in [Choice::Best, Choice::First, Choice::Last] {
            // Lines that are values of their own are joined under `best` only.
            if format + 1 == captured::FORMATS && choice != Choice::Best {
                continue;
            }
            // Under `first`, a log is searched as any text.
            if format == 4 && choice == Choice::First {
                continue;
            }
            let (value, class, cut) = outcome(answer, choice);
            let wanted = class.max(value.is_ok().then_some(Class::Completion));
            let found = outcome(&text, choice);
            assert_eq!(found, (value, wanted, cut), "{choice:?}: {answer}\n\n{text}");
        }
    }
}

#[test]
fn streams_of_captures_end_as_whole_texts() {
    for (at, answer) in answers().iter().step_by(5).enumerate() {
        let text = captured::text(at as u64, at % captured::FORMATS, answer);
        for choice in Choice::ALL {
            let options = Options { choice, ..Options::default() };
            for chunks in [Chunks::Of(1), Chunks::Of(20), Chunks::Random(at as u64)] {
                check_end(&text, &options, chunks).unwrap();
            }
        }
    }
}
