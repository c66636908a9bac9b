//! Texts without JSON that are a string value themselves.

use crate::{
    Options, Origin, Rule, Span, WithoutJson,
    extract::{Build, FoundValue},
    options::Settings,
    parser::{Log, ValueStats, Window, escape::escape_into},
    sink::Content,
};

/// Maximum length of such a text in bytes. A longer one is more than one value.
const REACH: usize = 1 << 10;

/// Returns the whole text as a string, if the options allow it.
pub(super) fn text<B: Build>(
    window: &Window<'_>,
    options: &Settings<'_>,
    sink: &mut B,
) -> Option<FoundValue<B>> {
    if !allows(options) {
        return None;
    }
    let start = window.skip_space(window.base);
    let text = window.rest(start).trim_end();
    // A text with brackets was meant as something else that cannot be parsed.
    if text.is_empty() || text.len() > REACH || text.contains(['{', '}', '[', ']']) {
        return None;
    }
    words(window, Span::new(start, start + text.len()), options, sink)
}

/// Returns the text at `span` as a string.
pub(super) fn words<B: Build>(
    window: &Window<'_>,
    span: Span,
    options: &Settings<'_>,
    sink: &mut B,
) -> Option<FoundValue<B>> {
    let text = window.slice(span);
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
