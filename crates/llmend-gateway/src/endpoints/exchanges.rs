//! Which exchanges were the last ones?

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::error::Failure;
use crate::http::reply;
use crate::http::shared::Shared;
use crate::recording::{Summary, moment};

/// The last exchanges that were kept, the newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Listed {
    /// Where exchanges are kept: off, memory or file.
    recording: &'static str,
    /// How many could not be kept since the gateway began.
    dropped: u64,
    /// Why the last one could not be kept; null if it was.
    trouble: Option<String>,
    /// Each with `id`, `at`, `request_id`, `endpoint`, `model`, `status`, `outcome`, `code`, `class`, `attempts`, `repairs`,
    /// `tokens_in`, `tokens_out` and `duration_ms`.
    exchanges: Vec<Value>,
    /// The value of `before` for the ones before these; null if there are none.
    next: Option<u64>,
}

/// How many are told at once.
const USUAL: usize = 50;
const MOST: usize = 500;

/// `GET /v1/exchanges`.
#[utoipa::path(
    get,
    path = "/v1/exchanges",
    params(
        ("limit" = Option<usize>, Query, description = "How many: 1 to 500, or else 50"),
        ("before" = Option<u64>, Query, description = "Only those before the one of this id"),
    ),
    responses(
        (status = 200, description = "The last exchanges", body = Listed),
        (status = 400, description = "An unknown parameter, or one that is no number", body = super::openapi::Failed),
        (status = 503, description = "The journal cannot be read", body = super::openapi::Failed),
    )
)]
pub(crate) async fn list(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let response = match listed(&shared, request.uri().query().unwrap_or_default()).await {
        Ok(found) => reply::json(200, HeaderMap::new(), &json!(found)),
        Err(failure) => reply::failure(&failure, reply::Dialect::Own, HeaderMap::new()),
    };
    shared.metrics.request("exchanges", response.status().as_u16());
    response
}

async fn listed(shared: &Shared, query: &str) -> Result<Listed, Failure> {
    let (limit, before) = asked(query)?;
    // One more, to know whether there is one.
    let mut found = shared.recorder.list(limit + 1, before).await.map_err(|why| unread(&why))?;
    let is_more = found.len() > limit;
    found.truncate(limit);
    Ok(Listed {
        recording: shared.recorder.word(),
        dropped: shared.recorder.counts().1,
        trouble: shared.recorder.trouble(),
        next: found.last().filter(|_| is_more).map(|last| last.id),
        exchanges: found.iter().map(|summary| told(summary).into()).collect(),
    })
}

/// How many are asked for, and before which one.
fn asked(query: &str) -> Result<(usize, Option<u64>), Failure> {
    let (mut limit, mut before) = (USUAL, None);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match (name, value.parse::<u64>()) {
            ("limit", Ok(number @ 1..)) => {
                limit = usize::try_from(number).unwrap_or(MOST).min(MOST);
            }
            ("before", Ok(number)) => before = Some(number),
            ("limit" | "before", _) => {
                let message = format!("`{name}` has to be a number, and `limit` 1 at least");
                return Err(Failure::request("bad_query", message).about(name));
            }
            _ => {
                let message = "the parameters are `limit` and `before`";
                return Err(Failure::request("bad_query", message));
            }
        }
    }
    Ok((limit, before))
}

/// What is kept cannot be read.
pub(crate) fn unread(why: &str) -> Failure {
    let message = format!("the journal cannot be read: {why}");
    Failure::new(503, "gateway_error", "recording/unread", message)
}

/// An exchange in numbers, as it is told.
pub(crate) fn told(summary: &Summary) -> Map<String, Value> {
    let Summary { id, at_ms, request_id, endpoint, model, status, outcome, code, class, .. } =
        summary;
    let rows = [
        ("id", json!(id)),
        ("at", json!(moment::text(*at_ms))),
        ("request_id", json!(request_id)),
        ("endpoint", json!(endpoint)),
        ("model", json!(model)),
        ("status", json!(status)),
        ("outcome", json!(outcome.as_str())),
        ("code", json!(code)),
        ("class", json!(class)),
        ("attempts", json!(summary.attempts)),
        ("repairs", json!(summary.repairs)),
        ("tokens_in", json!(summary.tokens_in)),
        ("tokens_out", json!(summary.tokens_out)),
        ("duration_ms", json!(summary.duration_ms)),
    ];
    rows.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::asked;

    #[test]
    fn a_query_says_how_many_and_before_which() {
        let rows = [
            ("", Some((50, None))),
            ("limit=2", Some((2, None))),
            ("before=7&limit=9", Some((9, Some(7)))),
            ("limit=100000000", Some((500, None))),
            ("&before=1&", Some((50, Some(1)))),
            ("limit=0", None),
            ("limit=-1", None),
            ("limit", None),
            ("before=x", None),
            ("model=x", None),
        ];
        for (query, expected) in rows {
            assert_eq!(asked(query).ok(), expected, "{query}");
        }
    }
}
