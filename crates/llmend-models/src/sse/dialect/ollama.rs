//! Lines of Ollama's streams.
//!
//! `/api/chat` sends `message`, `/api/generate` sends `response`. Calls come whole, with
//! `arguments` as an object. The last line has `done: true`, the reason and the counts; servers
//! before 2024 gave no reason. An error within a stream is a line `{"error": "…"}`.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::Seen;
use super::lenient::{count, is_set, parse, provider_error, text, word};
use crate::sse::collector::Collector;
use crate::sse::delta::Usage;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Line<'t> {
    #[serde(borrow)]
    model: Option<&'t RawValue>,
    #[serde(borrow)]
    message: Option<Message<'t>>,
    #[serde(borrow)]
    response: Option<&'t RawValue>,
    #[serde(borrow)]
    thinking: Option<&'t RawValue>,
    done: Option<bool>,
    #[serde(borrow)]
    done_reason: Option<&'t RawValue>,
    #[serde(borrow)]
    error: Option<&'t RawValue>,
    prompt_eval_count: Value,
    eval_count: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Message<'t> {
    #[serde(borrow)]
    content: Option<&'t RawValue>,
    #[serde(borrow)]
    thinking: Option<&'t RawValue>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Call<'t>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Call<'t> {
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

pub(super) fn read(data: &str, out: &mut Collector) -> Result<Seen, String> {
    let line: Line<'_> = parse(data)?;
    if is_set(line.error) {
        out.error(provider_error(data));
        return Ok(Seen::Known);
    }
    if line.message.is_none() && line.response.is_none() && line.done.is_none() {
        return Ok(Seen::Unknown);
    }
    let choice = out.choice(None)?;
    if !out.is_started() && is_set(line.model) {
        out.start(None, word(line.model)?);
    }
    let message = line.message.unwrap_or_default();
    for thinking in [message.thinking, line.thinking] {
        out.reasoning(choice, text(thinking)?);
    }
    for content in [message.content, line.response] {
        out.content(choice, text(content)?);
    }
    for call in message.tool_calls.unwrap_or_default() {
        let index = out.calls.begin(choice, None)?;
        let function = call.function.unwrap_or_default();
        let arguments = text(function.arguments)?.unwrap_or_default();
        out.tool_call(choice, index, word(call.id)?, word(function.name)?, arguments);
    }
    if line.done == Some(true) {
        out.finish(choice, word(line.done_reason)?.unwrap_or_default());
    }
    out.usage(Usage {
        input_tokens: count(&line.prompt_eval_count),
        output_tokens: count(&line.eval_count),
        ..Usage::default()
    });
    Ok(Seen::Known)
}
