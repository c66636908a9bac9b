//! Requests and responses of llmend's own endpoints.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::response::Response;
use llmend::draw::{Format, draw_reviewed};
use llmend::json::{Candidate, Report, Rule, UnknownRule, nearest};
use llmend::plan::{Catalog, Options as PlanOptions};
use llmend::{
    Class, Diagnostic, Dialect, Fixes, Options, PlanningError, Policy, Review, ReviewOptions,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::error::{ErrorFormat, Failure};
use crate::http::incoming::{body, room};
use crate::http::reply;
use crate::shared::Shared;
use crate::shared::work;

/// An error of llmend's own endpoints. Partial results are included: the value that does not match, the plan
/// that is invalid.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Failed {
    /// Message.
    error: String,
    /// All findings, with code, message, path and position.
    details: Vec<Value>,
    /// HTTP status.
    status: u16,
}

/// Parses a request, runs `work` on a blocking thread, and responds with its result.
pub(crate) async fn answer<T: DeserializeOwned>(
    shared: Arc<Shared>,
    request: Request<Body>,
    endpoint: &'static str,
    work: impl FnOnce(&Shared, &T) -> Result<Map<String, Value>, Failure> + Send + 'static,
) -> Response {
    let result = async {
        let theirs = Arc::clone(&shared);
        read_and(&shared, request, move |asked: &T| work(&theirs, asked)).await
    };
    let response = match result.await {
        Ok(members) => reply::json(200, HeaderMap::new(), &members.into()),
        Err(failure) => reply::failure(&failure, ErrorFormat::Own, HeaderMap::new()),
    };
    shared.metrics.request(endpoint, response.status().as_u16());
    response
}

/// Parses a request and runs `work` on it, on a blocking thread. The whole body counts as schema for the work
/// budget, because its share is unknown.
pub(crate) async fn read_and<T: DeserializeOwned, D: Send + 'static>(
    shared: &Shared,
    request: Request<Body>,
    work: impl FnOnce(&T) -> Result<D, Failure> + Send + 'static,
) -> Result<D, Failure> {
    let (parts, incoming) = request.into_parts();
    let body = body(shared, incoming).await?;
    let weight = work::weight(0, body.len());
    let reading = move || {
        let asked = serde_json::from_slice(&body).map_err(|error| unreadable(&error))?;
        work(&asked)
    };
    work::run(shared, room(&parts), weight, reading).await?
}

/// Returns the failure of an invalid body, with a suggestion for an unknown member.
fn unreadable(error: &serde_json::Error) -> Failure {
    let message = error.to_string();
    let mut names = message.split('`').skip(1).step_by(2);
    let unknown = names.next().filter(|_| message.starts_with("unknown field"));
    let meant = unknown.and_then(|unknown| nearest(unknown, names));
    let message = match meant {
        Some(known) => format!("invalid body: {message}; did you mean `{known}`?"),
        None => format!("invalid body: {message}"),
    };
    Failure::request("invalid_json", message)
}

/// Returns the options for a text.
pub(crate) fn text_options(shared: &Shared, policy: Option<&str>) -> Result<Options, Failure> {
    let policy = match policy {
        Some(name) => name.parse::<Policy>().map_err(|error| {
            let known = Policy::ALL.map(Policy::as_str).join(", ");
            Failure::request("bad_policy", format!("{error}; expected one of {known}"))
                .about("policy")
        })?,
        None => Policy::default(),
    };
    let mut options = Options::policy(match shared.settings.repairing {
        llmend::config::RepairMode::On => policy,
        llmend::config::RepairMode::Off => Policy::Strict,
    });
    options.max_depth = shared.settings.limits.depth;
    options.max_bytes = shared.settings.limits.body_bytes;
    Ok(options)
}

/// Returns the options for fitting a value to a schema.
pub(crate) fn schema_options(shared: &Shared) -> llmend::schema::Options {
    let limits = shared.settings.limits;
    llmend::schema::Options {
        max_work: limits.repair_work,
        max_work_in_all: Some(limits.repair_work_in_all),
        ..llmend::schema::Options::default()
    }
}

/// Rules that a request enables or disables in addition to its policy, by name.
pub(crate) type Rules = BTreeMap<String, bool>;

/// Enables and disables rules. Does not enable any while repairs are disabled.
pub(crate) fn with_rules(
    shared: &Shared,
    options: &mut Options,
    rules: Option<&Rules>,
) -> Result<(), Failure> {
    for (name, is_allowed) in rules.into_iter().flatten() {
        let rule: Rule = name.parse().map_err(|error: UnknownRule| {
            Failure::request("bad_rule", error.to_string()).about("rules")
        })?;
        if !is_allowed {
            options.rules = options.rules.without(rule);
        } else if shared.settings.repairing == llmend::config::RepairMode::On {
            options.rules = options.rules.with(rule);
        }
    }
    Ok(())
}

/// Maximum number of parts with positions, because those of a long list would be many times its size.
const MAX_PLACES: usize = 200_000;

