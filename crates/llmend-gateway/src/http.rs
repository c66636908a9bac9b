//! Requests and answers over HTTP: routing, authentication, upstream calls and the relay between both sides.

pub(crate) mod exchange;
mod guard;
pub(crate) mod headers;
pub(crate) mod incoming;
pub(crate) mod path;
pub(crate) mod relay;
pub(crate) mod reply;
mod router;
pub(crate) mod server;
pub(crate) mod shared;
pub(crate) mod upstream;
pub(crate) mod work;
