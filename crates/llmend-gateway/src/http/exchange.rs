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
use crate::error::Failure;
use crate::http::headers::down;
use crate::http::incoming::Incoming;
use crate::http::incoming::{body, request_id, room, wishes};
use crate::http::relay::untouched;
use crate::http::relay::{Kind, Relay};
use crate::http::shared::{Shared, Target, now};
use crate::http::upstream::is_events;
use crate::http::upstream::{
    Clock, ErrorBody, Outgoing, beginning, begins_events, error_body, headers, send, url, whole,
};
use crate::http::{reply, work};
use crate::protocol::request::{Delivery, ReportTarget};
use crate::protocol::{Protocol, ResponseDefaults, ResponseRewrite};
use crate::recording::Draft;
use crate::repair::RepairOptions;
use crate::repair::decide::Decision;
use crate::repair::evaluate::{evaluate, half_of_a_pair, report, told};
use crate::retry::Retrier;
use crate::splice::{has_half, without_mark};
use crate::stream::rewriter::Rewriter;

/// Answers a request.
pub(crate) async fn answer(shared: Arc<Shared>, request: Request, protocol: Protocol) -> Response {
    let clock = Clock::start(&shared.settings.timers);
    let (parts, incoming) = request.into_parts();
    let shown = Arc::clone(&shared);
    let mut draft = shared.recorder.draft(protocol);
    let noted = &mut draft;
    let result = async {
        let body = body(&shared, incoming).await?;
        let told = HeaderMap::new();
        Exchange { shared, protocol, parts, clock, told, draft: noted }.run(body).await
    };
    let response = result.await;
    let status = response.as_ref().map_or_else(|failure| failure.status, |ok| ok.status().as_u16());
    draft.status(status);
    if let Err(failure) = &response {
        draft.failed(failure);
    }
    shown.metrics.request(protocol.adapter().endpoint(), status);
    response.unwrap_or_else(|failure| {
        reply::failure(&failure, protocol.adapter().error_format(), HeaderMap::new())
    })
}

/// A request and its response.
struct Exchange<'d> {
    shared: Arc<Shared>,
    protocol: Protocol,
    parts: Parts,
    clock: Clock,
    /// The headers of the response.
    told: HeaderMap,
    /// The draft of the record. A stream takes it along.
    draft: &'d mut Draft,
}

/// What a response is evaluated with.
struct Held {
    asker: Arc<Retrier>,
    defaults: ResponseDefaults,
}

