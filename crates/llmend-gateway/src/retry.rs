//! Asking the model again for parts that could not be repaired.
//!
//! The loop of `llmend::asking` decides what to ask and when to stop. Its questions become requests
//! of the protocol, and each bad part is retried on its own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use bytes::Bytes;
use llmend::Class;
use llmend::asking::{
    AskOptions, AttemptOutcome, AttemptRequest, Budget, Ladder, Ledger, Loop, LoopError, Next,
    PricedModel, Retries, SchemaSubject, Strategy, Task,
};
use llmend::json::Value;
use llmend::model::{ChatError, ChatErrorKind, ChatResponse, Finish};
use reqwest::{Client, Url};

use crate::answer::completion::Completion;
use crate::answer::expectation::Expectation;
use crate::answer::final_answer::FinalAnswer;
use crate::answer::from_text::Converted;
use crate::answer::part::{Cut, Fault, FaultKind, Origin, PartKind, Repaired, ResponsePart};
use crate::calls::context::ConvertContext;
use crate::calls::ids::CallIds;
use crate::calls::parts::FROM_TEXT;
use crate::config::{FailedCalls, Policy};
use crate::error::Failure;
use crate::protocol::ResponseDefaults;
use crate::protocol::request::OutputRequest;
use crate::repair::decide::Decision;
use crate::repair::evaluate::lone_surrogate;
use crate::repair::{RepairOptions, fit_options, repair, repair_arguments};
use crate::retry::answer::RetryAnswer;
use crate::retry::request::{RetryPrompt, request};
use crate::shared::{Shared, work};
use crate::splice::has_half;
use crate::stream::phase::Hold;
use crate::stream::rewriter::Rewriter;
use crate::upstream::{Clock, begins_events, is_events, whole};

mod another;
mod answer;
pub(crate) mod earlier;
mod request;

/// How the model of a request is asked again.
#[derive(Clone)]
pub(crate) struct Retrier {
    pub(crate) shared: Arc<Shared>,
    pub(crate) client: Client,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    /// The body of the request that was sent.
    pub(crate) body: Bytes,
    pub(crate) request: Arc<OutputRequest>,
    /// What responses may lack. The ids of calls follow from that of the request.
    pub(crate) defaults: ResponseDefaults,
    pub(crate) policy: Policy,
    pub(crate) options: RepairOptions,
}

/// A whole response and what the model wrote in it.
pub(crate) struct ReadResponse {
    /// The response, with the calls that were read in its texts.
    pub(crate) body: String,
    pub(crate) value: Value<'static>,
    pub(crate) completions: Vec<Completion>,
}

/// What is left of the retry budget.
struct RetryBudget {
    reasks: u32,
    tokens: Option<u64>,
}

impl Retrier {
    /// Returns the work that an answer of this size takes.
    pub(crate) fn weight(&self, bytes: usize) -> usize {
        work::weight(bytes, self.request.schema_bytes)
    }

    /// Reads a whole response, and the calls in its texts.
    pub(crate) fn read(&self, body: String) -> Result<ReadResponse, Failure> {
        let Self { request, options, .. } = self;
        let adapter = request.protocol.adapter();
        let value = request.protocol.parse(&body, &options.limits)?;
        let context = ConvertContext {
            request,
            options: *options,
            ids: CallIds::new(&self.defaults.id, request.protocol.profile().call_ids),
        };
        let Converted { body: converted, found } = adapter.convert(&body, &value, &context);
        let (body, value) = match converted {
            // Half of a surrogate pair cannot be written anew.
            Some(_) if has_half(&body, options.limits.depth) => return Err(lone_surrogate()),
            Some(converted) => {
                let value = request.protocol.parse(&converted, &options.limits)?.into_owned();
                (converted, value)
            }
            None => {
                let value = value.into_owned();
                (body, value)
            }
        };
        let mut completions = adapter.completions(&value);
        for (choice, from_text) in found {
            if let Some(one) = completions.iter_mut().find(|one| one.choice == choice) {
                one.from_text = from_text;
            }
        }
        Ok(ReadResponse { body, value, completions })
    }

    /// Applies a decision: asks the model again if it says so.
    pub(crate) async fn apply(
        &self,
        parts: Vec<ResponsePart>,
        decision: Decision,
        clock: &mut Clock,
    ) -> Result<FinalAnswer, Failure> {
        match decision {
            Decision::Answer { cut_off } => Ok(FinalAnswer::at_once(parts, cut_off)),
            // Another answer could not be had.
            Decision::Refuse(refusal) | Decision::Again { refusal } => Err(refusal),
            Decision::Reask { parts: bad, cut_off, refusal } => {
                let answer = FinalAnswer::at_once(parts, cut_off);
                self.retry(answer, &bad, refusal, clock).await
            }
        }
    }

