//! How fast is llmend, next to the parsers and repairers that people use today?
//!
//! This crate stands beside the line and measures it. A [`document`] is made
//! from a seed, a [`defect`] is written into it, and every [`contestant`] is
//! first asked for the value and only timed when that value is the wanted one:
//! an early error would otherwise read as gigabytes a second. All figures are
//! ratios to `serde_json::Value` on valid text, taken in pairs within one run.
//!
//! ```text
//! cargo bench -p llmend-benches                     the table of ratios
//! cargo bench -p llmend-benches --bench hostile     growth on hostile input
//! cargo bench -p llmend-benches --bench stream      the cost of a byte while its text arrives
//! cargo bench -p llmend-benches --bench schema      fitting a value to a schema, beside baml-py
//! ```
//!
//! ```
//! use llmend_benches::{defect::Defect, document::{Document, Layout}};
//!
//! let document = Document::generate(1_000, Layout::Pretty);
//! let case = Defect::TrailingComma.apply(&document);
//! assert!(serde_json::from_str::<serde_json::Value>(&case.text).is_err());
//! assert_eq!(case.wanted, document.value());
//! ```

// Sizes and counts become floating point numbers to be divided; none is near 2^52.
#![allow(clippy::cast_precision_loss)]

pub mod arguments;
pub mod contestant;
pub mod defect;
pub mod document;
pub mod engine;
pub mod follower;
pub mod measure;
pub mod peers;
pub mod prose;
pub mod random;
pub mod table;
pub mod write;
