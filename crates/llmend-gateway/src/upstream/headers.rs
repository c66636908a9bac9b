//! The headers that are forwarded to the upstream and back.

use crate::protocol::KeyStyle;
use axum::http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, COOKIE, DATE,
    EXPECT, FORWARDED, HOST, ORIGIN, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, REFERER, SERVER,
    SET_COOKIE, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, VIA,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use llmend_models::SecretString;
use secrecy::ExposeSecret as _;

/// Headers that apply to one connection.
const HOP_BY_HOP: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
    HeaderName::from_static("proxy-connection"),
];

/// Headers of a request that are not forwarded. The body is sent anew, and uncompressed answers are
/// asked for.
const NOT_UP: [HeaderName; 10] = [
    HOST,
    CONTENT_LENGTH,
    ACCEPT_ENCODING,
    EXPECT,
    COOKIE,
    ORIGIN,
    REFERER,
    FORWARDED,
    VIA,
    AUTHORIZATION,
];

/// The headers of keys besides `Authorization`.
const KEYS: [HeaderName; 2] = [X_API_KEY, API_KEY];

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const API_KEY: HeaderName = HeaderName::from_static("api-key");

/// Prefixes of headers that are not forwarded: the gateway's own, those of browsers, and those of
/// proxies in front of the gateway.
const NOT_UP_PREFIXES: [&str; 4] = ["x-llmend-", "sec-", "x-forwarded-", "access-control-"];

/// Headers of a response that are not forwarded. The body is sent anew, and only the configuration
/// admits websites.
const NOT_DOWN: [HeaderName; 8] = [
    CONTENT_LENGTH,
    CONTENT_ENCODING,
    SET_COOKIE,
    SERVER,
    DATE,
    VIA,
    HeaderName::from_static("alt-svc"),
    HeaderName::from_static("strict-transport-security"),
];

const NOT_DOWN_PREFIXES: [&str; 2] = ["x-llmend-", "access-control-"];

/// The key that an upstream is asked with. Never two.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Auth<'a> {
    /// The upstream's own.
    Own(&'a SecretString),
    /// The client's.
    Passed,
    /// None, since the client's key is one of the gateway.
    None,
}

/// Whether a header is the caller's or the configuration's to set, and not the gateway's own.
pub(crate) fn is_forwarded(name: &HeaderName) -> bool {
    !(HOP_BY_HOP.contains(name)
        || NOT_UP.contains(name)
        || KEYS.contains(name)
        || NOT_UP_PREFIXES.iter().any(|prefix| name.as_str().starts_with(prefix)))
}

/// Returns the headers of a request to forward.
pub(crate) fn up(incoming: &HeaderMap, auth: Auth<'_>, style: KeyStyle) -> HeaderMap {
    let named = named_by_connection(incoming);
    let mut headers = HeaderMap::with_capacity(incoming.len());
    for (name, value) in incoming {
        let is_named = named.iter().any(|named| named == name.as_str());
        if is_forwarded(name) && !is_named {
            headers.append(name.clone(), value.clone());
        }
    }
    match auth {
        Auth::Own(key) => {
            let (name, value) = match style {
                KeyStyle::Bearer => (AUTHORIZATION, format!("Bearer {}", key.expose_secret())),
                KeyStyle::ApiKey => (X_API_KEY, key.expose_secret().to_owned()),
                KeyStyle::AzureApiKey => (API_KEY, key.expose_secret().to_owned()),
            };
            // An invalid key was refused when the gateway started.
            if let Ok(mut value) = HeaderValue::from_str(&value) {
                value.set_sensitive(true);
                headers.insert(name, value);
            }
        }
        Auth::Passed => {
            for name in [AUTHORIZATION].into_iter().chain(KEYS) {
                // Only the first one is forwarded.
                if let Some(value) = incoming.get(&name) {
                    let mut value = value.clone();
                    value.set_sensitive(true);
                    headers.insert(name, value);
                }
            }
        }
        Auth::None => {}
    }
    headers
}

