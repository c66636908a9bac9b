//! The list of tools in a prompt.

use llmend_plan::Catalog;
use serde::Serialize;

/// A tool on its line.
#[derive(Serialize)]
struct Line<'c> {
    name: &'c str,
    #[serde(flatten)]
    tool: &'c llmend_plan::Tool,
}

/// Returns the tools of a catalog as a prompt shows them: one JSON object a line, with `name`,
/// `description`, `arguments`, `output` and `capabilities`, sorted by name. Empty for an empty
/// catalog.
#[must_use]
pub fn catalog(catalog: &Catalog) -> String {
    let lines = catalog.tools.iter().map(|(name, tool)| {
        // Serializing a tool cannot fail: all keys are strings.
        serde_json::to_string(&Line { name, tool }).unwrap_or_default()
    });
    lines.collect::<Vec<_>>().join("\n")
}
