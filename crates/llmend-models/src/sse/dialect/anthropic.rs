//! Events of Anthropic's messages.
//!
//! An answer is a list of blocks. `content_block_start` gives the type of a block,
//! `content_block_delta` its pieces, both with its `index`. `message_delta` has the stop reason and
//! the usage so far, `message_stop` is the end. The documentation allows `ping` anywhere, and new
//! event types, which are skipped.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Seen;
use super::lenient::{UsageCounts, is_set, parse, provider_error, text, word};
use crate::sse::collector::Collector;
use crate::sse::delta::Usage;
use crate::sse::reader::SseEvent;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Event<'t> {
    #[serde(borrow)]
    r#type: Option<&'t RawValue>,
    index: Option<u32>,
    #[serde(borrow)]
    message: Option<Message<'t>>,
    #[serde(borrow)]
    content_block: Option<Block<'t>>,
    #[serde(borrow)]
    delta: Option<Piece<'t>>,
    #[serde(borrow)]
    usage: Option<&'t RawValue>,
    #[serde(borrow)]
    error: Option<&'t RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Message<'t> {
    #[serde(borrow)]
    id: Option<&'t RawValue>,
    #[serde(borrow)]
    model: Option<&'t RawValue>,
    #[serde(borrow)]
    content: Option<Vec<Block<'t>>>,
    #[serde(borrow)]
    stop_reason: Option<&'t RawValue>,
    #[serde(borrow)]
    usage: Option<&'t RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Block<'t> {
    #[serde(borrow)]
    r#type: Option<&'t RawValue>,
    #[serde(borrow)]
    text: Option<&'t RawValue>,
    #[serde(borrow)]
    thinking: Option<&'t RawValue>,
    #[serde(borrow)]
    id: Option<&'t RawValue>,
    #[serde(borrow)]
    name: Option<&'t RawValue>,
    #[serde(borrow)]
    input: Option<&'t RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Piece<'t> {
    #[serde(borrow)]
    r#type: Option<&'t RawValue>,
    #[serde(borrow)]
    text: Option<&'t RawValue>,
    #[serde(borrow)]
    thinking: Option<&'t RawValue>,
    #[serde(borrow)]
    partial_json: Option<&'t RawValue>,
    #[serde(borrow)]
    stop_reason: Option<&'t RawValue>,
}

pub(super) fn read(event: &SseEvent, out: &mut Collector) -> Result<Seen, String> {
    let body: Event<'_> = parse(&event.data)?;
    let name = word(body.r#type)?.unwrap_or_else(|| event.event.clone());
    match name.as_str() {
        "message_start" => begin(body.message.unwrap_or_default(), out)?,
        // A server that does not stream sends the message as is.
        "message" => {
            begin(parse(&event.data)?, out)?;
            out.end();
        }
        "content_block_start" => {
            return read_block(body.index, &body.content_block.unwrap_or_default(), out);
        }
        "content_block_delta" => {
            return read_piece(body.index, &body.delta.unwrap_or_default(), out);
        }
        "content_block_stop" | "ping" => {}
        "message_delta" => {
            if let Some(reason) = word(body.delta.and_then(|delta| delta.stop_reason))? {
                out.finish(0, reason);
            }
            read_usage(body.usage, out);
        }
        "message_stop" => out.end(),
        "error" => out.error(provider_error(&event.data)),
        "" if is_set(body.error) => out.error(provider_error(&event.data)),
        _ => return Ok(Seen::Unknown),
    }
    Ok(Seen::Known)
}

fn begin(message: Message<'_>, out: &mut Collector) -> Result<(), String> {
    out.choice(None)?;
    out.start(word(message.id)?, word(message.model)?);
    for (block, index) in message.content.unwrap_or_default().iter().zip(0..) {
        read_block(Some(index), block, out)?;
    }
    if let Some(reason) = word(message.stop_reason)? {
        out.finish(0, reason);
    }
    read_usage(message.usage, out);
    Ok(())
}

fn read_block(index: Option<u32>, block: &Block<'_>, out: &mut Collector) -> Result<Seen, String> {
    match word(block.r#type)?.as_deref() {
        Some("text") => out.content(0, text(block.text)?),
        Some("thinking") => out.reasoning(0, text(block.thinking)?),
        Some("redacted_thinking") => {}
        Some("tool_use") => {
            let call = out.calls.begin(0, index)?;
            // It is `{}` at the start of a stream, and the pieces contain all of it.
            let input = block.input.map(RawValue::get).filter(|input| *input != "{}");
            let arguments = input.unwrap_or_default().to_owned();
            out.tool_call(0, call, word(block.id)?, word(block.name)?, arguments);
        }
        // A tool that the provider runs itself is not for the caller.
        _ => return Ok(Seen::Unknown),
    }
    Ok(Seen::Known)
}

fn read_piece(index: Option<u32>, piece: &Piece<'_>, out: &mut Collector) -> Result<Seen, String> {
    match word(piece.r#type)?.as_deref() {
        Some("text_delta") => out.content(0, text(piece.text)?),
        Some("thinking_delta") => out.reasoning(0, text(piece.thinking)?),
        Some("input_json_delta") => {
            let Some(call) = out.calls.find(0, index) else { return Ok(Seen::Unknown) };
            out.tool_call(0, call, None, None, text(piece.partial_json)?.unwrap_or_default());
        }
        Some("signature_delta" | "citations_delta") => {}
        _ => return Ok(Seen::Unknown),
    }
    Ok(Seen::Known)
}

fn read_usage(usage: Option<&RawValue>, out: &mut Collector) {
    let Some(usage) = usage.filter(|usage| is_set(Some(usage))) else { return };
    let counts = UsageCounts::of(usage);
    // The three counts are disjoint: "total input tokens … is the summation" of them.
    let cached = counts.at("/cache_read_input_tokens");
    let beside = [counts.at("/cache_creation_input_tokens"), cached];
    let beside = beside.into_iter().flatten().fold(0, u64::saturating_add);
    out.usage(Usage {
        input_tokens: counts.at("/input_tokens").map(|input| input.saturating_add(beside)),
        output_tokens: counts.at("/output_tokens"),
        cached_input_tokens: cached,
        reasoning_tokens: None,
    });
}