/// Returns the byte range `[start, end]` of each part of a value in the caller's text, in document order: a
/// container before its contents, a key before its value. Limited to the first [`MAX_PLACES`] parts. The spans of
/// the value count from `start`.
pub(crate) fn places(value: &llmend::Value<'_>, start: usize) -> Value {
    let nodes = (0..value.parts().min(MAX_PLACES)).filter_map(|at| value.node(at));
    nodes.map(|node| json!([start + node.span().start, start + node.span().end])).collect()
}

/// Options for reading a plan.
pub(crate) struct Planning<'a> {
    pub(crate) policy: Option<&'a str>,
    pub(crate) dialect: Option<&'a str>,
    pub(crate) catalog: Option<&'a Value>,
    pub(crate) fix: Option<bool>,
}

impl Planning<'_> {
    pub(crate) fn options(&self, shared: &Shared) -> Result<ReviewOptions, Failure> {
        let dialect = match self.dialect {
            Some(name) => name.parse::<Dialect>().map_err(|_| {
                let known = Dialect::ALL.map(Dialect::as_str).join(", ");
                let message = format!("unknown dialect `{name}`; expected one of {known}");
                Failure::request("bad_dialect", message).about("dialect")
            })?,
            None => Dialect::Auto,
        };
        let catalog = self.catalog.map(Catalog::read).transpose();
        let catalog = catalog
            .map_err(|error| Failure::request(error.code(), error.to_string()).about("catalog"))?;
        let plan = PlanOptions { dialect, catalog, ..PlanOptions::default() };
        let fixes = if self.fix == Some(true) { Fixes::Made } else { Fixes::Offered };
        Ok(ReviewOptions { text: text_options(shared, self.policy)?, plan, fixes })
    }
}

/// Parses the format of a drawing.
pub(crate) fn format(name: Option<&str>) -> Result<Option<Format>, Failure> {
    let parse = |name: &str| {
        name.parse::<Format>().map_err(|error| {
            let known = Format::ALL.map(Format::as_str).join(", ");
            Failure::request("bad_format", format!("{error}; expected one of {known}"))
                .about("draw")
        })
    };
    name.map(parse).transpose()
}

/// Converts the report on a text to JSON.
pub(crate) fn report(report: &Report, class: Option<Class>) -> Map<String, Value> {
    let Candidate { span, origin } = report.candidate;
    let mut members = Map::new();
    members.insert("status".to_owned(), json!(report.status.as_str()));
    members.insert("class".to_owned(), json!(class));
    members.insert("truncated".to_owned(), json!(report.truncated()));
    members.insert(
        "candidate".to_owned(),
        json!({"start": span.start, "end": span.end, "origin": origin.as_str()}),
    );
    members.insert("repairs".to_owned(), json!(report.repairs));
    members
}

/// Converts a review to JSON.
pub(crate) fn reviewed(review: &Review, drawn: Option<Format>) -> Map<String, Value> {
    let Review { reviewed, report: of_text } = review;
    let mut members = report(of_text, of_text.class);
    let mut diagnostics = of_text.diagnostics.clone();
    diagnostics.extend(reviewed.diagnostics.iter().cloned());
    members.insert("valid".to_owned(), json!(!reviewed.has_errors()));
    members.insert("dialect".to_owned(), json!(reviewed.dialect.as_str()));
    members.insert("document".to_owned(), json!(reviewed.value));
    members.insert("diagnostics".to_owned(), json!(diagnostics));
    if let Some(format) = drawn {
        // Null for a patch or a task report, which are not graphs.
        members.insert("drawing".to_owned(), json!(draw_reviewed(reviewed, format)));
    }
    members
}

/// Converts a valid review to JSON. Fails if it has errors.
pub(crate) fn usable(
    review: &Review,
    drawn: Option<Format>,
) -> Result<Map<String, Value>, Failure> {
    let members = reviewed(review, drawn);
    if !review.reviewed.has_errors() {
        return Ok(members);
    }
    let rows = review.reviewed.diagnostics.clone();
    let mut failure = refused("invalid plan", rows);
    failure.more = Some(members);
    Err(failure)
}

/// Returns the failure of an unreadable text; `what` begins its message.
pub(crate) fn unread(what: &str, error: &PlanningError) -> Failure {
    let mut failure = refused(what, error.diagnostics());
    error.code().clone_into(&mut failure.code);
    failure.more = error.report().map(|of_text| report(of_text, of_text.class));
    failure
}

/// Returns a failure with diagnostics, the first error of which is in the message.
pub(crate) fn refused(what: &str, rows: Vec<Diagnostic>) -> Failure {
    let first = rows.iter().find(|row| row.severity == llmend::Severity::Error).or(rows.first());
    let code = first.map_or_else(|| "refused".to_owned(), |row| row.code.to_string());
    let why = first.map(|row| row.message.clone()).unwrap_or_default();
    Failure::repair(code, format!("{what}: {why}")).detailed(rows)
}
