//! Wrapper objects with a single member.

use llmend_json::Node;

use super::Coercer;
use super::document::SourceNode;
use crate::CoercionKind;
use crate::compile::Types;
use crate::fold::{spaced, words};

/// Words in a key that deny that its value is the current answer.
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

/// Returns whether a key contains a denying word.
pub(super) fn denies(key: &str) -> bool {
    words(&spaced(key)).iter().any(|word| DENIALS.contains(&word.as_str()))
}

/// Returns whether an object is the `properties` of a schema.
fn describes(node: Node<'_>) -> bool {
    let is_type = |text: Option<&str>| text.is_some_and(|name| Types::NAMES.contains(&name));
    node.members().any(|(_, value)| {
        is_type(value.str()) || value.get("type").is_some_and(|of| is_type(of.str()))
    })
}

impl<'v> Coercer<'_, 'v> {
    /// Returns the only member of an object, unless its key denies that the value is the answer.
    /// Objects that were found in a wrapper, or that a container is being built around, have no
    /// wrapper of their own: two layers are too uncertain, and the key of an array item may be its
    /// name.
    pub(super) fn in_wrapper(&self, at: SourceNode<'v>) -> Option<(&'v str, SourceNode<'v>)> {
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
    fn denying_keys_are_distinguished_from_others() {
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
