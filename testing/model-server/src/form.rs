//! How does each provider write an answer?

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::reply::Reply;

/// The form of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
    /// Ollama's `/api/chat`.
    Ollama,
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// The form of the provider whose path it is; chat completions if it is nobody's.
    #[must_use]
    pub fn of_path(path: &str) -> Self {
        match path {
            _ if path.ends_with("/messages") => Self::Anthropic,
            _ if path.contains("enerateContent") => Self::Gemini,
            _ if path.ends_with("/api/chat") => Self::Ollama,
            _ => Self::OpenAi,
        }
    }

    /// An error as the provider writes it.
    #[must_use]
    pub fn error(self, status: u16, message: &str) -> Reply {
        let body = match self {
            Self::OpenAi => {
                json!({"error": {"message": message, "type": "error", "param": null, "code": null}})
            }
            Self::Anthropic => {
                json!({"type": "error", "error": {"type": "api_error", "message": message}})
            }
            Self::Gemini => {
                json!({"error": {"code": status, "message": message, "status": "UNKNOWN"}})
            }
            Self::Ollama => json!({"error": message}),
        };
        Reply::json(status, body.to_string())
    }

    /// The provider's word for the reason to stop.
    pub(crate) fn finish(self, answer: &Answer) -> Value {
        let words = match self {
            Self::OpenAi => ["stop", "tool_calls", "length"],
            Self::Anthropic => ["end_turn", "tool_use", "max_tokens"],
            Self::Gemini => ["STOP", "STOP", "MAX_TOKENS"],
            Self::Ollama => ["stop", "stop", "length"],
        };
        match &answer.finish {
            Some(word) => json!(word),
            None if answer.is_cut_off => json!(words[2]),
            None if answer.call.is_some() => json!(words[1]),
            None => json!(words[0]),
        }
    }

    pub(crate) fn whole(self, answer: &Answer) -> Reply {
        let finish = self.finish(answer);
        let (input, output) = answer.usage;
        let body = match self {
            Self::OpenAi => {
                let calls = answer.call.as_ref().map(|(name, arguments)| {
                    json!([{"id": "call_1", "type": "function",
                        "function": {"name": name, "arguments": arguments}}])
                });
                json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted",
                    "choices": [{"index": 0, "finish_reason": finish, "message":
                        {"role": "assistant", "content": answer.joined(), "tool_calls": calls}}],
                    "usage": {"prompt_tokens": input, "completion_tokens": output,
                        "total_tokens": input + output}})
            }
            Self::Anthropic => {
                let mut content = vec![json!({"type": "text", "text": answer.joined()})];
                content.extend(answer.call.as_ref().map(|(name, arguments)| {
                    json!({"type": "tool_use", "id": "toolu_1", "name": name,
                        "input": object(arguments)})
                }));
                json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted",
                    "content": content, "stop_reason": finish, "stop_sequence": null,
                    "usage": {"input_tokens": input, "output_tokens": output}})
            }
            Self::Gemini => gemini(answer, &answer.joined(), &finish),
            Self::Ollama => ollama(answer, &answer.joined(), &finish),
        };
        Reply::json(200, body.to_string())
    }

    /// A stream, a chunk for each piece, and one for the end.
    pub(crate) fn stream(self, answer: &Answer) -> Reply {
        match self {
            Self::OpenAi => openai_stream(answer, &self.finish(answer)),
            Self::Anthropic => anthropic_stream(answer, &self.finish(answer)),
            Self::Gemini => {
                let mut reply = Reply::events("");
                for piece in &answer.pieces {
                    let event = gemini(&Answer::default(), piece, &Value::Null);
                    reply = reply.text(format!("data: {event}\n\n"));
                }
                reply.text(format!("data: {}\n\n", gemini(answer, "", &self.finish(answer))))
            }
            Self::Ollama => {
                let mut reply = Reply::status(200).header("content-type", "application/x-ndjson");
                for piece in &answer.pieces {
                    let line = ollama(&Answer::default(), piece, &Value::Null);
                    reply = reply.text(format!("{line}\n"));
                }
                reply.text(format!("{}\n", ollama(answer, "", &self.finish(answer))))
            }
        }
    }
}

