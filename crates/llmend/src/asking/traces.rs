//! Tracing spans and events of the loop.
//!
//! Names follow OpenTelemetry's conventions for generative models (`gen_ai.…`) where one exists,
//! and are llmend's own (`llmend.…`) otherwise: strategies, findings, repairs. Requests and answers
//! are traced only if the options say so.

use llmend_json::preview;
use tracing::{Span, field::Empty};

use super::{Attempt, AttemptRequest, Content, Ledger};
use crate::{
    metrics,
    model::{ChatError, ChatRequest, ChatResponse, Finish, Output},
};

/// Opens the span of the whole loop, over all attempts.
pub(super) fn question(model: &str) -> Span {
    tracing::info_span!(
        "llmend.ask",
        gen_ai.request.model = model_of(model),
        otel.status_code = Empty,
        llmend.attempts = Empty,
        llmend.outcome = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
    )
}

/// Records the result: `ok`, or the code of the error.
pub(super) fn ended(span: &Span, ledger: &Ledger, outcome: &str) {
    span.record("llmend.attempts", ledger.attempts_made());
    span.record("llmend.outcome", outcome);
    if outcome != "ok" {
        span.record("otel.status_code", "ERROR");
    }
    span.record("gen_ai.usage.input_tokens", ledger.usage.input);
    span.record("gen_ai.usage.output_tokens", ledger.usage.output);
}

/// Opens the span of one request.
pub(super) fn request(asking: &AttemptRequest, content: Content) -> Span {
    let request = &asking.request;
    let span = tracing::info_span!(
        "chat",
        otel.name = %format_args!("chat {}", model_of(&asking.name)),
        otel.kind = "client",
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = provider_of(&asking.name),
        gen_ai.request.model = model_of(&asking.name),
        gen_ai.request.max_tokens = request.max_output_tokens,
        gen_ai.request.temperature = request.temperature,
        gen_ai.output.type = if request.output == Output::Text { "text" } else { "json" },
        gen_ai.response.model = Empty,
        gen_ai.response.id = Empty,
        gen_ai.response.finish_reasons = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        error.type = Empty,
        otel.status_code = Empty,
        llmend.attempt = asking.number,
        llmend.strategy = asking.strategy.map(super::Strategy::as_str),
        llmend.failure = Empty,
        llmend.findings = Empty,
        llmend.repairs = Empty,
    );
    if content == Content::Logged {
        let messages = messages(request);
        tracing::info!(parent: &span, gen_ai.input.messages = messages, "a question");
    }
    span
}

/// Records the server's answer.
pub(super) fn answered(span: &Span, answer: &Result<ChatResponse, ChatError>, content: Content) {
    match answer {
        Ok(response) => {
            if let Some(model) = &response.model {
                span.record("gen_ai.response.model", model.as_str());
            }
            if let Some(id) = &response.id {
                span.record("gen_ai.response.id", id.as_str());
            }
            span.record("gen_ai.response.finish_reasons", finish(&response.finish));
            if content == Content::Logged {
                let text = response.answer();
                tracing::info!(parent: span, gen_ai.output.messages = text, "an answer");
            }
        }
        Err(error) => {
            span.record("error.type", error.kind.code());
            span.record("otel.status_code", "ERROR");
        }
    }
}

/// The number of characters of an answer that a log shows.
const PREVIEW_CHARS: usize = 200;

/// Returns the beginning of an answer, for a log that may contain content.
pub(super) fn beginning(
    answer: &Result<ChatResponse, ChatError>,
    content: Content,
) -> Option<String> {
    let text = answer.as_ref().map_or_else(ChatError::answer, |answer| Some(answer.answer()));
    let shown = text.filter(|_| content == Content::Logged)?;
    Some(preview(shown, PREVIEW_CHARS).to_owned())
}

/// Records the evaluation of the answer, of which this is the beginning.
pub(super) fn judged(span: &Span, attempt: &Attempt, beginning: Option<&str>) {
    span.record("gen_ai.usage.input_tokens", attempt.usage.input);
    span.record("gen_ai.usage.output_tokens", attempt.usage.output);
    span.record("llmend.findings", attempt.findings.len());
    span.record("llmend.repairs", attempt.repairs);
    if let Some(failure) = attempt.failure {
        span.record("llmend.failure", failure.as_str());
        // Each failed attempt is logged with its number and reason, without what was written.
        let codes: Vec<&str> = attempt.findings.iter().map(|row| row.code.as_ref()).collect();
        let number = attempt.number;
        let failure = failure.as_str();
        // The error and the beginning of the answer, for a log that may contain content.
        let error = beginning.and(attempt.cause.as_deref());
        let preview = beginning;
        tracing::warn!(
            parent: span, attempt = number, failure, ?codes, error, preview, "answer rejected"
        );
    }
    metrics::attempted(attempt);
}

/// Returns a fixed word for the reason why an answer ended. The provider's own word is not
/// repeated, since it may be anything.
const fn finish(finish: &Finish) -> &'static str {
    match finish {
        Finish::Stop => "stop",
        Finish::Length => "length",
        Finish::ToolCalls => "tool_calls",
        Finish::ContentFilter => "content_filter",
        _ => "other",
    }
}

fn provider_of(name: &str) -> &str {
    match name.split_once([':', '+']) {
        Some(("gemini", _)) => "gcp.gemini",
        Some(("openai-responses", _)) => "openai",
        Some(("azure", _)) => "azure.ai.openai",
        Some(("mistral", _)) => "mistral_ai",
        Some((provider, _)) => provider,
        None => "_OTHER",
    }
}

/// Returns the model's name without its provider and server. After a URL it starts behind the first
/// colon that is not part of the host and its port.
fn model_of(name: &str) -> &str {
    let Some((provider, rest)) = name.split_once(':') else { return name };
    let is_server = provider.contains('+') && rest.starts_with("//");
    if !is_server {
        return rest;
    }
    let host_end = rest.get(2..).and_then(|rest| rest.find('/')).map_or(rest.len(), |at| at + 2);
    let (host, path) = rest.split_at(host_end);
    path.split_once(':').or_else(|| host.rsplit_once(':')).map_or(rest, |(_, model)| model)
}

fn messages(request: &ChatRequest) -> String {
    // Serializing a message cannot fail: all keys are strings.
    serde_json::to_string(&request.messages).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{model_of, provider_of};

    #[test]
    fn a_model_is_identified_by_its_own_name() {
        let rows = [
            ("openai:gpt-4o", "openai", "gpt-4o"),
            ("ollama:llama3:8b", "ollama", "llama3:8b"),
            ("gemini:flash", "gcp.gemini", "flash"),
            ("openai-responses:gpt-5", "openai", "gpt-5"),
            ("azure:mine", "azure.ai.openai", "mine"),
            ("openai+http://127.0.0.1:8080/v1:qwen3:8b", "openai", "qwen3:8b"),
            ("vllm+https://host:m", "vllm", "m"),
            ("vllm+https://host:8000:m", "vllm", "m"),
            ("mine", "_OTHER", "mine"),
        ];
        for (name, provider, model) in rows {
            assert_eq!((provider_of(name), model_of(name)), (provider, model), "{name}");
        }
    }
}