    /// Returns what a stream holds back, since another answer may be asked for: all of it if the
    /// request demands a call, which the answer may lack, and else its head.
    fn hold(&self) -> Hold {
        match () {
            () if self.policy.reasks == 0 => Hold::Nothing,
            () if self.request.reading.is_none() && !self.request.takes_json_alone() => {
                Hold::Nothing
            }
            () if self.request.choice.is_demand() => Hold::Answer,
            () => Hold::Head,
        }
    }

    /// Reads a stream.
    pub(crate) fn stream(&self) -> Rewriter {
        let request = Arc::clone(&self.request);
        let stream = Rewriter::new(request, self.options, self.defaults.clone());
        let stream = stream.holding(self.hold());
        match self.policy.failed_calls {
            FailedCalls::Read => stream.reading_failed_calls(self.defaults.clone()),
            FailedCalls::Pass => stream,
        }
    }

    /// Reads a whole response as a stream.
    pub(crate) fn stream_of(&self, body: &str) -> Result<Rewriter, Failure> {
        let request = Arc::clone(&self.request);
        let stream = Rewriter::from_whole(request, self.options, self.defaults.clone(), body)?;
        Ok(stream.holding(self.hold()))
    }

    async fn retry(
        &self,
        mut answer: FinalAnswer,
        bad: &[usize],
        refusal: Failure,
        clock: &mut Clock,
    ) -> Result<FinalAnswer, Failure> {
        let mut budget =
            RetryBudget { reasks: self.policy.reasks, tokens: self.policy.reask_tokens };
        for &at in bad {
            let Some(part) = answer.parts.get(at) else { continue };
            let (result, ledger) = self.part(part, &budget, clock).await;
            let made = ledger.attempts_made().saturating_sub(1);
            let usage = &mut answer.usage;
            let of_reasks = ledger.attempts.iter().skip(1).map(|attempt| attempt.usage);
            for used in of_reasks {
                usage.input = usage.input.saturating_add(used.input);
                usage.output = usage.output.saturating_add(used.output);
                usage.estimated |= used.estimated;
            }
            answer.attempts = answer.attempts.saturating_add(made);
            budget.reasks = budget.reasks.saturating_sub(made);
            let used = answer.usage.input.saturating_add(answer.usage.output);
            budget.tokens = self.policy.reask_tokens.map(|all| all.saturating_sub(used));
            self.shared.metrics.retried(&ledger);
            match result {
                Ok(part) => {
                    answer.ends.completed.extend(completed(&answer, at));
                    if let Some(place) = answer.parts.get_mut(at) {
                        *place = part;
                    }
                }
                Err(why) => return Err(refusal.after_retries(answer.attempts, &why)),
            }
        }
        Ok(answer)
    }

    /// Asks for one part until it can be used or the budget is spent.
    async fn part(
        &self,
        part: &ResponsePart,
        budget: &RetryBudget,
        clock: &mut Clock,
    ) -> (Result<ResponsePart, String>, Ledger) {
        let (wanted, subject) = match self.subject(part) {
            Ok(subject) => subject,
            Err(why) => return (Err(why), Ledger::default()),
        };
        let options = AskOptions {
            retries: Retries::of(budget.reasks),
            budget: Budget { tokens: budget.tokens, time: Some(clock.left()), ..Budget::default() },
            ladder: ladder(&part.place.kind),
            ..AskOptions::default()
        };
        let model = PricedModel { name: "the upstream's model".to_owned(), price: None };
        let mut attempts = Loop::new(&subject, options, self.task(part), vec![model]);
        let started = Instant::now();
        // The first question was the client's, and its answer is known.
        let mut answer = Ok(self.first(part, &wanted));
        if let Next::GiveUp(error) = attempts.next(Duration::ZERO) {
            return (Err(error.to_string()), error.ledger);
        }
        loop {
            let bytes = answer.as_ref().map_or(0, |answer| answer.text.len());
            let judging = || attempts.answer(answer, started.elapsed());
            match work::in_place(self.weight(bytes), judging) {
                AttemptOutcome::Done(done) => {
                    let judging = || self.repaired(part, &wanted, &done.answer);
                    let repaired = work::in_place(self.weight(bytes), judging);
                    return (repaired, done.ledger);
                }
                AttemptOutcome::GiveUp(error) => return given_up(*error),
                _ => {}
            }
            answer = match attempts.next(started.elapsed()) {
                Next::Ask(asking) => {
                    let answer = self.ask(&asking, clock).await;
                    answer.map(|answer| answer.about(part, self.request.reading.as_deref()))
                }
                Next::GiveUp(error) => return given_up(*error),
                // An answer that is not what was asked for is never returned.
                _ => return (Err("no retry is left".to_owned()), attempts.ledger().clone()),
            };
        }
    }

