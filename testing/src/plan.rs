//! Generators of plans, workflows and patches.
//!
//! A case is identified by its seed.

pub mod erased;
pub mod large;
pub mod pairs;
pub mod structured;
