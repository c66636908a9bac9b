//! Calls out of the texts of streamed messages.

use llmend::json::Node;
use llmend_models::sse::FinishReason;
use serde_json::{Value, json};

use super::response::finish;
use crate::answer::from_text::FromText;
use crate::calls::native::NativeCall;
use crate::protocol::event::named;
use crate::protocol::items::form::{Arrived, ItemForm, NewItem, NewKind, Replaced};
use crate::splice::{Splice, quoted, text};

/// The blocks of a message.
#[derive(Debug)]
pub(super) struct Blocks;

fn event(data: &Value) -> String {
    named(data["type"].as_str().unwrap_or_default(), &data.to_string())
}

impl ItemForm for Blocks {
    fn arrived(&self, root: Node<'_>) -> Arrived {
        let item = root.get("index").and_then(|index| index.number()?.parse().ok()).unwrap_or(0);
        match text(root, "type").unwrap_or_default() {
            "content_block_start" => {
                let block = root.get("content_block");
                let kind = block.and_then(|block| text(block, "type"));
                let words = block.and_then(|block| text(block, "text"));
                if kind == Some("text") {
                    return Arrived::Opens { item, is_empty: words.is_none_or(str::is_empty) };
                }
                Arrived::Other { item, opens: true, is_call: kind == Some("tool_use") }
            }
            "content_block_delta" => {
                let delta = root.get("delta");
                let is_text = delta.and_then(|delta| text(delta, "type")) == Some("text_delta");
                match delta.filter(|_| is_text).and_then(|delta| text(delta, "text")) {
                    Some(piece) => Arrived::Text { item, piece: piece.to_owned() },
                    None => Arrived::Other { item, opens: false, is_call: false },
                }
            }
            "content_block_stop" => Arrived::Closes { item, is_last: true },
            "message_delta" => Arrived::End(root.get("delta").and_then(finish)),
            _ => Arrived::Aside,
        }
    }

    fn id<'v>(&self, _root: Node<'v>) -> Option<&'v str> {
        None
    }

    fn reasoning<'v>(&self, root: Node<'v>) -> Option<&'v str> {
        let holder = root.get("delta").or_else(|| root.get("content_block"))?;
        text(holder, "thinking")
    }

    fn note_call(&self, root: Node<'_>, call: &mut NativeCall) {
        if let Some(block) = root.get("content_block") {
            text(block, "name").unwrap_or_default().clone_into(&mut call.name);
            // Some servers send the whole input here.
            let input = block.get("input").filter(|input| !input.is_empty());
            call.arguments.push_str(&input.map(|input| input.to_string()).unwrap_or_default());
        }
        let piece = root.get("delta").and_then(|delta| text(delta, "partial_json"));
        call.arguments.push_str(piece.unwrap_or_default());
    }

    fn open(&self, item: &NewItem) -> Vec<String> {
        let block = match &item.kind {
            NewKind::Text | NewKind::Refusal => json!({"type": "text", "text": ""}),
            NewKind::Reasoning => json!({"type": "thinking", "thinking": "", "signature": ""}),
            NewKind::Call { id, name, .. } => {
                json!({"type": "tool_use", "id": id, "name": name, "input": {}})
            }
        };
        let start = json!({"type": "content_block_start", "index": item.index,
            "content_block": block});
        vec![event(&start)]
    }

    fn grow(&self, item: &NewItem, piece: &str) -> Vec<String> {
        let delta = match item.kind {
            NewKind::Text | NewKind::Refusal => json!({"type": "text_delta", "text": piece}),
            NewKind::Reasoning => json!({"type": "thinking_delta", "thinking": piece}),
            NewKind::Call { .. } => json!({"type": "input_json_delta", "partial_json": piece}),
        };
        let delta = json!({"type": "content_block_delta", "index": item.index, "delta": delta});
        vec![event(&delta)]
    }

    fn close(&self, item: &NewItem) -> Vec<String> {
        vec![event(&json!({"type": "content_block_stop", "index": item.index}))]
    }

    fn renumbered(
        &self,
        data: &str,
        root: Node<'_>,
        item: Option<u32>,
        _number: Option<u64>,
    ) -> String {
        let mut splice = Splice::new(data);
        if let (Some(item), Some(index)) = (item, root.get("index")) {
            splice.replace(index, item.to_string());
        }
        named(text(root, "type").unwrap_or_default(), &splice.finish())
    }

    fn number(&self, _root: Node<'_>) -> Option<u64> {
        None
    }

    fn ended(&self, data: &str, root: Node<'_>, found: &FromText, _written: &[Replaced]) -> String {
        let mut splice = Splice::new(data);
        let reason = root.get("delta").and_then(|delta| delta.get("stop_reason"));
        let reason = reason.filter(|reason| {
            let word = reason.str().unwrap_or_default();
            !found.calls.is_empty() && FinishReason::from_word(word) == FinishReason::Stop
        });
        if let Some(reason) = reason {
            splice.replace(reason, quoted("tool_use"));
        }
        named("message_delta", &splice.finish())
    }
}
