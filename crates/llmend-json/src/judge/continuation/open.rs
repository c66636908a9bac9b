//! The open containers of a lookahead.

use crate::{parser::Frame, sink::Container};

/// Maximum number of containers that a lookahead opens.
const DEPTH: usize = 32;

/// The open containers: those of the parser less the closed ones, plus those opened since.
#[derive(Clone, Copy)]
pub(super) struct OpenContainers<'s> {
    below: &'s [Frame],
    above: [Container; DEPTH],
    count: usize,
}

impl<'s> OpenContainers<'s> {
    /// Starts with the containers of the parser.
    pub(super) const fn new(below: &'s [Frame]) -> Self {
        Self { below, above: [Container::Array; DEPTH], count: 0 }
    }

    pub(super) fn top(&self) -> Option<Container> {
        if self.count > 0 {
            self.above.get(self.count - 1).copied()
        } else {
            self.below.last().map(|frame| frame.kind)
        }
    }

    pub(super) fn pop(&mut self) {
        if self.count > 0 {
            self.count -= 1;
        } else {
            self.below = self.below.split_last().map_or(self.below, |(_, rest)| rest);
        }
    }

    /// Opens a container. Returns whether there is room for it.
    pub(super) fn push(&mut self, kind: Container) -> bool {
        match self.above.get_mut(self.count) {
            Some(place) => {
                *place = kind;
                self.count += 1;
                true
            }
            None => false,
        }
    }
}
