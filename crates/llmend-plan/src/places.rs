//! Where in the model's text does a part of the plan stand?
//!
//! Whoever looks at a plan or a workflow (a check, the inference, a patch) makes findings with a
//! JSON Pointer into the *canonical* form, as serde writes it: `/steps/2/depends_on/0`,
//! `/nodes/3/condition/left`, `/edges/1/output`. It need not know where the plan comes from. In the
//! end [`Places::locate`] turns each into a finding about the model's text: with the span there, and
//! with the path in the model's own JSON (where a step may stand under `/tasks/4/deps/0`, since two
//! bad ones before it were dropped).
//!
//! A path that the text has no place for (an absent field, a part of a value that lies deep) is
//! shown at the innermost part around it that has one.
//!
//! Parts are known by the index of their item, so that who adds or removes items says so:
//! [`Places::arrange`].

use std::collections::BTreeMap;

use llmend_json::{Diagnostic, Span};

/// Where something stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// JSON Pointer in the model's value; nothing where the text is no JSON.
    pub path: Option<String>,
    /// Bytes of the model's text.
    pub span: Span,
}

/// Where an item and its fields stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemPlaces {
    /// Of the item itself; nothing where it is not from the text.
    pub whole: Option<Place>,
    /// Of its parts, by their JSON Pointer in the canonical item: `/depends_on/0`.
    pub parts: BTreeMap<String, Place>,
}

/// Where the parts of a plan, workflow or patch stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Of the plan itself, and of its parts outside the lists.
    pub root: ItemPlaces,
    /// Of the items of each list, by the list's name in the canonical form: `steps`, `nodes`,
    /// `edges`. Entry and item have the same index.
    pub lists: BTreeMap<String, Vec<ItemPlaces>>,
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

/// Where an item of a changed list comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// It is the one that had this index before the change, perhaps altered.
    Kept(usize),
    /// It is new, and to be shown where this canonical path stands: the node of an edge that was
    /// inferred, for instance.
    Beside(String),
    /// It is new, and stands nowhere.
    New,
}

impl ItemPlaces {
    /// The place of the item.
    #[must_use]
    pub fn new(place: Place) -> Self {
        Self { whole: Some(place), parts: BTreeMap::new() }
    }

    /// The finding at the canonical path `part` of the item: with the span there, and with the path
    /// in the model's own JSON.
    pub(crate) fn shown(&self, row: Diagnostic, part: &str) -> Diagnostic {
        let Some((place, head)) = self.around(part) else { return row.on(part) };
        let tail = part.get(head.len()..).unwrap_or_default();
        let path = place.path.as_ref().map(|path| format!("{path}{tail}"));
        Diagnostic { span: Some(place.span), path, ..row }
    }

    /// Follows a part that has another name now, with all that is within it.
    pub(crate) fn rename(&mut self, old: &str, new: &str) {
        let moved: Vec<String> = self
            .parts
            .range(old.to_owned()..)
            .map(|(part, _)| part)
            .take_while(|part| part.starts_with(old))
            .filter(|part| {
                part.get(old.len()..).is_some_and(|it| it.is_empty() || it.starts_with('/'))
            })
            .cloned()
            .collect();
        for part in moved {
            if let Some(place) = self.parts.remove(&part) {
                let rest = part.get(old.len()..).unwrap_or_default();
                self.parts.insert(format!("{new}{rest}"), place);
            }
        }
    }

