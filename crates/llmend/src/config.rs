//! Which settings does the environment hold?
//!
//! | variable | also read as | means | default |
//! |---|---|---|---|
//! | `LLMEND_REPAIR` | `OPENMANUS_PLANNING_REPAIR` | whether text is searched and repaired | on |
//!
//! A switch is on as `1`, `true`, `yes` or `on`, and off as `0`, `false`, `no` or `off`, in any
//! case. Anything else is an error, whichever variable it stands in. Where both variables of a
//! row are set, the first one counts.

use std::ffi::OsString;

use llmend_json::{Options, Policy};

/// The variables that switch repairing, the one that counts first.
const REPAIR: [&str; 2] = ["LLMEND_REPAIR", "OPENMANUS_PLANNING_REPAIR"];

/// Whether text is searched for its value and repaired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Repairing {
    /// It is.
    #[default]
    On,
    /// It is not: the text is strict JSON, or an error.
    Off,
}

impl Repairing {
    /// The engine's options: its own defaults, or the policy `strict`.
    #[must_use]
    pub fn options(self) -> Options {
        match self {
            Self::On => Options::default(),
            Self::Off => Options::policy(Policy::Strict),
        }
    }
}

/// What the environment says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// Whether text is searched for its value and repaired.
    pub repair: Repairing,
}

/// A variable of the environment does not say what it could.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the variable {name} is {value:?}, where 1, true, yes, on, 0, false, no or off is expected"
)]
pub struct BadSetting {
    /// Name of the variable.
    pub name: &'static str,
    /// What it says.
    pub value: String,
}

impl Settings {
    /// Reads the environment of the process.
    pub fn from_env() -> Result<Self, BadSetting> {
        Self::read(std::env::var_os)
    }

    /// Reads variables from `look_up`, which gives the value of a variable that is set.
    ///
    /// ```
    /// use llmend::config::{Repairing, Settings};
    ///
    /// let off = Settings::read(|name| (name == "LLMEND_REPAIR").then(|| "no".into()))?;
    /// assert_eq!(off.repair, Repairing::Off);
    /// let error = Settings::read(|_| Some("nope".into())).unwrap_err();
    /// assert_eq!(error.name, "LLMEND_REPAIR");
    /// # Ok::<(), llmend::config::BadSetting>(())
    /// ```
    pub fn read(look_up: impl Fn(&'static str) -> Option<OsString>) -> Result<Self, BadSetting> {
        let mut repair = None;
        for name in REPAIR {
            let found = look_up(name).map(|value| switch(name, &value)).transpose()?;
            repair = repair.or(found);
        }
        Ok(Self { repair: repair.unwrap_or_default() })
    }
}

fn switch(name: &'static str, value: &OsString) -> Result<Repairing, BadSetting> {
    let value = value.to_string_lossy();
    match value.trim().to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(Repairing::On),
        "0" | "false" | "no" | "off" => Ok(Repairing::Off),
        _ => Err(BadSetting { name, value: value.into_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::{BadSetting, Repairing, Settings};

    fn read(ours: Option<&str>, theirs: Option<&str>) -> Result<Repairing, BadSetting> {
        let look_up = |name| match name {
            "LLMEND_REPAIR" => ours.map(Into::into),
            "OPENMANUS_PLANNING_REPAIR" => theirs.map(Into::into),
            _ => None,
        };
        Settings::read(look_up).map(|settings| settings.repair)
    }

    #[test]
    fn repairing_is_on_unless_it_is_switched_off() {
        // S0-36: on by default. S0-37: off by the original's variable, and by ours.
        for (ours, theirs, expected) in [
            (None, None, Repairing::On),
            (None, Some("0"), Repairing::Off),
            (None, Some("1"), Repairing::On),
            (Some("0"), None, Repairing::Off),
            (Some("off"), None, Repairing::Off),
            (Some("No"), None, Repairing::Off),
            (Some("FALSE"), None, Repairing::Off),
            (Some("yes"), None, Repairing::On),
            (Some("on"), None, Repairing::On),
            (Some(" true "), None, Repairing::On),
            (Some("0"), Some("1"), Repairing::Off),
            (Some("1"), Some("0"), Repairing::On),
        ] {
            assert_eq!(read(ours, theirs), Ok(expected), "{ours:?} {theirs:?}");
        }
    }

    #[test]
    fn anything_else_is_an_error_that_names_the_variable() {
        for (ours, theirs, name) in [
            (Some("nope"), None, "LLMEND_REPAIR"),
            (Some(""), None, "LLMEND_REPAIR"),
            (Some("2"), Some("0"), "LLMEND_REPAIR"),
            (None, Some("disabled"), "OPENMANUS_PLANNING_REPAIR"),
            (Some("1"), Some("maybe"), "OPENMANUS_PLANNING_REPAIR"),
        ] {
            let error = read(ours, theirs).expect_err("no such value");
            assert_eq!(error.name, name);
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}
