//! The engine of the npm package `llmend`: WebAssembly modules that run everywhere, and an addon for Node and Bun.
//!
//! It only converts: texts and options to the types of llmend's crates, and records to JSON, in which spans count UTF-16
//! units as JavaScript's strings do. The package in `ts` turns JSON into objects and errors.
//!
//! What a call returns is a text, and what else it found stays here for [`last::take`] until the next call: nothing
//! has to be freed, and a report that nobody reads costs nothing.

mod answer;
mod exports;
mod last;
mod options;
mod refusal;
mod report;
mod stream;
mod words;

#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(target_family = "wasm")]
mod wasm;

#[cfg(feature = "full")]
mod calls;
#[cfg(feature = "full")]
mod fit;
#[cfg(feature = "full")]
mod fit_stream;
#[cfg(feature = "full")]
mod plan;

use llmend_json::OffsetUnit;

/// What places count: the units of a string.
const UNIT: OffsetUnit = OffsetUnit::Utf16;
