//! What the package calls, listed once for both builds. The functions behind it say what each does.
//!
//! Each list is a macro. It takes the attribute by which a build exports functions and classes, and the type of bytes that
//! come in. The module that calls it has what else differs: the type `Made` of bytes that go out with a function
//! that makes it, and the type `Thrown` with a function that runs what may throw.

mod engine;
mod events;
#[cfg(feature = "full")]
mod full;

pub(crate) use engine::engine;
pub(crate) use events::events;
#[cfg(feature = "full")]
pub(crate) use full::full;