    /// The innermost place around `part`, and how much of `part` it stands for.
    fn around<'p>(&self, part: &'p str) -> Option<(&Place, &'p str)> {
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

impl Places {
    /// The finding with its place in the model's text. Its path is canonical when it comes, and the
    /// model's own when it goes; it stays where nothing is known of it, or a place is there already.
    #[must_use]
    pub fn locate(&self, row: Diagnostic) -> Diagnostic {
        let Some(place) =
            row.path.as_deref().filter(|_| row.span.is_none()).and_then(|path| self.of(path))
        else {
            return row;
        };
        Diagnostic { span: Some(place.span), path: place.path.or(row.path), ..row }
    }

    /// Where the part at `path` of the canonical form stands, or the innermost part around it. The
    /// path of the place goes all the way, also where the last of it is absent in the text.
    #[must_use]
    pub fn of(&self, path: &str) -> Option<Place> {
        let (item, part) = self.item(path).unwrap_or((&self.root, path));
        let (place, head) = match item.around(part) {
            Some(found) => found,
            None => (self.root.whole.as_ref()?, ""),
        };
        let tail =
            if item.whole.is_some() { part.get(head.len()..).unwrap_or_default() } else { "" };
        let path = place.path.as_ref().map(|path| format!("{path}{tail}"));
        Some(Place { path, span: place.span })
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

    /// The item that `path` leads into, and the rest of the path.
    fn item<'p>(&self, path: &'p str) -> Option<(&ItemPlaces, &'p str)> {
        let (list, rest) = path.strip_prefix('/')?.split_once('/')?;
        let (index, part) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        Some((self.lists.get(list)?.get(index.parse::<usize>().ok()?)?, part))
    }

    /// Follows a change of the list `list`: its items are those of `sources` now.
    pub fn arrange(&mut self, list: &str, sources: &[Source]) {
        let before = self.lists.get(list).cloned().unwrap_or_default();
        let after = sources.iter().map(|source| match source {
            Source::Kept(at) => before.get(*at).cloned().unwrap_or_default(),
            Source::Beside(path) => ItemPlaces { whole: self.of(path), parts: BTreeMap::new() },
            Source::New => ItemPlaces::default(),
        });
        let after = after.collect();
        self.lists.insert(list.to_owned(), after);
    }
}

#[cfg(test)]
mod tests {
    use llmend_json::Severity;

    use super::*;

    fn place(path: &str, at: usize) -> Place {
        Place { path: Some(path.to_owned()), span: Span::new(at, at + 1) }
    }

    fn places() -> Places {
        let mut step = ItemPlaces::new(place("/tasks/4", 40));
        step.parts.insert("/depends_on".to_owned(), place("/tasks/4/deps", 43));
        step.parts.insert("/depends_on/0".to_owned(), place("/tasks/4/deps/0", 44));
        let root = ItemPlaces::new(place("", 0));
        Places { root, lists: BTreeMap::from([("steps".to_owned(), vec![step])]) }
    }

    #[test]
    fn a_finding_is_shown_at_the_innermost_place_around_it() {
        for (path, theirs, at) in [
            ("/steps/0/depends_on/0", "/tasks/4/deps/0", 44),
            ("/steps/0/depends_on/7", "/tasks/4/deps/7", 43),
            ("/steps/0/id", "/tasks/4/id", 40),
            ("/steps/0", "/tasks/4", 40),
            ("/steps/1/id", "/steps/1/id", 0),
            ("/objective", "/objective", 0),
            ("", "", 0),
        ] {
            let row = places().locate(Diagnostic::new("a/b", Severity::Error, "x").on(path));
            assert_eq!(row.path.as_deref(), Some(theirs), "{path}");
            assert_eq!(row.span, Some(Span::new(at, at + 1)), "{path}");
        }
    }

    #[test]
    fn without_places_a_finding_keeps_its_path() {
        let row = Diagnostic::new("a/b", Severity::Error, "x").on("/steps/0");
        assert_eq!(Places::default().locate(row.clone()), row);
    }

    #[test]
    fn a_changed_list_keeps_its_places() {
        let mut places = places();
        places.arrange(
            "steps",
            &[Source::New, Source::Beside("/steps/0/depends_on".to_owned()), Source::Kept(0)],
        );
        let span = |path| places.of(path).expect(path).span.start;
        assert_eq!(
            [span("/steps/0"), span("/steps/1/id"), span("/steps/2/depends_on/0")],
            [0, 43, 44]
        );
    }
}
