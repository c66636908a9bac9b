//! The decision whether a response is sent, refused, or asked for again.

use crate::answer::completion::Ending;
use crate::answer::part::{Cut, FaultKind, PartKind, ResponsePart};
use crate::config::{OnTruncation, Policy};
use crate::error::Failure;

/// What becomes of a response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Decision {
    /// It is sent.
    Answer {
        /// The choices that are cut off and so may not be reported as complete.
        cut_off: Vec<u32>,
    },
    /// It is refused.
    Refuse(Failure),
    /// The model is asked for another answer, since a call is missing that no part stands for.
    /// `refusal` applies if that is impossible.
    Again { refusal: Failure },
    /// The model is asked again for these parts. `refusal` applies if that is impossible or does
    /// not help.
    Reask {
        /// The indices of the parts.
        parts: Vec<usize>,
        /// The choices that are cut off in another part, which is sent as it is.
        cut_off: Vec<u32>,
        /// The error for the client if no retry succeeds.
        refusal: Failure,
    },
}

/// How often the model may still be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RetriesLeft {
    /// For parts of the answer.
    pub(crate) parts: u32,
    /// For another whole answer.
    pub(crate) answers: u32,
}

/// Decides what becomes of a response. `endings` says of each part how its choice ended.
pub(crate) fn decide(
    parts: &[ResponsePart],
    endings: &[Ending],
    policy: &Policy,
    left: RetriesLeft,
) -> Decision {
    let mut cut_off = Vec::new();
    let mut bad = Vec::new();
    let mut may_ask = true;
    for ((part, ending), at) in parts.iter().zip(endings).zip(0..) {
        match verdict(part, *ending, policy) {
            Verdict::Good => {}
            Verdict::Closed => cut_off.push(part.place.choice),
            Verdict::Bad => bad.push(at),
            Verdict::Refused => {
                bad.push(at);
                may_ask = false;
            }
        }
    }
    let Some(first) = bad.first().and_then(|at| parts.get(*at)) else {
        return Decision::Answer { cut_off };
    };
    let ending = bad.first().and_then(|at| endings.get(*at)).copied();
    let refusal = refusal(first, ending.unwrap_or(Ending::Complete));
    if may_ask && left.parts.max(left.answers) > 0 {
        Decision::Reask { parts: bad, cut_off, refusal }
    } else {
        Decision::Refuse(refusal)
    }
}

enum Verdict {
    /// It may be sent.
    Good,
    /// It may be sent, and is incomplete.
    Closed,
    /// It may not be sent, and a retry may be better.
    Bad,
    /// It may not be sent or retried.
    Refused,
}

fn verdict(part: &ResponsePart, ending: Ending, policy: &Policy) -> Verdict {
    let on_truncation = match part.place.kind {
        PartKind::Content => policy.on_truncation,
        PartKind::Call { .. } | PartKind::Input { .. } => policy.on_truncated_call,
    };
    if is_unbegun(part, ending) {
        // Nothing is sent that could be taken for an answer, and clients know that finish reason.
        return match on_truncation {
            OnTruncation::Allow => Verdict::Closed,
            OnTruncation::Refuse => Verdict::Refused,
            OnTruncation::Reask => Verdict::Bad,
        };
    }
    let cut = match &part.outcome {
        Ok(repaired) => repaired.cut,
        Err(fault) if fault.kind == FaultKind::Truncated => Cut::Inside,
        Err(_) => return Verdict::Bad,
    };
    let is_cut = match (cut, ending, &part.place.kind) {
        // The text is whole although the limit was reached, so the provider's word is passed on.
        (Cut::Whole, _, _) => false,
        (Cut::Inside, ..) | (Cut::Open, Ending::CutOff, _) => true,
        // The provider reports the text as complete, and only closing brackets are missing. A list
        // of commands may have had more entries.
        (Cut::Open, Ending::Complete, PartKind::Content) => false,
        (Cut::Open, Ending::Complete, PartKind::Call { .. } | PartKind::Input { .. }) => true,
    };
    match (is_cut, on_truncation, &part.outcome) {
        (false, _, _) => Verdict::Good,
        (true, OnTruncation::Allow, Ok(_)) => Verdict::Closed,
        (true, OnTruncation::Refuse, _) => Verdict::Refused,
        (true, OnTruncation::Reask | OnTruncation::Allow, _) => Verdict::Bad,
    }
}

/// Whether a response was cut off before its first word, because the model reasoned for too long.
fn is_unbegun(part: &ResponsePart, ending: Ending) -> bool {
    ending == Ending::CutOff
        && part.place.kind == PartKind::Content
        && part.text.trim().is_empty()
        && part.outcome.as_ref().is_err_and(|fault| fault.kind == FaultKind::NoJson)
}

