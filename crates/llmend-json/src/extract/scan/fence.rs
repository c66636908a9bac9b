//! Values in code blocks.

use crate::{
    Origin, Span,
    extract::{
        Build, Scan, Start, attempt, choice, code, layer, plain,
        scan::{AfterValue, Phase},
        unbraced, wrapper, yaml,
    },
    judge::bracket::parenthesis,
    parser::{Spacing, Stop, Window, quote, trivia},
};

/// Tags of blocks that are searched for values even if they do not begin with one.
const DATA_TAGS: &[&str] = &[
    "",
    "json",
    "json5",
    "jsonc",
    "jsonl",
    "ndjson",
    "text",
    "txt",
    "plaintext",
    "output",
    "diff",
];

/// How much of a line is read, in bytes.
const LINE_REACH: usize = 400;
/// How far behind a value another one is searched for in a block, in bytes.
const LEAVE_REACH: usize = 2_048;

/// A code block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::extract) struct Fence {
    /// The character of its fence.
    pub(super) mark: u8,
    /// Where the next fence is, if it was searched for.
    next: Option<usize>,
}

impl<'o, B: Build> Scan<'o, B> {
    /// Enters the code block whose fence opens here.
    pub(super) fn fence(&mut self, window: &Window<'_>) -> Result<Phase<'o, B>, Stop> {
        let open = self.state.at;
        let mark = window.byte(open).unwrap_or_default();
        let fence = Fence { mark, next: None };
        let (tag, inside) = info(window, open + run(window, open, mark));
        let start = trivia::skip(window, inside, Spacing::Plain);
        let start = if tag == "diff" {
            window.skip_space(layer::difference::content(window, start))
        } else {
            start
        };
        let Some(byte) = window.byte(start) else {
            self.state.unclosed_block = true;
            self.state.at = window.end();
            return Ok(Phase::Search);
        };
        let ticks = run(window, start, mark);
        if byte == mark && ticks >= 3 {
            // An empty block, or a nested fence.
            let empty = info(window, start + ticks).0.is_empty();
            self.state.empty_block |= empty;
            self.state.at = if empty { start + ticks } else { start };
            return Ok(Phase::Search);
        }
        if yaml::is_tag(tag) && !matches!(byte, b'{' | b'[') {
            self.yaml_block(window, fence, inside);
            Ok(Phase::Search)
        } else if matches!(byte, b'{' | b'[' | 0xEF) {
            self.value(window, start, Origin::Fence, AfterValue::Leave(fence))
        } else if byte == b'\'' && matches!(window.byte(start + 1), Some(b'{' | b'[')) {
            // The value is printed as a string.
            self.value(window, start + 1, Origin::Fence, AfterValue::Leave(fence))
        } else if byte == b'('
            && parenthesis::around_one(window, start, &mut self.state.budget.left).is_some()
            && let Some(value) = window.line_after(start, LINE_REACH).find(['{', '['])
        {
            self.value(window, start + value, Origin::Fence, AfterValue::Leave(fence))
        } else if byte == b'(' && wrapper::opens_keyed(window, start) {
            self.value(window, start, Origin::Fence, AfterValue::Leave(fence))
        } else if let Some(paren) = window.line_after(start, LINE_REACH).find('(')
            && let Some(value) = wrapper::constructed(window, start + paren)
        {
            self.value(window, value, Origin::Fence, AfterValue::Leave(fence))
        } else if let Some(value) = assigned(window, start) {
            self.value(window, value, Origin::Fence, AfterValue::Leave(fence))
        } else if let Some(kind) = layer::csv_at(window, start)
            && let Some(phase) = self.csv_field(window, start, kind, fence)?
        {
            Ok(phase)
        } else if quote::opening(window, start).is_some() && unbraced::starts_member(window, start)
        {
            Ok(self.members(start, Origin::Fence, AfterValue::Leave(fence)))
        } else {
            self.other_block(window, start, fence, tag)
        }
    }

    /// Parses the value in the CSV field at `start` of a block.
    fn csv_field(
        &mut self,
        window: &Window<'_>,
        start: usize,
        kind: layer::LayerKind,
        fence: Fence,
    ) -> Result<Option<Phase<'o, B>>, Stop> {
        self.state.at = start;
        self.layered(window, kind, AfterValue::Leave(fence))
    }

