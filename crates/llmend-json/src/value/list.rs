//! The list that a value should have.

use super::{Kind, Node};
use crate::{Diagnostic, Severity};

/// Number of keys that the advice names.
const MOST_KEYS: usize = 10;

impl Node<'_> {
    /// Returns what is wrong if there is no list at `path`, a JSON Pointer (RFC 6901): the code is `items/no-list`.
    ///
    /// ```
    /// let value = llmend_json::parse(r#"{"plan": [1]}"#)?.value;
    /// assert!(value.root().missing_list("/plan").is_none());
    /// let row = value.root().missing_list("/steps").unwrap();
    /// assert_eq!(row.message, "expected array, found nothing");
    /// assert_eq!(row.help.unwrap(), "Write the list at `/steps`; the value has the keys plan.");
    /// # Ok::<(), llmend_json::Error>(())
    /// ```
    #[must_use]
    pub fn missing_list(self, path: &str) -> Option<Diagnostic> {
        let row = |found: &str| {
            let message = format!("expected array, found {found}");
            Diagnostic::new("items/no-list", Severity::Error, message).on(path)
        };
        match self.pointer(path) {
            Some(found) if found.kind() == Kind::Array => None,
            Some(found) => {
                let row = row(found.kind().as_str()).help(format!("Write a list at `{path}`."));
                Some(row.at(found.span()))
            }
            None => {
                let keys = self.members().filter_map(|(key, _)| key.str()).take(MOST_KEYS);
                let keys = keys.collect::<Vec<_>>().join(", ");
                let known =
                    if keys.is_empty() { keys } else { format!("; the value has the keys {keys}") };
                Some(row("nothing").help(format!("Write the list at `{path}`{known}.")))
            }
        }
    }
}
