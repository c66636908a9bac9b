//! Recorded streams of each dialect: what they say, and that it does not matter where they are cut.
//!
//! A stream is a file in `fixtures/`, in the folder of its dialect. What it says is a snapshot: the deltas
//! in order, one a line, errors among them, and the counts at the end. A new file needs nothing else but
//! a look at its snapshot.

use std::fs;
use std::path::{Path, PathBuf};

use llmend_models::sse::{Counts, Decoder, Delta, Dialect, Error, Options};
use proptest::prelude::*;

type Read = (Vec<Result<Delta, Error>>, Counts);

/// Reads a stream that arrives in these chunks.
fn read<'c>(dialect: Dialect, chunks: impl IntoIterator<Item = &'c [u8]>) -> Read {
    let mut decoder = Decoder::new(dialect, Options::default());
    let mut found = Vec::new();
    for chunk in chunks {
        decoder.push(chunk);
        found.extend(std::iter::from_fn(|| decoder.next_delta()));
    }
    decoder.finish();
    found.extend(std::iter::from_fn(|| decoder.next_delta()));
    (found, decoder.counts())
}

fn fixtures() -> Vec<(Dialect, PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut found = Vec::new();
    for dialect in Dialect::ALL {
        let folder = fs::read_dir(root.join(dialect.as_str())).unwrap();
        for entry in folder {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            found.push((dialect, path, bytes));
        }
    }
    found.sort_by(|left, right| left.1.cmp(&right.1));
    assert!(found.len() > 50, "only {} fixtures", found.len());
    found
}

/// One delta a line, as JSON, then the counts.
fn shown((deltas, counts): &Read) -> String {
    let mut lines: Vec<_> = deltas
        .iter()
        .map(|delta| match delta {
            Ok(delta) => serde_json::to_string(delta).unwrap(),
            Err(error) => format!("{}: {error}", error.code()),
        })
        .collect();
    lines.push(serde_json::to_string(counts).unwrap());
    lines.join("\n")
}

#[test]
fn each_stream_says_what_its_snapshot_says() {
    for (dialect, path, bytes) in fixtures() {
        let name = path.file_name().unwrap().to_string_lossy();
        let name = format!("{}-{}", dialect.as_str(), name.replace('.', "-"));
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, shown(&read(dialect, [bytes.as_slice()])));
        });
    }
}

#[test]
fn byte_by_byte_says_the_same() {
    for (dialect, path, bytes) in fixtures() {
        let whole = read(dialect, [bytes.as_slice()]);
        for size in [1, 2, 3, 7, 20] {
            let pieces = read(dialect, bytes.chunks(size));
            assert_eq!(shown(&pieces), shown(&whole), "{} by {size}", path.display());
        }
    }
}

#[test]
fn every_line_end_says_the_same() {
    for (dialect, path, bytes) in fixtures() {
        // Where objects and not lines are framed, or the ends are mixed on purpose, lines do not count.
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if text.contains('\r') || path.extension().is_none_or(|extension| extension == "json") {
            continue;
        }
        let (expected, counts) = read(dialect, [text.as_bytes()]);
        for end in ["\r", "\r\n"] {
            let (found, other) = read(dialect, [text.replace('\n', end).as_bytes()]);
            assert_eq!(counts, other, "{} with {end:?}", path.display());
            for (left, right) in found.iter().zip(&expected) {
                // The places of errors differ by the length of the line ends.
                assert_eq!(left.as_ref().ok(), right.as_ref().ok(), "{}", path.display());
            }
        }
    }
}

/// Without a reason to finish, or the provider's own mark of the end, no answer is complete.
#[test]
fn a_stream_cut_off_anywhere_never_passes_for_a_complete_one() {
    for (dialect, path, bytes) in fixtures() {
        for end in 0..bytes.len() {
            let start = &bytes[..end];
            let (found, _) = read(dialect, [start]);
            let ended_badly = matches!(
                found.last(),
                Some(Err(Error::UnexpectedEnd { .. } | Error::NoEvent { .. }))
            );
            let finished = found.iter().any(|delta| matches!(delta, Ok(Delta::Finish { .. })));
            let text = String::from_utf8_lossy(start);
            let marked = text.contains("[DONE]") || text.contains("message_stop");
            assert!(ended_badly || finished || marked, "{} at {end}: {found:?}", path.display());
        }
    }
}

/// What failed did not finish, also where the server says so afterwards.
#[test]
fn an_error_inside_the_stream_never_passes_for_a_complete_answer() {
    let mut seen = 0;
    for (dialect, path, bytes) in fixtures() {
        let (found, _) = read(dialect, [bytes.as_slice()]);
        if found.iter().any(|delta| matches!(delta, Ok(Delta::Error(_)))) {
            seen += 1;
            let last = found.last();
            let ended_badly = matches!(last, Some(Err(Error::UnexpectedEnd { .. })));
            assert!(ended_badly, "{}: {last:?}", path.display());
        }
    }
    assert!(seen >= 10, "{seen}");
}

