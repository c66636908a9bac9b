//! Values under a layer as a whole: escapes, or prefixes of lines.
//!
//! A layer of escapes is undone in a rewritten copy of the text. The parser reads the copy, and its
//! repairs are composed with those that undid the layer, so that every repair has its location in
//! the caller's text.

use crate::{
    ErrorKind, Origin, Repair, Rule, Span,
    extract::{Build, FoundValue, Start, attempt},
    judge::words::tag,
    options::Settings,
    parser::{Budget, Stop, ValueStats, Window, space},
};

mod compose;
pub(super) mod decoding;
pub(crate) mod difference;
pub(crate) mod entity;
mod latex;
pub(crate) mod lines;
mod places;
pub(super) mod unit;
mod visible;

pub(crate) use compose::compose;
use decoding::Decoding;
use lines::Prefix;
pub(crate) use places::Places;

/// Maximum number of escaped values tried in one text, since each costs a copy.
pub(crate) const MAX_LAYERED: usize = 4;
/// How far the first key of an escaped value is searched for, in bytes.
const KIND_REACH: usize = 120;
/// How far a quote inside single quotes is searched for, in bytes.
const SHELL_REACH: usize = 1 << 12;
/// Maximum number of layers over one value.
const DEPTH: usize = 3;

/// How a whole value is escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayerKind {
    /// `{\"a\": 1}`
    Backslash,
    /// `{\u0022a\u0022: 1}`
    Unit,
    /// `{&quot;a&quot;: 1}`
    Entity,
    /// `"{""a"": 1}"`
    Csv,
    /// `'{"a": "it'\\''s"}'`
    Shell,
    /// `> {` and `> "a": 1 }`
    Lines(Prefix),
    /// ` {`, `-"a": 1`, `+"a": 2` and ` }`
    Difference,
    /// `{Ġ"a":Ġ1}`
    Decoding(&'static Decoding),
    /// `\{\text{"a"}:\ 1\}`
    Latex,
    /// `{¶` and `··"a":·1¶`
    Visible,
}

/// A text without its layer of escapes, and the repairs that removed it.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) text: String,
    /// Repairs of the caller's text. Invariant: sorted and disjoint.
    edits: Vec<Repair>,
    /// Start of the copy in the caller's text.
    start: usize,
    /// End of the copied text in the caller's text.
    end: usize,
}

