//! May what stands under a key be what was asked for?

use super::Walk;
use super::document::At;
use crate::CoercionKind;
use crate::fold::{spaced, words};

/// Words in a key that say of what stands under it that it is not the answer, or not any more.
const DENIALS: [&str; 78] = [
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
    "properties",
    "request",
    "requested",
    "expected",
    "initial",
    "history",
    "historical",
    "last",
    "past",
    "stale",
    "expired",
    "alternative",
    "alternatives",
    "draft",
    "dummy",
    "mock",
    "fake",
    "demo",
    "illustration",
    "counterexample",
    "impossible",
    "unlikely",
    "forbidden",
    "disallowed",
    "blocked",
    "skipped",
    "null",
    "none",
];

/// Whether a key has a word that denies what stands under it.
pub(super) fn denies(key: &str) -> bool {
    words(&spaced(key)).iter().any(|word| DENIALS.contains(&word.as_str()))
}

impl<'v> Walk<'_, 'v> {
    /// The only member of an object, if its key does not deny that this is what was asked for, and
    /// the object neither was found in a wrapper nor has one put around it: through two of them
    /// nothing is certain, and in a list made for it the key may be its name.
    pub(super) fn in_wrapper(&self, at: At<'v>) -> Option<(&'v str, At<'v>)> {
        let mut members = at.node.members();
        let (Some((key, value)), None) = (members.next(), members.next()) else { return None };
        let key = key.str()?;
        let may_be_meant = !denies(key)
            && !self.is_noted_here(CoercionKind::Unwrapped)
            && !self.enclosed.contains(&at.key());
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
            ("properties", true),
            ("expectedAnswer", true),
            ("contrast", false),
        ] {
            assert_eq!(denies(key), expected, "{key}");
        }
    }
}
