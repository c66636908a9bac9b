//! Which settings are there, what do they say, and who said so?
//!
//! All of them stand in one table, [`SETTINGS`], which files, the environment, flags and the documentation
//! have in common; `docs/settings.md` is written from it. A setting may be given in four places. The later
//! one counts: the user's own file, the project's file, the environment, a flag. A file in a project comes
//! with a checkout, which may be a stranger's, so that it may not say where requests go, which variable
//! holds a key, or which file is written.
//!
//! An unknown name and a value that cannot be read are errors, wherever they stand, also where something
//! else overrides them. Nothing is read here but the environment, where that is asked for: a program
//! hands in what its files say ([`Given`]).
//!
//! ```
//! use llmend::config::{Configuration, Given, Source};
//!
//! let file = |name: &str, value: &str| Given {
//!     name: name.to_owned(),
//!     value: Some(value.to_owned()),
//!     source: Source::ProjectFile { file: "llmend.toml".to_owned(), line: 1 },
//! };
//! let found = Configuration::resolve([file("retry_max", "1"), file("preset", "gomind")])?;
//! assert_eq!(found.settings.retry_max, Some(1));
//!
//! let errors = Configuration::resolve([file("retri_max", "1"), file("base_url", "http://a")]).unwrap_err();
//! assert_eq!(errors.0[0].to_string(), "llmend.toml:1: `retri_max` is no setting: did you mean retry_max?");
//! assert!(errors.0[1].to_string().contains("a file in a project may not set `base_url` so"));
//! # Ok::<(), llmend::config::BadSettings>(())
//! ```

mod form;
mod resolve;
mod table;

use std::{ffi::OsString, fmt};

pub use form::{Repairing, Switch};
pub use resolve::Configuration;
use serde::Serialize;
pub use table::{SETTINGS, Settings};

/// A setting that there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Setting {
    /// Its name, as files give it.
    pub name: &'static str,
    /// The variables of the environment that hold it, the one that counts first.
    pub variables: &'static [&'static str],
    /// The flag that gives it on the command line. `None` if there is none.
    pub flag: Option<&'static str>,
    /// What it says where nobody gives it. Empty if it then says nothing.
    pub default: &'static str,
    /// What may be given.
    pub expected: &'static str,
    /// Who may give it.
    pub trust: Trust,
    /// What it is for.
    pub about: &'static str,
}

/// Who may give a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// A file in a project too.
    Anyone,
    /// The user alone, since it says where something goes. What was given is not shown in errors, where
    /// it may be a secret in the wrong place.
    User,
}

/// Where a setting was given.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Source {
    /// Nowhere.
    Default,
    /// In the user's own file.
    UserFile {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
    },
    /// In a file of the project.
    ProjectFile {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
    },
    /// In the environment.
    Environment {
        /// Name of the variable.
        variable: String,
    },
    /// On the command line.
    Flag {
        /// The flag, with its dashes.
        flag: String,
    },
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::UserFile { file, line } | Self::ProjectFile { file, line } => {
                write!(f, "{file}:{line}")
            }
            Self::Environment { variable } => f.write_str(variable),
            Self::Flag { flag } => f.write_str(flag),
        }
    }
}

/// A setting as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Its name, as files write it.
    pub name: String,
    /// What it says. `None` if that is no single value, but a list or a table.
    pub value: Option<String>,
    /// Where it was given.
    pub source: Source,
}

/// A setting cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .problem.words(.name, .place))]
#[non_exhaustive]
pub struct BadSetting {
    /// Name of the setting, or what stands in the place of one.
    pub name: String,
    /// Where it was given.
    pub place: Source,
    /// What is wrong with it.
    pub problem: Problem,
}

/// Why a setting cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// There is none of that name.
    Unknown {
        /// The one that was probably meant, as it is written in that place.
        nearest: Option<String>,
    },
    /// Its value cannot be read.
    Unreadable {
        /// What was given. `None` where it is not to be shown, or is no single value.
        value: Option<String>,
        /// What may be given.
        expected: &'static str,
    },
    /// A file in a project may not give it.
    NotTrusted,
}

