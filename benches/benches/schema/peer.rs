//! Times of `baml-py`, measured inside its own process.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Result of the peer.
pub(crate) struct Reply {
    /// The value, or an error.
    pub(crate) value: Result<Value, String>,
    /// Shortest time, in case of an answer.
    pub(crate) seconds: Option<f64>,
}

/// Runs the peer on all texts, in order.
///
/// # Panics
/// When it cannot be run, or does not answer as it should.
pub(crate) fn ask(python: &Path, texts: &[&str]) -> Vec<Reply> {
    let mut child = Command::new(python)
        .args(["-c", include_str!("../../peers/baml.py")])
        .env("BAML_LOG", "off")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the interpreter can be started");
    let lines: String = texts.iter().map(|text| format!("{}\n", Value::from(*text))).collect();
    let mut pipe = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || pipe.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("it reads all texts");
    let replies: Vec<Reply> = String::from_utf8_lossy(&output.stdout).lines().map(reply).collect();
    assert_eq!(replies.len(), texts.len(), "an answer to each text");
    replies
}

fn reply(line: &str) -> Reply {
    let row: Value = serde_json::from_str(line).expect("a row");
    let out = row["out"].as_str().unwrap_or_default();
    if row["ok"] == true {
        let value = serde_json::from_str(out).map_err(|error| error.to_string());
        Reply { value, seconds: row["seconds"].as_f64() }
    } else {
        eprintln!("baml-py: {out}");
        Reply { value: Err(out.to_owned()), seconds: None }
    }
}
