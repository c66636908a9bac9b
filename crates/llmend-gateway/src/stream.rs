//! A stream that is looked at, whatever its protocol.

use crate::answer::usage::Told;
use crate::config::Policy;
use crate::error::Failure;
use crate::protocol::chat::stream::Stream;
use crate::repair::decide::{Decision, Left, Part};
use crate::repair::evaluate::Phase;
use crate::retry::Settled;
use crate::stream::typed::Typed;

pub(crate) mod frames;
pub(crate) mod passthrough;
pub(crate) mod typed;

/// A stream that is looked at.
#[derive(Clone, Debug)]
pub(crate) enum Looked {
    Chat(Box<Stream>),
    Typed(Box<Typed>),
}

macro_rules! either {
    ($self:ident, $stream:ident => $call:expr) => {
        match $self {
            Self::Chat($stream) => $call,
            Self::Typed($stream) => $call,
        }
    };
}

impl Looked {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        either!(self, stream => stream.push(bytes));
    }

    pub(crate) fn finish(&mut self) {
        either!(self, stream => stream.finish());
    }

    pub(crate) fn fail(&mut self, failure: &Failure) {
        either!(self, stream => stream.fail(failure));
    }

    pub(crate) fn take(&mut self) -> Vec<u8> {
        either!(self, stream => stream.take())
    }

    pub(crate) fn phase(&self) -> Phase {
        either!(self, stream => stream.phase())
    }

    pub(crate) fn size(&self) -> usize {
        either!(self, stream => stream.size())
    }

    pub(crate) fn settled(&self, policy: &Policy, left: Left) -> (Vec<Part>, Decision) {
        either!(self, stream => stream.settled(policy, left))
    }

    pub(crate) fn failure(&self) -> Option<&Failure> {
        either!(self, stream => stream.failure())
    }

    pub(crate) fn used(&self) -> Told {
        either!(self, stream => stream.used())
    }

    pub(crate) fn give(&mut self, settled: &Settled) {
        either!(self, stream => stream.give(settled));
    }
}
