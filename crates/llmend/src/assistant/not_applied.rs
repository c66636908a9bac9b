//! What became of answers that did not change the document, or not for long.

use serde::{Deserialize, Serialize};

/// Why a change that the model proposed is not in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NotApplied {
    /// The person declined it.
    Declined,
    /// It was invalid after the last attempt.
    Invalid,
    /// The person took it back.
    Undone,
}

/// Returns what a model is told of this, in the order in which it happened; empty for nothing.
pub(super) fn told(all: &[NotApplied]) -> String {
    let runs = all.chunk_by(|one, other| one == other);
    let lines = runs.map(|run| match (run.first(), run.len()) {
        (Some(NotApplied::Undone), 1) => "The person took back the last change.".to_owned(),
        (Some(NotApplied::Undone), count) => {
            format!("The person took back the last {count} changes.")
        }
        (Some(NotApplied::Invalid), _) => {
            "Your last answer was invalid: the workflow was not changed.".to_owned()
        }
        _ => "The person declined your last answer: the workflow was not changed.".to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{
        NotApplied::{Declined, Invalid, Undone},
        told,
    };

    #[test]
    fn each_happening_is_told_in_its_order() {
        let declined = "The person declined your last answer: the workflow was not changed.";
        let invalid = "Your last answer was invalid: the workflow was not changed.";
        let undone = "The person took back the last change.";
        for (all, expected) in [
            (&[][..], String::new()),
            (&[Declined], declined.to_owned()),
            (&[Invalid], invalid.to_owned()),
            (&[Undone], undone.to_owned()),
            (&[Undone, Undone, Undone], "The person took back the last 3 changes.".to_owned()),
            (&[Declined, Undone], format!("{declined}\n{undone}")),
        ] {
            assert_eq!(told(all), expected, "{all:?}");
        }
    }
}
