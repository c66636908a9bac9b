//! How is another model asked?
//!
//! As the same one would be: what changes is who is asked, which the loop sees to.

use super::{Row, full};

pub(super) const ROW: Row = full::ROW;
