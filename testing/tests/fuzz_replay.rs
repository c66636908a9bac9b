//! Replay of the fuzz targets' seeds, of edits to them, and of all past findings.

#![cfg(feature = "llmend")]

use std::fs;
use std::path::{Path, PathBuf};

use llmend_testing::fuzz::{TARGETS, Target};
use llmend_testing::random::Random;

/// Edits of each seed: enough to go where no seed is, few enough to take seconds.
const EDITS: usize = 12;
/// Most seeds of which one target's edits are made, evenly spread.
const EDITED_SEEDS: usize = 150;

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The files in a folder, sorted by name.
fn files(path: &str) -> Vec<(String, Vec<u8>)> {
    let folder = folder(path);
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        })
        .collect();
    files.sort();
    files
}

fn check((target, check): &Target, name: &str, data: &[u8]) -> Result<(), String> {
    check(data).map_err(|broken| {
        format!("{target} on {name}: {broken}\nThe input: {:?}", String::from_utf8_lossy(data))
    })
}

/// Whether a target reads recipes, or texts.
fn reads(target: &str, recipes: bool) -> bool {
    recipes == (target == "structured")
}

fn all_pass(results: impl Iterator<Item = Result<(), String>>) {
    let broken: Vec<String> = results.filter_map(Result::err).collect();
    assert!(broken.is_empty(), "{} inputs fail\n\n{}", broken.len(), broken.join("\n\n"));
}

/// The tokens of the dictionary that fuzzers draw from.
fn tokens() -> Vec<Vec<u8>> {
    let text = fs::read_to_string(folder("../fuzz/tokens.dict")).expect("the dictionary");
    let lines = text.lines().filter(|line| line.starts_with('"'));
    lines.map(|line| unescaped(line[1..].strip_suffix('"').expect("a closing quote"))).collect()
}

/// What an entry of the dictionary stands for.
fn unescaped(entry: &str) -> Vec<u8> {
    let mut bytes = entry.bytes();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        let escape = if byte == b'\\' { bytes.next() } else { None };
        out.push(match escape {
            None => byte,
            Some(b'x') => {
                let hex = [bytes.next().unwrap_or(0), bytes.next().unwrap_or(0)];
                let hex = std::str::from_utf8(&hex).expect("two digits");
                u8::from_str_radix(hex, 16).unwrap_or_else(|_| panic!("\\x{hex} in {entry}"))
            }
            Some(byte) => byte,
        });
    }
    out
}

/// An edit as a fuzzer makes it: a token put in, a part taken out, doubled or moved, an end cut off.
fn edited(seed: &[u8], tokens: &[Vec<u8>], r: &mut Random) -> Vec<u8> {
    let mut data = seed.to_vec();
    for _ in 0..r.between(1, 3) {
        let at = r.below(data.len() + 1);
        let end = (at + r.between(1, 12)).min(data.len());
        match r.below(8) {
            0..4 => drop(data.splice(at..at, r.one(tokens).iter().copied())),
            4 => drop(data.drain(at..end)),
            5 => {
                let part = data[at..end].to_vec();
                let to = r.below(data.len() + 1);
                data.splice(to..to, part);
            }
            6 => drop(data.splice(at..end, r.one(tokens).iter().copied())),
            _ => data.truncate(at),
        }
    }
    // A character may be cut in two; its halves go.
    String::from_utf8_lossy(&data).replace('\u{fffd}', "").into_bytes()
}

/// Every target that reads texts is given the seeds of the others too.
#[test]
fn the_seeds() {
    for (folder, _) in TARGETS {
        let seeds = files(&format!("../fuzz/corpus/{folder}"));
        assert!(seeds.len() >= 40, "{} seeds of {folder}", seeds.len());
        all_pass(seeds.iter().flat_map(|(name, data)| {
            let targets = TARGETS.iter().filter(|target| reads(target.0, *folder == "structured"));
            targets.map(move |target| check(target, name, data))
        }));
    }
}

#[test]
fn edits_of_the_seeds() {
    let tokens = tokens();
    for target in TARGETS {
        let seeds = files(&format!("../fuzz/corpus/{}", target.0));
        let step = seeds.len().div_ceil(EDITED_SEEDS).max(1);
        all_pass(seeds.iter().enumerate().step_by(step).flat_map(|(index, (name, seed))| {
            let mut r = Random::for_case(211, index);
            let results: Vec<_> = (0..EDITS)
                .map(|_| {
                    check(target, &format!("an edit of {name}"), &edited(seed, &tokens, &mut r))
                })
                .collect();
            results
        }));
    }
}

/// A regression is a text, which every target that reads texts is given, or a recipe.
#[test]
fn regressions() {
    let found = files("fixtures/regressions");
    assert!(!found.is_empty());
    all_pass(found.iter().flat_map(|(name, data)| {
        let recipe = name.ends_with(".recipe");
        let targets = TARGETS.iter().filter(move |target| reads(target.0, recipe));
        targets.map(move |target| check(target, name, data))
    }));
}

#[test]
fn the_dictionary_is_read_as_fuzzers_read_it() {
    let rows: [(&str, &[u8]); 4] =
        [("a", b"a"), (r#"\""#, b"\""), (r"\\n", b"\\n"), (r"\xe2\x80\x9c\x0a", b"\xe2\x80\x9c\n")];
    for (entry, expected) in rows {
        assert_eq!(unescaped(entry), expected, "{entry}");
    }
    assert!(tokens().len() > 100);
}
