//! Admission of requests.
//!
//! With keys, a request needs one. Without keys, it has to come from this machine and not from a
//! website. A page in a browser can send requests to `127.0.0.1` too, but not as JSON without a
//! preflight (which is refused), not without an `Origin`, and, behind a rebound name, not with the
//! gateway's `Host`.

use axum::http::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, ORIGIN, TRANSFER_ENCODING,
};
use axum::http::{HeaderMap, Method, Uri};

use crate::config::Settings;
use crate::config::key::is_known;
use crate::error::Failure;

/// Admits a request, or returns why not.
pub(crate) fn admit(
    settings: &Settings,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<(), Failure> {
    if settings.keys.is_empty() {
        from_here(settings, method, uri, headers)
    } else {
        with_key(settings, headers)
    }
}

fn with_key(settings: &Settings, headers: &HeaderMap) -> Result<(), Failure> {
    let bearer = text(headers, AUTHORIZATION.as_str()).and_then(|value| {
        let (scheme, key) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
    });
    let key = bearer.or_else(|| text(headers, "x-api-key")).or_else(|| text(headers, "api-key"));
    match key {
        Some(key) if is_known(key, &settings.keys) => Ok(()),
        Some(_) => {
            let message = "unknown gateway key";
            Err(Failure::new(401, "authentication_error", "invalid_api_key", message))
        }
        None => {
            let message = "missing gateway key; send `Authorization: Bearer …`";
            Err(Failure::new(401, "authentication_error", "missing_api_key", message))
        }
    }
}

fn from_here(
    settings: &Settings,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<(), Failure> {
    let forbidden =
        |code: &str, message: String| Err(Failure::new(403, "permission_error", code, message));
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    let host = host.filter(|_| hosts.next().is_none()).unwrap_or_default();
    // A request to a proxy names its host twice.
    let authority = uri.authority().map_or(host, axum::http::uri::Authority::as_str);
    if !is_ours(settings, host) || !is_ours(settings, authority) {
        let message = "host not allowed; add it to `allowed_hosts`, or configure keys";
        return forbidden("foreign_host", message.to_owned());
    }
    let is_allowed =
        |origin: &str| settings.allowed_origins.iter().any(|allowed| allowed == origin);
    let origins: Vec<&str> =
        headers.get_all(ORIGIN).iter().map(|origin| origin.to_str().unwrap_or_default()).collect();
    let is_foreign = origins
        .iter()
        .any(|origin| origin.strip_prefix("http://") != Some(host) && !is_allowed(origin));
    // A picture or a link of a website has no `Origin`. Following a link to the page does no harm.
    let is_sent = is_sent_by_a_website(headers)
        && uri.path() != "/"
        && !origins.iter().any(|origin| is_allowed(origin));
    if is_foreign || is_sent {
        let message = "origin not allowed; add it to `allowed_origins`, or configure keys";
        return forbidden("foreign_origin", message.to_owned());
    }
    let is_read = matches!(*method, Method::GET | Method::HEAD);
    if !is_read && !is_json(headers) && has_body(headers) {
        let message = "expected a body of type `application/json`";
        return Err(Failure::new(415, "invalid_request_error", "unsupported_media_type", message));
    }
    Ok(())
}

/// Whether a browser sends the request for another website than the gateway's own page.
fn is_sent_by_a_website(headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all("sec-fetch-site").iter();
    sites.any(|site| matches!(site.as_bytes(), b"cross-site" | b"same-site"))
}

/// Whether a host, with or without a port, is a name of this machine or an allowed one.
fn is_ours(settings: &Settings, host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let known = ["localhost", "127.0.0.1", "[::1]"];
    known.iter().any(|known| known.eq_ignore_ascii_case(name))
        || settings.allowed_hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether the body is declared as JSON, which a website cannot send without a preflight.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = text(headers, CONTENT_TYPE.as_str()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

/// Whether a request has a body. A type without one is that of an empty form.
fn has_body(headers: &HeaderMap) -> bool {
    let is_empty = match headers.get(CONTENT_LENGTH) {
        None => !headers.contains_key(TRANSFER_ENCODING),
        Some(_) => text(headers, CONTENT_LENGTH.as_str()) == Some("0"),
    };
    !is_empty || headers.contains_key(CONTENT_TYPE)
}

/// Returns a header that occurs once.
fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

    use super::admit;
    use crate::config::{Config, Settings};

    fn settings(more: &str) -> Settings {
        let text = format!("[gateway]\n{more}\n[gateway.upstreams.a]\nbase_url = \"http://a\"");
        Settings::new(&Config::from_toml(&text).unwrap(), |_| None).unwrap()
    }

    fn map(headers: &[(&'static str, &'static str)]) -> HeaderMap {
        let row = |&(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        headers.iter().map(row).collect()
    }

    fn status(
        settings: &Settings,
        method: &Method,
        headers: &[(&'static str, &'static str)],
    ) -> u16 {
        let headers = map(headers);
        let uri = Uri::from_static("/v1/chat/completions");
        admit(settings, method, &uri, &headers).map_or_else(|failure| failure.status, |()| 200)
    }

    const JSON: (&str, &str) = ("content-type", "application/json; charset=utf-8");

    #[test]
    fn without_keys_only_local_programs_are_admitted() {
        let open =
            settings("allowed_hosts = [\"box\"]\nallowed_origins = [\"https://app.example\"]");
        let rows: [(&[(&str, &str)], u16); 24] = [
            (&[("host", "127.0.0.1:8787"), JSON], 200),
            (&[("host", "localhost"), JSON], 200),
            (&[("host", "[::1]:8787"), JSON], 200),
            (&[("host", "box:80"), JSON], 200),
            (&[("host", "evil.example"), JSON], 403),
            (&[("host", "127.0.0.1.evil.example"), JSON], 403),
            (&[("host", "localhost"), ("host", "evil.example"), JSON], 403),
            (&[JSON], 403),
            (&[("host", "localhost:1"), ("origin", "http://localhost:1"), JSON], 200),
            (&[("host", "localhost:1"), ("origin", "http://localhost:2"), JSON], 403),
            (&[("host", "localhost:1"), ("origin", "null"), JSON], 403),
            (&[("host", "localhost"), ("origin", "https://app.example"), JSON], 200),
            (&[("host", "localhost"), ("sec-fetch-site", "cross-site"), JSON], 403),
            (&[("host", "localhost"), ("sec-fetch-site", "same-site"), JSON], 403),
            (&[("host", "localhost"), ("sec-fetch-site", "same-origin"), JSON], 200),
            (&[("host", "localhost"), ("sec-fetch-site", "none"), JSON], 200),
            (
                &[
                    ("host", "localhost"),
                    ("sec-fetch-site", "cross-site"),
                    ("origin", "https://app.example"),
                    JSON,
                ],
                200,
            ),
            (
                &[
                    ("host", "localhost:1"),
                    ("sec-fetch-site", "same-site"),
                    ("origin", "http://localhost:1"),
                    JSON,
                ],
                403,
            ),
            (&[("host", "localhost"), ("content-type", "text/plain")], 415),
            (&[("host", "localhost"), ("content-length", "2")], 415),
            (&[("host", "localhost"), ("transfer-encoding", "chunked")], 415),
            // Nothing can be wrong with a body that is not there.
            (&[("host", "localhost")], 200),
            (&[("host", "localhost"), ("content-length", "0")], 200),
            (&[("host", "localhost"), ("origin", "https://evil.example")], 403),
        ];
        for (headers, expected) in rows {
            assert_eq!(status(&open, &Method::POST, headers), expected, "{headers:?}");
        }
        assert_eq!(status(&open, &Method::GET, &[("host", "localhost")]), 200);
        let picture = [("host", "localhost"), ("sec-fetch-site", "cross-site")];
        assert_eq!(status(&open, &Method::GET, &picture), 403);
        let headers = map(&picture);
        assert!(admit(&open, &Method::GET, &Uri::from_static("/"), &headers).is_ok());
        assert!(admit(&open, &Method::GET, &Uri::from_static("/page/main.js"), &headers).is_err());
    }

    #[test]
    fn with_keys_only_a_key_admits() {
        let hash = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
        let closed = settings(&format!("keys = [{{ name = \"me\", sha256 = \"{hash}\" }}]"));
        let rows: [(&[(&str, &str)], u16); 8] = [
            (&[("authorization", "Bearer secret")], 200),
            (&[("authorization", "bearer secret"), ("origin", "https://a.example")], 200),
            (&[("x-api-key", "secret")], 200),
            (&[("authorization", "Bearer wrong"), ("x-api-key", "secret")], 401),
            (&[("authorization", "Basic secret")], 401),
            (&[("authorization", "Bearer secret"), ("authorization", "Bearer secret")], 401),
            (&[("authorization", "Bearer wrong")], 401),
            (&[], 401),
        ];
        for (headers, expected) in rows {
            assert_eq!(status(&closed, &Method::POST, headers), expected, "{headers:?}");
        }
    }
}
