//! Errors as clients read them.
//!
//! SDKs show the text of `{"error": {"message", "type", "param", "code"}}` and lose any other. They
//! retry twice after a 5xx status, so an error that would repeat has another status.

use std::ops::{Deref, DerefMut};

use llmend::Diagnostic;
use llmend::json::{Kind, Node};
use llmend_endpoints::Refusal;
use serde_json::{Map, Value, json};

/// The form of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorFormat {
    OpenAi,
    Anthropic,
    /// llmend's own endpoints.
    Own,
}

/// Why there is no answer. Boxed, since it is the rare side of every result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure(Box<Reason>);

/// The data of a failure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reason {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The `type`.
    pub(crate) kind: &'static str,
    /// The stable code.
    pub(crate) code: String,
    /// The part of the request or the response that it is about.
    pub(crate) param: Option<Box<str>>,
    /// The message for a person.
    pub(crate) message: String,
    /// What was found in a response.
    pub(crate) details: Vec<Diagnostic>,
    /// Further members of the body, for llmend's own endpoints.
    pub(crate) more: Map<String, Value>,
    /// Whether to ask again.
    pub(crate) retry: Retry,
    /// How often the model was asked.
    pub(crate) attempts: u32,
}

impl Deref for Failure {
    type Target = Reason;

    fn deref(&self) -> &Reason {
        &self.0
    }
}

impl DerefMut for Failure {
    fn deref_mut(&mut self) -> &mut Reason {
        &mut self.0
    }
}

/// Whether a client should ask again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retry {
    /// The client decides.
    Unspecified,
    /// It would fail again.
    Never,
    /// After this many seconds.
    After(u32),
}

impl Failure {
    pub(crate) fn new(
        status: u16,
        kind: &'static str,
        code: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self(Box::new(Reason {
            status,
            kind,
            code: code.into(),
            param: None,
            message: message.into(),
            details: Vec::new(),
            more: Map::new(),
            retry: Retry::Unspecified,
            attempts: 1,
        }))
    }

    /// Adds how often the model was asked, and why no answer of it can be used.
    pub(crate) fn after_retries(mut self, asked: u32, why: &str) -> Self {
        self.message = format!("{}; asked {asked} times: {why}", self.message);
        self.attempts = asked;
        self
    }

    /// Makes the error of an invalid request.
    pub(crate) fn request(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(400, "invalid_request_error", code, message)
    }

    /// Makes the error of an upstream.
    pub(crate) fn upstream(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(502, "upstream_error", code, message)
    }

    /// Makes the error of an event that cannot be read.
    pub(crate) fn malformed(why: &str) -> Self {
        let message = format!("cannot read an event of the upstream's stream: {why}");
        Self::upstream("stream/malformed", message)
    }

    /// Makes the error that an upstream reports in an `error` field, as an object or in words.
    pub(crate) fn reported(text: &str) -> Self {
        let value = serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
        let message = value["message"].as_str().or(value["error"]["message"].as_str());
        Self::upstream("upstream_error", message.unwrap_or(text))
    }

