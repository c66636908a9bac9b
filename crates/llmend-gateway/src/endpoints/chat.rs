//! How is a chat completion answered?

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::Response;
use bytes::Bytes;
use llmend_models::sse::Dialect;
use reqwest::Response as Upstream;

use super::passthrough::{is_events, untouched};
use super::{body, request_id, room, text, wishes};
use crate::chat::answer::{parse, rewritten, written};
use crate::chat::chunk::Defaults;
use crate::chat::request::{self, Asked, Delivery, Report};
use crate::chat::settle::{report, settle, told};
use crate::chat::stream::Stream;
use crate::config::Policy;
use crate::decide::{Decision, Left};
use crate::failure::Failure;
use crate::headers::{KeyStyle, down};
use crate::mend::Reach;
use crate::relay::{Kind, Relay};
use crate::reply;
use crate::shared::{Shared, now};
use crate::upstream::{Clock, ErrorBody, Outgoing, error_body, headers, send, url, whole};
use crate::work;

/// What labels of metrics call it.
const ENDPOINT: &str = "chat";

/// `POST /v1/chat/completions`.
pub(crate) async fn complete(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let clock = Clock::start(&shared.settings.timers);
    let (parts, incoming) = request.into_parts();
    let shown = Arc::clone(&shared);
    let result = async {
        let body = body(&shared, incoming).await?;
        Exchange { shared, parts, clock, told: HeaderMap::new() }.run(&body).await
    };
    let response = result.await;
    let status = response.as_ref().map_or_else(|failure| failure.status, |ok| ok.status().as_u16());
    shown.metrics.request(ENDPOINT, status);
    response.unwrap_or_else(|failure| {
        reply::failure(&failure, reply::Dialect::OpenAi, HeaderMap::new())
    })
}

/// One request and its answer.
struct Exchange {
    shared: Arc<Shared>,
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
        let (asked, on) = request::read(body, &value, &wishes, &policy, &limits, &shared.schemas)?;
        drop(value);
        let outgoing = Outgoing {
            method: self.parts.method.clone(),
            url: url(&target.upstream.base_url, &self.parts.uri)?,
            headers: headers(&shared.settings, &target, &self.parts.headers, KeyStyle::Bearer),
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
            let kind = untouched(upstream.headers(), status, Dialect::OpenAiChat);
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
        (self.told, Relay::new(self.shared, ENDPOINT, upstream, kind, self.clock, room))
    }

    fn pass(self, status: u16, upstream: Upstream, kind: Kind) -> Response {
        let (headers, relay) = self.relay(Some(upstream), kind);
        reply::response(status, headers, relay.into_body())
    }

    fn stream(mut self, upstream: Upstream, held: Held) -> Response {
        self.tell("streamed");
        let stream = Stream::new(held.asked, held.reach, held.defaults);
        let (headers, relay) =
            self.relay(Some(upstream), Kind::Chat(Box::new(stream), held.policy));
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
            ErrorBody::Told(failure) => reply::failure(&failure, reply::Dialect::OpenAi, self.told),
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
            let stream = Stream::whole(held.asked, held.reach, held.defaults, &body)?;
            self.tell("streamed");
            let kind = Kind::Chat(Box::new(stream), held.policy);
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
    let value = parse(body, &reach.limits)?;
    let (parts, decision) = settle(&written(&value), asked, policy, *reach, Left(0));
    shared.metrics.settled(&parts, &decision, started.elapsed());
    match decision {
        Decision::Answer { cut_off } => {
            let report = (asked.report == Report::Field).then(|| report(&parts, 1));
            let body = rewritten(body, &value, &parts, &cut_off, defaults, report.as_ref());
            Ok(Judged { body: body.into_owned(), told: told(&parts, asked.history) })
        }
        Decision::Refuse(refusal) | Decision::Reask { refusal, .. } => Err(refusal),
    }
}
