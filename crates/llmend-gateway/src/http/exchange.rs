//! The exchange of one request to a model and its response, whatever the protocol.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use bytes::Bytes;
use llmend::json::Value;
use llmend::model::Usage;
use reqwest::{Response as Upstream, Url};

use crate::answer::final_answer::FinalAnswer;
use crate::answer::part::{ResponsePart, is_changed};
use crate::answer::usage::{UsageCounts, with_more};
use crate::calls::raw_text::raw_text;
use crate::config::{Deployment, FailedCalls};
use crate::error::Failure;
use crate::http::incoming::{Incoming, body, header_options, request_id, room};
use crate::http::relay::{Relay, RelayMode, untouched};
use crate::http::reply;
use crate::protocol::request::{Delivery, ReportTarget};
use crate::protocol::{KeyStyle, Protocol, ResponseDefaults, ResponseRewrite};
use crate::recording::Draft;
use crate::repair::RepairOptions;
use crate::repair::decide::Decision;
use crate::repair::evaluate::{evaluate, lone_surrogate, report, summary};
use crate::retry::earlier::EarlierAnswers;
use crate::retry::{ReadResponse, Retrier};
use crate::shared::work;
use crate::shared::{Shared, Target, now};
use crate::splice::{has_half, without_mark};
use crate::upstream::headers::down;
use crate::upstream::is_events;
use crate::upstream::secrets::AddedSecrets;
use crate::upstream::{
    Clock, ErrorBody, Outgoing, beginning, begins_events, error_body, request_headers, send, url,
    whole,
};

/// Answers a request.
pub(crate) async fn answer(
    shared: Arc<Shared>,
    request: Request,
    protocol: Protocol,
    deployment: Option<Deployment>,
) -> Response {
    let clock = Clock::start(&shared.settings.timers);
    let (parts, incoming) = request.into_parts();
    let shown = Arc::clone(&shared);
    let mut draft = shared.recorder.draft(protocol);
    let noted = &mut draft;
    let result = async {
        let body = body(&shared, incoming).await?;
        let headers = HeaderMap::new();
        Exchange { shared, protocol, deployment, parts, clock, headers, draft: noted }
            .run(body)
            .await
    };
    let response = result.await;
    let status = response.as_ref().map_or_else(|failure| failure.status, |ok| ok.status().as_u16());
    draft.status(status);
    if let Err(failure) = &response {
        draft.failed(failure);
    }
    shown.metrics.request(protocol.profile().endpoint, status);
    response.unwrap_or_else(|failure| {
        reply::failure(&failure, protocol.profile().error_format, HeaderMap::new())
    })
}

/// A request and its response.
struct Exchange<'d> {
    shared: Arc<Shared>,
    protocol: Protocol,
    /// What the path says, if a route maps it.
    deployment: Option<Deployment>,
    parts: Parts,
    clock: Clock,
    /// The headers of the response.
    headers: HeaderMap,
    /// The draft of the record. A stream takes it along.
    draft: &'d mut Draft,
}

