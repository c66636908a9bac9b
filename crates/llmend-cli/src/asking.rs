//! What is seen of a question while it is asked, and what becomes of its end?

use std::io::{self, IsTerminal};

use llmend::{
    asking::{Again, Asking, Callbacks, GaveUp, Why},
    json::{Diagnostic, Options, Severity, StreamOf, preview},
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
    let callbacks = attempts(shown);
    if shown == Attempts::Quiet || !io::stderr().is_terminal() {
        return callbacks;
    }
    let mut steps = Steps::new();
    callbacks.on_event(move |event| steps.tell(&event))
}

fn asked(asking: &Asking) -> String {
    let Asking { name, number, of, rung, is_last, .. } = asking;
    let last = if *is_last && *of > 1 { ", the last one" } else { "" };
    let how = rung.map_or_else(String::new, |rung| format!(", asking for: {rung}"));
    format!("llmend: asking {name}, attempt {number} of {of}{last}{how}")
}

fn wrong(again: &Again) -> String {
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
fn plain(text: &str) -> String {
    preview(text, SHOWN_CHARS).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The steps of a plan, or the nodes of a workflow, as they are complete.
struct Steps {
    lists: Option<[StreamOf<Value>; 2]>,
}

impl Steps {
    const fn new() -> Self {
        Self { lists: None }
    }

    fn tell(&mut self, event: &ChatEvent) {
        let (ChatEvent::Text { text } | ChatEvent::ToolCall { arguments: text, .. }) = event else {
            // Another answer begins anew.
            self.lists = None;
            return;
        };
        let new = || ["/steps", "/nodes"].map(|list| StreamOf::new(Options::default(), list));
        for list in self.lists.get_or_insert_with(new) {
            list.push(text.as_bytes());
            while let Some(item) = list.next_item() {
                if let Ok(step) = item {
                    say(&shown(&step));
                }
            }
        }
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
pub(crate) fn gave_up(gave_up: &GaveUp) -> Failure {
    let exit = match &gave_up.why {
        Why::Transport(error) if error.kind != ChatErrorKind::ContentRefused => Exit::Io,
        Why::NoPrice { .. } => Exit::Usage,
        _ => Exit::Refused,
    };
    let reason = Diagnostic::new(gave_up.code(), Severity::Error, gave_up.to_string());
    // Where no answer came, that is all that was found.
    let answered = !matches!(gave_up.why, Why::Transport(_));
    let found = gave_up.diagnostics().iter().filter(|_| answered).cloned();
    Failure::new(exit, std::iter::once(reason).chain(found).collect())
}
