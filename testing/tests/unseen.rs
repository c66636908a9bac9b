//! What is reached on answers whose authors did not know the engine. The bars are where it stands,
//! so that no change loses what was won; they only rise.

#![cfg(feature = "llmend")]

use llmend_json::Class;
use llmend_testing::case::{Answer, Case, Outcome, judge};
use llmend_testing::corpus;
use llmend_testing::engine::answer;

/// Texts that are right, wrong, and wrong without a flag.
fn count(cases: &[Case]) -> (usize, usize, usize) {
    let (mut right, mut wrong, mut silent) = (0, 0, 0);
    for case in cases {
        let (answer, class) = match llmend_json::repair(&case.input) {
            Ok(out) => (answer(&out.text), out.report.class),
            Err(error) => (Answer::Refused(error.code().to_owned()), None),
        };
        match judge(case, &answer) {
            Outcome::Right => right += 1,
            Outcome::Refused => {}
            Outcome::Wrong => {
                wrong += 1;
                silent += usize::from(class < Some(Class::Guess));
            }
        }
    }
    (right, wrong, silent)
}

#[test]
fn unseen_answers_are_read_as_well_as_before() {
    for (name, lines, least, most, most_silent) in [
        ("c", include_str!("../fixtures/unseen/c.jsonl"), 646, 18, 0),
        ("d", include_str!("../fixtures/unseen/d.jsonl"), 722, 19, 1),
        ("e", include_str!("../fixtures/unseen/e.jsonl"), 599, 24, 4),
        ("f", include_str!("../fixtures/unseen/f.jsonl"), 553, 34, 7),
    ] {
        let cases = corpus::load(lines);
        let (right, wrong, silent) = count(&cases);
        println!("{name}: {right} right, {wrong} wrong, {silent} silent of {}", cases.len());
        assert!(
            right >= least && wrong <= most && silent <= most_silent,
            "{name}: {right} right, {wrong} wrong, {silent} silent"
        );
    }
}
