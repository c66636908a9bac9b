//! What does a text say that is still being written?
//!
//! A [`Stream`] is the machine of [`crate::parse`], fed in chunks. It reads on where it stopped: the
//! cost of a byte does not depend on how much came before it, and what comes out at the end is
//! exactly what the whole text would have given.

use crate::{
    Error, ErrorKind, Options, Parsed, Repair, Span, parser::Window, pipeline::duplicates,
    value::build::Tape,
};

mod event;
mod feed;
mod follow;
mod partial;
mod parts;
mod typed;
mod view;
mod word;

pub use event::{Event, Events, MOST_KEYS};
use feed::Feed;
use follow::Follow;
pub use parts::StreamParts;
pub use typed::StreamOf;
use view::{Growing, Shown};
pub use view::{State, View};

/// Reads a value while its text arrives.
///
/// Under [`Choice::First`](crate::Choice::First) a value can be seen as it grows; under
/// [`Choice::Best`](crate::Choice::Best) only the end tells which value is the answer, and nothing
/// is shown before, unless the search is off and the text is the value.
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
    /// In a place of its own: it is large, and a stream is handed on.
    feed: Box<Feed<Tape>>,
    follow: Follow,
    shown: Shown,
    /// What is there of a view: nothing yet, a value, or the knowledge that nothing is to be shown.
    looked: Looked,
}

/// Whether the value so far has been looked at since text came last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looked {
    No,
    /// There is something to show; the view has borrowed the tape, too, if there is not.
    Yes(bool),
}

impl Stream {
    /// A stream of which nothing has arrived.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            feed: Box::new(Feed::new(options)),
            follow: Follow::default(),
            shown: Shown::default(),
            looked: Looked::No,
        }
    }

    /// Takes the next bytes of the text. They may be cut anywhere, also within a character.
    ///
    /// What is wrong with the text is told by [`Self::finish`].
    pub fn push(&mut self, chunk: &[u8]) {
        self.put_back();
        self.feed.push(chunk, &mut self.follow);
    }

    /// The value so far.
    pub fn view(&mut self) -> View<'_> {
        if self.looked == Looked::No && self.follow.settled {
            self.looked = Looked::Yes(self.show());
        }
        View { shown: (self.looked == Looked::Yes(true)).then_some(&self.shown) }
    }

    /// The repairs of the answer that nothing to come can touch, once the value is certain to be it.
    /// Each is told once, and not again by [`Self::finish`].
    pub fn take_repairs(&mut self) -> Vec<Repair> {
        self.put_back();
        if self.follow.settled { self.feed.take_repairs() } else { Vec::new() }
    }

    /// The text is complete: what [`crate::parse_with`] gives for it under the same options, less the
    /// repairs that were taken.
    pub fn finish(mut self) -> Result<Parsed<'static>, Error> {
        self.put_back();
        let (text, read) = self.feed.finish()?;
        let mut report = read.report;
        let value = read
            .sink
            .finish(text, report.candidate.span, &read.built)
            .ok_or_else(|| Error::new(ErrorKind::NoJson, "", None, ""))?;
        report.diagnostics.extend(duplicates(&value));
        Ok(Parsed { value, report })
    }

    /// Lends the view what is to be shown; whether there is anything.
    fn show(&mut self) -> bool {
        let (container, key) = self.follow.inside.unzip();
        let text = &self.feed.text;
        let window = Window::part(text, 0, false);
        let growing = self.follow.string.as_mut().and_then(|string| {
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
        self.shown.borrow(&mut scan.sink, text, root, key == Some(true), growing)
    }

    /// Takes back what the view was lent.
    fn put_back(&mut self) {
        if std::mem::replace(&mut self.looked, Looked::No) == Looked::No {
            return;
        }
        let tail = self.shown.give_back(&mut self.feed.scan.sink, &mut self.feed.text);
        if let (Some(string), Some(tail)) = (self.follow.string.as_mut(), tail) {
            string.give_back(tail);
        }
    }
}
