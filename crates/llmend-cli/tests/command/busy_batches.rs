//! `llmend batch --ask` at servers that are busy: which lines are asked for again, and which are refused.

use std::{
    fs,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use llmend_model_server::{Form, ModelServer, Reply, Seen, Turn};
use serde_json::Value;

use crate::{
    batch_asking::{SCHEMA, answer, folder, number, prompts, rows, run},
    process::Scratch,
};

const LINES: usize = 24;

fn lines() -> Scratch {
    folder(&[("in.jsonl", prompts(LINES).as_str()), ("s.json", SCHEMA)])
}

/// A server that takes so many requests in each window of time.
struct Window {
    most: usize,
    length: Duration,
    now: Mutex<(Instant, usize)>,
}

impl Window {
    fn of(most: usize, milliseconds: u64) -> Self {
        let length = Duration::from_millis(milliseconds);
        Self { most, length, now: Mutex::new((Instant::now(), 0)) }
    }

    /// Takes a request. Returns whether there is room, how much is left, and until when the window lasts.
    fn take(&self) -> (bool, usize, Duration) {
        let mut now = self.now.lock().expect("a window");
        if now.0.elapsed() >= self.length {
            *now = (Instant::now(), 0);
        }
        let is_room = now.1 < self.most;
        now.1 += usize::from(is_room);
        (is_room, self.most - now.1, self.length.saturating_sub(now.0.elapsed()))
    }
}

fn busy(status: u16) -> Reply {
    Form::OpenAi.error(status, "Too much at once.")
}

/// Returns the lines that were refused, but for those that never have an answer.
fn refused(scratch: &Scratch) -> Vec<Value> {
    let rows = rows(&scratch.path().join("out.jsonl"));
    assert_eq!(rows.len(), LINES);
    let is_refused = |row: &Value| row["status"] == "refused" && row["line"] != 7;
    rows.into_iter().filter(is_refused).collect()
}

#[test]
fn no_line_is_refused_because_of_a_limit() {
    type Server = Box<dyn Fn(&Seen) -> Turn + Send + Sync>;
    let limited = |most, milliseconds, refuse: fn(usize, Duration) -> Reply| -> Server {
        let window = Window::of(most, milliseconds);
        Box::new(move |seen| match window.take() {
            (true, ..) => answer(seen),
            (false, left, until) => refuse(left, until).into(),
        })
    };
    let seen = AtomicUsize::new(0);
    let overload: Server = Box::new(move |request| match seen.fetch_add(1, Ordering::SeqCst) % 5 {
        0..3 => busy(529).into(),
        _ => answer(request),
    });
    let rows: [(&str, Server); 4] = [
        ("one at a time, without a word", limited(1, 120, |_, _| busy(429))),
        (
            "three at a time, with a wait",
            limited(3, 400, |_, _| busy(429).header("retry-after", "1")),
        ),
        (
            "a window, with its state",
            limited(5, 500, |left, until| {
                busy(429)
                    .header("x-ratelimit-limit-requests", "5")
                    .header("x-ratelimit-remaining-requests", &left.to_string())
                    .header("x-ratelimit-reset-requests", &format!("{}ms", until.as_millis() + 1))
            }),
        ),
        ("overloaded three times of five", overload),
    ];
    for (what, server) in rows {
        let server = ModelServer::answering(move |seen| server(seen));
        let scratch = lines();
        let done = run(&server, &scratch, "--jobs 8").expect(0);
        assert_eq!(refused(&scratch), Vec::<Value>::new(), "{what}: {}", done.stderr);
        println!("| {what} | {LINES} lines | {} requests |", server.requests().len());
    }
}

#[test]
fn a_wait_that_is_too_long_ends_the_run_which_goes_on_later() {
    let is_over = std::sync::Arc::new(AtomicBool::new(false));
    let over = std::sync::Arc::clone(&is_over);
    let server = ModelServer::answering(move |seen| match number(seen) {
        9 if !over.load(Ordering::SeqCst) => busy(429).header("retry-after", "3600").into(),
        _ => answer(seen),
    });
    let scratch = lines();
    let stopped = run(&server, &scratch, "--jobs 4").expect(3);
    for expected in ["the server asks for a wait of 3600 s", "Run the command again to go on."] {
        assert!(stopped.stderr.contains(expected), "{expected}: {}", stopped.stderr);
    }
    assert!(!scratch.path().join("out.jsonl").exists());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let kept = fs::metadata(scratch.path().join("out.jsonl.unfinished")).expect("a file");
        assert_eq!(kept.permissions().mode() & 0o777, 0o600);
    }
    is_over.store(true, Ordering::SeqCst);
    run(&server, &scratch, "--jobs 4").expect(0);
    assert_eq!(refused(&scratch), Vec::<Value>::new());
}

#[test]
fn a_line_that_the_server_always_fails_at_is_refused_in_the_end() {
    let server = ModelServer::answering(|seen| match number(seen) {
        9 => busy(500).header("retry-after", "0").into(),
        _ => answer(seen),
    });
    let scratch = lines();
    run(&server, &scratch, "--jobs 4").expect(0);
    let refused = refused(&scratch);
    assert_eq!(refused.len(), 1);
    assert_eq!(
        (&refused[0]["line"], &refused[0]["error"]["code"]),
        (&9.into(), &"model/server".into())
    );
    // Three times, with three retries each.
    let asked = server.requests().iter().filter(|seen| number(seen) == 9).count();
    assert_eq!(asked, 12);
}

#[test]
fn a_model_that_is_not_there_is_asked_for_once_in_a_run() {
    let server = ModelServer::answering(answer);
    let scratch = lines();
    let flags = format!("--jobs 1 --escalate openai+{}/v1:l", server.url());
    let gone = crate::process::command(&format!(
        "batch in.jsonl --ask q --schema s.json -o out.jsonl --model openai+http://127.0.0.1:9/v1:m {flags}"
    ))
    .current_dir(scratch.path())
    .spawn()
    .expect("it starts");
    let done = crate::process::finish(gone, b"").expect(0);
    assert_eq!(refused(&scratch), Vec::<Value>::new(), "{}", done.stderr);
    let rows = rows(&scratch.path().join("out.jsonl"));
    let unreached = rows.iter().flat_map(|row| row["ledger"]["attempts"].as_array().unwrap());
    let unreached = unreached.filter(|attempt| attempt["not_reached"] == true).count();
    assert_eq!(unreached, 1);
    let expected = format!("; {} calls, ", server.requests().len());
    assert!(done.stderr.contains(&expected), "{expected}: {}", done.stderr);
}
