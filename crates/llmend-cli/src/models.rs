//! Models, their keys and their limits.

use std::path::Path;

use llmend::{
    asking::{AskOptions, LoopError, Models, Preset, Price, Retries, Strategy},
    config::{Configuration, Setting, Source, Switch},
    json::UnknownName,
    model::ChatModel,
};
use llmend_models::{
    HttpOptions, Keys, ModelSpec, OpenError, Recorder, open, open_beside, open_recorded,
};

use crate::{
    attempts::gave_up,
    exit::{Exit, UsageError},
    outcome::Failure,
    output::eprint_block,
    render::{Color, Named, explain::refusal},
};

/// The open models: the one that is asked first, and the one for the last attempt.
pub(crate) struct OpenModels {
    first: OpenModel,
    price: Option<Price>,
    escalation: Option<(OpenModel, Option<Price>)>,
    /// What to do about a refused key.
    key_help: String,
}

/// An open model.
enum OpenModel {
    Plain(Box<dyn ChatModel>),
    /// A model whose exchanges are recorded.
    Recorded(Recorder<Box<dyn ChatModel>>),
}

/// Returns the limits and retries that the settings ask for.
pub(crate) fn options(found: &Configuration) -> Result<AskOptions, UsageError> {
    let settings = &found.settings;
    let preset = settings
        .preset
        .parse::<Preset>()
        .map_err(|UnknownName(name)| UsageError(format!("unknown preset '{name}'")))?;
    match preset {
        // Without a number in the name, the setting gives it.
        Preset::ClickweaveAssistant(_) if !settings.preset.contains(':') => assistant(found),
        preset => limited(AskOptions::preset(preset), found),
    }
}

/// Returns the limits and retries of an assistant.
pub(crate) fn assistant(found: &Configuration) -> Result<AskOptions, UsageError> {
    let limits = Preset::ClickweaveAssistant(found.settings.max_repair_attempts);
    let source =
        |name| Setting::named(name).map_or(&Source::Default, |setting| found.of(setting).1);
    let (attempts, retries) = (source("max_repair_attempts"), source("retry_max"));
    let flags = [attempts, retries].iter().all(|source| matches!(source, Source::Flag { .. }));
    if flags {
        return Err("--max-json-retries and --max-repair-attempts cannot be used together".into());
    }
    let mut found = found.clone();
    // Two settings mean the same: the one with precedence counts, at a draw the assistant's own.
    if precedence(retries) <= precedence(attempts) {
        found.settings.retry_max = None;
    }
    limited(AskOptions::preset(limits), &found)
}

/// Returns the rank of a source: a higher one overrides a lower one.
const fn precedence(source: &Source) -> u8 {
    match source {
        Source::Default => 0,
        Source::UserFile { .. } => 1,
        Source::ProjectFile { .. } => 2,
        Source::Environment { .. } => 3,
        Source::Flag { .. } => 4,
    }
}

/// Applies the limits in the settings to `options`.
fn limited(mut options: AskOptions, found: &Configuration) -> Result<AskOptions, UsageError> {
    let settings = &found.settings;
    if let Some(retries) = settings.retry_max {
        options.retries = Retries::of(retries);
    }
    if settings.retry_enabled == Switch::Off {
        options.retries = Retries::of(0);
    }
    options.budget.tokens = settings.budget_tokens.or(options.budget.tokens);
    options.budget.answer_tokens = settings.answer_tokens.or(options.budget.answer_tokens);
    options.budget.cost = settings.budget_cost.or(options.budget.cost);
    options.budget.time = settings.deadline.or(options.budget.time);
    let unusable = |message: &str| Err(message.into());
    if options.budget.cost.is_some() && price(found).is_none() {
        return unusable(
            "--budget-cost requires --price, as in --price 0.15/0.60: the model has no list price",
        );
    }
    if settings.escalate.is_none() {
        return Ok(options);
    }
    if options.retries.total == 0 {
        return unusable("--escalate requires at least one retry");
    }
    if options.budget.cost.is_some() && escalate_price(found).is_none() {
        return unusable("--budget-cost with --escalate requires --escalate-price");
    }
    options.ladder.on_last = Some(Strategy::Escalate);
    Ok(options)
}

