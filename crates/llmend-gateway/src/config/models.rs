//! Settings of models: the settings of `llmend ask` that matter to a gateway as well.
//!
//! They are those of `[headers]` and of `[models.NAME]` in the same file. The other ones of a model
//! are validated, and used by the commands that ask models themselves.

use std::collections::{BTreeMap, HashMap};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use llmend::config::{
    BadSettings, Configuration, Headers, PriceSetting, Setting, SettingInput, Source,
};
use llmend::model::Usage;
use llmend_models::ModelSpec;
use toml::{Table, Value};

use super::error::ConfigError;
use crate::upstream::headers::is_forwarded;

/// The sections that are read here.
pub(super) const HEADERS: &str = "headers";
pub(super) const MODELS: &str = "models";

/// The settings of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelConfig {
    /// Headers of every request for it, in place of those for all models.
    pub headers: Option<Headers>,
    /// The maximum number of output tokens that it accepts for one answer. A request for more is
    /// lowered to it.
    pub output_limit: Option<u32>,
    /// The prices of a million input and output tokens, in which recorded exchanges are counted.
    pub price: Option<PriceSetting>,
}

/// Reads the headers for all models, and the settings of single models.
pub(super) fn read(
    table: &Table,
) -> Result<(Option<Headers>, BTreeMap<String, ModelConfig>), ConfigError> {
    let general = table.get(HEADERS).map(|value| settings([(HEADERS, value)], HEADERS));
    let headers = general.transpose()?.and_then(|found| found.settings.headers);
    let wrong = || ConfigError("expected a table for each model: `[models.NAME]`".to_owned());
    let sections = match table.get(MODELS) {
        None => return Ok((headers, BTreeMap::new())),
        Some(Value::Table(sections)) => sections,
        Some(_) => return Err(wrong()),
    };
    let models = sections.iter().map(|(name, section)| {
        let Value::Table(section) = section else { return Err(wrong()) };
        let given = section.iter().map(|(name, value)| (name.as_str(), value));
        let found = settings(given, &format!("{MODELS}.{name}"))?.settings;
        let (output_limit, price) = (found.output_limit, found.price);
        Ok((name.clone(), ModelConfig { headers: found.headers, output_limit, price }))
    });
    Ok((headers, models.collect::<Result<_, _>>()?))
}

/// Reads settings as every command does. `section` is named in errors.
fn settings<'v>(
    given: impl IntoIterator<Item = (&'v str, &'v Value)>,
    section: &str,
) -> Result<Configuration, ConfigError> {
    let mut inputs = Vec::new();
    for (name, value) in given {
        if Setting::named(name).is_some_and(|setting| !setting.is_of_a_model()) {
            let message = format!("{section}: the section of a model may not set `{name}`");
            return Err(ConfigError(message));
        }
        let value = match value {
            Value::Table(lines) if name == HEADERS => header_lines(lines),
            value => single(value),
        };
        inputs.push(SettingInput { name: name.to_owned(), value, source: Source::Default });
    }
    Configuration::resolve(inputs).map_err(|BadSettings(errors)| {
        let lines: Vec<String> = errors.iter().map(|error| format!("{section}: {error}")).collect();
        ConfigError(lines.join("\n"))
    })
}

/// Returns a table of headers as lines.
fn header_lines(table: &Table) -> Option<String> {
    let line = |(name, value)| Some(format!("{name}: {}", single(value)?));
    table.iter().map(line).collect::<Option<Vec<_>>>().map(|lines| lines.join("\n"))
}

/// Returns a scalar as text.
fn single(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(value) => Some(value.to_string()),
        _ => None,
    }
}

/// The validated settings of all models.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelSettings {
    /// Headers for models without their own.
    headers: HeaderMap,
    models: HashMap<String, OneModel>,
}

/// The validated settings of a model.
#[derive(Clone, Debug, Default)]
struct OneModel {
    headers: Option<HeaderMap>,
    output_limit: Option<u32>,
    price: Option<PriceSetting>,
}

impl ModelSettings {
    /// Validates the settings. `problem` gets the path and the description of each problem.
    pub(super) fn new(
        headers: Option<&Headers>,
        models: &BTreeMap<String, ModelConfig>,
        mut problem: impl FnMut(String, String),
    ) -> Self {
        let mut found = Self {
            headers: header_map(headers, HEADERS, &mut problem).unwrap_or_default(),
            models: HashMap::new(),
        };
        for (name, config) in models {
            let path = format!("{MODELS}.{name}");
            let asked = name_in_requests(name);
            let one = OneModel {
                headers: header_map(
                    config.headers.as_ref(),
                    &format!("{path}.{HEADERS}"),
                    &mut problem,
                ),
                output_limit: config.output_limit,
                price: config.price.clone(),
            };
            // A name without a provider is that of the requests.
            if asked != *name && models.contains_key(&asked) {
                continue;
            }
            if found.models.insert(asked.clone(), one).is_some() {
                let message = format!(
                    "several sections are for the model `{asked}` of requests: name one `[models.\"{asked}\"]`"
                );
                problem(path, message);
            }
        }
        found
    }

