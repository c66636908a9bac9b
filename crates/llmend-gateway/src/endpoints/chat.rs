//! Chat completions.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;

use crate::http::exchange::answer;
use crate::protocol::Protocol;
use crate::shared::Shared;

/// `POST /v1/chat/completions`.
pub(crate) async fn complete(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(shared, request, Protocol::Chat, None).await
}
