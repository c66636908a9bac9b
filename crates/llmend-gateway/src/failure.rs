//! What is a client told that gets no answer?
//!
//! The SDKs show the text of `{"error": {"message", "type", "param", "code"}}` and lose any other. They
//! ask twice again after a 5xx, so that what would fail again is none.

use std::ops::{Deref, DerefMut};

use llmend::Diagnostic;
use serde_json::{Map, Value, json};

/// Why there is no answer. One word wide, since it is the rare side of every result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure(Box<Reason>);

/// Why there is no answer, in data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reason {
    /// The status of HTTP.
    pub(crate) status: u16,
    /// The kind, as in `type`.
    pub(crate) kind: &'static str,
    /// The stable code.
    pub(crate) code: String,
    /// The part of the request or the answer that it is about.
    pub(crate) param: Option<String>,
    /// What happened, for a person.
    pub(crate) message: String,
    /// What was found in an answer.
    pub(crate) details: Vec<Diagnostic>,
    /// What there is nevertheless, for llmend's own endpoints: members of an object.
    pub(crate) more: Option<Map<String, Value>>,
    /// Whether it is worth to ask again.
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

/// Whether it is worth to ask again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retry {
    /// The client's own rules hold.
    Unsaid,
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
            more: None,
            retry: Retry::Unsaid,
            attempts: 1,
        }))
    }

    /// The request is wrong.
    pub(crate) fn request(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(400, "invalid_request_error", code, message)
    }

    /// The upstream did not do what it should have.
    pub(crate) fn upstream(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(502, "upstream_error", code, message)
    }

    /// An event of the upstream's stream cannot be read, and an answer with a gap is none.
    pub(crate) fn malformed(why: &str) -> Self {
        let message = format!("an event of the upstream's stream cannot be read: {why}");
        Self::upstream("stream/malformed", message)
    }

    /// The upstream took too long.
    pub(crate) fn timeout(message: impl Into<String>) -> Self {
        Self::new(504, "upstream_timeout", "timeout", message)
    }

    /// The answer cannot be repaired. Another try may get another answer, but that is for the client
    /// to decide, and not for its SDK.
    pub(crate) fn repair(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(422, "repair_error", code, message).retrying(Retry::Never)
    }

    /// The gateway is about to stop.
    pub(crate) fn stopping() -> Self {
        let message = "the gateway is stopping: ask again";
        Self::new(503, "gateway_error", "stopping", message).retrying(Retry::After(1))
    }

    pub(crate) fn about(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    pub(crate) fn retrying(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// With all rows of what was found.
    pub(crate) fn detailed(mut self, details: Vec<Diagnostic>) -> Self {
        self.details = details;
        self
    }

    /// The body, as OpenAI's SDKs read it.
    pub(crate) fn openai(&self) -> Value {
        let mut error = json!({
            "message": self.message,
            "type": self.kind,
            "param": self.param,
            "code": self.code,
        });
        if let (false, Some(error)) = (self.details.is_empty(), error.as_object_mut()) {
            error.insert("details".to_owned(), json!(self.details));
        }
        json!({ "error": error })
    }

    /// The body, as Anthropic's SDKs read it.
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
        json!({"type": "error", "error": {"type": kind, "message": self.message}})
    }

    /// The body of llmend's own endpoints (S1-18).
    pub(crate) fn own(&self) -> Value {
        let details = if self.details.is_empty() {
            json!([{"code": self.code, "message": self.message, "path": self.param}])
        } else {
            json!(self.details)
        };
        let mut body = self.more.clone().unwrap_or_default();
        body.insert("error".to_owned(), json!(self.message));
        body.insert("details".to_owned(), details);
        body.insert("status".to_owned(), json!(self.status));
        body.into()
    }

    /// The body, as OpenAI's SDKs read it within a stream. There is no head to say that it would fail
    /// again, and Vercel's asks twice more for whatever has no status for a `code`: so that the code moves.
    pub(crate) fn openai_event(&self) -> Value {
        let mut body = self.openai();
        if self.retry == Retry::Never {
            body["error"]["code"] = json!(self.status.to_string());
            body["error"]["reason"] = json!(self.code);
        }
        body
    }

    /// The event with which a stream fails after its head was sent: every client raises it.
    pub(crate) fn event(&self) -> String {
        format!("data: {}\n\n", self.openai_event())
    }
}

#[cfg(test)]
mod tests {
    use super::Failure;

    #[test]
    fn each_client_finds_the_text_where_it_looks() {
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