    /// Handles a block that does not begin with a bracket: a scalar, pairs without braces, or code.
    fn other_block(
        &mut self,
        window: &Window<'_>,
        start: usize,
        fence: Fence,
        tag: &str,
    ) -> Result<Phase<'o, B>, Stop> {
        let end = fence_from(window, start, fence.mark, fence.mark);
        let after = end + run(window, end, fence.mark);
        if window.is_starved() {
            return Ok(Phase::Search);
        }
        let inside = window.up_to(end);
        if let Some(value) = layer::prefixed(&inside, start) {
            return self.value(window, value, Origin::Fence, AfterValue::Leave(fence));
        }
        let is_data = DATA_TAGS.contains(&tag);
        if !is_data && code::embedded(&inside, start).is_some() {
            self.state.code.push(Span::new(start, end));
        }
        let (options, budget, sink) = (&self.options, &mut self.state.budget, &mut self.sink);
        let mut found = None;
        if tag != "python" {
            found = unbraced::pairs_at(&inside, start, options, budget, sink);
        }
        if found.is_none() && is_data {
            found = unbraced::members_at(&inside, start, options, budget, sink);
        }
        if found.is_none() && is_data {
            found = match plain::number(&inside, start, options) {
                Some(span) => plain::words(&inside, span, options, sink),
                None => unbraced::list_at(&inside, start, Origin::Fence, options, sink)?,
            };
        }
        if found.is_none() && is_data {
            let origin = Origin::Fence;
            let scalar = attempt(&inside, start, Start::Value, origin, options, budget, sink);
            found = scalar.ok().filter(|found| inside.skip_space(found.span.end) == end);
        }
        self.state.at = after;
        let line = window.line_before(start, LINE_REACH).unwrap_or("…");
        if is_data && line.trim().is_empty() && after > end {
            self.note_yaml(start - line.len(), end, false, true);
        }
        if let Some(found) = found {
            self.keep_if_answer(window, found);
        } else if is_data {
            if let Some(member) = unbraced::first_member(&inside, start) {
                return Ok(self.members(member, Origin::Fence, AfterValue::Leave(fence)));
            }
            if let Some(value) = choice::first_value(inside.slice(Span::new(start, end))) {
                // Words come before the value.
                return self.value(window, start + value, Origin::Fence, AfterValue::Leave(fence));
            }
        }
        Ok(Phase::Search)
    }

    /// Continues after a value in a block, with further values or the end of the block.
    pub(super) fn leave(
        &mut self,
        window: &Window<'_>,
        mut fence: Fence,
    ) -> Result<Phase<'o, B>, Stop> {
        let mut at = self.state.at;
        loop {
            let next = trivia::skip(window, at, Spacing::Plain);
            match window.byte(next) {
                Some(b'{' | b'[')
                    if next > at
                        || self.found.last().is_some_and(|found| found.span.end == next) =>
                {
                    return self.value(window, next, Origin::Fence, AfterValue::Leave(fence));
                }
                Some(b',' | b';' | b')') => at = next + 1,
                Some(byte) if byte == fence.mark && run(window, next, byte) >= 3 => {
                    self.state.at = next + run(window, next, byte);
                    return Ok(Phase::Search);
                }
                _ => break,
            }
        }
        // Skip whatever else comes before the end of the block.
        self.state.at = at;
        let known = fence.next.filter(|&next| at <= next);
        let end = known.unwrap_or_else(|| fence_from(window, at, fence.mark, b'`'));
        fence.next = (!window.is_starved()).then_some(end);
        if window.byte(end) == Some(fence.mark) {
            let between = window.slice(Span::new(at, end));
            let near = between.get(..between.floor_char_boundary(LEAVE_REACH)).unwrap_or(between);
            match choice::first_value(near) {
                None if near.len() < between.len() => {}
                None => self.state.at = end + run(window, end, fence.mark),
                Some(value) if is_marked(between.get(..value).unwrap_or_default()) => {
                    let origin = Origin::Fence;
                    return self.value(window, at + value, origin, AfterValue::Leave(fence));
                }
                Some(_) => {}
            }
        }
        Ok(Phase::Search)
    }
}

