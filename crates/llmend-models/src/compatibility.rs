//! What servers reject, learned from their refusals.
//!
//! Compatible servers differ in what they accept, and no list of models is up to date. A request is
//! therefore written in the best known way. If a refusal names a part of it, that part is omitted
//! or replaced by the next way, and the model remembers this.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use llmend_model::OutputMode;
use serde::{Deserialize, Serialize};

mod message;
mod token_limit;

/// The token limit that every model in use takes.
pub(crate) const TAKEN_BY_ALL: u32 = 4_096;

/// A part of a request that not every server accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RequestPart {
    Temperature,
    /// The answer piece by piece.
    Stream,
    /// The option for usage in a stream.
    StreamOptions,
    /// The token limit under its older name. The newer name is then used.
    MaxTokens,
    /// Instructions apart from the messages of the user.
    System,
}

/// What a server is known to reject.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Refused {
    parts: BTreeSet<RequestPart>,
    modes: BTreeSet<OutputMode>,
    /// The modes that it rejects with one schema alone, by the schema's key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    schemas: BTreeMap<String, BTreeSet<OutputMode>>,
    /// The highest token limit of an answer that it accepts.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output: Option<u32>,
}

/// The number of schemas that are remembered for a model.
const MOST_SCHEMAS: usize = 64;

/// The modes that have a field of their own in a request.
const STRUCTURED: [OutputMode; 3] =
    [OutputMode::JsonSchema, OutputMode::JsonObject, OutputMode::ForcedTool];

impl Refused {
    pub(crate) fn has(&self, part: RequestPart) -> bool {
        self.parts.contains(&part)
    }

    pub(crate) fn has_mode(&self, mode: OutputMode) -> bool {
        self.modes.contains(&mode)
    }

    /// Returns whether the server rejects a mode, in general or with the schema of this key.
    pub(crate) fn has_mode_for(&self, mode: OutputMode, key: &str) -> bool {
        self.has_mode(mode) || self.schemas.get(key).is_some_and(|modes| modes.contains(&mode))
    }

    /// Returns `wanted` output tokens, or as many as the server accepts.
    pub(crate) fn output_tokens(&self, wanted: Option<u32>) -> Option<u32> {
        wanted.map(|wanted| self.max_output.map_or(wanted, |most| most.min(wanted)))
    }

    pub(crate) fn limit_output(&mut self, most: u32) {
        self.max_output = Some(self.max_output.map_or(most, |before| before.min(most)));
    }

    pub(crate) fn add(&mut self, part: RequestPart) {
        self.parts.insert(part);
    }

    pub(crate) fn add_mode(&mut self, mode: OutputMode) {
        self.modes.insert(mode);
    }

    /// Adds that the server rejects a mode with the schema of this key.
    pub(crate) fn add_schema(&mut self, key: &str, modes: &[OutputMode]) {
        self.schemas.entry(key.to_owned()).or_default().extend(modes);
        while self.schemas.len() > MOST_SCHEMAS {
            let other = self.schemas.keys().find(|known| *known != key).cloned();
            other.map(|other| self.schemas.remove(&other));
        }
    }

    /// Adds that the server rejected a mode without a reason, but answers without any format.
    ///
    /// With a schema, it may be that schema alone. If a second one is rejected in the same way, it is
    /// the server that takes no format.
    pub(crate) fn add_unexplained(&mut self, mode: OutputMode, key: &str) {
        let takes_none = |modes: &BTreeSet<_>| STRUCTURED.iter().all(|mode| modes.contains(mode));
        let is_second = self.schemas.iter().any(|(known, modes)| known != key && takes_none(modes));
        if is_second {
            self.modes.extend(STRUCTURED);
            self.schemas.clear();
            return;
        }
        if mode == OutputMode::JsonObject {
            // No schema is a part of it.
            self.add_mode(mode);
        }
        self.add_schema(key, &STRUCTURED);
    }
}

/// What a refusal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lesson {
    /// The server does not support this output mode.
    Mode(OutputMode),
    /// It may, but not with this schema.
    Schema(OutputMode),
    RequestPart(RequestPart),
    /// The server accepts this token limit at most.
    OutputTokens(u32),
    /// With this request, and no other, it accepts this token limit at most.
    Room(u32),
}

impl fmt::Display for Lesson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mode(mode) => write!(f, "no {}", mode.as_str()),
            Self::Schema(mode) => write!(f, "no {} with this schema", mode.as_str()),
            Self::RequestPart(part) => write!(f, "no {part:?}"),
            Self::OutputTokens(most) => write!(f, "at most {most} output tokens"),
            Self::Room(most) => write!(f, "at most {most} output tokens for this question"),
        }
    }
}