pub(crate) fn refusal(part: &ResponsePart, ending: Ending) -> Failure {
    let what = match &part.place.kind {
        PartKind::Content => "the model's answer".to_owned(),
        PartKind::Call { name, .. } | PartKind::Input { name, .. } if name.is_empty() => {
            "the model's tool call".to_owned()
        }
        PartKind::Call { name, .. } | PartKind::Input { name, .. } => {
            format!("the model's call of `{name}`")
        }
    };
    let failure = match &part.outcome {
        Err(_) if is_unbegun(part, ending) => {
            Failure::repair("truncated", format!("{what} was cut off before its first word"))
        }
        Ok(_) => {
            let message =
                format!("{what} was cut off, and was not completed, since more may have followed");
            Failure::repair("truncated", message)
        }
        Err(fault) => {
            let first = fault.diagnostics.first();
            let code =
                first.map_or_else(|| fault.kind.as_str().to_owned(), |row| row.code.to_string());
            let why = first.map(|row| row.message.clone()).unwrap_or_default();
            let path = first.and_then(|row| row.path.as_deref()).filter(|path| !path.is_empty());
            let path = path.map(|path| format!(" (at `{path}`)")).unwrap_or_default();
            let verb = match fault.kind {
                FaultKind::NoJson => "contains no JSON",
                FaultKind::Syntax => "cannot be repaired",
                FaultKind::Truncated => "was cut off",
                FaultKind::Schema => match part.place.kind {
                    PartKind::Content | PartKind::Call { .. } => "does not fit its schema",
                    PartKind::Input { .. } => "does not hold one text",
                },
                FaultKind::Limit => "exceeds a limit",
                FaultKind::NoCall => "is missing",
                FaultKind::UnexpectedCall => "is unexpected",
            };
            let mut failure = Failure::repair(code, format!("{what} {verb}: {why}{path}"));
            failure.details.clone_from(&fault.diagnostics);
            failure
        }
    };
    failure.about(part.place.path.clone())
}

#[cfg(test)]
mod tests {
    use super::{Decision, Ending, PartKind, ResponsePart, RetriesLeft, decide, refusal};
    use crate::answer::part::{Cut, Edits, Fault, FaultKind, Location, Origin, Repaired};
    use crate::config::{OnTruncation, Policy};

    fn outcome(found: Result<Cut, FaultKind>) -> Result<Repaired, Fault> {
        found
            .map(|cut| {
                let (json, class, done) = (None, None, Vec::new());
                Repaired { json, class, cut, done, edits: Edits::default() }
            })
            .map_err(|kind| Fault { kind, diagnostics: Vec::new() })
    }

    fn repaired(cut: Cut) -> Result<Repaired, Fault> {
        outcome(Ok(cut))
    }

    fn fault(kind: FaultKind) -> Result<Repaired, Fault> {
        outcome(Err(kind))
    }

    fn content() -> PartKind {
        PartKind::Content
    }

    fn call() -> PartKind {
        PartKind::Call { index: 0, name: "run".to_owned() }
    }

