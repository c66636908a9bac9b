//! Ends of strings without a closing mark.

use crate::{
    Span,
    judge::{
        continuation::{Halt, Lookahead, continuation},
        key::{bare_key, opens_key},
        string::{
            context::{Role, StringContext},
            end::{ARRAY_LIMIT, Balance, EndSearch, Ending, OBJECT_LIMIT},
            end_token,
            scalars::without_scalars,
        },
        words::notice,
    },
    parser::{Opened, quote, starts_value},
    sink::Container,
};

/// Number of tokens read from an end before the last closing brackets of the text.
const LAST_LIMIT: u32 = 64;
/// How far before a string its own key is searched for, in bytes.
const OWN_KEY: usize = 16;
/// Most commas at which a member may begin.
const MEMBERS: usize = 8;

impl EndSearch<'_, '_> {
    /// Ends the string before the mark at `at` if that opens the next key or item and the closing
    /// mark of this string is missing.
    pub(super) fn missing_end_mark(
        &self,
        at: usize,
        length: usize,
        budget: &mut usize,
    ) -> Option<Ending> {
        if self.marks > 0 || self.context.role == Role::Key {
            return None;
        }
        let before = self.window.slice(Span::new(self.start, at));
        *budget = budget.saturating_sub(before.len() / 4);
        let frame = self.context.stack.last()?;
        let object = frame.kind == Container::Object;
        if object && let Some(ending) = self.before_bare_key(before, budget) {
            return Some(ending);
        }
        let tuple = frame.opened == Opened::Tuple;
        let opener = if object {
            '{'
        } else if tuple {
            '('
        } else {
            '['
        };
        let trimmed = without_opener(before, opener);
        if trimmed.len() == before.trim_end().len() && !self.balance.is_even() {
            return None;
        }
        let comma = trimmed.ends_with(',');
        let line = before.get(trimmed.len()..)?.contains('\n');
        if trimmed.trim().is_empty() {
            return None;
        }
        if !comma && !line {
            let spaced = object && trimmed.len() < before.len();
            return if spaced { self.before_member(at, trimmed, budget) } else { None };
        }
        let opens = self.window.character(at + length)?;
        if opens.is_whitespace() || (object && !opens_key(self.window, at)) {
            return None;
        }
        let text = trimmed.strip_suffix(',').unwrap_or(trimmed);
        // Closing brackets at the end belong to the containers if the text continues that way.
        let inner = without_closers(text, tuple);
        let limit = if object { OBJECT_LIMIT } else { ARRAY_LIMIT };
        let StringContext { stack, spacing, .. } = *self.context;
        let line = first_line(before);
        let line_inner = without_closers(line, tuple);
        let scalars = |content| if object { content } else { without_scalars(content) };
        for content in [scalars(line_inner), line_inner, line, scalars(inner), inner, text] {
            let place = self.start + content.len();
            if content.trim().is_empty() || !Balance::of(content).is_even() {
                continue;
            }
            let continuation =
                continuation(self.window, place, &Lookahead::value(stack, limit, spacing), budget);
            if continuation.is_clean()
                || (object && continuation.clean >= 3 && continuation.halt != Halt::Mismatch)
            {
                return Some(self.unmarked(place));
            }
        }
        None
    }

    /// Ends the string after `text` if the mark at `at`, behind white space, opens the next key: the
    /// closing mark and the comma are missing, and all that follows fits only then.
    fn before_member(&self, at: usize, text: &str, budget: &mut usize) -> Option<Ending> {
        if !opens_key(self.window, at) || !Balance::of(text).is_even() || text.contains('\\') {
            return None;
        }
        let place = self.start + text.len();
        let StringContext { stack, spacing, .. } = *self.context;
        let ahead = Lookahead::value(stack, LAST_LIMIT, spacing);
        continuation(self.window, place, &ahead, budget).is_clean().then(|| self.unmarked(place))
    }

