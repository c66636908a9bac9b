//! Adapter of the benchmark in `benches/tools` for llmend and the peers that are written in Rust.
//!
//!     adapter llmend|jsonrepair-rs|llm_json
//!
//! It reads a request a line and writes a result a line, as `docs/reference/benchmark.md` says.

use std::hint::black_box;
use std::io::{BufRead as _, Write as _};
use std::process::ExitCode;

use cpu_time::ThreadTime;
use llmend_calls::Tools;
use llmend_json::{Choice, Class, Options, Report, Severity, Stream};
use llmend_schema::Schema;
use llmend_testing::data::Data;

/// What a tool makes of a request.
enum Made {
    /// Strict JSON, whether something warns, and what was shown of it while it arrived.
    Text(String, bool, Vec<Data>),
    Refused(String),
}

/// A result with the time that it took.
type Timed = (Made, f64);

/// What takes longer is not repeated, in seconds.
const PATIENCE: f64 = 0.01;

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = ThreadTime::now();
    let made = black_box(work());
    (made, start.elapsed().as_secs_f64())
}

/// Returns whether something warns: of a guess, of a loss, of a cut, of what was ignored.
fn warns(report: &Report) -> bool {
    report.class >= Some(Class::Guess)
        || report.truncated()
        || report.diagnostics.iter().any(|row| row.severity >= Severity::Warning)
}

fn repair(text: &str) -> Timed {
    let (made, seconds) = timed(|| llmend_json::parse(text));
    let made = match made {
        Ok(parsed) => {
            Made::Text(parsed.report.output(text).into_owned(), warns(&parsed.report), Vec::new())
        }
        Err(error) => Made::Refused(error.code().to_owned()),
    };
    (made, seconds)
}

fn calls(text: &str, tools: &Data) -> Timed {
    let tools = match Tools::from_text(&tools.write()) {
        Ok(tools) => tools,
        Err(error) => return (Made::Refused(error.to_string()), 0.0),
    };
    let (reading, seconds) =
        timed(|| llmend_calls::read(text, &tools, &llmend_calls::Options::default()));
    let warns = !reading.is_usable()
        || reading.findings().next().is_some()
        || reading.class() >= Some(Class::Guess);
    let calls: Vec<String> = reading
        .calls
        .iter()
        .map(|call| {
            let name = Data::text(call.name.as_str()).write();
            format!("{{\"name\":{name},\"arguments\":{}}}", call.arguments)
        })
        .collect();
    let made = if calls.is_empty() && !reading.refused.is_empty() {
        Made::Refused(reading.refused[0].diagnostic.message.clone())
    } else {
        Made::Text(format!("[{}]", calls.join(",")), warns, Vec::new())
    };
    (made, seconds)
}

fn schema(text: &str, schema: &Data) -> Timed {
    let schema = serde_json::from_str(&schema.write()).map_err(|error| error.to_string());
    let schema = match schema.and_then(|json| Schema::new(&json).map_err(|e| e.to_string())) {
        Ok(schema) => schema,
        Err(error) => return (Made::Refused(error), 0.0),
    };
    let (made, seconds) = timed(|| {
        let parsed = llmend_json::parse(text).map_err(|error| error.code().to_owned())?;
        let options = llmend_schema::Options::default();
        let coerced = llmend_schema::coerce(&parsed.value, &schema, &options);
        Ok((parsed.report, coerced))
    });
    let made = match made {
        Err(code) => Made::Refused(code),
        Ok((report, coerced)) => match coerced.violations.first() {
            Some(violation) => Made::Refused(violation.code.to_string()),
            None => Made::Text(
                coerced.value.to_string(),
                warns(&report) || coerced.class() >= Some(Class::Guess),
                Vec::new(),
            ),
        },
    };
    (made, seconds)
}

