//! Values in YAML: a block of code that says so, or a whole text that is a mapping or sequence.
//!
//! YAML is read only where a text has no JSON, and translated to JSON as a whole under one rule.

use crate::{
    ErrorKind, Origin, Rule, Span,
    extract::{Build, FoundValue, Start, attempt},
    judge::yaml::{Outline, Setting, is_capital, is_worded},
    options::Settings,
    parser::{Budget, Log, Stop, ValueStats, Window},
};

mod document;
pub(crate) mod inside;
mod scalar;

/// Maximum length of a document in bytes.
const REACH: usize = 1 << 20;
/// How much of a line around a fence is read, in bytes.
const LINE_REACH: usize = 400;

/// Where a YAML document may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) span: Span,
    pub(super) origin: Origin,
    /// What surrounds it, or nothing if the text says that it is YAML.
    pub(super) setting: Option<Setting>,
    /// Whether the text ends before the block does.
    pub(super) cut: bool,
}

/// Returns whether the tag of a code block says YAML.
pub(super) fn is_tag(tag: &str) -> bool {
    tag.eq_ignore_ascii_case("yaml") || tag.eq_ignore_ascii_case("yml")
}

/// Returns the end of the content from `at` on of a block whose fence of `mark` opens at `open`, and
/// the end of the fence that closes it: alone on its line, and not further indented. A fence inside of
/// block text is.
pub(super) fn block_end(window: &Window<'_>, open: usize, at: usize, mark: u8) -> (usize, usize) {
    let length = window.run(open, |byte| byte == mark);
    let before = window.line_before(open, LINE_REACH).unwrap_or_default();
    let indent = if before.trim().is_empty() { before.len() } else { 0 };
    let mut place = at;
    while let Some(end) = window.find(place, usize::MAX, |bytes| memchr::memchr(b'\n', bytes)) {
        let line = end + 1;
        let space = window.run(line, |byte| byte == b' ');
        let marks = window.run(line + space, |byte| byte == mark);
        let closes = space <= indent && marks >= length;
        if closes && window.line_after(line + space + marks, LINE_REACH).trim().is_empty() {
            return (line, line + space + marks);
        }
        place = line;
    }
    (window.end(), window.end())
}

/// Reads the document in `block`. Returns `None` if it is not evidently YAML, and an error if it evidently
/// is and cannot be read.
pub(super) fn read<B: Build>(
    window: &Window<'_>,
    block: Block,
    options: &Settings<'_>,
    sink: &mut B,
) -> Result<Option<FoundValue<B>>, Stop> {
    let text = window.slice(block.span);
    if text.len() > REACH && block.setting.is_none() {
        let detail = "expected at most 1 MiB of YAML";
        return Err(Stop::new(ErrorKind::Unexpected, Span::at(block.span.start), detail));
    }
    if text.len() > REACH || !(block.setting.is_none() || opens(text)) {
        return Ok(None);
    }
    let is_data = |outline: &Outline| block.setting.is_none_or(|setting| outline.is_data(setting));
    let document = match document::translate(text, block.cut).map_err(|failed| *failed) {
        Ok(document) if is_data(&document.outline) => document,
        Err((fault, outline)) if is_data(&outline) => {
            let at = Span::at(block.span.start + fault.at);
            return Err(Stop::new(ErrorKind::Unexpected, at, fault.detail));
        }
        _ => return Ok(None),
    };
    let offset = block.span.start;
    let moved = |span: Span| Span::new(span.start + offset, span.end + offset);
    let all = document.places.first().map(|(_, span)| moved(*span)).unwrap_or_default();
    let mut log = Log::new(options);
    log.record(Rule::YamlDocument, all, document.json.clone().into())?;
    let copy = Window::whole(&document.json);
    let mut inner = B::for_text(document.json.len());
    let budget = &mut Budget::new(0);
    let found = attempt(&copy, 0, Start::Value, block.origin, options, budget, &mut inner)
        .map_err(|failed| Stop { span: all, ..failed.stop })?;
    let mut places = document.places.iter();
    let place = |span: Span| {
        let own = places.find(|(start, _)| *start >= span.start);
        own.map_or(all, |(_, span)| moved(*span))
    };
    sink.begin();
    Ok(Some(FoundValue {
        span: all,
        stats: ValueStats { escapes: false, ..found.stats },
        repairs: log.finish(),
        cut: block.cut.then_some(block.span.end),
        built: sink.adopt(inner, found.built, &document.json, place),
        ..found
    }))
}

/// Returns whether the first line with content begins a document, a sequence or a mapping.
fn opens(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(line) = lines.find(|line| !line.starts_with('#')) else { return false };
    let key = line.trim_start_matches("- ").split(':').next().unwrap_or_default();
    let name = key.trim_matches(['"', '\'']);
    let is_key = key.len() < line.len() && (is_worded(name) || is_capital(name));
    is_key || line == "---" || line.starts_with("- ")
}