/// Returns the headers of a response to forward.
pub(crate) fn down(incoming: &HeaderMap) -> HeaderMap {
    let named = named_by_connection(incoming);
    let mut headers = HeaderMap::with_capacity(incoming.len());
    for (name, value) in incoming {
        let is_out = HOP_BY_HOP.contains(name)
            || NOT_DOWN.contains(name)
            || named.iter().any(|named| named == name.as_str())
            || NOT_DOWN_PREFIXES.iter().any(|prefix| name.as_str().starts_with(prefix));
        if !is_out {
            headers.append(name.clone(), value.clone());
        }
    }
    headers
}

/// Returns the names that `Connection` lists, in lower case.
fn named_by_connection(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(CONNECTION).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(|name| name.trim().to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::{Auth, down, up};
    use crate::protocol::KeyStyle;

    fn map(rows: &[(&'static str, &'static str)]) -> HeaderMap {
        let row = |&(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        rows.iter().map(row).collect()
    }

    fn names(headers: &HeaderMap) -> Vec<&str> {
        headers.keys().map(HeaderName::as_str).collect()
    }

    #[test]
    fn only_end_to_end_headers_are_forwarded() {
        let sent = map(&[
            ("host", "a"),
            ("connection", "close, X-Mine"),
            ("x-mine", "1"),
            ("transfer-encoding", "chunked"),
            ("content-length", "1"),
            ("content-type", "application/json"),
            ("cookie", "a=b"),
            ("openai-organization", "o"),
            ("x-llmend-schema", "{}"),
            ("x-forwarded-for", "1.2.3.4"),
            ("accept-encoding", "gzip"),
        ]);
        let headers = up(&sent, Auth::Passed, KeyStyle::Bearer);
        assert_eq!(names(&headers), ["content-type", "openai-organization"]);

        let received = map(&[
            ("content-type", "application/json"),
            ("content-encoding", "gzip"),
            ("content-length", "1"),
            ("connection", "x-inner"),
            ("x-inner", "1"),
            ("retry-after", "7"),
            ("retry-after-ms", "7000"),
            ("x-ratelimit-remaining", "1"),
            ("openai-processing-ms", "1"),
            ("x-request-id", "r"),
            ("access-control-allow-origin", "*"),
            ("set-cookie", "a=b"),
            ("x-llmend-repair", "forged"),
        ]);
        let headers = down(&received);
        let expected = [
            "content-type",
            "retry-after",
            "retry-after-ms",
            "x-ratelimit-remaining",
            "openai-processing-ms",
            "x-request-id",
        ];
        assert_eq!(names(&headers), expected);
    }

    #[test]
    fn a_key_is_forwarded_or_replaced_and_never_both() {
        let sent =
            map(&[("authorization", "Bearer theirs"), ("x-api-key", "theirs"), ("api-key", "x")]);
        let own = "ours".to_owned().into();
        let azure = up(&sent, Auth::Own(&own), KeyStyle::AzureApiKey);
        assert_eq!(
            (azure.get("api-key").unwrap(), azure.len()),
            (&HeaderValue::from_static("ours"), 1)
        );
        let shown = |auth, style| {
            let headers = up(&sent, auth, style);
            let shown =
                |name: &str| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
            (shown("authorization"), shown("x-api-key"), headers.len())
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(shown(Auth::Own(&own), KeyStyle::Bearer), (some("Bearer ours"), None, 1));
        assert_eq!(shown(Auth::Own(&own), KeyStyle::ApiKey), (None, some("ours"), 1));
        assert_eq!(
            shown(Auth::Passed, KeyStyle::Bearer),
            (some("Bearer theirs"), some("theirs"), 3)
        );
        assert_eq!(shown(Auth::None, KeyStyle::Bearer), (None, None, 0));
        // No log shows it.
        assert!(!format!("{:?}", up(&sent, Auth::Own(&own), KeyStyle::Bearer)).contains("ours"));
    }
}
