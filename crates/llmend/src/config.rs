//! Settings and their sources.
//!
//! One table, [`SETTINGS`], serves configuration files, the environment, flags and the
//! documentation (`docs/reference/settings.md`). A setting may be given in four places, and the later one
//! wins: the user's own file, the project's file, the environment, a flag. A project's file comes
//! with a checkout, possibly a stranger's, so that it may not set where requests go, which variable
//! holds a key, or which file is written.
//!
//! An unknown name and an unreadable value are errors in every place, even where another place
//! overrides them. This module reads nothing but the environment, and that only on request: a
//! program passes in the contents of its files ([`SettingInput`]).
//!
//! ```
//! use llmend::config::{Configuration, SettingInput, Source};
//!
//! let file = |name: &str, value: &str| SettingInput {
//!     name: name.to_owned(),
//!     value: Some(value.to_owned()),
//!     source: Source::ProjectFile { file: "llmend.toml".to_owned(), line: 1 },
//! };
//! let found = Configuration::resolve([file("retry_max", "1"), file("preset", "gomind")])?;
//! assert_eq!(found.settings.retry_max, Some(1));
//!
//! let errors = Configuration::resolve([file("retri_max", "1"), file("base_url", "http://a")]).unwrap_err();
//! assert_eq!(errors.0[0].to_string(), "llmend.toml:1: unknown setting `retri_max`; did you mean retry_max?");
//! assert!(errors.0[1].to_string().contains("a project file may not set `base_url`"));
//! # Ok::<(), llmend::config::BadSettings>(())
//! ```

mod currency;
mod form;
mod resolve;
mod table;

use std::{ffi::OsString, fmt};

pub use currency::{CostSetting, Currency, PriceSetting};
pub use form::{Headers, RepairMode, Switch};
pub use resolve::Configuration;
use serde::Serialize;
pub use table::{SETTINGS, Settings};

/// A setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Setting {
    /// The name in files.
    pub name: &'static str,
    /// The environment variables, the one that takes precedence first.
    pub variables: &'static [&'static str],
    /// The command-line flag. `None` if there is none.
    pub flag: Option<&'static str>,
    /// The default. Empty for none.
    pub default: &'static str,
    /// The accepted values.
    pub expected: &'static str,
    /// Who may set it.
    pub trust: Trust,
    /// The description.
    pub about: &'static str,
}

/// Who may set a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Anyone, including a project's file.
    Anyone,
    /// The user only, since it sets where something goes. Errors do not show its value, which may
    /// be a secret in the wrong place.
    User,
}

/// The place where a setting was given.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Source {
    /// None: the default.
    Default,
    /// The user's own file.
    UserFile {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
    },
    /// A file of the project.
    ProjectFile {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
    },
    /// The environment.
    Environment {
        /// The name of the variable.
        variable: String,
    },
    /// The command line.
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
pub struct SettingInput {
    /// The name in files.
    pub name: String,
    /// The value. `None` if it is not a single value but a list or a table.
    pub value: Option<String>,
    /// The place where it was given.
    pub source: Source,
}

/// The error of a setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .problem.words(.name, .place))]
#[non_exhaustive]
pub struct BadSetting {
    /// The name of the setting, or what was given as one.
    pub name: String,
    /// The place where it was given.
    pub place: Source,
    /// What is wrong with it.
    pub problem: Problem,
}

/// The reason why a setting cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The name is unknown.
    Unknown {
        /// The name that was probably meant, as it is written in that place.
        nearest: Option<String>,
    },
    /// The value cannot be read.
    Unreadable {
        /// The value. `None` if it must not be shown, or is not a single value.
        value: Option<String>,
        /// The accepted values.
        expected: &'static str,
    },
    /// A project's file may not set it.
    NotTrusted,
}

