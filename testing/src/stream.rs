//! Promises of streams: the same result as for the whole text, and views that retract nothing.

use std::fmt::Debug;

use llmend_json::{
    Event, Events, Kind, Node, Options, Parsed, Report, State, Stream, View, parse_with,
};

use crate::random::Random;

/// Feeds `text` in chunks of the lengths from `next`, and calls `seen` after each.
fn feed(
    text: &str,
    options: &Options,
    mut next: impl FnMut() -> usize,
    mut seen: impl FnMut(usize, View<'_>) -> Result<(), String>,
) -> Result<Result<Parsed<'static>, llmend_json::Error>, String> {
    let mut stream = Stream::new(options.clone());
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(next().clamp(1, rest.len()));
        stream.push(chunk);
        rest = after;
        seen(text.len() - rest.len(), stream.view())?;
    }
    Ok(stream.finish())
}

/// Lengths of the chunks.
#[derive(Clone, Copy, Debug)]
pub enum Chunks {
    /// Chunks of one length.
    Of(usize),
    /// Chunks of random lengths.
    Random(u64),
}

impl Chunks {
    fn lengths(self) -> impl FnMut() -> usize {
        let mut random = Random::for_case(if let Self::Random(seed) = self { seed } else { 0 }, 0);
        move || match self {
            Self::Of(length) => length,
            Self::Random(_) => {
                let most = *random.one(&[2, 9, 40, 300]);
                1 + random.below(most)
            }
        }
    }
}

/// Checks that the result of the stream is that of the whole text, including repairs.
///
/// # Errors
/// What differs.
pub fn check_end(text: &str, options: &Options, chunks: Chunks) -> Result<(), String> {
    let whole = parse_with(text, options);
    let end = feed(text, options, chunks.lengths(), |_, _| Ok(()))?;
    let differs = |what: &str, whole: &dyn Debug, end: &dyn Debug| {
        Err(format!("{what} differs by {chunks:?}\nwhole:  {whole:?}\nstream: {end:?}\n{text}"))
    };
    match (whole, end) {
        (Ok(whole), Ok(end)) => {
            if whole.value != end.value {
                return differs("the value", &whole.value, &end.value);
            }
            if whole.report != end.report {
                return differs("the report", &whole.report, &end.report);
            }
            Ok(())
        }
        (Err(whole), Err(end)) => {
            let (one, two) =
                (format!("{whole:?} {:?}", whole.span()), format!("{end:?} {:?}", end.span()));
            if one == two { Ok(()) } else { differs("the error", &one, &two) }
        }
        (whole, end) => differs(
            "the outcome",
            &whole.map(|parsed| parsed.report),
            &end.map(|parsed| parsed.report),
        ),
    }
}

/// Content of a view.
#[derive(Clone, Debug)]
struct Seen {
    complete: bool,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Scalar(String),
    Text(String),
    List(Vec<Seen>),
    Members(Vec<(String, Seen)>),
}

fn seen(node: Node<'_>, complete: &dyn Fn(Node<'_>) -> bool) -> Seen {
    let what = match node.kind() {
        Kind::String => What::Text(node.str().unwrap_or_default().to_owned()),
        Kind::Array => What::List(node.items().map(|item| seen(item, complete)).collect()),
        Kind::Object => What::Members(
            node.members()
                .map(|(key, value)| {
                    (key.str().unwrap_or_default().to_owned(), seen(value, complete))
                })
                .collect(),
        ),
        _ => What::Scalar(node.to_string()),
    };
    Seen { complete: complete(node), what }
}

/// Returns whether `later` may follow `earlier`.
fn grew(earlier: &Seen, later: &Seen, path: &str) -> Result<(), String> {
    let fault = |what: &str| Err(format!("{what} at {path:?}: {earlier:?} then {later:?}"));
    if earlier.complete && !later.complete {
        return fault("something complete is not so any more");
    }
    match (&earlier.what, &later.what) {
        (What::Scalar(one), What::Scalar(two)) if one == two => Ok(()),
        (What::Text(one), What::Text(two))
            if two.starts_with(one) && (!earlier.complete || one == two) =>
        {
            Ok(())
        }
        (What::List(one), What::List(two))
            if one.len() <= two.len() && (!earlier.complete || one.len() == two.len()) =>
        {
            let mut pairs = one.iter().zip(two).enumerate();
            pairs.try_for_each(|(at, (one, two))| grew(one, two, &format!("{path}/{at}")))
        }
        (What::Members(one), What::Members(two))
            if one.len() <= two.len() && (!earlier.complete || one.len() == two.len()) =>
        {
            one.iter().zip(two).try_for_each(|((key, one), (same, two))| {
                if key != same {
                    return fault("a key changed");
                }
                grew(one, two, &format!("{path}/{key}"))
            })
        }
        _ => fault("something was taken back"),
    }
}

