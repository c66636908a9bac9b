//! Where does a request for a message say what it wants?

use llmend::json::Node;

use crate::protocol::request::{Wanted, WantedContent};
use crate::splice::text;

/// What a request wants. Its earlier calls are objects, and so need no repair.
pub(crate) fn wanted(root: Node<'_>) -> Wanted<'_> {
    let config = root.get("output_config").and_then(|config| config.get("format"));
    let format = config.or_else(|| root.get("output_format"));
    let schema = format.filter(|format| text(*format, "type") == Some("json_schema"));
    let schema = schema.and_then(|format| format.get("schema"));
    let tools = root.get("tools").map(Node::items).into_iter().flatten();
    Wanted {
        content: schema.map_or(WantedContent::Words, WantedContent::Schema),
        // A tool of the provider's own has no schema, and its input is none of ours.
        tools: tools
            .filter(|tool| tool.get("input_schema").is_some())
            .filter_map(|tool| Some((text(tool, "name")?, tool.get("input_schema"))))
            .collect(),
        ..Wanted::default()
    }
}
