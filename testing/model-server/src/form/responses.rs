//! OpenAI's responses.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::reply::Reply;

/// The finish reason of an answer that was filtered, which responses have as a detail.
const FILTERED: &str = "content_filter";

pub(super) fn whole(answer: &Answer, status: &Value) -> Value {
    let output: Vec<Value> = items(answer).into_iter().map(|item| item.whole()).collect();
    response(answer, status, &json!(output))
}

fn response(answer: &Answer, status: &Value, output: &Value) -> Value {
    let (input, used) = answer.usage;
    let (status, details) = match status.as_str() {
        Some("incomplete") => (status.clone(), json!({"reason": "max_output_tokens"})),
        Some(FILTERED) => (json!("incomplete"), json!({"reason": FILTERED})),
        _ => (status.clone(), Value::Null),
    };
    json!({"id": "resp_1", "object": "response", "created_at": 1, "model": "scripted", "status": status,
        "incomplete_details": details, "error": null, "instructions": null, "metadata": {},
        "output": output, "parallel_tool_calls": true, "temperature": 1.0, "top_p": 1.0,
        "tool_choice": "auto", "tools": [],
        "usage": {"input_tokens": input, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": used, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": input + used}})
}

/// An output item.
enum Item<'a> {
    Text(&'a [String]),
    Call { number: usize, name: &'a str, arguments: &'a str },
}

fn items(answer: &Answer) -> Vec<Item<'_>> {
    let mut items = Vec::new();
    if !answer.pieces.is_empty() || answer.calls.is_empty() {
        items.push(Item::Text(&answer.pieces));
    }
    items.extend(answer.calls.iter().zip(1..).map(|((name, arguments), number)| Item::Call {
        number,
        name,
        arguments,
    }));
    items
}

impl Item<'_> {
    fn id(&self) -> String {
        match self {
            Self::Text(_) => "msg_1".to_owned(),
            Self::Call { number, .. } => format!("fc_{number}"),
        }
    }

    fn whole(&self) -> Value {
        let id = self.id();
        match self {
            Self::Text(pieces) => {
                json!({"id": id, "type": "message", "role": "assistant", "status": "completed",
                    "content": [part(&pieces.concat())]})
            }
            Self::Call { number, name, arguments } => {
                json!({"id": id, "type": "function_call", "call_id": format!("call_{number}"),
                    "name": name, "arguments": arguments, "status": "completed"})
            }
        }
    }

    /// The item as it begins.
    fn begun(&self) -> Value {
        let mut item = self.whole();
        match self {
            Self::Text(_) => item["content"] = json!([]),
            Self::Call { .. } => item["arguments"] = json!(""),
        }
        item["status"] = json!("in_progress");
        item
    }

    /// The events between its start and its end, without their common members.
    fn events(&self) -> Vec<Value> {
        match self {
            Self::Text(pieces) => {
                let text = pieces.concat();
                let mut events = vec![
                    json!({"type": "response.content_part.added", "content_index": 0, "part": part("")}),
                ];
                events.extend(pieces.iter().map(|piece| {
                    json!({"type": "response.output_text.delta", "content_index": 0, "delta": piece,
                        "logprobs": []})
                }));
                events.push(
                    json!({"type": "response.output_text.done", "content_index": 0, "text": text,
                    "logprobs": []}),
                );
                events.push(json!({"type": "response.content_part.done", "content_index": 0,
                    "part": part(&text)}));
                events
            }
            Self::Call { name, arguments, .. } => vec![
                json!({"type": "response.function_call_arguments.delta", "delta": arguments}),
                json!({"type": "response.function_call_arguments.done", "arguments": arguments,
                    "name": name}),
            ],
        }
    }
}

fn part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

pub(super) fn stream(answer: &Answer, status: &Value) -> Reply {
    let begun = response(answer, &json!("in_progress"), &json!([]));
    let mut events = vec![
        json!({"type": "response.created", "response": begun}),
        json!({"type": "response.in_progress", "response": begun}),
    ];
    for (item, index) in items(answer).iter().zip(0..) {
        let added = json!({"type": "response.output_item.added", "item": item.begun()});
        let done = json!({"type": "response.output_item.done", "item": item.whole()});
        let within = item.events().into_iter().map(|mut event| {
            event["item_id"] = json!(item.id());
            event
        });
        events.extend([added].into_iter().chain(within).chain([done]).map(|mut event| {
            event["output_index"] = json!(index);
            event
        }));
    }
    let name = match status.as_str() {
        Some(FILTERED) => "response.incomplete".to_owned(),
        status => format!("response.{}", status.unwrap_or("completed")),
    };
    events.push(json!({"type": name, "response": whole(answer, status)}));
    super::named(events.into_iter().zip(0..).map(|(mut event, number)| {
        event["sequence_number"] = json!(number);
        event
    }))
}
