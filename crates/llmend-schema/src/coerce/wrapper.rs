//! Wrapper objects with a single member.

use llmend_json::{Kind, Node};

use super::Coercer;
use super::document::SourceNode;
use crate::CoercionKind;
use crate::compile::{Shape, Types};
use crate::fold::{folded, spaced, words};

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

/// Words of which the key of a wrapper consists, wherever it is.
const WRAPPERS: [&str; 27] = [
    "answer",
    "array",
    "body",
    "content",
    "contents",
    "data",
    "entity",
    "final",
    "item",
    "items",
    "json",
    "list",
    "object",
    "output",
    "parsed",
    "payload",
    "plan",
    "properties",
    "record",
    "records",
    "response",
    "result",
    "results",
    "root",
    "the",
    "value",
    "values",
];

/// Returns whether a key says no more than that a value follows.
fn says_nothing(key: &str) -> bool {
    let words = words(&spaced(key));
    !words.is_empty() && words.iter().all(|word| WRAPPERS.contains(&word.as_str()))
}

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
    /// Returns the only member of an object, if its key may be that of a wrapper: one that says no more
    /// than that a value follows, or names the part or its schema, or any around a list that is the whole
    /// answer. Any other key is data.
    ///
    /// Objects that were found in a wrapper, that a container is being built around, or that are
    /// the values of a map, have no wrapper of their own: two layers are too uncertain, and the key
    /// may be a name.
    pub(super) fn in_wrapper(
        &self,
        shape: &Shape,
        at: SourceNode<'v>,
    ) -> Option<(&'v str, SourceNode<'v>)> {
        let mut members = at.node.members();
        let (Some((key, value)), None) = (members.next(), members.next()) else { return None };
        let key = key.str()?;
        let layered =
            self.is_noted_here(CoercionKind::Unwrapped) || self.enclosed.contains(&at.key());
        let denied = denies(key) || (key == "properties" && describes(value));
        let list = self.path.is_empty() && value.kind() == Kind::Array;
        let wraps = list || says_nothing(key) || self.names(shape, key);
        (wraps && !layered && !denied).then(|| (key, at.of(value)))
    }

    /// Returns whether a key is the title of a schema, or the name of the part itself.
    fn names(&self, shape: &Shape, key: &str) -> bool {
        let own = self.path.rsplit('/').next();
        let titles = shape.holds.iter().filter_map(|holds| self.evaluator.raw(holds.id));
        let mut names = titles.filter_map(|raw| raw.title.as_deref()).chain(own);
        names.any(|name| folded(name) == folded(key))
    }
}

#[cfg(test)]
mod tests {
    use super::{denies, says_nothing};

    #[test]
    fn keys_of_wrappers_say_nothing() {
        for (key, expected) in [
            ("result", true),
            ("finalAnswer", true),
            ("json_output", true),
            ("Response Data", true),
            ("users", false),
            ("admin_data", false),
            ("deceased", false),
            ("", false),
        ] {
            assert_eq!(says_nothing(key), expected, "{key}");
        }
    }

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
