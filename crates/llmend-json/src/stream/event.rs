//! Events of a value that is still arriving, without building a tree.

use std::{
    collections::VecDeque,
    fmt::Write as _,
    hash::{BuildHasher as _, RandomState},
};

use crate::{
    Choice, Error, Items, Kind, Members, Node, OnBadItem, Options, Parsed, Repair, Report, Span,
    Stream,
    extract::Build,
    parser::{Window, escape::unescape},
    pipeline::{DUPLICATE_KEY, ReadOutcome, doubt},
    sink::{Container, Content, Literal, Sink},
    stream::{feed::Feed, follow::Follow, object_keys::ObjectKeys},
    value::push_token,
};

/// A change of a part of the value. Paths are JSON Pointers (RFC 6901).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An object, array or string begins.
    Opened {
        /// Path of the part.
        path: String,
        /// Kind of the part.
        kind: Kind,
    },
    /// Text was added to a string.
    Grew {
        /// Path of the part.
        path: String,
        /// The added text.
        text: String,
    },
    /// A scalar is complete.
    Completed {
        /// Path of the part.
        path: String,
        /// The number as written, `true`, `false` or `null`; `None` for a string, whose text was
        /// given by earlier events.
        value: Option<String>,
    },
    /// An object or array is complete, with all of its contents.
    Closed {
        /// Path of the part.
        path: String,
    },
    /// An object has a duplicate key, whose new value overrides earlier events. Detected in objects
    /// with up to 16,384 keys.
    Repeated {
        /// Path of the value.
        path: String,
    },
    /// The text was repaired.
    Repaired(Repair),
}

/// Parses a value while its text arrives, and reports changes instead of building it.
///
/// Under [`Choice::First`](crate::Choice::First), once the answer is certain, memory use is that of
/// the open containers and of the current string or number, whatever the length of the text. Until
/// then, events are kept, as is another value after the answer while it is read. Under
/// [`Choice::Best`](crate::Choice::Best), everything is kept and reported at the end.
///
/// ```
/// use llmend_json::{Choice, Event, Events, Options};
///
/// let mut events = Events::new(Options { choice: Choice::First, ..Options::default() });
/// events.push(b"{'steps': [{'id': 1}, {'id': 2");
/// let closed = events.drain().find(|event| matches!(event, Event::Closed { .. }));
/// assert_eq!(closed, Some(Event::Closed { path: "/steps/0".to_owned() }));
/// ```
pub struct Events {
    feed: Box<Feed<EventSink>>,
    follow: Follow,
    /// Used under the choices `best` and `last`, and if items may be left out, where all events are reported at the end.
    late: Option<Box<Stream>>,
}

impl Events {
    /// Creates a stream without any text.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let late = (options.choice != Choice::First || options.on_bad_item != OnBadItem::Fail)
            .then(|| Box::new(Stream::new(options.clone())));
        Self { feed: Box::new(Feed::new(options)), follow: Follow::default(), late }
    }

    /// Adds a chunk of the text, which may end anywhere, even within a character.
    ///
    /// Errors are returned by [`Self::finish`].
    pub fn push(&mut self, chunk: &[u8]) {
        if let Some(late) = &mut self.late {
            late.push(chunk);
            return;
        }
        self.feed.push(chunk, &mut self.follow);
        if !self.follow.certain {
            return;
        }
        let repairs = self.feed.take_repairs();
        if !repairs.is_empty() {
            self.feed.scan.sink.events.extend(repairs.into_iter().map(Event::Repaired));
        }
        let window = Window::part(&self.feed.text, self.feed.base(), false);
        let text = self.follow.string.as_ref().and_then(|string| {
            string.certain_text(&window, self.follow.inside.map(|(container, _)| container))
        });
        if let Some(text) = text {
            self.feed.scan.sink.grow(text);
        }
        self.feed.drop_text();
    }

    /// Returns the events since the last call, once the answer is certain.
    pub fn drain(&mut self) -> impl Iterator<Item = Event> + '_ {
        let ready = if self.follow.certain { self.feed.scan.sink.events.len() } else { 0 };
        self.feed.scan.sink.events.drain(..ready)
    }

    /// Ends the text. Returns the events since the last call of [`Self::drain`], and the report.
    /// Its repairs are those without an event, and it has no entries for duplicate keys, which are
    /// events.
    pub fn finish(self) -> Result<(Vec<Event>, Report), Error> {
        if let Some(late) = self.late {
            let Parsed { value, mut report } = late.finish()?;
            report.diagnostics.retain(|row| row.code != DUPLICATE_KEY);
            let mut sink = EventSink::default();
            report_all(value.root(), &mut sink);
            return Ok((sink.into_events(), report));
        }
        let max_class = self.feed.max_class();
        let (text, ReadOutcome { built, sink, mut report, .. }) = self.feed.finish()?;
        if built.contains(&true) {
            doubt(&mut report, &text, max_class)?;
        }
        Ok((sink.into_events(), report))
    }
}

