//! The order of keys in texts, by the content of their objects.
//!
//! Locations have the order for each part of a document. Where a part goes elsewhere, into another dialect
//! or by a patch, its content tells which object it is.

use std::collections::HashMap;

use llmend_json::{Kind, Node, RuleSet, Search};
use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq},
};

use crate::{
    Dialect, Document, Locations, Ordered, Reviewed,
    layout::{Layout, json},
    ordered::ordered,
};

/// The keys of objects in the order of a text.
///
/// ```
/// use llmend_plan::{Dialect, KeyOrders, Layout};
///
/// let mut orders = KeyOrders::default();
/// orders.read(llmend_json::parse(r#"{"inputs": {"to": "me", "body": "hi"}}"#)?.value.root());
/// let text = r#"{"arguments":{"body":"hi","to":"me"}}"#;
/// assert_eq!(
///     orders.written(text, Dialect::Workflow, Layout::Compact),
///     r#"{"arguments":{"to":"me","body":"hi"}}"#
/// );
/// # Ok::<(), llmend_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyOrders(HashMap<String, Vec<String>>);

impl KeyOrders {
    /// Adds the objects in a value whose keys are not sorted. Of objects with the same content, the first
    /// counts.
    pub fn read(&mut self, node: Node<'_>) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            open.extend(node.items());
            open.extend(node.members().map(|(_, value)| value));
            let keys: Vec<&str> = node.members().filter_map(|(key, _)| key.str()).collect();
            if !keys.is_sorted() {
                let keys = keys.into_iter().map(str::to_owned).collect();
                self.0.entry(content(node)).or_insert(keys);
            }
        }
    }

    /// Adds the objects in a document that was read from a text.
    pub fn add(&mut self, document: &Document, locations: &Locations) {
        if !locations.is_ordered() {
            return;
        }
        let text = json(&Ordered { document, locations }, Layout::Compact);
        if let Ok(parsed) = llmend_json::parse_with(&text, &strict()) {
            self.read(parsed.value.root());
        }
    }

    /// Returns `text`, JSON in a dialect, with the keys of known objects in their order.
    #[must_use]
    pub fn written(&self, text: &str, dialect: Dialect, layout: Layout) -> String {
        match llmend_json::parse_with(text, &strict()) {
            Ok(parsed) if !self.0.is_empty() => {
                json(&Keyed { node: parsed.value.root(), orders: self, dialect }, layout)
            }
            // It has no keys to order, or is longer than the engine reads.
            _ => text.to_owned(),
        }
    }

    /// Adds the orders to the locations of a document whose parts come from the texts.
    pub fn locate(&self, reviewed: &mut Reviewed<Document>) {
        let text = json(&reviewed.value, Layout::Compact);
        let Ok(parsed) = llmend_json::parse_with(&text, &strict()) else { return };
        for (list, items) in parsed.value.root().members() {
            let list = list.str().unwrap_or_default().to_owned();
            let known = reviewed.locations.lists.entry(list).or_default();
            if known.len() < items.items().count() {
                known.resize_with(items.len(), Default::default);
            }
            for (item, known) in items.items().zip(known) {
                let mut open = vec![(item, String::new())];
                while let Some((node, path)) = open.pop() {
                    if let Some(keys) = self.of(node).filter(|_| !path.is_empty()) {
                        known.order.entry(path.clone()).or_insert_with(|| keys.to_vec());
                    }
                    let members = node.members().map(|(key, value)| {
                        let key = key.str().unwrap_or_default();
                        (value, crate::locations::below(&path, key))
                    });
                    let items = node.items().enumerate();
                    let items =
                        items.map(|(at, it)| (it, crate::locations::below(&path, &at.to_string())));
                    open.extend(members.chain(items));
                }
            }
        }
    }

    /// Returns the keys of an object in the order of the text, if it is known and they are not sorted.
    fn of(&self, node: Node<'_>) -> Option<&[String]> {
        let is_object = node.kind() == Kind::Object && node.len() > 1;
        is_object.then(|| self.0.get(&content(node)))?.map(Vec::as_slice)
    }
}

/// Options for text that llmend wrote.
fn strict() -> llmend_json::Options {
    llmend_json::Options {
        rules: RuleSet::NONE,
        search: Search::Off,
        ..llmend_json::Options::default()
    }
}

/// Returns the content of an object, whatever the order of its keys.
fn content(node: Node<'_>) -> String {
    node.to_serde().value.to_string()
}

/// A value whose objects have their keys in order.
struct Keyed<'d> {
    node: Node<'d>,
    orders: &'d KeyOrders,
    dialect: Dialect,
}

impl<'d> Keyed<'d> {
    fn at(&self, node: Node<'d>) -> Self {
        Self { node, ..*self }
    }

    /// Returns the text of arguments that are written as a string.
    fn string(&self, key: &str) -> Option<String> {
        let text = self.node.str().filter(|_| self.dialect == Dialect::OpenAiToolCalls)?;
        let is_arguments = key == "arguments" && text.starts_with('{');
        is_arguments.then(|| self.orders.written(text, self.dialect, Layout::Compact))
    }
}

impl Serialize for Keyed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.node.kind() {
            Kind::Object => {
                let members = self.node.members();
                let mut members: Vec<(&str, Node<'_>)> =
                    members.map(|(key, value)| (key.str().unwrap_or_default(), value)).collect();
                if let Some(order) = self.orders.of(self.node) {
                    members = ordered(members, order);
                }
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, node) in members {
                    let value = self.at(node);
                    match value.string(key) {
                        Some(text) => map.serialize_entry(key, &text)?,
                        None => map.serialize_entry(key, &value)?,
                    }
                }
                map.end()
            }
            Kind::Array => {
                let mut items = serializer.serialize_seq(Some(self.node.len()))?;
                for item in self.node.items() {
                    items.serialize_element(&self.at(item))?;
                }
                items.end()
            }
            _ => self.node.to_serde().value.serialize(serializer),
        }
    }
}
