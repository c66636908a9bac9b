//! Captured streams: texts whose lines are the events of a streamed answer.
//!
//! Each event has a piece of the answer in its data, as a string in an object or as it is. The
//! pieces are joined in a copy of the text, which is read as any other text.

use crate::{
    Choice, ErrorKind, Options, Origin, Repair, Rule, RuleSet, Search, Span, Value,
    extract::{Build, Start, attempt, layer::Layer},
    options::Settings,
    parser::{Budget, Stop, Window, escape::unescape},
    value::build::Tape,
};

mod chunk;
mod events;
mod log;
mod raw;
mod snapshots;

use chunk::{Delta, Reading, Track};
use events::Payload;

/// An answer in the pieces of a captured stream.
pub(crate) struct Capture {
    /// The text of the answer, or the arguments of its calls. If there are both, the text is first.
    pub(crate) answers: Vec<Joined>,
    pub(crate) proof: Proof,
}

/// What shows that the pieces were meant to be joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// The format of the events.
    Format,
    /// The format of the only event, if the joined text was meant as JSON.
    Value,
    /// The value is in several pieces, and none of them has all of it.
    Pieces,
    /// The same, but between lines of a text, which may have put more than a line break between two.
    Sections,
    /// The value begins with each of those before it.
    Snapshots,
}

/// Pieces of a text that were joined.
pub(crate) struct Joined {
    pub(crate) layer: Layer,
    /// Where the pieces begin in the copy, ascending.
    joints: Vec<usize>,
}

/// A piece of the answer in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    span: Span,
    /// Whether it is the content of a JSON string.
    escaped: bool,
    /// What is between the piece before it and this one.
    joint: &'static str,
}

/// Returns whether a text may be a captured stream that the options allow to read, so that all of it
/// is needed.
pub(crate) fn begins(window: &Window<'_>, options: &Options) -> bool {
    // Who asks for all values, asks for those of all events.
    if options.search == Search::Off || options.choice == Choice::All {
        return false;
    }
    if options.choice != Choice::First {
        return events::begin(window);
    }
    // The choice `first` takes the value of the first event, unless that is only a piece.
    let mut first = events::first(window);
    let decisive = first.find_map(|payload| match read(window, payload.span) {
        Some(Reading::Chunk(..)) => Some(true),
        Some(Reading::Strings(strings)) if strings.is_empty() => None,
        Some(Reading::Strings(_) | Reading::Value) => Some(false),
        None => raw::is_open(window.slice(payload.span)).then_some(true),
    });
    decisive.unwrap_or(false)
}

/// Returns the answer in a text whose lines are the events of a stream.
pub(crate) fn framed(window: &Window<'_>) -> Option<Result<Capture, Stop>> {
    let payloads = events::all(window)?;
    let readings = readings(window, &payloads);
    if let Some(readings) = &readings {
        // A single event may be the value itself.
        let proof = if payloads.len() > 1 { Proof::Format } else { Proof::Value };
        if let Some(outcome) = in_format(window, readings, proof) {
            return Some(outcome);
        }
        if let Some(capture) = in_strings(window, readings, chunk::ONLY) {
            return Some(Ok(capture));
        }
    }
    let pieces = raw::pieces(window, &payloads)?;
    Some(Ok(Capture { answers: vec![join(window, pieces)], proof: Proof::Pieces }))
}

/// Most events of a stream before the first one with a piece.
const LEADING: usize = 16;

/// Returns the answer in a text whose lines are the data of events.
pub(crate) fn unframed(window: &Window<'_>) -> Option<Result<Capture, Stop>> {
    let payloads = events::bare(window)?;
    let leading = readings(window, payloads.get(..LEADING).unwrap_or(&payloads))?;
    if leading.iter().all(|reading| *reading == Reading::Value) {
        return None;
    }
    let readings = readings(window, &payloads)?;
    if readings.iter().all(|reading| matches!(reading, Reading::Chunk(..)))
        && let Some(outcome) = in_format(window, &readings, Proof::Format)
    {
        return Some(outcome);
    }
    // Lines with a single member are records, too.
    in_strings(window, &readings, chunk::ONLY - 1).map(Ok)
}

