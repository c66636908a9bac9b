//! Calls that the model wrote as text.

mod agreeing;
mod allowed;
mod beside_native;
mod client;
mod custom;
mod custom_chat;
mod custom_held;
mod decided;
mod doubted;
mod drafts;
mod emulated_results;
mod emulation;
mod fixtures;
mod native;
mod odd;
mod past;
mod protocols;
mod reasked;
mod reasoning;
mod refused;
mod streamed;
mod upstreams;
mod whole;

use llmend_model_server::{ModelServer, Reply, Turn};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

/// A call in the notation of many models.
pub(crate) const CALL: &str = "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a.py\", \"times\": \"2\"}}\n</tool_call>";

/// The same call as JSON without marks.
const BARE: &str = "{\"name\": \"run\", \"arguments\": {\"path\": \"a.py\"}}";

/// A whole chat completion with these choices.
pub(crate) fn completion(contents: &[&str], finish: &str) -> Turn {
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

/// Reads from a connection until this text has come.
async fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut seen = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let count = stream.read(&mut piece).await.unwrap();
        assert!(count > 0, "the stream ended before {text}: {}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&piece[..count]);
        let all = String::from_utf8_lossy(&seen);
        if all.contains(text) {
            return all.into_owned();
        }
    }
}