    /// Ends the string before the key without quotes that `before`, up to the next mark, ends with:
    /// `kelp, b: `.
    #[cold]
    fn before_bare_key(&self, before: &str, budget: &mut usize) -> Option<Ending> {
        before.trim_end().strip_suffix(':')?;
        let content = self.before_bare_member(before)?;
        let StringContext { stack, spacing, .. } = *self.context;
        let place = self.start + content.len();
        let ahead = Lookahead::value(stack, OBJECT_LIMIT, spacing);
        let clean = Balance::of(content).is_even()
            && continuation(self.window, place, &ahead, budget).is_clean();
        clean.then(|| self.unmarked(place))
    }

    /// Returns what comes before the first member in `text`, the rest of an object whose keys have no
    /// quotes: `kelp, b: 5}`.
    fn before_bare_member<'t>(&self, text: &'t str) -> Option<&'t str> {
        let object = self.context.stack.last()?.kind == Container::Object;
        let open = self.start.checked_sub(self.delimiter.open)?;
        let key = self.window.before(open, OWN_KEY).trim_end().strip_suffix(':')?.trim_end();
        let bare = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        if !object || !key.ends_with(bare) {
            return None;
        }
        let begins_member = |&(comma, _): &(usize, &str)| {
            let next = self.window.skip_space(self.start + comma + 1);
            bare_key(self.window, next).is_some_and(|colon| {
                let value = self.window.skip_space(colon + 1);
                self.window.byte(value).is_some_and(starts_value)
            })
        };
        let (comma, _) = text.match_indices(',').take(MEMBERS).find(begins_member)?;
        text.get(..comma).filter(|content| !content.trim().is_empty())
    }

    /// Ends the string at `place`, where its own closing mark is missing. Another mark may be there
    /// instead, or its own after a backslash that is no escape.
    fn unmarked(&self, place: usize) -> Ending {
        let inside = self.window.slice(Span::new(self.start, place));
        let Some(last) = inside.chars().next_back() else { return Ending::Unmarked { at: place } };
        let at = place - last.len_utf8();
        let before = inside.get(..at - self.start).unwrap_or_default();
        if self.delimiter.style == quote::Style::Double && last == '"' {
            // Escaped quotes come in pairs, too.
            return match before.matches("\\\"").count() % 2 {
                1 => Ending::Unmarked { at: place },
                _ if before.trim_end_matches('\\').ends_with(|c: char| c.is_ascii_digit()) => {
                    Ending::Unclear
                }
                _ => Ending::Mark { at, length: 1, contested: true },
            };
        }
        if quote::is_mark(last) && !is_paired(before, last) {
            return Ending::Mark { at, length: last.len_utf8(), contested: true };
        }
        Ending::Unmarked { at: place }
    }

    /// Ends the string with the text, since no mark was its end.
    pub(super) fn at_text_end(&self, budget: &mut usize) -> Ending {
        if let Some(fallback) = self.fallback {
            return self.evaluate(fallback);
        }
        let end = self.content_end();
        let inside = self.window.slice(Span::new(self.start, end));
        let text = inside.trim_end();
        // A notice has been put behind the text that was cut off.
        if let Some(line) = text.rfind('\n')
            && notice::is_at(self.window, self.window.skip_space(self.start + line))
        {
            let before = text.get(..line).unwrap_or_default();
            let content = before.trim_end();
            let apart = before.len() > content.len() && !content.contains('\n');
            if !apart || self.marks > 0 || content.is_empty() {
                return Ending::Unclear;
            }
            return Ending::Cut { at: self.start + content.trim_end_matches('…').len() };
        }
        if self.marks == 0
            && let Some(content) = self.before_bare_member(text)
            && self.is_complete(content, end, budget)
        {
            return self.unmarked(self.start + content.len());
        }
        // If the closing brackets fit the open containers and nothing inside opened them, only the
        // closing mark is missing.
        let tuple = self.context.stack.last().is_some_and(|frame| frame.opened == Opened::Tuple);
        let content = without_closers(text, tuple);
        let line = first_line(text);
        let own_line = !line.trim().is_empty() && !line.contains(['{', '[']);
        let closers = content.len() < text.len() && Balance::of(content).is_even();
        let line_inner = without_closers(line, tuple);
        for candidate in [line_inner, line] {
            let sound = !candidate.trim().is_empty() && Balance::of(candidate).is_even();
            if self.marks == 0 && own_line && sound && self.is_complete(candidate, end, budget) {
                return self.unmarked(self.start + candidate.len());
            }
        }
        let scalars = without_scalars(content);
        if self.marks == 0
            && self.in_array()
            && !scalars.trim().is_empty()
            && scalars.len() < content.len()
            && self.is_complete(scalars, end, budget)
        {
            return self.unmarked(self.start + scalars.len());
        }
        if self.marks == 0
            && closers
            && !content.trim().is_empty()
            && self.is_complete(content, end, budget)
        {
            return self.unmarked(self.start + content.len());
        }
        if self.marks > 0 && is_cut_off(text) {
            return Ending::Cut { at: end };
        }
        // Closing brackets on lines of their own that nothing inside opened are not text, but their
        // containers are unknown.
        let structure =
            closers && text.get(content.len()..).is_some_and(|tail| tail.contains('\n'));
        if self.marks > 0 || structure {
            return Ending::Unclear;
        }
        Ending::Cut { at: end }
    }

    /// Returns where the content ends with the text: before the fence that closes its block, or the
    /// token that ends it.
    fn content_end(&self) -> usize {
        if let Some(end) = self.line_end {
            return end;
        }
        let text = self.window.slice(Span::new(self.start, self.window.end()));
        let text = text.get(..end_token::without_end_token(text)).unwrap_or_default();
        let tuple = self.context.stack.last().is_some_and(|frame| frame.opened == Opened::Tuple);
        let block = text.trim_end().strip_suffix("```").filter(|content| {
            // The fence closes the block around the value, whose brackets come before it.
            let last = content.trim_end();
            (last.ends_with(['}', ']']) || (tuple && last.ends_with(')')))
                && !content.contains("```")
        });
        self.start + without_last_lines(block.unwrap_or(text)).len()
    }

    /// Returns whether every container is closed by `end` if the string is `content`.
    fn is_complete(&self, content: &str, end: usize, budget: &mut usize) -> bool {
        let StringContext { stack, spacing, .. } = *self.context;
        let place = self.start + content.len();
        let limited = self.window.up_to(end);
        continuation(&limited, place, &Lookahead::value(stack, LAST_LIMIT, spacing), budget).halt
            == Halt::End
    }
}

