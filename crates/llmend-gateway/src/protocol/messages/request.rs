//! What a request for a message asks for.

use llmend::json::Node;

use crate::protocol::request::{RequestFields, RequestedFormat};
use crate::splice::text;

/// Finds the fields of a request. Its earlier calls are objects and need no repair.
pub(super) fn fields(root: Node<'_>) -> RequestFields<'_> {
    let config = root.get("output_config").and_then(|config| config.get("format"));
    let format = config.or_else(|| root.get("output_format"));
    let schema = format.filter(|format| text(*format, "type") == Some("json_schema"));
    let schema = schema.and_then(|format| format.get("schema"));
    let tools = root.get("tools").map(Node::items).into_iter().flatten();
    RequestFields {
        content: schema.map_or(RequestedFormat::Words, RequestedFormat::Schema),
        // The provider's own tools have no schema.
        tools: tools
            .filter(|tool| tool.get("input_schema").is_some())
            .filter_map(|tool| Some((text(tool, "name")?, tool.get("input_schema"))))
            .collect(),
        ..RequestFields::default()
    }
}
