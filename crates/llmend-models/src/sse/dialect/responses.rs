//! Events of OpenAI's responses.
//!
//! Each event has its name in `type`. Events ending in `.delta` have the pieces; those ending in
//! `.done` repeat them, and are ignored. A call begins with `response.output_item.added`, and later
//! events refer to it by `output_index`. A server that does not stream sends the response as is,
//! with all of its `output`.

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
    #[serde(borrow)]
    delta: Option<&'t RawValue>,
    output_index: Option<u32>,
    #[serde(borrow)]
    item: Option<Item<'t>>,
    #[serde(borrow)]
    response: Option<Response<'t>>,
    #[serde(borrow)]
    error: Option<&'t RawValue>,
    #[serde(borrow)]
    object: Option<&'t RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Item<'t> {
    #[serde(borrow)]
    r#type: Option<&'t RawValue>,
    #[serde(borrow)]
    call_id: Option<&'t RawValue>,
    #[serde(borrow)]
    name: Option<&'t RawValue>,
    #[serde(borrow)]
    arguments: Option<&'t RawValue>,
    #[serde(borrow)]
    content: Option<Vec<OutputPart<'t>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OutputPart<'t> {
    #[serde(borrow)]
    r#type: Option<&'t RawValue>,
    #[serde(borrow)]
    text: Option<&'t RawValue>,
    #[serde(borrow)]
    refusal: Option<&'t RawValue>,
}

/// The fields of a complete response beyond those at the end of a stream.
#[derive(Default, Deserialize)]
#[serde(default)]
struct CompleteResponse<'t> {
    #[serde(borrow)]
    output: Option<Vec<Item<'t>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Response<'t> {
    #[serde(borrow)]
    id: Option<&'t RawValue>,
    #[serde(borrow)]
    model: Option<&'t RawValue>,
    #[serde(borrow)]
    status: Option<&'t RawValue>,
    #[serde(borrow)]
    incomplete_details: Option<Incomplete<'t>>,
    #[serde(borrow)]
    error: Option<&'t RawValue>,
    #[serde(borrow)]
    usage: Option<&'t RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Incomplete<'t> {
    #[serde(borrow)]
    reason: Option<&'t RawValue>,
}

pub(super) fn read(event: &SseEvent, out: &mut Collector) -> Result<Seen, String> {
    let body: Event<'_> = parse(&event.data)?;
    let name = word(body.r#type)?.unwrap_or_else(|| event.event.clone());
    match name.as_str() {
        "response.output_text.delta" => {
            let choice = out.choice(None)?;
            out.content(choice, text(body.delta)?);
        }
        "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
            out.reasoning(0, text(body.delta)?);
        }
        "response.refusal.delta" => out.refusal(0, text(body.delta)?),
        "response.output_item.added" => {
            return begin_item(body.output_index, &body.item.unwrap_or_default(), out);
        }
        "response.function_call_arguments.delta" => {
            let Some(index) = out.calls.find(0, body.output_index) else {
                return Ok(Seen::Unknown);
            };
            out.tool_call(0, index, None, None, text(body.delta)?.unwrap_or_default());
        }
        "response.created" | "response.in_progress" | "response.queued" => {
            let response = body.response.unwrap_or_default();
            out.start(word(response.id)?, word(response.model)?);
        }
        "response.completed" | "response.incomplete" | "response.cancelled" => {
            finish(body.response.ok_or("missing `response` in the final event")?, out)?;
        }
        "response.failed" => {
            fail(&body.response.unwrap_or_default(), &event.data, out);
        }
        "error" => out.error(provider_error(&event.data)),
        "response.content_part.added"
        | "response.content_part.done"
        | "response.output_text.done"
        | "response.output_item.done"
        | "response.function_call_arguments.done"
        | "response.reasoning_summary_part.added"
        | "response.reasoning_summary_part.done"
        | "response.reasoning_summary_text.done"
        | "response.reasoning_text.done"
        | "response.refusal.done" => {}
        // An answer with an error and no type: a plain body instead of a stream.
        "" if is_set(body.error) => out.error(provider_error(&event.data)),
        "" if word(body.object)?.as_deref() == Some("response") => {
            return read_whole(&event.data, out);
        }
        _ => return Ok(Seen::Unknown),
    }
    Ok(Seen::Known)
}

fn read_whole(data: &str, out: &mut Collector) -> Result<Seen, String> {
    let response: Response<'_> = parse(data)?;
    out.start(word(response.id)?, word(response.model)?);
    let mut seen = Seen::Known;
    for (item, index) in
        parse::<CompleteResponse<'_>>(data)?.output.unwrap_or_default().iter().zip(0..)
    {
        if begin_item(Some(index), item, out)? == Seen::Unknown {
            seen = Seen::Unknown;
        }
        for part in item.content.iter().flatten() {
            match word(part.r#type)?.as_deref() {
                Some("output_text") => out.content(0, text(part.text)?),
                Some("reasoning_text") => out.reasoning(0, text(part.text)?),
                Some("refusal") => out.refusal(0, text(part.refusal)?),
                _ => seen = Seen::Unknown,
            }
        }
    }
    if word(response.status)?.as_deref() == Some("failed") {
        fail(&response, data, out);
    } else {
        finish(response, out)?;
    }
    Ok(seen)
}

fn fail(response: &Response<'_>, data: &str, out: &mut Collector) {
    let mut error = provider_error(response.error.map_or("{}", RawValue::get));
    data.clone_into(&mut error.raw);
    out.error(error);
}

fn begin_item(index: Option<u32>, item: &Item<'_>, out: &mut Collector) -> Result<Seen, String> {
    match word(item.r#type)?.as_deref() {
        Some("function_call") => {
            let index = out.calls.begin(0, index)?;
            let arguments = text(item.arguments)?.unwrap_or_default();
            out.tool_call(0, index, word(item.call_id)?, word(item.name)?, arguments);
            Ok(Seen::Known)
        }
        Some("message" | "reasoning") => Ok(Seen::Known),
        // A tool that the provider runs itself is not for the caller.
        _ => Ok(Seen::Unknown),
    }
}

fn finish(response: Response<'_>, out: &mut Collector) -> Result<(), String> {
    let choice = out.choice(None)?;
    let incomplete = response.incomplete_details.and_then(|details| details.reason);
    let reason = match word(incomplete)? {
        Some(reason) => Some(reason),
        None => word(response.status)?,
    };
    out.finish(choice, reason.unwrap_or_default());
    out.end();
    if let Some(usage) = response.usage.filter(|usage| is_set(Some(usage))) {
        let counts = UsageCounts::of(usage);
        out.usage(Usage {
            input_tokens: counts.at("/input_tokens"),
            output_tokens: counts.at("/output_tokens"),
            cached_input_tokens: counts.at("/input_tokens_details/cached_tokens"),
            reasoning_tokens: counts.at("/output_tokens_details/reasoning_tokens"),
        });
    }
    Ok(())
}
