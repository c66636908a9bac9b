//! Views of a value that is still arriving, in the names and types of its schema.

use std::collections::{BTreeMap, HashSet};

use llmend_json::{Builder, Kind, Node, OnBadItem, State, Value, View, push_token};
use llmend_schema::{Emphasis, Options, Place, Schema, Subschemas, coerce};

use crate::fit::CoerceMode;

/// The value so far, as it fits its schema: members have the schema's names, and complete parts its types.
///
/// What is shown remains, unless its key comes again, also in another spelling. A part that may still be
/// converted, renamed or replaced is shown once it is complete, or with the part around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FittedView {
    /// The value as strict JSON.
    pub json: String,
    /// The incomplete parts with their JSON Pointers, outermost first. A part of which more has arrived than
    /// is shown is [`State::Pending`].
    pub open: Vec<(String, State)>,
}

/// What is shown of a part.
#[derive(Clone, Debug)]
enum Shown<T> {
    As(T),
    /// It is left out.
    Omitted,
    /// Nothing yet.
    Held,
}

/// The schemas of all parts, and the parts that were fitted.
pub(crate) struct ViewFitting {
    places: Subschemas,
    /// `None` if nothing is coerced.
    options: Option<Options>,
    /// The complete parts outside of each other, by their index in the value.
    known: BTreeMap<usize, Shown<String>>,
}

impl ViewFitting {
    pub(crate) fn new(schema: Schema, coerce: &CoerceMode) -> Self {
        let options = match coerce {
            CoerceMode::On(options) => Some(options.clone()),
            CoerceMode::Off => None,
        };
        Self { places: Subschemas::new(schema), options, known: BTreeMap::new() }
    }

    /// Returns the view in the schema's names and types; `None` if nothing can be shown yet.
    pub(crate) fn fit(&mut self, view: &View<'_>) -> Option<FittedView> {
        let root = view.root()?;
        let place = if self.options.is_some() { self.places.root() } else { Place::FREE };
        let out = FittedView { json: String::new(), open: Vec::new() };
        let mut writer = Writer { fitting: self, view, out, path: String::new() };
        matches!(writer.part(root, place, OnBadItem::Fail), Shown::As(())).then_some(writer.out)
    }

    /// Returns whether what has arrived of a part stays as it is.
    fn keeps(&self, place: Place, kind: Kind) -> bool {
        let strips = self.options.as_ref().is_some_and(|it| it.emphasis == Emphasis::Strip);
        !(strips && kind == Kind::String) && self.places.keeps(place, kind)
    }

    /// Returns a complete part as it fits.
    fn complete(&mut self, node: Node<'_>, place: Place, bad: OnBadItem) -> Shown<String> {
        if let Some(known) = self.known.get(&node.index()) {
            return known.clone();
        }
        let fitted = self.fitted(node, place, bad);
        // What came after its beginning is within it.
        let _ = self.known.split_off(&node.index());
        self.known.insert(node.index(), fitted.clone());
        fitted
    }

    fn fitted(&mut self, node: Node<'_>, place: Place, bad: OnBadItem) -> Shown<String> {
        let Some(options) = self.options.as_ref().filter(|_| !place.is_free()) else {
            return Shown::As(node.to_string());
        };
        let Some(schema) = self.places.of(place) else { return Shown::Held };
        let Some(value) = copied(node) else { return Shown::Held };
        let fitted = coerce(&value, schema, options);
        let is_bad = !fitted.violations.is_empty();
        match bad {
            OnBadItem::Drop if is_bad => return Shown::Omitted,
            OnBadItem::Null if is_bad && allows_null(schema, options) => {
                return Shown::As("null".to_owned());
            }
            _ => {}
        }
        Shown::As(fitted.value.to_string())
    }
}