/// Returns the answer in a text whose lines each have a piece of it, or a longer beginning of it.
pub(crate) fn logged(window: &Window<'_>) -> Option<Capture> {
    let of = |pieces, proof| Capture { answers: vec![join(window, pieces)], proof };
    if !log::may_begin(window.text) {
        return None;
    }
    let lines = log::Lines::of(window.text);
    if let Some(last) = snapshots::last(&lines) {
        return Some(of(vec![last], Proof::Snapshots));
    }
    let log = log::pieces(window, &lines)?;
    let capture = of(log.pieces, log.proof);
    let joined = capture.answers.first()?;
    let first = joined.layer.text.get(..*joined.joints.get(1)?)?;
    let is_torn = log.says_so || raw::are_torn(&joined.layer.text, &joined.joints);
    (is_torn && raw::is_open(first)).then_some(capture)
}

/// Reads the data of all events. Returns `None` if some of it is JSON with a fault. In the last
/// event, the text may be cut off.
fn readings(window: &Window<'_>, payloads: &[Payload]) -> Option<Vec<Reading>> {
    let last = payloads.len().saturating_sub(1);
    let mut out = Vec::with_capacity(payloads.len());
    for (at, payload) in payloads.iter().enumerate() {
        match read(window, payload.span) {
            Some(reading) => out.push(reading),
            None if at == last => {}
            None if window.slice(payload.span).starts_with(['{', '[', '"']) => return None,
            None => {}
        }
    }
    Some(out)
}

/// Reads the data of an event, which must be strict JSON, perhaps with half of a surrogate pair.
fn read(window: &Window<'_>, span: Span) -> Option<Reading> {
    let rules = RuleSet::NONE.with(Rule::LoneSurrogate);
    let strict = Options { rules, ..Options::default() };
    let (settings, budget) = (Settings::Borrowed(&strict), &mut Budget::new(0));
    let (window, mut tape) = (window.up_to(span.end), Tape::for_text(0));
    let found =
        attempt(&window, span.start, Start::Value, Origin::Bare, &settings, budget, &mut tape)
            .ok()
            .filter(|found| found.span.end == span.end)?;
    let value: Value<'_> = tape.finish(window.text, span, &[found.built], false)?;
    Some(chunk::reading(value.root()))
}

/// Joins the pieces of chunks in the format of a provider.
fn in_format(
    window: &Window<'_>,
    readings: &[Reading],
    proof: Proof,
) -> Option<Result<Capture, Stop>> {
    let mut formats = readings.iter().filter_map(|reading| match reading {
        Reading::Chunk(format, _) => Some(*format),
        _ => None,
    });
    let format = formats.next()?;
    if formats.any(|other| other != format) {
        return None;
    }
    let deltas = readings.iter().flat_map(|reading| match reading {
        Reading::Chunk(_, deltas) => deltas.as_slice(),
        _ => &[],
    });
    let deltas: Vec<Delta> = deltas.copied().filter(|delta| !delta.span.is_empty()).collect();
    let mut answers = Vec::new();
    for track in [Track::Text, Track::Arguments] {
        let of_track: Vec<Delta> =
            deltas.iter().copied().filter(|delta| delta.track == track).collect();
        let order = of_track.iter().zip(of_track.iter().skip(1));
        let mixed = order.clone().find(|(one, next)| next.part < one.part);
        let other = of_track.iter().find(|delta| delta.answer > 0);
        if let Some(delta) = other.or(mixed.map(|(_, next)| next)) {
            let detail = "the stream has several answers";
            return Some(Err(Stop::new(ErrorKind::Ambiguous, delta.span, detail)));
        }
        let mut part = None;
        let pieces: Vec<Piece> = of_track
            .iter()
            .map(|delta| {
                let goes_on = part.replace(delta.part).is_none_or(|part| part == delta.part);
                let joint = if goes_on { "" } else { "\n" };
                Piece { span: delta.span, escaped: true, joint }
            })
            .collect();
        if pieces.iter().any(|piece| !window.slice(piece.span).trim().is_empty()) {
            answers.push(join(window, pieces));
        }
    }
    (!answers.is_empty()).then_some(Ok(Capture { answers, proof }))
}

