//! The strategy `escalate`: ask the next model.
//!
//! The request is that of `full`; the loop selects the model.

use super::{Row, full};

pub(super) const ROW: Row = full::ROW;
