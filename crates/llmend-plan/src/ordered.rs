//! Canonical documents whose arguments keep the order of their keys in the text.
//!
//! A [`Map`](crate::Map) sorts its keys, so the order is among the [`Locations`].

use std::collections::HashMap;

use llmend_json::{Kind, Node, RuleSet, Search};
use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq},
};

use crate::{Document, Locations, locations::below};

/// The canonical form of a document, to be serialized with the keys of its arguments and of other free
/// objects in the order of the text. Keys that are not from the text come last.
///
/// ```
/// use llmend_plan::{Options, Ordered, read_text};
///
/// let answer = r#"{"tasks": [{"task_id": "a", "tool": "mail", "args": {"to": "me", "body": "hi"}}]}"#;
/// let read = read_text(answer, &Options::default())?;
/// assert_eq!(
///     serde_json::to_string(&Ordered { document: &read.value, locations: &read.locations })?,
///     r#"{"steps":[{"id":"a","tool":"mail","inputs":{"to":"me","body":"hi"}}]}"#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ordered<'d> {
    /// The document.
    pub document: &'d Document,
    /// Its locations.
    pub locations: &'d Locations,
}

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.locations.is_ordered() {
            return self.document.serialize(serializer);
        }
        // The text has the fields in the canonical order, which a `serde_json::Value` has not.
        let text = serde_json::to_string(self.document).map_err(serde::ser::Error::custom)?;
        let options = llmend_json::Options {
            rules: RuleSet::NONE,
            search: Search::Off,
            ..llmend_json::Options::default()
        };
        match llmend_json::parse_with(&text, &options) {
            Ok(parsed) => {
                let (node, path) = (parsed.value.root(), String::new());
                OrderedNode { node, path, locations: self.locations }.serialize(serializer)
            }
            // The text is longer than the engine reads.
            Err(_) => self.document.serialize(serializer),
        }
    }
}

/// A part of the document, with its canonical path.
struct OrderedNode<'d> {
    node: Node<'d>,
    path: String,
    locations: &'d Locations,
}

impl OrderedNode<'_> {
    fn at<'d>(&'d self, node: Node<'d>, token: &str) -> OrderedNode<'d> {
        OrderedNode { node, path: below(&self.path, token), locations: self.locations }
    }
}

impl Serialize for OrderedNode<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.node.kind() {
            Kind::Object => {
                let mut members: Vec<(&str, Node<'_>)> = self
                    .node
                    .members()
                    .map(|(key, value)| (key.str().unwrap_or_default(), value))
                    .collect();
                if let Some(order) = self.locations.order(&self.path) {
                    members = ordered(members, order);
                }
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, &self.at(value, key))?;
                }
                map.end()
            }
            Kind::Array => {
                let mut items = serializer.serialize_seq(Some(self.node.len()))?;
                for (at, item) in self.node.items().enumerate() {
                    items.serialize_element(&self.at(item, &at.to_string()))?;
                }
                items.end()
            }
            _ => self.node.to_serde().value.serialize(serializer),
        }
    }
}

/// Returns the members in the order of their keys in `order`, and then the others. A key that stands
/// twice in the text counts where it stands first.
pub(crate) fn ordered<'m, T>(
    mut members: Vec<(&'m str, T)>,
    order: &[String],
) -> Vec<(&'m str, T)> {
    let mut places = HashMap::new();
    for (at, key) in order.iter().enumerate() {
        places.entry(key.as_str()).or_insert(at);
    }
    members.sort_by_key(|(key, _)| places.get(key).copied().unwrap_or(usize::MAX));
    members
}

#[cfg(test)]
mod tests {
    use super::ordered;

    #[test]
    fn keys_of_the_text_come_first_in_its_order() {
        let rows = [
            ("a b c", "c a b", "c a b"),
            ("a b c", "c", "c a b"),
            ("a b", "", "a b"),
            ("a b", "z b a", "b a"),
            ("a b", "b a b", "b a"),
        ];
        for (members, order, expected) in rows {
            let members = members.split(' ').map(|key| (key, ())).collect();
            let order: Vec<String> = order.split_whitespace().map(str::to_owned).collect();
            let keys: Vec<&str> = ordered(members, &order).into_iter().map(|it| it.0).collect();
            assert_eq!(keys.join(" "), expected);
        }
    }
}
