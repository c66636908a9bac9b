//! When are two values the same?

use crate::value::{SlotKind, Value};

/// Same kinds, same texts, same members in the same order; numbers by how they are written; where
/// they stand does not matter.
impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.slots.len() == other.slots.len()
            && self.slots.iter().zip(&other.slots).enumerate().all(|(at, (ours, theirs))| {
                ours.kind == theirs.kind
                    && match ours.kind {
                        SlotKind::Array | SlotKind::Object => ours.data == theirs.data,
                        SlotKind::Number | SlotKind::String => {
                            self.content(at) == other.content(at)
                        }
                        _ => true,
                    }
            })
    }
}

impl Eq for Value<'_> {}
