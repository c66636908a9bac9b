//! What a protocol adds to the reading of calls out of its items: which events there are, and how items
//! are written.

use std::fmt::Debug;

use llmend::json::Node;

use crate::answer::completion::Finish;
use crate::answer::from_text::FromText;
use crate::calls::native::NativeCall;
use crate::calls::tool_input::ToolInput;
use crate::splice::strict;
use crate::stream::frame::{Content, Frame};

/// What an event says of the items, as far as the reader of calls has to know.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Arrived {
    /// A text item begins, or a part of one, and may have some of its text already.
    Opens { item: u32, is_empty: bool },
    /// A piece of a text.
    Text { item: u32, piece: String },
    /// A text is complete, or the part or item around it.
    Closes { item: u32, is_last: bool },
    /// Words of a refusal in a text item: a piece, or all of them at its end.
    Refusal { item: u32, piece: String, is_whole: bool },
    /// It is about another item.
    Other { item: u32, opens: bool, is_call: bool },
    /// The answer ends.
    End(Option<Finish>),
    /// It has no item.
    Aside,
}

/// An item that is written anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewItem {
    pub(crate) kind: NewKind,
    pub(crate) index: u32,
    /// The id of the item that brought it, and how many texts it has brought.
    pub(crate) origin: Option<String>,
    pub(crate) number: usize,
    /// What of it was sent.
    pub(crate) text: String,
}

/// What was written in the place of an item.
#[derive(Clone, Debug)]
pub(crate) struct Replaced {
    pub(crate) item: u32,
    pub(crate) by: Vec<NewItem>,
}

/// The place of items that stand in the place of none, behind all others.
pub(crate) const BEHIND: u32 = u32::MAX;

/// The kind of an item that is written anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NewKind {
    Text,
    Reasoning,
    Refusal,
    Call { id: String, name: String, input: ToolInput },
}

/// How a protocol writes items.
pub(crate) trait ItemForm: Debug + Send + Sync {
    /// Reads an event.
    fn arrived(&self, root: Node<'_>) -> Arrived;

    /// The id of the item that an event is about.
    fn id<'v>(&self, root: Node<'v>) -> Option<&'v str>;

    /// Returns the reasoning that an event adds.
    fn reasoning<'v>(&self, root: Node<'v>) -> Option<&'v str>;

    /// Whether an event has words of a refusal.
    fn refuses(&self, _root: Node<'_>) -> bool {
        false
    }

    /// Adds what an event says of a call that the server found.
    fn note_call(&self, root: Node<'_>, call: &mut NativeCall);

    /// Writes the events with which an item begins.
    fn open(&self, item: &NewItem) -> Vec<String>;

    /// Writes a piece of an item.
    fn grow(&self, item: &NewItem, piece: &str) -> Vec<String>;

    /// Writes the events with which an item ends.
    fn close(&self, item: &NewItem) -> Vec<String>;

    /// Writes an event with the number of its item and its own number.
    fn renumbered(
        &self,
        data: &str,
        root: Node<'_>,
        item: Option<u32>,
        number: Option<u64>,
    ) -> String;

    /// The number of an event, where events are numbered.
    fn number(&self, root: Node<'_>) -> Option<u64>;

    /// Writes the event that ends the answer, with what was written in the place of items.
    fn ended(&self, data: &str, root: Node<'_>, found: &FromText, written: &[Replaced]) -> String;
}

/// Returns what was written in the place of an item.
pub(super) fn replacement(all: &mut Vec<Replaced>, item: u32) -> &mut Replaced {
    let at = all.iter().position(|one| one.item == item).unwrap_or_else(|| {
        all.push(Replaced { item, by: Vec::new() });
        all.len() - 1
    });
    &mut all[at]
}

/// Returns an event under its own number.
pub(super) fn numbered(
    form: &impl ItemForm,
    event: String,
    number: Option<u64>,
    depth: usize,
) -> Option<String> {
    let frame = Frame { raw: event.into_bytes() };
    let Content::Data(data) = frame.content() else { return None };
    let value = strict(&data, depth).ok()?;
    Some(form.renumbered(&data, value.root(), None, number))
}