/// Returns a part as a value of its own.
fn copied(node: Node<'_>) -> Option<Value<'static>> {
    // The container is never read: everything is copied.
    let around = llmend_json::parse("null").ok()?.value;
    let mut builder = Builder::new(&around);
    builder.take(node);
    builder.finish()
}

fn allows_null(schema: &Schema, options: &Options) -> bool {
    let null = llmend_json::parse("null");
    null.is_ok_and(|null| coerce(&null.value, schema, options).violations.is_empty())
}

/// A view that is being written.
struct Writer<'w, 'v> {
    fitting: &'w mut ViewFitting,
    view: &'w View<'v>,
    out: FittedView,
    /// JSON Pointer of the current part.
    path: String,
}

impl Writer<'_, '_> {
    /// Writes a part. `bad` says what becomes of one that does not fit.
    fn part(&mut self, node: Node<'_>, place: Place, bad: OnBadItem) -> Shown<()> {
        let (state, kind) = (self.view.state(node), node.kind());
        if state == State::Complete {
            return match self.fitting.complete(node, place, bad) {
                Shown::As(json) => {
                    self.out.json.push_str(&json);
                    Shown::As(())
                }
                Shown::Omitted => Shown::Omitted,
                Shown::Held => Shown::Held,
            };
        }
        if bad != OnBadItem::Fail || !self.fitting.keeps(place, kind) {
            return Shown::Held;
        }
        let level = self.out.open.len();
        self.out.open.push((self.path.clone(), state));
        let is_held = match kind {
            Kind::Array => self.items(node, place),
            Kind::Object => self.members(node, place),
            _ => {
                self.out.json.push_str(&node.to_string());
                false
            }
        };
        if let [(_, state)] = self.out.open.get_mut(level..).unwrap_or_default()
            && is_held
        {
            *state = State::Pending;
        }
        Shown::As(())
    }

    /// Writes the items of an array. Returns whether one is held back.
    fn items(&mut self, node: Node<'_>, place: Place) -> bool {
        let bad = self.fitting.options.as_ref().map_or(OnBadItem::Fail, |it| it.on_bad_item);
        let (mut written, mut is_held) = (0, false);
        self.out.json.push('[');
        for (index, item) in node.items().enumerate() {
            let (start, length) = (self.out.json.len(), self.path.len());
            if written > 0 {
                self.out.json.push(',');
            }
            push_token(&mut self.path, &written.to_string());
            let place = self.fitting.places.item(place, index);
            let shown = self.part(item, place, bad);
            self.path.truncate(length);
            match shown {
                Shown::As(()) => written += 1,
                Shown::Omitted => self.out.json.truncate(start),
                Shown::Held => {
                    self.out.json.truncate(start);
                    is_held = true;
                    break;
                }
            }
        }
        self.out.json.push(']');
        is_held
    }

    /// Writes the members of an object. Returns whether one is held back.
    fn members(&mut self, node: Node<'_>, place: Place) -> bool {
        let default = Options::default();
        let (mut written, mut is_held) = (HashSet::new(), false);
        self.out.json.push('{');
        for (key, value) in node.members() {
            let fitting = &*self.fitting;
            let options = fitting.options.as_ref().unwrap_or(&default);
            let member = fitting.places.member(place, key.str().unwrap_or_default(), options);
            // The only member may be a wrapper.
            let member = member.filter(|member| member.is_known || !written.is_empty());
            let Some(member) = member else {
                is_held = true;
                continue;
            };
            let (name, place) = (member.name.to_owned(), member.place);
            if written.contains(&name) {
                continue;
            }
            let (start, length) = (self.out.json.len(), self.path.len());
            if !written.is_empty() {
                self.out.json.push(',');
            }
            self.out.json.push_str(&serde_json::Value::from(name.as_str()).to_string());
            self.out.json.push(':');
            push_token(&mut self.path, &name);
            let shown = self.part(value, place, OnBadItem::Fail);
            self.path.truncate(length);
            if matches!(shown, Shown::As(())) {
                written.insert(name);
            } else {
                self.out.json.truncate(start);
                is_held = true;
            }
        }
        self.out.json.push('}');
        is_held
    }
}
