//! Reading of documents by dialect.

use llmend_json::Node;

use crate::{
    Dialect, Document, Strictness,
    dialect::{
        amazon_states, anthropic_tool_use, anton_result, any_notation, arazzo, canonical,
        clickweave_graph, clickweave_steps, gomind, langgraph, llmcompiler, markdown,
        mcp_tools_call, mermaid, n8n, openai_tool_calls, openmanus, patch, workflow,
    },
    read::context::Context,
};

/// Reads `text` in the plain-text dialect of `context`.
pub(crate) fn read_text(text: &str, context: &mut Context<'_>) -> Document {
    match context.dialect {
        Dialect::LlmCompiler => llmcompiler::read(text, context).into(),
        Dialect::Calls => any_notation::read(text, context).into(),
        Dialect::Mermaid => mermaid::read(text, context).into(),
        _ => markdown::read(text, context).into(),
    }
}

/// Reads `node` in the dialect of `context` and records findings. If one is an error, the document must
/// not be used.
pub(crate) fn read_value(node: Node<'_>, context: &mut Context<'_>) -> Option<Document> {
    Some(match context.dialect {
        Dialect::OpenManus if context.strictness == Strictness::Strict => {
            openmanus::read(node, context).into()
        }
        Dialect::GoMind => gomind::read(node, context).into(),
        Dialect::Workflow => workflow::read(node, context)?.into(),
        Dialect::ClickweaveSteps => clickweave_steps::read(node, context)?.into(),
        Dialect::ClickweaveGraph => clickweave_graph::read(node, context)?.into(),
        Dialect::Patch | Dialect::ClickweavePatch => patch::read(node, context)?.into(),
        Dialect::AntonResult => anton_result::read(node, context)?.into(),
        Dialect::OpenAiToolCalls => openai_tool_calls::read(node, context).into(),
        Dialect::AnthropicToolUse => anthropic_tool_use::read(node, context).into(),
        Dialect::McpToolsCall => mcp_tools_call::read(node, context).into(),
        Dialect::N8n => n8n::read(node, context)?.into(),
        Dialect::LangGraph => langgraph::read(node, context)?.into(),
        Dialect::AmazonStates => amazon_states::read(node, context)?.into(),
        Dialect::Arazzo => arazzo::read(node, context)?.into(),
        _ if context.dialect.is_text() => {
            context.findings.wrong_type("", node, "text");
            return None;
        }
        _ => canonical::read(node, context).into(),
    })
}
