//! What happens as a value is written, for those who keep no tree?

use std::{
    collections::{HashSet, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
};

use crate::{
    Choice, Error, Items, Kind, Members, Node, Options, Parsed, Repair, Report, Span, Stream,
    extract::Build,
    parser::{Window, escape::unescape},
    pipeline::DUPLICATE_KEY,
    sink::{Container, Content, Literal, Sink},
    stream::{feed::Feed, follow::Follow},
    value::push_token,
};

/// Something that happened to a part of the value. Paths are JSON Pointers (RFC 6901).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An object, an array or a string begins.
    Opened {
        /// Where it stands in the value.
        path: String,
        /// What it is.
        kind: Kind,
    },
    /// A string goes on.
    Grew {
        /// Where it stands in the value.
        path: String,
        /// What is added to its end.
        text: String,
    },
    /// A scalar is complete.
    Completed {
        /// Where it stands in the value.
        path: String,
        /// A number as it was written, `true`, `false` or `null`; nothing for a string, whose text
        /// was told piece by piece.
        value: Option<String>,
    },
    /// An object or an array is complete, with all that it holds.
    Closed {
        /// Where it stands in the value.
        path: String,
    },
    /// An object has a key a second time: what was told of its value does not count any more. Told
    /// of objects with up to [`MOST_KEYS`] keys.
    Repeated {
        /// Where the value of the key stands.
        path: String,
    },
    /// The text was edited.
    Repaired(Repair),
}

/// Most keys of one object that are remembered to tell when one is repeated.
pub const MOST_KEYS: usize = 1 << 14;

/// Reads a value while its text arrives, and tells what happens instead of keeping it.
///
/// Under [`Choice::First`](crate::Choice::First), once the value is certain to be the answer, memory
/// is that of the open containers and of the string or number at hand, whatever the length of the
/// text. Before that what happens is kept, and so is another value after the answer while it is
/// read. Under [`Choice::Best`](crate::Choice::Best) nothing is told before the end, and all is kept.
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
    feed: Box<Feed<Teller>>,
    follow: Follow,
    /// Under the choice `best` the end tells which value is the answer, and all is told then.
    late: Option<Box<Stream>>,
}

impl Events {
    /// A stream of which nothing has arrived.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let late = (options.choice == Choice::Best).then(|| Box::new(Stream::new(options.clone())));
        Self { feed: Box::new(Feed::new(options)), follow: Follow::default(), late }
    }

    /// Takes the next bytes of the text. They may be cut anywhere, also within a character.
    ///
    /// What is wrong with the text is told by [`Self::finish`].
    pub fn push(&mut self, chunk: &[u8]) {
        if let Some(late) = &mut self.late {
            late.push(chunk);
            return;
        }
        self.feed.push(chunk, &mut self.follow);
        if !self.follow.settled {
            return;
        }
        let repairs = self.feed.take_repairs();
        self.feed.scan.sink.told.extend(repairs.into_iter().map(Event::Repaired));
        let window = Window::part(&self.feed.text, self.feed.base(), false);
        let text = self.follow.string.as_ref().and_then(|string| {
            string.certain_text(&window, self.follow.inside.map(|(container, _)| container))
        });
        if let Some(text) = text {
            self.feed.scan.sink.grow(text);
        }
        self.feed.drop_text();
    }

    /// What has happened since the last call, once the value is certain to be the answer.
    pub fn drain(&mut self) -> impl Iterator<Item = Event> + '_ {
        let ready = if self.follow.settled { self.feed.scan.sink.told.len() } else { 0 };
        self.feed.scan.sink.told.drain(..ready)
    }

    /// The text is complete: what happened since the last call of [`Self::drain`], and the report.
    /// Its repairs are those that were not told before, and it has no rows on repeated keys, which
    /// are events.
    pub fn finish(self) -> Result<(Vec<Event>, Report), Error> {
        if let Some(late) = self.late {
            let Parsed { value, mut report } = late.finish()?;
            report.diagnostics.retain(|row| row.code != DUPLICATE_KEY);
            let mut teller = Teller::default();
            tell_all(value.root(), &mut teller);
            return Ok((teller.into_told(), report));
        }
        let (_, read) = self.feed.finish()?;
        Ok((read.sink.into_told(), read.report))
    }
}

