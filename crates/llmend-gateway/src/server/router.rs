//! The routes and their layers.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::Response;
use axum::routing::{MethodRouter, any, get, post};

use crate::endpoints::{
    calls, chat, exchange, exchanges, health, messages, models, openapi, page, passthrough, plan,
    repair, responses, rules, stream, workflow_check, workflow_patch,
};
use crate::error::{ErrorFormat, Failure, Retry};
use crate::http::incoming::{RequestId, Room};
use crate::http::reply;
use crate::server::guard::admit;
use crate::shared::{Shared, Stage};

/// Builds the router.
pub(crate) fn router(shared: &Arc<Shared>) -> Router {
    let routes = [
        ("/v1/chat/completions", post(chat::complete).fallback(passthrough::pass)),
        ("/v1/responses", post(responses::respond).fallback(passthrough::pass)),
        ("/v1/messages", post(messages::message).fallback(passthrough::pass)),
        ("/v1/models", get(models::list).fallback(passthrough::pass)),
        ("/v1/repair", post(repair::repair)),
        ("/v1/rules", get(rules::rules)),
        ("/v1/stream", post(stream::stream)),
        ("/v1/calls", post(calls::calls)),
        ("/v1/plan", post(plan::plan)),
        ("/v1/workflow/check", post(workflow_check::check)),
        ("/v1/workflow/patch", post(workflow_patch::patch)),
        ("/v1/exchanges", get(exchanges::list)),
        ("/v1/exchanges/{id}", get(exchange::find)),
    ];
    // A trailing slash makes no other path, so that the gateway's own paths are never passed on.
    let with_slash = |router: Router<Arc<Shared>>, (path, method): (&str, MethodRouter<_>)| {
        router.route(path, method.clone()).route(&format!("{path}/"), method)
    };
    let models = routes
        .into_iter()
        .fold(Router::new(), with_slash)
        .route("/v1/{*path}", any(passthrough::pass))
        .route("/openai/{*path}", any(passthrough::mapped))
        .layer(from_fn_with_state(Arc::clone(shared), with_room));
    let closed = Router::new()
        .route("/metrics", get(health::metrics))
        .route("/openapi.json", get(openapi::openapi))
        .merge(models)
        .layer(from_fn_with_state(Arc::clone(shared), guarded));
    // The page contains nothing secret and asks for the key itself, since a browser that follows a
    // link cannot send one.
    let page = Router::new()
        .route("/", get(page::index))
        .route("/page/{name}", get(page::asset))
        .layer(from_fn_with_state(Arc::clone(shared), without_a_key));
    Router::new()
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .merge(closed)
        .fallback(unknown)
        .layer(map_response(sealed))
        .merge(page)
        .layer(from_fn_with_state(Arc::clone(shared), named))
        .with_state(Arc::clone(shared))
}

/// Keeps a browser from taking a response for a part of the page: as HTML it would share the page's
/// origin and its access.
async fn sealed(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // This adds to a policy of the upstream. All of them apply.
    headers.append(CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox"));
    response
}

async fn unknown() -> Response {
    let failure = Failure::new(404, "invalid_request_error", "unknown_path", "unknown path");
    reply::failure(&failure, ErrorFormat::OpenAi, HeaderMap::new())
}

/// Gives each request an id. The response has it too, unless the upstream sets one.
async fn named(State(shared): State<Arc<Shared>>, mut request: Request, next: Next) -> Response {
    let id = shared.new_id();
    let value = HeaderValue::from_str(&id).ok();
    request.extensions_mut().insert(RequestId(id));
    let mut response = next.run(request).await;
    if let Some(value) = value {
        response.headers_mut().entry(reply::REQUEST_ID).or_insert(value);
    }
    response
}

/// Admits requests by key or origin.
async fn guarded(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let admitted = admit(&shared.settings, request.method(), request.uri(), request.headers());
    match admitted {
        Ok(()) => next.run(request).await,
        Err(failure) => refused(&failure, request.uri().path()),
    }
}

/// Admits requests by origin, or all if keys are configured.
async fn without_a_key(state: State<Arc<Shared>>, request: Request, next: Next) -> Response {
    if state.settings.keys.is_empty() {
        return guarded(state, request, next).await;
    }
    next.run(request).await
}

/// Admits as many requests as there is room for.
async fn with_room(
    State(shared): State<Arc<Shared>>,
    mut request: Request,
    next: Next,
) -> Response {
    if *shared.stage.borrow() == Stage::Ending {
        return refused(&Failure::stopping(), request.uri().path());
    }
    let Ok(room) = Arc::clone(&shared.room).try_acquire_owned() else {
        let message = "too many concurrent requests; try again";
        let failure = Failure::new(503, "gateway_error", "busy", message);
        return refused(&failure.retrying(Retry::After(1)), request.uri().path());
    };
    request.extensions_mut().insert(Room(Arc::new(room)));
    let path = request.uri().path().to_owned();
    let mut stage = shared.stage.clone();
    // Dropping the response cancels what it waits for. A stream has its response by then and ends
    // itself.
    tokio::select! {
        response = next.run(request) => response,
        _ = stage.wait_for(|stage| *stage == Stage::Ending) => refused(&Failure::stopping(), &path),
    }
}

/// Writes a refusal in the form that clients of `path` read.
fn refused(failure: &Failure, path: &str) -> Response {
    let dialect = match path.trim_end_matches('/') {
        "/v1/messages" => ErrorFormat::Anthropic,
        "" | "/v1/repair" | "/v1/rules" | "/v1/stream" | "/v1/calls" | "/v1/plan"
        | "/v1/workflow/check" | "/v1/workflow/patch" => ErrorFormat::Own,
        path if path.starts_with("/v1/exchanges") => ErrorFormat::Own,
        _ => ErrorFormat::OpenAi,
    };
    reply::failure(failure, dialect, HeaderMap::new())
}