    /// Returns what the part has to be, also in the form that the loop takes.
    fn subject(&self, part: &ResponsePart) -> Result<(Expectation, SchemaSubject), String> {
        let wanted = match &part.place.kind {
            PartKind::Content => self.request.content.clone(),
            PartKind::Call { name, .. } | PartKind::Input { name, .. } => {
                self.request.calls.as_ref().map(|calls| calls.of(name).clone())
            }
        };
        let wanted = wanted.unwrap_or(Expectation::Json);
        let known = match &wanted {
            Expectation::Schema(_) => wanted.clone(),
            Expectation::Json => self.shared.schemas.object(),
        };
        let Expectation::Schema(schema) = known else {
            return Err("there is no schema".to_owned());
        };
        let subject = SchemaSubject::new(schema).fitting(fit_options(self.options));
        Ok((wanted, subject))
    }

    /// Returns the task for the loop. All but the name of a tool is in the client's own messages, and
    /// in those that tell how to write a call.
    fn task(&self, part: &ResponsePart) -> Task {
        let form = match self.request.emulated {
            Some(_) => ", without the form of a call around them",
            None => "",
        };
        let words = match &part.place.kind {
            PartKind::Content => String::new(),
            PartKind::Call { name, .. } | PartKind::Input { name, .. } => format!(
                "You called the tool `{name}`. Write its arguments again, as JSON and nothing else{form}."
            ),
        };
        Task { messages: vec![llmend::model::Message::user(words)], ..Task::default() }
    }

    /// Returns the first answer. It counts as cut off if it was not to be completed; if the cut
    /// cannot be seen in the text, the text is dropped, since nothing can continue it.
    fn first(&self, part: &ResponsePart, wanted: &Expectation) -> ChatResponse {
        let mut answer = ChatResponse::of_text(part.text.clone());
        if is_cut(&part.outcome) {
            let judging = || is_cut(&self.outcome(part, wanted, &part.text));
            let is_seen = work::in_place(self.weight(part.text.len()), judging);
            if !is_seen {
                answer.text.clear();
            }
            if !is_seen || part.outcome.is_ok() {
                answer.finish = Finish::Length;
            }
        }
        answer
    }

    fn outcome(
        &self,
        part: &ResponsePart,
        wanted: &Expectation,
        text: &str,
    ) -> Result<Repaired, Fault> {
        match part.place.kind {
            PartKind::Content => repair(text, wanted, self.options),
            PartKind::Call { .. } | PartKind::Input { .. } => {
                repair_arguments(text, wanted, self.options)
            }
        }
    }

    /// Returns the part with a new answer, repaired in the same way as the first.
    fn repaired(
        &self,
        part: &ResponsePart,
        wanted: &Expectation,
        answer: &str,
    ) -> Result<ResponsePart, String> {
        let mut repaired = self
            .outcome(part, wanted, answer)
            .map_err(|fault| format!("the last answer: {}", fault.kind.as_str()))?;
        if repaired.cut != Cut::Whole {
            return Err("the last answer was cut off".to_owned());
        }
        repaired.json.get_or_insert_with(|| answer.to_owned());
        // Its span counts bytes of the new answer, of which nothing else is sent.
        repaired.edits.candidate = None;
        if let Origin::Text(notation) = part.origin {
            let read_as = [FROM_TEXT].into_iter().chain(notation);
            let read_as = read_as.map(|name| (name, Class::Notation));
            repaired.done.splice(0..0, read_as);
            repaired.class = repaired.class.max(Some(Class::Notation));
        }
        Ok(ResponsePart {
            place: part.place.clone(),
            origin: part.origin,
            text: answer.to_owned(),
            outcome: Ok(repaired),
        })
    }

