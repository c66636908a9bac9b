//! The engine's options, and the setting that switches repair off.

use llmend::{
    config::{Configuration, RepairMode, Setting},
    json::Options,
};

/// The options of the engine.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    /// The options that the library gets.
    pub(crate) options: Options,
    /// What switched repair off, if anything: a variable, or a place in a file.
    pub(crate) disabled_by: Option<String>,
}

/// Returns the setting that switches repair off, if it is off.
pub(crate) fn disabled_by(found: &Configuration) -> Option<String> {
    let off = found.settings.repair == RepairMode::Off;
    let setting = Setting::named("repair").filter(|_| off)?;
    Some(found.of(setting).1.to_string())
}