    /// Reads the error object of a response with status 200, which SDKs would take for a response
    /// without choices.
    pub(crate) fn of_error_object<'v>(root: Node<'v>) -> Option<Self> {
        let says = |error: &Node<'v>| match error.kind() {
            Kind::String => error.str() != Some(""),
            Kind::Object => !error.is_empty(),
            kind => kind == Kind::Number,
        };
        let of = |node: Node<'v>| node.get("error").filter(says);
        let choices = root.get("choices").map(Node::items).into_iter().flatten();
        let error = of(root).or_else(|| choices.into_iter().find_map(of))?;
        let text = |key: &str| error.get(key).and_then(Node::str);
        let message =
            text("message").or_else(|| error.str()).unwrap_or("the upstream reported an error");
        let code = error
            .get("code")
            .map(|code| code.str().map_or_else(|| code.to_string(), str::to_owned));
        let status = code.as_deref().and_then(|code| code.parse().ok());
        let status = status.filter(|status| (400..600).contains(status)).unwrap_or(502);
        let code =
            code.filter(|code| code != "null").unwrap_or_else(|| "upstream_error".to_owned());
        Some(Self::new(status, "upstream_error", code, message))
    }

    /// Makes the error of a response without a required member.
    pub(crate) fn lacks(list: &str) -> Self {
        Self::upstream("bad_answer", format!("the upstream's response has no `{list}`"))
    }

    /// Makes the error of an upstream that took too long.
    pub(crate) fn timeout(message: impl Into<String>) -> Self {
        Self::new(504, "upstream_timeout", "timeout", message)
    }

    /// Makes the error of a response that cannot be repaired. Another attempt is up to the client,
    /// not to its SDK.
    pub(crate) fn repair(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(422, "repair_error", code, message).retrying(Retry::Never)
    }

    /// Makes the error of a gateway that is stopping.
    pub(crate) fn stopping() -> Self {
        let message = "the gateway is shutting down; try again";
        Self::new(503, "gateway_error", "stopping", message).retrying(Retry::After(1))
    }

    pub(crate) fn about(mut self, param: impl Into<Box<str>>) -> Self {
        self.param = Some(param.into());
        self
    }

    pub(crate) fn retrying(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// Writes the body for OpenAI's SDKs.
    pub(crate) fn openai(&self) -> Value {
        let mut error = json!({
            "message": clipped(&self.message),
            "type": self.kind,
            "param": self.param,
            "code": self.code,
        });
        if let (false, Some(error)) = (self.details.is_empty(), error.as_object_mut()) {
            let (details, omitted) = self.listed_details();
            error.insert("details".to_owned(), details.into());
            if omitted > 0 {
                error.insert("details_left_out".to_owned(), omitted.into());
            }
        }
        json!({ "error": error })
    }

    /// Returns the first diagnostics, and how many are omitted, since a large response may have
    /// thousands.
    fn listed_details(&self) -> (Vec<Value>, usize) {
        let mut bytes = 0;
        let rows = self.details.iter().take(MOST_DETAILS).map(|row| json!(row));
        let rows = rows.take_while(|row| {
            bytes += row.to_string().len();
            bytes <= MOST_DETAIL_BYTES
        });
        let rows: Vec<Value> = rows.collect();
        let omitted = self.details.len() - rows.len();
        (rows, omitted)
    }

    /// Writes the body for Anthropic's SDKs.
    pub(crate) fn anthropic(&self) -> Value {
        let kind = match self.status {
            400 | 413 | 415 | 422 => "invalid_request_error",
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            429 => "rate_limit_error",
            503 => "overloaded_error",
            _ => "api_error",
        };
        json!({"type": "error", "error": {"type": kind, "message": clipped(&self.message)}})
    }

    /// Writes the body of llmend's own endpoints.
    pub(crate) fn own(&self) -> Value {
        let Reason { status, code, param, message, details, more, .. } = (*self.0).clone();
        Refusal { status, code, param, message, details, more }.into_body()
    }

    /// Writes the body for OpenAI's SDKs within a stream. There is no header against retries, and
    /// Vercel's SDK retries unless `code` is a status, so the code moves to `reason`.
    pub(crate) fn openai_event(&self) -> Value {
        let mut body = self.openai();
        if self.retry == Retry::Never {
            body["error"]["code"] = json!(self.status.to_string());
            body["error"]["reason"] = json!(self.code);
        }
        body
    }

    /// Writes the event with which a stream fails.
    pub(crate) fn event(&self) -> String {
        format!("data: {}\n\n", self.openai_event())
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let Refusal { status, code, param, message, details, more } = refusal;
        let mut failure = match status {
            422 => Self::repair(code, message),
            _ => Self::new(status, "invalid_request_error", code, message),
        };
        (failure.param, failure.details, failure.more) = (param, details, more);
        failure
    }
}

/// Clips a message that may quote a long key.
fn clipped(message: &str) -> String {
    if message.len() <= MOST_MESSAGE {
        return message.to_owned();
    }
    let end = message.floor_char_boundary(MOST_MESSAGE);
    format!("{}…", message.get(..end).unwrap_or_default())
}

/// Most diagnostics in an error.
const MOST_DETAILS: usize = 20;

/// Most bytes of diagnostics, as JSON.
const MOST_DETAIL_BYTES: usize = 16_000;

/// Most bytes of a message.
const MOST_MESSAGE: usize = 4_000;

#[cfg(test)]
mod tests {
    use llmend::{Diagnostic, Severity};

    use super::Failure;

    #[test]
    fn a_refusal_lists_the_first_diagnostics_and_counts_the_others() {
        let row = |size: usize| Diagnostic::new("a", Severity::Error, "x".repeat(size));
        // (how many there are, bytes of each, how many are listed)
        let rows =
            [(1, 1, 1), (20, 1, 20), (21, 1, 20), (1000, 1, 20), (9, 5_000, 3), (2, 99_999, 0)];
        for (count, size, listed) in rows {
            let found = vec![row(size); count];
            let mut failure = Failure::repair("a", "é".repeat(size));
            failure.details = found;
            let error = &failure.openai()["error"];
            assert_eq!(error["details"].as_array().map(Vec::len), Some(listed), "{count} {size}");
            let omitted = error.get("details_left_out").map_or_else(|| 0.into(), Clone::clone);
            assert_eq!(omitted, count - listed, "{count} {size}");
            assert!(
                failure.event().len() < 25_000 && failure.anthropic().to_string().len() < 5_000
            );
        }
    }

    #[test]
    fn each_client_finds_the_message_in_its_form() {
        let failure = Failure::repair("schema/type", "no").about("choices[0]");
        let body = failure.openai();
        assert_eq!(body["error"]["message"], "no");
        assert_eq!(body["error"]["type"], "repair_error");
        assert_eq!(body["error"]["param"], "choices[0]");
        assert_eq!(body["error"]["code"], "schema/type");
        assert_eq!(failure.anthropic()["error"]["message"], "no");
        // S1-18
        let own = failure.own();
        assert_eq!((&own["error"], &own["status"]), (&"no".into(), &422.into()));
        assert_eq!(own["details"][0]["code"], "schema/type");
        assert!(failure.event().starts_with("data: {") && failure.event().ends_with("}\n\n"));
        let event = failure.openai_event();
        assert_eq!(
            (&event["error"]["code"], &event["error"]["reason"]),
            (&"422".into(), &"schema/type".into())
        );
        assert_eq!(Failure::stopping().openai_event()["error"]["code"], "stopping");
    }
}
