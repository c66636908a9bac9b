//! Requests to upstreams and their errors.

use std::time::{Duration, Instant};

use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, Method, StatusCode};
use bytes::Bytes;
use reqwest::{Response, Url};
use serde_json::Value;
use tokio::time::timeout;

use crate::config::path::has_dots;
use crate::config::{Settings, Timers};
use crate::error::Failure;
use crate::protocol::KeyStyle;
use crate::shared::Target;
use crate::upstream::headers::{Auth, up};

pub(crate) mod headers;
pub(crate) mod secrets;

/// The deadline of a request, and the time spent waiting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    started: Instant,
    deadline: Instant,
    /// The time spent waiting for the upstream.
    waited: Duration,
}

impl Clock {
    pub(crate) fn start(timers: &Timers) -> Self {
        let started = Instant::now();
        Self { started, deadline: started + timers.total(), waited: Duration::ZERO }
    }

    /// Returns the time left for the request.
    pub(crate) fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Waits for the upstream, at most `limit` and the time left.
    pub(crate) async fn wait<T>(
        &mut self,
        limit: Duration,
        what: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        let before = Instant::now();
        let result = timeout(limit.min(self.left()), what).await;
        self.waited(before.elapsed());
        result.map_err(|_| self.too_long(limit))
    }

    /// Adds time spent waiting.
    pub(crate) fn waited(&mut self, time: Duration) {
        self.waited += time;
    }

    /// Makes the error of a wait that took too long.
    pub(crate) fn too_long(&self, limit: Duration) -> Failure {
        if self.left().is_zero() {
            return Failure::timeout("the request exceeded the gateway's time limit");
        }
        Failure::timeout(format!("the upstream sent nothing for {} ms", limit.as_millis()))
    }

    /// Returns the time that the gateway itself has spent.
    pub(crate) fn overhead(&self) -> Duration {
        self.started.elapsed().saturating_sub(self.waited)
    }
}

/// A request to an upstream.
pub(crate) struct Outgoing<'a> {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) timers: &'a Timers,
}

/// Returns the URL of a path below an upstream's base. Nothing that a client sends leads out of
/// there.
pub(crate) fn url(base: &Url, path: &str, query: Option<&str>) -> Result<Url, Failure> {
    let path = path.strip_prefix("/v1/").or(path.strip_prefix('/')).unwrap_or_default();
    if path.contains('\\') || has_dots(path) {
        return Err(Failure::request("bad_path", "the path leads out of the upstream's base URL"));
    }
    let mut url = base.clone();
    url.set_path(&format!("{}{path}", base.path()));
    url.set_query(query);
    Ok(url)
}

/// Returns the key for a known endpoint.
pub(crate) fn auth<'t>(settings: &Settings, target: &Target<'t>) -> Auth<'t> {
    match &target.upstream.key {
        Some(key) => Auth::Own(key),
        None if settings.keys.is_empty() => Auth::Passed,
        None => Auth::None,
    }
}

/// Returns the headers of a request to a known endpoint, for one model or none.
pub(crate) fn request_headers(
    settings: &Settings,
    target: &Target<'_>,
    incoming: &HeaderMap,
    (style, model): (KeyStyle, Option<&str>),
) -> HeaderMap {
    let mut headers = up(incoming, auth(settings, target), style);
    let models = &settings.models;
    let own = model.map_or(models.general_headers(), |model| models.headers(model));
    headers.extend(own.clone());
    headers
}

/// Sends a request, and waits for the head of the response.
pub(crate) async fn send(
    target: &Target<'_>,
    outgoing: Outgoing<'_>,
    clock: &mut Clock,
) -> Result<Response, Failure> {
    let Outgoing { method, url, headers, body, timers } = outgoing;
    let sent = target.client.request(method, url).headers(headers).body(body).send();
    let response = clock.wait(timers.first_byte(), sent).await?;
    let response = response.map_err(|error| no_answer(&target.upstream.name, &error))?;
    let status = response.status();
    if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
        let message = "the upstream redirects, which the gateway does not follow";
        return Err(Failure::upstream("redirect", message));
    }
    let encoding = response.headers().get(CONTENT_ENCODING).and_then(|value| value.to_str().ok());
    if encoding.is_some_and(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
        // Compression was not asked for, and what cannot be read cannot be inspected.
        return Err(Failure::upstream(
            "encoded",
            "the upstream sent a compressed response, expected an uncompressed one",
        ));
    }
    Ok(response)
}

