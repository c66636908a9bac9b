//! Interjections: text between members or items that is not part of the value.
//!
//! A model may interrupt a value: with a line of prose, a heading or ruler, a block of reasoning, a
//! token of its chat template, or the end of one code block and the start of the next. The value
//! goes on after it as if it were not there.

use crate::{
    judge::{
        key::{bare_key, opens_key},
        string::end_token,
        words::annotation,
    },
    parser::{Window, quote, space},
    sink::Container,
};

mod block;
pub(crate) mod conflict;
mod line;
pub(crate) mod outdent;
pub(crate) mod seam;

use line::Grade;

/// Longest line that is read, in bytes.
const LINE_REACH: usize = 320;
/// Longest white space behind a comma, in bytes.
const SPACE_REACH: usize = 40;
/// Most lines in a row.
const LINES: usize = 8;
/// Longest reasoning, in bytes.
const REASONING_REACH: usize = 1 << 12;
/// Tags of reasoning.
const REASONING: &[(&str, &str)] = &[
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<scratchpad>", "</scratchpad>"),
];
/// Words that join two items of a list in prose.
const JOINS: &[&str] = &["and", "then", "plus", "und", "et", "y", "e", "i", "ve", "и", "和"];

/// Returns the end of the interjection at `at`, where the innermost container, of kind `top`, may
/// continue or end, if it does so after the interjection. What is read is taken off `budget`.
pub(crate) fn end(
    window: &Window<'_>,
    at: usize,
    top: Container,
    budget: &mut usize,
) -> Option<usize> {
    // What begins a token is told first: a stream waits for all that is looked at.
    inside(window, at, top, budget)
        .or_else(|| if begins_token(window, at) { None } else { tail(window, at, top) })
}

/// Returns the end of the interjection at `at` that may also be inside a string with unescaped quotes.
fn inside(window: &Window<'_>, at: usize, top: Container, budget: &mut usize) -> Option<usize> {
    if let Some(end) = outdent::end(window, at, top, budget) {
        return Some(end);
    }
    if begins_token(window, at) {
        return None;
    }
    enclosed(window, at, top, budget)
        .or_else(|| block::end(window, at, top, budget))
        .or_else(|| lines(window, at, top, budget))
        .or_else(|| words(window, at, top, budget))
        .or_else(|| closing_notice(window, at))
}

/// Returns the end of the interjection at `at`, or of the line there that may be one.
pub(crate) fn end_of_any(
    window: &Window<'_>,
    at: usize,
    top: Container,
    budget: &mut usize,
) -> Option<usize> {
    inside(window, at, top, budget).or_else(|| {
        let may_be = top == Container::Array && !begins_token(window, at);
        (may_be && is_unclear(window, at))
            .then(|| at + window.line_after(at, LINE_REACH).trim_end().len())
    })
}

/// Takes the reading of `bytes` bytes off `budget`. They are read quickly.
fn pay(budget: &mut usize, bytes: usize) {
    *budget = budget.saturating_sub(1 + bytes / 4);
}

/// Returns whether only white space is before `at` on its line.
fn begins_line(window: &Window<'_>, at: usize) -> bool {
    // Mostly, one byte tells, without a search for the line.
    let may_be_blank = |byte: u8| byte.is_ascii_control() || !byte.is_ascii();
    window.byte_before(at).is_none_or(may_be_blank)
        && window.line_before(at, LINE_REACH).is_some_and(|line| line.trim().is_empty())
}

/// Returns whether a byte with which most tokens begin, or a literal, is at `at`.
fn begins_token(window: &Window<'_>, at: usize) -> bool {
    match window.byte(at) {
        Some(b'"' | b'\'' | b',' | b':' | b'{' | b'}' | b']' | b'0'..=b'9') => true,
        Some(b't' | b'f' | b'n') => ["true", "false", "null"].iter().any(|literal| {
            window.starts_with(at, literal.as_bytes())
                && !window.byte(at + literal.len()).is_some_and(|byte| byte.is_ascii_alphanumeric())
        }),
        _ => false,
    }
}

