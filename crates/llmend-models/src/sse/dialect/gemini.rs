//! Chunks of Gemini's `streamGenerateContent` (`GenerateContentResponse`).
//!
//! Each chunk has the form of a complete answer. Calls come whole, with `args` as an object. A
//! refused prompt has no candidates, but `promptFeedback.blockReason`. Each chunk has the growing
//! usage.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Seen;
use super::lenient::{UsageCounts, index, is_set, parse, provider_error, text, word};
use crate::sse::collector::Collector;
use crate::sse::delta::Usage;

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Chunk<'t> {
    #[serde(borrow)]
    response_id: Option<&'t RawValue>,
    #[serde(borrow)]
    model_version: Option<&'t RawValue>,
    #[serde(borrow)]
    candidates: Option<Vec<Candidate<'t>>>,
    #[serde(borrow)]
    prompt_feedback: Option<Feedback<'t>>,
    #[serde(borrow)]
    usage_metadata: Option<&'t RawValue>,
    #[serde(borrow)]
    error: Option<&'t RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Candidate<'t> {
    #[serde(deserialize_with = "index")]
    index: Option<u32>,
    #[serde(borrow)]
    content: Option<Content<'t>>,
    #[serde(borrow)]
    finish_reason: Option<&'t RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Content<'t> {
    #[serde(borrow)]
    parts: Option<Vec<Part<'t>>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Part<'t> {
    #[serde(borrow)]
    text: Option<&'t RawValue>,
    thought: Option<bool>,
    #[serde(borrow)]
    thought_signature: Option<&'t RawValue>,
    #[serde(borrow)]
    function_call: Option<Call<'t>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Call<'t> {
    #[serde(borrow)]
    id: Option<&'t RawValue>,
    #[serde(borrow)]
    name: Option<&'t RawValue>,
    #[serde(borrow)]
    args: Option<&'t RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Feedback<'t> {
    #[serde(borrow)]
    block_reason: Option<&'t RawValue>,
}

pub(super) fn read(data: &str, out: &mut Collector) -> Result<Seen, String> {
    let chunk: Chunk<'_> = parse(data)?;
    if is_set(chunk.error) {
        out.error(provider_error(data));
        return Ok(Seen::Known);
    }
    let blocked = word(chunk.prompt_feedback.and_then(|feedback| feedback.block_reason))?;
    let mut seen = Seen::Known;
    if chunk.candidates.is_none() && chunk.usage_metadata.is_none() && blocked.is_none() {
        seen = Seen::Unknown;
    }
    if !out.is_started() && (is_set(chunk.response_id) || is_set(chunk.model_version)) {
        out.start(word(chunk.response_id)?, word(chunk.model_version)?);
    }
    for candidate in chunk.candidates.unwrap_or_default() {
        if read_candidate(candidate, out)? == Seen::Unknown {
            seen = Seen::Unknown;
        }
    }
    if let Some(reason) = blocked {
        out.finish(0, reason);
    }
    if let Some(usage) = chunk.usage_metadata.filter(|usage| is_set(Some(usage))) {
        out.usage(read_usage(usage));
    }
    Ok(seen)
}

fn read_candidate(candidate: Candidate<'_>, out: &mut Collector) -> Result<Seen, String> {
    let choice = out.choice(candidate.index)?;
    let mut seen = Seen::Known;
    for part in candidate.content.and_then(|content| content.parts).unwrap_or_default() {
        let known = part.text.is_some() || part.thought_signature.is_some();
        match part.function_call {
            Some(call) if is_set(call.name) => {
                let index = out.calls.begin(choice, None)?;
                let arguments = text(call.args)?.unwrap_or_default();
                out.tool_call(choice, index, word(call.id)?, word(call.name)?, arguments);
            }
            None if known => {
                let text = text(part.text)?;
                if part.thought == Some(true) {
                    out.reasoning(choice, text);
                } else {
                    out.content(choice, text);
                }
            }
            // Images, code that the provider runs, and future kinds of parts.
            _ => seen = Seen::Unknown,
        }
    }
    if let Some(reason) = word(candidate.finish_reason)? {
        out.finish(choice, reason);
    }
    Ok(seen)
}

fn read_usage(usage: &RawValue) -> Usage {
    let counts = UsageCounts::of(usage);
    let thoughts = counts.at("/thoughtsTokenCount");
    let output = [counts.at("/candidatesTokenCount"), thoughts].into_iter().flatten();
    Usage {
        input_tokens: counts.at("/promptTokenCount"),
        output_tokens: output.reduce(u64::saturating_add),
        cached_input_tokens: counts.at("/cachedContentTokenCount"),
        reasoning_tokens: thoughts,
    }
}
