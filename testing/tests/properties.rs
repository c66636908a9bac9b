//! Each promise on ten thousand generated texts.
//!
//! One test per promise. `promises.rs` checks all promises on the corpora and on hostile texts. The
//! oracle is `serde_json`, which shares no code with the engine.

#![cfg(feature = "llmend")]

use std::borrow::Cow;

use llmend_json::{
    Error, Node, Options, Origin, Parsed, Policy, RuleSet, Search, Status, apply, parse,
    parse_with, repair, repair_with,
};
use llmend_testing::case::{Case, Outcome, judge};
use llmend_testing::data::Data;
use llmend_testing::engine;
use llmend_testing::hostile::{KINDS, Parts, hostile, mixture};
use llmend_testing::promises::{
    check_all, growth, is_valid_json, on_a_small_stack, open_places, told, whole_or_told, work,
};
use llmend_testing::random::Random;
use llmend_testing::{damage, unescaped, valid};

/// Texts of each test.
const CASES: usize = 10_000;

/// Fails with the shortest of the failures.
#[track_caller]
fn none(mut failures: Vec<String>) {
    failures.sort_by_key(String::len);
    let count = failures.len();
    failures.truncate(12);
    assert!(count == 0, "{count} failures, the shortest:\n\n{}", failures.join("\n\n"));
}

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

/// Valid texts: to leave them alone is the first promise.
const VALID: usize = 50_000;

#[test]
fn g1_valid_text_is_borrowed_and_unchanged() {
    for index in 0..VALID {
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
        // Opening brackets alone are no value.
        let nested = |depth: usize| unit.repeat(depth) + "1";
        let text = nested(depth);
        // The deep ones take a thread of their own; most are read here.
        if index % 500 == 0 {
            assert_eq!(on_a_small_stack(&nested(20_000), &options), Ok(()), "{unit}");
        }
        let parsed = parse_with(&text, &options).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let copy = parsed.value.clone();
        assert!(copy == parsed.value && is_valid_json(&copy.to_string()), "{unit} {depth}");
    }
}

/// Bytes of a hostile text; it is compared with one of four times as many.
const HOSTILE_BYTES: usize = 40_000;

#[test]
fn g7_hostile_texts_take_work_by_their_length() {
    let mut failures = Vec::new();
    for policy in [Policy::Standard, Policy::Lenient, Policy::Conservative] {
        let options = Options::policy(policy);
        for (index, (kind, _)) in KINDS.iter().enumerate() {
            let (other, _) = KINDS[(index * 11 + 5) % KINDS.len()];
            let pure = growth(|size| hostile(kind, size), HOSTILE_BYTES, &options);
            failures.extend(pure.err().map(|broken| format!("{kind}, {policy}: {broken}")));
            let mixed = growth(|size| mixture(kind, other, size), HOSTILE_BYTES, &options);
            failures
                .extend(mixed.err().map(|broken| format!("{kind}, {other}, {policy}: {broken}")));
            let in_string = growth(|size| mixture("items", kind, size), HOSTILE_BYTES, &options);
            failures
                .extend(in_string.err().map(|broken| format!("items, {kind}, {policy}: {broken}")));
        }
    }
    none(failures);
}

#[test]
fn g7_no_mixture_of_pieces_takes_more() {
    let options = Options::default();
    let mut slow: Vec<_> = (0..CASES)
        .map(|index| {
            let parts = Parts::any(&mut Random::for_case(217, index));
            let text = parts.text(4_000);
            (
                work(&text, &options).checked_div(u32::try_from(text.len().max(1)).expect("short")),
                parts,
            )
        })
        .collect();
    // Work that grows too fast is great on a short text already: the greatest are looked at closely.
    slow.sort_by_key(|(work, _)| std::cmp::Reverse(*work));
    let failures = slow[..100].iter().filter_map(|(_, parts)| {
        let outcome = growth(|size| parts.text(size), HOSTILE_BYTES, &options);
        outcome.err().map(|broken| format!("{parts:?}: {broken}"))
    });
    none(failures.collect());
}

#[test]
fn g8_every_edit_does_what_its_rule_is_for() {
    let mut failures = Vec::new();
    for text in broken(208) {
        let outcome = check_all(&text, &Options::default());
        failures.extend(outcome.err().map(|broken| format!("{broken}\n{text}")));
        let Ok(parsed) = parse(&text) else { continue };
        if parsed.report.repairs.is_empty() {
            let inside = parsed.report.candidate.span.of(&text);
            assert!(is_valid_json(inside), "{text}");
            let alone = parse(inside).expect("the candidate alone is read");
            assert_eq!(alone.value.to_string(), parsed.value.to_string(), "{text}");
        }
    }
    none(failures);
}

/// Texts up to this size are cut off everywhere, longer ones at one place.
const CUT_EVERYWHERE: usize = 160;

