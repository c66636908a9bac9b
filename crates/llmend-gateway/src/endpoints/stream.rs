//! What is certain of a text while it arrives in chunks?

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
use crate::error::Failure;
use crate::http::reply;
use crate::http::shared::Shared;

/// The most chunks that one text is cut into.
const MOST_CHUNKS: usize = 100_000;

/// A text that is to be read as if it arrived in chunks.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// What a model wrote.
    text: String,
    /// Bytes of each chunk, the last one excepted: 16 if it is not said.
    #[serde(default)]
    chunk_bytes: Option<usize>,
    /// What may be done to the text.
    #[serde(default)]
    policy: Option<String>,
    /// Rules that are allowed or forbidden, whatever the policy says.
    #[serde(default)]
    rules: Option<Rules>,
}

/// `POST /v1/stream`.
#[utoipa::path(
    post,
    path = "/v1/stream",
    request_body = Asked,
    responses(
        (status = 200, description = "A line of JSON for each chunk: `end` is how many bytes have arrived, `parts` how many parts of the value are certain (in the order of `json`, keys included), `growing` how many bytes the last of them says so far if it is a string that goes on, `repairs` those that have become certain. The last line has `json`, `places` and the report, or the failure", body = String, content_type = "application/x-ndjson"),
        (status = 400, description = "The text cannot be cut so", body = super::openapi::Failed),
    )
)]
pub(crate) async fn stream(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let theirs = Arc::clone(&shared);
    let lines = read_and(&shared, request, move |asked: &Asked| told(&theirs, asked));
    let response = match lines.await {
        Ok(lines) => {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
            reply::response(200, headers, lines)
        }
        Err(failure) => reply::failure(&failure, reply::Dialect::Own, HeaderMap::new()),
    };
    shared.metrics.request("stream", response.status().as_u16());
    response
}

/// A line for each chunk, and one for the end.
fn told(shared: &Shared, asked: &Asked) -> Result<String, Failure> {
    let mut options = text_options(shared, asked.policy.as_deref())?;
    with_rules(shared, &mut options, asked.rules.as_ref())?;
    // While a text arrives, only the first value can be known to be the answer.
    options.choice = Choice::First;
    let text = asked.text.as_str();
    let size = asked.chunk_bytes.unwrap_or(16);
    if size == 0 || text.len().div_ceil(size) > MOST_CHUNKS {
        let message =
            format!("a text is cut into 1 to {MOST_CHUNKS} chunks: of more bytes than {size} each");
        return Err(Failure::request("limit/chunks", message).about("chunk_bytes"));
    }
    let mut lines = String::new();
    let end = arrive(text, size, options, &mut lines).unwrap_or_else(|failure| failure.own());
    let _ = writeln!(lines, "{end}");
    Ok(lines)
}

/// Reads the text chunk by chunk, and gives what there is to say at its end.
fn arrive(text: &str, size: usize, options: Options, lines: &mut String) -> Result<Value, Failure> {
    let mut stream = Stream::new(options);
    let mut certain: Vec<Repair> = Vec::new();
    let mut arrived = 0;
    for chunk in text.as_bytes().chunks(size) {
        stream.push(chunk);
        arrived += chunk.len();
        let repairs = stream.take_repairs();
        let (parts, growing) = shown(&stream.view());
        let line = json!({"end": arrived, "parts": parts, "growing": growing, "repairs": repairs});
        let _ = writeln!(lines, "{line}");
        certain.extend(repairs);
    }
    let mut parsed =
        stream.finish().map_err(|error| refused("no value could be had", vec![(&error).into()]))?;
    certain.append(&mut parsed.report.repairs);
    certain.sort_by_key(|repair| repair.span.start);
    parsed.report.repairs = certain;
    let mut members: Map<String, Value> = report(&parsed.report, parsed.report.class);
    members.insert("end".to_owned(), json!(arrived));
    members.insert("diagnostics".to_owned(), json!(parsed.report.diagnostics));
    members.insert("json".to_owned(), json!(parsed.report.output(text)));
    members.insert("places".to_owned(), places(&parsed.value));
    Ok(members.into())
}

/// How many parts of the value can be seen, and how long the string is that goes on.
fn shown(view: &View<'_>) -> (usize, Option<usize>) {
    let Some(root) = view.root() else { return (0, None) };
    let value = root.value();
    let last = value.parts().checked_sub(1).and_then(|at| value.node(at));
    let open = last.filter(|node| {
        node.kind() == Kind::String && view.state(*node) != llmend::json::State::Complete
    });
    let growing = open.and_then(llmend::Node::str).map(str::len);
    (value.parts() - root.index(), growing)
}
