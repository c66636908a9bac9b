//! The response of a model, reduced to what can be read.

use llmend_json::{Diagnostic, Severity};

use super::{FailureKind, merge::RejectedAnswer, messages, subject::Ending};
use crate::model::{ChatError, ChatErrorKind, ChatResponse, Finish, Lost, Usage};

/// An answer, or the reason why there is none.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedAnswer {
    /// The text to read.
    pub(crate) text: String,
    /// How it ended.
    pub(crate) ending: Ending,
    /// The tool whose arguments `text` is, for a tool call.
    pub(crate) called: Option<String>,
    /// The error, if there is no text to read.
    pub(crate) failure: Option<ChatError>,
    /// The model's words, if it refused to answer.
    pub(crate) refusal: Option<String>,
    pub(crate) finish: Option<Finish>,
    /// Why the answer broke off, in a word and in a sentence.
    pub(crate) broke_off: Option<(ChatErrorKind, String)>,
    pub(crate) usage: Option<Usage>,
    pub(crate) transport_retries: u32,
    /// Whether the last request did not reach the server.
    pub(crate) not_reached: bool,
    pub(crate) lost: Lost,
    /// The size of what the model wrote, including reasoning, in bytes.
    pub(crate) bytes: usize,
}

impl ReceivedAnswer {
    pub(crate) fn of(answer: Result<ChatResponse, ChatError>) -> Self {
        match answer {
            Ok(response) => Self::of_response(&response, Ending::Complete),
            Err(error) => Self::of_error(error),
        }
    }

    fn of_response(response: &ChatResponse, ending: Ending) -> Self {
        let text = response.answer().to_owned();
        let ending = match (&response.finish, ending) {
            (Finish::Length, Ending::Complete) => Ending::Length,
            _ => ending,
        };
        let is_filtered = response.finish == Finish::ContentFilter;
        Self {
            refusal: (is_filtered || (text.trim().is_empty() && !response.refusal.is_empty()))
                .then(|| response.refusal.clone()),
            text,
            ending,
            called: response.call().map(|call| call.name.clone()),
            failure: None,
            finish: Some(response.finish.clone()),
            broke_off: None,
            usage: response.usage,
            transport_retries: response.transport_retries,
            not_reached: false,
            lost: response.lost,
            bytes: response.answer().len() + response.reasoning.len(),
        }
    }

    /// Reads what the server could not read, or what arrived before the answer broke off, like any
    /// other answer; the latter never as a complete one.
    fn of_error(error: ChatError) -> Self {
        let context = &error.context;
        let (transport_retries, lost, told) =
            (context.transport_retries, context.lost, context.usage);
        let not_reached = context.not_reached;
        let reply = match (error.answer(), &context.partial) {
            (None, _) => None,
            (Some(text), _) if context.answer.is_some() => {
                let mut response = ChatResponse::of_text(text);
                response.finish = Finish::Other("error".to_owned());
                Some(Self::of_response(&response, Ending::Complete))
            }
            (_, Some(partial)) => {
                let broke_off = Some((error.kind, error.message.clone()));
                Some(Self { broke_off, ..Self::of_response(partial, Ending::Interrupted) })
            }
            _ => None,
        };
        // A caller that canceled wants no further request.
        match reply.filter(|_| error.kind != ChatErrorKind::Canceled) {
            Some(reply) => Self { transport_retries, lost, usage: told.or(reply.usage), ..reply },
            None => Self {
                text: String::new(),
                ending: Ending::Complete,
                called: None,
                refusal: None,
                failure: Some(error),
                finish: None,
                broke_off: None,
                usage: told,
                transport_retries,
                not_reached,
                lost,
                bytes: 0,
            },
        }
    }
}

impl ReceivedAnswer {
    /// Says in the findings why an answer broke off, and what to do about that: its length is not to
    /// blame.
    pub(crate) fn explain(&self, findings: &mut [Diagnostic]) {
        let Some((kind, reason)) = &self.broke_off else { return };
        for row in findings {
            let is_cut = row.code == "extract/truncated"
                || FailureKind::of_code(&row.code) == FailureKind::Truncation;
            if row.message == messages::BROKEN_OFF {
                row.message = messages::broken_off(reason);
            }
            if is_cut && row.help.is_some() {
                row.help = Some(kind.advice().to_owned());
            }
        }
    }
}

/// Returns a warning if the answer is the arguments of a tool that was not offered. `asked` is the
/// name of the offered one, which a provider may have spelled with other characters.
pub(crate) fn other_tool(called: &str, asked: Option<&str>) -> Option<Diagnostic> {
    let letters = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).flat_map(char::to_lowercase).collect()
    };
    let is_asked =
        called.is_empty() || asked.is_some_and(|asked| letters(asked) == letters(called));
    let said = || {
        let name = called.escape_debug();
        let message = format!("the answer is a call of tool `{name}`, which was not offered");
        Diagnostic::new("ask/other-tool", Severity::Warning, message)
    };
    (!is_asked).then(said)
}

impl RejectedAnswer {
    /// Describes a call without an answer.
    pub(crate) fn of_transport(error: &ChatError) -> Self {
        let row = Diagnostic::new(error.kind.code(), Severity::Error, error.message.clone());
        Self { kind: FailureKind::Transport, findings: vec![row] }
    }

    /// Describes a refusal by the model or a filter. Any partial answer is ignored.
    pub(crate) fn of_refusal(words: &str) -> Self {
        let message = match words.trim() {
            "" => messages::REFUSED.to_owned(),
            said => format!("{}: {said}", messages::REFUSED),
        };
        let row = Diagnostic::new("ask/refused", Severity::Error, message);
        Self { kind: FailureKind::Refusal, findings: vec![row] }
    }
}
