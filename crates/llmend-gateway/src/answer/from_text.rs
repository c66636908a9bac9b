//! What the texts of an answer hold besides text.

use llmend::calls::Call;

use crate::answer::part::Fault;

/// What the texts of a choice hold besides text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FromText {
    pub(crate) calls: Vec<TextCall>,
    pub(crate) unread: Vec<UnreadCall>,
    /// The index of the first call among the calls of the choice.
    pub(crate) first: usize,
    /// The number of calls that were dropped because the request allows only one.
    pub(crate) dropped: usize,
    /// Whether anything but plain text was found.
    pub(crate) is_marked: bool,
}

/// A call that was read in a text.
#[derive(Clone, Debug)]
pub(crate) struct TextCall {
    /// The id for the client.
    pub(crate) id: String,
    /// The call as the model wrote it.
    pub(crate) source: String,
    pub(crate) call: Box<Call>,
}

/// Something in a text that was meant as a call and is none.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UnreadCall {
    pub(crate) name: String,
    /// What the model wrote.
    pub(crate) source: String,
    pub(crate) notation: Option<&'static str>,
    pub(crate) fault: Fault,
}

/// A whole response in which calls were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Converted {
    /// The response with the calls as the protocol has them, or `None` if nothing changed.
    pub(crate) body: Option<String>,
    /// What was found, by choice.
    pub(crate) found: Vec<(u32, FromText)>,
}

impl PartialEq for TextCall {
    /// Compares what the model wrote, from which the call follows.
    fn eq(&self, other: &Self) -> bool {
        (&self.id, &self.source) == (&other.id, &other.source)
    }
}

impl FromText {
    /// Whether nothing but plain text was found.
    pub(crate) const fn is_nothing(&self) -> bool {
        self.calls.is_empty() && self.unread.is_empty() && !self.is_marked
    }
}
