//! Classification of failures that providers report.

use llmend_model::ChatErrorKind;

/// Returns the kind of a failure from the status of the response, or the number in the error inside
/// an answer, and from the provider's text: kind, code and message.
pub(crate) fn classify(status: Option<u16>, words: &str) -> ChatErrorKind {
    let words = words.to_ascii_lowercase();
    let says = |known: &[&str]| known.iter().any(|word| words.contains(word));
    for (known, kind) in SAID {
        if says(known) {
            return *kind;
        }
    }
    match status {
        Some(401 | 403) => ChatErrorKind::Authentication,
        Some(402) => ChatErrorKind::Quota,
        Some(404) => ChatErrorKind::NotFound,
        Some(408 | 504) => ChatErrorKind::Timeout,
        Some(429) => ChatErrorKind::RateLimited,
        Some(501 | 505) => ChatErrorKind::Request,
        Some(500..=599) => ChatErrorKind::Server,
        Some(300..=499) => ChatErrorKind::Request,
        _ => meant(&words),
    }
}

/// Texts that decide whatever the status: an exhausted account has the status of rate limiting, and
/// Gemini reports a bad key as an invalid argument.
const SAID: &[(&[&str], ChatErrorKind)] = &[
    (
        &["insufficient_quota", "credit balance is too low", "billing_hard_limit", "billing_error"],
        ChatErrorKind::Quota,
    ),
    (
        &["api key not valid", "api_key_invalid", "invalid_api_key", "authentication_error"],
        ChatErrorKind::Authentication,
    ),
    (
        &["content_policy_violation", "content_filter", "responsibleaipolicyviolation"],
        ChatErrorKind::ContentRefused,
    ),
    // The server could not read what the model wrote. Retrying that is not the transport's
    // business.
    (
        &[
            "failed to parse tool call",
            "error parsing tool call",
            "failed to parse input at pos",
            "json_validate_failed",
            "tool_use_failed",
            "output_parse_failed",
        ],
        ChatErrorKind::Unreadable,
    ),
];

/// Returns the meaning of a text without a status: in an error inside a stream.
fn meant(words: &str) -> ChatErrorKind {
    let says = |known: &[&str]| known.iter().any(|word| words.contains(word));
    if says(&["rate_limit", "resource_exhausted", "too many requests"]) {
        ChatErrorKind::RateLimited
    } else if says(&["deadline_exceeded", "timeout", "timed out"]) {
        ChatErrorKind::Timeout
    } else if says(&["permission", "unauthenticated"]) {
        ChatErrorKind::Authentication
    } else if says(&["not_found"]) {
        ChatErrorKind::NotFound
    } else if says(&["invalid_request", "invalid_argument"]) {
        ChatErrorKind::Request
    } else if says(&["overloaded", "unavailable", "server_error", "api_error", "internal"]) {
        ChatErrorKind::Server
    } else {
        ChatErrorKind::Other
    }
}

#[cfg(test)]
mod tests {
    use llmend_model::ChatErrorKind::{
        self, Authentication, ContentRefused, NotFound, Other, Quota, RateLimited, Request, Server,
        Timeout, Unreadable,
    };

    use super::classify;

    #[test]
    fn failures_are_distinguished() {
        let rows: [(Option<u16>, &str, ChatErrorKind); 27] = [
            (Some(400), "", Request),
            (Some(302), "", Request),
            (Some(401), "", Authentication),
            (Some(403), "", Authentication),
            (Some(402), "", Quota),
            (Some(404), "", NotFound),
            (Some(408), "", Timeout),
            (Some(504), "", Timeout),
            (Some(429), "", RateLimited),
            (Some(429), "insufficient_quota You exceeded your current quota", Quota),
            (
                Some(400),
                "INVALID_ARGUMENT API key not valid. Please pass a valid API key.",
                Authentication,
            ),
            (Some(400), "Your credit balance is too low to access the API", Quota),
            (Some(400), "content_filter", ContentRefused),
            (Some(500), "", Server),
            (Some(503), "Loading model", Server),
            (Some(529), "overloaded_error", Server),
            (Some(501), "", Request),
            (
                Some(500),
                "Failed to parse tool call arguments as JSON: [json.exception…",
                Unreadable,
            ),
            (Some(500), "error parsing tool call: raw='{', err=unexpected end", Unreadable),
            (Some(400), "json_validate_failed", Unreadable),
            (None, "overloaded_error Overloaded", Server),
            (None, "rate_limit_error", RateLimited),
            (None, "DEADLINE_EXCEEDED", Timeout),
            (None, "upstream timed out", Timeout),
            (None, "invalid_request_error", Request),
            (None, "no idea", Other),
            (Some(700), "", Other),
        ];
        for (status, words, expected) in rows {
            assert_eq!(classify(status, words), expected, "{status:?} {words}");
        }
    }
}
