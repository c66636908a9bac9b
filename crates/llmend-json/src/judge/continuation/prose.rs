//! Prose in place of what continues a container: the value is cut off before it.

use crate::judge::{continuation::TokenReader, words::stray};

impl TokenReader<'_, '_> {
    /// Returns whether a list is cut off behind the comma that ends at `before`, and perhaps three
    /// dots: only a paragraph of prose follows.
    pub(super) fn is_cut_off(&mut self, before: usize) -> bool {
        let dots =
            ["...", "…"].iter().find(|dots| self.window.starts_with(self.at, dots.as_bytes()));
        let end = dots.map_or(before, |dots| self.at + dots.len());
        let next = self.window.skip_space(end);
        stray::is_paragraph(self.window, end, next) && self.is_prose(end, next)
    }

    /// Returns whether only prose follows from `at`, on a line behind the one that ends at `end`.
    pub(super) fn is_prose(&mut self, end: usize, at: usize) -> bool {
        let mut left = usize::MAX;
        let prose = stray::is_prose(self.window, end, at, &mut left);
        self.scanned += usize::MAX - left;
        prose && !self.window.rest(at).contains(['"', ':'])
    }
}
