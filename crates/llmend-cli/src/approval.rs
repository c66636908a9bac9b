//! Approval of what a model proposes.

use std::io::{self, BufRead, IsTerminal as _};

use llmend::json::{Class, Severity};

use crate::{
    attempts::plain,
    exit::Exit,
    outcome::{Answer, Failure},
    output::eprint,
    render::{report::worst_class, visible},
};

/// Characters of the value that are shown.
const SHOWN_VALUE: usize = 400;

/// Who approves an answer. A safe one needs no approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Approval {
    /// The person at the terminal.
    Person,
    /// Nobody: `--autonomous` was given, or there is no terminal.
    Nobody,
}

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
    pub(crate) fn confirm(self, reasons: &[String], question: &str) -> bool {
        self.confirm_from(reasons, question, &mut io::stdin().lock())
    }

    fn confirm_from(self, reasons: &[String], question: &str, answers: &mut impl BufRead) -> bool {
        if reasons.is_empty() || self == Self::Nobody {
            return true;
        }
        eprint(&format!("llmend: {}\n{question} [y/N]", reasons.join("; ")));
        let mut line = Vec::new();
        // No answer is no approval.
        answers.read_until(b'\n', &mut line).is_ok() && is_yes(&line)
    }
}

/// Whether a line means yes.
fn is_yes(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.eq_ignore_ascii_case(b"y") || line.eq_ignore_ascii_case(b"yes")
}

/// Returns the failure of an answer that the person declined.
pub(crate) fn declined() -> Failure {
    Failure::plain(Exit::Refused, "approval/declined", "the answer was declined")
}

/// Has a guessed answer, or one with warnings, confirmed.
pub(crate) fn approved(answer: Answer<'_>, approval: Approval) -> Result<Answer<'_>, Failure> {
    let reasons = reasons(&answer);
    if approval == Approval::Person && !reasons.is_empty() {
        eprint(&visible(&answer.json, SHOWN_VALUE));
    }
    if approval.confirm(&reasons, "Use this answer?") { Ok(answer) } else { Err(declined()) }
}

fn reasons(answer: &Answer<'_>) -> Vec<String> {
    let Answer { report, fit, .. } = answer;
    let mut reasons: Vec<String> = Vec::new();
    if worst_class(report, fit.as_ref()) >= Some(Class::Guess) {
        let repairs = report.repairs.iter();
        let guessed = repairs.filter(|repair| repair.class() >= Class::Guess);
        let repairs =
            guessed.map(|repair| format!("{} at byte {}", repair.rule, repair.span.start));
        let coercions = fit.iter().flat_map(|fit| &fit.coercions);
        let guessed = coercions.filter(|coercion| coercion.class >= Class::Guess);
        let coercions = guessed.map(|coercion| {
            let path = if coercion.path.is_empty() { "the root" } else { &coercion.path };
            format!("{} at {}", coercion.kind.name(), plain(path))
        });
        let places: Vec<String> = repairs.chain(coercions).collect();
        reasons.push(format!("guessed: {}", places.join(", ")));
    }
    let warnings = report.diagnostics.iter().filter(|row| row.severity == Severity::Warning);
    reasons.extend(warnings.map(|row| plain(&row.message)));
    reasons
}

#[cfg(test)]
mod tests {
    use super::Approval;

    #[test]
    fn a_person_confirms_what_is_not_safe() {
        // S2-30: `--autonomous` needs nobody's approval.
        let reasons = ["it guesses".to_owned()];
        let rows: [(Approval, &[String], &str, bool); 9] = [
            (Approval::Person, &[], "n\n", true),
            (Approval::Nobody, &reasons, "n\n", true),
            (Approval::Person, &reasons, "y\n", true),
            (Approval::Person, &reasons, " YES \r\n", true),
            (Approval::Person, &reasons, "yes, but\n", false),
            (Approval::Person, &reasons, "n\n", false),
            (Approval::Person, &reasons, "\n", false),
            (Approval::Person, &reasons, "", false),
            (Approval::Person, &reasons, "\n y\n", false),
        ];
        for (approval, reasons, answer, expected) in rows {
            let found = approval.confirm_from(reasons, "Use it?", &mut answer.as_bytes());
            assert_eq!(found, expected, "{approval:?} {reasons:?} {answer:?}");
        }
    }
}
