//! Requests for messages written without tools.

use llmend::json::{Kind, Node};

use crate::emulation::conversation::{CallOrder, text_part, with_text, words};
use crate::emulation::{Emulation, PastCall, without_tools};
use crate::splice::{changed, text};

/// The members of a request that are about tools.
const ABOUT_TOOLS: &[&str] = &["tools", "tool_choice"];

/// Writes a request without tools. `None` if it is one.
pub(super) fn emulate(body: &str, root: Node<'_>, emulation: &Emulation) -> Option<String> {
    let mut order = CallOrder::default();
    let mut is_changed = false;
    let messages = root.get("messages")?.items().map(|message| {
        let content = message.get("content").filter(|content| content.kind() == Kind::Array);
        let blocks = content.and_then(|blocks| rewritten(body, blocks, emulation, &mut order));
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
    order: &mut CallOrder<'b>,
) -> Option<String> {
    let mut out: Vec<String> = Vec::new();
    let mut calls: Vec<PastCall> = Vec::new();
    let mut results: Vec<(usize, Vec<String>)> = Vec::new();
    let mut is_changed = false;
    for block in blocks.items() {
        let kind = text(block, "type");
        if kind == Some("tool_use") {
            order.add(text(block, "id"), text(block, "name"));
            calls.push(PastCall::new(text(block, "name"), block.get("input")));
            is_changed = true;
            continue;
        }
        end_calls(&mut calls, emulation, &mut out);
        if kind == Some("tool_result") {
            let (number, name) = order.find(text(block, "tool_use_id"));
            let (mut words, others) = words(block.get("content"));
            if block.get("is_error").and_then(Node::bool) == Some(true) {
                words.insert_str(0, "Error: ");
            }
            let result = text_part("text", &emulation.result(name, &words));
            results.push((number, std::iter::once(result).chain(others).collect()));
            is_changed = true;
        } else {
            end_results(&mut results, &mut out);
            out.push(block.span().of(body).to_owned());
        }
    }
    end_calls(&mut calls, emulation, &mut out);
    end_results(&mut results, &mut out);
    is_changed.then(|| format!("[{}]", out.join(",")))
}

/// Writes the results so far in the order of their calls.
fn end_results(results: &mut Vec<(usize, Vec<String>)>, out: &mut Vec<String>) {
    results.sort_by_key(|(number, _)| *number);
    out.extend(results.drain(..).flat_map(|(_, parts)| parts));
}

/// Writes the calls so far as one text.
fn end_calls(calls: &mut Vec<PastCall>, emulation: &Emulation, out: &mut Vec<String>) {
    let calls = std::mem::take(calls);
    if !calls.is_empty() {
        out.push(text_part("text", &emulation.calls(&calls)));
    }
}
