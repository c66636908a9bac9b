//! Where do plans, workflows and patches that nobody has seen come from?
//!
//! A case is named by its seed, as elsewhere.

pub mod erased;
pub mod large;
pub mod pairs;
pub mod structured;
