//! The value so far of a text that is still arriving, in the names and types of its schema.
//!
//! [`Unfolding`] walks the open containers only, each from where it stopped, so that the cost of a step is that of
//! what arrived. A container is fitted once more when it is complete: what that adds or changes follows then.

use llmend_json::{Builder, Kind, Node, OnBadItem, State, Token, Value, View, push_token};
use llmend_schema::{Emphasis, Options, Place, Schema, Subschemas, coerce};

use crate::{
    fit::CoerceMode,
    fit_event::{FittedEvent, Heard},
    fit_level::{Growing, Level, end_of, quoted},
};

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

/// What became of the next part of a container.
enum Step {
    Taken,
    /// More has to arrive.
    Waits,
}

/// A value that unfolds in the terms of its schema.
pub(crate) struct Unfolding {
    places: Subschemas,
    /// `None` if nothing is coerced.
    options: Option<Options>,
    /// What is shown, without the ends of what is open, and without the current string.
    json: String,
    levels: Vec<Level>,
    string: Option<Growing>,
    is_complete: bool,
    heard: Heard,
}

impl Unfolding {
    pub(crate) fn new(schema: Schema, coerce: &CoerceMode, heard: Heard) -> Self {
        let options = match coerce {
            CoerceMode::On(options) => Some(options.clone()),
            CoerceMode::Off => None,
        };
        Self {
            places: Subschemas::new(schema),
            options,
            json: String::new(),
            levels: Vec::new(),
            string: None,
            is_complete: false,
            heard,
        }
    }

    /// Returns the events since the last call.
    pub(crate) fn events(&mut self) -> Vec<FittedEvent> {
        self.heard.drain()
    }

    /// Returns the view; `None` if nothing can be shown yet.
    pub(crate) fn view(&self) -> Option<FittedView> {
        if !self.is_complete && self.levels.is_empty() && self.string.is_none() {
            return None;
        }
        let (mut json, mut path, mut open) = (self.json.clone(), String::new(), Vec::new());
        for (depth, level) in self.levels.iter().enumerate() {
            if depth > 0 {
                push_token(&mut path, &level.token);
            }
            let is_held = level.is_held || level.waits;
            let state = if is_held { State::Pending } else { State::Partial };
            open.push((path.clone(), state));
        }
        if let Some(string) = &self.string {
            if !self.levels.is_empty() {
                push_token(&mut path, &string.token);
            }
            json.push_str(&quoted(&string.text));
            open.push((path, string.state));
        }
        for level in self.levels.iter().rev() {
            json.push(end_of(level.kind));
        }
        Some(FittedView { json, open })
    }

    /// Takes what has arrived.
    pub(crate) fn advance(&mut self, view: &View<'_>) {
        let Some(root) = view.root() else { return };
        while !self.is_complete {
            if let Some(string) = &self.string {
                let Some(node) = root.value().node(string.index) else { return };
                if view.state(node) != State::Complete {
                    self.grow(node, view.state(node));
                    return;
                }
                self.close_string(node);
            } else if let Some(level) = self.levels.last() {
                let Some(node) = root.value().node(level.index) else { return };
                if view.state(node) == State::Complete {
                    self.close_level(node);
                } else if let Step::Waits = self.part(view, node) {
                    return;
                }
            } else {
                let place = if self.options.is_some() { self.places.root() } else { Place::FREE };
                let Shown::As(()) = self.begin(view, root, place, OnBadItem::Fail, "") else {
                    return;
                };
            }
        }
    }

    /// Takes the whole value.
    pub(crate) fn end(&mut self, value: &Value<'_>) {
        let root = value.root();
        let mut nodes = vec![Some(root)];
        let tokens = self.levels.iter().skip(1).map(|level| &level.token);
        let string = self.string.as_ref().filter(|_| !self.levels.is_empty());
        for token in tokens.chain(string.map(|string| &string.token)) {
            let around = nodes.last().copied().flatten();
            nodes.push(around.and_then(|node| match node.kind() {
                Kind::Array => node.item(token.parse().ok()?),
                _ => node.get(token),
            }));
        }
        if self.string.is_some() {
            let node = nodes.pop().flatten();
            self.end_string(node.map(|node| node.to_string()));
        }
        while !self.levels.is_empty() {
            let node = nodes.pop().flatten();
            self.end_level(node.map(|node| node.to_string()));
        }
        let whole = root.to_string();
        if !self.is_complete {
            self.heard.completed("", &whole);
        } else if whole != self.json {
            self.heard.replaced("", &whole);
        }
        (self.json, self.is_complete) = (whole, true);
    }

