//! May what stands under a key be what was asked for?

use super::Walk;
use super::document::At;
use crate::CoercionKind;
use crate::fold::{spaced, words};

/// Words in a key that say of what stands under it that it is not the answer, or not any more.
const DENIALS: [&str; 52] = [
    "not",
    "no",
    "non",
    "never",
    "without",
    "except",
    "instead",
    "error",
    "errors",
    "exception",
    "failure",
    "failed",
    "invalid",
    "incorrect",
    "wrong",
    "bad",
    "false",
    "missing",
    "rejected",
    "refused",
    "refusal",
    "denied",
    "declined",
    "discarded",
    "deleted",
    "removed",
    "excluded",
    "ignored",
    "cancelled",
    "canceled",
    "previous",
    "prior",
    "old",
    "former",
    "before",
    "original",
    "outdated",
    "obsolete",
    "deprecated",
    "superseded",
    "example",
    "examples",
    "sample",
    "template",
    "placeholder",
    "hypothetical",
    "unknown",
    "default",
    "defaults",
    "schema",
    "null",
    "none",
];

/// Whether a key has a word that denies what stands under it.
pub(super) fn denies(key: &str) -> bool {
    words(&spaced(key)).iter().any(|word| DENIALS.contains(&word.as_str()))
}

impl<'v> Walk<'_, 'v> {
    /// The only member of an object, if its key does not deny that this is what was asked for, and
    /// the object was not found in a wrapper itself: through two of them nothing is certain.
    pub(super) fn in_wrapper(&self, at: At<'v>) -> Option<(&'v str, At<'v>)> {
        let mut members = at.node.members();
        let (Some((key, value)), None) = (members.next(), members.next()) else { return None };
        let key = key.str()?;
        let may_be_meant = !denies(key) && !self.is_noted_here(CoercionKind::Unwrapped);
        may_be_meant.then(|| (key, at.of(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::denies;

    #[test]
    fn names_that_deny_are_told_from_names_that_hold() {
        for (key, expected) in [
            ("error", true),
            ("lastError", true),
            ("not_found", true),
            ("previous", true),
            ("previous_plan", true),
            ("EXAMPLE", true),
            ("rejected-answer", true),
            ("result", false),
            ("plan", false),
            ("answer", false),
            ("notes", false),
            ("person", false),
            ("terror", false),
        ] {
            assert_eq!(denies(key), expected, "{key}");
        }
    }
}