impl Exchange<'_> {
    async fn run(mut self, body: Bytes) -> Result<Response, Failure> {
        let shared = Arc::clone(&self.shared);
        let (limits, protocol) = (shared.settings.limits, self.protocol);
        let (header_options, room) = (header_options(&self.parts.headers)?, room(&self.parts));
        let deployment = self.deployment.clone();
        let theirs = Arc::clone(&shared);
        let incoming =
            Incoming { shared: theirs, protocol, header_options, body, deployment, room };
        let inspected = incoming.inspect().await?;
        self.draft.model(&inspected.head.model, &request_id(&self.parts));
        let model = inspected.head.model.clone();
        let target = shared.target_of(self.deployment.as_ref(), &model)?;
        let policy = target.policy;
        let (request, on) = inspected.read().await?;
        let outgoing = Outgoing {
            method: self.parts.method.clone(),
            url: self.url(&target)?,
            headers: self.upstream_headers(&target, &model),
            body: on,
            timers: &shared.settings.timers,
        };
        let options = RepairOptions { level: policy.level, limits };
        let retrier = Retrier {
            shared: Arc::clone(&shared),
            client: target.client.clone(),
            url: outgoing.url.clone(),
            headers: outgoing.headers.clone(),
            body: outgoing.body.clone(),
            request: Arc::new(request),
            defaults: ResponseDefaults { id: request_id(&self.parts), created: now(), model },
            policy,
            options,
        };
        let retrier = Arc::new(retrier);
        self.draft.sent();
        let upstream = send(&target, outgoing, &mut self.clock).await?;
        self.answer(upstream, retrier).await
    }

    /// Makes the response of that of the upstream.
    async fn answer(
        mut self,
        upstream: Upstream,
        retrier: Arc<Retrier>,
    ) -> Result<Response, Failure> {
        let status = upstream.status().as_u16();
        self.headers = down(upstream.headers());
        if let Some(limit) = retrier.request.lowered {
            self.headers.insert(reply::OUTPUT_LIMIT, limit.into());
        }
        if !(200..300).contains(&status) {
            return self.error(status, upstream, retrier).await;
        }
        if retrier.request.is_nothing() {
            let kind = untouched(upstream.headers(), status, self.protocol);
            self.set_report_headers("passthrough");
            return Ok(self.pass(status, upstream, kind));
        }
        if !retrier.request.doubts.is_empty() {
            self.headers.insert(reply::SCHEMA, reply::value(&retrier.request.doubts.join("; ")));
        }
        self.draft.inspected(&retrier.request, retrier.policy.level);
        match (is_events(upstream.headers()), retrier.request.delivery) {
            (true, Delivery::Stream) => Ok(self.stream(upstream, &[], retrier)),
            (true, Delivery::Whole) => {
                let message = "the upstream sent a stream, expected a whole response";
                Err(Failure::upstream("bad_answer", message))
            }
            (false, Delivery::Stream) => self.by_its_beginning(upstream, retrier).await,
            (false, Delivery::Whole) => self.whole(upstream, Vec::new(), retrier).await,
        }
    }

    /// Handles a response to a stream request that is not declared as an event stream, which
    /// servers forget. Its beginning decides.
    async fn by_its_beginning(
        mut self,
        mut upstream: Upstream,
        retrier: Arc<Retrier>,
    ) -> Result<Response, Failure> {
        let timers = self.shared.settings.timers;
        let begun = beginning(&mut upstream, &timers, &mut self.clock).await?;
        if begins_events(&begun) {
            return Ok(self.stream(upstream, &begun, retrier));
        }
        self.whole(upstream, begun, retrier).await
    }

    /// Returns where the request goes, without a trailing slash.
    fn url(&self, target: &Target<'_>) -> Result<Url, Failure> {
        let uri = &self.parts.uri;
        url(&target.upstream.base_url, uri.path().trim_end_matches('/'), uri.query())
    }

    /// Returns the headers to forward.
    fn upstream_headers(&self, target: &Target<'_>, model: &str) -> HeaderMap {
        let usual = self.protocol.profile().key_style;
        let style = KeyStyle::of_path(self.parts.uri.path(), usual);
        let incoming = &self.parts.headers;
        request_headers(&self.shared.settings, target, incoming, (style, Some(model)))
    }

    /// Sets the headers that report what was done to the response.
    fn set_report_headers(&mut self, what: &str) {
        self.headers.insert(reply::REPAIR, reply::value(what));
        self.headers.insert(reply::ATTEMPTS, 1.into());
        let overhead = self.clock.overhead().as_secs_f64() * 1000.0;
        self.headers.insert(reply::OVERHEAD, reply::value(&format!("{overhead:.3}")));
    }

    /// Makes the relay of a response with this status.
    fn relay(self, status: u16, upstream: Option<Upstream>, mode: RelayMode) -> (HeaderMap, Relay) {
        let (room, endpoint) = (room(&self.parts), self.protocol.profile().endpoint);
        let mut draft = std::mem::take(self.draft);
        draft.status(status);
        (self.headers, Relay::new(self.shared, endpoint, upstream, mode, self.clock, room, draft))
    }

    fn pass(self, status: u16, upstream: Upstream, mode: RelayMode) -> Response {
        let (headers, relay) = self.relay(status, Some(upstream), mode);
        reply::response(status, headers, relay.into_body())
    }

    /// Relays an event stream, of which something may have arrived.
    fn stream(mut self, upstream: Upstream, begun: &[u8], retrier: Arc<Retrier>) -> Response {
        self.set_report_headers("streamed");
        let mut stream = retrier.stream();
        stream.push(begun);
        let (headers, relay) =
            self.relay(200, Some(upstream), RelayMode::Inspected(Box::new(stream), retrier));
        reply::events(headers, relay.into_body())
    }

    /// Writes an upstream's error in the form that clients read, unless it contains calls that the
    /// upstream could not read and the policy allows to read them.
    async fn error(
        mut self,
        status: u16,
        mut upstream: Upstream,
        retrier: Arc<Retrier>,
    ) -> Result<Response, Failure> {
        let timers = self.shared.settings.timers;
        let limit = self.shared.settings.limits.answer_bytes;
        let body = whole(&mut upstream, limit, &timers, &mut self.clock).await?;
        let secrets = AddedSecrets::of(&retrier.headers, &self.parts.headers);
        let body = secrets.hidden_in(body);
        self.headers = secrets.without(self.headers);
        if let Some(read) = failed_calls(&retrier, &body) {
            self.draft.inspected(&retrier.request, retrier.policy.level);
            return self.evaluated(&read, "", retrier).await;
        }
        self.set_report_headers("passthrough");
        self.draft.upstream_failed();
        Ok(match error_body(status, &body) {
            ErrorBody::Unchanged => reply::response(status, self.headers, body),
            ErrorBody::Replaced(failure) => {
                reply::failure(&failure, self.protocol.profile().error_format, self.headers)
            }
        })
    }

    /// Evaluates a whole response, of which something may have arrived.
    async fn whole(
        mut self,
        mut upstream: Upstream,
        mut bytes: Vec<u8>,
        retrier: Arc<Retrier>,
    ) -> Result<Response, Failure> {
        let timers = self.shared.settings.timers;
        let limit = self.shared.settings.limits.answer_bytes.saturating_sub(bytes.len());
        bytes.append(&mut whole(&mut upstream, limit, &timers, &mut self.clock).await?);
        let body = String::from_utf8(bytes)
            .map_err(|_| Failure::upstream("input/utf8", "the upstream's response is not UTF-8"))?;
        let (body, mark) = without_mark(&body);
        self.evaluated(body, mark, retrier).await
    }

    /// Evaluates the text of a whole response. `mark` stands before it.
    async fn evaluated(
        mut self,
        body: &str,
        mark: &str,
        retrier: Arc<Retrier>,
    ) -> Result<Response, Failure> {
        if retrier.request.delivery == Delivery::Stream {
            return self.whole_as_stream(body, retrier);
        }
        let (shared, room) = (Arc::clone(&self.shared), room(&self.parts));
        let mut earlier = EarlierAnswers::default();
        let mut evaluated = self.evaluate(body.to_owned(), &retrier, earlier).await?;
        while let Decision::Again { refusal } = &evaluated.decision {
            let another = retrier.another(refusal, &mut self.clock).await;
            match another.and_then(|another| retrier.whole_of_another(another)) {
                Ok(body) => {
                    earlier.add(evaluated.used);
                    evaluated = self.evaluate(body, &retrier, earlier).await?;
                }
                Err(why) => {
                    let refusal = earlier.unanswered(refusal.clone(), &why);
                    evaluated.decision = Decision::Refuse(refusal);
                }
            }
        }
        let Evaluated { body, value, parts, decision, used } = evaluated;
        self.draft.decided(&parts, &decision);
        self.draft.used(used);
        let answer = retrier.apply(parts, decision, &mut self.clock).await;
        let mut answer = answer.map_err(|failure| earlier.charge(failure))?;
        earlier.add_to(&mut answer);
        let summary = summary(&answer.parts, &retrier.request);
        let attempts = answer.attempts;
        let weight = body.len();
        let writing = move || (write(&body, &value, &retrier, &answer), answer);
        let (written, answer) = work::run(&shared, room, weight, writing).await?;
        self.draft.delivered(answer);
        self.set_report_headers(&summary);
        self.headers.insert(reply::ATTEMPTS, attempts.into());
        self.shared.metrics.overhead(self.clock.overhead());
        let mut headers = self.headers;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Ok(reply::response(200, headers, format!("{mark}{written}")))
    }

    /// Parses and evaluates a whole response.
    async fn evaluate(
        &self,
        body: String,
        retrier: &Arc<Retrier>,
        earlier: EarlierAnswers,
    ) -> Result<Evaluated, Failure> {
        let retrier = Arc::clone(retrier);
        let weight = retrier.weight(body.len());
        let evaluating = move || evaluate_response(body, &retrier, earlier);
        work::run(&self.shared, room(&self.parts), weight, evaluating).await?
    }

    /// Relays a whole response as the stream that was asked for.
    fn whole_as_stream(mut self, body: &str, retrier: Arc<Retrier>) -> Result<Response, Failure> {
        let stream = retrier.stream_of(body)?;
        self.set_report_headers("streamed");
        let (headers, relay) =
            self.relay(200, None, RelayMode::Inspected(Box::new(stream), retrier));
        Ok(reply::events(headers, relay.into_body()))
    }
}

