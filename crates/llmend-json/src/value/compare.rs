//! Equality of values.

use crate::value::{SlotKind, Value};

/// Values are equal if they have the same kinds and texts, with members in the same order. Numbers
/// are compared as written; spans are ignored.
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
