//! Settings from files, the environment and flags.

use std::{
    borrow::Cow,
    env,
    ffi::OsString,
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

#[cfg(feature = "gateway")]
use llmend::config::PriceSetting;
use llmend::config::{Configuration, Setting, SettingInput, Source};
#[cfg(feature = "models")]
use llmend::{asking::KNOWN_MODELS, config::Settings, json::nearest};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

#[cfg(feature = "models")]
use crate::output::eprint;
use crate::{environment::of_environment, exit::UsageError};

/// The name of the file, in every folder.
const FILE: &str = "llmend.toml";
/// The gateway's section of it.
const GATEWAY: &str = "gateway";
/// The section with settings for single models.
const MODELS: &str = "models";
/// The setting that may be a table.
const HEADERS: &str = "headers";
/// The maximum length of the file in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The owner of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    User,
    Project,
}

/// The settings of a command that asks models.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelSettings {
    /// Those of the command and of the model that is asked first.
    pub(crate) first: Configuration,
    /// Those of the model for the last attempt, if there is one.
    #[cfg_attr(not(feature = "models"), expect(dead_code, reason = "no model is asked"))]
    pub(crate) escalation: Option<Configuration>,
}

/// Settings that say something of one model or of its server. Given for all models, or by a flag, they are those
/// of the model that is asked first.
const OF_FIRST: [&str; 5] = ["api_key_env", "headers", "num_ctx", "output_limit", "price"];

/// Loads the settings: the user's file, the project's file, the environment and `flags`, where later ones
/// override earlier ones. Reports all errors at once.
pub(crate) fn load(
    flags: impl IntoIterator<Item = SettingInput>,
) -> Result<Configuration, UsageError> {
    load_files(&files()?, flags).map(|found| found.first)
}

/// Loads the settings of each model. Later ones override earlier ones: those of the files for all models, for one
/// model (`[models.NAME]`), the environment and `flags`.
#[cfg(feature = "models")]
pub(crate) fn load_models(
    flags: impl IntoIterator<Item = SettingInput>,
) -> Result<ModelSettings, UsageError> {
    let files = files()?;
    let found = load_files(&files, flags)?;
    for (_, given) in files.iter().flat_map(|file| &file.models) {
        resolve(given.clone())?;
    }
    for warning in misspelled(&files, &found.first.settings) {
        eprint(&warning);
    }
    Ok(found)
}

/// Loads the settings, with those of a file that the user names.
#[cfg(feature = "gateway")]
pub(crate) fn load_with(file: Option<&Path>) -> Result<Configuration, UsageError> {
    load_files(&files_with(file)?, []).map(|found| found.first)
}

/// Reads the files, with one that the user names.
#[cfg(feature = "gateway")]
fn files_with(file: Option<&Path>) -> Result<Vec<SettingsFile>, UsageError> {
    let mut files = files()?;
    files.extend(file.map(|path| settings_file(path, Owner::User)).transpose()?);
    Ok(files)
}

fn load_files(
    files: &[SettingsFile],
    flags: impl IntoIterator<Item = SettingInput>,
) -> Result<ModelSettings, UsageError> {
    let mut nearer = of_environment();
    nearer.extend(flags);
    let all = files.iter().flat_map(|file| &file.given).chain(&nearer).cloned();
    let found = resolve(all.collect())?;
    // What a file says of the model comes after what it says of all.
    let of_model = |model: &str, is_meant: &dyn Fn(&&SettingInput) -> bool| {
        let given = files
            .iter()
            .flat_map(|file| file.given.iter().filter(|one| is_meant(one)).chain(file.of(model)));
        resolve(given.chain(nearer.iter().filter(|one| is_meant(one))).cloned().collect())
    };
    let settings = &found.settings;
    let escalation = settings
        .escalate
        .as_deref()
        .map(|model| of_model(model, &|one| !OF_FIRST.contains(&one.name.as_str())));
    let first = settings.model.as_deref().map(|model| of_model(model, &|_| true));
    Ok(ModelSettings {
        escalation: escalation.transpose()?,
        first: first.transpose()?.unwrap_or(found),
    })
}