/// What is left of a container whose parts are being told.
enum Rest<'v> {
    Items(Items<'v>),
    Members(Members<'v>),
}

/// Tells of all that stands in a value, as if it were read now.
fn tell_all(root: Node<'_>, teller: &mut Teller) {
    let mut open = Vec::new();
    let mut next = Some(root);
    loop {
        match next.take() {
            Some(node) if node.kind() == Kind::Array => {
                teller.open(Container::Array, 0);
                open.push(Rest::Items(node.items()));
            }
            Some(node) if node.kind() == Kind::Object => {
                teller.open(Container::Object, 0);
                open.push(Rest::Members(node.members()));
            }
            Some(node) => match node.str() {
                Some(text) => teller.text(text),
                None => teller.scalar(&node.to_string()),
            },
            None => {}
        }
        next = match open.last_mut() {
            Some(Rest::Items(items)) => items.next(),
            Some(Rest::Members(members)) => members.next().map(|(key, value)| {
                teller.keyed(key.str().unwrap_or_default());
                value
            }),
            None => return,
        };
        if next.is_none() {
            open.pop();
            teller.close(0);
        }
    }
}

/// The sink that tells.
#[derive(Debug, Default)]
pub(super) struct Teller {
    told: VecDeque<Event>,
    /// What was told of the first value that was kept, until another one is the answer.
    aside: Option<VecDeque<Event>>,
    /// Whether the answer was read: what comes is not told.
    silent: bool,
    levels: Vec<Level>,
    /// Where the value at hand stands.
    path: String,
    /// Whether the innermost container has not been told of: it may turn out to be another kind.
    untold: bool,
    /// Whether the key of the value that is awaited stood there before.
    repeated: bool,
    /// How much was told of the string at hand.
    grown: Option<usize>,
    scratch: String,
}

/// What stands for a key that is not kept. Two keys of one hash would pass for one key twice, so it
/// is not the quick one by which a tape finds keys that are then compared.
fn hash(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// A container that is open.
#[derive(Debug)]
struct Level {
    kind: Container,
    /// Length of the path of the container.
    path: usize,
    items: usize,
    keys: HashSet<u64>,
}

impl Teller {
    fn tell(&mut self, event: Event) {
        if !self.silent {
            self.told.push_back(event);
        }
    }

    /// A value begins.
    fn place(&mut self) {
        self.tell_of_container();
        if std::mem::take(&mut self.repeated) {
            self.tell(Event::Repeated { path: self.path.clone() });
        }
        if let Some(Level { kind: Container::Array, path, items, .. }) = self.levels.last_mut() {
            self.path.truncate(*path);
            push_token(&mut self.path, &items.to_string());
            *items += 1;
        }
    }

    /// The innermost container is what it is.
    fn tell_of_container(&mut self) {
        if !std::mem::take(&mut self.untold) {
            return;
        }
        if let Some(level) = self.levels.last() {
            let kind = match level.kind {
                Container::Array => Kind::Array,
                Container::Object => Kind::Object,
            };
            let path = self.path.get(..level.path).unwrap_or_default().to_owned();
            self.tell(Event::Opened { path, kind });
        }
    }

    /// The string that is being written says `text` so far.
    fn grow(&mut self, text: &str) {
        let from = self.grown.unwrap_or_else(|| {
            self.place();
            self.tell(Event::Opened { path: self.path.clone(), kind: Kind::String });
            0
        });
        self.grown = Some(from.max(text.len()));
        if let Some(added) = text.get(from..).filter(|added| !added.is_empty()) {
            self.tell(Event::Grew { path: self.path.clone(), text: added.to_owned() });
        }
    }

    /// A string is complete, and says `text`.
    fn text(&mut self, text: &str) {
        self.grow(text);
        self.grown = None;
        self.tell(Event::Completed { path: self.path.clone(), value: None });
    }

    /// The next member has this key.
    fn keyed(&mut self, key: &str) {
        self.tell_of_container();
        let Some(level) = self.levels.last_mut() else { return };
        self.path.truncate(level.path);
        push_token(&mut self.path, key);
        self.repeated = level.keys.len() < MOST_KEYS && !level.keys.insert(hash(key));
    }

    fn scalar(&mut self, value: &str) {
        self.place();
        self.tell(Event::Completed { path: self.path.clone(), value: Some(value.to_owned()) });
    }

    /// What `content` says, in `scratch`.
    fn decode(&mut self, window: &Window<'_>, content: Content<'_>) -> String {
        let mut out = std::mem::take(&mut self.scratch);
        out.clear();
        match content {
            Content::Plain(inner) => out.push_str(window.slice(inner)),
            Content::Escaped(inner) => unescape(window.slice(inner), &mut out),
            Content::Repaired(text) => unescape(text, &mut out),
        }
        out
    }

    fn into_told(self) -> Vec<Event> {
        let told = if self.silent { self.told } else { self.aside.unwrap_or(self.told) };
        told.into()
    }
}

impl Build for Teller {
    type Built = ();

    fn for_text(_: usize) -> Self {
        Self::default()
    }

    fn begin(&mut self) {
        if !self.silent {
            self.told.clear();
        }
        self.levels.clear();
        self.path.clear();
        self.untold = false;
        self.repeated = false;
        self.grown = None;
    }

    fn end(&mut self) {
        while !self.levels.is_empty() {
            self.close(0);
        }
    }

    fn keep(&mut self) {
        if self.aside.is_none() && !self.silent {
            self.aside = Some(self.told.clone());
        }
    }

    fn finalize(&mut self) {
        self.aside = None;
        self.silent = true;
    }

    fn adopt(&mut self, copy: Self, (): (), _: &str, _: impl FnMut(Span) -> Span) {
        self.begin();
        if !self.silent {
            self.told = copy.told;
        }
    }
}

impl Sink for Teller {
    fn open(&mut self, kind: Container, _: usize) {
        self.place();
        let (path, keys) = (self.path.len(), HashSet::new());
        self.levels.push(Level { kind, path, items: 0, keys });
        self.untold = true;
        if kind == Container::Array {
            self.tell_of_container();
        }
    }

    fn becomes_array(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.kind = Container::Array;
        }
        self.tell_of_container();
    }

    fn close(&mut self, _: usize) {
        self.tell_of_container();
        if let Some(level) = self.levels.pop() {
            self.path.truncate(level.path);
            self.tell(Event::Closed { path: self.path.clone() });
        }
    }

    fn key(&mut self, window: &Window<'_>, _: Span, content: Content<'_>) {
        let key = self.decode(window, content);
        self.keyed(&key);
        self.scratch = key;
    }

    fn drop_key(&mut self) {}

    fn string(&mut self, window: &Window<'_>, _: Span, content: Content<'_>) {
        let text = self.decode(window, content);
        self.text(&text);
        self.scratch = text;
    }

    fn number(&mut self, window: &Window<'_>, _: Span, content: Content<'_>) {
        let digits = self.decode(window, content);
        self.scalar(&digits);
        self.scratch = digits;
    }

    fn literal(&mut self, literal: Literal, _: Span) {
        self.scalar(literal.as_str());
    }
}