impl Exchange<'_> {
    async fn run(mut self, body: Bytes) -> Result<Response, Failure> {
        let shared = Arc::clone(&self.shared);
        let (limits, protocol) = (shared.settings.limits, self.protocol);
        let (wishes, room) = (wishes(&self.parts.headers)?, room(&self.parts));
        let incoming = Incoming { shared: Arc::clone(&shared), protocol, wishes, body, room };
        let looked = incoming.look().await?;
        self.draft.model(&looked.head.model, &request_id(&self.parts));
        let model = looked.head.model.clone();
        let target = shared.target(&model)?;
        let policy = target.policy;
        let (asked, on) = looked.read().await?;
        let outgoing = Outgoing {
            method: self.parts.method.clone(),
            url: self.url(&target)?,
            headers: self.headers(&target),
            body: on,
            timers: &shared.settings.timers,
        };
        let reach = RepairOptions { level: policy.level, limits };
        let asker = Retrier {
            shared: Arc::clone(&shared),
            client: target.client.clone(),
            url: outgoing.url.clone(),
            headers: outgoing.headers.clone(),
            body: outgoing.body.clone(),
            asked: Arc::new(asked),
            policy,
            reach,
        };
        self.draft.sent();
        let upstream = send(&target, outgoing, &mut self.clock).await?;
        let status = upstream.status().as_u16();
        self.told = down(upstream.headers());
        if !(200..300).contains(&status) {
            return self.error(status, upstream).await;
        }
        if asker.asked.is_nothing() {
            let kind = untouched(upstream.headers(), status, self.protocol);
            self.tell("passthrough");
            return Ok(self.pass(status, upstream, kind));
        }
        if !asker.asked.doubts.is_empty() {
            self.told.insert(reply::SCHEMA, reply::value(&asker.asked.doubts.join("; ")));
        }
        let defaults = ResponseDefaults { id: request_id(&self.parts), created: now(), model };
        let held = Held { asker: Arc::new(asker), defaults };
        self.draft.inspected(&held.asker.asked, policy.level);
        match (is_events(upstream.headers()), held.asker.asked.delivery) {
            (true, Delivery::Stream) => Ok(self.stream(upstream, &[], held)),
            (true, Delivery::Whole) => {
                let message = "the upstream sent a stream, expected a whole response";
                Err(Failure::upstream("bad_answer", message))
            }
            (false, Delivery::Stream) => self.by_its_beginning(upstream, held).await,
            (false, Delivery::Whole) => self.whole(upstream, Vec::new(), held).await,
        }
    }

    /// Handles a response to a stream request that is not declared as an event stream, which
    /// servers forget. Its beginning decides.
    async fn by_its_beginning(
        mut self,
        mut upstream: Upstream,
        held: Held,
    ) -> Result<Response, Failure> {
        let timers = self.shared.settings.timers;
        let begun = beginning(&mut upstream, &timers, &mut self.clock).await?;
        if begins_events(&begun) {
            return Ok(self.stream(upstream, &begun, held));
        }
        self.whole(upstream, begun, held).await
    }

    /// Returns where the request goes, without a trailing slash.
    fn url(&self, target: &Target<'_>) -> Result<Url, Failure> {
        let uri = &self.parts.uri;
        url(&target.upstream.base_url, uri.path().trim_end_matches('/'), uri.query())
    }

    /// Returns the headers to forward.
    fn headers(&self, target: &Target<'_>) -> HeaderMap {
        headers(
            &self.shared.settings,
            target,
            &self.parts.headers,
            self.protocol.adapter().key_style(),
        )
    }

    /// Adds the headers that say what is done to the response.
    fn tell(&mut self, what: &str) {
        self.told.insert(reply::REPAIR, reply::value(what));
        self.told.insert(reply::ATTEMPTS, 1.into());
        let overhead = self.clock.overhead().as_secs_f64() * 1000.0;
        self.told.insert(reply::OVERHEAD, reply::value(&format!("{overhead:.3}")));
    }

    /// Makes the relay of a response with this status.
    fn relay(self, status: u16, upstream: Option<Upstream>, kind: Kind) -> (HeaderMap, Relay) {
        let (room, endpoint) = (room(&self.parts), self.protocol.adapter().endpoint());
        let mut draft = std::mem::take(self.draft);
        draft.status(status);
        (self.told, Relay::new(self.shared, endpoint, upstream, kind, self.clock, room, draft))
    }

    fn pass(self, status: u16, upstream: Upstream, kind: Kind) -> Response {
        let (headers, relay) = self.relay(status, Some(upstream), kind);
        reply::response(status, headers, relay.into_body())
    }

    /// Relays an event stream, of which something may have arrived.
    fn stream(mut self, upstream: Upstream, begun: &[u8], held: Held) -> Response {
        self.tell("streamed");
        let Held { asker, defaults } = held;
        let asked = Arc::clone(&asker.asked);
        let mut stream = Rewriter::new(asked, asker.reach, defaults);
        stream.push(begun);
        let (headers, relay) =
            self.relay(200, Some(upstream), Kind::Inspected(Box::new(stream), asker));
        reply::events(headers, relay.into_body())
    }

    /// Writes an upstream's error in the form that clients read.
    async fn error(mut self, status: u16, mut upstream: Upstream) -> Result<Response, Failure> {
        let timers = self.shared.settings.timers;
        let limit = self.shared.settings.limits.answer_bytes;
        let body = whole(&mut upstream, limit, &timers, &mut self.clock).await?;
        self.tell("passthrough");
        self.draft.upstream_failed();
        Ok(match error_body(status, &body) {
            ErrorBody::AsItCame => reply::response(status, self.told, body),
            ErrorBody::Told(failure) => {
                reply::failure(&failure, self.protocol.adapter().error_format(), self.told)
            }
        })
    }

    /// Evaluates a whole response, of which something may have arrived.
    async fn whole(
        mut self,
        mut upstream: Upstream,
        mut bytes: Vec<u8>,
        held: Held,
    ) -> Result<Response, Failure> {
        let timers = self.shared.settings.timers;
        let limit = self.shared.settings.limits.answer_bytes.saturating_sub(bytes.len());
        bytes.append(&mut whole(&mut upstream, limit, &timers, &mut self.clock).await?);
        let body = String::from_utf8(bytes)
            .map_err(|_| Failure::upstream("input/utf8", "the upstream's response is not UTF-8"))?;
        let (body, mark) = without_mark(&body);
        if held.asker.asked.delivery == Delivery::Stream {
            return self.whole_as_stream(body, held);
        }
        let body: Arc<str> = body.into();
        let (theirs, asker) = (Arc::clone(&body), Arc::clone(&held.asker));
        let judging = move || judge(&theirs, &asker);
        let weight = held.asker.weight(body.len());
        let (shared, room) = (Arc::clone(&self.shared), room(&self.parts));
        let Evaluated { value, parts, decision, used } =
            work::run(&shared, room.clone(), weight, judging).await??;
        self.draft.decided(&parts, &decision);
        self.draft.used(used);
        let settled = held.asker.carry_out(parts, decision, &mut self.clock).await?;
        let told = told(&settled.parts, held.asker.asked.history);
        let attempts = settled.attempts;
        let theirs = Arc::clone(&body);
        let writing =
            move || write(&theirs, &value, &held, &settled).map(|written| (written, settled));
        let (written, settled) = work::run(&shared, room, body.len(), writing).await??;
        self.draft.delivered(settled);
        self.tell(&told);
        self.told.insert(reply::ATTEMPTS, attempts.into());
        self.shared.metrics.overhead(self.clock.overhead());
        let mut headers = self.told;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Ok(reply::response(200, headers, format!("{mark}{written}")))
    }

    /// Relays a whole response as the stream that was asked for.
    fn whole_as_stream(mut self, body: &str, held: Held) -> Result<Response, Failure> {
        let Held { asker, defaults } = held;
        let (asked, reach) = (Arc::clone(&asker.asked), asker.reach);
        let stream = Rewriter::from_whole(asked, reach, defaults, body)?;
        self.tell("streamed");
        let (headers, relay) = self.relay(200, None, Kind::Inspected(Box::new(stream), asker));
        Ok(reply::events(headers, relay.into_body()))
    }
}