impl Problem {
    fn words(&self, name: &str, place: &Source) -> String {
        // The name as written in that place, and the beginning of the sentence.
        let (shown, start) = match place {
            Source::Environment { variable } => (variable.clone(), String::new()),
            Source::Flag { flag } => (flag.clone(), String::new()),
            Source::Default => (format!("`{name}`"), String::new()),
            file => (format!("`{name}`"), format!("{file}: ")),
        };
        match self {
            Self::Unknown { nearest } => {
                let hint = match nearest {
                    Some(near) => format!("; did you mean {near}?"),
                    None => "; `llmend config` lists the settings".to_owned(),
                };
                let what = match place {
                    Source::Environment { .. } => "environment variable",
                    _ => "setting",
                };
                format!("{start}unknown {what} {shown}{hint}")
            }
            Self::Unreadable { value: Some(value), expected } => {
                format!("{start}invalid value {value:?} for {shown}: expected {expected}")
            }
            Self::Unreadable { value: None, expected } => {
                format!("{start}invalid value for {shown}: expected {expected}")
            }
            Self::NotTrusted => format!(
                "{start}a project file may not set {shown} this way; set it in your own file, in the \
                 environment or by a flag"
            ),
        }
    }
}

/// All settings that cannot be used, in the order in which they were given; at least one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct BadSettings(pub Vec<BadSetting>);

impl RepairMode {
    /// Reads the environment of the process: `LLMEND_REPAIR`, or `OPENMANUS_PLANNING_REPAIR`.
    pub fn from_env() -> Result<Self, BadSetting> {
        Self::read(std::env::var_os)
    }

    /// Reads the variables that `look_up` returns.
    ///
    /// ```
    /// use llmend::config::RepairMode;
    ///
    /// let off = RepairMode::read(|name| (name == "LLMEND_REPAIR").then(|| "no".into()))?;
    /// assert_eq!(off, RepairMode::Off);
    /// let error = RepairMode::read(|_| Some("nope".into())).unwrap_err();
    /// assert!(error.to_string().contains("LLMEND_REPAIR"));
    /// # Ok::<(), llmend::config::BadSetting>(())
    /// ```
    pub fn read(look_up: impl Fn(&'static str) -> Option<OsString>) -> Result<Self, BadSetting> {
        let setting = SETTINGS.iter().find(|setting| setting.name == "repair");
        let variables = setting.map(|setting| setting.variables).unwrap_or_default();
        // Every call without options asks, and most find nothing.
        if variables.iter().all(|&variable| look_up(variable).is_none()) {
            return Ok(Self::default());
        }
        let given = setting.into_iter().flat_map(|setting| setting.given_by(&look_up));
        match Configuration::resolve(given) {
            Ok(found) => Ok(found.settings.repair),
            // The variable that takes precedence was read last.
            Err(BadSettings(mut errors)) => errors.pop().map_or(Ok(Self::default()), Err),
        }
    }
}

impl Settings {
    /// Reads the environment of the process. Unknown variables that begin with `LLMEND_` are
    /// ignored.
    pub fn from_env() -> Result<Self, BadSettings> {
        let given = SETTINGS.iter().flat_map(|setting| setting.given_by(&std::env::var_os));
        Configuration::resolve(given).map(|found| found.settings)
    }
}

impl Setting {
    /// Returns the setting of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// Whether the section of a model may set it. The others belong to the choice of the model.
    #[must_use]
    pub fn is_of_a_model(&self) -> bool {
        !matches!(self.name, "model" | "provider" | "base_url")
    }

    /// Returns the values of the setting's variables in `look_up`, the one that takes precedence
    /// last.
    pub fn given_by(
        &self,
        look_up: &impl Fn(&'static str) -> Option<OsString>,
    ) -> impl Iterator<Item = SettingInput> {
        self.variables.iter().rev().filter_map(|&variable| {
            let value = look_up(variable)?;
            Some(SettingInput {
                name: self.name.to_owned(),
                value: Some(value.to_string_lossy().into_owned()),
                source: Source::Environment { variable: variable.to_owned() },
            })
        })
    }

    /// Returns the setting as given on the command line. Without a flag, its name stands for the
    /// flag.
    #[must_use]
    pub fn given_as_flag(&self, value: impl Into<String>) -> SettingInput {
        let flag = self.flag.map_or_else(|| self.name.to_owned(), |flag| format!("--{flag}"));
        SettingInput {
            name: self.name.to_owned(),
            value: Some(value.into()),
            source: Source::Flag { flag },
        }
    }
}

#[cfg(test)]
mod tests;
