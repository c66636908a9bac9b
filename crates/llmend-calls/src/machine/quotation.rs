//! Quotations: code spans, code blocks, tables and quotation marks, in which nothing is a call.

use llmend_json::Span;

use super::Machine;
use crate::{
    found::{Body, Context, Found},
    input::{Input, Read, Stop},
    name,
};

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
        let ticks = match line.bytes().filter(|byte| *byte == b'`').count() {
            0 => 0,
            ticks => ticks - 3 * line.matches("```").count(),
        };
        // Text that is struck through.
        if line.trim_start().ends_with("~~") {
            return true;
        }
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

/// Pairs of quotation marks.
const QUOTES: &[(char, char)] = &[
    ('"', '"'),
    ('\'', '\''),
    ('(', ')'),
    ('“', '”'),
    ('„', '“'),
    ('„', '”'),
    ('‘', '’'),
    ('‚', '‘'),
    ('«', '»'),
    ('»', '«'),
    ('‹', '›'),
    ('「', '」'),
    ('『', '』'),
    ('《', '》'),
    ('〈', '〉'),
    ('（', '）'),
];

/// Returns whether text is on both sides of `span` on its lines, as where prose mentions a tag.
pub(super) fn is_mentioned(input: Input<'_>, span: Span) -> Read<bool> {
    let words = |text: &str| text.chars().any(char::is_alphanumeric);
    let before = input.line_before(span.start);
    let Some(last) = before.chars().next_back() else { return Ok(false) };
    if input.byte(span.end).is_none() && !input.complete {
        return Err(Stop::More);
    }
    let after = input.from(span.end);
    let next = after.chars().next();
    if let Some(next) = next
        && QUOTES.contains(&(last, next))
        && (words(before) || words(input.whole_line_after(span.end)?))
    {
        return Ok(true);
    }
    if let Some((_, close)) = open_quotation(before)
        && input.whole_line_after(span.end)?.contains(close)
    {
        return Ok(true);
    }
    let is_apart = last == ' ' || QUOTES.iter().any(|(open, _)| *open == last) || !last.is_ascii();
    if !is_apart || !words(before) || after.starts_with(char::is_alphanumeric) || next == Some('\n')
    {
        return Ok(false);
    }
    let after = input.whole_line_after(span.end)?.trim();
    let closes = |c: char| QUOTES.iter().any(|(_, close)| *close == c);
    let goes_on =
        after.starts_with(|c: char| c.is_lowercase() || ",;，；、".contains(c) || closes(c));
    Ok(words(after) && goes_on)
}

/// Returns the pair of quotation marks that was opened last in `before` and not closed.
fn open_quotation(before: &str) -> Option<(char, char)> {
    let (at, last) = before.char_indices().rev().find(|(_, c)| {
        !matches!(c, '\'' | '’' | '(' | ')')
            && QUOTES.iter().any(|(open, close)| open == c || close == c)
    })?;
    let pair = QUOTES.iter().find(|(open, _)| *open == last)?;
    let count = before.get(..=at).unwrap_or(before).matches(last).count();
    (pair.0 != pair.1 || count % 2 == 1).then_some(*pair)
}

impl Machine {
    /// Returns the text before `at` on its line, behind the last call.
    pub(super) fn own_line<'t>(&self, input: Input<'t>, at: usize) -> &'t str {
        let start = at - input.line_before(at).len();
        input.slice(start.max(self.called_to).min(at), at)
    }

    /// Returns whether a sentence is about the mark at `span`: it has words before it, behind the
    /// last call, and goes on or ends behind it.
    pub(super) fn is_in_sentence(&self, input: Input<'_>, span: Span) -> Read<bool> {
        if !self.own_line(input, span.start).contains(char::is_alphanumeric) {
            return Ok(false);
        }
        if is_named(input, span)? {
            return Ok(true);
        }
        let behind = input.whole_line_after(span.end)?.trim();
        Ok(!behind.is_empty() && ends_sentence(input, span)?)
    }

    /// Returns whether what stands behind a mark in a sentence is a word: the name of no tool, without
    /// arguments.
    pub(super) fn is_word(
        &self,
        input: Input<'_>,
        span: Span,
        body: &Body<'_>,
        context: Context<'_>,
    ) -> bool {
        let is_plain = |found: &Found<'_>| {
            found.arguments.value.root().is_empty()
                && name::resolve(&found.name, context.tools).tool.is_none()
        };
        self.own_line(input, span.start).contains(char::is_alphanumeric)
            && !span.of(input.text).contains(['{', '(', '='])
            && body.calls.iter().all(is_plain)
    }
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

/// What may stand between a mark with which a sentence ends and the end of the line.
const ENDS_OF_SENTENCES: &str = " .,;:!?…*_`\"'”’“»«」』)）。，；：！？";

/// Returns whether only the end of a sentence follows a mark on its line, or the end of the text.
pub(super) fn ends_sentence(input: Input<'_>, span: Span) -> Read<bool> {
    let line = input.whole_line_after(span.end)?.trim();
    if line.is_empty() && input.from(span.end).trim().is_empty() {
        return if input.complete { Ok(true) } else { Err(Stop::More) };
    }
    Ok(!line.is_empty() && line.chars().all(|c| ENDS_OF_SENTENCES.contains(c)))
}

/// Returns whether there is more behind a fence on its line than the name of a language.
pub(super) fn is_text(behind: &str) -> bool {
    behind.trim_start().starts_with(|c: char| !(c.is_alphanumeric() || matches!(c, '`' | '~')))
}

#[cfg(test)]
mod tests {
    use llmend_json::Span;

    use super::{ends_sentence, is_mentioned};
    use crate::input::Input;

    #[test]
    fn marks_that_prose_mentions() {
        for (before, after, expected) in [
            ("Write \"", "\" in a line.", true),
            ("Schreibe „", "“ in die Zeile.", true),
            ("Écrivez «", "».", true),
            ("格式为「", "」。", true),
            ("He said \"go and ", " at once\".", true),
            ("The model begins with ", " and then stops.", true),
            ("The form (", ") is old.", true),
            ("I look it up: ", "", false),
            ("I look it up: ", " Then I go on.", false),
            ("\"", "\"", true),
            ("", " and then stops.", false),
            ("It is 5\" wide. ", " Done.", false),
        ] {
            let text = format!("{before}<tool_call>{after}");
            let span = Span::new(before.len(), before.len() + "<tool_call>".len());
            assert_eq!(is_mentioned(Input::new(&text, true), span).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn marks_with_which_a_sentence_ends() {
        for (after, expected) in [
            ("", true),
            (".", true),
            ("”.\nMore.", true),
            ("\n", true),
            ("\nMore.", false),
            (" {\"name\": 1}", false),
            (" and more.", false),
        ] {
            let text = format!("So [TOOL_CALLS]{after}");
            let found = ends_sentence(Input::new(&text, true), Span::new(3, 15)).unwrap();
            assert_eq!(found, expected, "{text}");
        }
    }
}
