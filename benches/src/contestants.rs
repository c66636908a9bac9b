//! All contestants.

use crate::contestant::Contestant;
use crate::{engine, peers};

/// Returns all contestants, `serde_json` first.
pub fn all() -> Vec<Box<dyn Contestant>> {
    let mut all = peers::all();
    all.extend(engine::all());
    all
}