    /// Takes the next part of an incomplete container.
    fn part(&mut self, view: &View<'_>, node: Node<'_>) -> Step {
        let (Token::Array { end } | Token::Object { end }) = node.token() else {
            return Step::Waits;
        };
        let Some(level) = self.levels.last_mut() else { return Step::Waits };
        level.waits = false;
        let value = node.value();
        let is_object = level.kind == Kind::Object;
        let child = level.next + usize::from(is_object);
        let Some(child) = value.node(child).filter(|_| child < end && !level.is_stopped) else {
            return Step::Waits;
        };
        let is_complete = view.state(child) == State::Complete;
        let shown = if is_object {
            let key = value.node(level.next).and_then(Node::str).unwrap_or_default();
            self.member(view, key, child)
        } else {
            self.item(view, child)
        };
        let Some(level) = self.levels.last_mut() else { return Step::Taken };
        match shown {
            Shown::As(()) if !is_complete => return Step::Taken,
            Shown::Held if !is_complete => {
                level.waits = true;
                return Step::Waits;
            }
            Shown::Held => {
                level.is_held = true;
                level.is_stopped = !is_object;
            }
            Shown::Omitted if !is_complete => return Step::Waits,
            Shown::As(()) | Shown::Omitted => {}
        }
        level.count += 1;
        level.next = after(child);
        Step::Taken
    }

    fn item(&mut self, view: &View<'_>, item: Node<'_>) -> Shown<()> {
        let bad = self.options.as_ref().map_or(OnBadItem::Fail, |it| it.on_bad_item);
        let Some(level) = self.levels.last() else { return Shown::Held };
        let place = self.places.item(level.place, level.count);
        let token = level.parts.len().to_string();
        self.begin(view, item, place, bad, &token)
    }

    fn member(&mut self, view: &View<'_>, key: &str, value: Node<'_>) -> Shown<()> {
        let default = Options::default();
        let options = self.options.as_ref().unwrap_or(&default);
        let Some(level) = self.levels.last_mut() else { return Shown::Held };
        let member = self.places.member(level.place, key, options);
        // The only member may be a wrapper.
        let Some(member) = member.filter(|it| it.is_known || !level.parts.is_empty()) else {
            level.is_held = true;
            return Shown::Held;
        };
        let (name, place) = (member.name.to_owned(), member.place);
        if level.names.contains_key(&name) {
            return Shown::Omitted;
        }
        self.begin(view, value, place, OnBadItem::Fail, &name)
    }

    /// Shows a part as far as it goes. `bad` says what becomes of one that does not fit.
    fn begin(
        &mut self,
        view: &View<'_>,
        node: Node<'_>,
        place: Place,
        bad: OnBadItem,
        token: &str,
    ) -> Shown<()> {
        let (state, kind) = (view.state(node), node.kind());
        if state == State::Complete {
            let json = match self.fitted(node, place, bad) {
                Shown::As(json) => json,
                Shown::Omitted => return Shown::Omitted,
                Shown::Held => return Shown::Held,
            };
            self.separate(token);
            self.json.push_str(&json);
            let path = self.path(Some(token));
            self.heard.completed(&path, &json);
            self.placed(self.json.len() - json.len());
            return Shown::As(());
        }
        if bad != OnBadItem::Fail || !self.keeps(place, kind) {
            return Shown::Held;
        }
        self.separate(token);
        let path = self.path(Some(token));
        self.heard.opened(&path, kind);
        let (index, token) = (node.index(), token.to_owned());
        if matches!(kind, Kind::Array | Kind::Object) {
            let start = self.json.len();
            self.json.push(if kind == Kind::Array { '[' } else { '{' });
            self.levels.push(Level::new(index, kind, place, token, start));
        } else {
            self.string = Some(Growing { index, place, token, text: String::new(), state });
            self.grow(node, state);
        }
        Shown::As(())
    }

    /// Shows more of the current string.
    fn grow(&mut self, node: Node<'_>, state: State) {
        let path = self.path(self.string.as_ref().map(|string| string.token.as_str()));
        let (Some(string), Some(text)) = (&mut self.string, node.str()) else { return };
        string.state = state;
        // What was shown stays, so that it need not be read again.
        if let Some(added) = text.get(string.text.len()..).filter(|added| !added.is_empty()) {
            self.heard.grew(&path, added);
            string.text.push_str(added);
        }
    }

