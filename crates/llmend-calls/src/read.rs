//! Reading of a whole text.

use std::collections::HashMap;

use llmend_json::{Class, Diagnostic, Severity, Value};

use crate::{
    Call, Options, Reading, Tools,
    input::Input,
    machine::{Event, Machine, in_reasoning},
    text::Trimmed,
};

/// Reads the calls in `text`, of tools that the model was offered.
///
/// Nothing has to be known of the model. Without tools, only calls between the marks of a notation
/// count. What cannot be read, or names a tool that is not offered, is in
/// [`refused`](Reading::refused); what is cut off is no call, and [`cut`](Reading::cut) says where.
///
/// ```
/// use llmend_calls::{Options, Tools, read};
///
/// let tools = Tools::from_text(r#"{"add": {"properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}}"#)?;
/// let reading = read("[add(a=1, b=2), add(a=3, b=4)]", &tools, &Options::default());
/// assert_eq!(reading.calls.len(), 2);
/// assert_eq!(reading.calls[1].arguments.to_string(), r#"{"a":3,"b":4}"#);
/// assert!(read("Use add(a=1, b=2) to add.", &tools, &Options::default()).calls.is_empty());
/// # Ok::<(), llmend_calls::ToolsError>(())
/// ```
#[must_use]
pub fn read(text: &str, tools: &Tools, options: &Options) -> Reading {
    let input = Input::new(text, true);
    let mut assembly = Assembly::default();
    let mut machine = Machine::new();
    machine.advance(input, tools, options);
    for event in machine.events() {
        assembly.take(event, text);
    }
    assembly.finish(text)
}

/// With how many calls before it, of the same name, a call is compared.
const MAX_COMPARED: usize = 64;

/// Puts what was read together.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    pub(crate) reading: Reading,
    text: Trimmed,
    reasoning: Trimmed,
    in_reasoning: bool,
}

impl Assembly {
    /// Adds an event.
    pub(crate) fn take(&mut self, event: Event, text: &str) {
        let reading = &mut self.reading;
        match event {
            Event::Text(span) => self.text.push(span.of(text), &mut reading.text),
            Event::Reasoning(span) => {
                if !self.in_reasoning {
                    self.in_reasoning = true;
                    self.reasoning.mark();
                }
                self.reasoning.push(span.of(text), &mut reading.reasoning);
            }
            Event::Break => self.text.break_line(),
            Event::Boundary => {
                self.text.mark();
                if self.in_reasoning {
                    self.reasoning.mark();
                    self.in_reasoning = false;
                }
            }
            Event::Call(call) => reading.calls.push(*call),
            Event::Refused(refused) => reading.refused.push(*refused),
            Event::Finding(row) => reading.diagnostics.push(*row),
            Event::Cut(span) => {
                (reading.cut, reading.cut_call) = (Some(span.end), Some(span));
                self.text.mark();
            }
            Event::InReasoning => {
                for call in &mut reading.calls {
                    let message = "the call is inside reasoning with which the text ends";
                    call.class = call.class.max(Some(Class::Guess));
                    call.diagnostics.push(in_reasoning(message, call.span));
                }
            }
            Event::AllReasoning => {
                self.text.finish(&mut reading.text);
                let before = std::mem::take(&mut reading.text);
                reading.reasoning.push_str(before.trim_matches(['\n', '\r']));
                self.text = Trimmed::default();
                self.text.mark();
                if !reading.calls.is_empty() {
                    reading.diagnostics.push(
                        Diagnostic::new(
                            "calls/draft",
                            Severity::Warning,
                            "ignored calls inside reasoning whose beginning is not in the text",
                        )
                        .help("Check that they were drafts."),
                    );
                }
                reading.calls.clear();
                reading.refused.clear();
            }
        }
    }

    /// Returns the reading of the whole text.
    pub(crate) fn finish(mut self, text: &str) -> Reading {
        self.text.finish(&mut self.reading.text);
        self.reasoning.finish(&mut self.reading.reasoning);
        let mut reading = self.reading;
        if let Some(at) = reading.cut {
            reading.diagnostics.push(
                Diagnostic::new(
                    "calls/truncated",
                    Severity::Error,
                    "the text is cut off inside a call",
                )
                .at(llmend_json::Span::at(at.min(text.len())))
                .help("Raise the limit on the answer's length, or ask for the call again."),
            );
        }
        report_repeated(&mut reading.calls);
        reading
    }
}

/// Warns of calls that stand twice. Both are kept: dice are rolled twice.
fn report_repeated(calls: &mut [Call]) {
    let mut seen: HashMap<&str, Vec<&Value<'_>>> = HashMap::new();
    let repeated: Vec<usize> = calls
        .iter()
        .enumerate()
        .filter(|(_, call)| {
            let same_name = seen.entry(&call.name).or_default();
            let again =
                same_name.iter().rev().take(MAX_COMPARED).any(|other| **other == call.arguments);
            same_name.push(&call.arguments);
            again
        })
        .map(|(at, _)| at)
        .collect();
    for at in repeated {
        if let Some(call) = calls.get_mut(at) {
            call.diagnostics.push(
                Diagnostic::new("calls/repeated", Severity::Warning, "the same call stands twice")
                    .at(call.span)
                    .help("Check that both are meant."),
            );
        }
    }
}