    /// Returns the headers of a request for a model.
    pub(crate) fn headers(&self, model: &str) -> &HeaderMap {
        let own = self.models.get(model).and_then(|one| one.headers.as_ref());
        own.unwrap_or(&self.headers)
    }

    /// Returns the headers of a request for no single model.
    pub(crate) const fn general_headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Returns the maximum number of output tokens that a model accepts.
    pub(crate) fn output_limit(&self, model: &str) -> Option<u32> {
        self.models.get(model)?.output_limit
    }

    /// Returns what these tokens cost, as an amount. `None` if the price is not set.
    pub(crate) fn cost(&self, model: &str, input: u64, output: u64) -> Option<String> {
        let PriceSetting { price, currency } = self.models.get(model)?.price.as_ref()?;
        Some(currency.amount(price.of(&Usage { input, output, estimated: false })))
    }
}

/// Returns the name of a model in requests: without its provider.
fn name_in_requests(name: &str) -> String {
    match name.parse() {
        Ok(ModelSpec::Remote { model, .. }) => model,
        _ => name.to_owned(),
    }
}

/// Converts headers. Their values may be secrets, which no debug output shows.
fn header_map(
    headers: Option<&Headers>,
    path: &str,
    problem: &mut impl FnMut(String, String),
) -> Option<HeaderMap> {
    let mut map = HeaderMap::new();
    for (name, value) in &headers?.0 {
        let parsed = name.parse::<HeaderName>().ok().zip(HeaderValue::from_str(value).ok());
        match parsed {
            Some((name, mut value)) if is_forwarded(&name) => {
                value.set_sensitive(true);
                map.insert(name, value);
            }
            Some((name, _)) => problem(
                format!("{path}.{name}"),
                "the gateway sets this header itself: name keys in `api_key_env` of an upstream"
                    .to_owned(),
            ),
            None => problem(
                format!("{path}.{name}"),
                "expected a value without control characters".to_owned(),
            ),
        }
    }
    Some(map)
}

#[cfg(test)]
mod tests {
    use super::ModelSettings;
    use crate::Config;

    fn settings(text: &str) -> Result<ModelSettings, Vec<String>> {
        let config = Config::from_toml(text).map_err(|error| vec![error.to_string()])?;
        let mut problems = Vec::new();
        let found = ModelSettings::new(config.headers.as_ref(), &config.models, |path, message| {
            problems.push(format!("{path}: {message}"));
        });
        if problems.is_empty() { Ok(found) } else { Err(problems) }
    }

    #[test]
    fn settings_of_a_model_are_found_with_or_without_its_provider() {
        let found = settings(
            "retry_max = 2\n[headers]\nx-team = \"seven\"\n[models.\"openai:gpt-4o\"]\noutput_limit = 100\n\
             price = \"1/2 EUR\"\ntemperature = 0.2\n[models.\"llama3:8b\"]\nheaders = { X-Team = \"eight\" }\n",
        )
        .unwrap();
        let team =
            |model: &str| found.headers(model).get("x-team").unwrap().to_str().unwrap().to_owned();
        assert_eq!((team("gpt-4o"), team("llama3:8b")), ("seven".to_owned(), "eight".to_owned()));
        assert_eq!(found.general_headers().len(), 1);
        assert_eq!(
            (found.output_limit("gpt-4o"), found.output_limit("llama3:8b")),
            (Some(100), None)
        );
        assert_eq!(found.cost("gpt-4o", 1_000, 500).as_deref(), Some("0.002 EUR"));
        assert_eq!(found.cost("llama3:8b", 1_000, 500), None);
        assert!(!format!("{found:?}").contains("seven"));
        // A section without a provider counts before one with it.
        let both =
            settings("[models.m]\noutput_limit = 1\n[models.\"ollama:m\"]\noutput_limit = 2\n");
        assert_eq!(both.unwrap().output_limit("m"), Some(1));
    }

    #[test]
    fn what_cannot_be_used_is_an_error() {
        for (text, expected) in [
            (
                "[models.m]\noutput_limti = 1",
                "models.m: unknown setting `output_limti`; did you mean output_limit?",
            ),
            ("[models.m]\nprice = \"cheap\"", "models.m: invalid value \"cheap\" for `price`"),
            (
                "[models.m]\nbase_url = \"http://x\"",
                "models.m: the section of a model may not set `base_url`",
            ),
            ("[models]\nm = 1", "expected a table for each model"),
            ("[headers]\nx-team = [1]", "headers: invalid value for `headers`"),
            (
                "[headers]\nauthorization = \"hunter2\"",
                "headers.authorization: the gateway sets this header",
            ),
            (
                "[headers]\nconnection = \"close\"",
                "headers.connection: the gateway sets this header",
            ),
            (
                "[models.m]\nheaders = { x-a = \"a\\u0007\" }",
                "models.m.headers.x-a: expected a value without control",
            ),
            (
                "[models.\"openai:m\"]\n[models.\"ollama:m\"]\n",
                "models.openai:m: several sections are for the model `m` of requests",
            ),
        ] {
            let problems = settings(text).err().unwrap_or_default();
            assert_eq!(problems.len(), 1, "{text}: {problems:?}");
            assert!(problems[0].contains(expected), "{text}: {problems:?}");
            assert!(!problems[0].contains("hunter2"), "{problems:?}");
        }
    }
}