    /// Sends one request and reads its answer.
    async fn ask(
        &self,
        asking: &AttemptRequest,
        clock: &mut Clock,
    ) -> Result<RetryAnswer, ChatError> {
        let failed = |message: &str| ChatError::new(ChatErrorKind::Other, message);
        let words: Vec<&str> =
            asking.request.messages.iter().map(|message| message.content.as_str()).collect();
        let prompt = RetryPrompt {
            feedback: &words.join("\n\n"),
            output: &asking.request.output,
            limit: asking.request.max_output_tokens,
        };
        let limits = self.options.limits;
        let body = str::from_utf8(&self.body)
            .ok()
            .and_then(|body| request(self.request.protocol, body, prompt, limits.depth))
            .ok_or_else(|| failed("the request cannot be asked again"))?;
        let (is_events, body) = self.send(body, clock).await?;
        let protocol = self.request.protocol;
        let answer = if is_events || begins_events(&body) {
            answer::of_events(&body, protocol, &limits)
        } else {
            answer::of_whole(&body, protocol, &limits)
        };
        answer.map_err(|failure| failed(&failure.message))
    }

    /// Sends a request. Returns the body of the answer, and whether it is a stream.
    async fn send(&self, body: String, clock: &mut Clock) -> Result<(bool, Vec<u8>), ChatError> {
        let failed = |message: &str| ChatError::new(ChatErrorKind::Other, message);
        let timers = self.shared.settings.timers;
        let sent =
            self.client.post(self.url.clone()).headers(self.headers.clone()).body(body).send();
        let sent = clock.wait(timers.first_byte(), sent).await;
        let mut response = sent
            .map_err(|failure| failed(&failure.message))?
            .map_err(|_| failed("the upstream cannot be reached"))?;
        if !response.status().is_success() {
            return Err(failed(&format!("the upstream answered {}", response.status().as_u16())));
        }
        // Some servers always stream.
        let is_events = is_events(response.headers());
        let limit = self.options.limits.answer_bytes;
        let body = whole(&mut response, limit, &timers, clock).await;
        Ok((is_events, body.map_err(|failure| failed(&failure.message))?))
    }
}

/// Returns the choice that becomes complete when the part at `at` is replaced: nothing else in it
/// is cut off, and the part is the one that reached the limit. Only the last part can have, and a
/// whole call was followed by something that did.
fn completed(answer: &FinalAnswer, at: usize) -> Option<u32> {
    let part = answer.parts.get(at)?;
    let choice = part.place.choice;
    let is_last = answer.parts.iter().skip(at + 1).all(|part| part.place.choice != choice);
    let is_met = part.place.kind == PartKind::Content || is_cut(&part.outcome);
    (is_last && is_met && !answer.ends.cut_off.contains(&choice)).then_some(choice)
}

fn is_cut(outcome: &Result<Repaired, Fault>) -> bool {
    match outcome {
        Ok(repaired) => repaired.cut != Cut::Whole,
        Err(fault) => fault.kind == FaultKind::Truncated,
    }
}

fn given_up(error: LoopError) -> (Result<ResponsePart, String>, Ledger) {
    (Err(error.to_string()), error.ledger)
}

/// How a part is asked for. Arguments are asked for as a whole: a model may as well write the call
/// anew, with other values in the rest.
fn ladder(kind: &PartKind) -> Ladder {
    match kind {
        PartKind::Content => Ladder::default(),
        PartKind::Call { .. } | PartKind::Input { .. } => {
            Ladder { strategies: vec![Strategy::Full], ..Ladder::default() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FinalAnswer, completed};
    use crate::answer::part::{Fault, FaultKind, Location, Origin, PartKind, ResponsePart};

    /// The choices of the parts, those that break off, which part was asked for, and what is complete.
    type Row = (&'static [u32], &'static [u32], usize, Option<u32>);

    #[test]
    fn a_choice_is_complete_if_its_last_part_was_retried_and_none_is_cut_off() {
        let part = |choice| {
            let place = Location { choice, kind: PartKind::Content, path: String::new() };
            let outcome = Err(Fault { kind: FaultKind::Schema, diagnostics: Vec::new() });
            ResponsePart { place, origin: Origin::Protocol, text: String::new(), outcome }
        };
        let rows: [Row; 6] = [
            (&[0], &[], 0, Some(0)),
            (&[0, 1], &[0], 1, Some(1)),
            (&[0, 1], &[], 0, Some(0)),
            // The first call was asked for, and the second one met the limit.
            (&[0, 0], &[0], 0, None),
            (&[0, 0], &[], 0, None),
            (&[0, 0], &[], 1, Some(0)),
        ];
        for (choices, cut_off, at, expected) in rows {
            let parts = choices.iter().map(|choice| part(*choice)).collect();
            let answer = FinalAnswer::at_once(parts, cut_off.to_vec());
            assert_eq!(completed(&answer, at), expected, "{choices:?} {cut_off:?} {at}");
        }
    }
}