/// Returns `text` without the line breaks at its end. They end the text and not the string.
fn without_last_lines(text: &str) -> &str {
    let line = text.trim_end().len();
    let gap = text.get(line..).unwrap_or_default();
    text.get(..line + gap.find(['\n', '\r']).unwrap_or(gap.len())).unwrap_or(text)
}

/// Returns the first of several lines, without a trailing comma.
fn first_line(text: &str) -> &str {
    let line = text.get(..text.find('\n').unwrap_or(0)).unwrap_or_default().trim_end();
    line.strip_suffix(',').unwrap_or(line)
}

/// Returns `text` without trailing closing brackets and white space. Only in a tuple, a parenthesis
/// that was not opened in it is one.
fn without_closers<'t>(text: &'t str, tuple: bool) -> &'t str {
    let trimmed = |text: &'t str| {
        text.trim_end_matches(|c: char| matches!(c, '}' | ']') || c.is_whitespace())
    };
    let count = |mark: char| text.matches(mark).count();
    let mut surplus = if tuple { count(')').saturating_sub(count('(')) } else { 0 };
    let mut inner = trimmed(text);
    while surplus > 0
        && let Some(before) = inner.strip_suffix(')')
    {
        surplus -= 1;
        inner = trimmed(before);
    }
    inner
}

/// Returns whether `text`, which contains marks, is cut off in the middle of words: none of the
/// marks was the end, and no structure follows the last one.
fn is_cut_off(text: &str) -> bool {
    let mark = |c: char| quote::is_mark(c);
    let tail = text.rfind(mark).and_then(|at| text.get(at..)).unwrap_or_default();
    let words = tail.trim_start_matches(mark);
    !words.contains(['{', '}', '[', ']', ':', '\n'])
        && !words.trim_start().starts_with([',', ';'])
        && words.chars().filter(|c| c.is_alphanumeric()).count() >= 2
}

