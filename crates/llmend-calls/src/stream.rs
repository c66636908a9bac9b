//! Reading of a text that arrives in pieces.

use std::sync::Arc;

use crate::{
    Accept, Call, Options, Reading, Refused, Tools,
    found::Context,
    input::Input,
    machine::{Event, Machine},
    progress::{Begun, Progress},
    read::Assembly,
};

/// What a piece of text adds.
#[derive(Clone, Debug)]
pub enum CallEvent {
    /// Text for the user.
    Text(String),
    /// Reasoning.
    Reasoning(String),
    /// All text and calls so far were reasoning, whose beginning is not in the text.
    AllReasoning,
    /// A call has begun, and its name is certain.
    Started {
        /// Index of the call among the calls of the answer.
        index: usize,
        /// The name, as the tool is offered.
        name: String,
        /// The id, if the text has one and it is known yet.
        id: Option<String>,
    },
    /// More of the arguments of the last started call, as JSON text. What was delivered is never
    /// taken back.
    Arguments {
        /// Index of the call.
        index: usize,
        /// The next part of the JSON text.
        delta: String,
    },
    /// The last started call is complete.
    Done {
        /// Index of the call.
        index: usize,
        /// The call.
        call: Box<Call>,
    },
    /// The last started call is none: it is cut off, was refused, or is not what it seemed. In the
    /// last case another call begins at the same index.
    Abandoned {
        /// Index that the call would have had.
        index: usize,
    },
    /// Something was meant as a call and is none.
    Refused(Box<Refused>),
}

/// A reader of calls in a text that arrives in pieces of any size.
///
/// Text is delivered at once, but for what may be the beginning of a mark. However the text is cut,
/// the calls are those of [`read`](crate::read) on the whole text. Unmarked calls are decided when
/// the text ends.
///
/// ```
/// use llmend_calls::{CallEvent, CallStream, Options, Tools};
///
/// let tools = Tools::from_text(r#"{"add": {"properties": {"a": {"type": "integer"}}}}"#)?;
/// let mut stream = CallStream::new(tools, Options::default());
/// let mut events = stream.push("One moment. <tool_c");
/// events.extend(stream.push("all>{\"name\": \"add\", \"argu"));
/// events.extend(stream.push("ments\": {\"a\": 1}}</tool_call>"));
/// let (last, reading) = stream.finish();
/// events.extend(last);
/// assert!(matches!(&events[0], CallEvent::Text(text) if text == "One moment. "));
/// assert!(matches!(&events[1], CallEvent::Started { name, .. } if name == "add"));
/// let deltas = events.iter().filter_map(|event| match event {
///     CallEvent::Arguments { delta, .. } => Some(delta.as_str()),
///     _ => None,
/// });
/// assert_eq!(deltas.collect::<String>(), r#"{"a":1}"#);
/// assert!(matches!(events.last(), Some(CallEvent::Done { .. })));
/// assert_eq!(reading.calls.len(), 1);
/// # Ok::<(), llmend_calls::ToolsError>(())
/// ```
#[derive(Debug)]
pub struct CallStream {
    tools: Arc<Tools>,
    options: Options,
    machine: Machine,
    text: String,
    delivery: Delivery,
}

/// What was delivered, and what is being put together.
#[derive(Debug, Default)]
struct Delivery {
    assembly: Assembly,
    /// How much of the text and the reasoning was delivered.
    lengths: (usize, usize),
    /// The call that has started and is not complete.
    started: Option<Started>,
    /// Number of calls delivered.
    calls: usize,
}

/// A call that has started.
#[derive(Debug)]
struct Started {
    name: String,
    /// How far the text was decided.
    at: usize,
    progress: Progress,
}

impl CallStream {
    /// Creates a reader of the calls of these tools.
    #[must_use]
    pub fn new(tools: impl Into<Arc<Tools>>, options: Options) -> Self {
        Self {
            tools: tools.into(),
            options,
            machine: Machine::new(),
            text: String::new(),
            delivery: Delivery::default(),
        }
    }

    /// Takes the next piece, and returns what it adds.
    pub fn push(&mut self, piece: &str) -> Vec<CallEvent> {
        let known = self.text.len();
        self.text.push_str(piece);
        let events = self.advance(false);
        // A letter completes no name.
        let may_begin = piece.bytes().any(|byte| !byte.is_ascii_alphanumeric());
        self.begin(known, may_begin, events)
    }

    /// Reads what is open as with [`Accept::Marked`] from here on, and returns what is certain
    /// before. For a text that its writer did not end.
    pub fn only_marked(&mut self) -> Vec<CallEvent> {
        self.machine.retry();
        let events = self.advance(false);
        let events = self.begin(self.text.len(), true, events);
        self.options.accept = Accept::Marked;
        events
    }

