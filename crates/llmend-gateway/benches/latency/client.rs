//! A client that sends, and reads until an answer is whole.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

/// One connection, which stays as long as the server keeps it.
pub(crate) struct Client {
    address: SocketAddr,
    stream: TcpStream,
    request: Vec<u8>,
    bytes: Vec<u8>,
}

impl Client {
    pub(crate) fn new(address: SocketAddr, body: &str) -> Self {
        let stream = connect(address);
        let request = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        Self { address, stream, request: request.into_bytes(), bytes: Vec::with_capacity(64 << 10) }
    }

    /// Sends a request and reads its answer.
    pub(crate) fn ask(&mut self) -> &[u8] {
        self.send();
        self.read_until(is_whole)
    }

    pub(crate) fn send(&mut self) {
        self.bytes.clear();
        if self.is_closed() {
            self.stream = connect(self.address);
        }
        self.stream.write_all(&self.request).expect("a connection that stays");
    }

    /// Returns whether the server has closed the connection, as some do with one that waits.
    fn is_closed(&self) -> bool {
        self.stream.set_nonblocking(true).expect("a mode");
        let closed = matches!(self.stream.peek(&mut [0]), Ok(0));
        self.stream.set_nonblocking(false).expect("a mode");
        closed
    }

    /// Reads until what was read of the answer is enough, or all.
    pub(crate) fn read_until(&mut self, is_enough: impl Fn(&[u8]) -> bool) -> &[u8] {
        let mut buffer = [0; 16 << 10];
        while !is_enough(&self.bytes) && !is_whole(&self.bytes) {
            let read = self.stream.read(&mut buffer).expect("a connection that stays");
            assert!(read > 0, "{}", String::from_utf8_lossy(&self.bytes));
            self.bytes.extend_from_slice(&buffer[..read]);
        }
        &self.bytes
    }
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a connection");
    stream.set_nodelay(true).expect("no delay");
    stream
}

fn is_whole(bytes: &[u8]) -> bool {
    let Some(head) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { return false };
    let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
    match text.split("\r\ncontent-length: ").nth(1) {
        Some(rest) => {
            let length = rest.split("\r\n").next().and_then(|length| length.parse::<usize>().ok());
            bytes.len() >= head + 4 + length.expect("a length")
        }
        None => bytes.ends_with(b"\r\n0\r\n\r\n"),
    }
}

/// One answer, with its head.
pub(crate) fn ask(address: SocketAddr, body: &str) -> String {
    String::from_utf8_lossy(Client::new(address, body).ask()).into_owned()
}