/// Joins the strings that most of the data has in the same place, which is one up to `last`.
fn in_strings(window: &Window<'_>, readings: &[Reading], last: usize) -> Option<Capture> {
    let at = |place: usize| {
        readings.iter().filter_map(move |reading| match reading {
            Reading::Strings(strings) => {
                strings.iter().find(|(found, _)| *found == place).map(|(_, span)| *span)
            }
            _ => None,
        })
    };
    let place = (0..=last).find(|&place| at(place).nth(1).is_some())?;
    let pieces = at(place).map(|span| Piece { span, escaped: true, joint: "" }).collect();
    Some(Capture { answers: vec![join(window, pieces)], proof: Proof::Pieces })
}

/// Joins `pieces` of the text.
fn join(window: &Window<'_>, pieces: Vec<Piece>) -> Joined {
    let rule = Rule::EventStream;
    let (mut text, mut edits, mut joints) = (String::new(), Vec::new(), Vec::new());
    let mut from = 0;
    for piece in pieces {
        let span = Span::new(from, piece.span.start);
        let joint = if joints.is_empty() { "" } else { piece.joint };
        text.push_str(joint);
        if window.slice(span) != joint {
            edits.push(Repair { rule, span, replacement: joint.into() });
        }
        joints.push(text.len());
        from = piece.span.start;
        while piece.escaped
            && let Some(found) =
                window.slice(Span::new(from, piece.span.end)).find('\\').map(|at| from + at)
        {
            text.push_str(window.slice(Span::new(from, found)));
            let Some(length) = window.legal_escape(found) else {
                // Half of a surrogate pair, whose other half is in the next piece.
                text.push('\\');
                from = found + 1;
                continue;
            };
            let span = Span::new(found, found + length);
            let mut meant = String::new();
            unescape(window.slice(span), &mut meant);
            text.push_str(&meant);
            edits.push(Repair { rule, span, replacement: meant.into() });
            from = span.end;
        }
        text.push_str(window.slice(Span::new(from, piece.span.end)));
        from = piece.span.end;
    }
    let rest = Span::new(from, window.end());
    if !rest.is_empty() {
        edits.push(Repair { rule, span: rest, replacement: "".into() });
    }
    Joined { layer: Layer::of_copy(text, edits, window.end()), joints }
}

impl Joined {
    /// Returns whether the part of the copy at `span` is in several pieces.
    pub(crate) fn is_split(&self, span: Span) -> bool {
        self.joints.iter().any(|&joint| span.start < joint && joint < span.end)
    }
}

#[cfg(test)]
mod tests {
    use super::{Proof, framed, logged, unframed};
    use crate::parser::Window;

    /// Checks the joined text of logs.
    #[test]
    fn joined_logs() {
        for (text, expected) in [
            (
                "[chunk 1] {\"a\": \"A\n[chunk 2] b\", \n[chunk 3] \"c\": 1}",
                Some("{\"a\": \"Ab\", \"c\": 1}"),
            ),
            ("0> {\"a\": 1, \"\n1> b\": 2}", Some("{\"a\": 1, \"b\": 2}")),
            ("x> [tr\nx> ue,\nx> 3]\ndone", Some("[true,3]")),
            ("t: \"{\\\"a\\\"\"\nt: \": 1}\"", Some("{\"a\": 1}")),
            ("{\"a\n{\"a\": 1\n{\"a\": 1, \"b\": 2}", Some("{\"a\": 1, \"b\": 2}")),
            // Lines of a text as it was written.
            ("0> {\"a\": 1,\n1> \"b\": 2}", None),
            ("0> {\"a\": \"b\n1> c\"}", None),
            // The first piece is all of a value.
            ("[chunk 1] {\"a\": 1}\n[chunk 2] {\"b\": 1}", None),
        ] {
            let found = logged(&Window::whole(text));
            let found = found.as_ref().map(|capture| capture.answers[0].layer.text.as_str());
            assert_eq!(found, expected, "{text}");
        }
    }

