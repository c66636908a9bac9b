//! What the texts of an answer hold besides text.

use llmend::Diagnostic;
use llmend::calls::Call;

use crate::answer::part::Fault;
use crate::calls::tool_input::ToolInput;

/// What the texts of a choice hold besides text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FromText {
    pub(crate) calls: Vec<TextCall>,
    pub(crate) unread: Vec<UnreadCall>,
    /// The index of the first call among the calls of the choice.
    pub(crate) first: usize,
    /// The number of calls that were dropped because the request allows only one.
    pub(crate) dropped: usize,
    /// The number of calls that the server found as well, and that were sent once.
    pub(crate) doubled: usize,
    /// Whether anything but plain text was found.
    pub(crate) is_marked: bool,
    /// Whether reasoning was found.
    pub(crate) has_reasoning: bool,
    /// What is said of text that is left out, since the answer ended before it.
    pub(crate) ignored: Option<Diagnostic>,
    /// What is said of something like a call that is not taken for one.
    pub(crate) uncertain: Option<Diagnostic>,
    /// The names of calls that are not sent, since the one that has to be made is missing.
    pub(crate) others: Vec<String>,
    /// Whether its parts were sent, and are reported elsewhere.
    pub(crate) is_sent: bool,
}

/// A call that was read in a text.
#[derive(Clone, Debug)]
pub(crate) struct TextCall {
    /// The id for the client.
    pub(crate) id: String,
    /// The call as the model wrote it.
    pub(crate) source: String,
    pub(crate) call: Box<Call>,
    /// What its tool takes.
    pub(crate) input: ToolInput,
    /// What is said of a tool that is not offered. The client answers for it.
    pub(crate) unknown: Option<Diagnostic>,
    /// Whether it is cut off, and was closed where it ends.
    pub(crate) is_cut: bool,
    /// Whether the reasoning ended with it.
    pub(crate) in_reasoning: bool,
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

impl TextCall {
    /// Makes a call of a tool that is offered, whole and in the text of the answer.
    pub(crate) const fn new(id: String, source: String, call: Box<Call>, input: ToolInput) -> Self {
        Self { id, source, call, input, unknown: None, is_cut: false, in_reasoning: false }
    }
}

/// How the calls of an answer are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallNumbering {
    /// All in one list.
    Together,
    /// Those that pass arguments and those that pass a text, each from 0.
    ByInput,
}

/// Numbers the calls of an answer in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallNumbers {
    numbering: CallNumbering,
    /// The number of the next call that passes arguments, or of the next one at all.
    arguments: usize,
    /// The number of the next call that passes a text, where these are numbered apart.
    texts: usize,
}

impl CallNumbers {
    /// Returns the number of the next call, which passes this.
    pub(crate) const fn next(&mut self, input: ToolInput) -> usize {
        let number = match (self.numbering, input) {
            (CallNumbering::ByInput, ToolInput::Text) => &mut self.texts,
            (CallNumbering::Together, _) | (_, ToolInput::Arguments) => &mut self.arguments,
        };
        *number += 1;
        *number - 1
    }
}

impl FromText {
    /// Returns the index of each call, and the numbers of what follows.
    pub(crate) fn numbers(&self, numbering: CallNumbering) -> (Vec<usize>, CallNumbers) {
        let mut numbers = CallNumbers { numbering, arguments: self.first, texts: 0 };
        let all = self.calls.iter().map(|call| numbers.next(call.input)).collect();
        (all, numbers)
    }

    /// Returns the indices of the calls in the list of those that pass arguments, or of all.
    pub(crate) fn listed(&self, numbering: CallNumbering) -> std::ops::Range<usize> {
        self.first..self.numbers(numbering).1.arguments
    }

    /// What is said of the calls of tools that are not offered.
    pub(crate) fn unknown_tools(&self) -> impl Iterator<Item = &Diagnostic> {
        self.calls.iter().filter_map(|one| one.unknown.as_ref())
    }

    /// Returns what is said of calls that are missing, without the parts, which were sent.
    pub(crate) fn without_parts(self) -> Self {
        let Self { uncertain, others, .. } = self;
        Self { uncertain, others, is_sent: true, ..Self::default() }
    }

    /// Whether nothing was found, and nothing is to be said of a call that is missing.
    pub(crate) const fn is_silent(&self) -> bool {
        self.is_nothing() && self.uncertain.is_none()
    }

    /// Whether nothing but plain text was found.
    pub(crate) const fn is_nothing(&self) -> bool {
        self.calls.is_empty() && self.unread.is_empty() && !self.is_marked
    }
}
