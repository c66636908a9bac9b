//! Test cases: a text, its expected value, and the assessment of an answer.

use crate::data::Data;

/// Expectation for a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A value is expected.
    Value,
    /// A refusal is expected; `accept` lists tolerated values.
    Error,
    /// A value or a refusal, since the text is ambiguous.
    Ambiguous,
}

/// A text and its expected result.
#[derive(Clone, Debug)]
pub struct Case {
    /// Identifier of the case.
    pub id: String,
    /// Family of the defect.
    pub shape: String,
    /// Kinds of damage, for generated cases.
    pub kinds: Vec<&'static str>,
    /// The text.
    pub input: String,
    /// Expected value, unless the verdict is [`Verdict::Error`].
    pub expected: Option<Data>,
    /// Expectation.
    pub verdict: Verdict,
    /// Equally acceptable values.
    pub accept: Vec<Data>,
    /// Reason.
    pub note: String,
    /// Whether the text is strict JSON.
    pub valid_json: bool,
    /// Whether the text is truncated; `None` if that is debatable.
    pub cut: Option<bool>,
}

/// Assessment of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// An expected value, or an expected refusal.
    Right,
    /// A refusal in place of an expected value.
    Refused,
    /// Any other value without a warning.
    Wrong,
}

/// Answer of an engine: a value or a refusal.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A value.
    Value(Data),
    /// Output that is not valid JSON.
    NotJson(String),
    /// A refusal, with its code or message.
    Refused(String),
}

/// Assesses an answer.
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
