//! May what stands under a key be what was asked for?

use llmend_json::Node;

use super::Walk;
use super::document::At;
use crate::CoercionKind;
use crate::compile::Types;
use crate::fold::{spaced, words};

/// Words in a key that say of what stands under it that it is not the answer, or not any more.
const DENIALS: [&str; 77] = [
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

/// Whether an object is that of a schema, which says of each member what it is to be.
fn describes(node: Node<'_>) -> bool {
    let is_type = |text: Option<&str>| text.is_some_and(|name| Types::NAMES.contains(&name));
    node.members().any(|(_, value)| {
        is_type(value.str()) || value.get("type").is_some_and(|of| is_type(of.str()))
    })
}

impl<'v> Walk<'_, 'v> {
    /// The only member of an object, if its key does not deny that this is what was asked for, and
    /// the object neither was found in a wrapper nor has one put around it: through two of them
    /// nothing is certain, and in a list made for it the key may be its name.
    pub(super) fn in_wrapper(&self, at: At<'v>) -> Option<(&'v str, At<'v>)> {
        let mut members = at.node.members();
        let (Some((key, value)), None) = (members.next(), members.next()) else { return None };
        let key = key.str()?;
        let layered =
            self.is_noted_here(CoercionKind::Unwrapped) || self.enclosed.contains(&at.key());
        let denied = denies(key) || (key == "properties" && describes(value));
        (!layered && !denied).then(|| (key, at.of(value)))
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
            ("expectedAnswer", true),
            ("contrast", false),
        ] {
            assert_eq!(denies(key), expected, "{key}");
        }
    }
}
