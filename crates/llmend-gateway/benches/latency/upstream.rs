//! An upstream that answers at once, or a piece at a time. It reads as little as it can, so that what is measured is
//! not it.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Starts it on a thread of its own.
pub(crate) fn start() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a listener that does not block");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let listener = TcpListener::from_std(listener).expect("a listener");
            while let Ok((stream, _)) = listener.accept().await {
                let _ = stream.set_nodelay(true);
                tokio::spawn(serve(stream));
            }
        });
    });
    address
}

/// What a request says that wants half of its answer, and the rest never.
pub(crate) const HOLD: &str = "Wait for me.";

/// What a request says that wants its answer at the pace of a model.
pub(crate) const PACED: &str = "Take your time.";

/// The time between two pieces of such an answer.
const GAP: Duration = Duration::from_millis(20);

async fn serve(mut stream: TcpStream) {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 << 10];
    loop {
        while let Some(length) = request_length(&bytes) {
            let request = String::from_utf8_lossy(&bytes[..length]).into_owned();
            bytes.drain(..length);
            let answer = answer(&request);
            if request.contains(PACED) {
                if send_paced(&mut stream, &answer).await.is_err() {
                    return;
                }
                continue;
            }
            let sent = if request.contains(HOLD) { answer.len() / 2 } else { answer.len() };
            if stream.write_all(&answer.as_bytes()[..sent]).await.is_err() {
                return;
            }
        }
        match stream.read(&mut buffer).await {
            Ok(read @ 1..) => bytes.extend_from_slice(&buffer[..read]),
            _ => return,
        }
    }
}

/// Sends the head and the first event of an answer at once, and each event behind it after a while.
async fn send_paced(stream: &mut TcpStream, answer: &str) -> std::io::Result<()> {
    let body = answer.find("\r\n\r\n").map_or(0, |head| head + 4);
    let mut sent = 0;
    while sent < answer.len() {
        let from = sent.max(body);
        let end = answer[from..].find("\n\n").map_or(answer.len(), |end| from + end + 2);
        stream.write_all(&answer.as_bytes()[sent..end]).await?;
        sent = end;
        if sent < answer.len() {
            tokio::time::sleep(GAP).await;
        }
    }
    Ok(())
}

/// The length of the first request, if all of it has come.
fn request_length(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = str::from_utf8(&bytes[..head]).ok()?.to_ascii_lowercase();
    let length =
        text.split("content-length: ").nth(1)?.split("\r\n").next()?.parse::<usize>().ok()?;
    (bytes.len() >= head + length).then_some(head + length)
}

const VALID: &str = r#"{\"city\": \"Oslo\", \"days\": 3, \"sights\": [\"Vigeland\", \"Opera\"]}"#;
const BROKEN: &str =
    r"```json\n{'city': 'Oslo', 'days': '3', 'sights': ['Vigeland', 'Opera',]}\n```";

const CALLS: &str = r#"I look it up.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\", \"days\": \"3\"}}\n</tool_call>"#;

fn answer(request: &str) -> String {
    let text = match member(request, "model") {
        "valid" => VALID,
        "broken" => BROKEN,
        "calls" => CALLS,
        _ => "Good morning, and what can I do for you today?",
    };
    let (kind, body) = if member(request, "stream") == "true" {
        ("text/event-stream", stream(text))
    } else {
        ("application/json", whole(text))
    };
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// A word of the request, as compact JSON or with spaces.
fn member<'r>(request: &'r str, name: &str) -> &'r str {
    let rest = request.split(&format!("\"{name}\":")).nth(1).unwrap_or_default().trim_start();
    rest.trim_start_matches('"').split(['"', ',', '}']).next().unwrap_or_default()
}

const HEAD: &str =
    r#"{"id":"chatcmpl-1","object":"OBJECT","created":1,"model":"m","choices":[{"index":0,"#;

fn whole(text: &str) -> String {
    let head = HEAD.replace("OBJECT", "chat.completion");
    format!(
        "{head}\"message\":{{\"role\":\"assistant\",\"content\":\"{text}\"}},\"finish_reason\":\"stop\"}}],\"usage\":{{\"prompt_tokens\":9,\"completion_tokens\":9,\"total_tokens\":18}}}}"
    )
}

/// Twelve events.
fn stream(text: &str) -> String {
    let head = HEAD.replace("OBJECT", "chat.completion.chunk");
    // A piece never ends within an escape.
    let mut pieces: Vec<String> = vec![String::new()];
    for c in text.chars() {
        let piece = pieces.last_mut().expect("there is one");
        piece.push(c);
        if piece.len() >= 7 && !piece.ends_with('\\') {
            pieces.push(String::new());
        }
    }
    let events = pieces.iter().map(|piece| {
        format!("data: {head}\"delta\":{{\"content\":\"{piece}\"}},\"finish_reason\":null}}]}}\n\n")
    });
    let events: Vec<String> = events.collect();
    format!(
        "{}data: {head}\"delta\":{{}},\"finish_reason\":\"stop\"}}]}}\n\ndata: [DONE]\n\n",
        events.concat()
    )
}
