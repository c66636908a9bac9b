//! Finds, repairs and parses the JSON in the output of language models.
//!
//! This crate is the first half of llmend's pipeline: `text → extract → parse`. It turns a text into
//! a value (or strict JSON text) and a report of every repair with its location, rule and class. It
//! does no I/O and knows no schema.
//!
//! ```
//! let answer = "Sure!\n```json\n{'city': 'Oslo', 'tags': ['a', 'b',],}\n```";
//! let parsed = llmend_json::parse(answer)?;
//! assert_eq!(parsed.value.root().get("city").and_then(|city| city.str()), Some("Oslo"));
//! assert_eq!(parsed.report.class, Some(llmend_json::Class::Notation));
//! # Ok::<(), llmend_json::Error>(())
//! ```

mod choice;
mod diagnostic;
mod error;
mod error_row;
mod extract;
mod judge;
mod limits;
mod nearest;
mod offsets;
mod options;
mod parser;
mod pipeline;
mod relocate;
mod repair;
mod report;
mod retry_threshold;
mod rule;
mod sink;
mod span;
mod stream;
mod value;

pub use choice::UnknownChoice;
pub use diagnostic::{Diagnostic, Edit, Severity};
pub use error::{Error, ErrorKind, PREVIEW_CHARS};
pub use error_row::{ErrorRow, ErrorTopic};
pub use extract::fitting::Fit;
pub use nearest::{edits, nearest};
pub use offsets::{OffsetUnit, OffsetWalker, Offsets};
pub use options::{
    Choice, EmphasisInValues, Guard, Hints, OnBadItem, Options, Policy, Search, WithoutJson,
};
pub use parser::escape::push_escaped;
#[cfg(feature = "serde_json")]
pub use pipeline::parse_to_serde_with;
pub use pipeline::{
    Extraction, decode, extract, parse, parse_at, parse_fitting, parse_with, repair, repair_with,
};
pub use relocate::Relocate;
pub use repair::{Repair, apply};
pub use report::{Candidate, Origin, Parsed, Repaired, Report, Status};
pub use rule::{Class, Rule, RuleSet, UnknownRule};
pub use span::{Span, line_column, preview};
pub use stream::{Event, Events, FoundJson, State, Stream, StreamOf, StreamParts, Values, View};
pub use value::{
    Builder, Decimal, Items, Kind, Members, Node, Token, Value, Written, may_hold_long_number,
    push_token, unescape_token,
};
#[cfg(feature = "serde_json")]
pub use value::{SerdeLoss, SerdeLossKind, SerdeValue};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