/// A whole response that was evaluated.
struct Evaluated {
    value: Value<'static>,
    parts: Vec<ResponsePart>,
    decision: Decision,
    used: UsageCounts,
}

/// Parses and evaluates a whole response.
fn judge(body: &str, asker: &Retrier) -> Result<Evaluated, Failure> {
    let started = Instant::now();
    let Retrier { asked, policy, reach, .. } = asker;
    let value = asked.protocol.parse(body, &reach.limits)?;
    let written = asked.protocol.adapter().completions(&value);
    let mut used = UsageCounts::default();
    used.look(value.root());
    let (parts, mut decision) = evaluate(&written, asked, policy, *reach, asker.left());
    if is_changed(&parts) && has_half(body, reach.limits.depth) {
        decision = Decision::Refuse(half_of_a_pair());
    }
    asker.shared.metrics.evaluated(&parts, &decision, started.elapsed());
    Ok(Evaluated { value: value.into_owned(), parts, decision, used })
}

/// Writes a response with its repaired parts and the usage of all attempts.
fn write(
    body: &str,
    value: &Value<'_>,
    held: &Held,
    settled: &FinalAnswer,
) -> Result<String, Failure> {
    let Retrier { asked, reach, .. } = &*held.asker;
    let report =
        (asked.report == ReportTarget::Field).then(|| report(&settled.parts, settled.attempts));
    let written = asked.protocol.adapter().rewrite(&ResponseRewrite {
        body,
        value,
        parts: &settled.parts,
        finish: &settled.ends,
        defaults: &held.defaults,
        report: report.as_ref(),
    });
    if settled.usage == Usage::default() {
        return Ok(written);
    }
    Ok(with_more(&written, &settled.usage, reach.limits.depth).unwrap_or(written))
}
