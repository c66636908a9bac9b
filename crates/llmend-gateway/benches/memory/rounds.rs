//! Memory of a process whose gateway answers one request after another.

use std::net::SocketAddr;
use std::thread;

use crate::cases::cases;
use crate::client::{Client, ask};
use crate::{gateway, upstream};

/// Connections that ask at the same time.
const CONNECTIONS: usize = 4;

/// A gateway before an upstream that answers at once, both in this process.
pub(crate) struct Rounds {
    gateway: SocketAddr,
    bodies: Vec<String>,
}

impl Rounds {
    pub(crate) fn start() -> Self {
        let gateway = gateway::start(upstream::start());
        let bodies = cases().map(|case| {
            let answer = ask(gateway, &case.body());
            assert!(answer.contains(case.expected), "{}: {answer}", case.name);
            case.body()
        });
        Self { gateway, bodies: bodies.collect() }
    }

    /// Sends this many requests, equally of all kinds, and returns the memory of the process in KiB.
    pub(crate) fn round(&self, requests: usize) -> u64 {
        let each = requests / CONNECTIONS / self.bodies.len();
        let ask = |body: &str| {
            let mut client = Client::new(self.gateway, body);
            for _ in 0..each {
                client.ask();
            }
        };
        thread::scope(|scope| {
            for _ in 0..CONNECTIONS {
                scope.spawn(|| self.bodies.iter().for_each(|body| ask(body)));
            }
        });
        resident().expect("a system with `/proc`")
    }
}

/// Returns the resident memory of the process in KiB, as Linux reports it.
pub(crate) fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
