//! Which keys could be another spelling of a property at all, wherever they stand?

use std::collections::{HashMap, HashSet};

use llmend_json::{Kind, Value};

use crate::compile::{Goal, Shape};
use crate::fold::folded;

/// The names of all properties of a schema.
#[derive(Debug, Default)]
pub(crate) struct Spellings {
    /// Those that are no spelling of another one.
    alone: HashSet<String>,
    /// All of them and their other names, folded.
    folded: HashSet<String>,
}

impl Spellings {
    pub(crate) fn of(shapes: &[Shape]) -> Self {
        let plain = shapes.iter().filter_map(|shape| match &shape.goal {
            Goal::Plain(plain) => Some(plain),
            Goal::Union { .. } | Goal::Either { .. } | Goal::Opaque => None,
        });
        let properties: Vec<_> = plain.flat_map(|plain| &plain.properties).collect();
        let mut meant: HashMap<&str, HashSet<&str>> = HashMap::new();
        for property in &properties {
            for folded in property.aliases.iter().chain([&property.name.folded]) {
                meant.entry(folded).or_default().insert(&property.name.text);
            }
        }
        let is_alone = |folded: &str| meant.get(folded).is_some_and(|texts| texts.len() == 1);
        let alone = properties.iter().filter(|property| is_alone(&property.name.folded));
        Self {
            alone: alone.map(|property| property.name.text.clone()).collect(),
            folded: meant.keys().map(|&folded| folded.to_owned()).collect(),
        }
    }

    /// Whether a key of `value` may be one that is to be renamed. If not, none is.
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
            // It is a property here, and may be a spelling of another one there.
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
