//! Calls that the model wrote as text.

mod whole;

use llmend_model_server::{ModelServer, Reply, Turn};
use serde_json::{Value, json};

/// A call in the notation of many models.
const CALL: &str = "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a.py\", \"times\": \"2\"}}\n</tool_call>";

/// The same call as JSON without marks.
const BARE: &str = "{\"name\": \"run\", \"arguments\": {\"path\": \"a.py\"}}";

/// A whole chat completion with these choices.
fn completion(contents: &[&str], finish: &str) -> Turn {
    let choice = |(index, content): (usize, &&str)| {
        json!({"index": index, "message": {"role": "assistant", "content": content},
            "finish_reason": finish})
    };
    let choices: Vec<Value> = contents.iter().enumerate().map(choice).collect();
    let answer = json!({"id": "c-1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": choices});
    Reply::json(200, answer.to_string()).into()
}

/// An upstream that answers every request with this text.
fn saying(text: &'static str) -> ModelServer {
    ModelServer::answering(move |_| completion(&[text], "stop"))
}
