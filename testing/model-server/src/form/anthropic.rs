//! Messages of Anthropic.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::reply::Reply;

pub(super) fn whole(answer: &Answer, finish: &Value) -> Value {
    let mut content = Vec::new();
    if !answer.pieces.is_empty() || answer.calls.is_empty() {
        content.push(json!({"type": "text", "text": answer.joined()}));
    }
    content.extend(answer.calls.iter().zip(1..).map(|((name, arguments), number)| {
        // The real API always has an object here; compatible servers pass on what the model wrote.
        let input = serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
        use_of(number, name, &input)
    }));
    message(answer, &json!(content), finish)
}

fn use_of(number: usize, name: &str, input: &Value) -> Value {
    json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": name, "input": input})
}

fn message(answer: &Answer, content: &Value, finish: &Value) -> Value {
    let (input, output) = answer.usage;
    json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted",
        "content": content, "stop_reason": finish, "stop_sequence": null,
        "usage": {"input_tokens": input, "output_tokens": output}})
}

pub(super) fn stream(answer: &Answer, finish: &Value) -> Reply {
    let mut begun = message(answer, &json!([]), &Value::Null);
    begun["usage"]["output_tokens"] = json!(1);
    let mut events = vec![json!({"type": "message_start", "message": begun})];
    let mut index = 0;
    let mut block = |start: Value, deltas: Vec<Value>| {
        let at = |mut event: Value| {
            event["index"] = json!(index);
            event
        };
        events.push(at(json!({"type": "content_block_start", "content_block": start})));
        events.extend(
            deltas
                .into_iter()
                .map(|delta| at(json!({"type": "content_block_delta", "delta": delta}))),
        );
        events.push(at(json!({"type": "content_block_stop"})));
        index += 1;
    };
    if !answer.pieces.is_empty() || answer.calls.is_empty() {
        let delta = |piece| json!({"type": "text_delta", "text": piece});
        block(json!({"type": "text", "text": ""}), answer.pieces.iter().map(delta).collect());
    }
    for ((name, arguments), number) in answer.calls.iter().zip(1..) {
        let delta = json!({"type": "input_json_delta", "partial_json": arguments});
        block(use_of(number, name, &json!({})), vec![delta]);
    }
    let (_, output) = answer.usage;
    events.push(json!({"type": "message_delta",
        "delta": {"stop_reason": finish, "stop_sequence": null}, "usage": {"output_tokens": output}}));
    events.push(json!({"type": "message_stop"}));
    super::named(events)
}
