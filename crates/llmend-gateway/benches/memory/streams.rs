//! Memory of streams that are open at once.
//!
//! Each kind is measured in a process of its own, directly at the upstream and through the gateway: what a process
//! has freed, it would not ask for again. The difference is the gateway's.

use std::process::Command;

use crate::cases::cases;
use crate::client::Client;
use crate::rounds::resident;
use crate::upstream::HOLD;
use crate::{gateway, upstream};

/// How many streams are open at once.
const STREAMS: u64 = 1_000;
/// The first argument of a process that measures one kind.
const MEASURE: &str = "--streams";

/// Measures one kind and prints KiB, if the arguments say so.
pub(crate) fn measured() -> bool {
    let arguments: Vec<String> = std::env::args().collect();
    let Some(at) = arguments.iter().position(|argument| argument == MEASURE) else { return false };
    let case = cases().find(|case| Some(case.name) == arguments.get(at + 1).map(String::as_str));
    let body = case.expect("a case").body().replace("Hello.", HOLD);
    let upstream = upstream::start();
    let is_direct = arguments.get(at + 2).is_some_and(|way| way == "direct");
    let address = if is_direct { upstream } else { gateway::start(upstream) };
    let open = || {
        let mut client = Client::new(address, &body);
        client.send();
        // The text may be held back.
        client.read_until(|bytes| bytes.windows(4).any(|four| four == b"\r\n\r\n"));
        client
    };
    let first = open();
    let before = resident().expect("a system with `/proc`");
    let streams: Vec<Client> = (1..STREAMS).map(|_| open()).collect();
    println!("{}", resident().expect("a system with `/proc`").saturating_sub(before));
    drop((first, streams));
    true
}

/// Prints what the streams of each kind take.
pub(crate) fn print() {
    println!(
        "{:<22} {:>10}  {:>10}  {:>12}",
        "1,000 streams, MiB", "direct", "via", "KiB a stream"
    );
    for case in cases().filter(|case| case.name.starts_with("streamed")) {
        let [direct, via] = ["direct", "via"].map(|way| of(case.name, way));
        let mib = |kib: u64| format!("{}.{}", kib / 1024, kib % 1024 * 10 / 1024);
        let each = via.saturating_sub(direct) / STREAMS;
        println!("{:<22} {:>10}  {:>10}  {each:>12}", case.name, mib(direct), mib(via));
    }
}

/// Measures one kind in a process of its own.
fn of(name: &str, way: &str) -> u64 {
    let program = std::env::current_exe().expect("the path of this program");
    let output = Command::new(program).args([MEASURE, name, way]).output().expect("an output");
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().unwrap_or_else(|_| {
        panic!("{name}, {way}: {text}{}", String::from_utf8_lossy(&output.stderr))
    })
}
