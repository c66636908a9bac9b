//! Lookup of items by id, with suggestions for unknown ids.

use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap},
};

use llmend_json::{nearest, preview};

/// Budget of id comparisons for suggestions: comparing every unknown id with every id would be
/// quadratic.
const MAX_COMPARISONS: usize = 200_000;

/// Maximum number of characters of a name in a message.
const MAX_CHARS: usize = 60;

/// The ids of a list, indexed for lookup and suggestions.
pub(crate) struct IdIndex<'i> {
    ids: Vec<&'i str>,
    by_id: HashMap<&'i str, usize>,
    /// Items by lower-case id; `None` where several ids are equal in lower case.
    folded: HashMap<String, Option<usize>>,
    budget: Cell<usize>,
}

impl<'i> IdIndex<'i> {
    pub(crate) fn new(ids: Vec<&'i str>) -> Self {
        let by_id = super::index(ids.iter().copied());
        let mut folded: HashMap<String, Option<usize>> = HashMap::new();
        for (at, id) in ids.iter().enumerate() {
            if by_id.get(id) == Some(&at) {
                folded.entry(id.to_lowercase()).and_modify(|one| *one = None).or_insert(Some(at));
            }
        }
        Self { ids, by_id, folded, budget: Cell::new(MAX_COMPARISONS) }
    }

    /// Returns the item with this id.
    pub(crate) fn get(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// Returns the id of an item.
    pub(crate) fn id(&self, item: usize) -> &'i str {
        self.ids.get(item).copied().unwrap_or_default()
    }

    /// Returns the only item whose id differs in case alone.
    pub(crate) fn ignoring_case(&self, id: &str) -> Option<usize> {
        self.folded.get(&id.trim().to_lowercase()).copied().flatten()
    }

    /// Returns the only id of which `name` is a near miss.
    pub(crate) fn nearest(&self, name: &str) -> Option<&'i str> {
        if let Some(item) = self.ignoring_case(name) {
            return Some(self.id(item));
        }
        let budget = self.budget.get().checked_sub(self.ids.len())?;
        self.budget.set(budget);
        // A duplicate id would tie with itself.
        let once = self.ids.iter().enumerate().filter(|(at, id)| self.get(id) == Some(*at));
        nearest(name, once.map(|(_, id)| *id))
    }

    /// Lists the ids, if there are few.
    pub(crate) fn choice(&self) -> Option<String> {
        (!self.ids.is_empty() && self.ids.len() <= 12).then(|| listed(self.ids.iter().copied()))
    }

    /// Returns a suggestion for an unknown id.
    pub(crate) fn advice(&self, name: &str) -> Option<String> {
        match self.nearest(name) {
            Some(near) => Some(format!("did you mean `{}`?", shown(near))),
            None => self.choice().map(|choice| format!("expected one of {choice}")),
        }
    }
}

/// Shortens a name for a message.
pub(crate) fn shown(name: &str) -> &str {
    preview(name, MAX_CHARS)
}

/// Joins names for a message, at most twelve.
pub(crate) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut names = names.into_iter();
    let first: Vec<String> =
        names.by_ref().take(12).map(|name| format!("`{}`", shown(name))).collect();
    let text = first.join(", ");
    match names.count() {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

/// Groups the items whose ids differ only in case, with the first item of each spelling.
pub(crate) fn alike<'i>(ids: impl IntoIterator<Item = &'i str>) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<String, Vec<(usize, &str)>> = BTreeMap::new();
    for (at, id) in ids.into_iter().enumerate() {
        let group = groups.entry(id.to_lowercase()).or_default();
        // Equal ids are the subject of another check. Large groups are cut short.
        if group.len() < 16 && group.iter().all(|(_, other)| *other != id) {
            group.push((at, id));
        }
    }
    let mut groups: Vec<Vec<usize>> = groups
        .into_values()
        .filter(|group| group.len() > 1)
        .map(|group| group.into_iter().map(|(at, _)| at).collect())
        .collect();
    groups.sort_unstable();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_nearest_id() {
        let names = IdIndex::new(vec!["fetch", "Write", "WRITE", "step-1", "fetch"]);
        let rows = [
            ("Fetch", Some("fetch")),
            ("fetsh", Some("fetch")),
            ("step_1", Some("step-1")),
            ("write", None),
            ("elsewhere", None),
        ];
        for (name, expected) in rows {
            assert_eq!(names.nearest(name), expected, "{name}");
        }
        assert_eq!(names.get("fetch"), Some(0));
        assert_eq!(names.ignoring_case(" FETCH "), Some(0));
        assert_eq!(
            names.advice("x").as_deref(),
            Some("expected one of `fetch`, `Write`, `WRITE`, `step-1`, `fetch`")
        );
    }

    #[test]
    fn groups_ids_that_differ_in_case() {
        assert_eq!(alike(["a", "b", "A", "a", "B", "c"]), [vec![0, 2], vec![1, 4]]);
        assert!(alike(["a", "a"]).is_empty());
    }
}