/// The names of the dialects are what the folders and settings say.
#[test]
fn dialects_have_one_name() {
    for dialect in Dialect::ALL {
        assert_eq!(serde_json::to_value(dialect).unwrap(), dialect.as_str());
    }
}

/// Streams of a megabyte that never get anywhere end as they should, and soon, fed byte by byte.
#[test]
fn hostile_streams_end_at_the_limit() {
    const LIMIT: usize = 10_000;
    const BYTES: usize = 1 << 20;
    let rows: [(&str, &str, &str); 12] = [
        ("", "x", "stream/too-large"),
        ("", ": no end ", "stream/no-event"),
        ("", ": keep-alive\n\n", "stream/no-event"),
        ("", "\n", "stream/no-event"),
        ("", " \t", "stream/no-event"),
        ("data: {\"a\": \"", "x", "stream/too-large"),
        ("", "data: {\n", "stream/too-large"),
        ("event: ", "x", "stream/too-large"),
        ("{", "\"", "stream/too-large"),
        ("{", "[{", "stream/too-large"),
        ("[", " , ", "stream/no-event"),
        ("[x", "y", "stream/malformed"),
    ];
    for dialect in Dialect::ALL {
        for (start, rest, code) in rows {
            let mut decoder = Decoder::new(dialect, Options { max_event_bytes: LIMIT });
            decoder.push(start.as_bytes());
            let mut found = Vec::new();
            for byte in rest.bytes().cycle().take(BYTES) {
                decoder.push(&[byte]);
                found.extend(std::iter::from_fn(|| decoder.next_delta()));
            }
            decoder.finish();
            found.extend(std::iter::from_fn(|| decoder.next_delta()));
            let codes: Vec<_> =
                found.iter().map(|delta| delta.as_ref().map_err(Error::code)).collect();
            assert_eq!(codes.first(), Some(&Err(code)), "{dialect:?}: {start}{rest}…");
            assert!(codes.len() <= 2, "{dialect:?}: {start}{rest}…: {codes:?}");
        }
    }
}

/// More calls than any answer has are refused one by one, and the rest is read.
#[test]
fn calls_without_end_are_refused() {
    let call =
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"f\"}}]}}]}\n\n";
    let stream = call.repeat(2000);
    let (found, counts) = read(Dialect::OpenAiChat, [stream.as_bytes()]);
    assert_eq!(counts, Counts { events: 2000, malformed: 2000 - 1024, ..Counts::default() });
    assert_eq!(found.iter().filter(|delta| delta.is_ok()).count(), 1024);
}

proptest! {
    #[test]
    fn random_cuts_say_the_same(cuts in prop::collection::vec(0.0..1.0_f64, 0..12)) {
        for (dialect, path, bytes) in fixtures() {
            let mut places: Vec<usize> =
                cuts.iter().map(|cut| place(bytes.len(), *cut)).chain([0, bytes.len()]).collect();
            places.sort_unstable();
            let chunks = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
            let (whole, pieces) = (read(dialect, [bytes.as_slice()]), read(dialect, chunks));
            prop_assert_eq!(shown(&pieces), shown(&whole), "{} at {:?}", path.display(), places);
        }
    }

    #[test]
    fn damaged_streams_are_read_without_a_panic_and_alike(
        edits in prop::collection::vec((0.0..1.0_f64, any::<u8>()), 1..8),
        size in 1..40_usize,
    ) {
        for (dialect, path, mut bytes) in fixtures() {
            for (at, byte) in &edits {
                let at = place(bytes.len(), *at);
                if let Some(slot) = bytes.get_mut(at) {
                    *slot = *byte;
                }
            }
            let whole = read(dialect, [bytes.as_slice()]);
            let pieces = read(dialect, bytes.chunks(size));
            prop_assert_eq!(shown(&pieces), shown(&whole), "{}", path.display());
        }
    }

    #[test]
    fn any_bytes_are_read_without_a_panic_and_alike(
        bytes in prop::collection::vec(prop_oneof![
            any::<u8>().prop_map(|byte| vec![byte]),
            prop::sample::select(vec![
                "data: ", "data:", "event: error", "event: ", ":", "\n", "\r", "\n\n", "{", "}", "[", "]", "\"", "\\",
                "{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}", "[DONE]", "\u{feff}", "null", ",",
                "{\"error\":\"x\"}", "{\"candidates\":[{}]}", "{\"done\":true}",
                "{\"type\":\"message_start\"}", "{\"type\":\"response.completed\"}",
            ]).prop_map(|text| text.as_bytes().to_vec()),
        ], 0..40),
        size in 1..9_usize,
    ) {
        let bytes = bytes.concat();
        for dialect in Dialect::ALL {
            let whole = read(dialect, [bytes.as_slice()]);
            let pieces = read(dialect, bytes.chunks(size));
            prop_assert_eq!(shown(&pieces), shown(&whole), "{}", dialect.as_str());
        }
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
fn place(length: usize, share: f64) -> usize {
    (length as f64 * share) as usize
}
