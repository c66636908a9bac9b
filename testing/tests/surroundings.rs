//! How often answers are read as meant where their surroundings decide.

#![cfg(feature = "llmend")]

use llmend_testing::case::{Answer, Outcome, judge};
use llmend_testing::engine::answer;
use llmend_testing::surroundings::{case, kinds};

/// Texts of each sort.
const CASES: usize = 250;

/// Percentage of the texts of each sort that must be right, and that may be wrong.
const BARS: (usize, usize) = (98, 1);

/// Sorts with other bars: strings that swallow structure are not a question of surroundings.
const OTHER_BARS: &[(&str, usize, usize)] = &[("unreadable-item", 76, 24)];

#[test]
fn every_sort_is_read_as_meant() {
    let mut faults = Vec::new();
    for kind in kinds() {
        let (mut right, mut wrong) = (0, 0);
        for index in 0..CASES {
            let case = case(kind, 11, index);
            let (answer, class) = match llmend_json::repair(&case.input) {
                Ok(out) => (answer(&out.text), out.report.class),
                Err(error) => (Answer::Refused(error.code().to_owned()), None),
            };
            match judge(&case, &answer) {
                Outcome::Right => right += 1,
                Outcome::Refused => {}
                Outcome::Wrong => {
                    wrong += 1;
                    if class < Some(llmend_json::Class::Guess) {
                        faults.push(format!("{}: wrong without a flag:\n{}", case.id, case.input));
                    }
                }
            }
        }
        let other = OTHER_BARS.iter().find(|(name, ..)| *name == kind.name);
        let (most, least) = other.map_or(BARS, |&(_, most, least)| (most, least));
        if right * 100 < most * CASES || wrong * 100 > least * CASES {
            faults.push(format!("{}: {right} right and {wrong} wrong of {CASES}", kind.name));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn text_that_says_nothing_is_no_reason_for_doubt() {
    for kind in kinds().into_iter().filter(|kind| kind.name.starts_with("trap-")) {
        let flagged = (0..CASES)
            .filter(|&index| {
                let text = case(kind, 12, index).input;
                llmend_json::parse(&text).is_ok_and(|parsed| parsed.report.class.is_some())
            })
            .count();
        assert!(flagged * 100 <= 2 * CASES, "{}: {flagged} of {CASES} flagged", kind.name);
    }
}
