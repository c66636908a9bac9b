//! List of recorded exchanges.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::config::ModelSettings;
use crate::error::{ErrorFormat, Failure};
use crate::http::reply;
use crate::recording::{Summary, moment};
use crate::shared::Shared;

/// Recorded exchanges, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExchangeList {
    /// Where exchanges are stored: off, memory or file.
    recording: &'static str,
    /// Number of exchanges dropped since the gateway started.
    dropped: u64,
    /// Why the last exchange could not be recorded; null if it was.
    trouble: Option<String>,
    /// Each with `id`, `at`, `request_id`, `endpoint`, `model`, `status`, `outcome`, `code`, `class`, `attempts`, `repairs`,
    /// `tokens_in`, `tokens_out`, `cost` (if the price of the model is set, else null) and `duration_ms`.
    exchanges: Vec<Value>,
    /// Value of `before` for the next page; null if this is the last.
    next: Option<u64>,
}

/// Default and maximum number of exchanges in a page.
const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 500;

/// `GET /v1/exchanges`.
#[utoipa::path(
    get,
    path = "/v1/exchanges",
    params(
        ("limit" = Option<usize>, Query, description = "Number of exchanges: 1 to 500, 50 by default"),
        ("before" = Option<u64>, Query, description = "Only exchanges with an id below this"),
    ),
    responses(
        (status = 200, description = "Recorded exchanges", body = ExchangeList),
        (status = 400, description = "An unknown or invalid parameter", body = super::own::Failed),
        (status = 503, description = "The journal cannot be read", body = super::own::Failed),
    )
)]
pub(crate) async fn list(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let response = match listed(&shared, request.uri().query().unwrap_or_default()).await {
        Ok(found) => reply::json(200, HeaderMap::new(), &json!(found)),
        Err(failure) => reply::failure(&failure, ErrorFormat::Own, HeaderMap::new()),
    };
    shared.metrics.request("exchanges", response.status().as_u16());
    response
}

async fn listed(shared: &Shared, query: &str) -> Result<ExchangeList, Failure> {
    let (limit, before) = parameters(query)?;
    // One more, to know whether there is another page.
    let mut found = shared.recorder.list(limit + 1, before).await.map_err(|why| unread(&why))?;
    let is_more = found.len() > limit;
    found.truncate(limit);
    Ok(ExchangeList {
        recording: shared.recorder.store_name(),
        dropped: shared.recorder.counts().1,
        trouble: shared.recorder.trouble(),
        next: found.last().filter(|_| is_more).map(|last| last.id),
        exchanges: found
            .iter()
            .map(|summary| summary_json(summary, &shared.settings.models).into())
            .collect(),
    })
}

/// Parses the query: the limit, and the id to continue before.
fn parameters(query: &str) -> Result<(usize, Option<u64>), Failure> {
    let (mut limit, mut before) = (DEFAULT_LIMIT, None);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match (name, value.parse::<u64>()) {
            ("limit", Ok(number @ 1..)) => {
                limit = usize::try_from(number).unwrap_or(MAX_LIMIT).min(MAX_LIMIT);
            }
            ("before", Ok(number)) => before = Some(number),
            ("limit" | "before", _) => {
                let message =
                    format!("invalid `{name}`: expected a number, and at least 1 for `limit`");
                return Err(Failure::request("bad_query", message).about(name));
            }
            _ => {
                let message = "unknown parameter: expected `limit` or `before`";
                return Err(Failure::request("bad_query", message));
            }
        }
    }
    Ok((limit, before))
}

/// Returns the failure of an unreadable journal.
pub(crate) fn unread(why: &str) -> Failure {
    let message = format!("the journal cannot be read: {why}");
    Failure::new(503, "gateway_error", "recording/unread", message)
}

/// Converts a summary to JSON. Its cost needs the price of the model.
pub(crate) fn summary_json(summary: &Summary, models: &ModelSettings) -> Map<String, Value> {
    let Summary { id, at_ms, request_id, endpoint, model, status, outcome, code, class, .. } =
        summary;
    let used = summary.tokens_in.zip(summary.tokens_out);
    let cost = used.and_then(|(input, output)| models.cost(model, input, output));
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
        ("cost", json!(cost)),
        ("duration_ms", json!(summary.duration_ms)),
    ];
    rows.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::parameters;

    #[test]
    fn queries_are_parsed() {
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
            assert_eq!(parameters(query).ok(), expected, "{query}");
        }
    }
}
