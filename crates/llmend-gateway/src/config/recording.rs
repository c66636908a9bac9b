//! Recording settings.

use std::path::PathBuf;

use serde::Deserialize;

/// The section `[gateway.recording]`. Nothing is recorded by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecordingConfig {
    /// Where exchanges are stored. Default: in `journal` if it is set, otherwise nowhere.
    pub store: Option<Store>,
    /// The `SQLite` file to store them in. It is created if it does not exist.
    pub journal: Option<PathBuf>,
    /// Number of exchanges to keep, the newest. Default: 200 in memory and 100,000 in a file.
    pub keep: Option<usize>,
    /// Maximum number of bytes to keep of a model's text, of the JSON that replaced it, and of a schema, each.
    /// All texts of one exchange share four times as many. Default: 64 kB.
    pub text_bytes: Option<usize>,
}

/// Where exchanges are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Store {
    /// Nowhere.
    #[default]
    Off,
    /// In memory, until the gateway stops.
    Memory,
    /// In the journal file.
    File,
}

/// Recording settings with defaults applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Recording {
    pub(crate) store: Store,
    pub(crate) journal: Option<PathBuf>,
    pub(crate) keep: usize,
    pub(crate) text_bytes: usize,
}

impl RecordingConfig {
    /// Applies the defaults. The error is the key at fault and a message.
    pub(super) fn resolve(&self) -> Result<Recording, (&'static str, String)> {
        let from_journal = if self.journal.is_some() { Store::File } else { Store::Off };
        let store = self.store.unwrap_or(from_journal);
        if store == Store::File && self.journal.is_none() {
            let message = "`store = \"file\"` needs a file: set `journal`";
            return Err(("store", message.to_owned()));
        }
        if store == Store::Memory && self.journal.is_some() {
            let message = "`journal` cannot be used with `store = \"memory\"`: remove one of them";
            return Err(("journal", message.to_owned()));
        }
        for (name, number) in [("keep", self.keep), ("text_bytes", self.text_bytes)] {
            if number == Some(0) {
                return Err((
                    name,
                    "expected at least 1, found 0; to record nothing, set `store = \"off\"`"
                        .to_owned(),
                ));
            }
        }
        let keep = self.keep.unwrap_or(if store == Store::Memory { 200 } else { 100_000 });
        let text_bytes = self.text_bytes.unwrap_or(64_000);
        Ok(Recording { store, journal: self.journal.clone(), keep, text_bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::{RecordingConfig, Store};

    fn resolve(text: &str) -> Result<(Store, usize, usize), &'static str> {
        let config: RecordingConfig = toml::from_str(text).unwrap();
        let recording = config.resolve().map_err(|(place, _)| place)?;
        Ok((recording.store, recording.keep, recording.text_bytes))
    }

    #[test]
    fn a_journal_is_enough_and_contradictions_are_errors() {
        let rows = [
            ("", Ok((Store::Off, 100_000, 64_000))),
            ("store = \"memory\"", Ok((Store::Memory, 200, 64_000))),
            ("journal = \"a.db\"\ntext_bytes = 9", Ok((Store::File, 100_000, 9))),
            ("journal = \"a.db\"\nstore = \"off\"", Ok((Store::Off, 100_000, 64_000))),
            ("store = \"memory\"\nkeep = 3", Ok((Store::Memory, 3, 64_000))),
            ("store = \"file\"", Err("store")),
            ("store = \"memory\"\njournal = \"a.db\"", Err("journal")),
            ("store = \"memory\"\nkeep = 0", Err("keep")),
            ("text_bytes = 0", Err("text_bytes")),
        ];
        for (text, expected) in rows {
            assert_eq!(resolve(text), expected, "{text}");
        }
    }
}
