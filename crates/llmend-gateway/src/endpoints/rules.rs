//! Lists of rules, policies, coercions and dialects.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use crate::http::reply;
use crate::shared::Shared;

/// `GET /v1/rules`.
#[utoipa::path(
    get,
    path = "/v1/rules",
    responses(
        (status = 200, description = "`rules`, `policies` and `coercions`, each with a name and a description; `dialects`: their names", body = Value),
    )
)]
pub(crate) async fn rules(State(shared): State<Arc<Shared>>) -> Response {
    shared.metrics.request("rules", 200);
    reply::json(200, HeaderMap::new(), &llmend_endpoints::rules())
}
