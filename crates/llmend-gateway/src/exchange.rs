//! How is a request to a model answered, whatever its protocol?

use std::sync::Arc;
use std::time::Instant;

use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::Response;
use bytes::Bytes;
use reqwest::Response as Upstream;

use crate::chat::chunk::Defaults;
use crate::chat::stream::Stream;
use crate::config::Policy;
use crate::decide::{Decision, Left};
use crate::endpoints::passthrough::{is_events, untouched};
use crate::endpoints::{body, request_id, room, text, wishes};
use crate::failure::Failure;
use crate::headers::down;
use crate::looked::Looked;
use crate::mend::Reach;
use crate::protocol::{Answer, Protocol};
use crate::relay::{Kind, Relay};
use crate::reply;
use crate::request::{self, Asked, Bounds, Delivery, Report};
use crate::settle::{report, settle, told};
use crate::shared::{Shared, now};
use crate::typed::Typed;
use crate::upstream::{Clock, ErrorBody, Outgoing, error_body, headers, send, url, whole};
use crate::work;

/// Answers a request.
pub(crate) async fn answer(shared: Arc<Shared>, request: Request, protocol: Protocol) -> Response {
    let clock = Clock::start(&shared.settings.timers);
    let (parts, incoming) = request.into_parts();
    let shown = Arc::clone(&shared);
    let result = async {
        let body = body(&shared, incoming).await?;
        Exchange { shared, protocol, parts, clock, told: HeaderMap::new() }.run(&body).await
    };
    let response = result.await;
    let status = response.as_ref().map_or_else(|failure| failure.status, |ok| ok.status().as_u16());
    shown.metrics.request(protocol.endpoint(), status);
    response.unwrap_or_else(|failure| reply::failure(&failure, protocol.errors(), HeaderMap::new()))
}

/// One request and its answer.
struct Exchange {
    shared: Arc<Shared>,
    protocol: Protocol,
    parts: Parts,
    clock: Clock,
    /// What the client is told in headers.
    told: HeaderMap,
}

/// What an answer is held against.
struct Held {
    asked: Arc<Asked>,
    policy: Policy,
    reach: Reach,
    defaults: Defaults,
}

impl Exchange {
    async fn run(mut self, body: &[u8]) -> Result<Response, Failure> {
        let shared = Arc::clone(&self.shared);
        let limits = shared.settings.limits;
        let body = text(body)?;
        let value = request::parse(body, &limits)?;
        let head = request::head(value.root())?;
        let target = shared.target(&head.model)?;
        let policy = target.policy;
        let wishes = wishes(&self.parts.headers)?;
        let bounds = Bounds { policy: &policy, limits: &limits, schemas: &shared.schemas };
        let (asked, on) = request::read(self.protocol, body, &value, &wishes, bounds)?;
        drop(value);
        let outgoing = Outgoing {
            method: self.parts.method.clone(),
            url: url(&target.upstream.base_url, &self.parts.uri)?,
            headers: headers(
                &shared.settings,
                &target,
                &self.parts.headers,
                self.protocol.key_style(),
            ),
            body: Bytes::from(on.into_owned()),
            timers: &shared.settings.timers,
        };
        let upstream = send(&target, outgoing, &mut self.clock).await?;
        let status = upstream.status().as_u16();
        self.told = down(upstream.headers());
        if !(200..300).contains(&status) {
            return self.error(status, upstream).await;
        }
        if asked.is_nothing() {
            let kind = untouched(upstream.headers(), status, self.protocol);
            self.tell("passthrough");
            return Ok(self.pass(status, upstream, kind));
        }
        if !asked.doubts.is_empty() {
            self.told.insert(reply::SCHEMA, reply::value(&asked.doubts.join("; ")));
        }
        let defaults = Defaults { id: request_id(&self.parts), created: now(), model: head.model };
        let reach = Reach { level: policy.level, limits };
        let held = Held { asked: Arc::new(asked), policy, reach, defaults };
        match (is_events(upstream.headers()), held.asked.delivery) {
            (true, Delivery::Stream) => Ok(self.stream(upstream, held)),
            (true, Delivery::Whole) => {
                let message = "the upstream sends a stream where a whole answer was asked for";
                Err(Failure::upstream("bad_answer", message))
            }
            (false, _) => self.whole(upstream, held).await,
        }
    }