    fn close_string(&mut self, node: Node<'_>) {
        let Some(string) = &self.string else { return };
        let json = match self.fitted(node, string.place, OnBadItem::Fail) {
            Shown::As(json) => json,
            _ => node.to_string(),
        };
        self.end_string(Some(json));
        self.pass(node);
    }

    fn close_level(&mut self, node: Node<'_>) {
        let Some(level) = self.levels.last() else { return };
        let fitted = match self.fitted(node, level.place, OnBadItem::Fail) {
            Shown::As(json) => Some(json),
            _ => None,
        };
        self.end_level(fitted);
        self.pass(node);
    }

    /// Goes on after a part that is complete.
    fn pass(&mut self, node: Node<'_>) {
        if let Some(level) = self.levels.last_mut() {
            level.count += 1;
            level.next = after(node);
        }
    }

    /// Ends the current string as `json`, if that is known.
    fn end_string(&mut self, json: Option<String>) {
        let path = self.path(self.string.as_ref().map(|string| string.token.as_str()));
        let Some(string) = self.string.take() else { return };
        let json = json.unwrap_or_else(|| quoted(&string.text));
        let whole = serde_json::from_str::<String>(&json).ok();
        match whole.as_deref().and_then(|whole| whole.strip_prefix(&string.text)) {
            Some(added) => {
                if !added.is_empty() {
                    self.heard.grew(&path, added);
                }
                self.heard.closed(&path, Kind::String);
            }
            None => self.heard.replaced(&path, &json),
        }
        let start = self.json.len();
        self.json.push_str(&json);
        self.placed(start);
    }

    /// Ends the innermost container as `json`, if that is known.
    fn end_level(&mut self, json: Option<String>) {
        let path = self.path(None);
        let Some(level) = self.levels.pop() else { return };
        self.json.push(end_of(level.kind));
        let shown = self.json.get(level.start..).unwrap_or_default();
        match json.filter(|json| json != shown) {
            None => self.heard.closed(&path, level.kind),
            Some(json) => {
                match level.added(&self.json, &json) {
                    Some(added) => {
                        for (token, json) in added {
                            let mut path = path.clone();
                            push_token(&mut path, &token);
                            self.heard.completed(&path, &json);
                        }
                        self.heard.closed(&path, level.kind);
                    }
                    None => self.heard.replaced(&path, &json),
                }
                self.json.truncate(level.start);
                self.json.push_str(&json);
            }
        }
        self.placed(level.start);
    }

    /// Writes what stands before a part.
    fn separate(&mut self, token: &str) {
        let Some(level) = self.levels.last_mut() else { return };
        if !level.parts.is_empty() {
            self.json.push(',');
        }
        if level.kind == Kind::Object {
            level.names.insert(token.to_owned(), level.parts.len());
            self.json.push_str(&quoted(token));
            self.json.push(':');
        }
        level.parts.push((self.json.len(), self.json.len()));
    }

    /// Notes where the JSON of a complete part is.
    fn placed(&mut self, start: usize) {
        match self.levels.last_mut() {
            Some(level) => {
                if let Some(last) = level.parts.last_mut() {
                    *last = (start, self.json.len());
                }
            }
            None => self.is_complete = true,
        }
    }

    /// Returns the path of the innermost container, or of the part `token` in it.
    fn path(&self, token: Option<&str>) -> String {
        let mut path = String::new();
        if self.heard.is_deaf() {
            return path;
        }
        for level in self.levels.iter().skip(1) {
            push_token(&mut path, &level.token);
        }
        if let Some(token) = token.filter(|_| !self.levels.is_empty()) {
            push_token(&mut path, token);
        }
        path
    }

    /// Returns whether what has arrived of a part stays as it is.
    fn keeps(&self, place: Place, kind: Kind) -> bool {
        let strips = self.options.as_ref().is_some_and(|it| it.emphasis == Emphasis::Strip);
        !(strips && kind == Kind::String) && self.places.keeps(place, kind)
    }

    /// Returns a complete part as it fits.
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

/// Returns the index of what comes after a part.
fn after(node: Node<'_>) -> usize {
    match node.token() {
        Token::Array { end } | Token::Object { end } => end,
        _ => node.index() + 1,
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
