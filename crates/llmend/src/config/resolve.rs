//! Precedence of setting sources.

use std::{
    collections::BTreeMap,
    path::{Component, Path},
};

use llmend_json::nearest;

use super::{
    BadSetting, BadSettings, Problem, SETTINGS, Setting, SettingInput, Settings, Source, Trust,
    table,
};

/// The settings and their sources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuration {
    /// The values; defaults where nothing was given.
    pub settings: Settings,
    /// The given settings by name: text and place of the one that wins.
    given: BTreeMap<&'static str, (String, Source)>,
}

impl Configuration {
    /// Resolves the given settings in order: later ones win. The error lists everything that cannot
    /// be used.
    pub fn resolve(given: impl IntoIterator<Item = SettingInput>) -> Result<Self, BadSettings> {
        let mut found = Self::default();
        let mut errors = Vec::new();
        for one in given {
            if let Err(error) = found.take(one) {
                errors.push(error);
            }
        }
        if errors.is_empty() { Ok(found) } else { Err(BadSettings(errors)) }
    }

    fn take(
        &mut self,
        SettingInput { name, value, source }: SettingInput,
    ) -> Result<(), BadSetting> {
        let bad = |name: String, place: Source, problem| Err(BadSetting { name, place, problem });
        let Some(setting) = Setting::named(&name) else {
            let nearest = nearest_name(&name, &source);
            return bad(name, source, Problem::Unknown { nearest });
        };
        let from_project = matches!(source, Source::ProjectFile { .. });
        // The name of a model may contain a server, and that of a record a file.
        let elsewhere = value.as_deref().is_some_and(|text| match setting.name {
            "model" | "escalate" => text.contains("://") || text.starts_with("replay:"),
            "prompts" => leaves_its_folder(text),
            _ => false,
        });
        if from_project && (setting.trust == Trust::User || elsewhere) {
            return bad(name, source, Problem::NotTrusted);
        }
        let text = value.as_deref().map(str::trim);
        let read = text.filter(|text| table::put(&mut self.settings, setting.name, text).is_some());
        if let Some(text) = read {
            self.given.insert(setting.name, (text.to_owned(), source));
            return Ok(());
        }
        let shown = setting.trust == Trust::Anyone && !elsewhere;
        let value = value.filter(|_| shown);
        bad(name, source, Problem::Unreadable { value, expected: setting.expected })
    }

    /// Returns the value of a setting as text, and where it was given. Empty if it has none.
    pub fn of(&self, setting: &Setting) -> (&str, &Source) {
        match self.given.get(setting.name) {
            Some((text, source)) => (text, source),
            None => (setting.default, &Source::Default),
        }
    }

    /// Returns where the setting of this name was given.
    #[must_use]
    pub fn source(&self, name: &str) -> &Source {
        self.given.get(name).map_or(&Source::Default, |(_, source)| source)
    }
}

impl Default for Settings {
    /// The default settings.
    fn default() -> Self {
        let mut settings = table::blank();
        for setting in SETTINGS.iter().filter(|setting| !setting.default.is_empty()) {
            // Every default is valid, which the tests check.
            let _ = table::put(&mut settings, setting.name, setting.default);
        }
        settings
    }
}

/// Returns whether a path leads out of the folder that it is relative to.
fn leaves_its_folder(path: &str) -> bool {
    let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    !Path::new(path).components().all(is_inside)
}

/// Returns the setting that was probably meant, as it is written in that place.
fn nearest_name(name: &str, source: &Source) -> Option<String> {
    let found = match source {
        Source::Environment { variable } => {
            let variables = SETTINGS.iter().flat_map(|setting| setting.variables).copied();
            nearest(variable, variables)
        }
        _ => nearest(name, SETTINGS.iter().map(|setting| setting.name)),
    };
    found.map(str::to_owned)
}
