//! Incremental reading of a text in chunks.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use llmend_endpoints::{StreamRequest, stream as read};

use super::own::{Failed, read_and};
use crate::error::ErrorFormat;
use crate::http::reply;
use crate::shared::Shared;

/// `POST /v1/stream`.
#[utoipa::path(
    post,
    path = "/v1/stream",
    request_body = StreamRequest,
    responses(
        (status = 200, description = "A line of JSON for each chunk: `end` is the number of received bytes, `parts` the number of certain parts of the value (in the order of `json`, including keys), `growing` the number of bytes of the last part so far if it is an incomplete string, `repairs` the repairs that became certain. The last line has `json`, `places` and the report, or the error", body = String, content_type = "application/x-ndjson"),
        (status = 400, description = "Invalid chunk size", body = Failed),
    )
)]
pub(crate) async fn stream(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let theirs = Arc::clone(&shared);
    let lines = read_and(&shared, request, move |request: &StreamRequest| {
        read(request, &theirs.for_texts())
    });
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
