//! Reads, checks, repairs, patches and writes the plans that language models write.
//!
//! This crate is the stage `read` of llmend's pipeline `text → extract → parse → read`: it turns a JSON
//! value into a typed [`Plan`] or [`Workflow`], or reports every problem at once, each with a code, a
//! JSON Pointer and its position in the source text. Plans come in many [`Dialect`]s, which [`write()`]
//! writes as well. Nothing is invented, and the crate does no I/O.
//!
//! Later stages report findings about the canonical form; [`Locations`] locates them in the source text.
//!
//! ```
//! use llmend_plan::{Dialect, read};
//!
//! let answer = "Sure! {objective: 'Make tea', steps: [{id: 'boil', tool: 'kettle'}, {id: 'pour', depends_on: ['boil']}]}";
//! let parsed = llmend_json::parse(answer)?;
//! let read_plan = read(&parsed.value, Dialect::Auto)?;
//! assert_eq!(read_plan.dialect, Dialect::Canonical);
//! assert_eq!(read_plan.plan.steps[1].depends_on, ["boil"]);
//!
//! let parsed = llmend_json::parse("{steps: [{tool: 'kettle'}, {id: [7]}]}")?;
//! let problems = read(&parsed.value, Dialect::Auto).unwrap_err();
//! let found: Vec<_> = problems.diagnostics().iter().map(|row| (&*row.code, row.path.as_deref())).collect();
//! assert_eq!(found, [
//!     ("plan/missing-field", Some("/steps/0/id")),
//!     ("plan/wrong-type", Some("/steps/1/id")),
//! ]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// The sketches of the tests name this crate as the crates above do.
#[cfg(test)]
extern crate self as llmend_plan;

mod arguments;
mod as_workflow;
mod catalog;
mod check;
pub mod code;
mod condition;
mod convert;
mod dialect;
mod document;
mod error;
mod findings;
mod fix;
mod form;
pub mod graph;
pub mod infer;
mod key_orders;
mod layout;
pub mod listing;
pub mod locations;
mod losses;
mod object;
mod offered;
mod options;
mod ordered;
pub mod patch;
mod plan;
mod read;
pub(crate) mod reference;
mod review;
mod schemas;
#[cfg(test)]
mod sketch;
mod task;
mod workflow;
mod write;

pub use as_workflow::check_plan_as_workflow;
pub use catalog::{Catalog, CatalogError, Signature, Tool};
pub use check::{Finding, check_plan, check_workflow};
pub use condition::{Condition, Literal, Operator, ValueRef};
pub use convert::{ConvertedPlan, ToPlanError};
pub use dialect::Dialect;
pub use document::{Document, DocumentKind};
pub use error::Error;
pub use fix::{End, Fix, fix_plan, fix_workflow};
pub use form::{unread_form, unread_text};
pub use infer::{Inference, infer};
pub use key_orders::KeyOrders;
pub use layout::Layout;
pub use locations::Locations;
pub use options::{OnBadStep, OnExtraArgument, OnNearTool, Options, Strictness};
pub use ordered::Ordered;
pub use patch::{
    AppliedPatch, Change, Dependency, DocumentDiff, DocumentPatch, Gaps, Insertion, Patch,
    PatchError, PatchOutcome, PlanPatch, Update, apply, apply_to_plan, check_ids, diff,
    diff_documents, diff_plans,
};
pub use plan::{Map, Plan, Step};
pub use read::{
    ParsedDocument, ParsedPlan, read, read_calls, read_document, read_partial, read_patch,
    read_task_result, read_text, read_text_partial, read_with, read_workflow,
};
pub use review::{
    Extent, Reviewed, apply_fixes, review, review_document, review_partial, review_patch,
};
pub use task::{FileChange, TaskResult, TaskStatus};
pub use workflow::{
    Case, DEFAULT_MAX_ITERATIONS, Edge, Node, NodeKind, NodeType, Output, Position, Workflow,
};
pub use write::{NotWritable, Written, write, write_reviewed};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeCode;