/// Returns whether the line at `at` in a list may be an item as well as an interjection: words
/// without quotes and without a comma, before an item in quotes or brackets.
pub(crate) fn is_unclear(window: &Window<'_>, at: usize) -> bool {
    if conflict::is_at(window, at) {
        return true;
    }
    let line = || window.line_after(at, LINE_REACH);
    match window.line_before(at, LINE_REACH).map(str::trim) {
        Some("") => {
            let next = || window.skip_space(at + line().len());
            line::grade(line().trim()).is_some()
                && matches!(window.byte(next()), Some(b'"' | b'{' | b'['))
        }
        Some("[") => line::is_note_in_brackets(line().trim_end()),
        _ => false,
    }
}

/// Returns whether the last line of a string that is cut off says that the text is, in brackets.
pub(crate) fn ends_in_notice(text: &str) -> bool {
    let text = text.trim_end();
    let end = memchr::memrchr(b'\n', text.as_bytes());
    end.and_then(|end| text.get(end + 1..)).is_some_and(|line| line::is_notice(line.trim()))
}

/// Returns the end of the line at `at`, the last one of the text or block, if it says in brackets
/// that the text is cut off.
fn closing_notice(window: &Window<'_>, at: usize) -> Option<usize> {
    if !matches!(window.byte(at), Some(b'(' | b'[' | b'<')) || !begins_line(window, at) {
        return None;
    }
    let line = window.line_after(at, LINE_REACH).trim_end();
    let end = at + line.len();
    let last = || matches!(window.byte(window.skip_space(end)), None | Some(b'`'));
    (line::is_notice(line) && last()).then_some(end)
}

/// Returns whether a line says in brackets that the text is cut off.
pub(super) fn is_notice(line: &str) -> bool {
    line::is_notice(line)
}

/// Returns the end of the citations at `at`, as search tools put them into an answer.
fn citation(window: &Window<'_>, at: usize) -> Option<usize> {
    // The first byte of the bracket, too.
    if !matches!(window.byte(at), Some(0xE3 | b':')) {
        return None;
    }
    let line = window.line_after(at, LINE_REACH);
    let length = if line.starts_with('【') {
        let end = line.find('】')? + '】'.len_utf8();
        line.get(..end)?.contains('†').then_some(end)?
    } else {
        line.starts_with(":contentReference[").then(|| line.find('}'))?? + 1
    };
    Some(at + length)
}

/// Returns the end of the reasoning, the tokens or the citation at `at`.
fn enclosed(window: &Window<'_>, at: usize, top: Container, budget: &mut usize) -> Option<usize> {
    if let Some(end) = citation(window, at) {
        return continues(window, window.skip_space(end), top, Grade::Heading).then_some(end);
    }
    if window.byte(at) != Some(b'<') {
        return None;
    }
    let tags = REASONING.iter().find(|(open, _)| window.starts_with(at, open.as_bytes()));
    let end = if let Some((_, close)) = tags {
        let find = |bytes: &[u8]| memchr::memmem::find(bytes, close.as_bytes());
        let end = window.find(at, REASONING_REACH, find);
        pay(budget, end.unwrap_or(at + REASONING_REACH) - at);
        end? + close.len()
    } else {
        let mut end = at;
        while let Some(length) = end_token::length(window.line_after(end, LINE_REACH)) {
            end = window.skip_space(end + length);
        }
        end
    };
    (end > at && continues(window, window.skip_space(end), top, Grade::Heading)).then_some(end)
}

/// Returns the end of the whole lines of prose at `at`.
fn lines(window: &Window<'_>, at: usize, top: Container, budget: &mut usize) -> Option<usize> {
    if !begins_line(window, at) {
        return None;
    }
    let mut place = at;
    let mut grade = Grade::Heading;
    for _ in 0..LINES {
        let line = window.line_after(place, LINE_REACH);
        pay(budget, line.len());
        let end = place + line.len();
        if window.byte(end) != Some(b'\n') {
            return None;
        }
        let own = line::grade(line.trim())?;
        // A key without quotes, and its value.
        let member = own != Grade::Heading && own != Grade::Title;
        if member && bare_key(window, place).is_some() {
            return None;
        }
        grade = grade.min(own);
        let next = window.skip_space(end);
        if continues(window, next, top, grade) {
            return Some(place + line.trim_end().len());
        }
        place = next;
    }
    None
}

