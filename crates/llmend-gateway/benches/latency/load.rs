//! Open-loop load: requests are sent when due, whatever became of earlier ones.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use crate::client::Client;

/// How long an answer took.
#[derive(Clone, Copy)]
pub(crate) struct Took {
    /// Until the first text.
    pub(crate) first: Duration,
    /// Until its end.
    pub(crate) whole: Duration,
}

/// How many connections send how many requests a second together.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) connections: u32,
    pub(crate) rate: u32,
}

impl Load {
    /// Reads `CONNECTIONSxRATE`.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (connections, rate) = text.split_once('x')?;
        Some(Self { connections: connections.parse().ok()?, rate: rate.parse().ok()? })
    }

    /// Sends requests for this long; how long each answer took from when its request was due.
    pub(crate) fn run(self, address: SocketAddr, body: &str, round: Duration) -> Vec<Took> {
        let gap = Duration::from_secs(1) * self.connections / self.rate;
        // One after the other: all at once would be a load of their own, which a slow server takes into the round.
        let opened: Vec<Client> = (0..self.connections)
            .map(|_| {
                let mut client = Client::new(address, body);
                client.ask();
                client
            })
            .collect();
        let start = Instant::now() + Duration::from_millis(50);
        let clients: Vec<_> = (0..)
            .zip(opened)
            .map(|(number, mut client)| {
                let due = start + gap * number / self.connections;
                thread::spawn(move || answers(&mut client, due, gap, start + round))
            })
            .collect();
        clients.into_iter().flat_map(|client| client.join().expect("a client that ends")).collect()
    }
}

/// Asks from `due` on until `end`.
fn answers(client: &mut Client, mut due: Instant, gap: Duration, end: Instant) -> Vec<Took> {
    let mut times = Vec::new();
    while due < end {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        // How late the thread was woken is the machine's business; how late a request is sent because the one
        // before was not answered is not.
        let sent = Instant::now();
        let late = sent.saturating_duration_since(due);
        times.push(took(client, if late > gap { due } else { sent }));
        due += gap;
    }
    times
}

/// Asks, and measures from `from`.
fn took(client: &mut Client, from: Instant) -> Took {
    client.send();
    client.read_until(says_something);
    let first = from.elapsed();
    client.read_until(|_| false);
    Took { first, whole: from.elapsed() }
}

/// Whether there is a text that is not empty.
fn says_something(bytes: &[u8]) -> bool {
    const KEY: &[u8] = b"\"content\":\"";
    let after = |at: usize| bytes.get(at + KEY.len()).is_some_and(|next| *next != b'"');
    bytes.windows(KEY.len()).enumerate().any(|(at, window)| window == KEY && after(at))
}
