//! What a request for a message asks for.

use llmend::json::Node;

use crate::calls::offered::OfferedTool;
use crate::calls::{Parallel, ToolChoice};
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
            .filter_map(|tool| OfferedTool::of(tool, "input_schema"))
            .collect(),
        choice: choice(root),
        parallel: parallel(root),
        ..RequestFields::default()
    }
}

fn choice(root: Node<'_>) -> ToolChoice {
    let Some(choice) = root.get("tool_choice") else { return ToolChoice::Auto };
    match text(choice, "type") {
        Some("none") => ToolChoice::None,
        Some("any") => ToolChoice::Required,
        Some("tool") => text(choice, "name")
            .map_or(ToolChoice::Required, |name| ToolChoice::Named(name.to_owned())),
        _ => ToolChoice::Auto,
    }
}

fn parallel(root: Node<'_>) -> Parallel {
    let disabled =
        root.get("tool_choice").and_then(|choice| choice.get("disable_parallel_tool_use"));
    if disabled.and_then(Node::bool) == Some(true) { Parallel::One } else { Parallel::Many }
}
