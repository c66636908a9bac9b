//! Latency that the gateway adds to an answer.
//!
//! An upstream that answers at once is asked directly and through the gateway, in rounds that alternate, so
//! that whatever else the machine does is in both. Requests are sent when they are due, whether or not the
//! ones before have been answered, and times are counted from then.
//!
//! `cargo bench -p llmend-gateway --bench latency -- [SECONDS A ROUND] [ROUNDS] [RATES…]`

mod cases;
mod client;
mod gateway;
mod load;
mod upstream;

use std::time::Duration;

use crate::cases::cases;
use crate::client::ask;
use crate::load::load;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let mut number =
        |default: u64| arguments.next().map_or(default, |text| text.parse().expect("a number"));
    let (seconds, rounds) = (number(2), number(5));
    let mut rates: Vec<u64> =
        std::iter::from_fn(|| Some(number(0)).filter(|rate| *rate > 0)).collect();
    if rates.is_empty() {
        rates = vec![100, 1_000, 5_000];
    }
    let upstream = upstream::start();
    let gateway = gateway::start(upstream);
    println!(
        "{:<20} {:>6}  {:>22}  {:>22}  {:>22}",
        "ms", "a s", "p50 (direct, via, more)", "p99", "p99.9"
    );
    for (name, body, expected) in cases() {
        let (direct, via) = (ask(upstream, &body), ask(gateway, &body));
        assert!(direct.starts_with("HTTP/1.1 200"), "{name}: {direct}");
        assert!(via.starts_with("HTTP/1.1 200") && via.contains(expected), "{name}: {via}");
        for &rate in &rates {
            let round = Duration::from_secs(seconds);
            let (mut direct, mut via) = (Vec::new(), Vec::new());
            for _ in 0..rounds {
                direct.extend(load(upstream, &body, rate, round));
                via.extend(load(gateway, &body, rate, round));
            }
            let shown = |of: f64| {
                let (direct, via) =
                    (quantile(&mut direct.clone(), of), quantile(&mut via.clone(), of));
                format!("{direct:.3} {via:.3} {:>+7.3}", via - direct)
            };
            println!(
                "{name:<20} {rate:>6}  {:>22}  {:>22}  {:>22}",
                shown(0.5),
                shown(0.99),
                shown(0.999)
            );
        }
    }
}

/// The time in milliseconds within which this share of the answers came.
fn quantile(times: &mut [Duration], of: f64) -> f64 {
    times.sort_unstable();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let at = (times.len() as f64 * of) as usize;
    times
        .get(at.min(times.len().saturating_sub(1)))
        .map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
}
