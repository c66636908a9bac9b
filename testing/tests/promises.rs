//! The promises on the corpora, on generated texts and on hostile texts.

#![cfg(feature = "llmend")]

use llmend_json::Options;
use llmend_testing::case::Case;
use llmend_testing::hostile::{KINDS, hostile, mixture};
use llmend_testing::promises::{atomic, check_case, check_policies, on_a_small_stack};
use llmend_testing::random::Random;
use llmend_testing::{corpus, damage, faults, surroundings, unescaped, valid};

fn check(cases: &[Case]) {
    for case in cases {
        if let Err(broken) = check_case(case).and_then(|()| check_policies(&case.input)) {
            panic!("{broken}\nin {} ({}):\n{}", case.id, case.note, case.input);
        }
    }
}

#[test]
fn on_the_corpora() {
    check(&corpus::defects());
    check(&corpus::dev());
}

#[test]
fn on_damaged_documents() {
    check(&damage::cases(101, 3_000));
}

#[test]
fn on_records_with_one_fault() {
    check(&faults::cases(105, 40));
}

#[test]
fn on_strings_with_unescaped_quotes() {
    check(&unescaped::cases(102, 300));
}

#[test]
fn on_surroundings() {
    check(&surroundings::cases(105, 40));
}

#[test]
fn on_valid_documents() {
    check(&valid::cases(103, 1_500));
}

#[test]
fn on_clean_strings_in_damaged_documents() {
    for index in 0..1_500 {
        let case = valid::case(104, index);
        if let Err(broken) = atomic(&case.input, &mut Random::for_case(104, index)) {
            panic!("{broken}\nin {}", case.id);
        }
    }
}

#[test]
fn on_hostile_texts() {
    for (index, (kind, _)) in KINDS.iter().enumerate() {
        let (other, _) = KINDS[(index * 7 + 3) % KINDS.len()];
        for text in [hostile(kind, 1_500), mixture(kind, other, 1_500)] {
            if let Err(broken) = check_policies(&text) {
                panic!("{broken}\nin {kind} with {other}");
            }
        }
    }
}

#[test]
fn on_two_megabytes_of_stack() {
    let options = Options { max_depth: usize::MAX, ..Options::default() };
    for (kind, _) in KINDS {
        let broken = on_a_small_stack(&hostile(kind, 40_000), &options);
        assert_eq!(broken, Ok(()), "{kind}");
    }
}
