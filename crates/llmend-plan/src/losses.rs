//! Losses of writing a document in a dialect.

use llmend_json::{Diagnostic, Severity};
use serde_json::Value;

use crate::{Map, code, locations::below};

/// What a dialect cannot represent, and what it requires and is missing.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    /// Warnings about values that are lost.
    pub(crate) rows: Vec<Diagnostic>,
    /// Errors about documents that cannot be written.
    pub(crate) refused: Vec<Diagnostic>,
}

impl Losses {
    /// Records that the value at `path` is lost.
    pub(crate) fn lose(&mut self, path: &str) {
        let message = format!("`{path}` cannot be represented");
        self.rows.push(Diagnostic::new(code::NOT_CARRIED, Severity::Warning, message).on(path));
    }

    /// Records why the document cannot be written.
    pub(crate) fn refuse(&mut self, path: &str, why: &str) {
        let message = format!("`{path}`: {why}");
        self.refused.push(Diagnostic::new(code::NOT_CARRIED, Severity::Error, message).on(path));
    }

    /// Requires a value.
    pub(crate) fn need<T>(&mut self, value: Option<&T>, path: &str) {
        if value.is_none() {
            self.refuse(path, "required by the dialect, but missing");
        }
    }

    /// Requires a string, if present, not to be empty.
    pub(crate) fn need_text(&mut self, value: Option<&str>, path: &str) {
        if value == Some("") {
            self.refuse(path, "required by the dialect, but empty");
        }
    }

    /// Removes a value and records its loss.
    pub(crate) fn take<T>(&mut self, value: &mut Option<T>, path: &str) {
        if value.take().is_some() {
            self.lose(path);
        }
    }

    /// Resets a value that differs from `usual` and records its loss.
    pub(crate) fn flag<T: PartialEq>(&mut self, value: &mut T, usual: T, path: &str) {
        if *value != usual {
            self.lose(path);
            *value = usual;
        }
    }

    /// Removes all items and records their loss.
    pub(crate) fn list<T>(&mut self, values: &mut Vec<T>, path: &str) {
        if !values.is_empty() {
            self.lose(path);
            values.clear();
        }
    }

    /// Removes all members and records their loss.
    pub(crate) fn map(&mut self, map: &mut Map, path: &str) {
        self.members(map, path, |_, _| false);
    }

    /// Removes the members that are not `kept` and records their loss.
    pub(crate) fn members(
        &mut self,
        map: &mut Map,
        path: &str,
        kept: impl Fn(&str, &Value) -> bool,
    ) {
        map.retain(|name, value| {
            let stays = kept(name, value);
            if !stays {
                self.lose(&below(path, name));
            }
            stays
        });
    }
}
