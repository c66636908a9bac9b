//! Which model is asked, within which limits?

use std::path::Path;

use clap::error::ErrorKind;
use llmend::{
    asking::{AskOptions, Models, Preset, Price, Retries, Strategy},
    config::{Configuration, Setting, SettingInput, Source, Switch},
    json::UnknownName,
    model::ChatModel,
};
use llmend_models::{
    HttpOptions, Keys, ModelSpec, OpenError, Recorder, open, open_beside, open_recorded,
};

use crate::{
    approval::Approval,
    configuration::load,
    engine::misuse,
    exit::{Exit, Failure},
    output::say_block,
    render::{Colour, Named, explain::refusal},
};

/// Which model is asked, and how often. What is not given here is looked for in the environment and in
/// the files of settings.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Which model is asked, and how often")]
pub(crate) struct ModelArguments {
    /// The model
    #[arg(
        long,
        value_name = "MODEL",
        help = "The model: openai:gpt-4o, ollama:llama3, replay:FILE, or on another server\nopenai+http://127.0.0.1:8080/v1:name"
    )]
    model: Option<String>,
    /// The provider, where --model is a name alone
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// The server to ask in place of the provider's own
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// The variable of the environment that holds the key
    #[arg(long, value_name = "VARIABLE")]
    api_key_env: Option<String>,
    /// The limits and ways of asking again: standard, gomind, clickweave-planner,
    /// clickweave-assistant, anton, openmanus
    #[arg(long, value_name = "NAME", verbatim_doc_comment)]
    preset: Option<String>,
    /// How often the model is asked again after its first answer
    #[arg(long, value_name = "N")]
    max_json_retries: Option<String>,
    /// The most tokens of all attempts together
    #[arg(long, value_name = "N")]
    budget_tokens: Option<String>,
    /// The most money of all attempts together, as in 0.05; it needs --price
    #[arg(long, value_name = "SUM")]
    budget_cost: Option<String>,
    /// What a million tokens of questions and of answers cost, as in 0.15/0.60
    #[arg(long, value_name = "IN/OUT")]
    price: Option<String>,
    /// Another model, which the last attempt asks: as --model, or a name alone at the same server
    #[arg(long, value_name = "MODEL")]
    escalate: Option<String>,
    /// What that one costs
    #[arg(long, value_name = "IN/OUT")]
    escalate_price: Option<String>,
    /// The variable that holds the key for that one, where it is on another server
    #[arg(long, value_name = "VARIABLE")]
    escalate_api_key_env: Option<String>,
    /// The seconds after which no attempt begins
    #[arg(long, value_name = "S")]
    deadline: Option<String>,
    /// The file to which each exchange is written, in place of what it holds, without the key
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    record: Option<String>,
    /// Use every answer that holds, without asking the person at the terminal: otherwise what was
    /// guessed, and what takes something away, is asked about first
    #[arg(long, verbatim_doc_comment)]
    autonomous: bool,
}

/// The models that are open: the one that is asked, and the one that may be asked in the end.
pub(crate) struct Opened {
    first: One,
    price: Option<Price>,
    other: Option<(One, Option<Price>)>,
}

/// A model that is open.
enum One {
    /// It.
    Plain(Box<dyn ChatModel>),
    /// With a record of what it is asked.
    Recorded(Recorder<Box<dyn ChatModel>>),
}

impl ModelArguments {
    /// Whether any of them was given.
    pub(crate) fn are_given(&self) -> bool {
        self.autonomous || self.given().next().is_some()
    }

    /// The settings under these arguments and `more`.
    pub(crate) fn load(
        &self,
        more: impl IntoIterator<Item = SettingInput>,
    ) -> Result<Configuration, clap::Error> {
        load(self.given().chain(more))
    }

    /// Who says whether an answer is used.
    pub(crate) fn approval(&self) -> Approval {
        if self.autonomous { Approval::Nobody } else { Approval::at_terminal() }
    }

