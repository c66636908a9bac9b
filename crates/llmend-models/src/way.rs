//! The way in which an answer is asked for: mode, shape and limits, and others after a refusal.

use llmend_model::{ChatError, ChatErrorKind, ChatResponse, Message, OutputMode, Role, Usage};

use crate::call::{ModelCall, Outgoing};
use crate::compatibility::{Lesson, Refused, RequestPart, Sent, TAKEN_BY_ALL, lesson};
use crate::pace::Need;
use crate::provider::{Call, Delivery};
use crate::shape::{self, RequestedShape};

/// How often one call learns a lower token limit from a refusal.
const MAX_LIMITS: u32 = 3;

/// The shapes of an answer.
struct Shapes<'r> {
    asked: RequestedShape<'r>,
    /// The shape of an object around the answer, if it is none itself.
    wrapped: Option<RequestedShape<'r>>,
    /// The key under which refusals of the schema are remembered.
    key: String,
}

/// What one call learned from refusals, besides what the model remembers.
#[derive(Default)]
struct Learned {
    /// What this request leaves of a limit on question and answer together.
    room: Option<u32>,
    /// How often a token limit was lowered.
    limits: u32,
    /// What is tried since a request was refused for no known reason, or since the server could not
    /// read the answer, and that error.
    doubted: Option<(Doubt, ChatError)>,
}

/// What may be wrong with a request that was refused for no known reason.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doubt {
    /// The format of this mode.
    Format(OutputMode),
    /// The token limit.
    Limit,
}

impl<'a> ModelCall<'a> {
    /// Asks in the best known way, and in another one after a refusal.
    pub(crate) async fn ask(&self) -> Result<ChatResponse, ChatError> {
        let shapes = self.shapes()?;
        let mut learned = Learned::default();
        loop {
            // Copied, since other calls may update it meanwhile.
            let mut refused = self.model.refused().clone();
            if let Some(room) = learned.room {
                refused.limit_output(room);
            }
            let doubt = learned.doubted.as_ref().map(|(doubt, _)| *doubt);
            let is_plain = matches!(doubt, Some(Doubt::Format(_)));
            let (mode, shape) = self.way(&shapes, &refused, is_plain);
            let error = match self.ask_so(mode, shape, &refused).await {
                Ok(mut response) => {
                    response.output = mode;
                    self.confirm(learned.doubted, &shapes.key);
                    if self.request.temperature.is_some() && refused.has(RequestPart::Temperature) {
                        response.omitted.push("temperature".to_owned());
                    }
                    return Ok(response);
                }
                Err(error) => error,
            };
            self.learn(error, mode, &refused, &shapes.key, &mut learned)?;
        }
    }

    /// Learns from a refusal. Returns the error if nothing can be learned from it.
    fn learn(
        &self,
        error: ChatError,
        mode: Option<OutputMode>,
        refused: &Refused,
        key: &str,
        learned: &mut Learned,
    ) -> Result<(), ChatError> {
        let Some(lesson) = self.lesson(&error, mode, refused) else {
            return self.doubt(error, mode, refused, learned);
        };
        if let Lesson::OutputTokens(_) | Lesson::Room(_) = lesson {
            if learned.limits >= MAX_LIMITS {
                return Err(error);
            }
            learned.limits += 1;
        }
        self.decided(&lesson.to_string());
        match lesson {
            Lesson::Mode(mode) => self.model.learn(|refused| refused.add_mode(mode)),
            Lesson::Schema(mode) => self.model.learn(|refused| refused.add_schema(key, &[mode])),
            Lesson::RequestPart(part) => self.model.learn(|refused| refused.add(part)),
            Lesson::OutputTokens(most) => self.model.learn(|refused| refused.limit_output(most)),
            Lesson::Room(most) => learned.room = Some(most),
        }
        Ok(())
    }