/// The rejectable parts of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent<'s> {
    pub(crate) mode: Option<OutputMode>,
    pub(crate) parts: &'s [RequestPart],
    /// The token limit of the answer.
    pub(crate) output_tokens: Option<u32>,
}

/// The statuses of servers that reject a part of a request.
const STATUSES: [u16; 4] = [400, 404, 422, 501];

/// The statuses of servers that refuse more than the account has, or more than it may use at a time.
const OF_ACCOUNT: [u16; 3] = [402, 413, 429];

/// Messages of llama.cpp with the status 500, which is otherwise ignored: a server that failed may
/// well mention what it was doing.
const REFUSED_WITH_500: [&str; 4] =
    ["requires --jinja", "not supported", "failed to parse grammar", "schema conversion failed"];

/// What servers say about a rejected value.
const NOT_TAKEN: [&str; 9] = [
    "support",
    "not allowed",
    "not permitted",
    "unknown",
    "unrecognized",
    "deprecated",
    "only the default",
    "extra inputs",
    "extra fields",
];

/// What servers say about a stream that they do not send.
const NOT_STREAMED: [&str; 5] =
    ["not support", "unsupported", "not allowed", "not available", "verified to stream"];

/// What servers say about a model that takes no instructions.
const NO_SYSTEM: [&str; 7] = [
    "system role not supported",
    "system role is not supported",
    "does not support 'system'",
    "instruction is not enabled",
    "only user and assistant roles",
    "only user, assistant and tool roles",
    "roles must alternate",
];

/// What servers say about a schema that they reject while they accept others.
const BAD_SCHEMA: [&str; 19] = [
    "failed to parse grammar",
    "schema conversion failed",
    "invalid schema",
    "invalid json schema",
    "invalid_json_schema",
    "schema is invalid",
    "unsupported schema",
    "too many states",
    "schema is too",
    "schemas contain",
    "schema contains",
    "format.schema",
    "in context=",
    "circular reference",
    "grammar is too large",
    "too many optional parameters",
    "too many parameters with union",
    "unimplemented keys",
    "additionalproperties",
];

/// What servers say about a way of asking that they do not have.
const LACKING: [&str; 13] = [
    "support",
    "unavailable",
    "not available",
    "not enabled",
    "not allowed",
    "not permitted",
    "not implemented",
    "unknown",
    "unrecognized",
    "unmarshal",
    "must be",
    "requires",
    "extra fields",
];

/// Returns what to change in a request that was refused with this status and body. `None` if the
/// body names nothing that was sent.
pub(crate) fn lesson(status: u16, body: &str, sent: Sent<'_>) -> Option<Lesson> {
    let message = message::of(body).to_ascii_lowercase();
    let body = body.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| body.contains(word));
    if OF_ACCOUNT.contains(&status) {
        return token_limit::of_account(&message, sent.output_tokens?);
    }
    let is_refusal = STATUSES.contains(&status) || (status == 500 && says(&REFUSED_WITH_500));
    if !is_refusal {
        return None;
    }
    let limit = sent.output_tokens.and_then(|limit| token_limit::of(&message, limit));
    for &part in sent.parts {
        let is_meant = match part {
            RequestPart::Temperature => says(&["temperature"]) && says(&NOT_TAKEN),
            RequestPart::Stream => says(&["stream"]) && says(&NOT_STREAMED),
            RequestPart::StreamOptions => says(&["stream_options"]),
            RequestPart::System => says(&NO_SYSTEM),
            // A server that knows the newer name may refuse its value.
            RequestPart::MaxTokens => {
                says(&["max_completion_tokens"]) && (limit.is_none() || says(&["instead"]))
            }
        };
        if is_meant {
            return Some(Lesson::RequestPart(part));
        }
    }
    if limit.is_some() {
        return limit;
    }
    let mode = sent.mode?;
    let has_schema = matches!(mode, OutputMode::JsonSchema | OutputMode::ForcedTool);
    if has_schema && says(&BAD_SCHEMA) {
        return Some(Lesson::Schema(mode));
    }
    if !says(names(mode)) {
        return None;
    }
    // Unless it says that it lacks the mode, it may take another schema.
    let is_lacking = !has_schema || says(&LACKING);
    Some(if is_lacking { Lesson::Mode(mode) } else { Lesson::Schema(mode) })
}

