//! Locations of the parts of a plan in the model's text.
//!
//! Checks, inference and patches report findings with JSON Pointers into the *canonical* form, as serde
//! writes it: `/steps/2/depends_on/0`, `/nodes/3/condition/left`, `/edges/1/output`.
//! [`Locations::locate`] turns each into a finding about the model's text, with the span there and the path
//! in the model's own JSON (such as `/tasks/4/deps/0`).
//!
//! A path without a location (a missing field, a deeply nested value) gets that of the innermost part
//! around it.
//!
//! Parts are identified by the index of their item, so code that adds or removes items must call
//! [`Locations::arrange`].

use std::collections::BTreeMap;

use llmend_json::{Diagnostic, Span, push_token, unescape_token};

/// The part of a node that states that the flow starts there. The canonical form has no such field.
pub(crate) const ENTRY: &str = "/entry";

/// The location of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// JSON Pointer into the model's value; `None` if the text is not JSON.
    pub path: Option<String>,
    /// Byte range in the model's text.
    pub span: Span,
}

/// The locations of an item and its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemLocations {
    /// Location of the item; `None` if it is not from the text.
    pub whole: Option<Location>,
    /// Locations of its parts, by JSON Pointer into the canonical item: `/depends_on/0`.
    pub parts: BTreeMap<String, Location>,
    /// Keys of its objects in the order of the text, by JSON Pointer into the canonical item: `/inputs`.
    /// Objects whose keys are sorted are omitted.
    pub order: BTreeMap<String, Vec<String>>,
}

/// The locations of the parts of a plan, workflow or patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locations {
    /// Locations of the plan itself and of its parts outside the lists.
    pub root: ItemLocations,
    /// Locations of the items of each list, by the list's name in the canonical form: `steps`, `nodes`,
    /// `edges`. Indices equal those of the items.
    pub lists: BTreeMap<String, Vec<ItemLocations>>,
}

/// The spans of a list's items, indexed by where they start.
#[derive(Clone, Debug)]
pub struct ItemSpans(BTreeMap<usize, (usize, usize)>);

impl ItemSpans {
    /// Returns the index of the item that contains `span`, and the item's length in bytes.
    #[must_use]
    pub fn around(&self, span: Span) -> Option<(usize, usize)> {
        let (start, (end, at)) = self.0.range(..=span.start).next_back()?;
        (*end >= span.end).then(|| (*at, end - start))
    }
}

/// The origin of an item of a changed list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The item that had this index before the change, perhaps altered.
    Kept(usize),
    /// A new item, located at this canonical path: an inferred edge at its node, for example.
    Beside(String),
    /// A new item without a location.
    New,
}

impl ItemLocations {
    /// Creates the locations of an item without parts.
    #[must_use]
    pub fn new(place: Location) -> Self {
        Self { whole: Some(place), ..Self::default() }
    }

    /// Locates a finding at the canonical path `part` of the item.
    pub(crate) fn shown(&self, row: Diagnostic, part: &str) -> Diagnostic {
        let Some((place, head)) = self.around(part) else { return row.on(part) };
        let tail = part.get(head.len()..).unwrap_or_default();
        let path = place.path.as_ref().map(|path| format!("{path}{tail}"));
        Diagnostic { span: Some(place.span), path, ..row }
    }

    /// Moves the locations of a renamed part and of everything below it.
    pub(crate) fn rename(&mut self, old: &str, new: &str) {
        renamed(&mut self.parts, old, new);
        renamed(&mut self.order, old, new);
        let (Some((above, old)), Some((_, new))) = (old.rsplit_once('/'), new.rsplit_once('/'))
        else {
            return;
        };
        let (old, new) = (unescape_token(old), unescape_token(new));
        let keys = self.order.get_mut(above).into_iter().flatten();
        if let Some(key) = keys.into_iter().find(|key| **key == old) {
            *key = new;
        }
    }

    /// Returns the innermost location around `part`, and the prefix of `part` that it covers.
    fn around<'p>(&self, part: &'p str) -> Option<(&Location, &'p str)> {
        let mut head = part;
        while !head.is_empty() {
            if let Some(place) = self.parts.get(head) {
                return Some((place, head));
            }
            head = head.rfind('/').and_then(|at| head.get(..at)).unwrap_or_default();
        }
        self.whole.as_ref().map(|place| (place, ""))
    }
}

/// Moves what is known of a renamed part and of everything below it.
fn renamed<T>(known: &mut BTreeMap<String, T>, old: &str, new: &str) {
    let moved: Vec<String> = known
        .range(old.to_owned()..)
        .map(|(part, _)| part)
        .take_while(|part| part.starts_with(old))
        .filter(|part| part.get(old.len()..).is_some_and(|it| it.is_empty() || it.starts_with('/')))
        .cloned()
        .collect();
    for part in moved {
        if let Some(what) = known.remove(&part) {
            let rest = part.get(old.len()..).unwrap_or_default();
            known.insert(format!("{new}{rest}"), what);
        }
    }
}

impl Locations {
    /// Returns whether the keys of some object are not sorted in the text.
    pub(crate) fn is_ordered(&self) -> bool {
        let mut items = std::iter::once(&self.root).chain(self.lists.values().flatten());
        items.any(|item| !item.order.is_empty())
    }

