//! Evaluation of a complete response: repair every part, then decide.

use llmend::Class;
use llmend::calls::{Accept, Options, Tools};

use crate::answer::completion::{CallForm, Completion, Ending, Finish};
use crate::answer::expectation::Expectation;
use crate::answer::part::{
    Cut, Edits, Fault, FaultKind, Location, Origin, PartKind, Repaired, ResponsePart, is_reported,
};
use crate::answer::text_parts::answering;
use crate::calls::ToolUse;
use crate::calls::parts::{LEFT, missing_part, read_parts, unexpected_part};
use crate::config::{Level, Policy};
use crate::error::Failure;
use crate::protocol::request::{Calls, OutputRequest};
use crate::repair::decide::{Decision, RetriesLeft, decide};
use crate::repair::{RepairOptions, repair, repair_arguments};

/// Repairs each part of a response, and decides what becomes of it.
pub(crate) fn evaluate(
    written: &[Completion],
    request: &OutputRequest,
    policy: &Policy,
    options: RepairOptions,
    left: RetriesLeft,
) -> (Vec<ResponsePart>, Decision) {
    let mut evaluated = Evaluated::default();
    for one in written {
        evaluated.add(one, request, options);
    }
    let Evaluated { mut parts, endings, not_there, refused } = evaluated;
    let decision = decide(&parts, &endings, policy, left);
    let mut decision = with_another_answer(decision, &not_there, written, left);
    if let Decision::Reask { cut_off, .. } = &mut decision {
        let cut = written.iter().filter(|one| one.is_cut_behind());
        cut_off.extend(cut.map(|one| one.choice));
    }
    parts.extend(refused);
    (parts, decision)
}

/// The parts of a response, as far as its choices were read.
#[derive(Debug, Default)]
struct Evaluated {
    parts: Vec<ResponsePart>,
    /// How the choice of each part ended.
    endings: Vec<Ending>,
    /// The places of the parts for which only another whole answer helps.
    not_there: Vec<usize>,
    /// The calls of choices of which one call is not allowed. Nothing depends on them.
    refused: Vec<ResponsePart>,
}

impl Evaluated {
    /// Adds the parts of a choice.
    fn add(&mut self, one: &Completion, request: &OutputRequest, options: RepairOptions) {
        // A filtered response is not the model's answer, and its finish reason says so. A pending
        // one is polled by an id that the client needs. Calls of their texts are sent all the same.
        let is_answered = one.finish.as_ref().is_none_or(Finish::is_answered);
        let before = self.parts.len();
        if let Some(part) = unexpected(one, request).filter(|_| is_answered) {
            self.not_there.push(before);
            self.parts.push(part);
            self.endings.push(one.ending());
            return self.refused.extend(all_calls(one, request, options));
        }
        if is_answered {
            self.parts.extend(all_calls(one, request, options));
        } else {
            self.parts.extend(read_parts(&one.from_text, one.choice, request));
        }
        let count = self.parts.len();
        self.not_there.extend(count - one.from_text.unread.len()..count);
        if is_answered {
            let missing = missing(one, request, self.parts.get(before..).unwrap_or_default());
            self.not_there.extend(missing.is_some().then_some(count));
            self.parts.extend(missing);
            self.parts.extend(content_part(one, request, options));
        }
        let added = self.parts.len() - before;
        self.endings.extend(std::iter::repeat_n(one.ending(), added));
    }
}

/// Returns the part of the content of a choice, if that is the answer and inspected.
fn content_part(
    one: &Completion,
    request: &OutputRequest,
    options: RepairOptions,
) -> Option<ResponsePart> {
    let wanted = request.content.as_ref()?;
    // Text beside a call is not the answer, and neither is a refusal.
    let is_last = one.finish.as_ref().is_none_or(Finish::is_last);
    if !is_last || one.has_calls() || !one.refusal.is_empty() {
        return None;
    }
    let kind = PartKind::Content;
    let path = request.protocol.adapter().path(one.choice, &kind);
    let place = Location { choice: one.choice, kind, path };
    let (text, outcome) = evaluate_content(one, wanted, options);
    let has_tools = request.calls.is_some() && request.tool_use != ToolUse::NotOffered;
    let in_call = || arguments_in_call(&text, wanted, options).filter(|_| !has_tools);
    let outcome = outcome.or_else(|fault| in_call().ok_or(fault));
    Some(ResponsePart { place, origin: Origin::Protocol, text, outcome })
}

