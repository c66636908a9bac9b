//! Which containers are open at a place further on?

use crate::{parser::Frame, sink::Container};

/// Most containers that a reading opens.
const DEPTH: usize = 32;

/// The open containers: those of the machine, less what was closed, and what was opened since.
#[derive(Clone, Copy)]
pub(super) struct OpenContainers<'s> {
    below: &'s [Frame],
    above: [Container; DEPTH],
    count: usize,
}

impl<'s> OpenContainers<'s> {
    /// The containers of the machine, and no others yet.
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

    /// Opens another; whether there is room for it.
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
