//! Records and deep trees with damaged structural characters: what is read right, refused, and wrong.
//! The bars are where it stands, so that no change loses what was won; they only rise.

#![cfg(feature = "llmend")]

use std::fmt::Write as _;

use llmend_testing::case::{Outcome, judge};
use llmend_testing::engine::{Engine, Llmend};
use llmend_testing::structural::{Corpus, cases, kinds};

/// Texts of each kind in each corpus.
const CASES: usize = 20;

/// What a corpus reaches: how many texts are right at least, and at most wrong and wrong without a
/// flag.
struct Bar {
    right: usize,
    wrong: usize,
    unflagged: usize,
}

fn check(corpus: Corpus, bar: &Bar) {
    let cases = cases(corpus, 11, CASES);
    let texts: Vec<&str> = cases.iter().map(|case| case.input.as_str()).collect();
    let replies = Llmend.run(&texts).expect("llmend runs");
    let (mut table, mut all) = (String::new(), [0; 4]);
    for kind in kinds() {
        let mut counts = [0; 4];
        let own = cases.iter().zip(&replies).filter(|(case, _)| case.kinds[0] == kind.name);
        for (case, reply) in own {
            counts[match judge(case, &reply.answer) {
                Outcome::Right => 0,
                Outcome::Refused => 1,
                Outcome::Wrong if matches!(reply.class, Some("guess" | "loss")) => 2,
                Outcome::Wrong => 3,
            }] += 1;
        }
        all.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        let [right, refused, wrong, unflagged] = counts;
        let _ = writeln!(
            table,
            "{:26}right {right} refused {refused} wrong {wrong} unflagged {unflagged}",
            kind.name
        );
    }
    let [right, _, wrong, unflagged] = all;
    assert_eq!(all.iter().sum::<usize>(), kinds().len() * CASES);
    println!("{}: {all:?}\n{table}", corpus.name());
    let holds = right >= bar.right && wrong + unflagged <= bar.wrong && unflagged <= bar.unflagged;
    assert!(holds, "{}: {all:?}", corpus.name());
}

#[test]
fn records_are_read_as_well_as_before() {
    check(Corpus::Records, &Bar { right: 385, wrong: 39, unflagged: 5 });
}

#[test]
fn deep_trees_are_read_as_well_as_before() {
    check(Corpus::Nested, &Bar { right: 359, wrong: 70, unflagged: 1 });
}
