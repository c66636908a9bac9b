//! What is kept of the exchanges?

use std::path::PathBuf;

use serde::Deserialize;

/// The section `[gateway.recording]`. Nothing is kept by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecordingConfig {
    /// Where exchanges are kept. By default in `journal`, where one is named, and else nowhere.
    pub store: Option<Store>,
    /// The file of `SQLite` in which they are kept. It is made if it is not there.
    pub journal: Option<PathBuf>,
    /// How many are kept, the newest ones: 200 in memory and 100,000 in a file by default.
    pub keep: Option<usize>,
    /// The most bytes that are kept of a text that a model wrote, of the JSON that was sent on in its place,
    /// and of a schema; four times as many of all of them together. 64 kB by default.
    pub text_bytes: Option<usize>,
}

/// Where exchanges are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Store {
    /// Nowhere.
    #[default]
    Off,
    /// In memory, until the gateway ends.
    Memory,
    /// In the journal, which stays.
    File,
}

/// What is kept of the exchanges, with all defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Where.
    pub store: Store,
    /// The file, where it is one.
    pub journal: Option<PathBuf>,
    /// How many.
    pub keep: usize,
    /// The most bytes of a text.
    pub text_bytes: usize,
}

impl RecordingConfig {
    /// With all defaults, or what is wrong: the key, and a sentence.
    pub(super) fn settled(&self) -> Result<Recording, (&'static str, String)> {
        let from_journal = if self.journal.is_some() { Store::File } else { Store::Off };
        let store = self.store.unwrap_or(from_journal);
        if store == Store::File && self.journal.is_none() {
            let message = "exchanges are to be kept in a file, and `journal` names none";
            return Err(("store", message.to_owned()));
        }
        if store == Store::Memory && self.journal.is_some() {
            let message = "exchanges are to be kept in memory, and a journal is a file";
            return Err(("journal", message.to_owned()));
        }
        for (name, number) in [("keep", self.keep), ("text_bytes", self.text_bytes)] {
            if number == Some(0) {
                return Err((name, "it is 0: to keep nothing, say `store = \"off\"`".to_owned()));
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

    fn settled(text: &str) -> Result<(Store, usize, usize), &'static str> {
        let config: RecordingConfig = toml::from_str(text).unwrap();
        let settled = config.settled().map_err(|(place, _)| place)?;
        Ok((settled.store, settled.keep, settled.text_bytes))
    }

    #[test]
    fn a_journal_is_enough_and_contradictions_are_told() {
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
            assert_eq!(settled(text), expected, "{text}");
        }
    }
}