/// What a call passes where its arguments are an object. A text that is no JSON cannot stand there.
fn object(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap_or_else(|_| json!({}))
}

fn openai_stream(answer: &Answer, finish: &Value) -> Reply {
    let chunk = |delta: Value, finish: &Value, usage: Value| {
        let chunk = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "scripted",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": usage});
        format!("data: {chunk}\n\n")
    };
    let mut reply = Reply::events("");
    for piece in &answer.pieces {
        reply = reply.text(chunk(json!({"content": piece}), &Value::Null, Value::Null));
    }
    if let Some((name, arguments)) = &answer.call {
        let call = |function: Value| json!({"tool_calls": [{"index": 0, "function": function}]});
        reply = reply.text(chunk(
            call(json!({"name": name, "arguments": ""})),
            &Value::Null,
            Value::Null,
        ));
        reply = reply.text(chunk(call(json!({"arguments": arguments})), &Value::Null, Value::Null));
    }
    let (input, output) = answer.usage;
    let usage = json!({"prompt_tokens": input, "completion_tokens": output});
    reply.text(chunk(json!({}), finish, usage)).text("data: [DONE]\n\n")
}

fn anthropic_stream(answer: &Answer, finish: &Value) -> Reply {
    let event = |data: Value| {
        let name = data["type"].as_str().unwrap_or_default().to_owned();
        format!("event: {name}\ndata: {data}\n\n")
    };
    let delta = |index: u32, delta: Value| {
        event(json!({"type": "content_block_delta", "index": index, "delta": delta}))
    };
    let start = |index: u32, block: Value| {
        event(json!({"type": "content_block_start", "index": index, "content_block": block}))
    };
    let (input, output) = answer.usage;
    let mut reply = Reply::events(event(json!({"type": "message_start", "message":
        {"id": "msg_1", "model": "scripted", "usage": {"input_tokens": input, "output_tokens": 1}}})));
    reply = reply.text(start(0, json!({"type": "text", "text": ""})));
    for piece in &answer.pieces {
        reply = reply.text(delta(0, json!({"type": "text_delta", "text": piece})));
    }
    if let Some((name, arguments)) = &answer.call {
        let block = json!({"type": "tool_use", "id": "toolu_1", "name": name, "input": {}});
        reply = reply.text(start(1, block));
        let piece = json!({"type": "input_json_delta", "partial_json": arguments});
        reply = reply.text(delta(1, piece));
    }
    let end = json!({"type": "message_delta", "delta": {"stop_reason": finish},
        "usage": {"output_tokens": output}});
    reply.text(event(end)).text(event(json!({"type": "message_stop"})))
}

fn gemini(answer: &Answer, text: &str, finish: &Value) -> Value {
    let mut parts = Vec::new();
    if !text.is_empty() {
        parts.push(json!({"text": text}));
    }
    parts.extend(answer.call.as_ref().map(
        |(name, arguments)| json!({"functionCall": {"name": name, "args": object(arguments)}}),
    ));
    let mut body = json!({"modelVersion": "scripted", "responseId": "r1",
        "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}]});
    if !finish.is_null() {
        let (input, output) = answer.usage;
        body["candidates"][0]["finishReason"] = finish.clone();
        body["usageMetadata"] = json!({"promptTokenCount": input, "candidatesTokenCount": output});
    }
    body
}

fn ollama(answer: &Answer, text: &str, finish: &Value) -> Value {
    let mut body = json!({"model": "scripted", "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": text}, "done": !finish.is_null()});
    if let Some((name, arguments)) = &answer.call {
        let call = json!({"function": {"name": name, "arguments": object(arguments)}});
        body["message"]["tool_calls"] = json!([call]);
    }
    if !finish.is_null() {
        let (input, output) = answer.usage;
        body["done_reason"] = finish.clone();
        body["prompt_eval_count"] = json!(input);
        body["eval_count"] = json!(output);
    }
    body
}
