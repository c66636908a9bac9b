//! The subcommands, one per file.

#[cfg(feature = "models")]
pub(crate) mod ask;
#[cfg(feature = "models")]
pub(crate) mod assist;
pub(crate) mod batch;
pub(crate) mod calls;
pub(crate) mod checks;
pub(crate) mod coercions;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod man;
pub(crate) mod notations;
pub(crate) mod patch;
pub(crate) mod plan;
pub(crate) mod prompts;
pub(crate) mod repair;
#[cfg(feature = "gateway")]
pub(crate) mod report;
pub(crate) mod rules;
#[cfg(feature = "gateway")]
pub(crate) mod serve;
pub(crate) mod stream;
pub(crate) mod validate;
pub(crate) mod workflow;
