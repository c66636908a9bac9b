//! What stands in a code block?

use crate::{
    Origin, Span,
    extract::{Build, Scan, Start, attempt, choice, unbraced},
    parser::{Stop, Window, quote, trivia},
};

/// Tags of blocks whose inside is searched for values even where it does not begin with one.
const DATA_TAGS: &[&str] =
    &["", "json", "json5", "jsonc", "jsonl", "ndjson", "text", "txt", "plaintext", "output"];

/// How much of a line is looked at, in bytes.
const LINE_REACH: usize = 400;

impl<B: Build> Scan<'_, B> {
    /// A fence opens here.
    pub(super) fn fence(&mut self) -> Result<(), Stop> {
        let open = self.at;
        let mark = self.window.byte(open).unwrap_or_default();
        let ticks = run(&self.window, open, mark);
        let (tag, inside) = info(&self.window, open + ticks);
        let start = trivia::skip(&self.window, inside, false);
        let Some(byte) = self.window.byte(start) else {
            self.unclosed_block = true;
            self.at = self.window.end();
            return Ok(());
        };
        if byte == mark && run(&self.window, start, mark) >= 3 {
            // Nothing inside, or a fence in a fence.
            let end = start + run(&self.window, start, mark);
            if info(&self.window, end).0.is_empty() {
                self.empty_block = true;
                self.at = end;
            } else {
                self.at = start;
            }
            return Ok(());
        }
        self.at = start;
        if matches!(byte, b'{' | b'[' | 0xEF) {
            self.value(Origin::Fence)?;
        } else if let Some(value) = assigned(&self.window, start) {
            self.at = value;
            self.value(Origin::Fence)?;
        } else if quote::opening(&self.window, start).is_some()
            && unbraced::starts_member(&self.window, start)
        {
            match attempt::<B>(
                &self.window,
                start,
                Start::Member,
                Origin::Fence,
                self.options,
                &mut self.budget,
                &mut self.sink,
            ) {
                Ok(found) => {
                    self.at = found.span.end;
                    self.keep(found);
                }
                Err(failed) => self.fail(failed)?,
            }
        } else {
            self.other_block(start, ticks, mark, tag)?;
            return Ok(());
        }
        self.leave(ticks, mark)
    }

    /// The block does not begin with a bracket: a scalar, pairs without braces, or code.
    fn other_block(&mut self, start: usize, ticks: usize, mark: u8, tag: &str) -> Result<(), Stop> {
        let end = closing(&self.window, start, ticks, mark);
        let inside = self.window.up_to(end);
        if let Some(found) =
            unbraced::pairs_at::<B>(&inside, start, self.options, &mut self.budget, &mut self.sink)
                .filter(|_| tag != "python")
        {
            self.keep(found);
        } else if DATA_TAGS.contains(&tag)
            && let Ok(found) = attempt::<B>(
                &inside,
                start,
                Start::Value,
                Origin::Fence,
                self.options,
                &mut self.budget,
                &mut self.sink,
            )
            && inside.skip_space(found.span.end) == end
        {
            self.keep(found);
        } else if DATA_TAGS.contains(&tag)
            && let Some(member) = unbraced::first_member(&inside, start)
        {
            match attempt::<B>(
                &inside,
                member,
                Start::Member,
                Origin::Fence,
                self.options,
                &mut self.budget,
                &mut self.sink,
            ) {
                Ok(found) => self.keep(found),
                Err(failed) => self.fail(failed)?,
            }
        } else if DATA_TAGS.contains(&tag)
            && let Some(value) = choice::first_value(inside.slice(Span::new(start, end)))
        {
            // Words first, and then the value.
            self.at = start + value;
            self.value(Origin::Fence)?;
            return self.leave(ticks, mark);
        }
        self.at = end + run(&self.window, end, mark);
        Ok(())
    }

    /// Goes on after a value in a block: further values in it, then its end.
    fn leave(&mut self, ticks: usize, mark: u8) -> Result<(), Stop> {
        loop {
            let next = trivia::skip(&self.window, self.at, false);
            match self.window.byte(next) {
                Some(b'{' | b'[')
                    if next > self.at
                        || self.found.last().is_some_and(|found| found.span.end == next) =>
                {
                    self.at = next;
                    self.value(Origin::Fence)?;
                }
                Some(b',' | b';' | b')') => self.at = next + 1,
                Some(byte) if byte == mark && run(&self.window, next, mark) >= 3 => {
                    self.at = next + run(&self.window, next, mark);
                    return Ok(());
                }
                _ => break,
            }
        }
        // Something else stands before the end of the block: go past it.
        let end = closing(&self.window, self.at, ticks, mark);
        if end < self.window.end() {
            let between = self.window.slice(Span::new(self.at, end));
            if !between.contains("```") && choice::first_value(between).is_none() {
                self.at = end + run(&self.window, end, mark);
            }
        }
        Ok(())
    }
}

/// The tag of a fence whose marks end at `at`, and where the block's inside begins.
fn info<'w>(window: &Window<'w>, at: usize) -> (&'w str, usize) {
    let line = window.line_after(at, LINE_REACH);
    let word = line
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+' | b'.'))
        .count();
    let tag = line.get(..word).unwrap_or_default();
    let after = line.get(word..).unwrap_or_default();
    // The value may begin on the line of the fence itself.
    let value = after
        .find(['{', '[', '`', '~'])
        .filter(|&at| after.get(..at).is_some_and(|gap| gap.trim().is_empty()));
    match value {
        Some(offset) => (tag, at + word + offset),
        None => (tag, at + line.len()),
    }
}

/// Length of the run of `mark` at `at`.
fn run(window: &Window<'_>, at: usize, mark: u8) -> usize {
    window.run(at, |byte| byte == mark)
}

/// Where the fence of `ticks` marks is closed, from `at` on; the end of the text if it is not.
fn closing(window: &Window<'_>, at: usize, ticks: usize, mark: u8) -> usize {
    let mut place = at;
    while let Some(found) = window.find(place, usize::MAX, |bytes| memchr::memchr(mark, bytes)) {
        place = found;
        let length = run(window, place, mark);
        if length >= ticks.min(3) {
            return place;
        }
        place += length;
    }
    window.end()
}

/// Where the value starts that a line of code at `at` assigns or returns.
fn assigned(window: &Window<'_>, at: usize) -> Option<usize> {
    let line = window.line_after(at, LINE_REACH);
    let bracket = line.find(['{', '['])?;
    let before = line.get(..bracket)?.trim_end();
    super::wrapper::is_assignment(before).then_some(at + bracket)
}
