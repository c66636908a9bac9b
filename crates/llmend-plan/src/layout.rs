//! The layout of JSON that is written.

use llmend_json::choice;
use serde::Serialize;

choice! {
    /// Layout of JSON.
    #[derive(Default)]
    Layout {
        /// On one line.
        #[default]
        Compact = "compact",
        /// One member per line, indented by two spaces.
        Indented = "indented",
    }
}

/// Writes a value as JSON, which cannot fail since all keys are strings.
pub(crate) fn json(value: &impl Serialize, layout: Layout) -> String {
    let text = match layout {
        Layout::Compact => serde_json::to_string(value),
        Layout::Indented => serde_json::to_string_pretty(value),
    };
    text.unwrap_or_default()
}
