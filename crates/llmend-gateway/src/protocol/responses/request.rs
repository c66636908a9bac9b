//! What a request for a response asks for.

use llmend::json::Node;

use crate::calls::offered::OfferedTool;
use crate::calls::{Parallel, ToolChoice};
use crate::protocol::request::{RequestFields, RequestedFormat};
use crate::splice::text;

/// Finds the fields of a request.
pub(super) fn fields(root: Node<'_>) -> RequestFields<'_> {
    let format = root.get("text").and_then(|text| text.get("format"));
    let content = match format.and_then(|format| format.get("type")?.str()) {
        Some("json_object") => RequestedFormat::Json,
        Some("json_schema") => {
            let schema = format.and_then(|format| format.get("schema"));
            schema.map_or(RequestedFormat::Json, RequestedFormat::Schema)
        }
        _ => RequestedFormat::Words,
    };
    let items = |key: &str| root.get(key).map(Node::items).into_iter().flatten();
    let is_call = |item: &Node<'_>| text(*item, "type") == Some("function_call");
    RequestFields {
        content,
        tools: items("tools").filter_map(offered).collect(),
        allowed: allowed(root),
        history: items("input").filter(is_call).filter_map(|call| call.get("arguments")).collect(),
        choice: choice(root),
        parallel: match root.get("parallel_tool_calls").and_then(Node::bool) {
            Some(false) => Parallel::One,
            _ => Parallel::Many,
        },
        ..RequestFields::default()
    }
}

/// Reads a function, or a custom tool, which takes a text.
fn offered(tool: Node<'_>) -> Option<OfferedTool<'_>> {
    match text(tool, "type")? {
        "function" => OfferedTool::of(tool, "parameters"),
        "custom" => OfferedTool::of_text(tool),
        _ => None,
    }
}

/// Returns the names of the tools that `tool_choice` allows, if it names some.
fn allowed(root: Node<'_>) -> Option<Vec<&str>> {
    let choice = root.get("tool_choice").filter(|it| text(*it, "type") == Some("allowed_tools"))?;
    Some(choice.get("tools")?.items().filter_map(|tool| text(tool, "name")).collect())
}

fn choice(root: Node<'_>) -> ToolChoice {
    let Some(choice) = root.get("tool_choice") else { return ToolChoice::Auto };
    match (choice.str().or_else(|| text(choice, "mode")), text(choice, "type")) {
        (Some("none"), _) => ToolChoice::None,
        (Some("required"), _) => ToolChoice::Required,
        (_, Some("function" | "custom")) => text(choice, "name")
            .map_or(ToolChoice::Required, |name| ToolChoice::Named(name.to_owned())),
        _ => ToolChoice::Auto,
    }
}