/// Returns the parts of the calls of a choice: of the server's, and of those in its texts.
fn all_calls(
    written: &Completion,
    request: &OutputRequest,
    options: RepairOptions,
) -> Vec<ResponsePart> {
    let calls = request.calls.as_ref();
    let of_server = calls.map(|calls| call_parts(written, calls, request, options));
    let mut parts = of_server.unwrap_or_default();
    parts.extend(read_parts(&written.from_text, written.choice, request));
    parts
}

/// Decides where only another whole answer can help: a retry of a part replaces the arguments of a
/// call, and cannot add a call or name another tool.
fn with_another_answer(
    decision: Decision,
    not_there: &[usize],
    written: &[Completion],
    left: RetriesLeft,
) -> Decision {
    match decision {
        Decision::Reask { parts, refusal, .. } if parts.iter().any(|at| not_there.contains(at)) => {
            if left.answers > 0 {
                Decision::Again { refusal }
            } else {
                Decision::Refuse(refusal)
            }
        }
        Decision::Reask { refusal, .. } if left.parts == 0 => Decision::Refuse(refusal),
        Decision::Answer { .. } if left.answers > 0 => {
            let unknown = written.iter().flat_map(|one| one.from_text.unknown_tools()).next();
            unknown.map_or(decision, |row| {
                let message = format!("the model's call cannot be answered: {}", row.message);
                Decision::Again { refusal: Failure::repair(row.code.to_string(), message) }
            })
        }
        decision => decision,
    }
}

fn call_parts(
    written: &Completion,
    calls: &Calls,
    request: &OutputRequest,
    options: RepairOptions,
) -> Vec<ResponsePart> {
    let numbered = written.calls.iter().enumerate();
    let read = written.from_text.listed(request.protocol.profile().numbering);
    let numbered =
        numbered.filter(|(index, _)| !written.others.contains(index) && !read.contains(index));
    let part = |(index, (name, arguments)): (usize, &(String, String))| {
        let (choice, kind) = (written.choice, PartKind::Call { index, name: name.clone() });
        let path = match written.call_form {
            CallForm::Tools => request.protocol.adapter().path(choice, &kind),
            CallForm::Function => format!("choices[{choice}].message.function_call.arguments"),
        };
        let mut outcome = repair_arguments(arguments, calls.of(name), options);
        // The arguments had not begun, which is different from having none.
        let is_unbegun = arguments.trim().is_empty() && written.ending() == Ending::CutOff;
        let is_broken = written.broken.contains(&index);
        match &mut outcome {
            Ok(repaired) if is_unbegun || is_broken => repaired.cut = Cut::Inside,
            Err(fault) if is_broken => fault.kind = FaultKind::Truncated,
            _ => {}
        }
        let (place, origin) = (Location { choice, kind, path }, Origin::Protocol);
        ResponsePart { place, origin, text: arguments.clone(), outcome }
    };
    numbered.map(part).collect()
}

/// Returns the part of a call of a choice that the request does not allow.
fn unexpected(written: &Completion, request: &OutputRequest) -> Option<ResponsePart> {
    let is_last = written.finish.as_ref().is_none_or(Finish::is_last);
    if !is_last || !written.refusal.is_empty() {
        return None;
    }
    unexpected_part(&written.kinds(), written.choice, request)
}

