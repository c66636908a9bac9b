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
    let mut below = Vec::new();
    for (name, lines, least, most, most_silent) in [
        ("c", include_str!("../fixtures/unseen/c.jsonl"), 662, 10, 0),
        ("d", include_str!("../fixtures/unseen/d.jsonl"), 746, 7, 0),
        ("e", include_str!("../fixtures/unseen/e.jsonl"), 622, 10, 0),
        ("f", include_str!("../fixtures/unseen/f.jsonl"), 589, 17, 1),
        ("g", include_str!("../fixtures/unseen/g.jsonl"), 621, 7, 2),
        ("h", include_str!("../fixtures/unseen/h.jsonl"), 622, 8, 1),
        ("i", include_str!("../fixtures/unseen/i.jsonl"), 621, 8, 1),
        ("j", include_str!("../fixtures/unseen/j.jsonl"), 333, 1, 0),
        ("k", include_str!("../fixtures/unseen/k.jsonl"), 317, 2, 0),
        ("l", include_str!("../fixtures/unseen/l.jsonl"), 405, 3, 0),
        ("n", include_str!("../fixtures/unseen/n.jsonl"), 313, 5, 0),
        ("o", include_str!("../fixtures/unseen/o.jsonl"), 391, 7, 0),
        ("r", include_str!("../fixtures/unseen/r.jsonl"), 371, 9, 0),
        ("s", include_str!("../fixtures/unseen/s.jsonl"), 617, 14, 2),
        // Keys that stand twice. In a text that was repaired, that is a guess.
        ("q", include_str!("../fixtures/unseen/q.jsonl"), 160, 11, 0),
        ("t", include_str!("../fixtures/unseen/t.jsonl"), 578, 41, 0),
        // Four texts are strings of JSON as a whole, and stay so.
        ("u", include_str!("../fixtures/unseen/u.jsonl"), 295, 15, 4),
        ("v", include_str!("../fixtures/unseen/v.jsonl"), 271, 14, 0),
        ("w", include_str!("../fixtures/unseen/w.jsonl"), 304, 4, 0),
        ("x", include_str!("../fixtures/unseen/x.jsonl"), 312, 4, 0),
        ("y", include_str!("../fixtures/unseen/y.jsonl"), 584, 8, 0),
        ("z", include_str!("../fixtures/unseen/z.jsonl"), 630, 2, 0),
        ("aa", include_str!("../fixtures/unseen/aa.jsonl"), 630, 3, 0),
        ("ordinary", include_str!("../fixtures/unseen/ordinary.jsonl"), 635, 0, 0),
    ] {
        let cases = corpus::load(lines);
        let (right, wrong, silent) = count(&cases);
        let found = format!("{name}: {right} right, {wrong} wrong, {silent} silent");
        println!("{found} of {}", cases.len());
        if right < least || wrong > most || silent > most_silent {
            below.push(found);
        }
    }
    assert!(below.is_empty(), "{below:#?}");
}