    /// Remembers what was wrong with a request that was refused for no known reason, since another one is
    /// answered. What one answer failed in, another may not.
    fn confirm(&self, doubted: Option<(Doubt, ChatError)>, key: &str) {
        let is_refused = |(_, error): &(_, ChatError)| error.kind == ChatErrorKind::Request;
        match doubted.filter(is_refused) {
            Some((Doubt::Format(mode), _)) => {
                self.decided("no format for this schema");
                self.model.learn(|refused| refused.add_unexplained(mode, key));
            }
            Some((Doubt::Limit, _)) => {
                self.decided(&Lesson::OutputTokens(TAKEN_BY_ALL).to_string());
                self.model.learn(|refused| refused.limit_output(TAKEN_BY_ALL));
            }
            None => {}
        }
    }

    /// Tries once without a format after a refusal that names nothing, and where the server could not
    /// read what the model wrote and does not say it; then once with the token limit that every model
    /// takes, if it was higher. If that fails too, the first error is the one.
    fn doubt(
        &self,
        error: ChatError,
        mode: Option<OutputMode>,
        refused: &Refused,
        learned: &mut Learned,
    ) -> Result<(), ChatError> {
        let is_terse = match error.kind {
            ChatErrorKind::Request => true,
            ChatErrorKind::Unreadable => error.context.answer.is_none(),
            _ => false,
        } && matches!(error.context.status, Some(400 | 422))
            && !self.progress().has_reported;
        let is_refused = error.kind == ChatErrorKind::Request;
        let structured = mode.filter(|mode| *mode != OutputMode::Prompt);
        let limit = self.model.provider.form.output_tokens(self.request, refused);
        let is_high = is_refused && limit.is_some_and(|limit| limit > TAKEN_BY_ALL);
        let (tried, first) = learned.doubted.take().unzip();
        let first = first.unwrap_or(error);
        learned.doubted = match (tried, structured) {
            _ if !is_terse => return Err(first),
            (None, Some(mode)) => {
                self.decided("no reason that is known: once without a format");
                Some((Doubt::Format(mode), first))
            }
            (None | Some(Doubt::Format(_)), _) if is_high => {
                self.decided("no reason that is known: once with a lower token limit");
                learned.room = Some(TAKEN_BY_ALL);
                Some((Doubt::Limit, first))
            }
            _ => return Err(first),
        };
        Ok(())
    }

    fn decided(&self, what: &str) {
        tracing::debug!(
            gen_ai.request.model = self.model.name.as_str(),
            "learned from a refusal: {what}"
        );
    }

    /// Returns the request as it would be sent first.
    pub(crate) fn preview(&self) -> Result<Outgoing, ChatError> {
        let shapes = self.shapes()?;
        let refused = self.model.refused().clone();
        let (mode, shape) = self.way(&shapes, &refused, false);
        self.written(mode, shape, &refused)
    }

