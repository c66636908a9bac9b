//! The open containers of a lookahead.

use crate::{
    parser::{Frame, Opened},
    sink::Container,
};

/// Maximum number of containers that a lookahead opens.
const DEPTH: usize = 32;
/// How many of the parser's containers show how the value writes its brackets.
const SHOWN: usize = 3;

/// The open containers: those of the parser less the closed ones, plus those opened since.
#[derive(Clone, Copy)]
pub(super) struct OpenContainers<'s> {
    below: &'s [Frame],
    above: [Container; DEPTH],
    /// A bit for each of them that is a tuple or has doubled braces.
    odd: u32,
    count: usize,
    /// Whether the value writes tuples, and doubled braces.
    pub(super) tuples: bool,
    pub(super) doubled: bool,
}

impl<'s> OpenContainers<'s> {
    /// Starts with the containers of the parser.
    pub(super) fn new(below: &'s [Frame], tuples: bool) -> Self {
        let near = || below.iter().rev().take(SHOWN);
        Self {
            below,
            above: [Container::Array; DEPTH],
            odd: 0,
            count: 0,
            tuples: tuples || near().any(|frame| frame.opened == Opened::Tuple),
            doubled: near().any(|frame| frame.opened == Opened::Doubled),
        }
    }

    pub(super) fn top(&self) -> Option<Container> {
        if self.count > 0 {
            self.above.get(self.count - 1).copied()
        } else {
            self.below.last().map(|frame| frame.kind)
        }
    }

    /// Returns whether the innermost container is a tuple or has doubled braces.
    pub(super) fn is_odd(&self) -> bool {
        if self.count > 0 {
            self.odd >> (self.count - 1) & 1 == 1
        } else {
            let opened = self.below.last().map(|frame| frame.opened);
            matches!(opened, Some(Opened::Tuple | Opened::Doubled | Opened::Keyed))
        }
    }

    /// Returns whether the innermost container is an object in brackets or parentheses.
    pub(super) fn is_keyed(&self) -> bool {
        self.count == 0 && self.below.last().is_some_and(|frame| frame.opened == Opened::Keyed)
    }

    pub(super) fn pop(&mut self) {
        if self.count > 0 {
            self.count -= 1;
        } else {
            self.below = self.below.split_last().map_or(self.below, |(_, rest)| rest);
        }
    }

    /// Opens a container. Returns whether there is room for it.
    pub(super) fn push(&mut self, kind: Container, odd: bool) -> bool {
        match self.above.get_mut(self.count) {
            Some(place) => {
                *place = kind;
                self.odd = self.odd & !(1 << self.count) | u32::from(odd) << self.count;
                self.count += 1;
                true
            }
            None => false,
        }
    }
}
