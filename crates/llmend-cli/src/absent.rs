//! Subcommands and flags that this build lacks.

use clap::{
    CommandFactory as _, Error,
    error::{ContextKind, ContextValue},
};

use crate::arguments::CommandLine;

/// Each with the feature that brings it.
const ABSENT: &[(&str, &str)] = &[
    #[cfg(not(feature = "models"))]
    ("ask", "models"),
    #[cfg(not(feature = "models"))]
    ("assist", "models"),
    #[cfg(not(feature = "models"))]
    ("--ask", "models"),
    #[cfg(not(feature = "gateway"))]
    ("serve", "gateway"),
    #[cfg(not(feature = "gateway"))]
    ("report", "gateway"),
    #[cfg(not(feature = "table"))]
    ("--column", "table"),
];

/// Replaces the error for an unknown name by one that names the missing feature, if that is why.
pub(crate) fn explain(error: Error) -> Error {
    let names = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg];
    let unknown = names.into_iter().find_map(|kind| match error.get(kind) {
        Some(ContextValue::String(name)) => Some(name),
        _ => None,
    });
    let missing = unknown.and_then(|name| ABSENT.iter().find(|(absent, _)| absent == name));
    let Some((name, feature)) = missing else { return error };
    let message =
        format!("this build of llmend has no `{name}`; build it with the feature `{feature}`");
    CommandLine::command().error(error.kind(), message)
}
