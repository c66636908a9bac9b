//! What is reached on answers whose authors did not know the engine. The bars are where it stands,
//! so that no change loses what was won; they only rise.

#![cfg(feature = "llmend")]

use llmend_testing::case::{Case, Outcome, judge};
use llmend_testing::corpus;
use llmend_testing::engine::{Engine, Llmend};

/// Texts that are right, wrong, and wrong without a flag.
fn count(cases: &[Case]) -> (usize, usize, usize) {
    let texts: Vec<&str> = cases.iter().map(|case| case.input.as_str()).collect();
    let replies = Llmend.run(&texts).expect("the engine runs");
    let (mut right, mut wrong, mut silent) = (0, 0, 0);
    for (case, reply) in cases.iter().zip(replies) {
        match judge(case, &reply.answer) {
            Outcome::Right => right += 1,
            Outcome::Refused => {}
            Outcome::Wrong => {
                wrong += 1;
                silent += usize::from(!matches!(reply.class, Some("guess" | "loss")));
            }
        }
    }
    (right, wrong, silent)
}

#[test]
fn unseen_answers_are_read_as_well_as_before() {
    for (name, lines, least, most, most_silent) in [
        ("c", include_str!("../fixtures/unseen/c.jsonl"), 651, 15, 0),
        ("d", include_str!("../fixtures/unseen/d.jsonl"), 733, 10, 1),
        ("e", include_str!("../fixtures/unseen/e.jsonl"), 606, 15, 4),
        ("f", include_str!("../fixtures/unseen/f.jsonl"), 580, 17, 1),
        ("g", include_str!("../fixtures/unseen/g.jsonl"), 614, 13, 4),
        ("h", include_str!("../fixtures/unseen/h.jsonl"), 617, 10, 2),
        ("i", include_str!("../fixtures/unseen/i.jsonl"), 583, 19, 1),
        ("ordinary", include_str!("../fixtures/unseen/ordinary.jsonl"), 319, 0, 0),
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
