//! Forwarding of other paths below `/v1`.
//!
//! They are forwarded with the client's key, never with the upstream key of the configuration, which may grant
//! access to more than models: files, other users' runs, administration. Only paths that the configuration
//! lists use that key.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use axum::response::Response;

use crate::config::path::inspected_path;
use crate::config::{Deployment, PathProtocol, Settings};
use crate::error::{ErrorFormat, Failure};
use crate::http::exchange::answer;
use crate::http::incoming::{body, room};
use crate::http::relay::{Relay, RelayMode};
use crate::http::reply;
use crate::protocol::{KeyStyle, Protocol};
use crate::recording::Draft;
use crate::shared::{Shared, Target};
use crate::upstream::headers::{Auth, down, up};
use crate::upstream::secrets::AddedSecrets;
use crate::upstream::{Clock, Outgoing, send, url, whole};

/// Any method, any path below `/openai`: only what a route maps to a protocol.
pub(crate) async fn mapped(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    if let Some((protocol, deployment)) = deployment(&shared, &request) {
        return answer(shared, request, protocol, Some(deployment)).await;
    }
    let message = "unknown path: map it to a protocol by a route";
    let failure = Failure::new(404, "invalid_request_error", "unknown_path", message);
    reply::failure(&failure, ErrorFormat::OpenAi, HeaderMap::new())
}

/// Returns the protocol of a path that a route maps.
fn deployment(shared: &Shared, request: &Request) -> Option<(Protocol, Deployment)> {
    let path = request.uri().path().trim_end_matches('/');
    let mapped = shared.settings.mapped(path).filter(|_| request.method() == Method::POST);
    mapped.map(|(protocol, deployment)| {
        let protocol = match protocol {
            PathProtocol::Chat => Protocol::Chat,
            PathProtocol::Responses => Protocol::Responses,
            PathProtocol::Messages => Protocol::Messages,
        };
        (protocol, deployment)
    })
}

/// Any method, any path below `/v1`.
pub(crate) async fn pass(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    if let Some((protocol, deployment)) = deployment(&shared, &request) {
        return answer(shared, request, protocol, Some(deployment)).await;
    }
    match passed(shared, request).await {
        Ok(response) => response,
        Err(failure) => reply::failure(&failure, ErrorFormat::OpenAi, HeaderMap::new()),
    }
}

async fn passed(shared: Arc<Shared>, request: Request) -> Result<Response, Failure> {
    let mut clock = Clock::start(&shared.settings.timers);
    let (parts, incoming) = request.into_parts();
    let (target, auth) = choose(&shared, &parts)?;
    let outgoing = Outgoing {
        method: parts.method.clone(),
        url: url(&target.upstream.base_url, parts.uri.path(), parts.uri.query())?,
        headers: up(&parts.headers, auth, KeyStyle::of_path(parts.uri.path(), KeyStyle::Bearer)),
        body: body(&shared, incoming).await?,
        timers: &shared.settings.timers,
    };
    let secrets = AddedSecrets::of(&outgoing.headers, &parts.headers);
    let mut response = send(&target, outgoing, &mut clock).await?;
    let (status, headers) = (response.status().as_u16(), down(response.headers()));
    if !response.status().is_success() && matches!(auth, Auth::Own(_)) {
        let (limit, timers) = (shared.settings.limits.answer_bytes, shared.settings.timers);
        let body = whole(&mut response, limit, &timers, &mut clock).await?;
        return Ok(reply::response(status, secrets.without(headers), secrets.hidden_in(body)));
    }
    let relay = Relay::new(
        Arc::clone(&shared),
        "passthrough",
        Some(response),
        RelayMode::Raw,
        clock,
        room(&parts),
        Draft::default(),
    );
    Ok(reply::response(status, headers, relay.into_body()))
}

/// Chooses the upstream and the key: the first upstream that lists the path, otherwise the only one.
fn choose<'s>(shared: &'s Shared, parts: &Parts) -> Result<(Target<'s>, Auth<'s>), Failure> {
    let path = parts.uri.path().strip_prefix("/v1").unwrap_or_default();
    if let (&Method::POST, Some(meant)) = (&parts.method, inspected_path(path)) {
        let message = format!("unknown path: write it as `{meant}`");
        return Err(Failure::new(404, "invalid_request_error", "unknown_path", message));
    }
    if parts.method == Method::POST && shared.settings.is_mapped(path) {
        let message = "unknown path: write it as its route does";
        return Err(Failure::new(404, "invalid_request_error", "unknown_path", message));
    }
    let is_listed = |target: &Target<'_>| {
        target.upstream.passthrough.iter().any(|pattern| crate::config::matches(pattern, path))
    };
    if let Some(target) = shared.targets().find(is_listed) {
        let auth = target.upstream.key.as_ref().map_or(Auth::None, Auth::Own);
        return Ok((target, auth));
    }
    let mut targets = shared.targets();
    match (targets.next(), targets.next()) {
        (Some(target), None) if passes_keys(&shared.settings) => Ok((target, Auth::Passed)),
        _ => {
            let message = "unknown path: add it to `passthrough` of an upstream to forward it";
            Err(Failure::new(404, "invalid_request_error", "unknown_path", message))
        }
    }
}

/// Whether clients send keys of the upstream, and not keys of the gateway.
const fn passes_keys(settings: &Settings) -> bool {
    settings.keys.is_empty()
}
