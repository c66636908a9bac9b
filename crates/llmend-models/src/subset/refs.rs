//! References within a schema.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;

/// The references in a schema, by the definition that they are in. Outside of all it is empty.
#[derive(Default)]
pub(super) struct Refs {
    within: String,
    to: BTreeMap<String, BTreeSet<String>>,
}

impl Refs {
    /// Enters a definition, and returns the one that it is in.
    pub(super) fn enter(&mut self, name: &str) -> String {
        std::mem::replace(&mut self.within, name.to_owned())
    }

    /// Adds a reference. Providers take those to the whole and to its definitions.
    pub(super) fn add(&mut self, reference: &RawValue) -> Option<()> {
        let reference: String = serde_json::from_str(reference.get()).ok()?;
        let target = match reference.as_str() {
            "#" => "",
            _ => ["#/$defs/", "#/definitions/"]
                .iter()
                .find_map(|place| reference.strip_prefix(place))
                .filter(|name| !name.contains('/'))?,
        };
        self.to.entry(self.within.clone()).or_default().insert(target.to_owned());
        Some(())
    }

    /// Returns whether a definition leads to itself.
    pub(super) fn is_circular(&self) -> bool {
        self.to.keys().any(|start| {
            let mut seen = BTreeSet::new();
            let mut next: Vec<&String> = self.to[start].iter().collect();
            while let Some(name) = next.pop() {
                if name == start {
                    return true;
                }
                if seen.insert(name) {
                    next.extend(self.to.get(name).into_iter().flatten());
                }
            }
            false
        })
    }
}
