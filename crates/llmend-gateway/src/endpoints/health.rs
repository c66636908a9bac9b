//! Health checks and metrics.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use serde_json::json;

use crate::http::reply;
use crate::shared::{Shared, Stage};

/// `GET /healthz`: the process is running.
pub(crate) async fn alive() -> Response {
    reply::json(200, HeaderMap::new(), &json!({"status": "ok"}))
}

/// `GET /readyz`: the gateway accepts requests. 503 while it is shutting down or at its limit.
pub(crate) async fn ready(State(shared): State<Arc<Shared>>) -> Response {
    let room = shared.room.available_permits();
    let (status, word) = match *shared.stage.borrow() {
        Stage::Running if room > 0 => (200, "ready"),
        Stage::Running => (503, "busy"),
        Stage::Draining | Stage::Ending => (503, "stopping"),
    };
    reply::json(status, HeaderMap::new(), &json!({"status": word, "room": room}))
}

/// `GET /metrics`, in the text format of Prometheus.
pub(crate) async fn metrics(State(shared): State<Arc<Shared>>) -> Response {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4"));
    reply::response(200, headers, shared.metrics.text(shared.recorder.counts()))
}
