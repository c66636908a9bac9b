//! Latency that the gateway adds to an answer.
//!
//! An upstream that answers at once is asked directly, through the gateway and through `LiteLLM`'s proxy if it
//! is there, in rounds that alternate, so that whatever else the machine does is in all. Requests are sent when
//! they are due, whether or not the ones before have been answered, and times are counted from then. `first` is
//! the time to the first text of a stream. In the cases `paced`, the upstream sends a piece every 20 ms, as a model
//! does, under a load of their own.
//!
//! `cargo bench -p llmend-gateway --bench latency -- [SECONDS A ROUND] [ROUNDS] [CONNECTIONSxRATE…]`; the variable
//! `LITELLM` names the program `litellm`, which `pip install 'litellm[proxy]'` installs.

mod cases;
mod client;
mod gateway;
mod litellm;
mod load;
mod upstream;

use std::net::SocketAddr;
use std::time::Duration;

use crate::cases::{Case, cases};
use crate::client::ask;
use crate::load::{Load, Took};
use crate::upstream::PACED;

/// One connection with time between its requests, and many.
const LOADS: [Load; 2] = [Load { connections: 1, rate: 50 }, Load { connections: 64, rate: 1_000 }];
/// The same of an answer at the pace of a model, which takes some hundred times as long.
const PACED_LOADS: [Load; 2] =
    [Load { connections: 1, rate: 2 }, Load { connections: 64, rate: 100 }];
/// The beginning of the names of streams.
const STREAMED: &str = "streamed";
/// Requests a second that `LiteLLM`'s proxy is asked at most: at 50, it falls behind with one worker.
const LITELLM_RATE: u32 = 20;

/// A server that is measured.
struct Server {
    name: &'static str,
    address: SocketAddr,
    most: u32,
}

fn main() {
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let (loads, numbers): (Vec<_>, Vec<_>) =
        arguments.partition(|argument| Load::read(argument).is_some());
    let number = |at: usize, usual: u64| {
        numbers.get(at).map_or(usual, |text| text.parse().expect("a number"))
    };
    let (round, rounds) = (Duration::from_secs(number(0, 2)), number(1, 5));
    let mut loads: Vec<Load> = loads.iter().filter_map(|text| Load::read(text)).collect();
    if loads.is_empty() {
        loads = LOADS.to_vec();
    }
    let upstream = upstream::start();
    let mut servers = vec![
        Server { name: "direct", address: upstream, most: u32::MAX },
        Server { name: "llmend", address: gateway::start(upstream), most: u32::MAX },
    ];
    let proxy = std::env::var("LITELLM").ok().map(|program| litellm::start(&program, upstream));
    servers.extend(proxy.iter().map(|proxy| Server {
        name: "LiteLLM",
        address: proxy.address,
        most: LITELLM_RATE,
    }));
    println!(
        "{:<20} {:>11}  {:<8} {:>16} {:>16} {:>18}",
        "ms", "connections", "", "p50 (added)", "p99 (added)", "first, p50 (added)"
    );
    for case in cases() {
        check(&case, &servers);
        for load in &loads {
            measure(case.name, &case.body(), *load, &servers, round, rounds);
        }
    }
    for case in cases().filter(|case| case.name.starts_with(STREAMED)) {
        let name = case.name.replace(STREAMED, "paced");
        let body = case.body().replace("Hello.", PACED);
        for load in PACED_LOADS {
            measure(&name, &body, load, &servers, round, rounds);
        }
    }
}

/// Checks that an answer comes from everywhere, and that of the gateway is what was asked for.
fn check(case: &Case, servers: &[Server]) {
    for Server { name, address, .. } in servers {
        let answer = ask(*address, &case.body());
        assert!(answer.starts_with("HTTP/1.1 200"), "{}, {name}: {answer}", case.name);
        let is_ours = *name == "llmend";
        assert!(!is_ours || answer.contains(case.expected), "{}: {answer}", case.name);
    }
}

/// Measures one request under one load at every server, and prints a line for each.
fn measure(name: &str, body: &str, load: Load, servers: &[Server], round: Duration, rounds: u64) {
    let mut times: Vec<Vec<Took>> = servers.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for (server, times) in servers.iter().zip(&mut times) {
            let load = Load { rate: load.rate.min(server.most), ..load };
            times.extend(load.run(server.address, body, round));
        }
    }
    let whole = |times: &[Took], of: f64| quantile(times.iter().map(|took| took.whole), of);
    let first = |times: &[Took]| quantile(times.iter().map(|took| took.first), 0.5);
    let added = |value: f64, direct: f64| format!("{value:.3} {:>+8.3}", value - direct);
    let is_stream = body.contains("\"stream\":true");
    let Some(direct) = times.first() else { return };
    for (server, times) in servers.iter().zip(&times) {
        let shown = |part: f64| added(whole(times, part), whole(direct, part));
        let first = if is_stream { added(first(times), first(direct)) } else { String::new() };
        println!(
            "{:<20} {:>11}  {:<8} {:>16} {:>16} {first:>18}",
            name,
            load.connections,
            server.name,
            shown(0.5),
            shown(0.99)
        );
    }
}

/// The time in milliseconds within which this share of the answers came.
fn quantile(times: impl Iterator<Item = Duration>, of: f64) -> f64 {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let at = (times.len() as f64 * of) as usize;
    times
        .get(at.min(times.len().saturating_sub(1)))
        .map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
}
