//! The file that keeps what servers refuse, from one run to the next.
//!
//! It has one JSON object with a member for each model. An entry that was not confirmed for a month
//! is ignored, since servers change. A file that cannot be read holds nothing: it only saves
//! requests.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::compatibility::Refused;

/// The time for which an entry counts.
const KEPT: Duration = Duration::from_hours(30 * 24);

/// What is known of one model.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Entry {
    /// When a refusal was last seen, in seconds since 1970.
    seen: u64,
    #[serde(flatten)]
    refused: Refused,
}

type Entries = BTreeMap<String, Entry>;

/// Held while the file is rewritten, so that no entry of this process is lost.
static WRITING: Mutex<()> = Mutex::new(());

/// Returns what the server of this model is known to refuse.
pub(crate) fn read(file: &Path, model: &str, now: SystemTime) -> Refused {
    entries(file, now).remove(model).unwrap_or_default().refused
}

/// Adds what was learned of a model. The file is replaced at once, so that no other process reads a
/// part of it.
pub(crate) fn add(
    file: &Path,
    model: &str,
    now: SystemTime,
    lesson: impl Fn(&mut Refused),
) -> io::Result<()> {
    let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut all = entries(file, now);
    let entry = all.entry(model.to_owned()).or_default();
    lesson(&mut entry.refused);
    entry.seen = seconds(now);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut beside = file.as_os_str().to_owned();
    beside.push(format!(".{}", std::process::id()));
    let beside = Path::new(&beside);
    fs::write(beside, serde_json::to_string_pretty(&all)? + "\n")?;
    fs::rename(beside, file)
}

fn entries(file: &Path, now: SystemTime) -> Entries {
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut all: Entries = serde_json::from_str(&text).unwrap_or_default();
    let oldest = seconds(now).saturating_sub(KEPT.as_secs());
    all.retain(|_, entry| entry.seen >= oldest);
    all
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use llmend_model::OutputMode;

    use super::{add, read};
    use crate::compatibility::Refused;

    #[test]
    fn an_entry_is_kept_for_a_month() {
        let folder = std::env::temp_dir().join(format!("llmend-refusals-{}", std::process::id()));
        let file = folder.join("deep").join("refusals.json");
        let now = SystemTime::now();
        assert_eq!(read(&file, "a", now), Refused::default());
        add(&file, "a", now, |refused| refused.add_mode(OutputMode::JsonSchema)).unwrap();
        add(&file, "a", now, |refused| refused.limit_output(100)).unwrap();
        add(&file, "b", now, |refused| refused.limit_output(7)).unwrap();
        let day = Duration::from_hours(24);
        let found = read(&file, "a", now + 29 * day);
        assert!(found.has_mode(OutputMode::JsonSchema));
        assert_eq!(found.output_tokens(Some(500)), Some(100));
        assert_eq!(read(&file, "b", now).output_tokens(Some(500)), Some(7));
        assert_eq!(read(&file, "a", now + 31 * day), Refused::default());
        // A file of another kind holds nothing, and is replaced.
        std::fs::write(&file, "[1").unwrap();
        assert_eq!(read(&file, "a", now), Refused::default());
        add(&file, "c", now, |refused| refused.limit_output(9)).unwrap();
        assert_eq!(read(&file, "c", now).output_tokens(Some(10)), Some(9));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
