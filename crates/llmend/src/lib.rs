//! Turns what a language model wrote into the value, type or plan that was asked for, or reports
//! exactly why not.
//!
//! This crate joins all stages, `text → extract → parse → coerce → read`, behind a few functions.
//! The crates [`json`], [`schema`], [`calls`] and [`plan`] are the stages, and can be used alone.
//!
//! ```
//! #[derive(Debug, serde::Deserialize)]
//! struct City { name: String, people: u32 }
//!
//! let answer = "Sure!\n```json\n{'name': 'Oslo', 'people': 717710,}\n```\nAnything else?";
//! let outcome = llmend::parse::<City>(answer)?;
//! assert_eq!((outcome.value.name.as_str(), outcome.value.people), ("Oslo", 717_710));
//! assert_eq!(outcome.report.class, Some(llmend::Class::Notation));
//!
//! // Without a report, a value that may lack something is an error, which holds it.
//! let cut_off = "{'name': 'Oslo', 'people': 717710, 'sights': ['Vig";
//! let error = llmend::from_str::<City>(cut_off).unwrap_err();
//! assert_eq!(error.value().map(|city| city.people), Some(717_710));
//! # Ok::<(), llmend::Error>(())
//! ```
//!
//! | to get | call |
//! |---|---|
//! | a type, with a report | [`parse`] |
//! | a type, or an error if it may lack something | [`from_str`] |
//! | a type, by its schema | `parse_as` (feature `schemars`) |
//! | a value that fits a JSON Schema, or every violation | [`fit`](fn@fit) |
//! | the same from a text that arrives in pieces | [`FitText`] |
//! | fitted items of a list while its text arrives | [`FitStream`] |
//! | every fitted part of a value while its text arrives | [`FitParts`] |
//! | each of several values, fitted, while their text arrives | [`FitValues`] |
//! | the tool calls, in any model's notation | [`calls::read`] |
//! | a plan | [`parse_plan_text`], [`parse_plan_payload`], [`parse_with_retries`] |
//! | a plan or workflow in any dialect, checked | [`review_plan`] |
//! | the result of a patch | [`review_patch_with`] |
//! | a value or a plan from a model, with retries | [`asking`] |
//! | JSON text | [`repair`](fn@repair) |
//! | a value that keeps the text of numbers, the order of members and places | [`json::parse`] |
//!
//! The environment variable `LLMEND_REPAIR=0` switches repair off in all functions without
//! [`Options`]: they accept strict JSON only. See [`config`].
//!
//! The feature `schemars`, off by default, adds the schemas of Rust types.

#[cfg(feature = "schemars")]
pub mod answers;
pub mod asking;
pub mod assistant;
pub mod config;
mod error;
mod fit;
mod fit_event;
mod fit_index;
mod fit_level;
mod fit_parts;
mod fit_stream;
mod fit_text;
mod fit_values;
mod fit_view;
mod fitted;
mod layout;
pub mod metrics;
mod outcome;
mod patching;
mod planning;
mod planning_error;
pub mod prompts;
mod reviewing;
mod stopwatch;
mod typed;

pub use error::{BadSchema, Error};
#[cfg(feature = "schemars")]
pub use fit::parse_as;
pub use fit::{CoerceMode, FitOptions, fit, fit_with};
pub use fit_event::FittedEvent;
pub use fit_parts::{FitParts, FittedPart};
pub use fit_stream::FitStream;
pub use fit_text::FitText;
pub use fit_values::{FitValues, FittedJson};
pub use fit_view::FittedView;
pub use fitted::Fitted;
pub use llmend_calls as calls;
pub use llmend_draw as draw;
pub use llmend_json as json;
pub use llmend_json::{
    Candidate, Choice, Class, Diagnostic, Edit, ErrorKind, Extraction, Guard, Hints, Kind, Node,
    Options, Origin, Policy, Repair, Repaired, Report, Rule, RuleSet, Search, Severity, Span,
    Status, Value, apply, decode, extract, repair, repair_with,
};
pub use llmend_model as model;
pub use llmend_model::ChatModel;
pub use llmend_plan as plan;
pub use llmend_plan::{Dialect, ParsedPlan, Plan, Step};
pub use llmend_schema as schema;
pub use llmend_schema::{
    Coercion, CoercionKind, OnBadItem, OnExtra, OtherSpelling, Schema, Violation,
};
pub use outcome::Outcome;
pub use patching::review_patch_with;
pub use planning::{
    DEFAULT_MAX_RETRIES, Meta, parse_plan_payload, parse_plan_payload_with, parse_plan_text,
    parse_with_retries,
};
pub use planning_error::{PlanErrorKind, PlanningError, Stage};
pub use reviewing::{Fixes, Review, ReviewOptions, review_plan, review_plan_with};
pub use typed::{FromStrError, from_str, parse, parse_with};

/// Compiles and runs the code of README.md and the guide with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/guide/rust.md")]
struct DocumentedCode;
