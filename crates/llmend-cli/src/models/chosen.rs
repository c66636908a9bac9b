//! The models that a command asks, with all that belongs to each.

use std::path::PathBuf;

use llmend::{
    asking::KnownModel,
    config::{Configuration, Currency, Headers, PriceSetting, Settings, Source, Switch},
};
use llmend_models::{HttpOptions, Keys, ModelSpec, PromptCache, SecretString};

use super::{Prices, key_help::key_help};
use crate::{configuration::ModelSettings, exit::UsageError};

/// The settings of a command, and the models that they name.
pub(crate) struct ChosenModels {
    found: ModelSettings,
    chosen: Result<Chosen, String>,
    prices: Result<Prices, String>,
}

/// The models.
pub(super) struct Chosen {
    /// The one that is asked first.
    pub(super) first: ChosenModel,
    /// The one for the last attempt.
    pub(super) escalation: Option<ChosenModel>,
}

/// A model with all that belongs to it alone. Nothing of it holds for another one.
pub(crate) struct ChosenModel {
    pub(crate) spec: ModelSpec,
    pub(crate) keys: Keys<'static>,
    settings: Settings,
    /// Those of its settings, or at the same server those of the other model.
    headers: Option<Headers>,
}

impl ChosenModels {
    /// Finds the models that the settings name. Errors are those of the function that needs the model.
    pub(crate) fn of(found: ModelSettings) -> Self {
        let chosen = chosen(&found);
        let settings = &found.first.settings;
        let models = chosen.as_ref().ok();
        let first = settings.price.clone().or_else(|| models?.first.list_price());
        // A file may set a price for other commands.
        let escalation = found.escalation.as_ref().and_then(|own| {
            let price = settings.escalate_price.clone().or_else(|| own.settings.price.clone());
            price.or_else(|| models?.escalation.as_ref()?.list_price())
        });
        let budget = settings.budget_cost.clone().unwrap_or_default().currency;
        let prices = Prices::of(&budget, first, escalation);
        Self { found, chosen, prices }
    }

    /// Returns the settings of the command.
    pub(crate) const fn settings(&self) -> &Configuration {
        &self.found.first
    }

    /// Returns the settings for the model of the last attempt.
    pub(super) fn escalated(&self) -> Option<&Settings> {
        self.found.escalation.as_ref().map(|own| &own.settings)
    }

    /// Sets the preset.
    pub(crate) fn use_preset(&mut self, preset: &str) {
        let both = [Some(&mut self.found.first), self.found.escalation.as_mut()];
        for found in both.into_iter().flatten() {
            preset.clone_into(&mut found.settings.preset);
        }
    }

    pub(super) fn chosen(&self) -> Result<&Chosen, String> {
        self.chosen.as_ref().map_err(String::clone)
    }

    /// Returns the model that is asked first.
    pub(crate) fn first(&self) -> Result<&ChosenModel, String> {
        Ok(&self.chosen()?.first)
    }

    /// Returns the prices. Fails if they and the budget have different currencies.
    pub(crate) fn prices(&self) -> Result<Prices, UsageError> {
        self.prices.clone().map_err(UsageError)
    }
}

impl ChosenModel {
    /// Returns the options of the connection to its server.
    pub(crate) fn http_options(&self) -> HttpOptions {
        let settings = &self.settings;
        let mut options = HttpOptions::default();
        options.idle_timeout = settings.idle_timeout;
        options.refusals = settings.refusals.as_ref().map(PathBuf::from);
        let known = self.known().map(|known| known.output_limit);
        options.max_output_tokens = settings.output_limit.or(known);
        options.context_tokens = settings.num_ctx;
        let headers = self.headers.iter().flat_map(|headers| &headers.0);
        // Their values may be secrets.
        let secret =
            |(name, value): &(String, String)| (name.clone(), SecretString::from(value.as_str()));
        options.headers = headers.map(secret).collect();
        if settings.prompt_cache == Switch::On {
            options.prompt_cache = PromptCache::Marked;
        }
        options
    }

    /// Returns what to do about a refused key.
    pub(super) fn key_help(&self) -> String {
        key_help(self.keys.variable(&self.spec), &self.spec, self.headers.as_ref())
    }

    /// Returns what is known of the model at its own provider.
    fn known(&self) -> Option<KnownModel> {
        match &self.spec {
            ModelSpec::Remote { provider, base_url: None, model } => {
                KnownModel::named(provider.name, model)
            }
            _ => None,
        }
    }

    fn list_price(&self) -> Option<PriceSetting> {
        let known = self.known()?;
        Some(PriceSetting { price: known.price, currency: Currency::dollar() })
    }
}

fn chosen(found: &ModelSettings) -> Result<Chosen, String> {
    let settings = &found.first.settings;
    let first = ChosenModel {
        spec: first_spec(&found.first)?,
        keys: keys(settings.api_key_env.as_deref()),
        headers: settings.headers.clone(),
        settings: settings.clone(),
    };
    let escalation = found.escalation.as_ref().map(|own| escalated(&found.first, own, &first));
    Ok(Chosen { escalation: escalation.transpose()?, first })
}

/// Returns the keys from the environment. The one in `variable` is sent to whichever server is asked.
fn keys(variable: Option<&str>) -> Keys<'static> {
    let keys = Keys::from_env();
    match variable {
        Some(name) => keys.named(name),
        None => keys,
    }
}

/// Whether a file in the project sets one of these settings.
fn is_by_project(found: &Configuration, names: &[&str]) -> bool {
    names.iter().any(|name| matches!(found.source(name), Source::ProjectFile { .. }))
}

/// Returns the model that the settings name.
fn first_spec(found: &Configuration) -> Result<ModelSpec, String> {
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

/// Returns the model for the last attempt. A bare name is a model on the server of the first; the key that was
/// named for that server, and its headers, are sent nowhere else.
fn escalated(
    found: &Configuration,
    own: &Configuration,
    first: &ChosenModel,
) -> Result<ChosenModel, String> {
    let text = own.settings.escalate.as_deref().unwrap_or_default();
    let spec = match &first.spec {
        ModelSpec::Remote { provider, base_url, .. } if !text.contains(':') => {
            let url = base_url.as_ref().map(ToString::to_string);
            ModelSpec::of_parts(provider.name, url.as_deref(), text)
        }
        _ => text.parse(),
    };
    let spec = spec.map_err(|error| format!("--escalate: {error}"))?;
    let named = found.settings.escalate_api_key_env.as_ref().or(own.settings.api_key_env.as_ref());
    if named.is_some() && is_by_project(found, &["escalate"]) {
        return Err(
            "the --escalate model comes from a project file, but its API key variable does not; \
                    name the model that may get the key with --escalate"
                .to_owned(),
        );
    }
    let is_shared = is_same_server(&first.spec, &spec);
    let shared = found.settings.api_key_env.as_ref().filter(|_| is_shared);
    let keys = keys(named.or(shared).map(String::as_str));
    let headers = own.settings.headers.clone();
    let headers = headers.or_else(|| first.headers.clone().filter(|_| is_shared));
    Ok(ChosenModel { spec, keys, settings: own.settings.clone(), headers })
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
