//! Benchmarks of llmend and of other parsers and repair libraries.
//!
//! A [`document`] is generated from a seed, and a [`defect`] is written into it. Every
//! [`contestant`] must first return the right value, and only then is it timed: an early error
//! would otherwise count as gigabytes per second. All figures are ratios to `serde_json::Value` on
//! valid text, taken in pairs within one run.
//!
//! ```text
//! cargo bench -p llmend-benches                     the table of ratios
//! cargo bench -p llmend-benches --bench values      a tree and a type, beside what they cost alone
//! cargo bench -p llmend-benches --bench hostile     growth on hostile input
//! cargo bench -p llmend-benches --bench stream      the cost of a byte while its text arrives
//! cargo bench -p llmend-benches --bench calls       tool calls in texts, whole and arriving
//! cargo bench -p llmend-benches --bench schema      fitting a value to a schema, beside baml-py
//! ```
//!
//! ```
//! use llmend_benches::{defect::Defect, document::Document, node::Layout};
//!
//! let document = Document::generate(1_000, Layout::Pretty);
//! let case = Defect::TrailingComma.apply(&document);
//! assert!(serde_json::from_str::<serde_json::Value>(&case.text).is_err());
//! assert_eq!(case.wanted, document.value());
//! ```

// Sizes and counts become floating point numbers to be divided; none is near 2^52.
#![allow(clippy::cast_precision_loss)]

pub mod arguments;
pub mod case;
pub mod contestant;
pub mod contestants;
pub mod defect;
pub mod document;
pub mod engine;
pub mod follower;
pub mod measure;
pub mod node;
pub mod peers;
pub mod prose;
pub mod random;
pub mod table;
pub mod write;
