//! Progress and failures of model calls.

use std::{
    io::{self, IsTerminal},
    sync::{Arc, Mutex, PoisonError},
};

use llmend::{
    asking::{
        AttemptRequest, Callbacks, FailureKind, GiveUpReason, LoopError, RetryNotice, Sample,
        Strategy,
    },
    json::{Choice, Diagnostic, Options, Severity, StreamOf, preview},
    model::{ChatErrorKind, ChatEvent, masked},
};
use serde_json::Value;

use crate::{exit::Exit, outcome::Failure, output::eprint};

/// Findings of an attempt that are shown.
const SHOWN_FINDINGS: usize = 5;
/// Characters of a message that are shown.
const SHOWN_CHARS: usize = 160;

/// Runs a future to completion.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime {
        Ok(runtime) => Ok(runtime.block_on(future)),
        Err(error) => {
            let message = format!("cannot start the asynchronous runtime: {error}");
            Err(Failure::plain(Exit::Io, "model/runtime", message))
        }
    }
}

/// Whether the attempts are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempts {
    /// On standard error, as they happen.
    Shown,
    /// Not at all.
    Quiet,
}

/// Returns callbacks that print each attempt and what was wrong with its answer.
pub(crate) fn attempts<'a>(shown: Attempts) -> Callbacks<'a> {
    if shown == Attempts::Quiet {
        return Callbacks::new();
    }
    let mut before = 0;
    Callbacks::new()
        .on_sample(|Sample { number, of }| eprint(&format!("llmend: sample {number} of {of}")))
        .on_attempt(move |asking| {
            eprint(&started(asking, before));
            before = asking.number;
        })
        .on_repair(|again| eprint(&failed(again)))
}

/// Returns the callbacks of [`attempts`] that on a terminal also print the steps of a plan as they arrive.
pub(crate) fn plan_attempts<'a>(shown: Attempts) -> Callbacks<'a> {
    if shown == Attempts::Quiet || !io::stderr().is_terminal() {
        return attempts(shown);
    }
    // Both callbacks share the steps: each attempt starts over.
    let steps = Arc::new(Mutex::new(Steps::default()));
    let shared = Arc::clone(&steps);
    let mut before = 0;
    attempts(shown)
        .on_attempt(move |asking| {
            eprint(&started(asking, before));
            before = asking.number;
            steps.lock().unwrap_or_else(PoisonError::into_inner).begin(asking.strategy);
        })
        .on_event(move |event| {
            let mut steps = shared.lock().unwrap_or_else(PoisonError::into_inner);
            steps.push(&event).iter().for_each(|line| eprint(line));
        })
}

/// Says what is asked. The attempt before had the number `before`, which it shares with the next one if no
/// answer arrived.
fn started(asking: &AttemptRequest, before: u32) -> String {
    let AttemptRequest { name, number, of, strategy, is_last, .. } = asking;
    let last = if *is_last && *of > 1 { ", last attempt" } else { "" };
    match strategy {
        Some(Strategy::Escalate) if *number == before => {
            format!("llmend: asking {name} instead")
        }
        Some(Strategy::Escalate) => {
            format!("llmend: escalating to {name}, attempt {number} of {of}{last}")
        }
        Some(strategy) => {
            format!("llmend: asking {name}, attempt {number} of {of}{last}, strategy: {strategy}")
        }
        None => format!("llmend: asking {name}, attempt {number} of {of}{last}"),
    }
}

fn failed(again: &RetryNotice) -> String {
    let errors = again.findings.iter().filter(|row| row.severity == Severity::Error);
    let rows: Vec<String> = errors.map(line).collect();
    let what = match again.failure {
        FailureKind::Transport => "no answer arrived".to_owned(),
        kind => format!("answer rejected ({})", kind.as_str()),
    };
    let mut lines = vec![format!("llmend: {what}")];
    lines.extend(rows.iter().take(SHOWN_FINDINGS).cloned());
    if rows.len() > SHOWN_FINDINGS {
        lines.push(format!("  and {} more", rows.len() - SHOWN_FINDINGS));
    }
    lines.join("\n")
}

fn line(row: &Diagnostic) -> String {
    let path = row.path.as_deref().filter(|path| !path.is_empty());
    let place = path.map_or_else(String::new, |path| format!(" at {}", plain(path)));
    format!("  {}{place}: {}", row.code, plain(&row.message))
}

/// Returns untrusted text on one line, without terminal control characters and keys.
pub(crate) fn plain(text: &str) -> String {
    preview(&masked(text), SHOWN_CHARS)
        .chars()
        .map(|c| if is_control(c) { ' ' } else { c })
        .collect()
}

/// Returns untrusted text without terminal control characters and keys, keeping its lines.
pub(crate) fn plain_lines(text: &str) -> String {
    let shown = |c: char| if is_control(c) && !matches!(c, '\n' | '\t') { ' ' } else { c };
    masked(text).replace("\r\n", "\n").chars().map(shown).collect()
}

