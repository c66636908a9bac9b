//! What is seen of a question while it is asked, and what becomes of its end?

use std::{
    io::{self, IsTerminal},
    sync::{Arc, Mutex, PoisonError},
};

use llmend::{
    asking::{AttemptRequest, Callbacks, GiveUpReason, LoopError, RetryNotice, Strategy},
    json::{Choice, Diagnostic, Options, Severity, StreamOf, preview},
    model::{ChatErrorKind, ChatEvent},
};
use serde_json::Value;

use crate::{
    exit::{Exit, Failure},
    output::say,
};

/// Findings of an attempt that are shown.
const SHOWN_FINDINGS: usize = 5;
/// Characters of a message that are shown.
const SHOWN_CHARS: usize = 160;

/// Runs a future to its end.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime {
        Ok(runtime) => Ok(runtime.block_on(future)),
        Err(error) => {
            let message = format!("nothing can be asked from here: {error}");
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

/// Shows attempts as they happen: what is asked, and what was wrong with the answer.
pub(crate) fn attempts<'a>(shown: Attempts) -> Callbacks<'a> {
    if shown == Attempts::Quiet {
        return Callbacks::new();
    }
    Callbacks::new().on_attempt(|asking| say(&asked(asking))).on_repair(|again| say(&wrong(again)))
}

/// The same; on a terminal also the steps of a plan, as they are complete.
pub(crate) fn attempts_at_a_plan<'a>(shown: Attempts) -> Callbacks<'a> {
    if shown == Attempts::Quiet || !io::stderr().is_terminal() {
        return attempts(shown);
    }
    // Both callbacks know of the same steps: each attempt begins anew.
    let steps = Arc::new(Mutex::new(Steps::default()));
    let told = Arc::clone(&steps);
    attempts(shown)
        .on_attempt(move |asking| {
            say(&asked(asking));
            steps.lock().unwrap_or_else(PoisonError::into_inner).begin(asking.strategy);
        })
        .on_event(move |event| {
            let mut steps = told.lock().unwrap_or_else(PoisonError::into_inner);
            steps.tell(&event).iter().for_each(|line| say(line));
        })
}

fn asked(asking: &AttemptRequest) -> String {
    let AttemptRequest { name, number, of, strategy, is_last, .. } = asking;
    let last = if *is_last && *of > 1 { ", the last one" } else { "" };
    let how = strategy.map_or_else(String::new, |strategy| format!(", asking for: {strategy}"));
    format!("llmend: asking {name}, attempt {number} of {of}{last}{how}")
}

fn wrong(again: &RetryNotice) -> String {
    let errors = again.findings.iter().filter(|row| row.severity == Severity::Error);
    let rows: Vec<String> = errors.map(line).collect();
    let mut lines = vec![format!("llmend: the answer cannot be used ({})", again.failure.as_str())];
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

/// A text of somebody else's on one line, without what a terminal would obey.
pub(crate) fn plain(text: &str) -> String {
    preview(text, SHOWN_CHARS).chars().map(|c| if is_obeyed(c) { ' ' } else { c }).collect()
}

/// A text of somebody else's over its lines, without what a terminal would obey.
pub(crate) fn plain_lines(text: &str) -> String {
    let shown = |c: char| if is_obeyed(c) && !matches!(c, '\n' | '\t') { ' ' } else { c };
    text.replace("\r\n", "\n").chars().map(shown).collect()
}

/// Whether a terminal does something else with a character than to show it: controls, ends of lines and
/// paragraphs, and what turns the direction of writing round.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The steps of a plan, or the nodes of a workflow, as they are complete.
#[derive(Default)]
struct Steps {
    /// Nothing where an answer holds no whole plan, and where it did not begin.
    lists: Option<[StreamOf<Value>; 2]>,
}

impl Steps {
    /// Another answer begins, to what was asked on this rung.
    fn begin(&mut self, strategy: Option<Strategy>) {
        let is_whole = matches!(
            strategy,
            None | Some(Strategy::Full | Strategy::Emphatic | Strategy::Escalate)
        );
        // An item comes as soon as it is complete, and not at the end with the choice of the value.
        let options = Options { choice: Choice::First, ..Options::default() };
        let new = |list| StreamOf::new(options.clone(), list);
        self.lists = is_whole.then(|| ["/steps", "/nodes"].map(new));
    }

    /// The lines that a piece of an answer completes.
    fn tell(&mut self, event: &ChatEvent) -> Vec<String> {
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

/// A step in a line: its name, and what it does.
fn shown(step: &Value) -> String {
    let text = |names: &[&str]| names.iter().find_map(|name| step.get(*name)?.as_str());
    let id = text(&["id", "step_id", "node_id"]).unwrap_or("·");
    let about = text(&["title", "description", "instruction", "name", "tool", "tool_name", "type"]);
    format!("  {}  {}", plain(id), plain(about.unwrap_or_default()))
}

/// The failure that a question came to.
pub(crate) fn gave_up(gave_up: &LoopError) -> Failure {
    let exit = match &gave_up.why {
        GiveUpReason::Transport(error) if error.kind != ChatErrorKind::ContentRefused => Exit::Io,
        GiveUpReason::NoPrice { .. } => Exit::Usage,
        _ => Exit::Refused,
    };
    let reason = Diagnostic::new(gave_up.code(), Severity::Error, gave_up.to_string());
    // Where no answer came, that is all that was found.
    let answered = !matches!(gave_up.why, GiveUpReason::Transport(_) | GiveUpReason::Refused);
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
            steps.tell(&text("Here: {\"steps\": [{\"id\": \"a\", \"title\": \"Copy")).is_empty()
        );
        assert_eq!(steps.tell(&text(" it\"}, {\"id\": \"b")), ["  a  Copy it"]);
        // Another answer begins anew, and does not stand behind the one that broke off.
        steps.begin(Some(Strategy::Full));
        let whole =
            "{'steps': [{'id': 'c', 'tool': 'x\u{1b}[2J'}], 'nodes': [{'id': 'n'}], 'end': 0";
        assert_eq!(steps.tell(&text(whole)), ["  c  x [2J", "  n  "]);
        // Where parts were asked for, there are no steps.
        steps.begin(Some(Strategy::Fields));
        assert!(steps.tell(&text("{'steps': [{'id': 'd'}, 1]}")).is_empty());
    }

    #[test]
    fn a_terminal_obeys_nothing_of_a_models() {
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
