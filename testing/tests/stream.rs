//! Does a stream come to the same as the whole text, and do its views take nothing back?

#![cfg(feature = "llmend")]

use llmend_json::{Choice, Options, Policy};
use llmend_testing::stream::{Chunks, check_end, check_events, check_views};
use llmend_testing::{corpus, damage, unescaped, valid};

/// Both corpora, and generated texts of every sort.
fn texts() -> Vec<String> {
    let cut = ["[{\"id\": 1}, \"tool\": \"copy\"}, {\"id\": 2}]", "[{},\"\":"].map(str::to_owned);
    let known = corpus::dev().into_iter().chain(corpus::defects()).map(|case| case.input);
    let damaged = (0..700).map(|index| damage::case(401, index).input);
    let quoted = (0..200).map(|index| unescaped::case(402, index).input);
    let sound = (0..200).map(|index| valid::case(403, index).input);
    cut.into_iter().chain(known).chain(damaged).chain(quoted).chain(sound).collect()
}

fn options() -> impl Iterator<Item = Options> {
    [Choice::First, Choice::Best].into_iter().flat_map(|choice| {
        [Policy::Standard, Policy::Lenient, Policy::Conservative, Policy::Strict]
            .map(|policy| Options { choice, ..Options::policy(policy) })
    })
}

/// Runs `check` on all texts, on four threads, and tells of the first faults.
fn all(check: impl Fn(&str, usize) -> Result<(), String> + Sync) {
    let texts = texts();
    let faults: Vec<String> = std::thread::scope(|scope| {
        let check = &check;
        let parts: Vec<_> = texts
            .chunks(texts.len().div_ceil(4))
            .enumerate()
            .map(|(part, texts)| {
                scope.spawn(move || {
                    texts
                        .iter()
                        .enumerate()
                        .filter_map(|(at, text)| check(text, part * 10_000 + at).err())
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    let shown = faults.iter().map(|fault| fault.chars().take(1500).collect::<String>()).take(5);
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        shown.collect::<Vec<_>>().join("\n\n")
    );
}

fn chunks(seed: usize) -> [Chunks; 6] {
    let seed = seed as u64;
    [
        Chunks::Of(1),
        Chunks::Of(2),
        Chunks::Of(3),
        Chunks::Of(7),
        Chunks::Of(20),
        Chunks::Random(seed),
    ]
}

#[test]
fn the_end_is_what_the_whole_text_gives() {
    all(|text, seed| {
        options().try_for_each(|options| {
            chunks(seed).into_iter().try_for_each(|chunks| check_end(text, &options, chunks))
        })
    });
}

#[test]
fn views_take_nothing_back() {
    let options = Options { choice: Choice::First, ..Options::default() };
    all(|text, seed| {
        chunks(seed).into_iter().try_for_each(|chunks| check_views(text, &options, chunks))
    });
}

#[test]
fn events_tell_the_whole_value() {
    let both = [Choice::First, Choice::Best].map(|choice| Options { choice, ..Options::default() });
    all(|text, seed| {
        both.iter().try_for_each(|options| {
            chunks(seed).into_iter().try_for_each(|chunks| check_events(text, options, chunks))
        })
    });
}
