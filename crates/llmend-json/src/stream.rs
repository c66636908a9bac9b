//! Incremental parsing of text that is still arriving.
//!
//! A [`Stream`] is the parser of [`crate::parse`], fed in chunks. It resumes where it stopped, so
//! the cost of a byte does not depend on the text before it, and the result is exactly that of
//! parsing the whole text.

use crate::{
    Class, Error, ErrorKind, Fit, OnBadItem, Options, Parsed, Repair, Span, Value,
    parser::Window,
    pipeline::{self, ReadOutcome, duplicates, note_duplicates},
    value::build::Tape,
};

mod event;
mod feed;
mod follow;
mod object_keys;
mod partial;
mod parts;
mod typed;
mod values;
mod view;
mod word;

pub use event::{Event, Events};
use feed::Feed;
use follow::Follow;
pub use parts::StreamParts;
pub use typed::StreamOf;
pub use values::{FoundJson, Values};
use view::{Growing, Shown};
pub use view::{State, View};

/// Parses a value while its text arrives.
///
/// Under [`Choice::First`](crate::Choice::First), the value can be viewed as it grows. Under
/// [`Choice::Best`](crate::Choice::Best), the answer is only known at the end, so nothing is shown
/// before, unless the search is off and the text is the value.
///
/// ```
/// use llmend_json::{Choice, Options, Stream};
///
/// let mut stream = Stream::new(Options { choice: Choice::First, ..Options::default() });
/// stream.push(b"Sure: {'steps': ['copy', 'che");
/// let view = stream.view();
/// assert_eq!(view.root().map(|root| root.to_string()).as_deref(), Some(r#"{"steps":["copy"]}"#));
/// stream.push(b"ck']}");
/// let parsed = stream.finish()?;
/// assert_eq!(parsed.value.to_string(), r#"{"steps":["copy","check"]}"#);
/// # Ok::<(), llmend_json::Error>(())
/// ```
pub struct Stream {
    /// Boxed, since it is large and streams are moved.
    feed: Box<Feed<Tape>>,
    follow: Follow,
    shown: Shown,
    /// State of the current view.
    viewed: Viewed,
}

/// Whether the value was viewed since the last chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Viewed {
    No,
    /// Whether there is anything to show. The view has borrowed the tape in either case.
    Yes(bool),
}

/// Returns the value that was read, with its report.
fn parsed(
    (text, read): (String, ReadOutcome<Tape>),
    max_class: Class,
) -> Result<Parsed<'static>, Error> {
    let mut report = read.report;
    let mut value = read
        .sink
        .finish(text, report.candidate.span, &read.built, read.list)
        .ok_or_else(|| Error::new(ErrorKind::NoJson, "", None, ""))?;
    note_duplicates(&mut report, duplicates(&mut value), &value.text, max_class)?;
    Ok(Parsed { value, report })
}

impl Stream {
    /// Creates a stream without any text.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            feed: Box::new(Feed::new(options)),
            follow: Follow::default(),
            shown: Shown::default(),
            viewed: Viewed::No,
        }
    }

    /// Creates a stream without any text that ends with [`Self::finish_fitting`].
    #[must_use]
    pub fn fitting(options: Options) -> Self {
        let stream = Self::new(options);
        Self { feed: Box::new(stream.feed.by_fitting()), ..stream }
    }

    /// Adds a chunk of the text, which may end anywhere, even within a character.
    ///
    /// Errors are returned by [`Self::finish`].
    pub fn push(&mut self, chunk: &[u8]) {
        self.put_back();
        self.feed.push(chunk, &mut self.follow);
    }

    /// Returns a view of the value so far.
    pub fn view(&mut self) -> View<'_> {
        if self.viewed == Viewed::No && self.follow.certain {
            self.viewed = Viewed::Yes(self.show());
        }
        View { shown: (self.viewed == Viewed::Yes(true)).then_some(&self.shown) }
    }

    /// Returns the repairs of the answer that later text cannot change, once the answer is certain.
    /// Each is returned once, and not again by [`Self::finish`].
    pub fn take_repairs(&mut self) -> Vec<Repair> {
        self.put_back();
        if self.follow.certain && !self.holds() { self.feed.take_repairs() } else { Vec::new() }
    }

    /// Ends the text. Returns the result of [`crate::parse_with`] for the whole text under the same
    /// options, without the repairs that were taken.
    pub fn finish(mut self) -> Result<Parsed<'static>, Error> {
        self.put_back();
        let max_class = self.feed.max_class();
        parsed(self.feed.finish()?, max_class)
    }

    /// Ends the text. Returns the result of [`crate::parse_fitting`] for the whole text under the
    /// same options, without the repairs that were taken, if the stream was created by
    /// [`Self::fitting`].
    pub fn finish_fitting<F: Into<Fit>>(
        mut self,
        mut fits: impl FnMut(&Value<'_>) -> F,
    ) -> Result<Parsed<'static>, Error> {
        self.put_back();
        let options = self.feed.options();
        let read = self.feed.finish_by(|window, scan| {
            pipeline::chosen_by_fitting(window, scan, &options, &mut fits)
        })?;
        parsed(read, options.max_class)
    }

    /// Returns whether an item is shown only once it is complete, since it may be left out.
    fn holds(&self) -> bool {
        self.feed.on_bad_item() != OnBadItem::Fail
    }

    /// Lends the tape to the view; returns whether there is anything to show.
    fn show(&mut self) -> bool {
        let (container, key) = self.follow.inside.unzip();
        let text = &self.feed.text;
        let window = Window::part(text, 0, false);
        let held = self.holds().then(|| self.feed.scan.sink.item_in_progress()).flatten();
        let string = self.follow.string.as_mut().filter(|_| held.is_none());
        let growing = string.and_then(|string| {
            let span = Span::new(string.opener, text.len());
            let state = if string.waits { State::Pending } else { State::Partial };
            Some(Growing { tail: string.lend(&window, container)?, span, state })
        });
        let scan = &mut self.feed.scan;
        let root = match scan.first() {
            Some(found) => found.built.root(),
            None => scan.sink.root_in_progress(),
        };
        let text = &mut self.feed.text;
        self.shown.borrow(&mut scan.sink, text, root, key == Some(true), growing, held)
    }

    /// Takes back the tape.
    fn put_back(&mut self) {
        if std::mem::replace(&mut self.viewed, Viewed::No) == Viewed::No {
            return;
        }
        let tail = self.shown.give_back(&mut self.feed.scan.sink, &mut self.feed.text);
        if let (Some(string), Some(tail)) = (self.follow.string.as_mut(), tail) {
            string.give_back(tail);
        }
    }
}
