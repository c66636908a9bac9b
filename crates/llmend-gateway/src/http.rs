//! Requests over HTTP: reading them, the exchange with the upstream, the relay between both sides and replies.

pub(crate) mod exchange;
pub(crate) mod incoming;
pub(crate) mod relay;
pub(crate) mod reply;