    /// Returns the requested shape, and that of an object around it if it is none.
    fn shapes(&self) -> Result<Shapes<'a>, ChatError> {
        let invalid = |error: serde_json::Error| {
            let message = format!("the schema of the answer is not JSON: {error}");
            ChatError::new(ChatErrorKind::Request, message)
        };
        let asked = RequestedShape::of(&self.request.output).map_err(invalid)?;
        let wrapped =
            if asked.is_object() { None } else { Some(asked.wrapped().map_err(invalid)?) };
        let key = asked.key();
        Ok(Shapes { asked, wrapped, key })
    }

    /// Returns the output mode and the shape of the next request: the best mode of the provider that
    /// was not refused and that fits the schema.
    fn way<'s>(
        &self,
        shapes: &'s Shapes<'a>,
        refused: &Refused,
        is_doubted: bool,
    ) -> (Option<OutputMode>, &'s RequestedShape<'a>) {
        let provider = &self.model.provider;
        let shape = shapes.wrapped.as_ref().unwrap_or(&shapes.asked);
        let mode = shape::modes(&self.request.output).iter().copied().find(|&mode| {
            // It is a mode for objects, whatever the prompt says.
            let is_fit = mode != OutputMode::JsonObject || shapes.wrapped.is_none();
            provider.form.modes().contains(&mode)
                && is_fit
                && !refused.has_mode_for(mode, &shapes.key)
                && (!is_doubted || mode == OutputMode::Prompt)
                && provider.takes(mode, shape)
        });
        let wrapped = shapes.wrapped.as_ref().filter(|_| self.requires_object(mode));
        (mode, wrapped.unwrap_or(&shapes.asked))
    }

    /// Returns whether the answer has to be an object in this mode.
    fn requires_object(&self, mode: Option<OutputMode>) -> bool {
        match mode {
            Some(OutputMode::ForcedTool) => true,
            Some(OutputMode::JsonSchema) => self.model.provider.subset.is_some(),
            _ => false,
        }
    }

    /// Returns what an error shows about the server's capabilities. `None` if the model did write
    /// an answer.
    fn lesson(
        &self,
        error: &ChatError,
        mode: Option<OutputMode>,
        refused: &Refused,
    ) -> Option<Lesson> {
        if error.kind == ChatErrorKind::Unreadable || self.progress().has_reported {
            return None;
        }
        let is_system = |message: &Message| message.role == Role::System;
        let sent: Vec<_> = [
            (RequestPart::Temperature, self.request.temperature.is_some()),
            (RequestPart::StreamOptions, !refused.has(RequestPart::Stream)),
            (RequestPart::Stream, true),
            (RequestPart::MaxTokens, self.request.max_output_tokens.is_some()),
            (RequestPart::System, self.request.messages.iter().any(is_system)),
        ]
        .into_iter()
        .filter(|&(part, is_sent)| is_sent && !refused.has(part))
        .map(|(part, _)| part)
        .collect();
        let body = error.context.body.as_deref().unwrap_or_default();
        let output_tokens = self.model.provider.form.output_tokens(self.request, refused);
        lesson(error.context.status?, body, Sent { mode, parts: &sent, output_tokens })
    }

    /// Asks in one way, with retries after connection failures and overloads.
    async fn ask_so(
        &self,
        mode: Option<OutputMode>,
        shape: &RequestedShape<'_>,
        refused: &Refused,
    ) -> Result<ChatResponse, ChatError> {
        self.progress().is_wrapped = shape.is_wrapped;
        let outgoing = self.written(mode, shape, refused)?;
        let input = Usage::estimate(self.question_bytes(), 0).input;
        let need = Need { input, output: outgoing.output_tokens.map_or(0, u64::from) };
        // A permanent refusal is not worth a wait, whatever its status.
        let is_refusal = |error: &ChatError| self.lesson(error, mode, refused).is_some();
        self.with_retries(&outgoing, need, is_refusal).await
    }

    /// Returns the request in one way.
    fn written(
        &self,
        mode: Option<OutputMode>,
        shape: &RequestedShape<'_>,
        refused: &Refused,
    ) -> Result<Outgoing, ChatError> {
        let mut messages = shape::messages(self.request, mode, shape);
        if refused.has(RequestPart::System) {
            shape::instruct_as_user(&mut messages);
        }
        let form = self.model.provider.form;
        let delivery =
            if refused.has(RequestPart::Stream) { Delivery::Whole } else { Delivery::Stream };
        let output_tokens = form.output_tokens(self.request, refused);
        let call = Call {
            model: &self.model.model,
            request: self.request,
            messages: &messages,
            mode,
            delivery,
            refused,
            output_tokens,
            shape,
            subset: self.model.provider.subset,
            prompt_cache: self.model.options.prompt_cache,
            context_tokens: self.model.options.context_tokens,
        };
        let cannot = |why: String| ChatError::new(ChatErrorKind::Request, why);
        let url = form
            .url(&self.model.base_url, &call)
            .ok_or_else(|| cannot("the server URL cannot be extended".to_owned()))?;
        let body = form
            .body(&call)
            .map_err(|error| cannot(format!("the request cannot be written: {error}")))?;
        Ok(Outgoing { url, body, mode, output_tokens })
    }
}