    /// A word for what was decided.
    fn word(decision: &Decision) -> &'static str {
        match decision {
            Decision::Answer { cut_off } if cut_off.is_empty() => "answer",
            Decision::Answer { .. } => "cut off",
            Decision::Refuse(_) => "refuse",
            Decision::Reask { .. } => "reask",
            Decision::Again { .. } => "again",
        }
    }

    #[test]
    fn each_outcome_has_its_decision() {
        use Ending::{Complete, CutOff};
        use OnTruncation::{Allow, Reask, Refuse};
        // (what it is, its outcome, why it ended, on truncation, tries left, decision)
        let rows = [
            (content(), repaired(Cut::Whole), Complete, Refuse, 0, "answer"),
            // Whole, although the limit was reached.
            (content(), repaired(Cut::Whole), CutOff, Refuse, 0, "answer"),
            (content(), repaired(Cut::Open), Complete, Refuse, 0, "answer"),
            (content(), repaired(Cut::Open), CutOff, Allow, 0, "cut off"),
            (content(), repaired(Cut::Open), CutOff, Refuse, 9, "refuse"),
            (content(), repaired(Cut::Open), CutOff, Reask, 1, "reask"),
            (content(), repaired(Cut::Open), CutOff, Reask, 0, "refuse"),
            // Cut inside of a word, whatever the provider says.
            (content(), repaired(Cut::Inside), Complete, Allow, 0, "cut off"),
            (content(), repaired(Cut::Inside), Complete, Refuse, 1, "refuse"),
            (call(), repaired(Cut::Whole), CutOff, Refuse, 0, "answer"),
            (call(), repaired(Cut::Open), Complete, Refuse, 0, "refuse"),
            (call(), repaired(Cut::Open), CutOff, Refuse, 9, "refuse"),
            (call(), repaired(Cut::Inside), CutOff, Reask, 1, "reask"),
            (call(), repaired(Cut::Inside), CutOff, Allow, 0, "cut off"),
            // Cut off before its first word.
            (content(), fault(FaultKind::NoJson), CutOff, Allow, 0, "cut off"),
            (content(), fault(FaultKind::NoJson), CutOff, Refuse, 1, "refuse"),
            (content(), fault(FaultKind::NoJson), CutOff, Reask, 1, "reask"),
            (content(), fault(FaultKind::NoJson), Complete, Allow, 0, "refuse"),
            (call(), fault(FaultKind::NoJson), CutOff, Allow, 0, "refuse"),
            (content(), fault(FaultKind::Syntax), Complete, Allow, 0, "refuse"),
            (content(), fault(FaultKind::Schema), Complete, Refuse, 1, "reask"),
            (call(), fault(FaultKind::Schema), Complete, Refuse, 1, "reask"),
            (call(), fault(FaultKind::Truncated), CutOff, Refuse, 1, "refuse"),
            (call(), fault(FaultKind::Truncated), CutOff, Allow, 1, "reask"),
        ];
        for (kind, outcome, ending, on, left, expected) in rows {
            let policy = Policy { on_truncation: on, on_truncated_call: on, ..Policy::default() };
            let place = Location { choice: 0, kind, path: String::new() };
            let part =
                ResponsePart { place, origin: Origin::Protocol, text: String::new(), outcome };
            let decision = decide(
                std::slice::from_ref(&part),
                &[ending],
                &policy,
                RetriesLeft { parts: left, answers: left },
            );
            assert_eq!(word(&decision), expected, "{part:?} {ending:?} {on:?} {left}");
        }
    }

    #[test]
    fn a_refusal_says_what_its_part_lacks() {
        let (index, name) = (0, "sql".to_owned());
        for (kind, expected) in [
            (content(), "the model's answer does not fit its schema"),
            (call(), "the model's call of `run` does not fit its schema"),
            (PartKind::Input { index, name }, "the model's call of `sql` does not hold one text"),
            (PartKind::Input { index, name: String::new() }, "the model's tool call does not"),
        ] {
            let place = Location { choice: 0, kind, path: String::new() };
            let (origin, text) = (Origin::Text(None), String::new());
            let part = ResponsePart { place, origin, text, outcome: fault(FaultKind::Schema) };
            let found = refusal(&part, Ending::Complete);
            assert!(found.message.starts_with(expected), "{found:?}");
        }
    }

    #[test]
    fn all_bad_parts_are_retried_and_the_refusal_names_the_first() {
        let part = |kind, outcome| ResponsePart {
            place: Location { choice: 1, kind, path: "there".to_owned() },
            origin: Origin::Protocol,
            text: String::new(),
            outcome,
        };
        let parts = [
            part(content(), repaired(Cut::Whole)),
            part(call(), fault(FaultKind::Syntax)),
            part(call(), fault(FaultKind::Schema)),
        ];
        let decision = decide(
            &parts,
            &[Ending::Complete; 3],
            &Policy::default(),
            RetriesLeft { parts: 1, answers: 1 },
        );
        let Decision::Reask { parts, cut_off, refusal } = decision else { panic!("{decision:?}") };
        assert_eq!((parts, cut_off), (vec![1, 2], vec![]));
        assert_eq!(refusal.status, 422);
        assert!(refusal.message.contains("call of `run` cannot be repaired"), "{refusal:?}");
        assert_eq!(refusal.param.as_deref(), Some("there"));
    }

    #[test]
    fn a_part_stays_cut_off_while_another_is_retried() {
        let part = |choice, outcome| ResponsePart {
            place: Location { choice, kind: call(), path: String::new() },
            origin: Origin::Protocol,
            text: String::new(),
            outcome,
        };
        let parts = [
            part(0, repaired(Cut::Inside)),
            part(1, fault(FaultKind::Schema)),
            part(1, repaired(Cut::Inside)),
        ];
        let policy = Policy { on_truncated_call: OnTruncation::Allow, ..Policy::default() };
        let decision =
            decide(&parts, &[Ending::CutOff; 3], &policy, RetriesLeft { parts: 1, answers: 1 });
        let Decision::Reask { parts, cut_off, .. } = decision else { panic!("{decision:?}") };
        assert_eq!((parts, cut_off), (vec![1], vec![0, 1]));
    }
}
