//! What was made of the parts of an answer, and what becomes of it?

use llmend::Class;
use llmend_models::sse::FinishReason;

use crate::answer::slot::hides_a_cut;
use crate::answer::text_parts::{Text, judge};
use crate::config::Policy;
use crate::error::Failure;
use crate::protocol::Protocol;
use crate::protocol::request::{Asked, Calls};
use crate::repair::decide::{Decision, Ending, Left, Part, Place, PlaceKind, decide};
use crate::repair::{Cut, FaultKind, Reach, mend_arguments};

/// One choice of an answer, as the model wrote it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Written {
    pub(crate) choice: u32,
    pub(crate) content: String,
    /// The texts that the content is, where there may be several.
    pub(crate) texts: Vec<Text>,
    pub(crate) refusal: String,
    /// Name and arguments of each call, in order.
    pub(crate) calls: Vec<(String, String)>,
    /// Which of the calls are of no function, such as those of custom tools: nobody looks at them, and their
    /// name and arguments are empty.
    pub(crate) others: Vec<usize>,
    /// How they are told.
    pub(crate) call_form: CallForm,
    /// How many calls were passed on already, since nobody looks at them.
    pub(crate) calls_told: usize,
    /// Which of the calls break off although nothing of that can be seen in their arguments.
    pub(crate) broken: Vec<usize>,
    /// Whether it is said of one of its texts that it is not complete.
    pub(crate) is_unfinished: bool,
    pub(crate) behind: Behind,
    pub(crate) finish: Option<Finish>,
}

/// What stands behind the last of all that is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Behind {
    #[default]
    Nothing,
    /// Something of which nobody knows whether it is whole.
    Something,
}

impl Behind {
    /// What stands behind the part at `judged` in an answer whose last part is at `last`.
    pub(crate) fn of<At: Ord + Copy>(last: Option<At>, judged: Option<At>) -> Self {
        if last > judged { Self::Something } else { Self::Nothing }
    }
}

/// How calls are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CallForm {
    /// As a list of calls of tools.
    #[default]
    Tools,
    /// As the one call of a function that there could be before.
    Function,
}

/// Why a choice goes no further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finish {
    pub(crate) reason: FinishReason,
    /// In the upstream's own word.
    pub(crate) word: String,
}

/// What of an answer ends otherwise than the provider said, by choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ends {
    /// What breaks off, and so may not be said to be complete.
    pub(crate) cut_off: Vec<u32>,
    /// What was cut off, and is complete since it was asked for again.
    pub(crate) completed: Vec<u32>,
}

impl Finish {
    /// What a word says.
    pub(crate) fn of(word: &str) -> Self {
        Self { reason: FinishReason::from_word(word), word: word.to_owned() }
    }

    /// Whether the answer is one, and not a state on the way to it, or what is left where it was stopped.
    fn is_answered(&self, protocol: Protocol) -> bool {
        let on_the_way = ["queued", "in_progress", "cancelled", "failed"];
        let is_on_the_way =
            protocol == Protocol::Responses && on_the_way.contains(&self.word.as_str());
        self.reason != FinishReason::ContentFilter && !is_on_the_way
    }

    /// Whether its word is known to say that the answer is complete.
    pub(crate) const fn is_complete(&self) -> bool {
        matches!(self.reason, FinishReason::Stop | FinishReason::ToolCalls)
    }

    /// Whether the words are the last ones: a turn that pauses goes on with the client's next request.
    pub(crate) fn is_last(&self) -> bool {
        self.word != "pause_turn"
    }
}

impl Ends {
    pub(crate) const fn is_as_told(&self) -> bool {
        self.cut_off.is_empty() && self.completed.is_empty()
    }
}

impl Written {
    /// The word for why it ends: one that every client knows, wherever its meaning is known.
    pub(crate) fn finish_word(&self, ends: &Ends) -> &str {
        let reason = self.finish.as_ref().map(|finish| finish.reason);
        match reason {
            _ if ends.cut_off.contains(&self.choice) => "length",
            Some(FinishReason::Length) if !ends.completed.contains(&self.choice) => "length",
            Some(FinishReason::ContentFilter) => "content_filter",
            // An error by name, perhaps: nobody knows, and so what is whole is told with that.
            Some(FinishReason::Other) => self.finish.as_ref().map_or("stop", |finish| &finish.word),
            // Agent loops end at `stop`, calls or not.
            _ if !self.calls.is_empty() || self.calls_told > 0 => match self.call_form {
                CallForm::Tools => "tool_calls",
                CallForm::Function => "function_call",
            },
            Some(FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Length) | None => {
                "stop"
            }
            Some(_) => self.finish.as_ref().map_or("stop", |finish| finish.word.as_str()),
        }
    }

