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

/// How words for an example begin, in several languages.
const EXAMPLE: &[&str] = &[
    "example",
    "for instance",
    "e.g.",
    "sample",
    "beispiel",
    "exemple",
    "ejemplo",
    "exemplo",
    "esempio",
    "voorbeeld",
    "пример",
    "例如",
    "示例",
    "例えば",
    "例：",
    "예를 들",
    "예시",
];

/// Returns whether the last line before that of `at` announces an example.
pub(super) fn is_announced_example(input: Input<'_>, at: usize) -> bool {
    let before = input.slice(0, at - input.line_before(at).len());
    let line = input.line_before(before.trim_end().len()).trim_end_matches(['*', '_', ' ']);
    line.ends_with([':', '：']) && names_example(line)
}

/// Returns whether the last line before that of `at` ends with a colon.
pub(super) fn is_introduced(input: Input<'_>, at: usize) -> bool {
    input.slice(0, at - input.line_before(at).len()).trim_end().ends_with([':', '：'])
}

/// Returns whether a line of the paragraph before that of `at` begins with the word for an example.
pub(super) fn is_in_example(input: Input<'_>, at: usize) -> bool {
    let mut end = at - input.line_before(at).len();
    while end > 0 {
        let line = input.line_before(end - 1);
        let words = line.trim_start_matches(['#', '*', '_', '-', ' ', '(']).to_lowercase();
        if EXAMPLE.iter().any(|word| words.starts_with(word)) {
            return true;
        }
        if line.trim().is_empty() {
            return false;
        }
        end -= (line.len() + 1).min(end);
    }
    false
}

/// Returns whether a line has the word for an example, not as part of a name: `example.com`.
fn names_example(line: &str) -> bool {
    let line = line.to_lowercase();
    let is_named = |word: &&str| {
        line.match_indices(*word).any(|(at, word)| {
            let rest = line.get(at + word.len()..).unwrap_or_default();
            !rest.starts_with(['.', '/', '@', '_'])
        })
    };
    EXAMPLE.iter().any(is_named)
}

/// Words of a clause that takes back, or makes depend on something, what it introduces.
const DENIALS: &[&str] = &[
    "never",
    "not",
    "don't",
    "don’t",
    "won't",
    "won’t",
    "can't",
    "mustn't",
    "avoid",
    "instead",
    "rather",
    "against",
    "would",
    "i'd",
    "once",
    "if",
    "should",
    "may",
    "shall",
    "usage",
    "syntax",
    "bad",
    "wrong", // German
    "nie",
    "niemals",
    "nicht",
    "statt",
    "hätte",
    "würde",
    "sobald",
    "wenn",
    "soll",
    "darf",
    "falsch", // French, Spanish, Italian, Portuguese
    "jamais",
    "n'envoyez",
    "n'appelle",
    "no",
    "nunca",
    "debes",
    "non",
    "mai",
    "não",
    // Russian
    "не",
    "никогда",
];
/// Words that make depend on something what follows.
const CONDITIONS: &[&str] =
    &["once", "if", "unless", "sobald", "wenn", "falls", "si", "если", "se"];
/// The same in scripts without blanks between words.
const DENIALS_INSIDE: &[&str] =
    &["不要", "不会", "不能", "请勿", "切勿", "别", "しない", "ません", "されたら", "않", "마세요"];

/// What opens a quotation on the line before it, in program text and markup.
const OPENERS: &[&str] = &[
    "\"\"\"",
    "'''",
    "\"",
    "'",
    "`",
    "“",
    "„",
    "«",
    "「",
    "----",
    "<<EOF",
    "{verbatim}",
    "{% raw %}",
];

/// Returns whether what stands right before the mark at `at` is no part of a sentence: the sign of a
/// comment, an assignment, or the beginning of a string or an element on the line before.
pub(super) fn is_set_off(input: Input<'_>, at: usize) -> bool {
    let own = input.line_before(at);
    let words = own.trim();
    if words.is_empty() {
        let before = input.slice(0, at - own.len()).trim_end();
        let line = input.line_before(before.len());
        return OPENERS.iter().any(|opener| line.ends_with(opener)) || opens_element(line);
    }
    let is_bullet = matches!(words, "-" | "*" | "•" | "**" | "→" | "…");
    let signs_alone = !words.chars().any(char::is_alphanumeric) && words.is_ascii();
    (signs_alone && !is_bullet) || words.ends_with('=') || opens_element(words)
}

/// Returns whether a line ends with a tag that opens an element of HTML or another markup.
fn opens_element(line: &str) -> bool {
    let tag = line.strip_suffix('>').and_then(|line| line.rsplit('<').next());
    tag.is_some_and(|tag| {
        let name = tag.split(' ').next().unwrap_or_default();
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric())
            && !matches!(name, "br" | "hr")
    })
}

/// Returns whether the clause right before the mark at `at` may deny it: `Never write`.
pub(super) fn is_denied(input: Input<'_>, at: usize) -> bool {
    let own = input.line_before(at);
    let line = if own.trim().is_empty() {
        let before = input.slice(0, at - own.len()).trim_end();
        input.line_before(before.len())
    } else {
        own
    };
    // A question, and a condition at the beginning.
    let first = line.split_whitespace().next().unwrap_or_default().to_lowercase();
    if line.trim_end().ends_with(['?', '？']) || CONDITIONS.contains(&first.as_str()) {
        return true;
    }
    let is_end =
        |c: char| matches!(c, ',' | '.' | ';' | ':' | '!' | '，' | '。' | '；' | '：' | ' ' | '*');
    let line = line.trim_end_matches(is_end).to_lowercase();
    let clause =
        line.rsplit([',', '.', ';', ':', '!', '?', '，', '。', '；']).next().unwrap_or(&line);
    let mut words = clause.split(|c: char| c.is_whitespace() || matches!(c, '"' | '*' | '(' | ')'));
    words.any(|word| DENIALS.contains(&word))
        || DENIALS_INSIDE.iter().any(|part| clause.contains(part))
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
