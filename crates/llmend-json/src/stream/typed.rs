//! Typed items of an array that is still arriving.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;

use crate::{Error, Kind, Node, Options, Parsed, State, Stream};

/// Reads the items of an array into `T` while the text arrives.
///
/// Under [`Choice::First`](crate::Choice::First), an item is available once it is complete; under
/// [`Choice::Best`](crate::Choice::Best), all are available at the end.
///
/// ```
/// use llmend_json::{Choice, Options, StreamOf};
///
/// #[derive(serde::Deserialize)]
/// struct Step { id: u32 }
///
/// let options = Options { choice: Choice::First, ..Options::default() };
/// let mut steps = StreamOf::<Step>::new(options, "/steps");
/// steps.push(b"Plan: {'steps': [{'id': 1}, {'id': 2}, {'i");
/// let ids: Vec<u32> = std::iter::from_fn(|| steps.next_item()).flatten().map(|step| step.id).collect();
/// assert_eq!(ids, [1, 2]);
/// # Ok::<(), llmend_json::Error>(())
/// ```
pub struct StreamOf<T> {
    stream: Stream,
    /// JSON Pointer of the array.
    list: String,
    /// Number of items returned.
    given: usize,
    /// Indexes of the array and its next item, once they are known.
    place: Option<Place>,
    items: PhantomData<fn() -> T>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    root: usize,
    list: usize,
    next: usize,
}

impl<T: DeserializeOwned> StreamOf<T> {
    /// Creates a stream without any text. `list` is the JSON Pointer (RFC 6901) of the array, empty
    /// if it is the whole value.
    #[must_use]
    pub fn new(options: Options, list: &str) -> Self {
        let stream = Stream::new(options);
        Self { stream, list: list.to_owned(), given: 0, place: None, items: PhantomData }
    }

    /// Adds a chunk of the text: see [`Stream::push`].
    pub fn push(&mut self, chunk: &[u8]) {
        self.stream.push(chunk);
    }

    /// Returns the next complete item, if there is one. An item that does not fit `T` is an error,
    /// and does not affect the others.
    pub fn next_item(&mut self) -> Option<Result<T, Error>> {
        self.next_item_with(typed)
    }

    /// Returns the result of `read` for the next complete item, if there is one.
    pub fn next_item_with<R>(&mut self, read: impl FnOnce(Node<'_>) -> R) -> Option<R> {
        let view = self.stream.view();
        let root = view.root()?;
        if self.place.is_none() {
            let list = root.pointer(&self.list).filter(|list| list.kind() == Kind::Array)?;
            self.place = Some(Place { root: root.index, list: list.index, next: list.index + 1 });
        }
        let place = self.place?;
        let list = Node { index: place.list, ..root };
        let item = Node { index: place.next, ..root };
        let end = list.value.after(place.list);
        if place.next >= end || view.state(item) != State::Complete {
            return None;
        }
        self.place = Some(Place { next: item.value.after(place.next), ..place });
        self.given += 1;
        Some(read(item))
    }

    /// Ends the text. Returns the remaining items, and the result for the whole text.
    pub fn finish(self) -> Result<(Vec<Result<T, Error>>, Parsed<'static>), Error> {
        self.finish_with(typed)
    }

    /// Like [`Self::finish`], with the results of `read` instead of `T`.
    pub fn finish_with<R>(
        self,
        read: impl FnMut(Node<'_>) -> R,
    ) -> Result<(Vec<R>, Parsed<'static>), Error> {
        let parsed = self.stream.finish()?;
        let list = match self.place {
            // The array whose items were returned, even if its key was repeated.
            Some(place) => Some(Node { index: place.list - place.root, ..parsed.value.root() }),
            None => parsed.value.root().pointer(&self.list),
        };
        let items = list.map(Node::items).into_iter().flatten().skip(self.given);
        let rest = items.map(read).collect();
        Ok((rest, parsed))
    }
}

/// Reads an item into a type. A function, since a method would be limited to one lifetime.
fn typed<T: DeserializeOwned>(item: Node<'_>) -> Result<T, Error> {
    item.deserialize()
}