    /// Adds the beginning of a call, if its name is certain, and more of the arguments of one that
    /// has begun. `known` is how much of the text was there before.
    fn begin(
        &mut self,
        known: usize,
        may_begin: bool,
        mut events: Vec<CallEvent>,
    ) -> Vec<CallEvent> {
        let at = self.machine.at();
        if self.delivery.started.as_ref().is_some_and(|call| !self.machine.is_reading(call.at)) {
            // The call turned out to be text.
            self.delivery.abandon(&mut events);
        }
        let input = Input::new(&self.text, false);
        let context = Context { tools: &self.tools, options: &self.options };
        let index = self.delivery.calls;
        if self.delivery.started.is_none()
            && may_begin
            && let Some(Begun { name, id, place }) = self.machine.begun(known, input, context)
            && let Some(tool) = self.tools.named(&name)
        {
            let progress = Progress::new(place, tool, &self.options);
            self.delivery.started = Some(Started { name: name.clone(), at, progress });
            events.push(CallEvent::Started { index, name, id });
        }
        if let Some(Started { name, progress, .. }) = &mut self.delivery.started
            && let Some(tool) = self.tools.named(name)
            && let Some(delta) = progress.advance(input, tool, &self.options)
        {
            events.push(CallEvent::Arguments { index, delta });
        }
        events
    }

    /// Ends the text, and returns what is left and the reading of the whole.
    #[must_use]
    pub fn finish(mut self) -> (Vec<CallEvent>, Reading) {
        let mut events = self.advance(true);
        self.delivery.abandon(&mut events);
        let Delivery { assembly, lengths, .. } = self.delivery;
        let reading = assembly.finish(&self.text);
        let rest = |all: &str, from: usize| all.get(from..).unwrap_or_default().to_owned();
        let (text, reasoning) =
            (rest(&reading.text, lengths.0), rest(&reading.reasoning, lengths.1));
        if !reasoning.is_empty() {
            events.push(CallEvent::Reasoning(reasoning));
        }
        if !text.is_empty() {
            events.push(CallEvent::Text(text));
        }
        (events, reading)
    }

    fn advance(&mut self, complete: bool) -> Vec<CallEvent> {
        let input = Input::new(&self.text, complete);
        let mut out = Vec::new();
        self.machine.advance(input, &self.tools, &self.options);
        for event in self.machine.events() {
            self.delivery.take(event, &self.text, &mut out);
        }
        out
    }
}

impl Delivery {
    /// Adds what an event brings.
    fn take(&mut self, event: Event, text: &str, out: &mut Vec<CallEvent>) {
        match &event {
            Event::Call(call) => self.call(call, out),
            Event::Refused(refused) => {
                self.abandon(out);
                out.push(CallEvent::Refused(refused.clone()));
            }
            Event::AllReasoning => {
                self.calls = 0;
                out.push(CallEvent::AllReasoning);
                self.assembly.take(event, text);
                self.lengths = (0, self.assembly.reading.reasoning.len());
                return;
            }
            _ => {}
        }
        self.assembly.take(event, text);
        self.texts(out);
    }

    /// Takes back the call that has started, if there is one.
    fn abandon(&mut self, out: &mut Vec<CallEvent>) {
        if self.started.take().is_some() {
            out.push(CallEvent::Abandoned { index: self.calls });
        }
    }

    /// Adds a complete call.
    fn call(&mut self, call: &Call, out: &mut Vec<CallEvent>) {
        let index = self.calls;
        let arguments = call.arguments.to_string();
        let started = self.started.as_ref().filter(|started| started.name == call.name);
        let rest = started.and_then(|started| started.progress.rest(&arguments));
        let delta = if let Some(rest) = rest {
            self.started = None;
            rest
        } else {
            self.abandon(out);
            let (name, id) = (call.name.clone(), call.id.clone());
            out.push(CallEvent::Started { index, name, id });
            arguments
        };
        self.calls += 1;
        out.push(CallEvent::Arguments { index, delta });
        out.push(CallEvent::Done { index, call: Box::new(call.clone()) });
    }

    /// Adds the text and the reasoning that are new.
    fn texts(&mut self, out: &mut Vec<CallEvent>) {
        let reading = &self.assembly.reading;
        let (text, reasoning) = &mut self.lengths;
        if let Some(new) = reading.reasoning.get(*reasoning..).filter(|new| !new.is_empty()) {
            match out.last_mut() {
                Some(CallEvent::Reasoning(last)) => last.push_str(new),
                _ => out.push(CallEvent::Reasoning(new.to_owned())),
            }
            *reasoning = reading.reasoning.len();
        }
        if let Some(new) = reading.text.get(*text..).filter(|new| !new.is_empty()) {
            match out.last_mut() {
                Some(CallEvent::Text(last)) => last.push_str(new),
                _ => out.push(CallEvent::Text(new.to_owned())),
            }
            *text = reading.text.len();
        }
    }
}
