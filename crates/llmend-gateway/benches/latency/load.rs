//! Open-loop load: requests are sent when due, whatever became of earlier ones.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use crate::client::Client;

/// Connections, each of which sends its share of the requests.
const CONNECTIONS: u32 = 16;

/// Sends `rate` requests a second for this long; how long each answer took from when its request was due.
pub(crate) fn load(address: SocketAddr, body: &str, rate: u64, round: Duration) -> Vec<Duration> {
    let gap = Duration::from_secs(1) * CONNECTIONS / u32::try_from(rate).expect("a rate");
    let start = Instant::now() + Duration::from_millis(50);
    let clients: Vec<_> = (0..CONNECTIONS)
        .map(|number| {
            let mut client = Client::new(address, body);
            thread::spawn(move || {
                client.ask();
                let mut due = start + gap * number / CONNECTIONS;
                let mut times = Vec::new();
                while due < start + round {
                    thread::sleep(due.saturating_duration_since(Instant::now()));
                    // How late the thread was woken is the machine's business; how late a request is sent
                    // because the one before was not answered is not.
                    let sent = Instant::now();
                    let late = sent.saturating_duration_since(due);
                    let from = if late > gap { due } else { sent };
                    client.ask();
                    times.push(from.elapsed());
                    due += gap;
                }
                times
            })
        })
        .collect();
    clients.into_iter().flat_map(|client| client.join().expect("a client that ends")).collect()
}
