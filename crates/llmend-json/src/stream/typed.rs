//! The items of a list as a type of the caller's, as each is complete.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;

use crate::{Error, Kind, Node, Options, Parsed, State, Stream};

/// Reads the items of one list into `T` while the text arrives.
///
/// Under [`Choice::First`](crate::Choice::First) an item comes as soon as it is complete; under
/// [`Choice::Best`](crate::Choice::Best) all come at the end.
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
    /// JSON Pointer of the list.
    list: String,
    /// Items that were given.
    given: usize,
    /// Where the list and its next item stand in the value, once they are there.
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
    /// A stream of which nothing has arrived. `list` is the JSON Pointer (RFC 6901) of the list in
    /// the value, the empty one if it is the value.
    #[must_use]
    pub fn new(options: Options, list: &str) -> Self {
        let stream = Stream::new(options);
        Self { stream, list: list.to_owned(), given: 0, place: None, items: PhantomData }
    }

    /// Takes the next bytes of the text: see [`Stream::push`].
    pub fn push(&mut self, chunk: &[u8]) {
        self.stream.push(chunk);
    }

    /// The next item that is complete, if there is one. An item that does not fit `T` is an error,
    /// and the others go on.
    pub fn next_item(&mut self) -> Option<Result<T, Error>> {
        self.next_item_with(typed)
    }

    /// The next item that is complete, if there is one, as `read` reads it in place of `T`.
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

    /// The text is complete: the items that were not given yet, and what the text says as a whole.
    pub fn finish(self) -> Result<(Vec<Result<T, Error>>, Parsed<'static>), Error> {
        self.finish_with(typed)
    }

    /// [`Self::finish`] with the items as `read` reads them in place of `T`.
    pub fn finish_with<R>(
        self,
        read: impl FnMut(Node<'_>) -> R,
    ) -> Result<(Vec<R>, Parsed<'static>), Error> {
        let parsed = self.stream.finish()?;
        let list = match self.place {
            // The list that items were given of, though the key may have come again.
            Some(place) => Some(Node { index: place.list - place.root, ..parsed.value.root() }),
            None => parsed.value.root().pointer(&self.list),
        };
        let items = list.map(Node::items).into_iter().flatten().skip(self.given);
        let rest = items.map(read).collect();
        Ok((rest, parsed))
    }
}

/// An item as a type. (A method would have to be of one lifetime.)
fn typed<T: DeserializeOwned>(item: Node<'_>) -> Result<T, Error> {
    item.deserialize()
}