/// Makes the error of a missing response. It names the upstream as configured and not its address.
fn no_answer(name: &str, error: &reqwest::Error) -> Failure {
    let (code, what) = if error.is_connect() {
        ("unreachable", "cannot be reached")
    } else if error.is_timeout() {
        return Failure::timeout(format!("the upstream `{name}` did not answer in time"));
    } else {
        ("connection", "closed the connection")
    };
    Failure::upstream(code, format!("the upstream `{name}` {what}"))
}

/// Reads a whole response, up to a limit.
pub(crate) async fn whole(
    response: &mut Response,
    limit: usize,
    timers: &Timers,
    clock: &mut Clock,
) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    loop {
        let chunk = clock.wait(timers.idle(), response.chunk()).await?;
        match chunk {
            Ok(Some(chunk)) if body.len() + chunk.len() > limit => {
                let message = format!("the response is larger than the limit of {limit} bytes");
                return Err(Failure::upstream("limit/bytes", message));
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Ok(body),
            Err(_) => {
                let message = "the upstream closed the connection within the response";
                return Err(Failure::upstream("connection", message));
            }
        }
    }
}

/// Reads until the form of a response is known, or to its end.
pub(crate) async fn beginning(
    response: &mut Response,
    timers: &Timers,
    clock: &mut Clock,
) -> Result<Vec<u8>, Failure> {
    let mut begun = Vec::new();
    while begun.len() < MOST_BEGUN && !has_form(&begun) {
        match clock.wait(timers.idle(), response.chunk()).await? {
            Ok(Some(chunk)) => begun.extend_from_slice(&chunk),
            // Whoever reads on gets the same.
            Ok(None) | Err(_) => break,
        }
    }
    Ok(begun)
}

/// Most white space that is read to find the form.
const MOST_BEGUN: usize = 4_096;

/// The field names of events, and the start of a comment.
const FIELDS: [&str; 5] = ["data", "event", "id", "retry", ":"];

/// Whether enough has arrived to know the form.
fn has_form(begun: &[u8]) -> bool {
    let text = of_form(begun);
    let may_be_field =
        |field: &&str| field.len() > text.len() && field.as_bytes().starts_with(text);
    !text.is_empty() && !FIELDS.iter().any(may_be_field)
}

/// Whether a response begins like an event stream. No JSON does.
pub(crate) fn begins_events(begun: &[u8]) -> bool {
    let text = of_form(begun);
    FIELDS.iter().any(|field| text.starts_with(field.as_bytes()))
}

fn of_form(begun: &[u8]) -> &[u8] {
    begun.strip_prefix("\u{feff}".as_bytes()).unwrap_or(begun).trim_ascii_start()
}

/// Returns how to send the body of an error: as it arrived if clients can read it, or as a failure
/// with its text.
pub(crate) fn error_body(status: u16, body: &[u8]) -> ErrorBody {
    let text = String::from_utf8_lossy(body);
    let json: Option<Value> = serde_json::from_str(&text).ok();
    let is_read = json.as_ref().is_some_and(|json| {
        json.get("error").and_then(|error| error.get("message")).is_some_and(Value::is_string)
    });
    if is_read {
        return ErrorBody::Unchanged;
    }
    let found = json.as_ref().and_then(|json| {
        let known = ["error", "message", "detail"].map(|key| json.get(key).and_then(Value::as_str));
        known.into_iter().flatten().next()
    });
    let message = match (found, &json) {
        (Some(found), _) => found.to_owned(),
        (None, Some(json)) => clipped(&json.to_string()),
        (None, None) if is_page(&text) => {
            let title = between(&text, "<title>", "</title>").unwrap_or("untitled");
            format!("the upstream answered {status} with a page: {}", clipped(title))
        }
        (None, None) if text.trim().is_empty() => {
            format!("the upstream answered {status} with an empty body")
        }
        (None, None) => clipped(&text),
    };
    ErrorBody::Replaced(Failure::new(status, "upstream_error", "upstream_error", message))
}

