//! How does the gateway write what it says itself in a chat completion?

use llmend::json::Node;
use serde_json::{Value, json};

use crate::splice::quoted;

/// What stands in an answer that does not say it: clients fail without.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Defaults {
    pub(crate) id: String,
    /// Seconds since 1970.
    pub(crate) created: u64,
    pub(crate) model: String,
}

impl Defaults {
    /// The members that every client wants and `root` does not have, as JSON.
    pub(crate) fn missing(
        &self,
        root: Node<'_>,
        object: &'static str,
    ) -> Vec<(&'static str, String)> {
        let known = [
            ("id", quoted(&self.id)),
            ("object", quoted(object)),
            ("created", self.created.to_string()),
            ("model", quoted(&self.model)),
        ];
        known.into_iter().filter(|(key, _)| root.get(key).is_none()).collect()
    }

    /// Takes over what a chunk says.
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

    /// The id of a call that has none: one that no other answer has.
    pub(crate) fn call_id(&self, choice: u32, index: usize) -> String {
        let id: String = self.id.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
        format!("call_{id}_{choice}_{index}")
    }

    /// One event of a stream.
    pub(crate) fn event(&self, choice: u32, delta: &Value, finish: Option<&str>) -> String {
        let mut out = String::new();
        self.write_event(choice, delta, finish, &[], &mut out);
        out
    }

    /// One event of a stream, with members beside its choice: their names and JSON.
    pub(crate) fn write_event(
        &self,
        choice: u32,
        delta: &Value,
        finish: Option<&str>,
        beside: &[(String, String)],
        out: &mut String,
    ) {
        let chunk = json!({
            "id": self.id,
            "object": OBJECT,
            "created": self.created,
            "model": self.model,
            "choices": [{"index": choice, "delta": delta, "logprobs": null, "finish_reason": finish}],
        });
        let chunk = chunk.to_string();
        out.push_str("data: ");
        // As they were written: what is only the upstream's is not read and told in other words.
        out.push_str(chunk.strip_suffix('}').unwrap_or(&chunk));
        for (key, json) in beside {
            out.extend([",", &quoted(key), ":", json]);
        }
        out.push_str("}\n\n");
    }
}

/// The `object` of a chunk.
pub(crate) const OBJECT: &str = "chat.completion.chunk";
