//! The WebAssembly module of the page without a server: the gateway's endpoints that read a text.
//!
//! It has this one function, so that what the page loads is no larger than what it needs.

use llmend_endpoints::{Answer, Settings, answer};
use wasm_bindgen::prelude::*;

/// Returns the HTTP status and the body that a gateway with the usual settings answers to a request. `path` is that of an
/// endpoint, such as `/v1/repair`, and `body` the JSON of the request.
#[wasm_bindgen]
#[must_use]
pub fn ask(path: &str, body: &str) -> Vec<JsValue> {
    let Answer { status, body } = answer(path, body.as_bytes(), &Settings::default());
    vec![status.into(), body.into()]
}
