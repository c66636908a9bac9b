//! Arguments of a call that is still arriving, as far as they are certain.
//!
//! A member is delivered once nothing that follows can change it: a string whose schema says no
//! more than that as it arrives, any other value when it is complete and valid. What would need a
//! repair or a coercion ends the delivery; the rest follows with the complete call.

mod json;
mod tagged;

use crate::{Options, input::Input, tools::Tool};
use json::Members;
use tagged::{Form, Tagged};

/// How much of the text is read at once, in bytes: reading costs as much for a byte as for some.
const MIN_PIECE: usize = 16;
/// How much of the text may arrive without anything becoming certain, in bytes.
const MAX_WAIT: usize = 1 << 14;

/// A call whose name is certain.
#[derive(Clone, Debug)]
pub(crate) struct Begun {
    /// The name, as the tool is offered.
    pub(crate) name: String,
    /// The id, if it stands before the arguments.
    pub(crate) id: Option<String>,
    pub(crate) place: Place,
}

/// Where the arguments of a call that has begun are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// JSON, in the JSON of the call that begins here.
    InCall(usize),
    /// JSON, behind the name that ends here.
    BehindName(usize),
    /// An element for each parameter, behind the tag that begins here.
    Parameters(usize),
    /// An element for each key and value, behind the name that ends here.
    Pairs(usize),
    /// In a notation whose arguments are delivered when they are complete.
    Whole,
}

/// The arguments of a call that is arriving.
#[derive(Debug)]
pub(crate) struct Progress {
    state: State,
    /// JSON text delivered so far.
    delivered: String,
    /// Length of the text when something became certain last.
    length: Option<usize>,
    /// Length of the text that was read.
    read: usize,
}

#[derive(Debug)]
enum State {
    Members(Box<Members>),
    Tagged(Box<Tagged>),
    /// The rest follows with the complete call.
    Waits,
}

/// More of the arguments cannot be certain before the call is complete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uncertain;

impl Progress {
    pub(crate) fn new(place: Place, tool: &Tool, options: &Options) -> Self {
        let state = match place {
            _ if !tool.is_plain => State::Waits,
            Place::InCall(at) => State::Members(Box::new(Members::in_call(at, options))),
            Place::BehindName(at) => State::Members(Box::new(Members::behind_name(at))),
            Place::Parameters(head) => {
                State::Tagged(Box::new(Tagged::new(Form::Parameters { head }, head)))
            }
            Place::Pairs(at) => State::Tagged(Box::new(Tagged::new(Form::Pairs, at))),
            Place::Whole => State::Waits,
        };
        Self { state, delivered: String::new(), length: None, read: 0 }
    }

    /// Reads on, and returns what became certain, if anything.
    pub(crate) fn advance(
        &mut self,
        input: Input<'_>,
        tool: &Tool,
        options: &Options,
    ) -> Option<String> {
        if input.len() < self.read + MIN_PIECE {
            return None;
        }
        self.read = input.len();
        let from = self.delivered.len();
        let read = match &mut self.state {
            State::Members(members) => members.advance(input, tool, options, &mut self.delivered),
            State::Tagged(tagged) => tagged.advance(input, tool, options, &mut self.delivered),
            State::Waits => Ok(()),
        };
        let length = *self.length.get_or_insert(input.len());
        if read.is_err() || input.len() > length + MAX_WAIT {
            self.state = State::Waits;
        } else if self.delivered.len() > from {
            self.length = Some(input.len());
        }
        self.delivered.get(from..).filter(|delta| !delta.is_empty()).map(str::to_owned)
    }

    /// Returns what is left of `arguments`, those of the complete call; `None` if others were
    /// delivered.
    pub(crate) fn rest(&self, arguments: &str) -> Option<String> {
        arguments.strip_prefix(self.delivered.as_str()).map(str::to_owned)
    }
}

/// Writes the beginning of a member.
fn begin_member(key: &str, out: &mut String) {
    out.push(if out.is_empty() { '{' } else { ',' });
    out.push('"');
    llmend_json::push_escaped(out, key);
    out.push_str("\":");
}