/// Returns a warning for each section of a model that is not asked, but has almost the name of one that is.
/// Names that differ in digits, or that are known, are those of other models.
#[cfg(feature = "models")]
fn misspelled(files: &[SettingsFile], asked: &Settings) -> Vec<String> {
    let asked = [&asked.model, &asked.escalate].into_iter().filter_map(Option::as_deref);
    let asked: Vec<&str> = asked.map(bare).collect();
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let sections = files.iter().flat_map(|file| &file.models);
    let meant = sections.filter_map(|(name, given)| {
        let model = bare(name);
        let is_other =
            asked.contains(&model) || KNOWN_MODELS.iter().any(|known| known.name == model);
        let alike = asked.iter().copied().filter(|asked| digits(asked) == digits(model));
        let near = nearest(model, alike)?;
        let place = given.first().map_or(String::new(), |one| format!("{}: ", one.source));
        (!is_other).then(|| {
            format!("llmend: warning: {place}no model {name:?} is asked; did you mean [models.{near:?}]?")
        })
    });
    meant.collect()
}

/// Returns what the sections of models set: their names, with the settings.
pub(crate) fn sections() -> Result<Vec<(String, Configuration)>, UsageError> {
    let sections = files()?.into_iter().flat_map(|file| file.models);
    sections.map(|(name, given)| Ok((name, resolve(given)?))).collect()
}

/// The prices of models in all files, by the names in requests.
#[cfg(feature = "gateway")]
pub(crate) struct ModelPrices(Vec<(String, Option<PriceSetting>)>);

#[cfg(feature = "gateway")]
impl ModelPrices {
    /// Loads the prices, with those of a file that the user names.
    pub(crate) fn load(file: Option<&Path>) -> Result<Self, UsageError> {
        let sections = files_with(file)?.into_iter().flat_map(|file| file.models);
        let priced = sections
            .map(|(name, given)| Ok((name, resolve(given)?.settings.price)))
            .collect::<Result<_, UsageError>>();
        priced.map(Self)
    }

    /// Returns the price of a model: that of the last section of this name, or else of the last one that names
    /// the model with its provider.
    pub(crate) fn of(&self, model: &str) -> Option<PriceSetting> {
        let of = |is_it: &dyn Fn(&str) -> bool| {
            let mut sections = self.0.iter().rev().filter(|(name, _)| is_it(name));
            sections.find_map(|(_, price)| price.clone())
        };
        of(&|name| name == model).or_else(|| of(&|name| bare(name) == model))
    }
}

/// Reads the user's file and the project's file.
fn files() -> Result<Vec<SettingsFile>, UsageError> {
    let variable = |name: &str| env::var_os(name);
    let own = own_file(&variable);
    let project = env::current_dir().ok().and_then(|folder| project_file(&folder, own.as_deref()));
    let found = [(own, Owner::User), (project, Owner::Project)];
    let found = found.into_iter().filter_map(|(path, owner)| Some((path?, owner)));
    found.map(|(path, owner)| settings_file(&path, owner)).collect()
}

fn settings_file(path: &Path, owner: Owner) -> Result<SettingsFile, UsageError> {
    of_file(path, owner).map_err(|error| UsageError(format!("{}: {error}", path.display())))
}

fn resolve(given: Vec<SettingInput>) -> Result<Configuration, UsageError> {
    Configuration::resolve(given).map_err(|errors| UsageError(errors.to_string()))
}

/// What a file sets.
struct SettingsFile {
    given: Vec<SettingInput>,
    /// By the name of a model, with or without its provider.
    models: Vec<(String, Vec<SettingInput>)>,
}

impl SettingsFile {
    /// Returns what is set for a model.
    fn of(&self, model: &str) -> impl Iterator<Item = &SettingInput> {
        let is_it = move |name: &str| name == model || name == bare(model);
        self.models.iter().filter(move |(name, _)| is_it(name)).flat_map(|(_, given)| given)
    }
}

/// Returns the name of a model without its provider and server.
fn bare(model: &str) -> &str {
    let Some((provider, rest)) = model.split_once(':') else { return model };
    if !provider.contains('+') {
        return rest;
    }
    let rest = rest.trim_start_matches('/');
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    path.split_once(':').or_else(|| host.rsplit_once(':')).map_or(rest, |(_, name)| name)
}

/// Finds the user's own file: `llmend/llmend.toml` in `$XDG_CONFIG_HOME`, in `~/.config` or in
/// `%APPDATA%`.
fn own_file(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = folder("XDG_CONFIG_HOME")
        .or_else(|| folder("APPDATA").filter(|_| cfg!(windows)))
        .or_else(|| Some(folder("HOME")?.join(".config")))?;
    Some(folder.join("llmend").join(FILE)).filter(|path| path.exists())
}

/// Finds the nearest file from `folder` upwards that is not the user's own.
fn project_file(folder: &Path, own: Option<&Path>) -> Option<PathBuf> {
    let own = own.and_then(|path| path.canonicalize().ok());
    let is_own = |path: &PathBuf| own.is_some() && path.canonicalize().ok() == own;
    let mut paths = folder.ancestors().map(|folder| folder.join(FILE));
    paths.find(|path| path.exists()).filter(|path| !is_own(path))
}

