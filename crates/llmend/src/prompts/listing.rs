//! How do tools and workflows stand in a prompt?

use llmend_plan::{Catalog, Workflow};
use serde::Serialize;

use super::as_data;

/// A tool on its line.
#[derive(Serialize)]
struct Line<'c> {
    name: &'c str,
    #[serde(flatten)]
    tool: &'c llmend_plan::Tool,
}

/// The tools of a catalog for [`Slots::catalog`](super::Slots::catalog): one JSON object a line, with
/// `name`, `description`, `arguments`, `output` and `capabilities`, sorted by name. Empty if there is
/// none.
#[must_use]
pub fn catalog(catalog: &Catalog) -> String {
    let lines = catalog.tools.iter().map(|(name, tool)| line(&Line { name, tool }));
    lines.collect::<Vec<_>>().join("\n")
}

/// A workflow as data, in the canonical form, for [`Slots::workflow`](super::Slots::workflow).
#[must_use]
pub fn workflow(workflow: &Workflow) -> String {
    as_data("workflow", &line(workflow))
}

/// Neither has a key that is no text, so that nothing can fail.
fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
