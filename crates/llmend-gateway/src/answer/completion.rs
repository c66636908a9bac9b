//! What the model wrote in one choice of a response, and why it ends.

use llmend_models::sse::FinishReason;

use crate::answer::from_text::FromText;
use crate::answer::part::PartKind;
use crate::answer::text_parts::TextPart;

/// One choice of a response, as the model wrote it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Completion {
    pub(crate) choice: u32,
    pub(crate) content: String,
    /// The texts that the content consists of, where there may be several.
    pub(crate) texts: Vec<TextPart>,
    pub(crate) refusal: String,
    /// Name and arguments of each call, in order.
    pub(crate) calls: Vec<(String, String)>,
    /// The calls of something other than a function, such as a custom tool. They are not inspected,
    /// and their arguments are empty.
    pub(crate) others: Vec<usize>,
    /// How the calls are written.
    pub(crate) call_form: CallForm,
    /// The names of the calls that are not inspected and were passed on. Some have none.
    pub(crate) uninspected_calls: Vec<String>,
    /// The names of the calls that were read in a text and sent before.
    pub(crate) sent_calls: Vec<String>,
    /// The calls that are cut off although their arguments do not show it.
    pub(crate) broken: Vec<usize>,
    /// Whether one of the texts is marked incomplete.
    pub(crate) is_unfinished: bool,
    pub(crate) behind: Trailing,
    pub(crate) finish: Option<Finish>,
    /// The calls that were read in its texts.
    pub(crate) from_text: FromText,
}

/// What follows the last inspected part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Trailing {
    #[default]
    Nothing,
    /// Something that may be incomplete.
    Something,
}

impl Trailing {
    /// Returns what follows the part at `judged` in a response whose last part is at `last`.
    pub(crate) fn of<At: Ord + Copy>(last: Option<At>, judged: Option<At>) -> Self {
        if last > judged { Self::Something } else { Self::Nothing }
    }
}

/// How calls are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CallForm {
    /// A list of tool calls.
    #[default]
    Tools,
    /// The single function call of older clients.
    Function,
}

/// Why a choice ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finish {
    pub(crate) reason: FinishReason,
    /// The upstream's own word.
    pub(crate) word: String,
    /// Whether the response is not an answer yet, or was stopped.
    pub(crate) is_pending: bool,
}

/// The choices whose end differs from what the provider reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FinishChanges {
    /// Cut off, and so not reported as complete.
    pub(crate) cut_off: Vec<u32>,
    /// Cut off at first, and complete after a retry.
    pub(crate) completed: Vec<u32>,
}

impl Finish {
    /// Reads a finish reason.
    pub(crate) fn of(word: &str) -> Self {
        Self { reason: FinishReason::from_word(word), word: word.to_owned(), is_pending: false }
    }

    /// Whether the response is an answer: not filtered, and not a state before the answer.
    pub(crate) fn is_answered(&self) -> bool {
        self.reason != FinishReason::ContentFilter && !self.is_pending
    }

    /// Whether the word is known to mean a complete answer.
    pub(crate) const fn is_complete(&self) -> bool {
        matches!(self.reason, FinishReason::Stop | FinishReason::ToolCalls)
    }

    /// Whether the answer reached its limit.
    pub(crate) fn is_at_limit(&self) -> bool {
        self.reason == FinishReason::Length
    }

    /// Whether the turn is over. A paused turn continues with the client's next request.
    pub(crate) fn is_last(&self) -> bool {
        self.word != "pause_turn"
    }
}

impl FinishChanges {
    pub(crate) const fn is_empty(&self) -> bool {
        self.cut_off.is_empty() && self.completed.is_empty()
    }
}

impl Completion {
    /// Returns the finish reason to send: one that every client knows, wherever its meaning is
    /// known.
    pub(crate) fn finish_word(&self, ends: &FinishChanges) -> &str {
        let reason = self.finish.as_ref().map(|finish| finish.reason);
        match reason {
            _ if ends.cut_off.contains(&self.choice) => "length",
            Some(FinishReason::Length) if !ends.completed.contains(&self.choice) => "length",
            Some(FinishReason::ContentFilter) => "content_filter",
            // It may be the name of an error, so a whole answer keeps it.
            Some(FinishReason::Other) => self.finish.as_ref().map_or("stop", |finish| &finish.word),
            // Agent loops stop at `stop`, even if there are calls.
            _ if self.has_calls() => match self.call_form {
                CallForm::Tools => "tool_calls",
                CallForm::Function => "function_call",
            },
            Some(FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Length) | None => {
                "stop"
            }
            Some(_) => self.finish.as_ref().map_or("stop", |finish| finish.word.as_str()),
        }
    }

