//! Approval of what a model proposes.

use std::io::{self, BufRead, IsTerminal as _};

use llmend::{json::Severity, plan::Document};

use crate::{
    attempts::plain,
    exit::Exit,
    outcome::{Answer, Failure, ReadPlan},
    output::{eprint, eprint_block},
    render::{
        Color,
        changes::changes,
        counted,
        guesses::{guessed, guesses, unmarked},
    },
};

/// Who approves an answer. A safe one needs no approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Approval {
    /// The person at the terminal.
    Person,
    /// Nobody: `--autonomous` was given, or there is no terminal.
    Nobody,
}

/// The answer of a person to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Yes,
    No,
    /// No, and no more questions.
    Quit,
}

/// What ends a conversation at a question.
const QUIT: [&[u8]; 2] = [b"/quit", b"/exit"];

impl Approval {
    /// Returns `Person` if standard input and standard error are a terminal.
    pub(crate) fn at_terminal() -> Self {
        if io::stdin().is_terminal() && io::stderr().is_terminal() {
            Self::Person
        } else {
            Self::Nobody
        }
    }

    /// Asks `question` if there are reasons not to use something. Returns whether to use it.
    fn confirm(self, reasons: &[String], question: &str) -> bool {
        reasons.is_empty() || self.ask(reasons, question) == Verdict::Yes
    }

    /// Asks `question`, with what there is to know before. Without a person the answer is yes.
    pub(crate) fn ask(self, reasons: &[String], question: &str) -> Verdict {
        self.ask_from(reasons, question, &mut io::stdin().lock())
    }

    fn ask_from(self, reasons: &[String], question: &str, answers: &mut impl BufRead) -> Verdict {
        if self == Self::Nobody {
            return Verdict::Yes;
        }
        if !reasons.is_empty() {
            eprint(&format!("llmend: {}", reasons.join("; ")));
        }
        eprint(&format!("{question} [y/N]"));
        let mut line = Vec::new();
        // No answer is no approval.
        answers.read_until(b'\n', &mut line).map_or(Verdict::No, |_| verdict(&line))
    }
}

/// Returns what a line means.
fn verdict(line: &[u8]) -> Verdict {
    let line = line.trim_ascii();
    if line.eq_ignore_ascii_case(b"y") || line.eq_ignore_ascii_case(b"yes") {
        Verdict::Yes
    } else if QUIT.contains(&line) {
        Verdict::Quit
    } else {
        Verdict::No
    }
}

/// Returns the failure of an answer that the person declined.
pub(crate) fn declined() -> Failure {
    Failure::plain(Exit::Refused, "approval/declined", "the answer was declined")
}

/// Has a guessed answer, or one with warnings, confirmed. `text` is what the model wrote, and `before` the
/// document that it changes, if it is a patch.
pub(crate) fn approved<'t>(
    answer: Answer<'t>,
    text: &str,
    before: Option<&Document>,
    approval: Approval,
    color: Color,
) -> Result<Answer<'t>, Failure> {
    let reasons = reasons(&answer);
    if approval == Approval::Person && !reasons.is_empty() {
        eprint_block(&shown(&answer, text, before, color));
    }
    if approval.confirm(&reasons, "Use this answer?") { Ok(answer) } else { Err(declined()) }
}

/// Returns what is approved: the value with each guess in its place. A plan may be written in another form
/// than it was read in, and a patch is another value than its result: then the guesses stand in what was read,
/// and what comes of it is below.
fn shown(answer: &Answer<'_>, text: &str, before: Option<&Document>, color: Color) -> String {
    let Answer { json, report, fit, plan } = answer;
    let Some(ReadPlan { document, .. }) = plan else {
        return guesses(json, text, (report, fit.as_ref()), color);
    };
    let read = report.output(text);
    let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).ok();
    let is_same = before.is_none() && value(&read).is_some_and(|read| value(json) == Some(read));
    let mut blocks = Vec::new();
    if is_same || guessed(report, None) > 0 {
        blocks.push(guesses(&read, text, (report, None), color));
    }
    match before {
        Some(_) => blocks.push(changes(before, document, color)),
        None if !is_same => blocks.push(unmarked(json, color)),
        None => {}
    }
    blocks.concat()
}

/// Returns why a person should confirm an answer: its guesses, which are shown in their places, and warnings.
fn reasons(answer: &Answer<'_>) -> Vec<String> {
    let Answer { report, fit, .. } = answer;
    let guessed = guessed(report, fit.as_ref());
    let guessed = (guessed > 0).then(|| format!("{} guessed", counted(guessed, "place")));
    let warnings = report.diagnostics.iter().filter(|row| row.severity == Severity::Warning);
    guessed.into_iter().chain(warnings.map(|row| plain(&row.message))).collect()
}

#[cfg(test)]
mod tests {
    use super::{
        Approval,
        Verdict::{self, No, Quit, Yes},
    };

    #[test]
    fn a_person_is_asked_and_nobody_else() {
        // S2-30: `--autonomous` needs nobody's approval.
        let reasons = ["it guesses".to_owned()];
        let rows: [(Approval, &[String], &str, Verdict); 12] = [
            (Approval::Person, &[], "n\n", No),
            (Approval::Nobody, &reasons, "n\n", Yes),
            (Approval::Person, &reasons, "y\n", Yes),
            (Approval::Person, &reasons, " YES \r\n", Yes),
            (Approval::Person, &reasons, "yes, but\n", No),
            (Approval::Person, &reasons, "n\n", No),
            (Approval::Person, &reasons, "\n", No),
            (Approval::Person, &reasons, "", No),
            (Approval::Person, &reasons, "\n y\n", No),
            (Approval::Person, &reasons, " /quit\r\n", Quit),
            (Approval::Person, &reasons, "/exit\n", Quit),
            (Approval::Person, &reasons, "/quit it\n", No),
        ];
        for (approval, reasons, answer, expected) in rows {
            let found = approval.ask_from(reasons, "Use it?", &mut answer.as_bytes());
            assert_eq!(found, expected, "{approval:?} {reasons:?} {answer:?}");
        }
        // What is safe needs nobody's approval.
        assert!(Approval::Person.confirm(&[], "Use it?"));
    }
}