/// Returns the end of the text at `at` behind a comma, up to the end of the line, if it can be no member
/// and the container continues on the next line.
fn tail(window: &Window<'_>, at: usize, top: Container) -> Option<usize> {
    let line = window.line_after(at, LINE_REACH);
    let end = at + line.len();
    let text = line.trim_end();
    let is_space = |c: char| c.is_whitespace() || space::is_unusual_space(c);
    let before = window.before(at, SPACE_REACH).trim_end_matches(is_space);
    let own_line = window.line_before(at, LINE_REACH)?.trim().is_empty();
    if own_line || !before.ends_with(',') || window.byte(end) != Some(b'\n') {
        return None;
    }
    let next = window.skip_space(end);
    let sound = match top {
        Container::Object => {
            opens_key(window, next) && (line::is_loose(text) || is_annotation(window, at, text))
        }
        // Words may be an item.
        Container::Array => line::is_loose(text) && is_record(window, at, next),
    };
    let arrow = ["←", "⟵", "⇐", "<-", "<="].iter().any(|arrow| line.starts_with(arrow));
    ((arrow || sound) && continues(window, next, top, Grade::Heading)).then_some(at + text.len())
}

/// Returns whether `text` at `at` consists of annotations: `[3]`, as behind a value.
fn is_annotation(window: &Window<'_>, at: usize, text: &str) -> bool {
    annotation::end(window, usize::MAX, at, Some(Container::Object)) == Some(at + text.len())
}

/// Returns whether an object ends before the comma before `at`, and another one begins at `next`.
fn is_record(window: &Window<'_>, at: usize, next: usize) -> bool {
    let before = window.before(at, LINE_REACH).trim_end().trim_end_matches(',').trim_end();
    before.ends_with('}') && matches!(window.byte(next), Some(b'{' | b']'))
}

/// Returns the end of the words at `at`, before the next member or object on the same line.
fn words(window: &Window<'_>, at: usize, top: Container, budget: &mut usize) -> Option<usize> {
    let (mark, before) = match top {
        Container::Object => ('"', ","),
        Container::Array => ('{', ",}"),
    };
    let last = window.byte_before(at)?;
    if !before.as_bytes().contains(&last) {
        return None;
    }
    let line = window.line_after(at, LINE_REACH);
    pay(budget, line.len());
    // `"a", and "b"`
    let quote = line.find('"').unwrap_or_default();
    let item = line.get(..quote).unwrap_or_default().trim_end();
    if last == b','
        && JOINS.contains(&item)
        && (top == Container::Array || opens_key(window, at + quote))
    {
        return Some(at + item.len());
    }
    let length = line.find(mark)?;
    let text = line.get(..length)?.trim_end();
    let follows = match top {
        Container::Object => {
            (line::is_aside(text) || line::is_noise(text)) && opens_key(window, at + length)
        }
        Container::Array => {
            let key = window.skip_space(at + length + 1);
            let joins = || text.split([' ', ',']).any(|word| JOINS.contains(&word));
            let words = text.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | ','));
            ((words && (text.contains(' ') || joins())) || line::is_noise(text))
                && opens_key(window, key)
        }
    };
    follows.then_some(at + text.len())
}

