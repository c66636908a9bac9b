//! The members that the gateway adds to chat completions.

use llmend::json::Node;
use serde_json::{Value, json};

use crate::protocol::ResponseDefaults;
use crate::splice::quoted;

impl ResponseDefaults {
    /// Returns the members that clients need and `root` lacks, as JSON.
    pub(crate) fn missing(
        &self,
        root: Node<'_>,
        object: &'static str,
    ) -> Vec<(&'static str, String)> {
        let is_there = |key: &str, value: Node<'_>| {
            !value.is_null() && (key != "object" || object != OBJECT || value.str() == Some(OBJECT))
        };
        let lacks = |key: &&'static str| !root.get(key).is_some_and(|value| is_there(key, value));
        let known = |key: &'static str| {
            let json = match key {
                "id" => quoted(&self.id),
                "object" => quoted(object),
                "created" => self.created.to_string(),
                _ => quoted(&self.model),
            };
            (key, json)
        };
        HEAD.into_iter().filter(lacks).map(known).collect()
    }

    /// Takes over the values of a chunk.
    pub(crate) fn learn(&mut self, root: Node<'_>) {
        let text = |key: &str| root.get(key).and_then(Node::str).filter(|text| !text.is_empty());
        if let Some(id) = text("id") {
            id.clone_into(&mut self.id);
        }
        if let Some(model) = text("model") {
            model.clone_into(&mut self.model);
        }
        if let Some(created) =
            root.get("created").and_then(|created| created.number()?.parse().ok())
        {
            self.created = created;
        }
    }

    /// Returns an id for a call that has none, unique to the response.
    pub(crate) fn call_id(&self, choice: u32, index: usize) -> String {
        let id: String = self.id.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
        format!("call_{id}_{choice}_{index}")
    }

    /// Writes the event that ends a choice, with the report if there is one.
    pub(crate) fn end(
        &self,
        choice: u32,
        delta: &Value,
        word: &str,
        report: Option<&Value>,
    ) -> String {
        let mut chunk = json!({
            "id": self.id,
            "object": OBJECT,
            "created": self.created,
            "model": self.model,
            "choices": [{"index": choice, "delta": delta, "logprobs": null, "finish_reason": word}],
        });
        if let (Some(chunk), Some(report)) = (chunk.as_object_mut(), report) {
            chunk.insert("llmend".to_owned(), report.clone());
        }
        format!("data: {chunk}\n\n")
    }
}

/// The members that clients need besides the choices.
pub(crate) const HEAD: [&str; 4] = ["id", "object", "created", "model"];

/// The `object` of a chunk.
pub(crate) const OBJECT: &str = "chat.completion.chunk";
