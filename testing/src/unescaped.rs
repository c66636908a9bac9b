//! Chunks of source files as strings, with all inner quotes unescaped, as models write them.

use crate::case::{Case, Verdict};
use crate::damage::tokens::{Layout, Spelling, render, tokens};
use crate::data::{Data, quoted};
use crate::random::Random;
use crate::sources::SOURCES;
use crate::words::{self, noun, sentence};

/// Generates `count` documents. Equal seeds give equal cases, and case `i` does not depend on
/// `count`.
#[must_use]
pub fn cases(seed: u64, count: usize) -> Vec<Case> {
    (0..count).map(|index| case(seed, index)).collect()
}

/// Generates the case with this index.
#[must_use]
pub fn case(seed: u64, index: usize) -> Case {
    let mut r = Random::for_case(seed ^ 0x75_6e65, index);
    let (source, chunk) = chunk(&mut r);
    let (place, value) = document(&mut r, &chunk);
    let raw_lines = r.chance(25);
    let layout = match r.below(3) {
        0 => Layout::Compact,
        1 => Layout::Spaced,
        _ => Layout::pretty(&mut r),
    };
    let pretty = if matches!(layout, Layout::Pretty { .. }) { "pretty" } else { "one-line" };
    let spelled = quoted(&chunk);
    let bare = unescaped(&chunk, raw_lines);
    let text = render(&tokens(&value, &layout, Spelling { ascii: false, slashes: false }));
    Case {
        id: format!("unescaped-{seed}-{index}"),
        shape: place.to_owned(),
        kinds: vec![source, pretty, if raw_lines { "raw-lines" } else { "escaped-lines" }],
        input: text.replacen(&spelled, &bare, 1),
        expected: Some(value),
        verdict: Verdict::Value,
        accept: Vec::new(),
        note: source.to_owned(),
        valid_json: false,
        cut: Some(false),
    }
}

/// Two to forty lines of a file, with at least one quote.
fn chunk(r: &mut Random) -> (&'static str, String) {
    loop {
        let (name, text) = r.one(SOURCES);
        let lines: Vec<&str> = text.lines().collect();
        let most = if r.chance(60) { 12 } else { 40 };
        let size = r.between(2, most);
        let start = r.below(lines.len());
        let end = (start + size).min(lines.len());
        let mut chunk = lines[start..end].join("\n");
        if r.chance(70) {
            chunk.push('\n');
        }
        if chunk.contains('"') && end - start > 1 {
            return (name, chunk);
        }
    }
}

/// Writes the chunk as a JSON string with unescaped quotes, and possibly unescaped line breaks.
fn unescaped(chunk: &str, raw_lines: bool) -> String {
    let mut out = String::from("\"");
    for c in chunk.chars() {
        match c {
            '"' => out.push('"'),
            '\n' | '\t' if raw_lines => out.push(c),
            c => crate::data::push_escaped(&mut out, c),
        }
    }
    out.push('"');
    out
}

fn map(members: Vec<(&str, Data)>) -> Data {
    Data::Map(members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
}

fn document(r: &mut Random, chunk: &str) -> (&'static str, Data) {
    let content = Data::text(chunk);
    let key = *r.one(&["content", "code", "text", "body", "source", "file", "new_str", "diff"]);
    let path = ("path", Data::Text(words::path(r)));
    let flag = ("dry_run", Data::Bool(r.chance(50)));
    let number = ("lines", Data::number(r.below(400)));
    let note = ("note", Data::Text(sentence(r)));
    match r.below(9) {
        0 => ("only-member", map(vec![(key, content)])),
        1 => ("first-member", map(vec![(key, content), path, number])),
        2 => ("middle-member", map(vec![path, (key, content), note, flag])),
        3 => ("last-member", map(vec![path, number, (key, content)])),
        4 => {
            let arguments = map(vec![path, (key, content)]);
            ("tool-call", map(vec![("name", Data::text("write_file")), ("arguments", arguments)]))
        }
        5 => {
            let arguments = map(vec![(key, content), path]);
            let call = map(vec![
                ("name", Data::text("write_file")),
                ("arguments", arguments),
                ("id", Data::text(noun(r))),
            ]);
            (
                "tool-call-list",
                map(vec![("thought", Data::Text(sentence(r))), ("calls", Data::List(vec![call]))]),
            )
        }
        6 => (
            "array-item",
            map(vec![("chunks", Data::List(vec![Data::text(noun(r)), content])), number]),
        ),
        7 => {
            let file = map(vec![path, (key, content), number]);
            let other = map(vec![("path", Data::text("b.txt")), (key, Data::text(noun(r)))]);
            ("list-of-files", map(vec![("files", Data::List(vec![file, other])), flag]))
        }
        _ => {
            let inner = map(vec![("a", map(vec![(key, content)])), flag]);
            ("nested", map(vec![("edit", inner), note]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_enough_to_cut_from() {
        let size: usize = SOURCES.iter().map(|(_, text)| text.len()).sum();
        assert!((60_000..120_000).contains(&size), "{size}");
    }

    #[test]
    fn the_escaped_text_is_the_expected_value() {
        for index in 0..500 {
            let case = case(5, index);
            let value = case.expected.as_ref().expect("a value is wanted");
            assert_eq!(Data::read(&value.write()).as_ref(), Ok(value));
            assert!(Data::read(&case.input).is_err(), "{}", case.input);
            assert_eq!(case.input, super::case(5, index).input);
        }
    }
}
