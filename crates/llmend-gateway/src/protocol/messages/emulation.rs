//! Requests for messages written without tools.

use std::collections::HashMap;

use llmend::json::{Kind, Node};

use crate::emulation::conversation::{text_part, with_text, words};
use crate::emulation::{Emulation, PastCall, without_tools};
use crate::splice::{changed, text};

/// The members of a request that are about tools.
const ABOUT_TOOLS: &[&str] = &["tools", "tool_choice"];

/// Writes a request without tools. `None` if it is one.
pub(super) fn emulate(body: &str, root: Node<'_>, emulation: &Emulation) -> Option<String> {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut is_changed = false;
    let messages = root.get("messages")?.items().map(|message| {
        let content = message.get("content").filter(|content| content.kind() == Kind::Array);
        let blocks = content.and_then(|blocks| rewritten(body, blocks, emulation, &mut names));
        is_changed |= blocks.is_some();
        match blocks {
            Some(blocks) => changed(body, message, &[], &[("content", blocks)]),
            None => message.span().of(body).to_owned(),
        }
    });
    let messages = messages.collect::<Vec<_>>().join(",");
    let messages = is_changed.then(|| ("messages", format!("[{messages}]")));
    let system = emulation.prompt().map(|prompt| {
        let known = root.get("system");
        ("system", with_text(body, known, prompt, "text"))
    });
    let is_offered = |tool: Node<'_>| tool.get("input_schema").is_some();
    without_tools(body, root, ABOUT_TOOLS, is_offered, messages.into_iter().chain(system))
}

/// Writes blocks with texts in the place of calls and results, or `None` if there are none.
fn rewritten<'b>(
    body: &str,
    blocks: Node<'b>,
    emulation: &Emulation,
    names: &mut HashMap<&'b str, &'b str>,
) -> Option<String> {
    let mut out: Vec<String> = Vec::new();
    let mut calls: Vec<PastCall> = Vec::new();
    let mut is_changed = false;
    for block in blocks.items() {
        let kind = text(block, "type");
        if kind == Some("tool_use") {
            names.extend(text(block, "id").zip(text(block, "name")));
            calls.push(PastCall::new(text(block, "name"), block.get("input")));
            is_changed = true;
            continue;
        }
        end_calls(&mut calls, emulation, &mut out);
        if kind == Some("tool_result") {
            let name = text(block, "tool_use_id").and_then(|id| names.get(id).copied());
            let (mut words, others) = words(block.get("content"));
            if block.get("is_error").and_then(Node::bool) == Some(true) {
                words.insert_str(0, "Error: ");
            }
            out.push(text_part("text", &emulation.result(name, &words)));
            out.extend(others);
            is_changed = true;
        } else {
            out.push(block.span().of(body).to_owned());
        }
    }
    end_calls(&mut calls, emulation, &mut out);
    is_changed.then(|| format!("[{}]", out.join(",")))
}

/// Writes the calls so far as one text.
fn end_calls(calls: &mut Vec<PastCall>, emulation: &Emulation, out: &mut Vec<String>) {
    let calls = std::mem::take(calls);
    if !calls.is_empty() {
        out.push(text_part("text", &emulation.calls(&calls)));
    }
}
