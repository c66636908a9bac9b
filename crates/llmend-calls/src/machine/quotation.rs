//! Quotations: code spans, code blocks and tables, in which nothing is a call.

use llmend_json::Span;

use super::Machine;
use crate::input::{Input, Read, Stop};

/// An open code block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fence {
    /// Whether its language is one in which calls are examples.
    pub(super) code: bool,
    /// What closes it.
    pub(super) close: &'static str,
}

/// Languages of blocks that hold calls.
const CALLS: &[&str] = &[
    "tool_call",
    "tool_calls",
    "tool_code",
    "tool",
    "tool_use",
    "function_call",
    "function_calls",
    "action",
];
/// Languages of blocks that may hold calls.
const DATA: &[&str] = &["", "json", "jsonc", "json5", "text", "plaintext"];

/// What a code block is for, by its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// Calls.
    Calls,
    /// JSON or anything.
    Data,
    /// Results of calls.
    Results,
    /// A programming language.
    Code,
}

impl Language {
    pub(super) fn of(info: &str) -> Self {
        let name = info.trim().to_ascii_lowercase();
        if CALLS.contains(&name.as_str()) {
            Self::Calls
        } else if DATA.contains(&name.as_str()) {
            Self::Data
        } else if name.starts_with("tool_output") || name.starts_with("tool_result") {
            Self::Results
        } else {
            Self::Code
        }
    }
}

impl Machine {
    /// Returns whether the place is in a code span, a code block or a table.
    pub(super) fn is_quoted(&self, input: Input<'_>, at: usize) -> bool {
        if self.fence.is_some_and(|fence| fence.code) {
            return true;
        }
        let line = input.line_before(at);
        if line.is_empty() {
            return false;
        }
        let indented = line.starts_with("    ") || line.starts_with('\t');
        if indented && !self.prose.is_empty() {
            return true;
        }
        // A transcript names the speaker.
        let speaker = line.trim().trim_matches('*').strip_suffix(':').unwrap_or_default();
        if ["assistant", "model", "bot"].iter().any(|name| ends_with_word(speaker, name))
            && !self.prose.is_first_line()
        {
            return true;
        }
        let ticks = match line.bytes().filter(|byte| *byte == b'`').count() {
            0 => 0,
            ticks => ticks - 3 * line.matches("```").count(),
        };
        let table = line.trim_start().starts_with('|') && !line.trim_start().starts_with("|>");
        let quote = line.trim_start().starts_with("> ");
        ticks % 2 == 1 || table || quote
    }
}

impl Machine {
    /// Returns whether a tag with the name of a tool stands at the start of its line, or behind
    /// prose, but not within other markup.
    pub(super) fn stands_alone(&self, input: Input<'_>, at: usize) -> bool {
        let line = input.line_before(at);
        !line.trim_end().ends_with('>') || self.calls > 0
    }
}

/// Returns whether `text` ends with `word`, in any case.
fn ends_with_word(text: &str, word: &str) -> bool {
    let start = text.len().wrapping_sub(word.len());
    text.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(word))
}

/// Returns whether text is on both sides of `span` on its lines, as where prose mentions a tag.
pub(super) fn is_mentioned(input: Input<'_>, span: Span) -> Read<bool> {
    let words = |text: &str| text.chars().any(char::is_alphanumeric);
    let before = input.line_before(span.start);
    if !before.ends_with([' ', '(', '"', '\'']) || !words(before) {
        return Ok(false);
    }
    if input.byte(span.end).is_none() && !input.complete {
        return Err(Stop::More);
    }
    let after = input.from(span.end);
    if after.starts_with(char::is_alphanumeric) || after.starts_with('\n') {
        return Ok(false);
    }
    // It is quoted.
    if before.ends_with(['"', '\'']) && after.chars().next() == before.chars().next_back() {
        return Ok(true);
    }
    let after = input.whole_line_after(span.end)?.trim();
    let goes_on = after.starts_with(|c: char| c.is_lowercase() || ",;)\"'".contains(c));
    Ok(words(after) && goes_on)
}

/// Returns whether text is on both sides of a token that no call follows.
pub(super) fn is_named(input: Input<'_>, span: Span) -> Read<bool> {
    let words = |text: &str| text.chars().any(char::is_alphanumeric);
    if !words(input.line_before(span.start)) {
        return Ok(false);
    }
    if input.byte(span.end).is_none() && !input.complete {
        return Err(Stop::More);
    }
    // A mark right behind it belongs to the same notation.
    if input.from(span.end).starts_with('<') {
        return Ok(false);
    }
    Ok(words(input.whole_line_after(span.end)?))
}
