//! The first request of a loop, shown and not sent.

use llmend::{asking::PricedModel, model::ChatRequest};
use llmend_models::open_preview;

use crate::{
    exit::{Exit, UsageError},
    models::ChosenModels,
    outcome::{Failure, Layout},
    presentation::{Presentation, finish},
    render::Named,
};

/// Prints the first request of a loop as it would be sent to the first model.
pub(crate) fn dry_run(
    presentation: &Presentation<'_>,
    found: &ChosenModels,
    first: impl FnOnce(PricedModel) -> Option<ChatRequest>,
) -> Exit {
    match preview(found, presentation.layout(), first) {
        Ok(text) => finish(&text, presentation.color),
        Err(failure) => presentation.failure(Named { name: "--model", text: "" }, &failure),
    }
}

/// Returns the first request of a loop as it would be sent to the first model.
pub(crate) fn preview(
    found: &ChosenModels,
    layout: Layout,
    first: impl FnOnce(PricedModel) -> Option<ChatRequest>,
) -> Result<String, Failure> {
    let unusable = |message: String| Failure::plain(Exit::Usage, "model/unusable", message);
    let model = found.first().map_err(unusable)?;
    let price = found.prices().map_err(|UsageError(message)| unusable(message))?.first;
    let request = first(PricedModel { name: model.spec.to_string(), price }).ok_or_else(|| {
        Failure::plain(Exit::Refused, "ask/budget", "the budget allows no request")
    })?;
    let indented = |body: &str| match layout {
        Layout::Kept => body.to_owned(),
        Layout::Indented => llmend::json::parse(body)
            .map_or_else(|_| body.to_owned(), |body| format!("{:#}", body.value)),
    };
    let opened = open_preview(&model.spec, &model.keys, &model.http_options());
    let Some(model) = opened.map_err(|error| unusable(error.to_string()))? else {
        // A record is asked with the request itself.
        let request = serde_json::to_string(&request).unwrap_or_default();
        return Ok(indented(&request) + "\n");
    };
    let sent = model.preview(&request).map_err(|error| unusable(error.to_string()))?;
    let headers = sent.headers.iter().map(|(name, value)| format!("{name}: {value}\n"));
    let headers: String = headers.collect();
    Ok(format!("POST {}\n{headers}\n{}\n", sent.url, indented(&sent.body)))
}
