//! Index of the spellings of all property names.

use std::collections::{HashMap, HashSet};

use llmend_json::{Kind, Value};

use crate::compile::{Goal, Shape};
use crate::fold::folded;

/// The property names of a schema.
#[derive(Debug, Default)]
pub(crate) struct Spellings {
    /// Names that are not a spelling of another property.
    alone: HashSet<String>,
    /// All names and aliases, folded.
    folded: HashSet<String>,
}

impl Spellings {
    pub(crate) fn of(shapes: &[Shape]) -> Self {
        let plain = shapes.iter().filter_map(|shape| match &shape.goal {
            Goal::Plain(plain) => Some(plain),
            Goal::Union { .. } | Goal::Either { .. } | Goal::Opaque => None,
        });
        let properties: Vec<_> = plain.flat_map(|plain| &plain.properties).collect();
        let mut names: HashMap<&str, HashSet<&str>> = HashMap::new();
        for property in &properties {
            for folded in property.aliases.iter().chain([&property.name.folded]) {
                names.entry(folded).or_default().insert(&property.name.text);
            }
        }
        let is_alone = |folded: &str| names.get(folded).is_some_and(|texts| texts.len() == 1);
        let alone = properties.iter().filter(|property| is_alone(&property.name.folded));
        Self {
            alone: alone.map(|property| property.name.text.clone()).collect(),
            folded: names.keys().map(|&folded| folded.to_owned()).collect(),
        }
    }

    /// Returns whether a key of `value` may have to be renamed.
    pub(crate) fn may_be_in(&self, value: &Value<'_>) -> bool {
        let nodes = (0..value.parts()).filter_map(|at| value.node(at));
        let objects = nodes.filter(|node| node.kind() == Kind::Object);
        let mut keys =
            objects.flat_map(llmend_json::Node::members).filter_map(|(key, _)| key.str());
        keys.any(|key| !self.alone.contains(key) && self.folded.contains(&folded(key)))
    }
}

#[cfg(test)]
mod tests {
    use crate::Schema;

    #[test]
    fn a_key_may_be_a_spelling_of_any_property() {
        let schema = r#"{"properties": {
            "firstName": {"type": "string"},
            "term": {"x-aliases": ["deadline"]},
            "in": {"properties": {"due": {}, "Due": {}, "x": {"type": "integer"},
                "deadline": {"x-aliases": ["until"]}}}}}"#;
        let schema = Schema::from_text(schema).unwrap();
        let rows = [
            (r#"{"firstName": "A", "in": {"x": 1}, "other": [{"x": 2}]}"#, false),
            (r#"{"first_name": "A"}"#, true),
            (r#"[1, {"in": {"X": 1}}]"#, true),
            // A property here may be a spelling of another one.
            (r#"{"in": {"due": 1}}"#, true),
            (r#"{"in": {"deadline": 1}}"#, true),
            (r#"{"in": {"Until": 1}}"#, true),
            (r#"{"term": 1}"#, false),
            (r#"{"a": "first_name"}"#, false),
            ("7", false),
        ];
        for (text, expected) in rows {
            let value = llmend_json::parse(text).unwrap().value;
            assert_eq!(schema.compiled().spellings.may_be_in(&value), expected, "{text}");
        }
    }
}
