//! Models, their keys and their limits.

use std::path::{Path, PathBuf};

use llmend::{
    asking::{Ledger, LoopError, Models, Price},
    config::{Configuration, Headers, Setting, Source, Switch},
    model::ChatModel,
};
use llmend_models::{
    HttpOptions, Keys, ModelSpec, OnRequest, OpenError, PromptCache, Recorder, SecretString, open,
    open_beside, open_recorded,
};

use crate::{
    attempts::gave_up,
    configuration::of_model,
    exit::{Exit, UsageError},
    outcome::Failure,
    output::eprint_block,
    render::{Color, Named, explain::refusal, ledger::Spending},
};

mod key_help;
mod limits;
mod prices;

use key_help::{OTHER_KEY, key_help};
pub(crate) use limits::{assistant, options};
pub(crate) use prices::Prices;
use prices::known;

/// The open models: the one that is asked first, and the one for the last attempt.
pub(crate) struct OpenModels {
    first: OpenModel,
    escalation: Option<OpenModel>,
    prices: Prices,
    /// What to do about a key that the first model refuses, and one that the other does.
    key_help: [String; 2],
}

/// An open model.
enum OpenModel {
    Plain(Box<dyn ChatModel>),
    /// A model whose exchanges are recorded.
    Recorded(Recorder<Box<dyn ChatModel>>),
}

/// Returns the options of the connection to the model that is asked first.
pub(crate) fn http_options(found: &Configuration, spec: &ModelSpec) -> HttpOptions {
    let settings = &found.settings;
    let mut options = HttpOptions::default();
    options.idle_timeout = settings.idle_timeout;
    options.refusals = settings.refusals.as_ref().map(PathBuf::from);
    let known = known(spec).map(|known| known.output_limit);
    options.max_output_tokens = settings.output_limit.or(known);
    options.context_tokens = settings.num_ctx;
    options.headers = secret(settings.headers.as_ref());
    if settings.prompt_cache == Switch::On {
        options.prompt_cache = PromptCache::Marked;
    }
    options
}

/// Returns the options of the connection to the model for the last attempt: what is set for the first one need
/// not hold for it, except at the same server.
fn escalated_options(found: &Configuration, first: &ModelSpec, spec: &ModelSpec) -> HttpOptions {
    let mut options = http_options(found, first);
    let own = of_escalated(found).unwrap_or_default();
    let own_or = |name: &str, other: &Configuration| {
        let is_own = Setting::named(name)
            .is_some_and(|setting| !matches!(own.of(setting).1, Source::Default));
        if is_own { own.settings.clone() } else { other.settings.clone() }
    };
    options.idle_timeout = own_or("idle_timeout", found).idle_timeout;
    options.max_output_tokens =
        own.settings.output_limit.or_else(|| known(spec).map(|known| known.output_limit));
    options.context_tokens = own.settings.num_ctx;
    options.headers = secret(escalated_headers(found, first, spec).as_ref());
    options
}

/// Returns the headers for the model for the last attempt: its own, or at the same server those of the first.
fn escalated_headers(
    found: &Configuration,
    first: &ModelSpec,
    spec: &ModelSpec,
) -> Option<Headers> {
    let own = of_escalated(found).and_then(|own| own.settings.headers);
    own.or_else(|| found.settings.headers.clone().filter(|_| is_same_server(first, spec)))
}

/// Returns headers as they are sent. Their values may be secrets.
fn secret(headers: Option<&Headers>) -> Vec<(String, SecretString)> {
    let headers = headers.iter().flat_map(|headers| &headers.0);
    headers.map(|(name, value)| (name.clone(), value.as_str().into())).collect()
}

/// Returns what the files set for the model for the last attempt alone.
fn of_escalated(found: &Configuration) -> Option<Configuration> {
    of_model(found.settings.escalate.as_deref()?).ok()
}

/// Opens the configured models. Sends no request.
pub(crate) fn open_models(found: &Configuration) -> Result<OpenModels, Failure> {
    open_observed(found, &OnRequest::default())
}