/// Returns the response that an upstream's error stands for: that of a model whose calls the
/// upstream could not read.
fn failed_calls(retrier: &Retrier, body: &[u8]) -> Option<String> {
    let Retrier { request, policy, defaults, .. } = retrier;
    let is_read = policy.failed_calls == FailedCalls::Read;
    let reading = request.reading.as_ref().filter(|_| is_read)?;
    let text = raw_text(body, reading)?;
    Some(request.protocol.adapter().of_text(&text, defaults))
}

/// A whole response that was evaluated.
struct Evaluated {
    /// The response, with the calls that were read in its texts.
    body: String,
    value: Value<'static>,
    parts: Vec<ResponsePart>,
    decision: Decision,
    used: UsageCounts,
}

/// Parses and evaluates a whole response.
fn evaluate_response(
    body: String,
    retrier: &Retrier,
    earlier: EarlierAnswers,
) -> Result<Evaluated, Failure> {
    let started = Instant::now();
    let Retrier { request, policy, options, .. } = retrier;
    let ReadResponse { body, value, completions: written } = retrier.read(body)?;
    let mut used = UsageCounts::default();
    used.add(value.root());
    let left = earlier.left(policy, used);
    let (parts, mut decision) = evaluate(&written, request, policy, *options, left);
    if is_changed(&parts) && has_half(&body, options.limits.depth) {
        decision = Decision::Refuse(lone_surrogate());
    }
    retrier.shared.metrics.evaluated(&parts, &decision);
    retrier.shared.metrics.took(started.elapsed());
    Ok(Evaluated { body, value, parts, decision, used })
}

/// Writes a response with its repaired parts and the usage of all attempts.
fn write(body: &str, value: &Value<'_>, retrier: &Retrier, answer: &FinalAnswer) -> String {
    let Retrier { request, options, defaults, .. } = retrier;
    let report =
        (request.report == ReportTarget::Field).then(|| report(&answer.parts, answer.attempts));
    let written = request.protocol.adapter().rewrite(&ResponseRewrite {
        body,
        value,
        parts: &answer.parts,
        finish: &answer.ends,
        defaults,
        report: report.as_ref(),
    });
    if answer.usage == Usage::default() {
        return written;
    }
    with_more(&written, &answer.usage, options.limits.depth).unwrap_or(written)
}