/// Whether a text is a page of HTML. A text may begin with another tag.
fn is_page(text: &str) -> bool {
    let begun: String = text.trim_start().chars().take(MOST_CHARS).collect();
    let begun = begun.to_ascii_lowercase();
    let names = ["<!doctype", "<html", "<head", "<body", "<title", "<?xml"];
    begun.starts_with('<') && names.iter().any(|name| begun.contains(name))
}

/// How the body of an error is sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ErrorBody {
    Unchanged,
    Replaced(Failure),
}

/// Most characters of an upstream's text that are repeated.
const MOST_CHARS: usize = 500;

fn clipped(text: &str) -> String {
    text.trim().chars().take(MOST_CHARS).collect()
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inner, _)| inner)
}

/// Whether an answer is an event stream.
pub(crate) fn is_events(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream"))
}

#[cfg(test)]
mod tests {
    use axum::http::Uri;
    use reqwest::Url;

    use super::{ErrorBody, begins_events, error_body, has_form, url};

    #[test]
    fn the_beginning_of_an_answer_determines_its_form() {
        // (the beginning, whether more has to come, whether it is a stream)
        let rows: [(&[u8], bool, bool); 12] = [
            (b"", true, false),
            (b"\n \n", true, false),
            (b"dat", true, false),
            (b"data: {", false, true),
            (b"\xEF\xBB\xBFdata:", false, true),
            (b"\r\n: hi", false, true),
            (b"event: message_start", false, true),
            (b"retry: 9", false, true),
            (b"{\"id\"", false, false),
            (b"\xEF\xBB\xBF {", false, false),
            (b"<html>", false, false),
            (b"dates", false, false),
        ];
        for (begun, more, events) in rows {
            assert_eq!((!has_form(begun), begins_events(begun)), (more, events), "{begun:?}");
        }
    }

    #[test]
    fn no_path_leads_out_of_the_upstream() {
        let base = Url::parse("https://api.example/base/v1/").unwrap();
        let rows = [
            ("/v1/chat/completions", Some("https://api.example/base/v1/chat/completions")),
            ("/v1/models?limit=1", Some("https://api.example/base/v1/models?limit=1")),
            ("/v1//evil.example/x", Some("https://api.example/base/v1//evil.example/x")),
            ("/v1/http://evil.example", Some("https://api.example/base/v1/http://evil.example")),
            ("/v1/../admin", None),
            ("/v1/a/%2e%2E/b", None),
            ("/v1/a%2f..%2fb", None),
            ("/v1/./a", None),
        ];
        for (path, expected) in rows {
            let uri: Uri = path.parse().unwrap();
            let found = url(&base, uri.path(), uri.query());
            assert_eq!(found.ok().as_ref().map(Url::as_str), expected, "{path}");
        }
    }

    #[test]
    fn the_message_of_an_error_is_kept() {
        let rows: [(&str, Option<&str>); 10] = [
            (r#"{"error":{"message":"no","type":"x"}}"#, None),
            (r#"{"error":"no model"}"#, Some("no model")),
            (r#"{"detail":"Not Found"}"#, Some("Not Found")),
            (r#"{"message":"busy"}"#, Some("busy")),
            (r#"{"code":7}"#, Some("{\"code\":7}")),
            ("<html><head><title>502 Bad Gateway</title>", Some("502 Bad Gateway")),
            ("<!DOCTYPE html>\n<HTML><TITLE>Oops", Some("with a page: untitled")),
            ("<tool_call> cannot be parsed", Some("<tool_call> cannot be parsed")),
            ("upstream connect error", Some("upstream connect error")),
            ("", Some("an empty body")),
        ];
        for (body, expected) in rows {
            match (error_body(502, body.as_bytes()), expected) {
                (ErrorBody::Unchanged, None) => {}
                (ErrorBody::Replaced(failure), Some(part)) => {
                    assert!(failure.message.contains(part), "{body}: {failure:?}");
                    assert_eq!(failure.status, 502);
                }
                (other, _) => panic!("{body}: {other:?}"),
            }
        }
    }
}
