//! Chat completions.

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::reply::Reply;

pub(super) fn whole(answer: &Answer, finish: &Value) -> Value {
    let calls: Vec<Value> = answer.calls.iter().zip(1..).map(call).collect();
    let mut message = json!({"role": "assistant", "content": answer.joined()});
    match calls.first() {
        None => {}
        Some(call) if answer.is_function => message["function_call"] = call["function"].clone(),
        Some(_) => message["tool_calls"] = json!(calls),
    }
    json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}], "usage": usage(answer)})
}

fn call(((name, arguments), number): (&(String, String), usize)) -> Value {
    json!({"id": format!("call_{number}"), "type": "function",
        "function": {"name": name, "arguments": arguments}})
}

fn usage(answer: &Answer) -> Value {
    let (input, output) = answer.usage;
    json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output})
}

pub(super) fn stream(answer: &Answer, finish: &Value) -> Reply {
    let chunk = |delta: Value, finish: &Value, usage: Value| {
        let chunk = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
            "model": "scripted",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": usage});
        format!("data: {chunk}\n\n")
    };
    let within = |delta: Value| chunk(delta, &Value::Null, Value::Null);
    let mut reply = Reply::events("");
    for (piece, at) in answer.pieces.iter().zip(0..) {
        let mut delta = json!({"content": piece});
        if at == 0 {
            delta["role"] = json!("assistant");
        }
        reply = reply.text(within(delta));
    }
    for ((name, arguments), index) in answer.calls.iter().zip(0..) {
        let piece = |id: Value, function: Value| {
            if answer.is_function {
                return within(json!({"role": "assistant", "function_call": function}));
            }
            let mut call = json!({"index": index, "function": function});
            if !id.is_null() {
                (call["id"], call["type"]) = (id, json!("function"));
            }
            within(json!({"role": "assistant", "tool_calls": [call]}))
        };
        let id = json!(format!("call_{}", index + 1));
        reply = reply.text(piece(id, json!({"name": name, "arguments": ""})));
        reply = reply.text(piece(Value::Null, json!({"arguments": arguments})));
    }
    reply.text(chunk(json!({}), finish, usage(answer))).text("data: [DONE]\n\n")
}
