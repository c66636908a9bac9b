//! What did a model send, as far as it can be read?

use llmend_json::{Diagnostic, Severity};

use super::{FailureKind, question::Misfit, subject::Ending, words};
use crate::model::{ChatError, ChatErrorKind, ChatResponse, Finish, Usage};

/// An answer, or why there is none.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// What is to be read.
    pub(crate) text: String,
    /// How it came to its end.
    pub(crate) ending: Ending,
    /// The tool whose arguments `text` is, if it is those of a call.
    pub(crate) called: Option<String>,
    /// Why there is nothing to be read.
    pub(crate) failure: Option<ChatError>,
    /// Why the model does not want to answer, in its words, if it does not.
    pub(crate) refusal: Option<String>,
    pub(crate) finish: Option<Finish>,
    pub(crate) usage: Option<Usage>,
    pub(crate) transport_retries: u32,
    /// Bytes that the model wrote, reasoning included.
    pub(crate) bytes: usize,
}

impl Reply {
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
            usage: response.usage,
            transport_retries: response.transport_retries,
            bytes: response.answer().len() + response.reasoning.len(),
        }
    }

    /// What a server could not read, and what came before an answer broke off, is read as any other
    /// answer; the latter never as a whole one.
    fn of_error(error: ChatError) -> Self {
        let transport_retries = error.context.transport_retries;
        let reply = match (error.answer(), &error.context.partial) {
            (None, _) => None,
            (Some(text), _) if error.context.answer.is_some() => {
                let mut response = ChatResponse::of_text(text);
                response.finish = Finish::Other("error".to_owned());
                Some(Self::of_response(&response, Ending::Complete))
            }
            (_, Some(partial)) => Some(Self::of_response(partial, Ending::Interrupted)),
            _ => None,
        };
        // Whoever stopped waiting does not want to be asked any more.
        match reply.filter(|_| error.kind != ChatErrorKind::Cancelled) {
            Some(reply) => Self { transport_retries, ..reply },
            None => Self {
                text: String::new(),
                ending: Ending::Complete,
                called: None,
                refusal: None,
                failure: Some(error),
                finish: None,
                usage: None,
                transport_retries,
                bytes: 0,
            },
        }
    }
}

/// What there is to say where the answer is the arguments of a tool that was not asked for: `asked` is the
/// name under which it was, if it was at all. A provider may have made other characters of it.
pub(crate) fn other_tool(called: &str, asked: Option<&str>) -> Option<Diagnostic> {
    let letters = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).flat_map(char::to_lowercase).collect()
    };
    let is_asked =
        called.is_empty() || asked.is_some_and(|asked| letters(asked) == letters(called));
    let said = || {
        let name = called.escape_debug();
        let message = format!(
            "the answer is what a tool was to be called with that nobody offered: `{name}`"
        );
        Diagnostic::new("ask/other-tool", Severity::Warning, message)
    };
    (!is_asked).then(said)
}

impl Misfit {
    /// No answer came.
    pub(crate) fn of_transport(error: &ChatError) -> Self {
        let row = Diagnostic::new(error.kind.code(), Severity::Error, error.message.clone());
        Self { kind: FailureKind::Transport, findings: vec![row] }
    }

    /// The model, or a filter, does not want to answer: what came of an answer is not looked at.
    pub(crate) fn of_refusal(words: &str) -> Self {
        let message = match words.trim() {
            "" => words::REFUSED.to_owned(),
            said => format!("{}: {said}", words::REFUSED),
        };
        let row = Diagnostic::new("ask/refused", Severity::Error, message);
        Self { kind: FailureKind::Refusal, findings: vec![row] }
    }
}
