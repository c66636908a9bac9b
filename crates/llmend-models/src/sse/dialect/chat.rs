//! Chunks of a chat completion (`OpenAI`, object `chat.completion.chunk`).
//!
//! `choices[].delta` has the pieces: `content`, `refusal`, `tool_calls`, formerly `function_call`.
//! Reasoning is `reasoning_content` (`DeepSeek`, `vLLM`, llama.cpp) or `reasoning` (OpenRouter,
//! Groq). The chunk with the usage has no choices, and follows the one with the finish reason. A
//! server that does not stream sends `message` instead of `delta`, in one object without framing;
//! one for plain completions sends `text`.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Seen;
use super::lenient::{UsageCounts, index, is_set, parse, provider_error, text, word};
use crate::sse::calls::CallName;
use crate::sse::collector::Collector;
use crate::sse::delta::Usage;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Chunk<'t> {
    #[serde(borrow)]
    id: Option<&'t RawValue>,
    #[serde(borrow)]
    model: Option<&'t RawValue>,
    #[serde(borrow)]
    object: Option<&'t RawValue>,
    #[serde(borrow)]
    choices: Option<Vec<Choice<'t>>>,
    #[serde(borrow)]
    usage: Option<&'t RawValue>,
    #[serde(borrow)]
    x_groq: Option<Groq<'t>>,
    #[serde(borrow)]
    error: Option<&'t RawValue>,
}

/// Groq puts the usage of a stream here.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Groq<'t> {
    #[serde(borrow)]
    usage: Option<&'t RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Choice<'t> {
    #[serde(deserialize_with = "index")]
    index: Option<u32>,
    #[serde(borrow)]
    delta: Option<Message<'t>>,
    #[serde(borrow)]
    message: Option<Message<'t>>,
    #[serde(borrow)]
    text: Option<&'t RawValue>,
    #[serde(borrow)]
    finish_reason: Option<&'t RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Message<'t> {
    #[serde(borrow)]
    content: Option<&'t RawValue>,
    #[serde(borrow)]
    reasoning_content: Option<&'t RawValue>,
    #[serde(borrow)]
    reasoning: Option<&'t RawValue>,
    #[serde(borrow)]
    refusal: Option<&'t RawValue>,
    #[serde(borrow)]
    tool_calls: Option<Vec<ToolCall<'t>>>,
    #[serde(borrow)]
    function_call: Option<Function<'t>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolCall<'t> {
    #[serde(deserialize_with = "index")]
    index: Option<u32>,
    #[serde(borrow)]
    id: Option<&'t RawValue>,
    #[serde(borrow)]
    function: Option<Function<'t>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Function<'t> {
    #[serde(borrow)]
    name: Option<&'t RawValue>,
    #[serde(borrow)]
    arguments: Option<&'t RawValue>,
}

/// A part of a content list, as Mistral sends for reasoning models.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ContentPart<'t> {
    #[serde(borrow)]
    text: Option<&'t RawValue>,
    #[serde(borrow)]
    thinking: Option<&'t RawValue>,
}

pub(super) fn read(data: &str, out: &mut Collector) -> Result<Seen, String> {
    let chunk: Chunk<'_> = parse(data)?;
    if is_set(chunk.error) || word(chunk.object)?.as_deref() == Some("error") {
        // OpenRouter sends the error together with a choice that ends with `error`. A failed answer
        // is not finished.
        out.error(provider_error(data));
        return Ok(Seen::Known);
    }
    let usage = chunk.usage.or(chunk.x_groq.and_then(|groq| groq.usage));
    if chunk.choices.is_none() && usage.is_none() {
        return Ok(Seen::Unknown);
    }
    if !out.is_started() && (is_set(chunk.id) || is_set(chunk.model)) {
        out.start(word(chunk.id)?, word(chunk.model)?);
    }
    for choice in chunk.choices.unwrap_or_default() {
        read_choice(choice, out)?;
    }
    if let Some(usage) = usage.filter(|usage| is_set(Some(usage))) {
        out.usage(read_usage(usage));
    }
    Ok(Seen::Known)
}

fn read_choice(choice: Choice<'_>, out: &mut Collector) -> Result<(), String> {
    let number = out.choice(choice.index)?;
    let message = choice.delta.or(choice.message).unwrap_or_default();
    // Some proxies send both names for the same text.
    let reasoning = word(message.reasoning_content)?;
    out.reasoning(number, if reasoning.is_some() { reasoning } else { word(message.reasoning)? });
    match message.content {
        Some(parts) if parts.get().starts_with('[') => read_parts(number, parts, out)?,
        content => out.content(number, text(content)?),
    }
    out.content(number, text(choice.text)?);
    out.refusal(number, text(message.refusal)?);
    if let Some(function) = message.function_call {
        let call = ToolCall { index: Some(0), id: None, function: Some(function) };
        read_call(number, call, out)?;
    }
    for call in message.tool_calls.unwrap_or_default() {
        read_call(number, call, out)?;
    }
    if let Some(reason) = word(choice.finish_reason)? {
        out.finish(number, reason);
    }
    Ok(())
}

fn read_parts(choice: u32, parts: &RawValue, out: &mut Collector) -> Result<(), String> {
    for part in parse::<Vec<ContentPart<'_>>>(parts.get())? {
        if let Some(thinking) = part.thinking {
            if thinking.get().starts_with('[') {
                for part in parse::<Vec<ContentPart<'_>>>(thinking.get())? {
                    out.reasoning(choice, text(part.text)?);
                }
            } else {
                out.reasoning(choice, text(Some(thinking))?);
            }
        }
        out.content(choice, text(part.text)?);
    }
    Ok(())
}

fn read_call(choice: u32, call: ToolCall<'_>, out: &mut Collector) -> Result<(), String> {
    let function = call.function.unwrap_or_default();
    let (id, name) = (word(call.id)?, word(function.name)?);
    let piece = out.calls.piece(choice, call.index, id.as_deref(), name.as_deref())?;
    let arguments = text(function.arguments)?.unwrap_or_default();
    let id = id.filter(|_| piece.new_id);
    if piece.name == CallName::Further {
        return Err("tool call name is split".to_owned());
    }
    let name = name.filter(|_| piece.name == CallName::New);
    out.tool_call(choice, piece.index, id, name, arguments);
    Ok(())
}

fn read_usage(usage: &RawValue) -> Usage {
    let counts = UsageCounts::of(usage);
    Usage {
        input_tokens: counts.at("/prompt_tokens"),
        output_tokens: counts.at("/completion_tokens"),
        cached_input_tokens: counts.at("/prompt_tokens_details/cached_tokens"),
        reasoning_tokens: counts.at("/completion_tokens_details/reasoning_tokens"),
    }
}
