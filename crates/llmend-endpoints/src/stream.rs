//! Incremental reading of a text in chunks.

use std::fmt::Write as _;

use llmend::json::{Repair, State, Stream, View};
use llmend::{Choice, Kind, Node, Options};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::chunks::check_size;
use crate::members::{places, report};
use crate::options::Rules;
use crate::{Refusal, Settings};

/// A text to read as if it arrived in chunks.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct StreamRequest {
    /// Text written by a model.
    text: String,
    /// Size of each chunk except the last, in bytes. Default: 16.
    #[serde(default)]
    chunk_bytes: Option<usize>,
    /// Repair policy for the text.
    #[serde(default)]
    policy: Option<String>,
    /// Rules to enable or disable in addition to the policy.
    #[serde(default)]
    rules: Option<Rules>,
}

/// Reads a text as if it arrived in chunks: `POST /v1/stream`. Returns a line of JSON for each chunk, and one for the end.
pub fn stream(request: &StreamRequest, settings: &Settings) -> Result<String, Refusal> {
    let mut options = settings.text(request.policy.as_deref(), request.rules.as_ref())?;
    // In a stream, only the first value can be known to be the answer.
    options.choice = Choice::First;
    let text = request.text.as_str();
    let size = request.chunk_bytes.unwrap_or(16);
    check_size(text, size)?;
    let mut lines = String::new();
    let end = read_chunks(text, size, options, &mut lines).unwrap_or_else(Refusal::into_body);
    let _ = writeln!(lines, "{end}");
    Ok(lines)
}

/// Reads the text chunk by chunk, and returns the last line.
fn read_chunks(
    text: &str,
    size: usize,
    options: Options,
    lines: &mut String,
) -> Result<Value, Refusal> {
    let mut stream = Stream::new(options);
    let mut certain: Vec<Repair> = Vec::new();
    let mut arrived = 0;
    for chunk in text.as_bytes().chunks(size) {
        stream.push(chunk);
        arrived += chunk.len();
        let repairs = stream.take_repairs();
        let (parts, growing) = progress(&stream.view());
        let line = json!({"end": arrived, "parts": parts, "growing": growing, "repairs": repairs});
        let _ = writeln!(lines, "{line}");
        certain.extend(repairs);
    }
    let mut parsed = stream
        .finish()
        .map_err(|error| Refusal::text("cannot read a value", vec![(&error).into()]))?;
    certain.append(&mut parsed.report.repairs);
    certain.sort_by_key(|repair| repair.span.start);
    parsed.report.repairs = certain;
    let mut members: Map<String, Value> = report(&parsed.report, parsed.report.class);
    members.insert("end".to_owned(), json!(arrived));
    members.insert("diagnostics".to_owned(), json!(parsed.report.diagnostics));
    members.insert("json".to_owned(), json!(parsed.report.output(text)));
    members.insert("places".to_owned(), places(&parsed.value, 0));
    Ok(members.into())
}

/// Returns the number of certain parts, and the length of an incomplete string at the end.
fn progress(view: &View<'_>) -> (usize, Option<usize>) {
    let Some(root) = view.root() else { return (0, None) };
    let value = root.value();
    let last = value.parts().checked_sub(1).and_then(|at| value.node(at));
    let open =
        last.filter(|node| node.kind() == Kind::String && view.state(*node) != State::Complete);
    let growing = open.and_then(Node::str).map(str::len);
    (value.parts() - root.index(), growing)
}
