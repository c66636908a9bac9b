//! How do tools stand in a prompt?

use llmend_plan::Catalog;
use serde::Serialize;

/// A tool on its line.
#[derive(Serialize)]
struct Line<'c> {
    name: &'c str,
    #[serde(flatten)]
    tool: &'c llmend_plan::Tool,
}

/// The tools of a catalog as a prompt has them: one JSON object a line, with `name`, `description`,
/// `arguments`, `output` and `capabilities`, sorted by name. Empty if there is none.
#[must_use]
pub fn catalog(catalog: &Catalog) -> String {
    let lines = catalog.tools.iter().map(|(name, tool)| {
        // No key of a tool is anything but a text, so that nothing can fail.
        serde_json::to_string(&Line { name, tool }).unwrap_or_default()
    });
    lines.collect::<Vec<_>>().join("\n")
}