/// Reads what a file sets, in order.
fn of_file(path: &Path, owner: Owner) -> Result<SettingsFile, String> {
    let text = read(path).map_err(|error| error.to_string())?;
    let name = path.display().to_string();
    let table = DeTable::parse(&text).map_err(|error| {
        let line = error.span().map(|span| format!("line {}: ", line(&text, span.start)));
        let message = error.message();
        let help = if message.contains("duplicate key") { "; set it once" } else { "" };
        format!("{}{message}{help}", line.unwrap_or_default())
    })?;
    let table = table.get_ref();
    let source = |start: usize| {
        let (file, line) = (name.clone(), line(&text, start));
        match owner {
            Owner::User => Source::UserFile { file, line },
            Owner::Project => Source::ProjectFile { file, line },
        }
    };
    let mut models = Vec::new();
    for (key, value) in table {
        if key.get_ref() != MODELS {
            continue;
        }
        let wrong = |at: usize| {
            format!("line {}: expected a table for each model: [models.NAME]", line(&text, at))
        };
        let DeValue::Table(all) = value.get_ref() else { return Err(wrong(key.span().start)) };
        for (model, value) in all {
            let at = model.span().start;
            let DeValue::Table(own) = value.get_ref() else { return Err(wrong(at)) };
            let given = settings(own, &[], &source);
            let is_wrong = |one: &&SettingInput| {
                Setting::named(&one.name).is_some_and(|setting| !setting.is_of_a_model())
            };
            if let Some(one) = given.iter().find(is_wrong) {
                let (line, name) = (line(&text, at), &one.name);
                return Err(format!("line {line}: the section of a model may not set `{name}`"));
            }
            models.push((model.get_ref().to_string(), given));
        }
    }
    // The gateway reads and validates its own section.
    Ok(SettingsFile { given: settings(table, &[GATEWAY, MODELS], &source), models })
}

/// Returns what a table sets, in order, without the keys in `other`.
fn settings(
    table: &DeTable<'_>,
    other: &[&str],
    source: &dyn Fn(usize) -> Source,
) -> Vec<SettingInput> {
    let mut given: Vec<(usize, SettingInput)> = table
        .iter()
        .filter(|(key, _)| !other.contains(&key.get_ref().as_ref()))
        .map(|(key, value)| {
            let start = key.span().start;
            let name = key.get_ref().to_string();
            let value = match value.get_ref() {
                DeValue::Table(lines) if name == HEADERS => header_lines(lines),
                value => single(value),
            };
            (start, SettingInput { name, value, source: source(start) })
        })
        .collect();
    given.sort_by_key(|(start, _)| *start);
    given.into_iter().map(|(_, given)| given).collect()
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        let message = format!("the file is longer than {MAX_BYTES} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(text)
}

/// Returns a table of headers as lines.
fn header_lines(table: &DeTable<'_>) -> Option<String> {
    let mut lines: Vec<_> = table.iter().collect();
    lines.sort_by_key(|(name, _)| name.span().start);
    let line = |(name, value): &(&_, &Spanned<DeValue<'_>>)| {
        let name: &Spanned<Cow<'_, str>> = name;
        Some(format!("{}: {}", name.get_ref(), single(value.get_ref())?))
    };
    lines.iter().map(line).collect::<Option<Vec<_>>>().map(|lines| lines.join("\n"))
}

/// Returns a scalar as text.
fn single(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Boolean(value) => Some(value.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}

fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsString, path::Path};

    use super::{bare, own_file};

    #[test]
    fn a_model_is_named_without_its_server_too() {
        for (model, expected) in [
            ("gpt-4o", "gpt-4o"),
            ("ollama:llama3:8b", "llama3:8b"),
            ("openai+http://127.0.0.1:8080/v1:qwen3:8b", "qwen3:8b"),
            ("openai+http://127.0.0.1:8080:m", "m"),
            ("openai+https://host/v1:a/b", "a/b"),
        ] {
            assert_eq!(bare(model), expected, "{model}");
        }
    }

    #[test]
    fn the_users_folder_is_an_absolute_path() {
        let none = |_: &str| None::<OsString>;
        assert_eq!(own_file(&none), None);
        let relative = |name: &str| (name == "HOME").then(|| OsString::from("some/where"));
        assert_eq!(own_file(&relative), None);
        let nowhere = |name: &str| (name == "HOME").then(|| OsString::from("/no/such/folder"));
        assert!(!Path::new("/no/such/folder").exists());
        assert_eq!(own_file(&nowhere), None);
    }
}
