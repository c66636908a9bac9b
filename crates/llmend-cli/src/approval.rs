//! Who says whether what a model proposes is used: the person at the terminal, or nobody?

use std::io::{self, BufRead, IsTerminal as _};

use crate::{
    exit::{Exit, Failure},
    output::say,
};

/// Who says it. What is safe is used without a question in either case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Approval {
    /// The person at the terminal.
    Person,
    /// Nobody: `--autonomous`, or nobody is there.
    Nobody,
}

impl Approval {
    /// The person, where there is one who sees the question and can answer it.
    pub(crate) fn at_terminal() -> Self {
        if io::stdin().is_terminal() && io::stderr().is_terminal() {
            Self::Person
        } else {
            Self::Nobody
        }
    }

    /// Whether something is used that is not safe for these reasons; with none, it is.
    pub(crate) fn given(self, reasons: &[String]) -> bool {
        self.given_by(reasons, &mut io::stdin().lock())
    }

    fn given_by(self, reasons: &[String], answers: &mut impl BufRead) -> bool {
        if reasons.is_empty() || self == Self::Nobody {
            return true;
        }
        say(&format!("llmend: {}. Use it? [y/N]", reasons.join("; ")));
        let mut line = Vec::new();
        // Whoever says nothing, or cannot be heard, has not agreed.
        answers.read_until(b'\n', &mut line).is_ok() && is_yes(&line)
    }
}

/// Whether an answer agrees.
fn is_yes(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.eq_ignore_ascii_case(b"y") || line.eq_ignore_ascii_case(b"yes")
}

/// The refusal of what the person did not agree to.
pub(crate) fn declined() -> Failure {
    Failure::plain(Exit::Refused, "approval/declined", "the answer is not used, as was said")
}

#[cfg(test)]
mod tests {
    use super::Approval;

    #[test]
    fn what_is_safe_is_used_and_of_all_else_a_person_is_asked() {
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
            let found = approval.given_by(reasons, &mut answer.as_bytes());
            assert_eq!(found, expected, "{approval:?} {reasons:?} {answer:?}");
        }
    }
}
