//! List of models.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::Response;
use serde_json::{Value, json};

use crate::error::{ErrorFormat, Failure};
use crate::http::reply;
use crate::protocol::KeyStyle;
use crate::shared::{Shared, Target};
use crate::upstream::headers::down;
use crate::upstream::secrets::AddedSecrets;
use crate::upstream::{Clock, Outgoing, request_headers, send, url, whole};

/// `GET /v1/models`: the list of the only upstream unchanged, or the merged list of all upstreams, each with
/// the models that are routed to it.
pub(crate) async fn list(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let mut clock = Clock::start(&shared.settings.timers);
    let (request, _) = request.into_parts();
    let targets: Vec<Target<'_>> = shared.targets().collect();
    let result = match targets.as_slice() {
        [target] => one(&shared, target, &request, &mut clock).await,
        targets => several(&shared, targets, &request, &mut clock).await,
    };
    result.unwrap_or_else(|failure| reply::failure(&failure, ErrorFormat::OpenAi, HeaderMap::new()))
}

async fn ask(
    shared: &Shared,
    target: &Target<'_>,
    request: &Parts,
    clock: &mut Clock,
) -> Result<(u16, HeaderMap, Vec<u8>), Failure> {
    let timers = &shared.settings.timers;
    let outgoing = Outgoing {
        method: request.method.clone(),
        url: url(&target.upstream.base_url, "/v1/models", request.uri.query())?,
        headers: request_headers(
            &shared.settings,
            target,
            &request.headers,
            (KeyStyle::Bearer, None),
        ),
        body: bytes::Bytes::new(),
        timers,
    };
    let secrets = AddedSecrets::of(&outgoing.headers, &request.headers);
    let mut response = send(target, outgoing, clock).await?;
    let (status, headers) = (response.status().as_u16(), down(response.headers()));
    let body = whole(&mut response, shared.settings.limits.answer_bytes, timers, clock).await?;
    Ok((status, secrets.without(headers), secrets.hidden_in(body)))
}

async fn one(
    shared: &Shared,
    target: &Target<'_>,
    request: &Parts,
    clock: &mut Clock,
) -> Result<Response, Failure> {
    let (status, headers, body) = ask(shared, target, request, clock).await?;
    Ok(reply::response(status, headers, body))
}

async fn several(
    shared: &Shared,
    targets: &[Target<'_>],
    request: &Parts,
    clock: &mut Clock,
) -> Result<Response, Failure> {
    let mut models = Vec::new();
    let mut failed = None;
    for target in targets {
        match ask(shared, target, request, clock).await {
            Ok((200, _, body)) => models.extend(routed(shared, target, &body)),
            Ok((status, ..)) => {
                let message = format!(
                    "the upstream `{}` responded with status {status}",
                    target.upstream.name
                );
                failed = Some(Failure::upstream("upstream_error", message));
            }
            Err(failure) => failed = Some(failure),
        }
    }
    match failed {
        // A partial list is more useful than none.
        Some(failure) if models.is_empty() => Err(failure),
        _ => Ok(reply::json(200, HeaderMap::new(), &json!({"object": "list", "data": models}))),
    }
}

/// Returns the models of an upstream that are routed to it.
fn routed(shared: &Shared, target: &Target<'_>, body: &[u8]) -> Vec<Value> {
    let list: Value = serde_json::from_slice(body).unwrap_or_default();
    let models = list.get("data").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_here = |model: &Value| {
        let id = model.get("id").and_then(Value::as_str).unwrap_or_default();
        shared
            .settings
            .route(id)
            .is_some_and(|(upstream, ..)| upstream.name == target.upstream.name)
    };
    models.into_iter().filter(is_here).collect()
}