    /// Checks the joined text of whole captures.
    #[test]
    fn joined_answers() {
        use Proof::{Format, Pieces, Value};
        for (text, expected) in [
            (
                "data: {\"choices\": [{\"delta\": {\"content\": \"[1\"}}]}\n\ndata: {\"choices\": [{\"delta\": {\"content\": \",\\n2]\"}}]}\n\ndata: [DONE]",
                Some(("[1,\n2]", Format)),
            ),
            // The arguments of two calls.
            (
                "data: {\"choices\": [{\"delta\": {\"tool_calls\": [{\"index\": 0, \"function\": {\"arguments\": \"[1\"}}]}}]}\ndata: {\"choices\": [{\"delta\": {\"tool_calls\": [{\"index\": 0, \"function\": {\"arguments\": \"]\"}}, {\"index\": 1, \"function\": {\"arguments\": \"[2]\"}}]}}]}",
                Some(("[1]\n[2]", Format)),
            ),
            // Half of a surrogate pair stays an escape.
            (
                "event: content_block_delta\ndata: {\"type\": \"content_block_delta\", \"delta\": {\"text\": \"\\ud83d\"}}\n\nevent: content_block_delta\ndata: {\"type\": \"content_block_delta\", \"delta\": {\"text\": \"\\ude00 \\u00e9\"}}",
                Some(("\\ud83d\\ude00 é", Format)),
            ),
            // The last event is cut off.
            (
                "data: {\"type\": \"response.output_text.delta\", \"delta\": \"[1, \"}\n\ndata: {\"type\": \"response.output_text.de",
                Some(("[1, ", Format)),
            ),
            (
                "{\"model\": \"m\", \"response\": \"[\", \"done\": false}\n{\"model\": \"m\", \"response\": \"]\", \"done\": false}",
                Some(("[]", Format)),
            ),
            (
                "data: {\"type\": \"response.output_text.delta\", \"delta\": \"[]\"}",
                Some(("[]", Value)),
            ),
            ("data: {\"text\": \"[1\"}\n: ping\ndata: {\"text\": \"]\"}", Some(("[1]", Pieces))),
            ("{\"delta\": \"[\"}\n{\"delta\": \"]\"}\n[DONE]", Some(("[]", Pieces))),
            ("data: \"[\"\n\ndata: \"]\"", Some(("[]", Pieces))),
            ("data: {\"a\": 1,\n\ndata: \"b\": 2}", Some(("{\"a\": 1,\"b\": 2}", Pieces))),
            ("data: {\"a\": 1}\n\ndata: {\"a\": 2}", None),
            ("data: {\"text\": \"[1\"}", None),
            ("data: {\"text\": \"[1\"}\nand {\"text\": \"]\"}", None),
            ("{\"a\": 1}\n{\"a\": 2}", None),
            ("[{\"text\": \"[1\"},\n{\"text\": \"]\"}]", None),
        ] {
            let window = Window::whole(text);
            let capture = framed(&window).or_else(|| unframed(&window));
            let capture = capture.map(|outcome| outcome.expect(text));
            let found = capture.as_ref().map(|capture| {
                assert_eq!(capture.answers.len(), 1, "{text}");
                (capture.answers[0].layer.text.as_str(), capture.proof)
            });
            assert_eq!(found, expected, "{text}");
        }
    }
}