/// Whether a character controls the terminal: control characters, line and paragraph separators, and
/// bidirectional formatting.
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The steps of a plan or the nodes of a workflow, as they arrive.
#[derive(Default)]
struct Steps {
    /// `None` before the first answer, and for an answer that is no whole plan.
    lists: Option<[StreamOf<Value>; 2]>,
}

impl Steps {
    /// Starts over for an answer to a retry with this strategy.
    fn begin(&mut self, strategy: Option<Strategy>) {
        let is_whole = matches!(
            strategy,
            None | Some(Strategy::Full | Strategy::Emphatic | Strategy::Escalate)
        );
        // With `First`, an item comes as soon as it is complete, not once the value is chosen.
        let options = Options { choice: Choice::First, ..Options::default() };
        let new = |list| StreamOf::new(options.clone(), list);
        self.lists = is_whole.then(|| ["/steps", "/nodes"].map(new));
    }

    /// Returns the lines of the steps that an event completes.
    fn push(&mut self, event: &ChatEvent) -> Vec<String> {
        let (ChatEvent::Text { text } | ChatEvent::ToolCall { arguments: text, .. }) = event else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        for list in self.lists.iter_mut().flatten() {
            list.push(text.as_bytes());
            while let Some(item) = list.next_item() {
                lines.extend(item.iter().map(shown));
            }
        }
        lines
    }
}

/// Returns a step on one line: its name and what it does.
fn shown(step: &Value) -> String {
    let text = |names: &[&str]| names.iter().find_map(|name| step.get(*name)?.as_str());
    let id = text(&["id", "step_id", "node_id"]).unwrap_or("·");
    let about = text(&["title", "description", "instruction", "name", "tool", "tool_name", "type"]);
    format!("  {}  {}", plain(id), plain(about.unwrap_or_default()))
}

/// Converts the end of a request without a usable answer. `key_help` says what to do about a refused key.
pub(crate) fn gave_up(gave_up: &LoopError, key_help: &str) -> Failure {
    let exit = match &gave_up.why {
        GiveUpReason::Transport(error) if error.kind != ChatErrorKind::ContentRefused => Exit::Io,
        GiveUpReason::NoPrice { .. } => Exit::Usage,
        _ => Exit::Refused,
    };
    let mut reason = Diagnostic::new(gave_up.code(), Severity::Error, gave_up.to_string());
    if let GiveUpReason::Transport(error) = &gave_up.why
        && error.kind == ChatErrorKind::Authentication
    {
        reason = reason.help(key_help);
    }
    // Without an answer there are no other findings.
    let answered = gave_up.failure() != Some(FailureKind::Transport)
        && !matches!(gave_up.why, GiveUpReason::Transport(_) | GiveUpReason::Refused);
    let found = gave_up.diagnostics().iter().filter(|_| answered).cloned();
    Failure::new(exit, std::iter::once(reason).chain(found).collect())
}

#[cfg(test)]
mod tests {
    use llmend::{asking::Strategy, model::ChatEvent};

    use super::{Steps, plain, plain_lines};

    fn text(text: &str) -> ChatEvent {
        ChatEvent::Text { text: text.to_owned() }
    }

    #[test]
    fn a_step_is_shown_once_it_is_complete() {
        let mut steps = Steps::default();
        steps.begin(None);
        assert!(
            steps.push(&text("Here: {\"steps\": [{\"id\": \"a\", \"title\": \"Copy")).is_empty()
        );
        assert_eq!(steps.push(&text(" it\"}, {\"id\": \"b")), ["  a  Copy it"]);
        // Another answer starts over, and does not continue the one that broke off.
        steps.begin(Some(Strategy::Full));
        let whole =
            "{'steps': [{'id': 'c', 'tool': 'x\u{1b}[2J'}], 'nodes': [{'id': 'n'}], 'end': 0";
        assert_eq!(steps.push(&text(whole)), ["  c  x [2J", "  n  "]);
        // A request for single fields has no steps.
        steps.begin(Some(Strategy::Fields));
        assert!(steps.push(&text("{'steps': [{'id': 'd'}, 1]}")).is_empty());
    }

    #[test]
    fn control_characters_of_a_model_are_removed() {
        let rows = [
            ("\u{1b}[2J\u{1b}]0;x\u{7}Hi\r\u{1b}[1A", " [2J ]0;x Hi  [1A"),
            ("a\u{202e}b\u{2066}c\u{2028}d", "a b c d"),
            ("é — 漢字 🙂", "é — 漢字 🙂"),
        ];
        for (given, expected) in rows {
            assert_eq!((plain(given).as_str(), plain_lines(given).as_str()), (expected, expected));
        }
        assert_eq!(plain_lines("a\r\n\tb\n"), "a\n\tb\n");
        assert_eq!(plain("a\n\tb"), "a  b");
    }
}
