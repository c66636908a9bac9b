//! Lists of rules, policies, coercions and dialects.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use llmend::json::Rule;
use llmend::{CoercionKind, Dialect, Policy};
use serde_json::{Value, json};

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
    reply::json(200, HeaderMap::new(), &tables())
}

fn tables() -> Value {
    let rule = |rule: &Rule| {
        let (before, after) = rule.example();
        json!({
            "name": rule.name(),
            "class": rule.class(),
            "doc": rule.doc(),
            "before": before,
            "after": after,
        })
    };
    let policy = |policy: Policy| {
        let rules: Vec<&str> = policy.rules().iter().map(Rule::name).collect();
        json!({"name": policy.as_str(), "doc": policy.doc(), "rules": rules})
    };
    let coercion = |kind: &CoercionKind| json!({"name": kind.name(), "doc": kind.doc()});
    json!({
        "rules": Rule::ALL.iter().map(rule).collect::<Value>(),
        "policies": Policy::ALL.map(policy),
        "policy": Policy::default().as_str(),
        "coercions": CoercionKind::ALL.iter().map(coercion).collect::<Value>(),
        "dialects": Dialect::ALL.map(Dialect::as_str),
    })
}