impl Problem {
    fn words(&self, name: &str, place: &Source) -> String {
        // What it is called there, and how a sentence about it begins.
        let (shown, start) = match place {
            Source::Environment { variable } => (variable.clone(), "the variable ".to_owned()),
            Source::Flag { flag } => (flag.clone(), String::new()),
            Source::Default => (format!("`{name}`"), String::new()),
            file => (format!("`{name}`"), format!("{file}: ")),
        };
        match self {
            Self::Unknown { nearest } => {
                let hint = match nearest {
                    Some(near) => format!(": did you mean {near}?"),
                    None => "; `llmend config` lists the settings".to_owned(),
                };
                format!("{start}{shown} is no setting{hint}")
            }
            Self::Unreadable { value: Some(value), expected } => {
                format!("{start}{shown} is {value:?}, where {expected} is expected")
            }
            Self::Unreadable { value: None, expected } => {
                format!("{start}{shown} is something else than {expected}")
            }
            Self::NotTrusted => format!(
                "{start}a file in a project may not set {shown} so: give it in your own file, in the \
                 environment or as a flag"
            ),
        }
    }
}

/// Settings that cannot be used, all of them, in the order in which they were given; at least one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct BadSettings(pub Vec<BadSetting>);

impl Repairing {
    /// What the environment of the process says: `LLMEND_REPAIR`, or `OPENMANUS_PLANNING_REPAIR`.
    pub fn from_env() -> Result<Self, BadSetting> {
        Self::read(std::env::var_os)
    }

    /// What the variables say that `look_up` gives.
    ///
    /// ```
    /// use llmend::config::Repairing;
    ///
    /// let off = Repairing::read(|name| (name == "LLMEND_REPAIR").then(|| "no".into()))?;
    /// assert_eq!(off, Repairing::Off);
    /// let error = Repairing::read(|_| Some("nope".into())).unwrap_err();
    /// assert!(error.to_string().contains("LLMEND_REPAIR"));
    /// # Ok::<(), llmend::config::BadSetting>(())
    /// ```
    pub fn read(look_up: impl Fn(&'static str) -> Option<OsString>) -> Result<Self, BadSetting> {
        let wanted = SETTINGS.iter().filter(|setting| setting.name == "repair");
        let given = wanted.flat_map(|setting| setting.given_by(&look_up));
        let found = Configuration::resolve(given);
        match found {
            Ok(found) => Ok(found.settings.repair),
            // The variable that counts first was read last.
            Err(BadSettings(mut errors)) => errors.pop().map_or(Ok(Self::default()), Err),
        }
    }
}

impl Settings {
    /// What the environment of the process says. Variables that begin with `LLMEND_` and are none of ours
    /// are left to the program.
    pub fn from_env() -> Result<Self, BadSettings> {
        let given = SETTINGS.iter().flat_map(|setting| setting.given_by(&std::env::var_os));
        Configuration::resolve(given).map(|found| found.settings)
    }
}

impl Setting {
    /// The setting of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// What `look_up` says of the setting's variables, the one that counts last.
    pub fn given_by(
        &self,
        look_up: &impl Fn(&'static str) -> Option<OsString>,
    ) -> impl Iterator<Item = Given> {
        self.variables.iter().rev().filter_map(|&variable| {
            let value = look_up(variable)?;
            Some(Given {
                name: self.name.to_owned(),
                value: Some(value.to_string_lossy().into_owned()),
                source: Source::Environment { variable: variable.to_owned() },
            })
        })
    }

    /// As it was given on the command line. A setting without a flag is told by its name.
    #[must_use]
    pub fn given_as_flag(&self, value: impl Into<String>) -> Given {
        let flag = self.flag.map_or_else(|| self.name.to_owned(), |flag| format!("--{flag}"));
        Given {
            name: self.name.to_owned(),
            value: Some(value.into()),
            source: Source::Flag { flag },
        }
    }
}

#[cfg(test)]
mod tests;
