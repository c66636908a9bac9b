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
const STREAMS: [u64; 3] = [1, 64, 1_000];
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
    let streams = arguments.get(at + 3).and_then(|number| number.parse().ok()).expect("a number");
    let address = if is_direct { upstream } else { gateway::start(upstream) };
    let open = || {
        let mut client = Client::new(address, &body);
        client.send();
        // The text may be held back.
        client.read_until(|bytes| bytes.windows(4).any(|four| four == b"\r\n\r\n"));
        client
    };
    let before = resident().expect("a system with `/proc`");
    let streams: Vec<Client> = (0..streams).map(|_: u64| open()).collect();
    println!("{}", resident().expect("a system with `/proc`").saturating_sub(before));
    drop(streams);
    true
}

/// Prints what the streams of each kind take.
pub(crate) fn print() {
    println!(
        "{:<28} {:>9} {:>8} {:>8} {:>13}",
        "KiB", "streams", "direct", "via", "of the gateway"
    );
    for case in cases().filter(|case| case.name.starts_with("streamed")) {
        for streams in STREAMS {
            let [direct, via] = ["direct", "via"].map(|way| of(case.name, way, streams));
            let added = via.saturating_sub(direct);
            println!("{:<28} {streams:>9} {direct:>8} {via:>8} {added:>13}", case.name);
        }
    }
}

/// Measures one kind in a process of its own.
fn of(name: &str, way: &str, streams: u64) -> u64 {
    let program = std::env::current_exe().expect("the path of this program");
    let output = Command::new(program)
        .args([MEASURE, name, way, &streams.to_string()])
        .output()
        .expect("an output");
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().unwrap_or_else(|_| {
        panic!("{name}, {way}: {text}{}", String::from_utf8_lossy(&output.stderr))
    })
}