/// Opens the configured models. Sends no request.
pub(crate) fn open_models(found: &Configuration) -> Result<OpenModels, Failure> {
    let unusable = |message: String| Failure::plain(Exit::Usage, "model/unusable", message);
    let no_model = |error: OpenError| unusable(error.to_string());
    let settings = &found.settings;
    let first = spec(found).map_err(unusable)?;
    let escalation = escalated(found, &first).map_err(unusable)?;
    let mut options = HttpOptions::default();
    options.idle_timeout = settings.idle_timeout;
    let keys = keys(settings.api_key_env.as_deref());
    let key_help = key_help(keys.variable(&first));
    let Some(file) = &settings.record else {
        let price = price(found);
        let first = open(&first, &keys, &options).map(OpenModel::Plain).map_err(no_model)?;
        let model =
            escalation.map(|(spec, keys)| open(&spec, &keys, &options).map(OpenModel::Plain));
        let model = model.transpose().map_err(no_model)?;
        let escalation = model.map(|model| (model, escalate_price(found)));
        return Ok(OpenModels { first, price, escalation, key_help });
    };
    let plays_it = |spec: &ModelSpec| match spec {
        ModelSpec::Replay { file: played } => is_same_file(played, Path::new(file)),
        _ => false,
    };
    if plays_it(&first) || escalation.as_ref().is_some_and(|(spec, _)| plays_it(spec)) {
        return Err(unusable(format!("--record would overwrite {file}, which is being replayed")));
    }
    let mut first = open_recorded(&first, &keys, &options, file).map_err(no_model)?;
    let escalation = match escalation {
        Some((spec, keys)) => {
            let model = open_beside(&mut first, &spec, &keys, &options).map_err(no_model)?;
            Some((OpenModel::Recorded(model), escalate_price(found)))
        }
        None => None,
    };
    let (first, price) = (OpenModel::Recorded(first), price(found));
    Ok(OpenModels { first, price, escalation, key_help })
}

/// Returns the price of the model that is asked first: the one that is set, or its list price.
pub(crate) fn price(found: &Configuration) -> Option<Price> {
    found.settings.price.or_else(|| listed(&spec(found).ok()?))
}

/// Returns the price of the model for the last attempt.
pub(crate) fn escalate_price(found: &Configuration) -> Option<Price> {
    found.settings.escalate_price.or_else(|| {
        let first = spec(found).ok()?;
        listed(&escalated(found, &first).ok()??.0)
    })
}

/// Returns the list price of a model at its own provider.
fn listed(spec: &ModelSpec) -> Option<Price> {
    match spec {
        ModelSpec::Remote { provider, base_url: None, model } => {
            Price::listed(provider.name, model)
        }
        _ => None,
    }
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Returns the keys from the environment. The one in `variable` is sent to whichever server is asked.
fn keys(variable: Option<&str>) -> Keys<'static> {
    let keys = Keys::from_env();
    match variable {
        Some(name) => keys.named(name),
        None => keys,
    }
}

/// Returns what to do about a refused key, which comes from this variable.
fn key_help(variable: Option<&str>) -> String {
    match variable {
        Some(name) => {
            format!(
                "The key is that of {name}; --api-key-env NAME sends the one in another variable."
            )
        }
        None => "No key was sent; --api-key-env NAME sends the one in that variable.".to_owned(),
    }
}

/// Whether a file in the project sets one of these settings.
fn is_by_project(found: &Configuration, names: &[&str]) -> bool {
    let settings = names.iter().filter_map(|name| Setting::named(name));
    settings.into_iter().any(|setting| matches!(found.of(setting).1, Source::ProjectFile { .. }))
}

