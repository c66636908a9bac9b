//! How is a chat completion answered?

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;

use crate::exchange::answer;
use crate::protocol::Protocol;
use crate::shared::Shared;

/// `POST /v1/chat/completions`.
pub(crate) async fn complete(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    answer(shared, request, Protocol::Chat).await
}
