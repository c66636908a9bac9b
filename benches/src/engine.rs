//! Adapters for llmend.
//!
//! All calls of llmend's functions in this crate are in this module.

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;
use llmend_json::{Choice, Events, Options, Policy, Stream};

use crate::contestant::{Contestant, Output, contestant, strict};

contestant!(OwnValue, "llmend", Output::Own, repairs: true, llmend_json::parse, |parsed: llmend_json::Parsed<'_>| {
    Ok(parsed.value.to_serde().value)
});

contestant!(SerdeValue, "llmend", Output::Serde, repairs: true, to_serde, |(value, _)| Ok(value));

contestant!(Text, "llmend", Output::Text, repairs: true, llmend_json::repair, |repaired: llmend_json::Repaired<'_>| {
    strict(&repaired.text)
});

/// Returns llmend with each of its outputs.
pub(crate) fn all() -> Vec<Box<dyn Contestant>> {
    vec![Box::new(OwnValue), Box::new(SerdeValue), Box::new(Text)]
}

/// Reads a text into a `serde_json::Value`.
///
/// # Errors
///
/// Errors of `parse`.
pub fn to_serde(
    text: &str,
) -> Result<(serde_json::Value, llmend_json::Report), llmend_json::Error> {
    llmend_json::parse_to_serde_with(text, &Options::default())
}

/// Feeds a text in chunks of `chunk` bytes, views the value after each, and returns the result.
///
/// # Errors
///
/// Errors of `parse`.
pub fn follow(
    text: &str,
    chunk: usize,
) -> Result<llmend_json::Parsed<'static>, llmend_json::Error> {
    let mut stream = Stream::new(Options { choice: Choice::First, ..Options::default() });
    for chunk in text.as_bytes().chunks(chunk) {
        stream.push(black_box(chunk));
        let view = stream.view();
        if let Some(root) = view.root() {
            black_box(view.state(root));
        }
    }
    stream.finish()
}

/// Feeds pieces of a text in chunks of `chunk` bytes, takes the events after each, and returns
/// their number.
///
/// # Errors
///
/// Errors of `parse`.
pub fn tell<'t>(
    pieces: impl IntoIterator<Item = &'t str>,
    chunk: usize,
) -> Result<usize, llmend_json::Error> {
    // Records of a long text may need repairs, which are taken and not kept.
    let max_repairs = usize::MAX;
    let options = Options { choice: Choice::First, max_repairs, ..Options::default() };
    let mut events = Events::new(options);
    let mut count = 0;
    for piece in pieces {
        for chunk in piece.as_bytes().chunks(chunk) {
            events.push(black_box(chunk));
            count += events.drain().map(black_box).count();
        }
    }
    let (rest, _) = events.finish()?;
    Ok(count + black_box(rest).len())
}

/// Returns the average share of the value that a stream shows at ten points: the length of the
/// visible JSON relative to that of the value that `parse` returns for the same prefix. Showing
/// little would be cheap.
pub fn shown(text: &str, chunk: usize) -> f64 {
    let options = Options { choice: Choice::First, ..Options::default() };
    let mut stream = Stream::new(options.clone());
    let (mut shown, mut there) = (0, 0);
    let chunks = text.len().div_ceil(chunk);
    for (at, piece) in (1..).zip(text.as_bytes().chunks(chunk)) {
        stream.push(piece);
        if at % (chunks / 10).max(1) == 0 {
            let end = (0..=text.len().min(at * chunk)).rev().find(|&at| text.is_char_boundary(at));
            let beginning = text.get(..end.unwrap_or(0)).unwrap_or_default();
            // Prefixes that `parse` refuses have no reference value.
            if let Ok(parsed) = llmend_json::parse_with(beginning, &options) {
                shown += stream.view().root().map_or(0, |root| root.to_string().len());
                there += parsed.value.to_string().len();
            }
        }
    }
    shown as f64 / there.max(1) as f64
}

/// Treatment of a hostile text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// `parse` with default options, which refuse deep texts.
    Parse,
    /// `parse` with all rules and without limits on depth or repairs, so that the value may be as
    /// deep as the text is long.
    ParseUnlimited,
    /// `repair` with default options.
    Repair,
    /// A stream fed byte by byte, with a view after each.
    Stream,
}

impl Treatment {
    /// All treatments.
    pub const ALL: [Treatment; 4] =
        [Treatment::Parse, Treatment::ParseUnlimited, Treatment::Repair, Treatment::Stream];

    /// Returns the treatment's name in a table.
    pub fn name(self) -> &'static str {
        match self {
            Treatment::Parse => "parse",
            Treatment::ParseUnlimited => "parse, no limits",
            Treatment::Repair => "repair",
            Treatment::Stream => "stream",
        }
    }
}

/// Outcome and times for a hostile text.
#[derive(Debug, Clone)]
pub struct Survival {
    /// `ok`, or the error code.
    pub outcome: &'static str,
    /// Time from text to result.
    pub read: Duration,
    /// Time for cloning, comparing, writing and dropping the value; zero without a value.
    pub handle: Duration,
}

/// Parses a text, uses the result, and returns the times.
///
/// # Panics
///
/// If the clone differs from the value.
pub fn survive(text: &str, treatment: Treatment) -> Survival {
    let options = match treatment {
        Treatment::Parse | Treatment::Repair | Treatment::Stream => Options::default(),
        Treatment::ParseUnlimited => Options {
            max_depth: usize::MAX,
            max_repairs: usize::MAX,
            ..Options::policy(Policy::Lenient)
        },
    };
    let start = ThreadTime::now();
    if treatment == Treatment::Repair {
        let repaired = black_box(llmend_json::repair_with(black_box(text), &options));
        let read = start.elapsed();
        let outcome = repaired.as_ref().map_or_else(llmend_json::Error::code, |_| "ok");
        return Survival { outcome, read, handle: Duration::ZERO };
    }
    if treatment == Treatment::Stream {
        let parsed = black_box(follow(black_box(text), 1));
        let read = start.elapsed();
        let outcome = parsed.as_ref().map_or_else(llmend_json::Error::code, |_| "ok");
        return Survival { outcome, read, handle: Duration::ZERO };
    }
    match black_box(llmend_json::parse_with(black_box(text), &options)) {
        Ok(parsed) => {
            let read = start.elapsed();
            let start = ThreadTime::now();
            let clone = parsed.value.clone();
            assert!(clone == parsed.value, "a clone is equal to its original");
            drop(black_box(parsed.value.to_string()));
            drop(clone);
            drop(parsed);
            Survival { outcome: "ok", read, handle: start.elapsed() }
        }
        Err(error) => {
            Survival { outcome: error.code(), read: start.elapsed(), handle: Duration::ZERO }
        }
    }
}