/// Returns whether the container of kind `top` continues or ends at `at`, after an interjection of
/// this grade.
fn continues(window: &Window<'_>, at: usize, top: Container, grade: Grade) -> bool {
    let Some(character) = window.character(at) else { return false };
    match (character, top) {
        (',', _) => grade == Grade::Heading,
        ('}', Container::Object) | (']', Container::Array) => grade >= Grade::Sentence,
        (_, Container::Object) => opens_key(window, at),
        ('{' | '[', _) => grade >= Grade::Sentence,
        ('-' | '0'..='9', _) => grade >= Grade::Title,
        _ => grade >= Grade::Sentence && quote::opening(window, at).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::end;
    use crate::{parser::Window, sink::Container};

    /// Checks what is left of each text after the interjection at its first letter or mark.
    #[test]
    fn interjections() {
        use Container::{Array, Object};
        for (top, text, expected) in [
            // Lines of prose.
            (Object, "{\nThe length in km:\n\"a\": 1", Some("\n\"a\": 1")),
            (Object, "{\"b\": 1,\nAnd now the rest\n\"a\": 1", Some("\n\"a\": 1")),
            (Object, "{\"b\": 1,\nIt is so.\n\nReally.\n\"a\": 1", None),
            (Object, "{\"b\": 1,\nIt is so.\n\nIt really is.\n\"a\": 1", Some("\n\"a\": 1")),
            (Object, "{\"b\": 1\nThat is all.\n}", Some("\n}")),
            (Object, "{\"b\": 1,\n(so it is)\n\"a\": 1", Some("\n\"a\": 1")),
            (Object, "{\n== Size ==\n\"a\": 1", Some("\n\"a\": 1")),
            (Object, "{\"b\": 1,\n以下是任务:\n\"a\": 1", Some("\n\"a\": 1")),
            (Array, "[\nFirst entry:\n{", Some("\n{")),
            (Array, "[1\n[continued from above]\n, 2]", Some("\n, 2]")),
            (Array, "[\"a\",\n--- page break ---\n\"b\"]", Some("\n\"b\"]")),
            // Members and items.
            (Object, "{\nname:\n\"a\"}", None),
            (Object, "{\na name:\n\"a\"}", None),
            (Object, "{\nname: so it is.\n\"a\": 1", None),
            (Object, "{\nname: \"x\"\n\"a\": 1", None),
            (Array, "[\nred and blue\n\"a\"]", None),
            (Array, "[\nred,\n\"a\"]", None),
            (Array, "[\n(1, 2)\n\"a\"]", None),
            // Words on the same line.
            (Object, "{\"b\": 1, wait, she is 32, \"a\": 1", Some(" \"a\": 1")),
            (Object, "{\"b\": 1, see below \"a\": 1", None),
            (Array, "[{}, and then {\"a\": 1}", Some(" {\"a\": 1}")),
            (Array, "[{} and {\"a\": 1}", Some(" {\"a\": 1}")),
            (Array, "[{}, Point {\"a\": 1}", None),
            (Array, "[1, and \"b\"]", Some(" \"b\"]")),
            (Array, "[1, so \"b\"]", None),
            (Object, "{\"b\": 1, and \"a\": 1", Some(" \"a\": 1")),
            (Object, "{\"b\": 1, and \"a\"}", None),
            (Object, "{\"b\": 1, ← was \"x\"\n\"a\": 1", Some("\n\"a\": 1")),
            // Texts behind a comma.
            (Object, "{\"b\": 1,其中\n\"a\": 1", Some("\n\"a\": 1")),
            (Object, "{\"b\": 1, assistant\n\"a\": 1", Some("\n\"a\": 1")),
            (Object, "{\"b\": 1, (by 7,5 / 2)\n\"a\": 1", Some("\n\"a\": 1")),
            (Object, "{\"b\": 1,\n<<<<<<< HEAD\n\"a\": 1", None),
            (Object, "{\"b\": 1, c: 2\n\"a\": 1", None),
            (Object, "{\"b\": 1, assistant\na: 1", None),
            (Array, "[{}, [depends on]\n{\"a\": 1}", Some("\n{\"a\": 1}")),
            (Array, "[{}, ✅ ok\n{\"a\": 1}", Some("\n{\"a\": 1}")),
            (Object, "{\"b\": 33.9, -18.4\n\"a\": 1", None),
            (Object, "{\"b\": 1, c true\n\"a\": 1", None),
            (Array, "[{}, red, blue\n{\"a\": 1}", None),
            (Array, "[1, ✅\n\"a\"]", None),
            (Array, "[1, red\n\"a\"]", None),
            // Reasoning and tokens.
            (Object, "{<think>so {\"a\": 2}</think> \"a\": 1", Some(" \"a\": 1")),
            (Object, "{\"b\": 1, <pad><|x|>\"a\": 1", Some("\"a\": 1")),
            (Object, "{\"b\": 1<|im_end|>", None),
            (Object, "{\"b\": 1,【1†report】\n\"a\": 1", Some("\n\"a\": 1")),
            (Array, "[{},【4†report】\n{\"a\": 1}", Some("\n{\"a\": 1}")),
            // A notice at the end.
            (Array, "[1,\n[output truncated: max_tokens reached]", Some("")),
            (Array, "[1,\n(truncated)\n", Some("\n")),
            (Array, "[1,\n(truncated)\n2]", None),
            (Array, "[1,\n[so it is]", None),
        ] {
            let start = text.find(['{', '[']).expect(text) + 1;
            let is_start = |c: char| !matches!(c, ' ' | '\n' | '"' | ':' | ',' | '1' | '{' | '}');
            let quoted = usize::from(text.get(start..).expect(text).starts_with('"')) * 3;
            let at = start + quoted + text[start + quoted..].find(is_start).expect(text);
            let found = end(&Window::whole(text), at, top, &mut 10_000);
            assert_eq!(found.map(|end| &text[end..]), expected, "{text}");
        }
    }
}