    fn given(&self) -> impl Iterator<Item = SettingInput> {
        let flags = [
            ("model", &self.model),
            ("provider", &self.provider),
            ("base_url", &self.base_url),
            ("api_key_env", &self.api_key_env),
            ("preset", &self.preset),
            ("retry_max", &self.max_json_retries),
            ("budget_tokens", &self.budget_tokens),
            ("budget_cost", &self.budget_cost),
            ("price", &self.price),
            ("escalate", &self.escalate),
            ("escalate_price", &self.escalate_price),
            ("escalate_api_key_env", &self.escalate_api_key_env),
            ("deadline", &self.deadline),
            ("record", &self.record),
        ];
        flags
            .into_iter()
            .filter_map(|(name, value)| Some(Setting::named(name)?.given_as_flag(value.as_ref()?)))
    }
}

/// The limits that are set.
pub(crate) fn options(found: &Configuration) -> Result<AskOptions, clap::Error> {
    let settings = &found.settings;
    let preset = settings.preset.parse::<Preset>().map_err(|UnknownName(name)| {
        misuse(ErrorKind::InvalidValue, format!("there is no preset '{name}'\n"))
    })?;
    match preset {
        // Without a number in the name it is the setting that says it.
        Preset::ClickweaveAssistant(_) if !settings.preset.contains(':') => assistant(found),
        preset => limited(AskOptions::preset(preset), found),
    }
}

/// The limits of an assistant.
pub(crate) fn assistant(found: &Configuration) -> Result<AskOptions, clap::Error> {
    let limits = Preset::ClickweaveAssistant(found.settings.max_repair_attempts);
    let source =
        |name| Setting::named(name).map_or(&Source::Default, |setting| found.of(setting).1);
    let (attempts, retries) = (source("max_repair_attempts"), source("retry_max"));
    let flags = [attempts, retries].iter().all(|source| matches!(source, Source::Flag { .. }));
    if flags {
        let message =
            "--max-json-retries and --max-repair-attempts say the same: give one of them\n";
        return Err(misuse(ErrorKind::ArgumentConflict, message.to_owned()));
    }
    let mut found = found.clone();
    // Two settings of one thing: the one that was given nearer counts, and its own of two as near.
    if nearness(retries) <= nearness(attempts) {
        found.settings.retry_max = None;
    }
    limited(AskOptions::preset(limits), &found)
}

/// How near to the question a setting was given.
const fn nearness(source: &Source) -> u8 {
    match source {
        Source::Default => 0,
        Source::UserFile { .. } => 1,
        Source::ProjectFile { .. } => 2,
        Source::Environment { .. } => 3,
        Source::Flag { .. } => 4,
    }
}

/// `options` under the limits that are set.
fn limited(mut options: AskOptions, found: &Configuration) -> Result<AskOptions, clap::Error> {
    let settings = &found.settings;
    if let Some(retries) = settings.retry_max {
        options.retries = Retries::of(retries);
    }
    if settings.retry_enabled == Switch::Off {
        options.retries = Retries::of(0);
    }
    options.budget.tokens = settings.budget_tokens.or(options.budget.tokens);
    options.budget.cost = settings.budget_cost.or(options.budget.cost);
    options.budget.time = settings.deadline.or(options.budget.time);
    let unusable = |message: &str| Err(misuse(ErrorKind::ArgumentConflict, format!("{message}\n")));
    if options.budget.cost.is_some() && settings.price.is_none() {
        return unusable("--budget-cost cannot be kept without --price, as in --price 0.15/0.60");
    }
    if settings.escalate.is_none() {
        return Ok(options);
    }
    if options.retries.total == 0 {
        return unusable("--escalate is for the last retry, and there is none: allow one");
    }
    if options.budget.cost.is_some() && settings.escalate_price.is_none() {
        return unusable("--budget-cost cannot be kept for --escalate without --escalate-price");
    }
    options.ladder.on_last = Some(Strategy::Escalate);
    Ok(options)
}

