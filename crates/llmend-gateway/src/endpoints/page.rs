//! Files of the web page, and their security headers.

use axum::extract::Path;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;

use crate::error::{ErrorFormat, Failure};
use crate::http::reply;

/// Content security policy: only resources of this origin. Scripts cannot turn text into markup, except
/// through the Trusted Types policy `llmend`.
const POLICY: &str = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; \
    connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types llmend";

const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! files {
    ($($name:literal as $kind:expr,)+) => {
        /// Name, content type and text of each file.
        const FILES: &[(&str, &str, &str)] =
            &[$(($name, $kind, include_str!(concat!("../../page/", $name))),)+];
    };
}

files! {
    "index.html" as "text/html; charset=utf-8",
    "icon.svg" as "image/svg+xml",
    "style.css" as "text/css; charset=utf-8",
    "again.js" as SCRIPT,
    "blocks.js" as SCRIPT,
    "cards.js" as SCRIPT,
    "drawing.js" as SCRIPT,
    "element.js" as SCRIPT,
    "endpoint.js" as SCRIPT,
    "examples.js" as SCRIPT,
    "feedback.js" as SCRIPT,
    "findings.js" as SCRIPT,
    "gateway.js" as SCRIPT,
    "grown.js" as SCRIPT,
    "host.js" as SCRIPT,
    "key.js" as SCRIPT,
    "main.js" as SCRIPT,
    "marks.js" as SCRIPT,
    "model.js" as SCRIPT,
    "offsets.js" as SCRIPT,
    "outcome.js" as SCRIPT,
    "places.js" as SCRIPT,
    "player.js" as SCRIPT,
    "reading.js" as SCRIPT,
    "recent.js" as SCRIPT,
    "result.js" as SCRIPT,
    "settings-panel.js" as SCRIPT,
    "settings.js" as SCRIPT,
    "share.js" as SCRIPT,
    "tabs.js" as SCRIPT,
    "tape.js" as SCRIPT,
    "text.js" as SCRIPT,
    "theme.js" as SCRIPT,
    "tip.js" as SCRIPT,
    "tree.js" as SCRIPT,
    "trusted.js" as SCRIPT,
    "work.js" as SCRIPT,
    "worker.js" as SCRIPT,
}

/// `GET /`.
pub(crate) async fn index() -> Response {
    file("index.html")
}

/// `GET /page/{name}`.
pub(crate) async fn asset(Path(name): Path<String>) -> Response {
    file(&name)
}

fn file(name: &str) -> Response {
    let Some((_, kind, text)) = FILES.iter().find(|(known, ..)| *known == name) else {
        let failure = Failure::new(404, "invalid_request_error", "unknown_path", "unknown path");
        return reply::failure(&failure, ErrorFormat::Own, HeaderMap::new());
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    // Files of different versions of the gateway must not be mixed.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    for name in ["cross-origin-opener-policy", "cross-origin-resource-policy"] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static("same-origin"));
    }
    reply::response(200, headers, *text)
}
