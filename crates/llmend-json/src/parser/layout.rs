//! Lines that are less indented than their container, and rows that are not closed.

use crate::{
    ErrorKind, Span,
    judge::bracket::{
        layout::{closed_before, missing_closers},
        row,
    },
    parser::{GrammarState, Opened, Parser, Stop, Window, parent},
    sink::{Container, Sink},
};

/// How far a value is read that may lack closing brackets, once too much was read for others, in bytes.
const NEAR: usize = 4_096;

impl Parser<'_> {
    /// Returns the length of the white space after the last comma or bracket.
    #[inline]
    pub(super) fn gap(&self) -> usize {
        self.at - self.comma.map_or(self.last_end, |comma| comma.end)
    }

    /// Returns whether a key after `gap` bytes of white space is less indented than the one before
    /// it in the same object, or the first one that does not follow on its line. If not, it becomes
    /// the reference for the next one.
    #[inline(always)]
    pub(super) fn is_dedent(&mut self, gap: usize) -> bool {
        let Some(object) = self.stack.last_mut() else { return false };
        let run = run_of(gap);
        // Members of an object on one line do not go on with the next line of what is around it.
        let leaves_line = object.run <= 1 && run > 1 && self.comma.is_some();
        let dedent = run < object.run || leaves_line;
        // The lines of an object without braces are as deep as its first one.
        let known = object.opened == Opened::Indented && object.run > 0;
        if !dedent && !known {
            object.run = run;
        }
        dedent
    }

    /// Returns whether the line here is less indented than the members of an object without braces.
    pub(super) fn leaves_indented(&self, window: &Window<'_>) -> bool {
        let run = run_of(self.gap());
        let frame = self.stack.last().filter(|frame| frame.opened == Opened::Indented);
        frame.is_some_and(|frame| run < frame.run)
            && window.slice(Span::new(self.last_end, self.at)).contains('\n')
    }

    /// Records the indentation of an item that is a container.
    #[inline]
    pub(super) fn note_item(&mut self) {
        let run = run_of(self.gap());
        if let Some(array) = self.stack.last_mut()
            && array.kind == Container::Array
        {
            array.run = run;
        }
    }

    /// Handles a key that is less indented than the one before it. Closing brackets may be missing
    /// before it if the text lacks any. Valid text lacks none, however it is indented.
    #[cold]
    pub(super) fn dedent(&mut self, window: &Window<'_>, sink: &mut dyn Sink) -> Result<(), Stop> {
        if self.opened(Opened::Indented) {
            let line = window.slice(Span::new(self.last_end, self.at)).contains('\n');
            if line {
                return self.close_inside(1, sink);
            }
            if let Some(key) = self.scan_key(window, self.at) {
                self.member = self.last_end;
                self.strict_key(window, key, sink);
                return Ok(());
            }
        }
        let count = closed_before(window, self.last_end, self.at, &self.stack);
        let missing = match count {
            Some(_) => self.count_missing_closers(window)?,
            None => 0,
        };
        match count {
            Some(count) if count <= missing => self.close_inside(count, sink),
            _ => {
                let run = run_of(self.gap());
                if let Some(object) = self.stack.last_mut() {
                    object.run = run;
                }
                Ok(())
            }
        }
    }

    /// Returns whether a list here follows a scalar in a list inside another.
    #[inline(always)]
    pub(super) fn is_after_scalar(&self, window: &Window<'_>) -> bool {
        self.state == GrammarState::Item
            && parent(&self.stack) == Some(Container::Array)
            && self.top() == Some(Container::Array)
            && !matches!(window.byte(self.last_end - 1), Some(b']' | b'}'))
    }

    /// Returns whether the innermost list is a row of a table that ends before the next one here.
    pub(super) fn lacks_row_end(&mut self, window: &Window<'_>) -> bool {
        if self.top() != Some(Container::Array) || parent(&self.stack) != Some(Container::Array) {
            return false;
        }
        let budget = &mut self.budget.left;
        row::lacks_end(window, self.last_end, self.at, &self.stack, self.spacing, budget)
    }

    /// Opens the list here, after the end of the row before it if its closing bracket is missing.
    #[cold]
    pub(super) fn row(&mut self, window: &Window<'_>, sink: &mut dyn Sink) -> Result<(), Stop> {
        if self.lacks_row_end(window) {
            self.close_inside(1, sink)?;
            self.state = GrammarState::Item;
            return Ok(());
        }
        self.open(Container::Array, Opened::Plain, self.at + 1, sink)
    }

    /// Returns the number of closing brackets missing from here on. Counted once. Where too much of the
    /// text was read for it, only a value that ends soon is told to lack none.
    fn count_missing_closers(&mut self, window: &Window<'_>) -> Result<usize, Stop> {
        if let Some(counted) = self.missing_closers {
            return Ok(counted);
        }
        let may_read = self.budget.may_read_ahead();
        let reach = if may_read { usize::MAX } else { NEAR };
        let (missing, end) = missing_closers(window, self.at, self.stack.len(), reach);
        if missing > 0 && !may_read {
            let detail = "a closing bracket may be missing before this line";
            return Err(Stop::new(ErrorKind::Ambiguous, Span::at(self.at), detail));
        }
        self.budget.read_ahead(end - self.at);
        self.missing_closers = Some(missing);
        Ok(missing)
    }
}

/// Converts a length of white space for a [`Frame`](super::Frame).
#[inline]
fn run_of(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