    /// Says in a header what is done to the answer.
    fn tell(&mut self, what: &str) {
        self.told.insert(reply::REPAIR, reply::value(what));
        self.told.insert(reply::ATTEMPTS, 1.into());
        let overhead = self.clock.overhead().as_secs_f64() * 1000.0;
        self.told.insert(reply::OVERHEAD, reply::value(&format!("{overhead:.3}")));
    }

    fn relay(self, upstream: Option<Upstream>, kind: Kind) -> (HeaderMap, Relay) {
        let room = room(&self.parts);
        (
            self.told,
            Relay::new(self.shared, self.protocol.endpoint(), upstream, kind, self.clock, room),
        )
    }

    fn pass(self, status: u16, upstream: Upstream, kind: Kind) -> Response {
        let (headers, relay) = self.relay(Some(upstream), kind);
        reply::response(status, headers, relay.into_body())
    }

    fn stream(mut self, upstream: Upstream, held: Held) -> Response {
        self.tell("streamed");
        let stream = match self.protocol {
            Protocol::Chat => {
                Looked::Chat(Box::new(Stream::new(held.asked, held.reach, held.defaults)))
            }
            Protocol::Responses | Protocol::Messages => {
                Looked::Typed(Box::new(Typed::new(held.asked, held.reach)))
            }
        };
        let (headers, relay) = self.relay(Some(upstream), Kind::Looked(stream, held.policy));
        reply::events(headers, relay.into_body())
    }

    /// An error of the upstream, in the form that clients read.
    async fn error(mut self, status: u16, mut upstream: Upstream) -> Result<Response, Failure> {
        let timers = self.shared.settings.timers;
        let limit = self.shared.settings.limits.answer_bytes;
        let body = whole(&mut upstream, limit, &timers, &mut self.clock).await?;
        self.tell("passthrough");
        Ok(match error_body(status, &body) {
            ErrorBody::AsItCame => reply::response(status, self.told, body),
            ErrorBody::Told(failure) => reply::failure(&failure, self.protocol.errors(), self.told),
        })
    }

    /// A whole answer.
    async fn whole(mut self, mut upstream: Upstream, held: Held) -> Result<Response, Failure> {
        let timers = self.shared.settings.timers;
        let limit = self.shared.settings.limits.answer_bytes;
        let bytes = whole(&mut upstream, limit, &timers, &mut self.clock).await?;
        let body = String::from_utf8(bytes)
            .map_err(|_| Failure::upstream("input/utf8", "the upstream's answer is no UTF-8"))?;
        if held.asked.delivery == Delivery::Stream {
            if self.protocol != Protocol::Chat {
                self.protocol.parse(&body, &held.reach.limits)?;
                let message = "the upstream sends a whole answer where a stream was asked for";
                return Err(Failure::upstream("bad_answer", message));
            }
            let stream = Stream::whole(held.asked, held.reach, held.defaults, &body)?;
            self.tell("streamed");
            let kind = Kind::Looked(Looked::Chat(Box::new(stream)), held.policy);
            let (headers, relay) = self.relay(None, kind);
            return Ok(reply::events(headers, relay.into_body()));
        }
        let shared = Arc::clone(&self.shared);
        let size = body.len();
        let judged =
            work::run(size, timers.repair(), move || judge(&shared, &body, &held)).await??;
        self.tell(&judged.told);
        self.shared.metrics.overhead(self.clock.overhead());
        let mut headers = self.told;
        headers.insert(
            axum::http::header::CONTENT_TYPE,
            axum::http::HeaderValue::from_static("application/json"),
        );
        Ok(reply::response(200, headers, judged.body))
    }
}

/// An answer that may be given.
struct Judged {
    body: String,
    told: String,
}

fn judge(shared: &Shared, body: &str, held: &Held) -> Result<Judged, Failure> {
    let Held { asked, policy, reach, defaults } = held;
    let started = Instant::now();
    let protocol = asked.protocol;
    let value = protocol.parse(body, &reach.limits)?;
    let (parts, decision) = settle(&protocol.written(&value), asked, policy, *reach, Left(0));
    shared.metrics.settled(&parts, &decision, started.elapsed());
    match decision {
        Decision::Answer { cut_off } => {
            let report = (asked.report == Report::Field).then(|| report(&parts, 1));
            let body = protocol.rewritten(&Answer {
                body,
                value: &value,
                parts: &parts,
                cut_off: &cut_off,
                defaults,
                report: report.as_ref(),
            });
            Ok(Judged { body, told: told(&parts, asked.history) })
        }
        Decision::Refuse(refusal) | Decision::Reask { refusal, .. } => Err(refusal),
    }
}