    /// Notes a call, or a piece of one, that is not inspected and is passed on.
    pub(crate) fn pass_call(&mut self, name: &str) {
        if !name.is_empty() || self.uninspected_calls.is_empty() {
            self.uninspected_calls.push(name.to_owned());
        }
    }

    /// Returns the calls, however they are handled, each with its index among those of its kind. What
    /// is not inspected beside functions takes a text.
    pub(crate) fn kinds(&self) -> Vec<PartKind> {
        let call = |index, name: &String| PartKind::Call { index, name: name.clone() };
        let input = |index, name: &String| PartKind::Input { index, name: name.clone() };
        let listed = self.calls.iter().enumerate().map(|(index, (name, _))| {
            if self.others.contains(&index) { input(index, name) } else { call(index, name) }
        });
        let uninspected = self.uninspected_calls.iter().enumerate();
        let sent = self.sent_calls.iter().zip(self.calls.len()..);
        listed
            .chain(uninspected.map(|(index, name)| input(index, name)))
            .chain(sent.map(|(name, index)| call(index, name)))
            .collect()
    }

    /// Whether there is a call whose tool is not known.
    pub(crate) fn has_unnamed_other(&self) -> bool {
        let mut others = self.others.iter().filter_map(|at| self.calls.get(*at));
        others.any(|(name, _)| name.is_empty())
    }

    /// Whether there are calls, however they are handled.
    pub(crate) const fn has_calls(&self) -> bool {
        !self.calls.is_empty() || !self.uninspected_calls.is_empty() || !self.sent_calls.is_empty()
    }

    /// Marks the last call as broken if its arguments arrived parsed and may be cut off.
    pub(crate) fn with_last_read(mut self) -> Self {
        if let Some((last, (_, arguments))) = self.calls.iter().enumerate().next_back()
            && hides_a_cut(self.finish.as_ref(), Trailing::Nothing, arguments)
        {
            self.broken.push(last);
        }
        self
    }

    /// Returns how many bytes of it are evaluated.
    pub(crate) fn size(&self) -> usize {
        let texts: usize = self.texts.iter().map(|text| text.words.len()).sum();
        let calls: usize = self.calls.iter().map(|(_, arguments)| arguments.len()).sum();
        calls + texts.max(self.content.len())
    }

    fn reason(&self) -> Option<FinishReason> {
        self.finish.as_ref().map(|finish| finish.reason)
    }

    /// Returns how the choice ended. Only a word known to mean completeness does.
    pub(crate) fn ending(&self) -> Ending {
        let is_complete = self.finish.as_ref().is_some_and(Finish::is_complete);
        if is_complete && !self.is_unfinished { Ending::Complete } else { Ending::CutOff }
    }

    /// Whether the limit was reached behind everything that is inspected, so that the choice stays
    /// cut off.
    pub(crate) fn is_cut_behind(&self) -> bool {
        let last = (0..self.calls.len()).rev().find(|call| !self.others.contains(call));
        let is_behind = |other: &usize| last.is_some_and(|last| *other > last);
        self.reason() == Some(FinishReason::Length)
            && (self.behind == Trailing::Something || self.others.iter().any(is_behind))
    }
}

/// Whether a last call whose arguments arrived parsed may be cut off unseen. It may at a limit,
/// after an unknown finish reason, and if it is empty without any reason.
pub(crate) fn hides_a_cut(finish: Option<&Finish>, behind: Trailing, arguments: &str) -> bool {
    let is_cut = match finish.map(|finish| finish.reason) {
        Some(FinishReason::Stop | FinishReason::ToolCalls) => false,
        Some(_) => finish.is_some_and(Finish::is_last),
        None => arguments == "{}",
    };
    is_cut && behind == Trailing::Nothing
}

