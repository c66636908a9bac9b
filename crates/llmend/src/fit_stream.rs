//! Do the items of a list fit what was asked for, while the text still arrives?

use llmend_json::{Builder, Node, Parsed, StreamOf};
use llmend_schema::{Coerced, Schema};
use serde::de::IgnoredAny;

use crate::{
    Error, FitOptions,
    fit::{Coercing, hinted},
};

/// Makes the items of one list fit a schema, each as soon as it is complete.
///
/// Under [`Choice::First`](crate::Choice::First) an item comes as soon as it is closed; under
/// [`Choice::Best`](crate::Choice::Best) all come at the end. Each comes with its own coercions and
/// violations, whose paths begin at the item and whose places are in the text as it arrived. Nothing
/// is said of the value around the list: for that, hand the whole text to [`fit`](fn@crate::fit).
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
    schema: Schema,
    coercing: Coercing,
}

impl FitStream {
    /// A stream of which nothing has arrived. `list` is the JSON Pointer (RFC 6901) of the list in
    /// the value, the empty one if it is the value; `schema` is that of one item.
    #[must_use]
    pub fn new(options: FitOptions, list: &str, schema: Schema) -> Self {
        let mut text = hinted(&options.text, &schema);
        // What a text without JSON may be is known of an item, and it would be the value.
        text.hints.without_json = options.text.hints.without_json;
        let items = StreamOf::new(text, list);
        Self { items, schema, coercing: options.coercing }
    }

    /// Takes the next bytes of the text. They may be cut anywhere, also within a character.
    pub fn push(&mut self, chunk: &[u8]) {
        self.items.push(chunk);
    }

    /// The next item that is complete, if there is one. One that does not fit keeps no other back.
    pub fn next_item(&mut self) -> Option<Coerced> {
        let Self { items, schema, coercing } = self;
        items.next_item_with(|item| fitted(item, schema, coercing)).flatten()
    }

    /// The text is complete: the items that were not given yet, and what the text says as a whole.
    pub fn finish(self) -> Result<(Vec<Coerced>, Parsed<'static>), Error> {
        let Self { items, schema, coercing } = self;
        let (rest, parsed) = items.finish_with(|item| fitted(item, &schema, &coercing))?;
        Ok((rest.into_iter().flatten().collect(), parsed))
    }
}

/// An item, made to fit. It is a value of its own, with the places that it has in the text.
fn fitted(item: Node<'_>, schema: &Schema, coercing: &Coercing) -> Option<Coerced> {
    // What it stands in is never looked at: every part of the item is copied.
    let around = llmend_json::parse("null").ok()?.value;
    let mut builder = Builder::new(&around);
    builder.take(item);
    Some(coercing.coerced(builder.finish()?, schema))
}