    /// With what can be known of its last call, whose arguments were read already where they are told.
    pub(crate) fn with_last_read(mut self) -> Self {
        if let Some((last, (_, arguments))) = self.calls.iter().enumerate().next_back()
            && hides_a_cut(self.finish.as_ref(), Behind::Nothing, arguments)
        {
            self.broken.push(last);
        }
        self
    }

    fn reason(&self) -> Option<FinishReason> {
        self.finish.as_ref().map(|finish| finish.reason)
    }

    /// How it came to its end. Only a word that is known to say that it is complete says so.
    fn ending(&self) -> Ending {
        let is_complete = self.finish.as_ref().is_some_and(Finish::is_complete);
        if is_complete && !self.is_unfinished { Ending::Complete } else { Ending::CutOff }
    }

    /// Whether the limit was met behind all that is looked at, so that it stays cut off whatever becomes of that.
    fn is_cut_behind(&self) -> bool {
        let last = (0..self.calls.len()).rev().find(|call| !self.others.contains(call));
        let is_behind = |other: &usize| last.is_some_and(|last| *other > last);
        self.reason() == Some(FinishReason::Length)
            && (self.behind == Behind::Something || self.others.iter().any(is_behind))
    }
}

/// Makes of each part what was asked for, and decides.
pub(crate) fn settle(
    written: &[Written],
    asked: &Asked,
    policy: &Policy,
    reach: Reach,
    left: Left,
) -> (Vec<Part>, Decision) {
    let mut parts = Vec::new();
    let mut endings = Vec::new();
    for one in written {
        // What a filter broke off is not the model's answer, and its reason says so; and what is not there
        // yet is asked for later, by an id that the client has to get.
        if one.finish.as_ref().is_some_and(|finish| !finish.is_answered(asked.protocol)) {
            continue;
        }
        let before = parts.len();
        if let Some(calls) = &asked.calls {
            parts.extend(call_parts(one, calls, asked, reach));
        }
        // Words beside a call are no answer, and neither is a refusal.
        let is_last = one.finish.as_ref().is_none_or(Finish::is_last);
        let is_answer =
            is_last && one.calls.is_empty() && one.calls_told == 0 && one.refusal.is_empty();
        if let (true, Some(wanted)) = (is_answer, &asked.content) {
            let kind = PlaceKind::Content;
            let path = asked.protocol.path(one.choice, &kind);
            let place = Place { choice: one.choice, kind, path };
            let (text, outcome) = judge(one, wanted, reach);
            parts.push(Part { place, text, outcome });
        }
        endings.extend(std::iter::repeat_n(one.ending(), parts.len() - before));
    }
    let mut decision = decide(&parts, &endings, policy, left);
    if let Decision::Reask { cut_off, .. } = &mut decision {
        let cut = written.iter().filter(|one| one.is_cut_behind());
        cut_off.extend(cut.map(|one| one.choice));
    }
    (parts, decision)
}

fn call_parts(written: &Written, calls: &Calls, asked: &Asked, reach: Reach) -> Vec<Part> {
    let numbered = written.calls.iter().enumerate();
    let numbered = numbered.filter(|(index, _)| !written.others.contains(index));
    let part = |(index, (name, arguments)): (usize, &(String, String))| {
        let (choice, kind) = (written.choice, PlaceKind::Call { index, name: name.clone() });
        let path = match written.call_form {
            CallForm::Tools => asked.protocol.path(choice, &kind),
            CallForm::Function => format!("choices[{choice}].message.function_call.arguments"),
        };
        let mut outcome = mend_arguments(arguments, calls.of(name), reach);
        // What it was to pass had not begun: that is not to pass nothing.
        let is_unbegun = arguments.trim().is_empty() && written.ending() == Ending::CutOff;
        let is_broken = written.broken.contains(&index);
        match &mut outcome {
            Ok(mended) if is_unbegun || is_broken => mended.cut = Cut::Inside,
            Err(fault) if is_broken => fault.kind = FaultKind::Truncated,
            _ => {}
        }
        Part { place: Place { choice, kind, path }, text: arguments.clone(), outcome }
    };
    numbered.map(part).collect()
}

