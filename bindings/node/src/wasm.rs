//! The WebAssembly modules.

use wasm_bindgen::prelude::*;

use crate::{exports, refusal::Refusal};

type Made = Vec<u8>;

fn made(bytes: Vec<u8>) -> Made {
    bytes
}

/// The JSON itself.
type Thrown = String;

/// A panic ends the module, and the package makes a new one.
fn run<T>(work: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Thrown> {
    work().map_err(|Refusal(json)| json)
}

exports::engine!(wasm_bindgen, Vec<u8>);
#[cfg(feature = "full")]
exports::full!(wasm_bindgen, Vec<u8>);