    /// Returns the keys of the object at the canonical `path` in the order of the text, if they are not
    /// sorted there.
    pub(crate) fn order(&self, path: &str) -> Option<&[String]> {
        let (item, part) = self.item(path).unwrap_or((&self.root, path));
        item.order.get(part).map(Vec::as_slice)
    }

    /// Locates a finding in the model's text: sets its span, and replaces its canonical path by the path in
    /// the model's own JSON. A finding that has a span, or whose location is unknown, stays as it is.
    #[must_use]
    pub fn locate(&self, row: Diagnostic) -> Diagnostic {
        let Some(place) =
            row.path.as_deref().filter(|_| row.span.is_none()).and_then(|path| self.of(path))
        else {
            return row;
        };
        Diagnostic { span: Some(place.span), path: place.path.or(row.path), ..row }
    }

    /// Returns the location of the part at the canonical `path`, or of the innermost part around it. The
    /// returned path is complete, even if its last parts are missing in the text.
    #[must_use]
    pub fn of(&self, path: &str) -> Option<Location> {
        let (item, part) = self.item(path).unwrap_or((&self.root, path));
        let (place, head) = match item.around(part) {
            Some(found) => found,
            None => (self.root.whole.as_ref()?, ""),
        };
        let tail =
            if item.whole.is_some() { part.get(head.len()..).unwrap_or_default() } else { "" };
        let path = place.path.as_ref().map(|path| format!("{path}{tail}"));
        Some(Location { path, span: place.span })
    }

    /// Returns the spans of the items of `list`.
    #[must_use]
    pub fn item_spans(&self, list: &str) -> ItemSpans {
        let items = self.lists.get(list).map(Vec::as_slice).unwrap_or_default();
        let mut starts = BTreeMap::new();
        for (at, item) in items.iter().enumerate() {
            if let Some(place) = &item.whole {
                starts.entry(place.span.start).or_insert((place.span.end, at));
            }
        }
        ItemSpans(starts)
    }

    /// Returns the item that `path` points into, and the rest of the path.
    pub(crate) fn item<'p>(&self, path: &'p str) -> Option<(&ItemLocations, &'p str)> {
        let (list, rest) = path.strip_prefix('/')?.split_once('/')?;
        let (index, part) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        Some((self.lists.get(list)?.get(index.parse::<usize>().ok()?)?, part))
    }

    /// Rearranges the locations of `list` after a change; `sources` gives the origin of each item.
    pub fn arrange(&mut self, list: &str, sources: &[Source]) {
        let before = self.lists.get(list).cloned().unwrap_or_default();
        let after = sources.iter().map(|source| match source {
            Source::Kept(at) => before.get(*at).cloned().unwrap_or_default(),
            Source::Beside(path) => ItemLocations { whole: self.of(path), ..Default::default() },
            Source::New => ItemLocations::default(),
        });
        let after = after.collect();
        self.lists.insert(list.to_owned(), after);
    }
}

/// Returns the JSON Pointer of `token` below `path`.
pub(crate) fn below(path: &str, token: &str) -> String {
    let mut longer = path.to_owned();
    push_token(&mut longer, token);
    longer
}

#[cfg(test)]
mod tests {
    use llmend_json::Severity;

    use super::*;

    fn place(path: &str, at: usize) -> Location {
        Location { path: Some(path.to_owned()), span: Span::new(at, at + 1) }
    }

    fn locations() -> Locations {
        let mut step = ItemLocations::new(place("/tasks/4", 40));
        step.parts.insert("/depends_on".to_owned(), place("/tasks/4/deps", 43));
        step.parts.insert("/depends_on/0".to_owned(), place("/tasks/4/deps/0", 44));
        let root = ItemLocations::new(place("", 0));
        Locations { root, lists: BTreeMap::from([("steps".to_owned(), vec![step])]) }
    }

    #[test]
    fn findings_are_located_at_the_innermost_part() {
        for (path, theirs, at) in [
            ("/steps/0/depends_on/0", "/tasks/4/deps/0", 44),
            ("/steps/0/depends_on/7", "/tasks/4/deps/7", 43),
            ("/steps/0/id", "/tasks/4/id", 40),
            ("/steps/0", "/tasks/4", 40),
            ("/steps/1/id", "/steps/1/id", 0),
            ("/objective", "/objective", 0),
            ("", "", 0),
        ] {
            let row = locations().locate(Diagnostic::new("a/b", Severity::Error, "x").on(path));
            assert_eq!(row.path.as_deref(), Some(theirs), "{path}");
            assert_eq!(row.span, Some(Span::new(at, at + 1)), "{path}");
        }
    }

    #[test]
    fn without_locations_a_finding_keeps_its_path() {
        let row = Diagnostic::new("a/b", Severity::Error, "x").on("/steps/0");
        assert_eq!(Locations::default().locate(row.clone()), row);
    }

    #[test]
    fn a_changed_list_keeps_its_locations() {
        let mut locations = locations();
        locations.arrange(
            "steps",
            &[Source::New, Source::Beside("/steps/0/depends_on".to_owned()), Source::Kept(0)],
        );
        let span = |path| locations.of(path).expect(path).span.start;
        assert_eq!(
            [span("/steps/0"), span("/steps/1/id"), span("/steps/2/depends_on/0")],
            [0, 43, 44]
        );
    }
}