/// Returns the part of a call that the request demands and a choice lacks.
fn missing(
    written: &Completion,
    request: &OutputRequest,
    parts: &[ResponsePart],
) -> Option<ResponsePart> {
    let is_last = written.finish.as_ref().is_none_or(Finish::is_last);
    // A call that cannot be used is an error of its own.
    let is_judged = parts.iter().any(|part| part.outcome.is_err());
    if !is_last || is_judged || !written.refusal.is_empty() || written.has_unnamed_other() {
        return None;
    }
    missing_part(&written.kinds(), &written.from_text, written.choice, request)
}

/// Returns the error for a response that has to be repaired and contains half of a surrogate pair.
/// The other half may stand elsewhere, so it can be passed on but not rewritten.
pub(crate) fn lone_surrogate() -> Failure {
    let message = "the response needs repair and contains a lone surrogate";
    Failure::upstream("input/surrogate", message)
}

/// Returns the value of `x-llmend-repair`: what was done, in one line.
pub(crate) fn summary(parts: &[ResponsePart], request: &OutputRequest) -> String {
    let mut rows: Vec<(&'static str, usize)> = Vec::new();
    let mut class: Option<Class> = None;
    for repaired in parts.iter().filter_map(|part| part.outcome.as_ref().ok()) {
        class = class.max(repaired.class);
        for (name, _) in &repaired.done {
            match rows.iter_mut().find(|(known, _)| known == name) {
                Some((_, count)) => *count += 1,
                None => rows.push((name, 1)),
            }
        }
    }
    let mut line = if is_reported(parts) { "repaired" } else { "unchanged" }.to_owned();
    if let Some(class) = class {
        line = format!("{line}; class={}", class.as_str());
    }
    if !rows.is_empty() {
        let rows: Vec<String> =
            rows.iter().take(MOST_NAMES).map(|(name, n)| format!("{name}:{n}")).collect();
        line = format!("{line}; done={}", rows.join(","));
    }
    if request.history > 0 {
        line = format!("{line}; history={}", request.history);
    }
    let rows = parts.iter().filter_map(|part| part.outcome.as_ref().ok());
    let mut codes = rows.flat_map(|repaired| &repaired.edits.diagnostics).map(|row| &*row.code);
    if let Some(code) = codes.find(|code| LEFT.contains(code)) {
        line = format!("{line}; left={code}");
    }
    if let Some(notation) = request.emulated {
        line = format!("{line}; emulated={}", notation.name);
    }
    line
}

/// Most names in one header.
const MOST_NAMES: usize = 12;

/// Returns the report that becomes a field of the response.
pub(crate) fn report(parts: &[ResponsePart], attempts: u32) -> serde_json::Value {
    let rows: Vec<serde_json::Value> = parts
        .iter()
        .map(|part| {
            let done =
                part.outcome.as_ref().map(|repaired| repaired.done.as_slice()).unwrap_or_default();
            let done: Vec<_> = done
                .iter()
                .map(|(name, class)| serde_json::json!({"name": name, "class": class.as_str()}))
                .collect();
            let class = part.outcome.as_ref().ok().and_then(|repaired| repaired.class);
            serde_json::json!({
                "path": part.place.path,
                "class": class.map(Class::as_str),
                "done": done,
            })
        })
        .collect();
    serde_json::json!({"attempts": attempts, "parts": rows})
}

/// Repairs the content: the last text that needs no change, unless JSON follows it, which then is
/// the answer; otherwise all texts as one.
fn evaluate_content(
    written: &Completion,
    wanted: &Expectation,
    options: RepairOptions,
) -> (String, Result<Repaired, Fault>) {
    let texts: Vec<&str> = answering(&written.texts).map(|(_, words)| words).collect();
    for (number, words) in texts.iter().enumerate().rev().filter(|_| texts.len() > 1) {
        let Some(repaired) =
            repair(words, wanted, options).ok().filter(|repaired| repaired.json.is_none())
        else {
            continue;
        };
        let behind = texts[number + 1..].concat();
        let outcome = repair(&behind, wanted, options);
        let holds_none = |outcome: &Result<_, Fault>| matches!(outcome, Err(fault) if fault.kind == FaultKind::NoJson);
        if holds_none(&outcome) {
            return ((*words).to_owned(), Ok(repaired));
        }
        return (behind, outcome);
    }
    (written.content.clone(), repair(&written.content, wanted, options))
}

/// Returns the arguments of the marked call that a text is, if they are what was asked for: the model
/// took the schema for a tool.
fn arguments_in_call(
    text: &str,
    wanted: &Expectation,
    repair_options: RepairOptions,
) -> Option<Repaired> {
    if repair_options.level == Level::Strict {
        return None;
    }
    let marked = Options { accept: Accept::Marked, ..Options::default() };
    let read = llmend::calls::read(text, &Tools::default(), &marked);
    let [call] = &read.calls[..] else { return None };
    if !read.refused.is_empty() || read.cut.is_some() {
        return None;
    }
    let arguments = call.arguments.to_string();
    let mut repaired = repair(&arguments, wanted, repair_options).ok()?;
    repaired.json.get_or_insert(arguments);
    // Its spans count bytes of the arguments alone.
    repaired.edits = Edits::default();
    repaired.class = repaired.class.max(call.class).max(Some(Class::Notation));
    repaired.done.insert(0, ("arguments-of-call", Class::Notation));
    Some(repaired)
}

#[cfg(test)]
mod tests {
    use super::{arguments_in_call, evaluate_content};
    use crate::answer::completion::Completion;
    use crate::answer::expectation::{Expectation, Schemas};
    use crate::answer::part::{Location, Origin, PartKind, ResponsePart};
    use crate::answer::text_parts::{Rank, TextPart, joined, replaced};
    use crate::config::{Level, Limits};
    use crate::repair::RepairOptions;

    /// Texts, and what is said of them.
    type Given<'a> = &'a [(&'a str, Rank)];

    fn texts(rows: Given<'_>) -> Vec<TextPart> {
        rows.iter()
            .map(|(words, rank)| TextPart { words: (*words).to_owned(), rank: *rank })
            .collect()
    }

    /// What becomes of the texts: `None` if no answer is found in them.
    fn done(texts: Vec<TextPart>) -> Option<Vec<String>> {
        let schema = r#"{"type": "object", "required": ["city"]}"#;
        let wanted = Expectation::Schema(Schemas::default().get(schema).unwrap());
        let options = RepairOptions { level: Level::Standard, limits: Limits::default() };
        let written = Completion { content: joined(&texts), texts, ..Completion::default() };
        let (text, outcome) = evaluate_content(&written, &wanted, options);
        outcome.as_ref().ok()?;
        let place = Location { choice: 0, kind: PartKind::Content, path: String::new() };
        let replaced = replaced(
            &written.texts,
            &[ResponsePart { place, origin: Origin::Protocol, text, outcome }],
        );
        let both = written.texts.into_iter().zip(replaced);
        Some(both.map(|(text, instead)| instead.unwrap_or(text.words)).collect())
    }

    #[test]
    fn arguments_of_a_call_are_the_answer_if_they_fit() {
        let schema = r#"{"type": "object", "required": ["city"], "additionalProperties": false,
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}"#;
        let wanted = Expectation::Schema(Schemas::default().get(schema).unwrap());
        let call = |arguments: &str| {
            format!("<tool_call>{{\"name\": \"answer\", \"arguments\": {arguments}}}</tool_call>")
        };
        let two = call("{\"city\": \"Oslo\"}").repeat(2);
        for (text, expected) in [
            (call("{\"city\": \"Oslo\", \"days\": \"2\"}"), Some(r#"{"city":"Oslo","days":2}"#)),
            (call("{\"town\": 7}"), None),
            (two, None),
            ("{\"city\": \"Oslo\"}".to_owned(), None),
        ] {
            let options = RepairOptions { level: Level::Standard, limits: Limits::default() };
            let found = arguments_in_call(&text, &wanted, options).and_then(|it| it.json);
            assert_eq!(found.as_deref(), expected, "{text}");
            let strict = RepairOptions { level: Level::Strict, ..options };
            assert!(arguments_in_call(&text, &wanted, strict).is_none());
        }
    }

    #[test]
    fn the_answer_is_repaired_in_its_place() {
        use Rank::{Answer, Commentary, Unknown};
        let (sound, broken) = ("{\"city\": \"Oslo\"}", "{'city': 'Oslo'}");
        let rows: [(Given, &[&str]); 14] = [
            (&[(sound, Unknown)], &[sound]),
            (&[(broken, Unknown)], &[sound]),
            // A valid text is the answer, wherever it is.
            (&[("Looking.", Unknown), (sound, Unknown)], &["Looking.", sound]),
            (&[(sound, Unknown), ("There it is.", Unknown)], &[sound, "There it is."]),
            (&[("Looking.", Unknown), (broken, Unknown)], &["Looking.", sound]),
            (&[(broken, Unknown), ("There it is.", Unknown)], &[sound, "There it is."]),
            // One answer, in which something came between.
            (&[("{'city': ", Unknown), ("'Oslo'}", Unknown)], &["", sound]),
            (&[("{\"city\": ", Unknown), ("\"Oslo\"}", Unknown)], &["{\"city\": ", "\"Oslo\"}"]),
            (
                &[("So: {'city': ", Unknown), ("'Oslo'}", Unknown), ("!", Unknown)],
                &["", sound, "!"],
            ),
            // A text after a draft is the answer, if it contains JSON.
            (
                &[("{\"city\": \"Rome\"}", Unknown), (broken, Unknown)],
                &["{\"city\": \"Rome\"}", sound],
            ),
            (
                &[(sound, Unknown), ("Or: {'city': ", Unknown), ("'Rome'}", Unknown)],
                &[sound, "", "{\"city\": \"Rome\"}"],
            ),
            (
                &[(sound, Unknown), ("{\"city\": \"Rome\"}", Unknown)],
                &[sound, "{\"city\": \"Rome\"}"],
            ),
            // What is said of them goes first.
            (&[(sound, Commentary), (broken, Answer)], &[sound, sound]),
            (&[(sound, Commentary), (broken, Unknown)], &[sound, sound]),
        ];
        for (given, expected) in rows {
            let expected: Vec<String> = expected.iter().map(|&text| text.to_owned()).collect();
            assert_eq!(done(texts(given)), Some(expected), "{given:?}");
        }
        assert_eq!(done(texts(&[(sound, Commentary), ("Sorry.", Answer)])), None);
        assert_eq!(done(texts(&[(sound, Unknown), ("{'town': 'Rome'}", Unknown)])), None);
    }

    #[test]
    fn a_rewritten_answer_replaces_the_last_text_that_is_not_blank() {
        let repaired = crate::answer::part::Repaired {
            json: Some("{}".to_owned()),
            class: None,
            cut: crate::answer::part::Cut::Whole,
            done: Vec::new(),
            edits: crate::answer::part::Edits::default(),
        };
        let place = Location { choice: 0, kind: PartKind::Content, path: String::new() };
        let origin = Origin::Protocol;
        let parts = [ResponsePart { place, origin, text: String::new(), outcome: Ok(repaired) }];
        let rows: [(&[&str], &[&str]); 4] = [
            (&["a", "b"], &["", "{}"]),
            (&["a", " "], &["{}", ""]),
            (&["", ""], &["", "{}"]),
            (&[], &[]),
        ];
        for (given, expected) in rows {
            let given: Vec<_> = given.iter().map(|&words| (words, Rank::Unknown)).collect();
            let found = replaced(&texts(&given), &parts);
            let found: Vec<_> = found.into_iter().map(Option::unwrap_or_default).collect();
            assert_eq!(found, expected, "{given:?}");
        }
    }
}
