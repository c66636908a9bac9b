//! The file that keeps what servers refuse, from one run to the next.
//!
//! It has one JSON object with the version of its format and a member for each model. An entry that
//! was not confirmed for a month is ignored, since servers change. A file that llmend did not write is
//! neither read nor replaced.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::compatibility::Refused;

/// The time for which an entry counts.
const KEPT: Duration = Duration::from_hours(30 * 24);

/// The version of the format.
const VERSION: u32 = 1;

/// The contents of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    llmend_refusals: u32,
    models: BTreeMap<String, Entry>,
}

/// What is known of one model.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Entry {
    /// When a refusal was last seen, in seconds since 1970.
    seen: u64,
    #[serde(flatten)]
    refused: Refused,
}

/// Held while the file is rewritten, so that no entry of this process is lost.
static WRITING: Mutex<()> = Mutex::new(());

/// Returns what the server of this model is known to refuse. Fails if the file is not one of llmend's.
pub(crate) fn read(file: &Path, model: &str, now: SystemTime) -> io::Result<Refused> {
    Ok(contents(file, now)?.models.remove(model).unwrap_or_default().refused)
}

/// Adds what was learned of a model. The file is replaced at once, so that no other process reads a
/// part of it, and only its owner may read it.
pub(crate) fn add(
    file: &Path,
    model: &str,
    now: SystemTime,
    lesson: impl Fn(&mut Refused),
) -> io::Result<()> {
    let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    // A link stays one.
    let target = fs::canonicalize(file);
    let file = target.as_deref().unwrap_or(file);
    let mut all = contents(file, now)?;
    let entry = all.models.entry(model.to_owned()).or_default();
    lesson(&mut entry.refused);
    entry.seen = seconds(now);
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut new = NamedTempFile::new_in(folder)?;
    new.write_all((serde_json::to_string_pretty(&all)? + "\n").as_bytes())?;
    new.as_file().sync_all()?;
    new.persist(file)?;
    Ok(())
}

/// Reads the file. One that is missing or empty holds nothing.
fn contents(file: &Path, now: SystemTime) -> io::Result<Contents> {
    let bytes = match fs::read(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        bytes => bytes?,
    };
    if bytes.is_empty() {
        return Ok(Contents { llmend_refusals: VERSION, models: BTreeMap::new() });
    }
    let read = serde_json::from_slice::<Contents>(&bytes).ok();
    let mut all = read.filter(|all| all.llmend_refusals == VERSION).ok_or_else(|| {
        let message =
            "expected a file of refusals written by this version of llmend, found another file";
        io::Error::new(ErrorKind::InvalidData, message)
    })?;
    let oldest = seconds(now).saturating_sub(KEPT.as_secs());
    all.models.retain(|_, entry| entry.seen >= oldest);
    Ok(all)
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::time::{Duration, SystemTime};

    use llmend_model::OutputMode;

    use super::{add, read};
    use crate::compatibility::Refused;

    /// An empty folder of this test.
    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("llmend-refusals-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn an_entry_is_kept_for_a_month() {
        let folder = folder("month");
        let file = folder.join("deep").join("refusals.json");
        let now = SystemTime::now();
        let read = |model: &str, now| read(&file, model, now).unwrap();
        assert_eq!(read("a", now), Refused::default());
        add(&file, "a", now, |refused| refused.add_mode(OutputMode::JsonSchema)).unwrap();
        add(&file, "a", now, |refused| refused.limit_output(100)).unwrap();
        add(&file, "a", now, |refused| refused.add_schema("k", &[OutputMode::ForcedTool])).unwrap();
        add(&file, "b", now, |refused| refused.limit_output(7)).unwrap();
        let day = Duration::from_hours(24);
        let found = read("a", now + 29 * day);
        assert!(found.has_mode(OutputMode::JsonSchema));
        assert!(found.has_mode_for(OutputMode::ForcedTool, "k"));
        assert!(!found.has_mode_for(OutputMode::ForcedTool, "l"));
        assert_eq!(found.output_tokens(Some(500)), Some(100));
        assert_eq!(read("b", now).output_tokens(Some(500)), Some(7));
        assert_eq!(read("a", now + 31 * day), Refused::default());
        let left: Vec<_> = fs::read_dir(file.parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_of_another_kind_is_left_as_it_is() {
        let folder = folder("foreign");
        let now = SystemTime::now();
        let rows: [(&str, bool); 8] = [
            ("", true),
            (r#"{"llmend_refusals": 1, "models": {}}"#, true),
            (r#"{"llmend_refusals": 2, "models": {}}"#, false),
            (r#"{"llmend_refusals": 1, "models": {}, "mine": 1}"#, false),
            ("{}", false),
            (r#"{"a": {"seen": 1}}"#, false),
            ("[1", false),
            ("my only notes", false),
        ];
        for (text, is_own) in rows {
            let file = folder.join("file");
            fs::write(&file, text).unwrap();
            assert_eq!(read(&file, "a", now).is_ok(), is_own, "{text}");
            let added = add(&file, "c", now, |refused| refused.limit_output(9));
            assert_eq!(added.is_ok(), is_own, "{text}");
            assert_eq!(fs::read_to_string(&file).unwrap() == text, !is_own, "{text}");
        }
        // Bytes that are no text, and a folder.
        let file = folder.join("bytes");
        fs::write(&file, b"\xff\xfe").unwrap();
        assert!(read(&file, "a", now).is_err() && read(&folder, "a", now).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read_it_and_a_link_stays_one() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = folder("mode");
        let (file, link) = (folder.join("file"), folder.join("link"));
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        symlink(&file, &link).unwrap();
        add(&link, "c", SystemTime::now(), |refused| refused.limit_output(9)).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        fs::remove_dir_all(&folder).unwrap();
    }
}
