//! Parses a file over and over, for a profiler.
fn main() {
    let mut args = std::env::args().skip(1);
    let text = std::fs::read_to_string(args.next().unwrap()).unwrap();
    let n: usize = args.next().unwrap().parse().unwrap();
    let mode = args.next().unwrap_or_default();
    let start = std::time::Instant::now();
    for _ in 0..n {
        match mode.as_str() {
            "serde" => { std::hint::black_box(serde_json::from_str::<serde_json::Value>(&text).ok()); }
            "text" => { std::hint::black_box(llmend_json::repair(&text).unwrap()); }
            "to_serde" => { std::hint::black_box(llmend_json::parse_to_serde_with(&text, &llmend_json::Options::default()).unwrap()); }
            _ => { std::hint::black_box(llmend_json::parse(&text).unwrap()); }
        }
    }
    let t = start.elapsed();
    println!("{mode}: {:?} per, {:.0} MB/s", t / n as u32, text.len() as f64 * n as f64 / t.as_secs_f64() / 1e6);
}
