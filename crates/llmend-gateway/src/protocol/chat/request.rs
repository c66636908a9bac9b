//! What a request for a chat completion asks for.

use llmend::json::{Kind, Node};

use crate::answer::completion::CallForm;
use crate::calls::offered::OfferedTool;
use crate::calls::{Parallel, ToolChoice};
use crate::protocol::request::{RequestFields, RequestedFormat, UsageReporting};
use crate::splice::text;

/// Finds the fields of a request.
pub(super) fn fields(root: Node<'_>) -> RequestFields<'_> {
    let is_included =
        root.get("stream_options").and_then(|options| options.get("include_usage")?.bool());
    RequestFields {
        content: content(root),
        tools: tools(root).chain(functions(root)).collect(),
        allowed: allowed(root),
        history: history(root),
        choices: root.get("n").and_then(|n| n.number()?.parse().ok()),
        choice: choice(root),
        parallel: parallel(root),
        call_form: call_form(root),
        usage: Some(if is_included == Some(true) {
            UsageReporting::Included
        } else {
            UsageReporting::Omitted
        }),
    }
}

fn content(root: Node<'_>) -> RequestedFormat<'_> {
    let Some(format) = root.get("response_format").filter(|format| !format.is_null()) else {
        return guided(root).map_or(RequestedFormat::Words, RequestedFormat::Schema);
    };
    let kind = format.get("type").and_then(Node::str);
    if !matches!(kind, Some("json_object" | "json_schema")) {
        return RequestedFormat::Words;
    }
    // Some servers take the schema without a name, whatever the type.
    let named = format.get("json_schema").and_then(|named| named.get("schema"));
    let schema = named.or_else(|| format.get("schema")).filter(|schema| !schema.is_null());
    schema.map_or(RequestedFormat::Json, RequestedFormat::Schema)
}

/// Returns the schema for vLLM.
fn guided(root: Node<'_>) -> Option<Node<'_>> {
    let outputs = || root.get("structured_outputs").and_then(|outputs| outputs.get("json"));
    root.get("guided_json").or_else(outputs).filter(|schema| schema.kind() == Kind::Object)
}

/// Reads `tool_choice`, or the `function_call` of older clients.
fn choice(root: Node<'_>) -> ToolChoice {
    let choices = ["tool_choice", "function_call"].map(|key| root.get(key));
    let Some(choice) = choices.into_iter().flatten().find(|choice| !choice.is_null()) else {
        return ToolChoice::Auto;
    };
    let allowed = choice.get("allowed_tools");
    let word = choice.str().or_else(|| allowed?.get("mode")?.str());
    match word {
        Some("none") => return ToolChoice::None,
        Some("required" | "any") => return ToolChoice::Required,
        Some(_) => return ToolChoice::Auto,
        None => {}
    }
    let name = text(named(choice), "name");
    name.map_or(ToolChoice::Auto, |name| ToolChoice::Named(name.to_owned()))
}

/// Returns the member of a tool, or of what chooses one, that names it.
fn named(tool: Node<'_>) -> Node<'_> {
    ["function", "custom"].into_iter().find_map(|key| tool.get(key)).unwrap_or(tool)
}

/// Returns the names of the tools that `tool_choice` allows, if it names some.
fn allowed(root: Node<'_>) -> Option<Vec<&str>> {
    let tools = root.get("tool_choice")?.get("allowed_tools")?.get("tools")?;
    Some(tools.items().filter_map(|tool| text(named(tool), "name")).collect())
}

fn parallel(root: Node<'_>) -> Parallel {
    let is_one = root.get("parallel_tool_calls").and_then(Node::bool) == Some(false);
    if is_one || call_form(root) == CallForm::Function { Parallel::One } else { Parallel::Many }
}

/// Older clients offer functions and expect a single call.
fn call_form(root: Node<'_>) -> CallForm {
    let has_tools = root.get("tools").is_some_and(|tools| !tools.is_empty());
    let has_functions = root.get("functions").is_some_and(|functions| !functions.is_empty());
    if has_functions && !has_tools { CallForm::Function } else { CallForm::Tools }
}

fn tools(root: Node<'_>) -> impl Iterator<Item = OfferedTool<'_>> {
    let tools = root.get("tools").map(Node::items).into_iter().flatten();
    tools.filter_map(|tool| match tool.get("custom") {
        Some(custom) => OfferedTool::of_text(custom),
        None => OfferedTool::of(tool.get("function")?, "parameters"),
    })
}

/// Returns the functions of older clients.
fn functions(root: Node<'_>) -> impl Iterator<Item = OfferedTool<'_>> {
    let functions = root.get("functions").map(Node::items).into_iter().flatten();
    functions.filter_map(|function| OfferedTool::of(function, "parameters"))
}

fn history(root: Node<'_>) -> Vec<Node<'_>> {
    let messages = root.get("messages").map(Node::items).into_iter().flatten();
    let mut history = Vec::new();
    for message in messages {
        let calls = message.get("tool_calls").map(Node::items).into_iter().flatten();
        let functions = calls.filter_map(|call| call.get("function"));
        let functions = functions.chain(message.get("function_call"));
        history.extend(functions.filter_map(|function| function.get("arguments")));
    }
    history
}