/// Opens the configured models, whose requests are observed.
pub(crate) fn open_observed(
    found: &Configuration,
    on_request: &OnRequest,
) -> Result<OpenModels, Failure> {
    let unusable = |message: String| Failure::plain(Exit::Usage, "model/unusable", message);
    let no_model = |error: OpenError| match error {
        OpenError::Key(_) => unusable(error.to_string()).hint(OTHER_KEY),
        _ => unusable(error.to_string()),
    };
    let settings = &found.settings;
    let first = spec(found).map_err(unusable)?;
    let escalation = escalated(found, &first).map_err(unusable)?;
    if let Some(name) = &settings.escalate {
        of_model(name).map_err(|UsageError(message)| unusable(message))?;
    }
    let observed = |mut options: HttpOptions| {
        options.on_request = on_request.clone();
        options
    };
    let options = observed(http_options(found, &first));
    let other_options = |spec: &ModelSpec| observed(escalated_options(found, &first, spec));
    let keys = keys(settings.api_key_env.as_deref());
    let prices = Prices::of(found).map_err(|UsageError(message)| unusable(message))?;
    let other_help = escalation.as_ref().map(|(spec, keys)| {
        key_help(keys.variable(spec), spec, escalated_headers(found, &first, spec).as_ref())
    });
    let help = key_help(keys.variable(&first), &first, settings.headers.as_ref());
    let key_help = [help, other_help.unwrap_or_default()];
    let Some(file) = &settings.record else {
        let model = escalation.map(|(spec, keys)| open(&spec, &keys, &other_options(&spec)));
        let escalation = model.transpose().map_err(no_model)?.map(OpenModel::Plain);
        let first = open(&first, &keys, &options).map(OpenModel::Plain).map_err(no_model)?;
        return Ok(OpenModels { first, escalation, prices, key_help });
    };
    let plays_it = |spec: &ModelSpec| match spec {
        ModelSpec::Replay { file: played } => is_same_file(played, Path::new(file)),
        _ => false,
    };
    if plays_it(&first) || escalation.as_ref().is_some_and(|(spec, _)| plays_it(spec)) {
        return Err(unusable(format!("--record would overwrite {file}, which is being replayed")));
    }
    let mut opened = open_recorded(&first, &keys, &options, file).map_err(no_model)?;
    let escalation = match escalation {
        Some((spec, keys)) => {
            let model =
                open_beside(&mut opened, &spec, &keys, &other_options(&spec)).map_err(no_model)?;
            Some(OpenModel::Recorded(model))
        }
        None => None,
    };
    let first = OpenModel::Recorded(opened);
    Ok(OpenModels { first, escalation, prices, key_help })
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Returns the keys from the environment. The one in `variable` is sent to whichever server is asked.
pub(crate) fn keys(variable: Option<&str>) -> Keys<'static> {
    let keys = Keys::from_env();
    match variable {
        Some(name) => keys.named(name),
        None => keys,
    }
}

/// Whether a file in the project sets one of these settings.
fn is_by_project(found: &Configuration, names: &[&str]) -> bool {
    let settings = names.iter().filter_map(|name| Setting::named(name));
    settings.into_iter().any(|setting| matches!(found.of(setting).1, Source::ProjectFile { .. }))
}

/// Returns the model that the settings name.
pub(crate) fn spec(found: &Configuration) -> Result<ModelSpec, String> {
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
        let [first, other] = &self.key_help;
        gave_up(end, if end.model == self.name() { first } else { other })
    }

    /// Returns the prices, as far as they are known.
    pub(crate) const fn prices(&self) -> &Prices {
        &self.prices
    }

    /// Returns what a ledger counts, in the currency of the prices.
    pub(crate) const fn spending<'a>(&'a self, ledger: &'a Ledger) -> Spending<'a> {
        Spending { ledger, currency: &self.prices.currency }
    }

    /// Returns the models to ask.
    pub(crate) fn models(&self) -> Models<'_> {
        let models = priced(Models::of(self.first.model()), self.prices.first);
        match &self.escalation {
            Some(model) => priced(models.then(model.model()), self.prices.escalation),
            None => models,
        }
    }

    /// Finishes the recording, if there is one. Returns `exit`, unless the recording is incomplete.
    pub(crate) fn close(self, exit: Exit, color: Color) -> Exit {
        let rest = self.escalation.map_or(Ok(()), OpenModel::close);
        match self.first.close().and(rest) {
            Ok(()) => exit,
            Err(failure) => {
                eprint_block(&refusal(Named { name: "--record", text: "" }, &failure, color));
                failure.exit
            }
        }
    }
}