/// Whether any of them was changed.
pub(crate) fn is_changed(parts: &[Part]) -> bool {
    parts.iter().any(|part| part.outcome.as_ref().is_ok_and(|mended| mended.json.is_some()))
}

/// What is half of a pair of surrogates here is one character with what stands elsewhere, or nothing that can be
/// written: it passes where it stands, and is not written anew.
pub(crate) fn half_of_a_pair() -> Failure {
    let message = "the answer has to be repaired, and holds half of a surrogate pair";
    Failure::upstream("input/surrogate", message)
}

/// Where a stream stands that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The answer is still arriving.
    Open,
    /// It is complete, and has to be settled.
    Complete,
    /// It was given. What follows passes, but for what would add to it.
    Given,
    /// Nothing more is said.
    Ended,
}

/// What was done to an answer, in one line: the value of `x-llmend-repair`.
pub(crate) fn told(parts: &[Part], history: usize) -> String {
    let mut rows: Vec<(&'static str, usize)> = Vec::new();
    let mut class: Option<Class> = None;
    for mended in parts.iter().filter_map(|part| part.outcome.as_ref().ok()) {
        class = class.max(mended.class);
        for (name, _) in &mended.done {
            match rows.iter_mut().find(|(known, _)| known == name) {
                Some((_, count)) => *count += 1,
                None => rows.push((name, 1)),
            }
        }
    }
    let mut line = if is_changed(parts) { "repaired" } else { "unchanged" }.to_owned();
    if let Some(class) = class {
        line = format!("{line}; class={}", class.as_str());
    }
    if !rows.is_empty() {
        let rows: Vec<String> =
            rows.iter().take(MOST_TOLD).map(|(name, n)| format!("{name}:{n}")).collect();
        line = format!("{line}; done={}", rows.join(","));
    }
    if history > 0 {
        line = format!("{line}; history={history}");
    }
    line
}

/// Most rules that one header names.
const MOST_TOLD: usize = 12;

/// What was done to an answer, as a field of it.
pub(crate) fn report(parts: &[Part], attempts: u32) -> serde_json::Value {
    let rows: Vec<serde_json::Value> = parts
        .iter()
        .map(|part| {
            let done =
                part.outcome.as_ref().map(|mended| mended.done.as_slice()).unwrap_or_default();
            let done: Vec<_> = done
                .iter()
                .map(|(name, class)| serde_json::json!({"name": name, "class": class.as_str()}))
                .collect();
            let class = part.outcome.as_ref().ok().and_then(|mended| mended.class);
            serde_json::json!({
                "path": part.place.path,
                "class": class.map(Class::as_str),
                "done": done,
            })
        })
        .collect();
    serde_json::json!({"attempts": attempts, "parts": rows})
}

#[cfg(test)]
mod tests {
    use super::{Behind, Ends, Finish, Written};

    /// The word that was told, whether there is a call, what is cut off and what completed, and the word
    /// that is told.
    type Row = (Option<&'static str>, bool, &'static [u32], &'static [u32], &'static str);

    #[test]
    fn the_reason_to_stop_is_one_that_clients_know() {
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
            let ends = Ends { cut_off: cut_off.to_vec(), completed: completed.to_vec() };
            let finish = word.map(Finish::of);
            let calls = if is_call { called.clone() } else { Vec::new() };
            let written = Written { calls, finish, ..Written::default() };
            assert_eq!(written.finish_word(&ends), expected, "{word:?} {is_call} {ends:?}");
        }
    }

    #[test]
    fn an_answer_is_cut_off_behind_what_is_looked_at_or_in_it() {
        use Behind::{Nothing, Something};
        // (the word that was told, how many calls, which of them nobody looks at, what stands behind, expected)
        let rows: [(&str, usize, &[usize], Behind, bool); 9] = [
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
            let written = Written {
                calls: vec![("f".to_owned(), "{}".to_owned()); calls],
                others: others.to_vec(),
                behind,
                finish: Some(finish),
                ..Written::default()
            };
            assert_eq!(written.is_cut_behind(), expected, "{word} {calls} {others:?} {behind:?}");
        }
    }
}