/// Returns the tag of a fence whose marks end at `at`, and the start of the block's content.
fn info<'w>(window: &Window<'w>, at: usize) -> (&'w str, usize) {
    let line = window.line_after(at, LINE_REACH);
    // The tag may be set apart, if the rest of the line is nothing else.
    let apart = line.trim();
    let is_apart = line.starts_with(' ') && apart.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_apart && !apart.is_empty() {
        return (apart, at + line.len());
    }
    let word = line
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+' | b'.'))
        .count();
    let tag = line.get(..word).unwrap_or_default();
    let after = line.get(word..).unwrap_or_default();
    // The value may begin on the line of the fence.
    let value = after
        .find(['{', '[', '`', '~'])
        .filter(|&at| after.get(..at).is_some_and(|gap| gap.trim().is_empty()))
        .filter(|&at| !after.get(at..).is_some_and(are_attributes));
    match value {
        Some(offset) => (tag, at + word + offset),
        None => (tag, at + line.len()),
    }
}

/// Returns whether `text`, the rest of the line of a fence, are attributes of the block:
/// `{.json title="x"}`.
fn are_attributes(text: &str) -> bool {
    let inside = text.trim().strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    inside.is_some_and(|inside| {
        let first = inside.split([' ', ',', '=']).next().unwrap_or_default();
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '#');
        !first.is_empty() && first.chars().all(is_name)
    })
}

/// Returns whether only the number or mark of an item of a list is between two values in a block.
fn is_marked(between: &str) -> bool {
    let line = between.trim().trim_start_matches([',', ';']).trim_start();
    let mark = line.trim_start_matches(|c: char| c.is_ascii_digit());
    matches!(mark, "." | ")" | ":" | "-" | "*" | "•" | "|") && between.contains('\n')
}

/// Returns the length of the run of `mark` at `at`.
fn run(window: &Window<'_>, at: usize, mark: u8) -> usize {
    window.run(at, |byte| byte == mark)
}

/// Returns the position of the first fence of one mark or the other from `at` on, or the end of the
/// text.
fn fence_from(window: &Window<'_>, at: usize, one: u8, other: u8) -> usize {
    let mut place = at;
    while let Some(found) =
        window.find(place, usize::MAX, |bytes| memchr::memchr2(one, other, bytes))
    {
        place = found;
        let length = window.byte(place).map_or(0, |mark| run(window, place, mark));
        if length >= 3 {
            return place;
        }
        place += length;
    }
    window.end()
}

/// Maximum number of lines of code before a value.
const LINES: usize = 32;

/// Returns the start of the value that the line of code at `at`, or after imports, comments and the
/// head of a function there, assigns or returns.
fn assigned(window: &Window<'_>, mut at: usize) -> Option<usize> {
    let is_head = |line: &str| {
        ["import ", "from ", "<?php", "#", "//", "def ", "function ", "async ", "\"\"\""]
            .iter()
            .any(|word| line.starts_with(word))
    };
    let mut line = window.line_after(at, LINE_REACH);
    for _ in 0..LINES {
        if !is_head(line) {
            break;
        }
        at = trivia::skip(window, at + line.len(), Spacing::Plain);
        line = window.line_after(at, LINE_REACH);
    }
    let bracket = line.find(['{', '['])?;
    let before = line.get(..bracket)?.trim_end();
    wrapper::is_assignment(before).then_some(at + bracket)
}