/// Returns the layer over the value that starts with the bracket at `at`.
pub(crate) fn kind_at(window: &Window<'_>, at: usize) -> Option<LayerKind> {
    if difference::is_at(window, at) {
        return Some(LayerKind::Difference);
    }
    if let Some(prefix) = lines::prefix_at(window, at) {
        return Some(LayerKind::Lines(prefix));
    }
    if is_in_shell(window, at) {
        return Some(LayerKind::Shell);
    }
    if latex::is_at(window, at) {
        return Some(LayerKind::Latex);
    }
    if visible::is_at(window, at) {
        return Some(LayerKind::Visible);
    }
    if let Some(decoding) = decoding::missing_at(window, at) {
        return Some(LayerKind::Decoding(decoding));
    }
    // Most values begin with an unescaped key or string.
    if window.byte(window.skip_space(at + 1)) == Some(b'"') {
        return None;
    }
    let matches_at = |at: usize, marks: &[&str]| {
        marks.iter().any(|mark| window.starts_with(at, mark.as_bytes()))
    };
    let is_before = |c: char| c.is_whitespace() || matches!(c, '{' | '[');
    let mut key = at;
    loop {
        let next = key + window.short_word(key, KIND_REACH, is_before);
        let mark = [r"\r\n", r"\n", r"\\n"].into_iter().find(|mark| matches_at(next, &[mark]));
        let space = mark.map(str::len).or_else(|| space::written_space(window, next));
        let space = space.or_else(|| tag::one(window, next));
        let end = next + space.unwrap_or(0);
        if end == key {
            break;
        }
        if end > at + KIND_REACH {
            return None;
        }
        key = end;
    }
    match window.byte(key)? {
        b'\\' if unit::is_quote(window, key) => Some(LayerKind::Unit),
        b'\\' if matches_at(key, &[r#"\""#, r#"\\""#, r#"\\\""#]) => Some(LayerKind::Backslash),
        b'&' if entity::is_quote(window, key) => Some(LayerKind::Entity),
        _ => None,
    }
}

/// Returns whether the value at `at` is in single quotes of a shell, with one written inside.
fn is_in_shell(window: &Window<'_>, at: usize) -> bool {
    let quoted = window.character_before(at) == Some('\'');
    let first = || window.near(at, SHELL_REACH).find('\'');
    quoted && first().is_some_and(|quote| window.starts_with(at + quote, b"'\\''"))
}

/// Returns the length of the value that `text` begins with up to the quote that ends its quotation:
/// the first one without a backslash behind a closing bracket.
fn quotation(text: &str) -> Option<usize> {
    memchr::memchr_iter(b'"', text.as_bytes())
        .find(|&at| text.get(..at).is_some_and(|before| before.trim_end().ends_with(['}', ']'])))
}

/// Returns the first bracket of the line at `at` from whose line on all lines have a prefix.
pub(crate) fn prefixed(window: &Window<'_>, at: usize) -> Option<usize> {
    let line = window.line_after(at, KIND_REACH);
    let mut brackets = line.match_indices(['{', '[']).map(|(place, _)| at + place);
    brackets.find(|&place| lines::prefix_at(window, place).is_some())
}

/// Returns the layer of a CSV field whose opening quote is at `at`.
pub(crate) fn csv_at(window: &Window<'_>, at: usize) -> Option<LayerKind> {
    let key = at + 1 + window.run(at + 1, |byte| matches!(byte, b'{' | b'[' | b' ' | b'\n'));
    (key > at + 1 && window.byte(at) == Some(b'"') && window.starts_with(key, b"\"\""))
        .then_some(LayerKind::Csv)
}

/// Tries to parse the value at `at` without its layers.
pub(crate) fn attempt_layered<B: Build>(
    window: &Window<'_>,
    at: usize,
    kind: LayerKind,
    options: &Settings<'_>,
    sink: &mut B,
) -> Result<Option<FoundValue<B>>, Stop> {
    let mut layer = Layer::all(window, at, kind);
    let copy = Window::whole(&layer.text);
    let mut inner = B::for_text(layer.text.len().min(crate::extract::INITIAL_CAPACITY));
    let budget = &mut Budget::new(0);
    let attempt =
        attempt(&copy, 0, Start::Value, Origin::Escaped, options, budget, &mut inner).ok();
    let is_lines = matches!(kind, LayerKind::Lines(_) | LayerKind::Difference);
    // A value that is still open may go on in lines without the prefix.
    let is_whole = |found: &FoundValue<B>| found.cut.is_none() || layer.end == window.end();
    let Some(found) = attempt.filter(|found| !is_lines || is_whole(found)) else {
        if is_lines {
            let detail = "cannot tell which lines belong to the value";
            return Err(Stop::new(ErrorKind::Ambiguous, Span::new(at, layer.end), detail));
        }
        return Ok(None);
    };
    let has_line_break = || found.repairs.iter().any(|repair| repair.rule == Rule::RawNewline);
    if matches!(kind, LayerKind::Lines(prefix) if prefix.is_log(window)) && has_line_break() {
        // The lines may as well be pieces of one.
        let detail = "cannot tell whether a line break of the log is in a string";
        return Err(Stop::new(ErrorKind::Ambiguous, Span::new(at, layer.end), detail));
    }
    let stats = &found.stats;
    // Items between escaped quotes are parsed as they are. No other rule knows these signs.
    let is_known =
        !is_lines && !matches!(kind, LayerKind::Backslash | LayerKind::Csv | LayerKind::Shell);
    let items = is_known && stats.words == 0 && stats.scalars > 0;
    if stats.solid == 0 && !items && !is_lines {
        return Ok(None);
    }
    if !options.rules.contains(kind.rule()) {
        let span = layer.edits.first().map_or(Span::at(at), |edit| edit.span);
        return Err(Stop::new(ErrorKind::Refused(kind.rule()), span, ""));
    }
    let read = found.span.end;
    let mut places = layer.places();
    let mut end = places.of(read);
    if kind == LayerKind::Csv
        && let Some(closed) = layer.close_field(window, end)
    {
        end = closed;
        places = layer.places();
    }
    let mut repairs = compose(window.text, &layer, &found.repairs, read);
    repairs.retain(|repair| repair.span.end <= end);
    let cut = found.cut.map(|cut| places.of(cut).min(end));
    let stats = ValueStats { escapes: false, ..found.stats };
    sink.begin();
    Ok(Some(FoundValue {
        span: Span::new(at, end),
        stats,
        repairs,
        cut,
        built: sink.adopt(inner, found.built, &layer.text, places.of_spans()),
        ..found
    }))
}

impl LayerKind {
    const fn rule(self) -> Rule {
        match self {
            Self::Backslash | Self::Unit | Self::Shell => Rule::EscapedDocument,
            Self::Entity => Rule::EntityDocument,
            Self::Csv => Rule::CsvDocument,
            Self::Lines(_) => Rule::LinePrefix,
            Self::Difference => Rule::Difference,
            Self::Decoding(_) | Self::Latex | Self::Visible => Rule::MissingDecoding,
        }
    }

    /// Returns the character that every escape starts with.
    const fn mark(self) -> u8 {
        match self {
            Self::Backslash | Self::Unit => b'\\',
            Self::Entity => b'&',
            Self::Csv => b'"',
            Self::Shell => b'\'',
            Self::Lines(_) | Self::Difference | Self::Latex | Self::Visible => b'\n',
            Self::Decoding(decoding) => decoding.mark,
        }
    }

    /// Returns the length of the escape at the start of `rest` and its meaning.
    fn undo(self, rest: &str) -> Option<(usize, &'static str)> {
        match self {
            Self::Backslash => undo_backslash(rest),
            Self::Unit => undo_backslash(rest).or_else(|| unit::undo(rest)),
            Self::Entity => entity::undo(rest),
            Self::Csv => rest.starts_with("\"\"").then_some((2, "\"")),
            Self::Shell => rest.starts_with("'\\''").then_some((4, "'")),
            Self::Lines(_) | Self::Difference | Self::Latex | Self::Visible => None,
            Self::Decoding(decoding) => decoding.undo(rest),
        }
    }
}

/// Returns the length of the escape of a string at the start of `rest`, and its meaning.
pub(super) fn undo_backslash(rest: &str) -> Option<(usize, &'static str)> {
    let meant = match rest.as_bytes().get(..2)? {
        b"\\\"" => "\"",
        b"\\\\" => "\\",
        b"\\/" => "/",
        b"\\n" => "\n",
        b"\\r" => "\r",
        b"\\t" => "\t",
        _ => return None,
    };
    Some((2, meant))
}

impl Layer {
    /// Undoes one layer of `kind` over `text`, which starts at `start` of the caller's text.
    fn new(text: &str, start: usize, kind: LayerKind) -> Self {
        let (mark, rule) = (kind.mark(), kind.rule());
        let end = start + text.len();
        let mut out = String::with_capacity(text.len());
        let mut edits = Vec::new();
        let mut at = 0;
        if kind == LayerKind::Csv {
            edits.push(Repair { rule, span: Span::new(start, start + 1), replacement: "".into() });
            at = 1;
        }
        while let Some(found) = memchr::memchr(mark, text.as_bytes().get(at..).unwrap_or_default())
        {
            let place = at + found;
            out.push_str(text.get(at..place).unwrap_or_default());
            let rest = text.get(place..).unwrap_or_default();
            match kind.undo(rest) {
                Some((length, meant)) => {
                    out.push_str(meant);
                    let span = Span::new(start + place, start + place + length);
                    edits.push(Repair { rule, span, replacement: meant.into() });
                    at = place + length;
                }
                None if matches!(kind, LayerKind::Csv | LayerKind::Shell) => {
                    // A single quote ends the field.
                    return Self { text: out, edits, start, end };
                }
                None => {
                    let other = rest.chars().next().unwrap_or_default();
                    out.push(other);
                    at = place + other.len_utf8();
                }
            }
        }
        out.push_str(text.get(at..).unwrap_or_default());
        Self { text: out, edits, start, end }
    }

    /// Creates the layer that `edits` remove from the text up to `end`, with `text` as the copy.
    pub(crate) const fn of_copy(text: String, edits: Vec<Repair>, end: usize) -> Self {
        Self { text, edits, start: 0, end }
    }

    /// Applies `edits`, which are sorted and disjoint, to the text from `at` on.
    pub(super) fn edited(window: &Window<'_>, at: usize, edits: Vec<Repair>) -> Self {
        let end = window.end();
        let text = crate::apply(window.text, Span::new(at, end), &edits);
        Self { text, edits, start: at, end }
    }

    /// Removes `spans` from the lines from `at` to `end`.
    fn without(window: &Window<'_>, at: usize, end: usize, spans: Vec<Span>, rule: Rule) -> Self {
        let mut text = String::with_capacity(end - at);
        let (mut edits, mut from) = (Vec::with_capacity(spans.len()), at);
        for span in spans {
            text.push_str(window.slice(Span::new(from, span.start)));
            from = span.end;
            if !span.is_empty() {
                edits.push(Repair { rule, span, replacement: "".into() });
            }
        }
        text.push_str(window.slice(Span::new(from, end)));
        Self { text, edits, start: at, end }
    }

    /// Undoes all layers over the value at `at`. The outermost is of `kind`.
    fn all(window: &Window<'_>, at: usize, kind: LayerKind) -> Self {
        let mut layer = match kind {
            LayerKind::Lines(prefix) => {
                let lines::Prefixes { spans, end } = lines::all(window, at, prefix);
                Self::without(window, at, end, spans, kind.rule())
            }
            LayerKind::Difference => {
                let (spans, end) = difference::edits(window, at);
                Self::without(window, at, end, spans, kind.rule())
            }
            LayerKind::Latex => Self::edited(window, at, latex::edits(window, at)),
            LayerKind::Visible => Self::edited(window, at, visible::edits(window, at)),
            LayerKind::Backslash | LayerKind::Unit if window.byte_before(at) == Some(b'"') => {
                let rest = window.rest(at);
                let end = quotation(rest).unwrap_or(rest.len());
                Self::new(rest.get(..end).unwrap_or(rest), at, kind)
            }
            _ => Self::new(window.rest(at), at, kind),
        };
        for _ in 1..DEPTH {
            let copy = Window::whole(&layer.text);
            let Some(inner) = kind_at(&copy, 0) else { break };
            let second = Self::new(&layer.text, 0, inner);
            layer = Self {
                edits: compose(window.text, &layer, &second.edits, layer.text.len()),
                text: second.text,
                start: at,
                end: layer.end,
            };
        }
        layer
    }

    /// Removes the closing quote of a CSV field whose value ends at `end` of the caller's text, and
    /// returns the end of the field.
    fn close_field(&mut self, window: &Window<'_>, end: usize) -> Option<usize> {
        let close = window.skip_space(end);
        if window.byte(close) != Some(b'"') {
            return None;
        }
        self.edits.retain(|edit| edit.span.end <= end);
        let span = Span::new(end, close + 1);
        self.edits.push(Repair { rule: LayerKind::Csv.rule(), span, replacement: "".into() });
        Some(span.end)
    }

    /// Returns whether it removes anything in `span` of the caller's text.
    pub(crate) fn is_over(&self, span: Span) -> bool {
        self.edits.iter().any(|edit| span.start <= edit.span.start && edit.span.end <= span.end)
    }

    /// Returns a map from the copy to the caller's text.
    pub(crate) fn places(&self) -> Places {
        Places::new(self.start, &self.edits)
    }
}

#[cfg(test)]
mod tests {
    use super::{Layer, LayerKind, compose, kind_at};
    use crate::{Repair, Rule, Span, apply, parser::Window};

    #[test]
    fn layers_are_undone_once() {
        for (text, kind, expected) in [
            (r#"{\"a\": \"b\\nc\"}"#, LayerKind::Backslash, r#"{"a": "b\nc"}"#),
            (
                "{&quot;a&quot;: &quot;x &amp;amp; y&quot;}",
                LayerKind::Entity,
                "{\"a\": \"x &amp; y\"}",
            ),
            (
                r"{\u0022a\u0022: \u0022b\u005C\u0022\u00e9\u0022}",
                LayerKind::Unit,
                r#"{"a": "b\"\u00e9"}"#,
            ),
            ("\"{\"\"a\"\": 1}\", 2", LayerKind::Csv, "{\"a\": 1}"),
        ] {
            assert_eq!(Layer::new(text, 0, kind).text, expected, "{text}");
        }
    }

    #[test]
    fn white_space_before_the_first_key() {
        for (text, is_layer) in [
            ("{&quot;a&quot;: 1}", true),
            ("{ <br>\n&nbsp;&quot;a&quot;: 1}", true),
            (r#"{\n \"a\": 1}"#, true),
            ("{<br>\"a\": 1}", false),
            ("{<b>&quot;a&quot;: 1}", true),
            ("{<table>&quot;a&quot;: 1}", false),
        ] {
            assert_eq!(kind_at(&Window::whole(text), 0).is_some(), is_layer, "{text}");
        }
    }

    #[test]
    fn edits_of_the_copy_are_mapped_back() {
        let text = r#"{\"a\": \"b\",}"#;
        let layer = Layer::new(text, 0, LayerKind::Backslash);
        assert_eq!(layer.text, r#"{"a": "b",}"#);
        let comma =
            Repair { rule: Rule::TrailingComma, span: Span::new(9, 10), replacement: "".into() };
        let all = compose(text, &layer, &[comma], layer.text.len());
        assert_eq!(apply(text, Span::new(0, text.len()), &all), r#"{"a": "b"}"#);
    }
}