/// Checks that views retract nothing, and show only parts of the final value.
///
/// # Errors
/// What was taken back.
pub fn check_views(text: &str, options: &Options, chunks: Chunks) -> Result<(), String> {
    let mut last: Option<Seen> = None;
    let end = feed(text, options, chunks.lengths(), |at, view| {
        let now = view.root().map(|root| seen(root, &|node| view.state(node) == State::Complete));
        match (&last, &now) {
            (Some(earlier), Some(later)) => grew(earlier, later, "")
                .map_err(|fault| format!("{fault}\nafter {at} bytes by {chunks:?} of {text}"))?,
            (Some(earlier), None) => {
                return Err(format!("{earlier:?} vanished after {at} bytes of {text}"));
            }
            _ => {}
        }
        last = now;
        Ok(())
    })?;
    if let (Some(earlier), Ok(parsed)) = (&last, &end) {
        let whole = seen(parsed.value.root(), &|_| true);
        grew(earlier, &whole, "")
            .map_err(|fault| format!("{fault}\nat the end by {chunks:?} of {text}"))?;
    }
    Ok(())
}

/// Returns the parts of a value, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Opened(String, Kind),
    Scalar(String, String),
    Text(String, String),
    Closed(String),
}

fn steps(node: Node<'_>, path: &str, all: &mut Vec<Step>) {
    let token = |key: &str| format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
    match node.kind() {
        Kind::String => {
            all.push(Step::Text(path.to_owned(), node.str().unwrap_or_default().to_owned()));
        }
        kind @ (Kind::Array | Kind::Object) => {
            all.push(Step::Opened(path.to_owned(), kind));
            for (at, item) in node.items().enumerate() {
                steps(item, &token(&at.to_string()), all);
            }
            for (key, value) in node.members() {
                steps(value, &token(key.str().unwrap_or_default()), all);
            }
            all.push(Step::Closed(path.to_owned()));
        }
        _ => all.push(Step::Scalar(path.to_owned(), node.to_string())),
    }
}

/// Checks that the events give the value and all repairs of the whole text.
///
/// # Errors
/// What differs.
pub fn check_events(text: &str, options: &Options, chunks: Chunks) -> Result<(), String> {
    let mut events = Events::new(options.clone());
    let (mut told, mut next, mut rest) = (Vec::new(), chunks.lengths(), text.as_bytes());
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(next().clamp(1, rest.len()));
        events.push(chunk);
        told.extend(events.drain());
        rest = after;
    }
    let (whole, end) = (parse_with(text, options), events.finish());
    let fault = |what: &str| Err(format!("{what} by {chunks:?} of {text}"));
    let (whole, (last, report)) = match (whole, end) {
        (Ok(whole), Ok(end)) => (whole, end),
        (Err(one), Err(two)) if one.to_string() == two.to_string() => return Ok(()),
        (whole, end) => {
            return fault(&format!("the outcome is {:?} and not {:?}", end.err(), whole.err()));
        }
    };
    told.extend(last);
    let mut expected = Vec::new();
    steps(whole.value.root(), "", &mut expected);
    let (mut found, mut repairs, mut repeated) = (Vec::new(), Vec::new(), false);
    let mut string = String::new();
    for event in told {
        match event {
            Event::Opened { kind: Kind::String, .. } => string.clear(),
            Event::Opened { path, kind } => found.push(Step::Opened(path, kind)),
            Event::Grew { text, .. } => string.push_str(&text),
            Event::Completed { path, value: None } => {
                found.push(Step::Text(path, std::mem::take(&mut string)));
            }
            Event::Completed { path, value: Some(value) } => found.push(Step::Scalar(path, value)),
            Event::Closed { path } => found.push(Step::Closed(path)),
            Event::Repaired(repair) => repairs.push(repair),
            Event::Repeated { .. } => repeated = true,
        }
    }
    if found != expected {
        return fault(&format!("{found:?}\nand not {expected:?}"));
    }
    let mut whole = whole.report;
    let said = whole.diagnostics.len();
    whole.diagnostics.retain(|row| row.code != "value/duplicate-key");
    if repeated != (whole.diagnostics.len() < said) {
        return fault("keys that stand twice are told of wrongly");
    }
    repairs.extend(report.repairs.iter().cloned());
    repairs.sort_by_key(|repair| (repair.span.start, repair.span.end));
    let report = Report { repairs, ..report };
    if report == whole { Ok(()) } else { fault(&format!("{report:?}\nand not {whole:?}")) }
}