/// Remaining parts of a container.
enum Rest<'v> {
    Items(Items<'v>),
    Members(Members<'v>),
}

/// Reports all parts of a value, as if it were read now.
fn report_all(root: Node<'_>, sink: &mut EventSink) {
    let mut open = Vec::new();
    let mut next = Some(root);
    loop {
        match next.take() {
            Some(node) if node.kind() == Kind::Array => {
                sink.open(Container::Array, 0);
                open.push(Rest::Items(node.items()));
            }
            Some(node) if node.kind() == Kind::Object => {
                sink.open(Container::Object, 0);
                open.push(Rest::Members(node.members()));
            }
            Some(node) => match node.str() {
                Some(text) => sink.text(text),
                None => sink.scalar(&node.to_string()),
            },
            None => {}
        }
        next = match open.last_mut() {
            Some(Rest::Items(items)) => items.next(),
            Some(Rest::Members(members)) => members.next().map(|(key, value)| {
                sink.keyed(key.str().unwrap_or_default());
                value
            }),
            None => return,
        };
        if next.is_none() {
            open.pop();
            sink.close(0);
        }
    }
}

/// A sink that reports events.
#[derive(Debug, Default)]
pub(super) struct EventSink {
    events: VecDeque<Event>,
    /// Events of the first complete value, until another one is the answer.
    aside: Option<VecDeque<Event>>,
    /// Whether the answer is complete, so that later events are dropped.
    done: bool,
    levels: Vec<Level>,
    /// The first keys of the open objects.
    keys: Vec<u64>,
    hasher: RandomState,
    /// Path of the current value.
    path: String,
    /// Whether the innermost container is not reported yet, since its kind may change.
    unreported: bool,
    key: Key,
    /// Whether any key of the value is a duplicate.
    repeats_keys: bool,
    /// Length of the current string that was reported.
    grown: Option<usize>,
    scratch: String,
}

/// The current key.
#[derive(Clone, Copy, Debug, Default)]
struct Key {
    hash: u64,
    /// Whether the object has it already, which is not yet reported.
    repeated: bool,
}

/// An open container.
#[derive(Debug)]
struct Level {
    kind: Container,
    /// Length of the container's path.
    path: usize,
    items: usize,
    keys: ObjectKeys,
}

impl EventSink {
    /// Reports an event at the current path.
    fn report(&mut self, event: impl FnOnce(String) -> Event) {
        if !self.done {
            self.events.push_back(event(self.path.clone()));
        }
    }

    /// Begins a value.
    fn place(&mut self) {
        self.report_container();
        if std::mem::take(&mut self.key.repeated) {
            self.repeats_keys = true;
            self.report(|path| Event::Repeated { path });
        }
        if let Some(Level { kind: Container::Array, path, items, .. }) = self.levels.last_mut() {
            self.path.truncate(*path);
            // Writing to a string cannot fail.
            let _ = write!(self.path, "/{items}");
            *items += 1;
        }
    }

    /// Reports the innermost container, whose path is the current one until it has contents.
    fn report_container(&mut self) {
        if !std::mem::take(&mut self.unreported) {
            return;
        }
        let kind = match self.levels.last().map(|level| level.kind) {
            Some(Container::Array) => Kind::Array,
            Some(Container::Object) => Kind::Object,
            None => return,
        };
        self.report(|path| Event::Opened { path, kind });
    }

    /// Reports the growth of the current string to `text`.
    fn grow(&mut self, text: &str) {
        let from = self.grown.unwrap_or_else(|| {
            self.place();
            self.report(|path| Event::Opened { path, kind: Kind::String });
            0
        });
        self.grown = Some(from.max(text.len()));
        if let Some(added) = text.get(from..).filter(|added| !added.is_empty()) {
            self.report(|path| Event::Grew { path, text: added.to_owned() });
        }
    }

    /// Reports a complete string.
    fn text(&mut self, text: &str) {
        self.grow(text);
        self.grown = None;
        self.report(|path| Event::Completed { path, value: None });
    }

    /// Takes the key of the next member.
    fn keyed(&mut self, key: &str) {
        self.report_container();
        let Some(level) = self.levels.last_mut() else { return };
        self.path.truncate(level.path);
        push_token(&mut self.path, key);
        let hash = self.hasher.hash_one(key);
        self.key = Key { hash, repeated: level.keys.add(&mut self.keys, hash) };
    }

    fn scalar(&mut self, value: &str) {
        self.place();
        self.report(|path| Event::Completed { path, value: Some(value.to_owned()) });
    }

    /// Passes the decoded content to `take`.
    fn decode(
        &mut self,
        window: &Window<'_>,
        content: Content<'_>,
        take: impl FnOnce(&mut Self, &str),
    ) {
        let escaped = match content {
            Content::Plain(inner) => return take(self, window.slice(inner)),
            Content::Escaped(inner) => window.slice(inner),
            Content::Repaired(text) => text,
        };
        let mut decoded = std::mem::take(&mut self.scratch);
        decoded.clear();
        unescape(escaped, &mut decoded);
        take(self, &decoded);
        self.scratch = decoded;
    }

    fn into_events(self) -> Vec<Event> {
        let events = if self.done { self.events } else { self.aside.unwrap_or(self.events) };
        events.into()
    }
}

/// For each value, whether an object has a key twice.
impl Build for EventSink {
    type Built = bool;

    fn for_text(_: usize) -> Self {
        Self::default()
    }

    fn begin(&mut self) {
        if !self.done {
            self.events.clear();
        }
        self.levels.clear();
        self.keys.clear();
        self.path.clear();
        self.unreported = false;
        self.key.repeated = false;
        self.repeats_keys = false;
        self.grown = None;
    }

    fn end(&mut self) -> bool {
        while !self.levels.is_empty() {
            self.close(0);
        }
        self.repeats_keys
    }

    fn keep(&mut self) {
        if self.aside.is_none() && !self.done {
            self.aside = Some(self.events.clone());
        }
    }

    fn finalize(&mut self) {
        self.aside = None;
        self.done = true;
    }

    fn adopt(&mut self, copy: Self, built: bool, _: &str, _: impl FnMut(Span) -> Span) -> bool {
        self.begin();
        if !self.done {
            self.events = copy.events;
        }
        built
    }
}

impl Sink for EventSink {
    fn open(&mut self, kind: Container, _: usize) {
        self.place();
        let (path, keys) = (self.path.len(), ObjectKeys::new(&self.keys));
        self.levels.push(Level { kind, path, items: 0, keys });
        self.unreported = true;
    }

    fn becomes(&mut self, kind: Container) {
        if let Some(level) = self.levels.last_mut() {
            level.kind = kind;
        }
        self.report_container();
    }

    fn close(&mut self, _: usize) {
        self.report_container();
        if let Some(level) = self.levels.pop() {
            level.keys.end(&mut self.keys);
            self.path.truncate(level.path);
            self.report(|path| Event::Closed { path });
        }
    }

    fn key(&mut self, window: &Window<'_>, _: Span, content: Content<'_>) {
        self.decode(window, content, Self::keyed);
    }

    fn drop_key(&mut self) {
        if !std::mem::take(&mut self.key.repeated)
            && let Some(level) = self.levels.last_mut()
        {
            level.keys.remove(&mut self.keys, self.key.hash);
        }
    }

    fn string(&mut self, window: &Window<'_>, _: Span, content: Content<'_>) {
        self.decode(window, content, Self::text);
    }

    fn number(&mut self, window: &Window<'_>, _: Span, content: Content<'_>) {
        self.decode(window, content, Self::scalar);
    }

    fn literal(&mut self, literal: Literal, _: Span) {
        self.scalar(literal.as_str());
    }
}
