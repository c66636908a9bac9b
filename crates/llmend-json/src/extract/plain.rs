//! Texts without JSON that are a string value themselves.

use crate::{
    Options, Origin, Rule, Search, Span, WithoutJson,
    extract::{Build, FoundValue, stated},
    judge::words::word::{BareValue, classify},
    options::Settings,
    parser::{Log, ValueStats, Window, escape::escape_into},
    sink::Content,
};

/// Maximum length of such a text in bytes, where JSON was searched for. A longer one is more than one
/// value.
const REACH: usize = 1 << 10;

/// Returns the text from `from` on as a string, without tokens of a chat template around it, if the
/// options allow it.
pub(super) fn text<B: Build>(
    window: &Window<'_>,
    from: usize,
    options: &Settings<'_>,
    sink: &mut B,
) -> Option<FoundValue<B>> {
    if !allows(options) {
        return None;
    }
    let span = match options.search {
        // The text is the value, whatever it looks like.
        Search::Off => trimmed(window, from),
        Search::On => stated::content(window, from),
    };
    let text = window.slice(span);
    if let Some(word) = expected_word(text, options) {
        return string(window, span, word, options, sink);
    }
    // A text with brackets was meant as something else that cannot be parsed.
    let is_more = || text.len() > REACH || text.contains(['{', '}', '[', ']']);
    if text.is_empty() || (options.search == Search::On && is_more()) {
        return None;
    }
    words(window, span, options, sink)
}

/// Returns the only word in brackets (`[TWO]`) that a text is, if it is expected.
fn expected_word<'t>(text: &'t str, options: &Options) -> Option<&'t str> {
    let word = text.strip_prefix('[')?.strip_suffix(']')?;
    options.hints.words.iter().any(|known| known.eq_ignore_ascii_case(word)).then_some(word)
}

/// Returns the span of the text from `from` on without white space around it.
fn trimmed(window: &Window<'_>, from: usize) -> Span {
    let start = window.skip_space(from);
    Span::new(start, start + window.rest(start).trim_end().len())
}

/// Returns the span of the number with separators (`12,111`) that the text from `from` on is, where a
/// scalar may be the value. Elsewhere it is a list of two.
pub(super) fn number(window: &Window<'_>, from: usize, options: &Options) -> Option<Span> {
    let span = trimmed(window, from);
    (allows(options) && matches!(classify(window.slice(span)), BareValue::Thousands(_)))
        .then_some(span)
}

/// Returns the text at `span` as a string.
pub(super) fn words<B: Build>(
    window: &Window<'_>,
    span: Span,
    options: &Settings<'_>,
    sink: &mut B,
) -> Option<FoundValue<B>> {
    string(window, span, window.slice(span), options, sink)
}

/// Returns what is at `span` as the string `text`.
fn string<B: Build>(
    window: &Window<'_>,
    span: Span,
    text: &str,
    options: &Settings<'_>,
    sink: &mut B,
) -> Option<FoundValue<B>> {
    let mut escaped = String::with_capacity(text.len());
    escape_into(text, &mut escaped).ok()?;
    let mut log = Log::new(options);
    log.record(Rule::BareString, span, format!("\"{escaped}\"").into()).ok()?;
    sink.begin();
    sink.string(window, span, Content::Repaired(&escaped));
    Some(FoundValue {
        span,
        origin: Origin::Whole,
        repairs: log.finish(),
        cut: None,
        stats: ValueStats::default(),
        in_failure: false,
        built: sink.end(),
    })
}

/// Returns whether a text without JSON may be a string.
pub(super) fn allows(options: &Options) -> bool {
    options.hints.without_json == WithoutJson::Text && options.rules.contains(Rule::BareString)
}