/// Returns the model that the settings name.
fn spec(found: &Configuration) -> Result<ModelSpec, String> {
    let settings = &found.settings;
    let Some(model) = &settings.model else {
        return Err("no model given; use --model, as in --model ollama:llama3".to_owned());
    };
    // A named key is sent to whichever server is asked, so a project file may not choose the server.
    let by_project = is_by_project(found, &["model", "provider"]);
    if by_project && settings.api_key_env.is_some() && settings.base_url.is_none() {
        return Err("the model comes from a project file, but the API key variable does not; \
                    name the model that may get the key with --model"
            .to_owned());
    }
    let spec = match &settings.provider {
        Some(provider) => ModelSpec::of_parts(provider, settings.base_url.as_deref(), model),
        None => model.parse(),
    };
    let spec = spec.map_err(|error| error.to_string())?;
    match (&spec, &settings.base_url, &settings.provider) {
        (ModelSpec::Remote { provider, base_url: None, model }, Some(url), None) => {
            ModelSpec::of_parts(provider.name, Some(url), model).map_err(|error| error.to_string())
        }
        (_, Some(url), None) => Err(format!("model {spec} cannot be used with base URL {url}")),
        _ => Ok(spec),
    }
}

/// Returns the model for the last attempt, and its keys. A bare name is a model on the server of the first;
/// the key that was named for that server is sent nowhere else.
fn escalated(
    found: &Configuration,
    first: &ModelSpec,
) -> Result<Option<(ModelSpec, Keys<'static>)>, String> {
    let settings = &found.settings;
    let Some(text) = &settings.escalate else { return Ok(None) };
    let spec = match first {
        ModelSpec::Remote { provider, base_url, .. } if !text.contains(':') => {
            let url = base_url.as_ref().map(ToString::to_string);
            ModelSpec::of_parts(provider.name, url.as_deref(), text)
        }
        _ => text.parse(),
    };
    let spec = spec.map_err(|error| format!("--escalate: {error}"))?;
    let own = settings.escalate_api_key_env.as_deref();
    if own.is_some() && is_by_project(found, &["escalate"]) {
        return Err(
            "the --escalate model comes from a project file, but its API key variable does not; \
                    name the model that may get the key with --escalate"
                .to_owned(),
        );
    }
    let shared = settings.api_key_env.as_deref().filter(|_| is_same_server(first, &spec));
    Ok(Some((spec, keys(own.or(shared)))))
}

fn is_same_server(one: &ModelSpec, other: &ModelSpec) -> bool {
    match (one, other) {
        (
            ModelSpec::Remote { provider: one, base_url: at, .. },
            ModelSpec::Remote { provider: other, base_url, .. },
        ) => one.name == other.name && at == base_url,
        _ => false,
    }
}

/// Sets the price of the last model, if it is known.
fn priced(models: Models<'_>, price: Option<Price>) -> Models<'_> {
    match price {
        Some(price) => models.at(price),
        None => models,
    }
}

impl OpenModel {
    fn model(&self) -> &dyn ChatModel {
        match self {
            Self::Plain(model) => model,
            Self::Recorded(model) => model,
        }
    }

    /// Finishes the recording, if there is one.
    fn close(self) -> Result<(), Failure> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Recorded(recorder) => recorder.finish().map(drop).map_err(|error| {
                let message = format!("the recording is incomplete: {error}");
                Failure::plain(Exit::Io, "model/record", message)
            }),
        }
    }
}

impl OpenModels {
    /// Returns the name of the model that is asked first.
    pub(crate) fn name(&self) -> &str {
        self.first.model().name()
    }

    /// Returns the failure of a loop that ended without a usable answer.
    pub(crate) fn gave_up(&self, end: &LoopError) -> Failure {
        gave_up(end, &self.key_help)
    }

    /// Returns the models to ask.
    pub(crate) fn models(&self) -> Models<'_> {
        let models = priced(Models::of(self.first.model()), self.price);
        match &self.escalation {
            Some((model, price)) => priced(models.then(model.model()), *price),
            None => models,
        }
    }

    /// Finishes the recording, if there is one. Returns `exit`, unless the recording is incomplete.
    pub(crate) fn close(self, exit: Exit, color: Color) -> Exit {
        let rest = self.escalation.map_or(Ok(()), |(model, _)| model.close());
        match self.first.close().and(rest) {
            Ok(()) => exit,
            Err(failure) => {
                eprint_block(&refusal(Named { name: "--record", text: "" }, &failure, color));
                failure.exit
            }
        }
    }
}
