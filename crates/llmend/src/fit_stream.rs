//! Fitting the items of a list while its text arrives.

use llmend_json::{Builder, Node, Parsed, StreamOf};
use llmend_schema::{Coerced, Schema, Violation};
use serde::de::IgnoredAny;

use crate::{
    Error, FitOptions, Fitted,
    fit::{CoerceMode, hinted},
};

/// Fits the items of one list to a schema, each as soon as it is complete.
///
/// With [`Choice::First`](crate::Choice::First) an item is available as soon as it is closed; with
/// [`Choice::Best`](crate::Choice::Best) all items come at the end. Each has its own coercions and
/// violations, with paths that begin at the item and places in the text as it arrived. The value
/// around the list is not validated: for that, pass the whole text to [`fit`](fn@crate::fit).
///
/// ```
/// use llmend::{Choice, FitOptions, FitStream, Options, Schema};
///
/// let step = Schema::from_text(r#"{"properties": {"id": {"type": "integer"}}}"#)?;
/// let text = Options { choice: Choice::First, ..Options::default() };
/// let options = FitOptions { text, ..FitOptions::default() };
/// let mut steps = FitStream::new(options, "/steps", step);
/// steps.push(b"Plan: {'steps': [{'id': '1'}, {'id': 'two'}, {'i");
/// let first = steps.next_item().unwrap();
/// assert_eq!((first.value.to_string().as_str(), first.coercions.len()), (r#"{"id":1}"#, 1));
/// let second = steps.next_item().unwrap();
/// assert_eq!(second.violations[0].path, "/id");
/// assert!(steps.next_item().is_none());
/// # Ok::<(), llmend::Error>(())
/// ```
pub struct FitStream {
    items: StreamOf<IgnoredAny>,
    list: String,
    schema: Schema,
    coerce: CoerceMode,
}

impl FitStream {
    /// Creates an empty stream. `list` is the JSON Pointer (RFC 6901) of the list, empty if the
    /// list is the whole value; `schema` is the schema of an item.
    #[must_use]
    pub fn new(options: FitOptions, list: &str, schema: Schema) -> Self {
        let mut text = hinted(&options.text, &schema);
        // Hints for a text without JSON describe an item, but would apply to the whole value.
        text.hints.without_json = options.text.hints.without_json;
        let items = StreamOf::new(text, list);
        Self { items, list: list.to_owned(), schema, coerce: options.coerce }
    }

    /// Takes the next bytes of the text, which may end within a character.
    pub fn push(&mut self, chunk: &[u8]) {
        self.items.push(chunk);
    }

    /// Returns the next complete item, if any. An item that does not fit holds up no other.
    pub fn next_item(&mut self) -> Option<Coerced> {
        let Self { items, schema, coerce, .. } = self;
        items.next_item_with(|item| fitted(item, schema, coerce)).flatten()
    }

    /// Ends the text. Returns the remaining items, and the value of the whole text. A value without
    /// the list is [`Error::Unfit`], with the code `items/no-list`.
    pub fn finish(self) -> Result<(Vec<Coerced>, Parsed<'static>), Error> {
        let Self { items, list, schema, coerce } = self;
        let (rest, parsed) = items.finish_with(|item| fitted(item, &schema, &coerce))?;
        let Some(missing) = Violation::missing_list(parsed.value.root(), &list) else {
            return Ok((rest.into_iter().flatten().collect(), parsed));
        };
        let violations = vec![missing];
        let Parsed { value, report } = parsed;
        Err(Error::Unfit(Box::new(Fitted { value, report, coercions: Vec::new(), violations })))
    }
}

/// Fits an item. It becomes a value of its own that keeps its places in the text.
fn fitted(item: Node<'_>, schema: &Schema, coerce: &CoerceMode) -> Option<Coerced> {
    // The container is never read: every part of the item is copied.
    let around = llmend_json::parse("null").ok()?.value;
    let mut builder = Builder::new(&around);
    builder.take(item);
    Some(coerce.coerced(builder.finish()?, schema))
}
