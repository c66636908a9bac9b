//! Which item was meant by a name that none has?

use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap},
};

use llmend_json::{nearest, preview};

/// Names that are compared with others before no further slips are looked for: looking for the
/// nearest of all names, for each of them, would be quadratic.
const COMPARED: usize = 200_000;

/// Characters of a name that a message shows.
const SHOWN: usize = 60;

/// The ids of a list, and what they may be mistaken for.
pub(crate) struct Names<'i> {
    ids: Vec<&'i str>,
    by_id: HashMap<&'i str, usize>,
    /// The only item of an id in lower case; nothing where there are several.
    folded: HashMap<String, Option<usize>>,
    left: Cell<usize>,
}

impl<'i> Names<'i> {
    pub(crate) fn new(ids: Vec<&'i str>) -> Self {
        let by_id = super::index(ids.iter().copied());
        let mut folded: HashMap<String, Option<usize>> = HashMap::new();
        for (at, id) in ids.iter().enumerate() {
            if by_id.get(id) == Some(&at) {
                folded.entry(id.to_lowercase()).and_modify(|one| *one = None).or_insert(Some(at));
            }
        }
        Self { ids, by_id, folded, left: Cell::new(COMPARED) }
    }

    /// The item of that id.
    pub(crate) fn get(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The id of an item.
    pub(crate) fn id(&self, item: usize) -> &'i str {
        self.ids.get(item).copied().unwrap_or_default()
    }

    /// The only item whose id differs in case alone.
    pub(crate) fn but_for_case(&self, id: &str) -> Option<usize> {
        self.folded.get(&id.trim().to_lowercase()).copied().flatten()
    }

    /// The one id that `name` is a slip of.
    pub(crate) fn nearest(&self, name: &str) -> Option<&'i str> {
        if let Some(item) = self.but_for_case(name) {
            return Some(self.id(item));
        }
        let left = self.left.get().checked_sub(self.ids.len())?;
        self.left.set(left);
        // An id that stands twice would tie with itself.
        let once = self.ids.iter().enumerate().filter(|(at, id)| self.get(id) == Some(*at));
        nearest(name, once.map(|(_, id)| *id))
    }

    /// Ids that one may choose from, where there are few.
    pub(crate) fn choice(&self) -> Option<String> {
        (!self.ids.is_empty() && self.ids.len() <= 12).then(|| listed(self.ids.iter().copied()))
    }

    /// What to say of a name that no item has.
    pub(crate) fn advice(&self, name: &str) -> Option<String> {
        match self.nearest(name) {
            Some(near) => Some(format!("did you mean `{}`?", shown(near))),
            None => self.choice().map(|choice| format!("there are {choice}")),
        }
    }
}

/// As much of a name as a message shows.
pub(crate) fn shown(name: &str) -> &str {
    preview(name, SHOWN)
}

/// Names in a sentence, at most twelve.
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

/// Ids that differ in case only, as lists of items: for each spelling its first item.
pub(crate) fn alike<'i>(ids: impl IntoIterator<Item = &'i str>) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<String, Vec<(usize, &str)>> = BTreeMap::new();
    for (at, id) in ids.into_iter().enumerate() {
        let group = groups.entry(id.to_lowercase()).or_default();
        // What is equal is of another check; a group has few spellings, or else is cut short.
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
    fn a_name_is_told_from_those_near_it() {
        let names = Names::new(vec!["fetch", "Write", "WRITE", "step-1", "fetch"]);
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
        assert_eq!(names.but_for_case(" FETCH "), Some(0));
        assert_eq!(
            names.advice("x").as_deref(),
            Some("there are `fetch`, `Write`, `WRITE`, `step-1`, `fetch`")
        );
    }

    #[test]
    fn ids_that_differ_in_case_are_grouped() {
        assert_eq!(alike(["a", "b", "A", "a", "B", "c"]), [vec![0, 2], vec![1, 4]]);
        assert!(alike(["a", "a"]).is_empty());
    }
}