/// Cuts `text` off where it is open: everywhere, or at one place by chance.
fn cut_off(text: &str, random: &mut Random, failures: &mut Vec<String>) -> usize {
    let places = open_places(text);
    if places.is_empty() {
        return 0;
    }
    let some = [places[random.below(places.len())]];
    let chosen = if text.len() <= CUT_EVERYWHERE { &places[..] } else { &some };
    let told = chosen.iter().filter_map(|&at| told(text, at, &Options::default()).err());
    failures.extend(told.map(|broken| format!("{broken}\nof {text}")));
    let whole = chosen.iter().filter_map(|&at| whole_or_told(text, at, &Options::default()).err());
    failures.extend(whole.map(|broken| format!("{broken}\nof {text}")));
    chosen.len()
}

#[test]
fn g9_a_valid_text_that_is_cut_off_is_flagged() {
    let (mut cuts, mut failures) = (0, Vec::new());
    for index in 0..CASES {
        let text = valid::case(209, index).input;
        cuts += cut_off(&text, &mut Random::for_case(209, index), &mut failures);
    }
    none(failures);
    assert!(cuts > CASES, "{cuts}");
}

#[test]
fn g9_a_broken_text_that_is_cut_off_is_flagged() {
    let (mut cuts, mut texts, mut failures) = (0, 0, Vec::new());
    for index in 0..CASES {
        let case = damage::case(219, index);
        let right = case.cut == Some(false) && outcome(&case) == Outcome::Right;
        if right {
            let made = cut_off(&case.input, &mut Random::for_case(219, index), &mut failures);
            cuts += made;
            texts += usize::from(made > 0);
        }
    }
    none(failures);
    assert!(texts > CASES / 2 && cuts > CASES, "{cuts} cuts of {texts} texts");
}

/// What models write around a value.
const AROUND: &[(&str, &str)] = &[
    ("```json\n", "\n```"),
    ("Sure! Here it is:\n\n```\n", "\n```\n\nAnything else?"),
    ("~~~json\n", "\n~~~\n"),
    ("<tool_call>\n", "\n</tool_call>"),
    ("<tool_call>{\"name\": \"f\", \"arguments\": ", "}</tool_call>"),
    ("<answer>", "</answer>"),
    ("Here is the result:\n\n", "\n\nI hope that this helps."),
    ("<think>\nShould I write {\"a\": 1}? Yes.\n</think>\n", ""),
    ("const answer = ", ";\n"),
    ("{\"answer\": ", ", \"sure\": true}"),
    ("[[1, 2], ", "]"),
];

#[test]
fn g9_whatever_stands_around_a_value_a_cut_in_it_is_flagged() {
    let (mut cuts, mut failures) = (0, Vec::new());
    for index in 0..CASES {
        let mut random = Random::for_case(229, index);
        let case = if index % 2 == 0 { valid::case(229, index) } else { damage::case(229, index) };
        let alone =
            parse(&case.input).is_ok_and(|parsed| parsed.report.candidate.origin == Origin::Whole);
        if !alone || open_places(&case.input).is_empty() {
            continue;
        }
        let (before, behind) = *random.one(AROUND);
        let text = format!("{before}{}{behind}", case.input.trim());
        cuts += cut_off(&text, &mut random, &mut failures);
    }
    none(failures);
    assert!(cuts > CASES / 2, "{cuts}");
}

#[test]
fn g9_a_second_value_that_is_cut_off_is_flagged() {
    let mut failures = Vec::new();
    for (before, between) in [
        ("", "\n"),
        ("```json\n", "\n```\n\n```json\n"),
        ("<tool_call>\n", "\n</tool_call>\n<tool_call>\n"),
    ] {
        for second in ["{\"b\": [2, 3], \"c\": \"d\"}", "[{\"b\": 2}, {\"c\": 3}]"] {
            let text = format!("{before}{{\"a\": 1}}{between}{second}");
            let start = text.len() - second.len() + 1;
            let told =
                (start..text.len()).filter_map(|at| told(&text, at, &Options::default()).err());
            failures.extend(told.map(|broken| broken.to_string()));
        }
    }
    none(failures);
}

fn outcome(case: &Case) -> Outcome {
    let answer = match repair(&case.input) {
        Ok(out) => engine::answer(&out.text),
        Err(error) => llmend_testing::case::Answer::Refused(error.code().to_owned()),
    };
    judge(case, &answer)
}

#[test]
fn g9_a_complete_text_is_not_flagged() {
    let (mut texts, mut failures) = (0, Vec::new());
    for index in 0..CASES {
        let case = damage::case(239, index);
        let Ok(parsed) = parse(&case.input) else { continue };
        // Members without braces have no end that could be seen to be missing, or to be there.
        let ends = parsed.report.candidate.origin != Origin::Unbraced;
        // The generator knows whether it took the end away, and what is wanted.
        if ends && case.cut == Some(false) && outcome(&case) == Outcome::Right {
            texts += 1;
            if parsed.report.truncated() {
                failures.push(format!("{}:\n{}", case.id, case.input));
            }
        }
    }
    none(failures);
    assert!(texts > CASES / 2, "{texts}");
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
