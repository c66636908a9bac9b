//! Calls at the end of a member for reasoning, where servers leave them that take another model's
//! reasoning apart.

use llmend::calls::{Accept, Call, Options, read};
use llmend::{Class, Diagnostic, Severity};

use super::{ChoiceReader, Output, outputs_of, take_source, written_id};
use crate::answer::from_text::TextCall;

impl ChoiceReader {
    /// Reads the calls with which the reasoning of an answer without text ends. They have to be
    /// marked, and all of them to fit: nothing else says that they were meant.
    pub(crate) fn read_reasoning(&mut self, reasoning: &str) -> Vec<Output> {
        let marked = Options { accept: Accept::Marked, ..self.reading.options.clone() };
        let reading = read(reasoning, &self.reading.tools, &marked);
        let last = reading.calls.last().map(not_taken);
        let mut calls = at_the_end(reading.calls, reasoning);
        calls.retain(|call| !self.reading.is_other(&call.name));
        let is_unfit = calls.iter().any(|call| !call.violations.is_empty());
        if !reading.refused.is_empty() || reading.cut.is_some() || is_unfit {
            calls.clear();
        }
        if calls.is_empty() {
            self.found.uncertain = self.found.uncertain.take().or(last);
        }
        let mut outputs = Vec::new();
        for call in calls {
            if self.is_enough() {
                self.found.dropped += 1;
                continue;
            }
            let mut call = Box::new(call);
            let source = take_source(&mut call, reasoning);
            call.diagnostics.push(doubt(&call));
            let id = self.ids.next(written_id(&call, &source));
            let input = self.reading.input_of(&call.name);
            let call = TextCall { in_reasoning: true, ..TextCall::new(id, source, call, input) };
            outputs.extend(outputs_of(&call));
            self.found.calls.push(call);
        }
        outputs
    }
}

/// Returns what is said of a call in the reasoning that is not taken for one.
fn not_taken(call: &Call) -> Diagnostic {
    let why = call.diagnostics.iter().find(|row| row.class == Some(Class::Guess));
    let why = why.map_or("it may be a draft", |row| &row.message);
    let message = format!("a call of `{}` in the reasoning is not taken for one: {why}", call.name);
    Diagnostic::new("calls/mention", Severity::Warning, message).at(call.span)
}

/// Returns what is said of a call that stands in the reasoning.
fn doubt(call: &Call) -> Diagnostic {
    let message = "the reasoning of the answer ends with the call, and nothing follows it";
    let row = Diagnostic::new("calls/in-reasoning", Severity::Warning, message).at(call.span);
    row.class(Class::Guess).help("Check that the server knows how the model marks its reasoning.")
}

/// Returns the calls behind which the text says nothing else, up to one that is a guess.
fn at_the_end(mut calls: Vec<Call>, text: &str) -> Vec<Call> {
    let (mut end, mut first) = (text.len(), calls.len());
    while let Some(call) = first.checked_sub(1).and_then(|at| calls.get(at)) {
        let behind = text.get(call.span.end..end).unwrap_or_default();
        if has_words(behind, MARKS) || call.class >= Some(Class::Guess) {
            break;
        }
        (end, first) = (call.span.start, first - 1);
    }
    calls.split_off(first)
}

/// Signs of tags and other marks: those that begin one, and those that end one.
const MARKS: [&[char]; 2] = [&['<', '['], &['>', ']']];

/// Whether there are words outside of marks with these signs.
pub(super) fn has_words(text: &str, [begins, ends]: [&[char]; 2]) -> bool {
    let outside = |part: &str| {
        let (_, outside) = part.split_once(ends).unwrap_or(("", part));
        outside.contains(char::is_alphanumeric)
    };
    text.split(begins).any(outside)
}

#[cfg(test)]
mod tests {
    use super::{MARKS, has_words};

    #[test]
    fn marks_are_no_words() {
        for (text, expected) in [
            ("\n</tool_call>\n", false),
            ("</function>\n</tool_call><|im_end|>", false),
            ("[/TOOL_CALLS]", false),
            ("</tool_call> But no.", true),
            ("No.", true),
            ("", false),
        ] {
            assert_eq!(has_words(text, MARKS), expected, "{text}");
        }
    }
}
