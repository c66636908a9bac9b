//! Does each promise hold on ten thousand texts that nobody has seen?
//!
//! One test a promise. `promises.rs` holds them all to the corpora and to hostile texts; this file is
//! for the number. The oracle is `serde_json`'s, and shares nothing with the engine.

#![cfg(feature = "llmend")]

use std::borrow::Cow;

use llmend_json::{
    Error, Node, Options, Parsed, Policy, RuleSet, Search, Status, apply, parse, parse_with,
    repair, repair_with,
};
use llmend_testing::data::Data;
use llmend_testing::promises::{is_valid_json, on_a_small_stack};
use llmend_testing::random::Random;
use llmend_testing::{damage, unescaped, valid};

/// Texts of each test.
const CASES: usize = 10_000;

/// Damaged documents, and every tenth a string with unescaped quotes.
fn broken(seed: u64) -> impl Iterator<Item = String> {
    (0..CASES).map(move |index| {
        if index % 10 == 9 {
            unescaped::case(seed, index).input
        } else {
            damage::case(seed, index).input
        }
    })
}

/// A valid document with a few bytes taken out, put in or swapped.
fn mutated(seed: u64, index: usize) -> String {
    let mut random = Random::for_case(seed, index);
    let mut text: Vec<char> = valid::case(seed, index).input.chars().take(600).collect();
    for _ in 0..random.below(4) {
        let at = random.below(text.len().max(1));
        let new = *random
            .one(&['"', '\\', '{', '}', '[', ']', ',', ':', '\n', 'e', '0', '\u{1}', 'u', ' ']);
        match random.below(3) {
            0 if at < text.len() => drop(text.remove(at)),
            1 if at < text.len() => text[at] = new,
            _ => text.insert(at.min(text.len()), new),
        }
    }
    text.into_iter().collect()
}

#[test]
fn g1_valid_text_is_borrowed_and_unchanged() {
    for index in 0..CASES {
        let text = valid::case(201, index).input;
        let out = repair(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(matches!(out.text, Cow::Borrowed(same) if same == text), "{text}");
        assert!(out.report.repairs.is_empty() && out.report.status == Status::Unchanged, "{text}");
        assert_eq!(out.report.class, None, "{text}");
    }
}

#[test]
fn g2_what_comes_out_is_json() {
    for text in broken(202) {
        for policy in Policy::ALL {
            if let Ok(out) = repair_with(&text, &Options::policy(policy)) {
                assert!(is_valid_json(&out.text), "{policy}: {}\n{text}", out.text);
            }
        }
    }
}

#[test]
fn g3_a_second_repair_changes_nothing() {
    for text in broken(203) {
        if let Ok(first) = repair(&text) {
            let second = repair(&first.text).expect("what was repaired is JSON");
            assert_eq!(second.text, first.text);
            assert!(second.report.repairs.is_empty(), "{}", first.text);
        }
    }
}

#[test]
fn g4_the_repairs_are_the_difference() {
    for text in broken(204) {
        let Ok(out) = repair(&text) else { continue };
        let report = &out.report;
        assert_eq!(apply(&text, report.candidate.span, &report.repairs), out.text, "{text}");
        let mut end = report.candidate.span.start;
        for one in &report.repairs {
            assert!(one.span.start >= end && one.span.end >= one.span.start, "{text}");
            assert!(one.span.end <= report.candidate.span.end, "{text}");
            assert!(
                text.is_char_boundary(one.span.start) && text.is_char_boundary(one.span.end),
                "{text}"
            );
            end = one.span.end;
        }
    }
}

#[test]
fn g5_a_clean_string_is_atomic() {
    for index in 0..CASES {
        let case = valid::case(205, index);
        let broken =
            llmend_testing::promises::atomic(&case.input, &mut Random::for_case(205, index));
        assert_eq!(broken, Ok(()), "{}", case.id);
    }
}

#[test]
fn g6_numbers_keys_and_duplicates_stay() {
    for index in 0..CASES {
        let text = valid::case(206, index).input;
        let Parsed { value, .. } = parse(&text).expect("valid text is read");
        let written = value.to_string();
        let again = parse(&written).expect("what is written is read");
        assert!(again.value == value, "{text}");
        // The oracle reads the same, and has the order and the duplicates by itself.
        assert_eq!(Data::read(&written), Data::read(&text), "{text}");
        for number in numbers(value.root()) {
            assert!(text.contains(number), "{number} in {text}");
        }
    }
}

/// The numbers of a value, as they are written.
fn numbers(root: Node<'_>) -> Vec<&str> {
    let (mut found, mut open) = (Vec::new(), vec![root]);
    while let Some(node) = open.pop() {
        found.extend(node.number());
        open.extend(node.items());
        open.extend(node.members().map(|(_, value)| value));
    }
    found
}

#[test]
fn g7_any_depth_on_two_megabytes() {
    let options = Options { max_depth: usize::MAX, ..Options::policy(Policy::Lenient) };
    for index in 0..CASES {
        let mut random = Random::for_case(207, index);
        let unit =
            *random.one(&["[", "{\"a\":", "[[1],", "{\"a\": [", "[(", "[{\"b\": 1, \"c\": "]);
        let depth = 1 + random.below(400);
        let text = unit.repeat(depth);
        // The deep ones take a thread of their own; most are read here.
        if index % 500 == 0 {
            assert_eq!(on_a_small_stack(&unit.repeat(20_000), &options), Ok(()), "{unit}");
        }
        let parsed = parse_with(&text, &options).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let copy = parsed.value.clone();
        assert!(copy == parsed.value && is_valid_json(&copy.to_string()), "{unit} {depth}");
    }
}

#[test]
fn g8_a_changed_value_has_a_repair() {
    for text in broken(208) {
        let Ok(parsed) = parse(&text) else { continue };
        if parsed.report.repairs.is_empty() {
            let inside = parsed.report.candidate.span.of(&text);
            assert!(is_valid_json(inside), "{text}");
            let alone = parse(inside).expect("the candidate alone is read");
            assert_eq!(alone.value.to_string(), parsed.value.to_string(), "{text}");
        } else {
            assert!(parsed.report.class.is_some(), "{text}");
        }
    }
}

#[test]
fn g9_a_cut_text_is_flagged() {
    for index in 0..CASES {
        let whole = valid::case(209, index).input;
        let mut random = Random::for_case(209, index);
        let body = whole.trim_end();
        if !body.starts_with(['{', '[']) || body.len() < 3 {
            continue;
        }
        let mut at = 1 + random.below(body.len() - 2);
        while !body.is_char_boundary(at) {
            at -= 1;
        }
        let text = body[..at].trim_end();
        match parse(text) {
            Ok(parsed) => assert!(parsed.report.truncated(), "{text}"),
            // Nothing but brackets, or too much in doubt: said, not hidden.
            Err(error) => assert_ne!(error.message(), "", "{text}"),
        }
    }
}

#[test]
fn g10_no_rule_is_strict_json() {
    let options = Options {
        rules: RuleSet::NONE,
        search: Search::Off,
        max_depth: usize::MAX,
        ..Options::policy(Policy::Strict)
    };
    for index in 0..CASES {
        let text = mutated(210, index);
        let ours = repair_with(&text, &options);
        assert_eq!(
            ours.is_ok(),
            is_valid_json(&text),
            "{:?}\n{text}",
            ours.map_err(|error: Error| error.to_string())
        );
    }
}