/// Returns what servers call an output mode.
const fn names(mode: OutputMode) -> &'static [&'static str] {
    match mode {
        OutputMode::JsonSchema => &[
            "response_format",
            "json_schema",
            "json schema",
            "output_config",
            "output_format",
            "output format",
            "text.format",
            "structured output",
            "response schema",
            "response_schema",
            "responseschema",
            "response_json_schema",
            "responsejsonschema",
            "response_mime_type",
            "responsemimetype",
            "json mode",
            "grammar",
            "guided",
            ".format",
            "invalid format",
        ],
        OutputMode::JsonObject => &[
            "response_format",
            "json_object",
            "json mode",
            "response_mime_type",
            "responsemimetype",
            ".format",
            "invalid format",
        ],
        OutputMode::ForcedTool => &["tool", "function"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use llmend_model::OutputMode::{self, ForcedTool, JsonObject, JsonSchema, Prompt};

    use super::{Lesson, RequestPart, Sent, lesson};

    fn check(status: u16, body: &str, mode: OutputMode, expected: Option<Lesson>) {
        let sent = Sent {
            mode: Some(mode),
            parts: &[RequestPart::Temperature, RequestPart::StreamOptions, RequestPart::MaxTokens],
            output_tokens: None,
        };
        assert_eq!(lesson(status, body, sent), expected, "{status} {body}");
    }

    const REFUSALS: [(u16, &str, OutputMode, Option<Lesson>); 23] = [
        (
            400,
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
            JsonSchema,
            Some(Lesson::Mode(JsonSchema)),
        ),
        (
            400,
            "This response_format type is unavailable now",
            JsonObject,
            Some(Lesson::Mode(JsonObject)),
        ),
        (
            400,
            "'response_format.type' must be 'json_schema' or 'text'",
            JsonObject,
            Some(Lesson::Mode(JsonObject)),
        ),
        (
            400,
            "registry.ollama.ai/library/m does not support tools",
            ForcedTool,
            Some(Lesson::Mode(ForcedTool)),
        ),
        (500, "tools param requires --jinja flag", ForcedTool, Some(Lesson::Mode(ForcedTool))),
        (
            404,
            "No endpoints found that support tool use.",
            ForcedTool,
            Some(Lesson::Mode(ForcedTool)),
        ),
        (
            400,
            "json: cannot unmarshal object into Go struct field ChatRequest.format of type string",
            JsonSchema,
            Some(Lesson::Mode(JsonSchema)),
        ),
        (
            400,
            "JSON mode is not enabled for models/gemma-3",
            JsonSchema,
            Some(Lesson::Mode(JsonSchema)),
        ),
        (
            400,
            "Invalid schema for response_format 'trip': In context=(), 'additionalProperties' is required",
            JsonSchema,
            Some(Lesson::Schema(JsonSchema)),
        ),
        (
            400,
            "output_config.format.schema: For 'integer' type, properties maximum, minimum are not supported",
            JsonSchema,
            Some(Lesson::Schema(JsonSchema)),
        ),
        (
            400,
            "output_config.format: Extra inputs are not permitted",
            JsonSchema,
            Some(Lesson::Mode(JsonSchema)),
        ),
        (
            400,
            "The specified schema produces a constraint that has too many states for serving.",
            JsonSchema,
            Some(Lesson::Schema(JsonSchema)),
        ),
        (
            400,
            "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported.",
            JsonSchema,
            Some(Lesson::RequestPart(RequestPart::Temperature)),
        ),
        (400, "temperature must be between 0 and 2", Prompt, None),
        (
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            JsonSchema,
            Some(Lesson::RequestPart(RequestPart::MaxTokens)),
        ),
        (
            422,
            "stream_options: extra fields not permitted",
            JsonSchema,
            Some(Lesson::RequestPart(RequestPart::StreamOptions)),
        ),
        (
            500,
            "JSON schema conversion failed: Unrecognized schema",
            JsonSchema,
            Some(Lesson::Schema(JsonSchema)),
        ),
        (500, "internal error while calling a tool", ForcedTool, None),
        // A body that names nothing that was sent shows nothing.
        (400, "the prompt is too long", JsonSchema, None),
        (400, "response_format", Prompt, None),
        (401, "response_format", JsonSchema, None),
        (429, "response_format", JsonSchema, None),
        (404, "The model does not exist", JsonSchema, None),
    ];

    #[test]
    fn refusals_are_understood() {
        for (status, body, mode, expected) in REFUSALS {
            check(status, body, mode, expected);
        }
    }

    #[test]
    fn what_was_not_sent_cannot_be_refused() {
        let body = "temperature is not supported; neither is stream_options";
        assert_eq!(lesson(400, body, Sent { mode: None, parts: &[], output_tokens: None }), None);
    }
}