/// How a choice ended, as far as the decision needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The provider reports it as complete.
    Complete,
    /// It was cut off, or not reported as complete in a known word.
    CutOff,
}

#[cfg(test)]
mod tests {
    use super::{Completion, Finish, FinishChanges, Trailing, hides_a_cut};

    /// The finish reason, whether there is a call, what is cut off and what completed, and the expected finish
    /// reason.
    type Row = (Option<&'static str>, bool, &'static [u32], &'static [u32], &'static str);

    #[test]
    fn the_finish_reason_is_one_that_clients_know() {
        let called = vec![("f".to_owned(), "{}".to_owned())];
        let rows: [Row; 13] = [
            (Some("stop"), false, &[], &[], "stop"),
            (Some("eos"), false, &[], &[], "stop"),
            (Some("stop"), true, &[], &[], "tool_calls"),
            (Some("tool_calls"), true, &[], &[], "tool_calls"),
            (Some("tool_calls"), false, &[], &[], "stop"),
            (Some("length"), true, &[], &[], "length"),
            (Some("stop"), false, &[0], &[], "length"),
            (Some("stop"), false, &[1], &[], "stop"),
            (Some("length"), false, &[], &[0], "stop"),
            (Some("length"), true, &[], &[0], "tool_calls"),
            (None, true, &[], &[], "tool_calls"),
            (Some("never heard of"), false, &[], &[], "never heard of"),
            (Some("malformed_function_call"), true, &[], &[], "malformed_function_call"),
        ];
        for (word, is_call, cut_off, completed, expected) in rows {
            let ends = FinishChanges { cut_off: cut_off.to_vec(), completed: completed.to_vec() };
            let finish = word.map(Finish::of);
            let calls = if is_call { called.clone() } else { Vec::new() };
            let written = Completion { calls, finish, ..Completion::default() };
            assert_eq!(written.finish_word(&ends), expected, "{word:?} {is_call} {ends:?}");
        }
    }

    #[test]
    fn an_answer_is_cut_off_in_or_behind_its_inspected_parts() {
        use Trailing::{Nothing, Something};
        // (finish reason, number of calls, which of them are not inspected, what follows them, expected)
        let rows: [(&str, usize, &[usize], Trailing, bool); 9] = [
            ("length", 0, &[], Nothing, false),
            ("length", 2, &[], Nothing, false),
            ("length", 2, &[0], Nothing, false),
            ("length", 2, &[1], Nothing, true),
            ("length", 3, &[0, 2], Nothing, true),
            ("length", 1, &[], Something, true),
            ("length", 0, &[], Something, true),
            ("stop", 2, &[1], Something, false),
            ("never heard of", 2, &[1], Something, false),
        ];
        for (word, calls, others, behind, expected) in rows {
            let finish = Finish::of(word);
            let written = Completion {
                calls: vec![("f".to_owned(), "{}".to_owned()); calls],
                others: others.to_vec(),
                behind,
                finish: Some(finish),
                ..Completion::default()
            };
            assert_eq!(written.is_cut_behind(), expected, "{word} {calls} {others:?} {behind:?}");
        }
    }

    #[test]
    fn parsed_arguments_hide_truncation() {
        use Trailing::{Nothing, Something};
        let rows = [
            (Some("tool_use"), Nothing, "{}", false),
            (Some("end_turn"), Nothing, "{}", false),
            (Some("max_tokens"), Nothing, "{}", true),
            (Some("max_tokens"), Nothing, r#"{"a":1}"#, true),
            (Some("max_tokens"), Something, "{}", false),
            (Some("never heard of"), Nothing, "{}", true),
            (Some("never heard of"), Nothing, r#"{"a":1}"#, true),
            (Some("never heard of"), Something, r#"{"a":1}"#, false),
            (Some("pause_turn"), Nothing, "{}", false),
            (None, Nothing, "{}", true),
            (None, Nothing, r#"{"a":1}"#, false),
        ];
        for (word, behind, arguments, expected) in rows {
            let finish = word.map(Finish::of);
            let found = hides_a_cut(finish.as_ref(), behind, arguments);
            assert_eq!(found, expected, "{word:?} {behind:?} {arguments}");
        }
    }
}
