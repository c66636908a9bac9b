//! Incremental reading of a text in chunks.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use llmend::json::{Repair, Stream, View};
use llmend::{Choice, Kind, Options};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::own::{Rules, places, read_and, refused, report, text_options, with_rules};
use crate::error::{ErrorFormat, Failure};
use crate::http::reply;
use crate::shared::Shared;

/// Maximum number of chunks of a text.
const MAX_CHUNKS: usize = 100_000;

/// A text to read as if it arrived in chunks.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StreamRequest {
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

/// `POST /v1/stream`.
#[utoipa::path(
    post,
    path = "/v1/stream",
    request_body = StreamRequest,
    responses(
        (status = 200, description = "A line of JSON for each chunk: `end` is the number of received bytes, `parts` the number of certain parts of the value (in the order of `json`, including keys), `growing` the number of bytes of the last part so far if it is an incomplete string, `repairs` the repairs that became certain. The last line has `json`, `places` and the report, or the error", body = String, content_type = "application/x-ndjson"),
        (status = 400, description = "Invalid chunk size", body = super::own::Failed),
    )
)]
pub(crate) async fn stream(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let theirs = Arc::clone(&shared);
    let lines = read_and(&shared, request, move |request: &StreamRequest| lines(&theirs, request));
    let response = match lines.await {
        Ok(lines) => {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
            reply::response(200, headers, lines)
        }
        Err(failure) => reply::failure(&failure, ErrorFormat::Own, HeaderMap::new()),
    };
    shared.metrics.request("stream", response.status().as_u16());
    response
}

/// Returns a line for each chunk, and one for the end.
fn lines(shared: &Shared, request: &StreamRequest) -> Result<String, Failure> {
    let mut options = text_options(shared, request.policy.as_deref())?;
    with_rules(shared, &mut options, request.rules.as_ref())?;
    // In a stream, only the first value can be known to be the answer.
    options.choice = Choice::First;
    let text = request.text.as_str();
    let size = chunk_size(text, request.chunk_bytes)?;
    let mut lines = String::new();
    let end = read_chunks(text, size, options, &mut lines).unwrap_or_else(|failure| failure.own());
    let _ = writeln!(lines, "{end}");
    Ok(lines)
}

/// Returns the size of the chunks of a text.
pub(crate) fn chunk_size(text: &str, asked: Option<usize>) -> Result<usize, Failure> {
    let size = asked.unwrap_or(16);
    if size == 0 || text.len().div_ceil(size) > MAX_CHUNKS {
        let message =
            format!("expected at most {MAX_CHUNKS} chunks: use chunks of more than {size} bytes");
        return Err(Failure::request("limit/chunks", message).about("chunk_bytes"));
    }
    Ok(size)
}

/// Reads the text chunk by chunk, and returns the last line.
fn read_chunks(
    text: &str,
    size: usize,
    options: Options,
    lines: &mut String,
) -> Result<Value, Failure> {
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
    let mut parsed =
        stream.finish().map_err(|error| refused("cannot read a value", vec![(&error).into()]))?;
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
    let open = last.filter(|node| {
        node.kind() == Kind::String && view.state(*node) != llmend::json::State::Complete
    });
    let growing = open.and_then(llmend::Node::str).map(str::len);
    (value.parts() - root.index(), growing)
}
