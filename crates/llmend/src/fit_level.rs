//! The parts of a value that are shown and incomplete.

use std::collections::{HashMap, HashSet};

use llmend_json::{Kind, State};
use llmend_schema::Place;

/// A container that is shown and incomplete.
pub(crate) struct Level {
    pub(crate) index: usize,
    pub(crate) kind: Kind,
    pub(crate) place: Place,
    /// Its name or index in the part around it.
    pub(crate) token: String,
    /// Where its JSON begins.
    pub(crate) start: usize,
    /// The index of the next part, which is a key in an object.
    pub(crate) next: usize,
    /// The number of items so far, also of those that are left out.
    pub(crate) count: usize,
    /// Where the JSON of each shown part is.
    pub(crate) parts: Vec<(usize, usize)>,
    /// The parts of an object by name.
    pub(crate) names: HashMap<String, usize>,
    /// Whether a part is held back until the container is complete.
    pub(crate) is_held: bool,
    /// Whether the current part is held back until it is complete.
    pub(crate) waits: bool,
    /// Whether all further parts are held back.
    pub(crate) is_stopped: bool,
}

/// A string that is shown and incomplete.
pub(crate) struct Growing {
    pub(crate) index: usize,
    pub(crate) place: Place,
    pub(crate) token: String,
    /// What is shown of it.
    pub(crate) text: String,
    pub(crate) state: State,
}

impl Level {
    /// Creates a container of which nothing is shown yet.
    pub(crate) fn new(index: usize, kind: Kind, place: Place, token: String, start: usize) -> Self {
        Self {
            index,
            kind,
            place,
            token,
            start,
            next: index + 1,
            count: 0,
            parts: Vec::new(),
            names: HashMap::new(),
            is_held: false,
            waits: false,
            is_stopped: false,
        }
    }

    /// Returns the parts of `json` that were not shown, if all others were; `all` is what was shown. Members of which
    /// another value was shown are among them: their keys came again.
    pub(crate) fn added(&self, all: &str, json: &str) -> Option<Vec<(String, String)>> {
        let value = llmend_json::parse(json).ok()?.value;
        let root = value.root();
        if root.kind() != self.kind {
            return None;
        }
        let is_shown = |at: usize, json: &str| {
            self.parts.get(at).is_some_and(|&(start, end)| all.get(start..end) == Some(json))
        };
        let (mut kept, mut added) = (HashSet::new(), Vec::new());
        for (at, item) in root.items().enumerate() {
            let json = item.to_string();
            if is_shown(at, &json) {
                kept.insert(at);
            } else if at < self.parts.len() {
                return None;
            } else {
                added.push((at.to_string(), json));
            }
        }
        // Of a key that is repeated, the last value counts.
        let members = || root.members().map(|(key, value)| (key.str().unwrap_or_default(), value));
        let last: HashMap<_, _> = members().map(|(key, value)| (key, value.index())).collect();
        for (key, value) in members().filter(|(key, value)| last.get(key) == Some(&value.index())) {
            let json = value.to_string();
            let at = self.names.get(key);
            kept.extend(at);
            if !at.is_some_and(|&at| is_shown(at, &json)) {
                added.push((key.to_owned(), json));
            }
        }
        (kept.len() == self.parts.len()).then_some(added)
    }
}

/// Returns the end of a container.
pub(crate) fn end_of(kind: Kind) -> char {
    if kind == Kind::Array { ']' } else { '}' }
}

/// Returns a text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