/// Returns the text before a mark that may open a key or an item, without the bracket `opener` of
/// the next container in a list, and without the numbers and literals that this begins with.
fn without_opener(before: &str, opener: char) -> &str {
    let closer = match opener {
        '{' => '}',
        '(' => ')',
        _ => ']',
    };
    let trimmed = before.trim_end();
    let scalars = || {
        let (list, items) = trimmed.strip_suffix(',')?.rsplit_once(opener)?;
        let all =
            opener != '{' && !list.is_empty() && without_scalars(&format!(",{items}")).is_empty();
        all.then_some(trimmed.get(..list.len() + 1)?)
    };
    let row = scalars().unwrap_or(trimmed);
    let opener = row.strip_suffix(opener).map(str::trim_end).filter(|before| {
        before.strip_suffix(',').is_some_and(|text| text.trim_end().ends_with(closer))
    });
    opener.unwrap_or(trimmed)
}

/// Returns whether the mark `last` after `before` closes one that was opened there.
fn is_paired(before: &str, last: char) -> bool {
    let opener = match last {
        '”' => '“',
        '’' => '‘',
        _ => last,
    };
    let mut previous = ' ';
    let mut open = false;
    for (at, character) in before.char_indices() {
        if character == opener || character == last {
            let rest = before.get(at + character.len_utf8()..).unwrap_or_default();
            let behind_word = previous.is_alphanumeric();
            // An apostrophe inside a word is no quotation mark.
            if !(behind_word && rest.starts_with(char::is_alphanumeric)) {
                open = !behind_word && (opener != last || !open || character == '\'');
            }
        }
        previous = character;
    }
    open
}

#[cfg(test)]
mod tests {
    use super::{is_cut_off, is_paired, without_closers, without_opener};

    #[test]
    fn texts_with_marks_that_are_cut_off() {
        for (text, expected) in [
            ("say \"hi\" and \"yo", true),
            ("led by \"cloud\" and", true),
            ("x\", \"b", false),
            ("x \"b\": [1", false),
            ("say \"hi\"}", false),
            ("say \"hi\"\nand so on", false),
        ] {
            assert_eq!(is_cut_off(text), expected, "{text}");
        }
    }

    #[test]
    fn texts_before_brackets() {
        for (text, tuple, expected) in [
            ("beta]}", false, "beta"),
            ("beta)]", true, "beta"),
            ("beta)]", false, "beta)"),
            ("beta (x)]", true, "beta (x)"),
            ("beta))", true, "beta"),
            ("beta)])", true, "beta"),
            ("beta (x))])", true, "beta (x)"),
            ("beta", true, "beta"),
        ] {
            assert_eq!(without_closers(text, tuple), expected, "{text}");
        }
    }

    #[test]
    fn text_before_a_key() {
        for (before, opener, expected) in [
            ("beta}, {", '{', "beta},"),
            ("beta}, { ", '{', "beta},"),
            ("beta {", '{', "beta {"),
            ("beta, {", '{', "beta, {"),
            ("beta, ", '{', "beta,"),
            ("beta],\n[", '[', "beta],"),
            ("beta), (", '(', "beta),"),
            ("beta), [", '[', "beta), ["),
            ("beta}, {", '[', "beta}, {"),
            ("beta], [2, ", '[', "beta],"),
            ("beta], [2, true,", '[', "beta],"),
            ("beta), (2, ", '(', "beta),"),
            ("beta], [two, ", '[', "beta], [two,"),
            ("beta [2, ", '[', "beta [2,"),
        ] {
            assert_eq!(without_opener(before, opener), expected, "{before}");
        }
    }

    #[test]
    fn marks_that_close_an_inner_one() {
        for (before, last, expected) in [
            ("say 'hi", '\'', true),
            ("the dogs", '\'', false),
            ("it's 'hi", '\'', true),
            ("'hi' there", '\'', false),
            ("it's", '\'', false),
            ("say “hi", '”', true),
            ("say “hi” there", '”', false),
            ("hi", '”', false),
            ("run `ls", '`', true),
            ("run `ls` now", '`', false),
        ] {
            assert_eq!(is_paired(before, last), expected, "{before}{last}");
        }
    }
}
