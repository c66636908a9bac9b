//! A gateway in front of a scripted upstream, and a client that is a bare socket.

use llmend_gateway::{Config, Gateway, Settings};
use llmend_model_server::{ModelServer, Reply, Seen, Turn};
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A gateway on a port of its own, until it is dropped.
pub(crate) struct Rig {
    pub(crate) upstream: ModelServer,
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<()>,
}

/// A gateway with a configuration, in front of the upstream `main`.
pub(crate) async fn rig_with(more: &str, upstream: ModelServer) -> Rig {
    rig_of(
        &format!("{more}\n[gateway.upstreams.main]\nbase_url = \"{}/v1\"", upstream.url()),
        upstream,
    )
    .await
}

/// A gateway with all of a configuration, but for where it listens.
pub(crate) async fn rig_of(text: &str, upstream: ModelServer) -> Rig {
    let mut config = Config::from_toml(text).unwrap();
    config.listen = "127.0.0.1:0".parse().unwrap();
    let look_up = |name: &str| (name == "UPSTREAM_KEY").then(|| UPSTREAM_KEY.into());
    let settings = Settings::new(&config, look_up).unwrap();
    let gateway = Gateway::bind(settings).await.unwrap();
    let address = gateway.address().unwrap();
    let (stop, stopped) = oneshot::channel();
    let running = tokio::spawn(gateway.run(async {
        let _ = stopped.await;
    }));
    Rig { upstream, address, stop: Some(stop), running }
}

/// The key of the upstream, where a configuration names the variable `UPSTREAM_KEY`.
pub(crate) const UPSTREAM_KEY: &str = "sk-of-the-upstream";

pub(crate) async fn rig(turns: impl IntoIterator<Item = Turn>) -> Rig {
    rig_with("", ModelServer::scripted(turns)).await
}

impl Rig {
    /// Wishes that the gateway stops, and waits until it has.
    pub(crate) async fn stop(&mut self) {
        self.begin_to_stop();
        (&mut self.running).await.unwrap();
    }

    pub(crate) fn begin_to_stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }

    /// Sends the bytes of a request.
    pub(crate) async fn send(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    /// A request with the usual headers and these, without its last blank line's body.
    pub(crate) fn head(&self, method: &str, path: &str, headers: &str, length: usize) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n{headers}\r\n",
            self.address
        )
    }

    pub(crate) async fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Got {
        let request = self.head(method, path, headers, body.len()) + body;
        Got::read(self.send(&request).await).await
    }

    pub(crate) async fn get(&self, path: &str) -> Got {
        self.ask("GET", path, "", "").await
    }

    pub(crate) async fn chat(&self, body: &Value) -> Got {
        self.ask("POST", CHAT, "", &body.to_string()).await
    }

    /// What the upstream was sent, of which there is one.
    pub(crate) fn seen(&self) -> Seen {
        let mut requests = self.upstream.requests();
        assert_eq!(requests.len(), 1, "{requests:?}");
        requests.remove(0)
    }
}

pub(crate) const CHAT: &str = "/v1/chat/completions";

/// What came back.
#[derive(Clone, Debug)]
pub(crate) struct Got {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    /// Whether the body came to its end.
    pub(crate) is_whole: bool,
}

impl Got {
    /// Reads until the connection is closed.
    pub(crate) async fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        // A connection that is cut may end with an error; what came before counts.
        let _ = stream.read_to_end(&mut bytes).await;
        Self::parse(&bytes)
    }

    fn parse(bytes: &[u8]) -> Self {
        let at = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let at = at.unwrap_or_else(|| panic!("no head: {:?}", String::from_utf8_lossy(bytes)));
        let head = std::str::from_utf8(&bytes[..at]).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let is_chunked = headers.iter().any(|(name, _)| name == "transfer-encoding");
        let rest = &bytes[at + 4..];
        let (body, is_whole) = if is_chunked { dechunked(rest) } else { (rest.to_vec(), true) };
        Self { status, headers, body: String::from_utf8(body).unwrap(), is_whole }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The data of each event, which have to be JSON or the mark of the end.
    pub(crate) fn events(&self) -> Vec<Value> {
        let body = self.body.replace("\r\n", "\n");
        let data = body.split("\n\n").filter_map(|event| event.strip_prefix("data: "));
        data.map(|data| match data {
            "[DONE]" => json!("[DONE]"),
            data => serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {data}")),
        })
        .collect()
    }

    /// What a client puts together of the pieces of a stream.
    pub(crate) fn content(&self) -> String {
        let events = self.events();
        events.iter().filter_map(|event| event["choices"][0]["delta"]["content"].as_str()).collect()
    }

    /// The reasons to stop of a stream.
    pub(crate) fn finishes(&self) -> Vec<String> {
        let events = self.events();
        let reason =
            |event: &Value| Some(event["choices"][0]["finish_reason"].as_str()?.to_owned());
        events.iter().filter_map(reason).collect()
    }
}

/// The body of a message in chunks, and whether its last one came.
fn dechunked(mut bytes: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(at) = bytes.windows(2).position(|two| two == b"\r\n") else {
            return (body, false);
        };
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..at]).unwrap(), 16).unwrap();
        if size == 0 {
            return (body, true);
        }
        let rest = &bytes[at + 2..];
        if rest.len() < size + 2 {
            body.extend_from_slice(&rest[..size.min(rest.len())]);
            return (body, false);
        }
        body.extend_from_slice(&rest[..size]);
        bytes = &rest[size + 2..];
    }
}

/// A request for JSON of a schema, whole or as a stream.
pub(crate) fn wants_city(stream: bool) -> Value {
    json!({
        "model": "m",
        "stream": stream,
        "messages": [{"role": "user", "content": "A city?"}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "city", "schema": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        }}},
    })
}

/// A request that offers a tool.
pub(crate) fn offers_tool(stream: bool) -> Value {
    json!({
        "model": "m",
        "stream": stream,
        "messages": [{"role": "user", "content": "Run it."}],
        "tools": [{"type": "function", "function": {"name": "run", "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "times": {"type": "integer"}},
            "required": ["path"],
        }}}],
    })
}

/// A request for words.
pub(crate) fn wants_words(stream: bool) -> Value {
    json!({"model": "m", "stream": stream, "messages": [{"role": "user", "content": "Hello."}]})
}

/// One event of a chat completion in the form that all clients read.
pub(crate) fn chunk(delta: &Value, finish: Option<&str>) -> String {
    let chunk = json!({"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    format!("data: {chunk}\n\n")
}

/// A stream of these events.
pub(crate) fn events(events: &[String]) -> Turn {
    let mut reply = Reply::events("");
    for event in events {
        reply = reply.text(event.clone());
    }
    reply.into()
}

pub(crate) const DONE: &str = "data: [DONE]\n\n";