fn stream(pieces: &[&str], show: &[usize]) -> Timed {
    // Nothing can be shown while a better value may follow, so the first one is taken.
    let mut stream = Stream::new(Options { choice: Choice::First, ..Options::default() });
    let (mut views, mut seconds) = (Vec::new(), 0.0);
    for (index, piece) in pieces.iter().enumerate() {
        let start = ThreadTime::now();
        stream.push(piece.as_bytes());
        let view = stream.view();
        let root = black_box(view.root());
        seconds += start.elapsed().as_secs_f64();
        if show.contains(&index) {
            let shown = root.and_then(|root| Data::read(&root.to_string()).ok());
            views.push(shown.unwrap_or(Data::Null));
        }
    }
    let (made, last) = timed(|| stream.finish());
    let made = match made {
        Ok(parsed) => Made::Text(parsed.value.to_string(), warns(&parsed.report), views),
        Err(error) => Made::Refused(error.code().to_owned()),
    };
    (made, seconds + last)
}

#[cfg(feature = "peers")]
fn peer(repair: impl FnOnce() -> Result<String, String> + std::panic::UnwindSafe) -> Timed {
    let (made, seconds) = timed(|| std::panic::catch_unwind(repair));
    let made = match made {
        Ok(Ok(text)) => Made::Text(text, false, Vec::new()),
        Ok(Err(error)) => Made::Refused(error),
        Err(_) => Made::Refused("panic".to_owned()),
    };
    (made, seconds)
}

/// Answers a request; of up to three runs, the fastest counts.
fn answer(tool: &str, request: &Data) -> Option<Timed> {
    let first = once(tool, request)?;
    let again = (0..if first.1 < PATIENCE { 2 } else { 0 }).filter_map(|_| once(tool, request));
    let seconds = again.map(|(_, seconds)| seconds).fold(first.1, f64::min);
    Some((first.0, seconds))
}

fn once(tool: &str, request: &Data) -> Option<Timed> {
    let text = |key| request.get(key).and_then(Data::as_text);
    let list = |key| match request.get(key) {
        Some(Data::List(items)) => items.as_slice(),
        _ => &[],
    };
    Some(match (tool, text("task")?) {
        ("llmend", "repair") => repair(text("text")?),
        ("llmend", "calls") => calls(text("text")?, request.get("tools")?),
        ("llmend", "schema") => schema(text("text")?, request.get("schema")?),
        ("llmend", "stream") => {
            let pieces: Vec<&str> = list("pieces").iter().filter_map(Data::as_text).collect();
            let number = |data: &Data| data.write().parse().ok();
            let show: Vec<usize> = list("show").iter().filter_map(number).collect();
            stream(&pieces, &show)
        }
        #[cfg(feature = "peers")]
        ("jsonrepair-rs", "repair") => {
            let text = text("text")?.to_owned();
            peer(move || jsonrepair_rs::jsonrepair(&text).map_err(|error| error.to_string()))
        }
        #[cfg(feature = "peers")]
        ("llm_json", "repair") => {
            let text = text("text")?.to_owned();
            let options = llm_json::RepairOptions::default();
            peer(move || llm_json::repair_json(&text, &options).map_err(|error| error.to_string()))
        }
        _ => return None,
    })
}

fn written(timed: Option<Timed>) -> Data {
    let mut members = Vec::new();
    let mut put = |key: &str, value| members.push((key.to_owned(), value));
    match timed {
        None => put("skipped", Data::text("no such task")),
        Some((made, seconds)) => {
            put("seconds", Data::Number(format!("{seconds:.9}")));
            match made {
                Made::Refused(why) => put("refused", Data::Text(why)),
                Made::Text(text, flagged, views) => {
                    put("text", Data::Text(text));
                    put("flagged", Data::Bool(flagged));
                    put("views", Data::List(views));
                }
            }
        }
    }
    Data::Map(members)
}

fn run(tool: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let request = Data::read(&line)?;
        writeln!(out, "{}", written(answer(tool, &request)).write()).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn main() -> ExitCode {
    // Room for the recursion of peers on deep texts.
    const STACK: usize = 512 << 20;
    std::panic::set_hook(Box::new(|_| {}));
    let Some(tool) = std::env::args().nth(1) else {
        eprintln!("Usage: adapter llmend|jsonrepair-rs|llm_json");
        return ExitCode::FAILURE;
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || run(&tool));
    let end = thread.map_err(|error| error.to_string()).and_then(|thread| {
        thread.join().unwrap_or_else(|_| Err("the adapter panicked".to_owned()))
    });
    if let Err(error) = end {
        eprintln!("adapter: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
