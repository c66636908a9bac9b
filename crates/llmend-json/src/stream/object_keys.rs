//! The keys of an open object, to detect duplicates.

use std::collections::HashSet;

/// Maximum number of keys of one object that are remembered.
const MAX_KEYS: usize = 1 << 14;
/// Number of keys up to which a comparison with each of them costs less than a table.
const FEW: usize = 16;

/// The keys of an open object, as hashes. Equal hashes are taken for duplicate keys, so they must
/// be strong and unpredictable.
///
/// The first keys of all open objects are in one list, which each method is passed. Those of the
/// innermost object are the last.
#[derive(Debug)]
pub(super) struct ObjectKeys {
    /// Index of the first key in the list.
    start: usize,
    /// The keys after the first ones.
    more: HashSet<u64>,
}

impl ObjectKeys {
    /// Starts with no keys in a container that is now the innermost.
    pub(super) fn new(list: &[u64]) -> Self {
        Self { start: list.len(), more: HashSet::default() }
    }

    /// Adds a key. Returns whether the object has it already.
    pub(super) fn add(&mut self, list: &mut Vec<u64>, key: u64) -> bool {
        let few = list.get(self.start..).unwrap_or_default();
        if few.len() + self.more.len() >= MAX_KEYS {
            return false;
        }
        if few.contains(&key) {
            return true;
        }
        if few.len() == FEW {
            return !self.more.insert(key);
        }
        list.push(key);
        false
    }

    /// Removes a key.
    pub(super) fn remove(&mut self, list: &mut Vec<u64>, key: u64) {
        let few = list.get(self.start..).unwrap_or_default();
        match few.iter().rposition(|&one| one == key) {
            Some(at) => {
                list.remove(self.start + at);
            }
            None => {
                self.more.remove(&key);
            }
        }
    }

    /// Removes all keys, at the end of the object.
    pub(super) fn end(self, list: &mut Vec<u64>) {
        list.truncate(self.start);
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_KEYS, ObjectKeys};

    #[test]
    fn few_and_many_keys_are_found_again() {
        let mut list = vec![7];
        let mut keys = ObjectKeys::new(&list);
        for key in 0..100 {
            assert!(!keys.add(&mut list, key), "{key}");
            assert!(keys.add(&mut list, key), "{key}");
            keys.remove(&mut list, key);
            assert!(!keys.add(&mut list, key), "{key}");
        }
        assert!((0..100).all(|key| keys.add(&mut list, key)));
        // An object in it has its own.
        let mut inner = ObjectKeys::new(&list);
        assert!(!inner.add(&mut list, 1) && inner.add(&mut list, 1));
        inner.end(&mut list);
        assert!(keys.add(&mut list, 1) && !keys.add(&mut list, 100));
        keys.end(&mut list);
        assert_eq!(list, [7]);
    }

    #[test]
    fn keys_beyond_the_limit_are_not_remembered() {
        let (mut list, limit) = (Vec::new(), MAX_KEYS as u64);
        let mut keys = ObjectKeys::new(&list);
        assert!((0..limit).all(|key| !keys.add(&mut list, key)));
        assert!(!keys.add(&mut list, limit) && !keys.add(&mut list, 0));
    }
}
