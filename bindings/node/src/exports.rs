//! What the package calls, listed once for both builds.
//!
//! Each list is a macro that takes the attribute of a build, by which that exports functions and classes. The module that
//! calls it has what differs: the types `Made`, of bytes that go out, and `Thrown`, and `run` for what may
//! throw.

mod engine;
#[cfg(feature = "full")]
mod full;

pub(crate) use engine::engine;
#[cfg(feature = "full")]
pub(crate) use full::full;
