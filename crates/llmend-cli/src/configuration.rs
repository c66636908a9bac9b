//! Settings from files, the environment and flags.

use std::{
    env,
    ffi::OsString,
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use llmend::config::{Configuration, SETTINGS, SettingInput, Source};
use toml::de::{DeTable, DeValue};

use crate::exit::UsageError;

/// The name of the file, in every folder.
const FILE: &str = "llmend.toml";
/// The gateway's section of it.
const GATEWAY: &str = "gateway";
/// The maximum length of the file in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// The prefix of llmend's environment variables.
const PREFIX: &str = "LLMEND_";

/// The owner of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    User,
    Project,
}

/// Loads the settings: the user's file, the project's file, the environment and `flags`, where later ones
/// override earlier ones. Reports all errors at once.
pub(crate) fn load(
    flags: impl IntoIterator<Item = SettingInput>,
) -> Result<Configuration, UsageError> {
    let variable = |name: &str| env::var_os(name);
    let own = own_file(&variable);
    let project = env::current_dir().ok().and_then(|folder| project_file(&folder, own.as_deref()));
    let mut given = Vec::new();
    for (path, owner) in [(own, Owner::User), (project, Owner::Project)] {
        if let Some(path) = path {
            given.extend(
                of_file(&path, owner)
                    .map_err(|error| UsageError(format!("{}: {error}", path.display())))?,
            );
        }
    }
    given.extend(of_environment());
    given.extend(flags);
    Configuration::resolve(given).map_err(|errors| UsageError(errors.to_string()))
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
fn of_file(path: &Path, owner: Owner) -> Result<Vec<SettingInput>, String> {
    let text = read(path).map_err(|error| error.to_string())?;
    let name = path.display().to_string();
    let table = DeTable::parse(&text).map_err(|error| {
        let line = error.span().map(|span| format!("line {}: ", line(&text, span.start)));
        format!("{}{}", line.unwrap_or_default(), error.message())
    })?;
    let mut given: Vec<(usize, SettingInput)> = table
        .get_ref()
        .iter()
        // The gateway reads and validates its own section.
        .filter(|(key, _)| key.get_ref() != GATEWAY)
        .map(|(key, value)| {
            let start = key.span().start;
            let (file, line) = (name.clone(), line(&text, start));
            let source = match owner {
                Owner::User => Source::UserFile { file, line },
                Owner::Project => Source::ProjectFile { file, line },
            };
            let name = key.get_ref().to_string();
            (start, SettingInput { name, value: single(value.get_ref()), source })
        })
        .collect();
    given.sort_by_key(|(start, _)| *start);
    Ok(given.into_iter().map(|(_, given)| given).collect())
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

/// Reads the environment, including unknown variables with our prefix.
fn of_environment() -> Vec<SettingInput> {
    let known = |name: &str| SETTINGS.iter().any(|setting| setting.variables.contains(&name));
    let unknown = env::vars_os().filter_map(|(name, _)| {
        let name = name.into_string().ok()?;
        let ours = name.starts_with(PREFIX) && !known(&name);
        ours.then(|| SettingInput {
            source: Source::Environment { variable: name.clone() },
            name,
            value: None,
        })
    });
    let mut unknown: Vec<SettingInput> = unknown.collect();
    unknown.sort_by(|a, b| a.name.cmp(&b.name));
    let known = SETTINGS.iter().flat_map(|setting| setting.given_by(&|name| env::var_os(name)));
    known.chain(unknown).collect()
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsString, path::Path};

    use super::own_file;

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
