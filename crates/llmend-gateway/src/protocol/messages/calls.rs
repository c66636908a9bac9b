//! Calls out of the texts of whole messages.

use llmend::json::{Kind, Node, Value};
use serde_json::json;

use super::response::{blocks, finish};
use crate::answer::from_text::Converted;
use crate::calls::context::ConvertContext;
use crate::calls::native::NativeCall;
use crate::calls::reader::{ChoiceReader, TextEnd};
use crate::calls::segment::{Segment, segments};
use crate::splice::{Splice, quoted, text};

/// Reads the calls in the texts of a message, up to the first call that the server found itself.
pub(super) fn convert(body: &str, value: &Value<'_>, context: &ConvertContext<'_>) -> Converted {
    let message = value.root();
    let content = message.get("content");
    let is_call = |block: Node<'_>| text(block, "type") == Some("tool_use");
    let (Some(content), Some(mut reader)) =
        (content, ChoiceReader::of(context.request, &context.ids))
    else {
        return Converted::default();
    };
    let native: Vec<NativeCall> =
        blocks(message).filter(|block| is_call(*block)).map(native_call).collect();
    let first_native = blocks(message).position(is_call);
    if first_native.is_some() && context.request.content.is_some() {
        // Text beside a call is not the JSON that was asked for, and stays as it is.
        return Converted::default();
    }
    reader.beside(native, context);
    let blocks_with_words: Vec<Block<'_>> = match content.kind() {
        Kind::String => vec![(content.str(), "")],
        _ => content.items().map(|block| (text_of(block), block.span().of(body))).collect(),
    };
    let is_blank = |(words, _): &Block<'_>| words.is_none_or(|words| words.trim().is_empty());
    let is_blank = first_native.is_none() && blocks_with_words.iter().all(is_blank);
    let finish = finish(message);
    let end = TextEnd::of(finish.as_ref());
    let mut written = write_blocks(&blocks_with_words, first_native, end, &mut reader, context);
    let is_complete = finish.is_none_or(|finish| finish.is_complete());
    if is_blank && is_complete && context.request.content.is_none() {
        let thoughts = blocks(message).filter_map(|block| text(block, "thinking"));
        let outputs = reader.read_reasoning(thoughts.last().unwrap_or_default());
        written.extend(segments(&outputs).iter().map(write));
    }
    let found = reader.found().clone();
    if found.is_silent() {
        return Converted::default();
    }
    if found.is_nothing() {
        return Converted { body: None, found: vec![(0, found)] };
    }
    let mut splice = Splice::new(body);
    splice.replace(content, format!("[{}]", written.join(",")));
    Converted { body: Some(splice.finish().into_owned()), found: vec![(0, found)] }
}

/// The words of a block, if it is a text, and the block.
type Block<'b> = (Option<&'b str>, &'b str);

/// Writes blocks, and what the texts before the first call of the server hold in their place. `end` is
/// that of the message.
fn write_blocks(
    blocks: &[Block<'_>],
    first_native: Option<usize>,
    end: TextEnd,
    reader: &mut ChoiceReader,
    context: &ConvertContext<'_>,
) -> Vec<String> {
    let mut written = Vec::new();
    let last = blocks.len().saturating_sub(1);
    for (at, &(words, block)) in blocks.iter().enumerate() {
        let end = match first_native {
            Some(first) if at + 1 == first => TextEnd::BeforeCall,
            _ if at == last => end,
            _ => TextEnd::Complete,
        };
        let is_read = first_native.is_none_or(|first| at < first);
        let outputs =
            words.filter(|_| is_read).and_then(|words| reader.read_for(words, end, context));
        let Some(outputs) = outputs else {
            written.push(as_block(words, block));
            continue;
        };
        match segments(&outputs).as_slice() {
            // Nothing but marks was found.
            [] => written.push(write(&Segment::Text(String::new()))),
            [Segment::Text(text)] if Some(text.as_str()) == words => {
                written.push(as_block(words, block));
            }
            parts => written.extend(parts.iter().map(write)),
        }
    }
    written
}

fn native_call(block: Node<'_>) -> NativeCall {
    NativeCall {
        id: String::new(),
        name: text(block, "name").unwrap_or_default().to_owned(),
        arguments: block.get("input").map(|input| input.to_string()).unwrap_or_default(),
    }
}

/// Returns the text of a block that is one.
fn text_of(block: Node<'_>) -> Option<&str> {
    (text(block, "type") == Some("text")).then(|| text(block, "text"))?
}

/// Returns a block as it is, or a text that stands in place of the blocks as a block.
fn as_block(words: Option<&str>, block: &str) -> String {
    match words {
        Some(words) if block.is_empty() => json!({"type": "text", "text": words}).to_string(),
        _ => block.to_owned(),
    }
}

fn write(part: &Segment) -> String {
    match part {
        Segment::Text(text) | Segment::Refusal(text) => {
            json!({"type": "text", "text": text}).to_string()
        }
        Segment::Reasoning(text) => {
            json!({"type": "thinking", "thinking": text, "signature": ""}).to_string()
        }
        // Numbers keep their digits.
        Segment::Call { id, name, arguments, .. } => format!(
            "{{\"type\":\"tool_use\",\"id\":{},\"name\":{},\"input\":{arguments}}}",
            quoted(id),
            quoted(name)
        ),
    }
}