/// Opens the models that are set. Nothing is sent.
pub(crate) fn opened(found: &Configuration) -> Result<Opened, Failure> {
    let unusable = |message: String| Failure::plain(Exit::Usage, "model/unusable", message);
    let no_model = |error: OpenError| unusable(error.to_string());
    let settings = &found.settings;
    let first = spec(found).map_err(unusable)?;
    let other = escalated(found, &first).map_err(unusable)?;
    let options = HttpOptions::default();
    let keys = keys(settings.api_key_env.as_deref());
    let Some(file) = &settings.record else {
        let price = settings.price;
        let opened = open(&first, &keys, &options).map(One::Plain).map_err(no_model)?;
        let other = other.map(|(spec, keys)| open(&spec, &keys, &options).map(One::Plain));
        let other = other.transpose().map_err(no_model)?;
        let other = other.map(|other| (other, settings.escalate_price));
        return Ok(Opened { first: opened, price, other });
    };
    let plays_it = |spec: &ModelSpec| match spec {
        ModelSpec::Replay { file: played } => is_same_file(played, Path::new(file)),
        _ => false,
    };
    if plays_it(&first) || other.as_ref().is_some_and(|(spec, _)| plays_it(spec)) {
        return Err(unusable(format!("{file} is played, and would be overwritten by the record")));
    }
    let mut first = open_recorded(&first, &keys, &options, file).map_err(no_model)?;
    let other = match other {
        Some((spec, keys)) => {
            let other = open_beside(&mut first, &spec, &keys, &options).map_err(no_model)?;
            Some((One::Recorded(other), settings.escalate_price))
        }
        None => None,
    };
    Ok(Opened { first: One::Recorded(first), price: settings.price, other })
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Keys from the environment; the one in this variable goes to whichever server is asked.
fn keys(variable: Option<&str>) -> Keys<'static> {
    let keys = Keys::from_env();
    match variable {
        Some(name) => keys.named(name),
        None => keys,
    }
}

/// Whether a file in the project says one of these settings.
fn is_by_project(found: &Configuration, names: &[&str]) -> bool {
    let settings = names.iter().filter_map(|name| Setting::named(name));
    settings.into_iter().any(|setting| matches!(found.of(setting).1, Source::ProjectFile { .. }))
}

/// Which model is meant.
fn spec(found: &Configuration) -> Result<ModelSpec, String> {
    let settings = &found.settings;
    let Some(model) = &settings.model else {
        return Err("no model is set: give --model, as in --model ollama:llama3".to_owned());
    };
    // A key that was named goes to whichever server is asked, so that a stranger may not choose it.
    let by_project = is_by_project(found, &["model", "provider"]);
    if by_project && settings.api_key_env.is_some() && settings.base_url.is_none() {
        return Err(
            "a file in the project says which model, and you say which variable holds the key: \
                    say which model is to get it with --model"
                .to_owned(),
        );
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
        (_, Some(url), None) => Err(format!("the model {spec} has no place for the server {url}")),
        _ => Ok(spec),
    }
}

/// Which model is asked in the end, and its keys. A name alone is a model at the server of the first; the
/// key that was named for that server goes nowhere else.
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
            "a file in the project says which model is asked in the end, and you say which \
                    variable holds its key: say which model is to get it with --escalate"
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

/// The models, the last of which costs this, if that is known.
fn priced(models: Models<'_>, price: Option<Price>) -> Models<'_> {
    match price {
        Some(price) => models.at(price),
        None => models,
    }
}

impl One {
    fn model(&self) -> &dyn ChatModel {
        match self {
            Self::Plain(model) => model,
            Self::Recorded(model) => model,
        }
    }

    /// Why not all that was asked of it stands in the record, if there is one.
    fn close(self) -> Result<(), Failure> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Recorded(recorder) => recorder.finish().map(drop).map_err(|error| {
                let message = format!("the record is not complete: {error}");
                Failure::plain(Exit::Io, "model/record", message)
            }),
        }
    }
}

impl Opened {
    /// What the model that is asked first is called.
    pub(crate) fn name(&self) -> &str {
        self.first.model().name()
    }

    /// The models, for a question.
    pub(crate) fn models(&self) -> Models<'_> {
        let models = priced(Models::of(self.first.model()), self.price);
        match &self.other {
            Some((other, price)) => priced(models.then(other.model()), *price),
            None => models,
        }
    }

    /// Ends the record, if there is one, once all else is done: nothing that was had is lost with it. The
    /// command ends with `exit`, unless the record is not complete.
    pub(crate) fn close(self, exit: Exit, colour: Colour) -> Exit {
        let rest = self.other.map_or(Ok(()), |(other, _)| other.close());
        match self.first.close().and(rest) {
            Ok(()) => exit,
            Err(failure) => {
                say_block(&refusal(Named { name: "--record", text: "" }, &failure, colour));
                failure.exit
            }
        }
    }
}
