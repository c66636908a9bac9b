//! Test cases: a text, its expected value, and the assessment of an answer.

use crate::data::Data;

/// What is asked of an engine for one case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// One value is wanted.
    Value,
    /// A refusal is wanted; `accept` lists values that are tolerated.
    Error,
    /// A value or a refusal: no reading clearly wins.
    Ambiguous,
}

/// One text and what should become of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// A name by which the case can be found again.
    pub id: String,
    /// The family of the defect.
    pub shape: String,
    /// The damages that were done, for generated cases.
    pub kinds: Vec<&'static str>,
    /// The text.
    pub input: String,
    /// The value that is wanted, unless the verdict is [`Verdict::Error`].
    pub expected: Option<Data>,
    /// What is asked.
    pub verdict: Verdict,
    /// Other values that are as good.
    pub accept: Vec<Data>,
    /// Why.
    pub note: String,
    /// Whether the text is strict JSON as it stands.
    pub valid_json: bool,
    /// Whether the text was cut off; `None` where that is a matter of opinion.
    pub cut: Option<bool>,
}

/// How an answer fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// A wanted value, or a refusal where that is right.
    Right,
    /// A refusal although a value was wanted.
    Refused,
    /// Any other value, given silently.
    Wrong,
}

/// What an engine made of a text: a value or a refusal.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A value.
    Value(Data),
    /// A text that is not JSON, though given as if it were.
    NotJson(String),
    /// A refusal with its code or message.
    Refused(String),
}

/// Judges one answer.
#[must_use]
pub fn judge(case: &Case, answer: &Answer) -> Outcome {
    match answer {
        Answer::Refused(_) => {
            let honest = match case.verdict {
                Verdict::Value => false,
                Verdict::Error => true,
                Verdict::Ambiguous => !(case.valid_json && case.shape == "valid_tricky"),
            };
            if honest { Outcome::Right } else { Outcome::Refused }
        }
        Answer::NotJson(_) => Outcome::Wrong,
        Answer::Value(value) => {
            let right = case.expected.iter().chain(&case.accept).any(|wanted| wanted.same(value));
            if right { Outcome::Right } else { Outcome::Wrong }
        }
    }
}
