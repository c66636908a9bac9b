//! What if a line stands less deep than its container's?

use crate::{
    judge::bracket::layout::{closed_before, missing_closers},
    parser::{Parser, Stop, Window},
    sink::{Container, Sink},
};

impl Parser<'_> {
    /// White space before what stands here, behind the comma or bracket before it.
    #[inline]
    pub(super) fn gap(&self) -> usize {
        self.at - self.comma.map_or(self.last_end, |comma| comma.end)
    }

    /// Whether a key behind `gap` bytes of white space stands less deep than the one before it in
    /// the same object. If not, the next one is measured by it.
    #[inline]
    pub(super) fn is_dedent(&mut self, gap: usize) -> bool {
        let Some(object) = self.stack.last_mut() else { return false };
        let run = run_of(gap);
        let dedent = run < object.run;
        if !dedent {
            object.run = run;
        }
        dedent
    }

    /// An item opens here that is a container: if in an array, it shows how deep the items stand.
    #[inline]
    pub(super) fn note_item(&mut self) {
        let run = run_of(self.gap());
        if let Some(array) = self.stack.last_mut()
            && array.kind == Container::Array
        {
            array.run = run;
        }
    }

    /// A key stands here that is less deep than the one before it: the closers before it may be
    /// missing, if the text lacks any. Valid text lacks none, however it is laid out.
    #[cold]
    pub(super) fn dedent<S: Sink>(
        &mut self,
        window: &Window<'_>,
        sink: &mut S,
    ) -> Result<(), Stop> {
        let count = closed_before(window, self.last_end, self.at, &self.stack);
        let missing = match count {
            Some(_) => self.count_missing_closers(window),
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

    /// How many closers the text lacks from here on. It is counted once.
    fn count_missing_closers(&mut self, window: &Window<'_>) -> usize {
        let depth = self.stack.len();
        *self.missing_closers.get_or_insert_with(|| missing_closers(window, self.at, depth))
    }
}

/// A length of white space as a [`Frame`](super::Frame) keeps it.
#[inline]
fn run_of(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
