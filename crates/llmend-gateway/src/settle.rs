//! What was made of the parts of an answer, and what becomes of it?

use llmend::Class;
use llmend_models::sse::FinishReason;

use crate::config::Policy;
use crate::decide::{Decision, Ending, Left, Part, Place, PlaceKind, decide};
use crate::mend::{Reach, mend, mend_arguments};
use crate::request::{Asked, Calls};

/// One choice of an answer, as the model wrote it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Written {
    pub(crate) choice: u32,
    pub(crate) content: String,
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
    /// What the model thought, where it is not passed on already.
    pub(crate) reasoning: String,
    pub(crate) finish: Option<Finish>,
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
    /// Whether the answer is one, and not a state on the way to it, or what is left where it was stopped.
    fn is_answered(&self) -> bool {
        let on_the_way = ["queued", "in_progress", "cancelled", "failed"];
        self.reason != FinishReason::ContentFilter && !on_the_way.contains(&self.word.as_str())
    }

    /// Whether the words are the last ones: a turn that pauses goes on with the client's next request.
    fn is_last(&self) -> bool {
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

    fn reason(&self) -> Option<FinishReason> {
        self.finish.as_ref().map(|finish| finish.reason)
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
        if one.finish.as_ref().is_some_and(|finish| !finish.is_answered()) {
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
            let outcome = mend(&one.content, wanted, reach);
            parts.push(Part { place, text: one.content.clone(), outcome });
        }
        let ending = match one.reason() {
            Some(FinishReason::Length) => Ending::CutOff,
            _ => Ending::Complete,
        };
        endings.extend(std::iter::repeat_n(ending, parts.len() - before));
    }
    let decision = decide(&parts, &endings, policy, left);
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
        Part {
            place: Place { choice, kind, path },
            text: arguments.clone(),
            outcome: mend_arguments(arguments, calls.of(name), reach),
        }
    };
    numbered.map(part).collect()
}

/// Whether any of them was changed.
pub(crate) fn is_changed(parts: &[Part]) -> bool {
    parts.iter().any(|part| part.outcome.as_ref().is_ok_and(|mended| mended.json.is_some()))
}

/// Where a stream stands that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The answer is still arriving.
    Open,
    /// It is complete, and has to be settled.
    Complete,
    /// It was given, and what follows passes.
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
    use llmend_models::sse::FinishReason;

    use super::{Ends, Finish, Written};

    /// The word that was told, whether there is a call, what is cut off and what completed, and the word
    /// that is told.
    type Row = (Option<&'static str>, bool, &'static [u32], &'static [u32], &'static str);

    #[test]
    fn the_reason_to_stop_is_one_that_clients_know() {
        let called = vec![("f".to_owned(), "{}".to_owned())];
        let rows: [Row; 12] = [
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
        ];
        for (word, is_call, cut_off, completed, expected) in rows {
            let ends = Ends { cut_off: cut_off.to_vec(), completed: completed.to_vec() };
            let finish = word.map(|word| Finish {
                reason: FinishReason::from_word(word),
                word: word.to_owned(),
            });
            let calls = if is_call { called.clone() } else { Vec::new() };
            let written = Written { calls, finish, ..Written::default() };
            assert_eq!(written.finish_word(&ends), expected, "{word:?} {is_call} {ends:?}");
        }
    }
}
