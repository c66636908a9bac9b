//! How are exchanges kept in a file that stays?
//!
//! In `SQLite`, with its log written ahead: what was committed is there after the process was killed, and
//! half of what was not is left out when the file is opened. Whoever reads does not hold up whoever writes.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Row, Statement, Transaction, params,
};

use super::Outcome;
use super::kept::{Finding, Kept, Summary};
use crate::report;

/// What stands in the head of a journal, so that no other file of `SQLite` is taken for one: `llmj`.
const APPLICATION: i64 = 0x6c6c_6d6a;

/// The number of the form that is written here. It grows with each change that an older program cannot
/// read.
const FORM: i64 = 1;

/// The tables. The texts stand apart, so that whoever counts does not read them.
const TABLES: &str = "
CREATE TABLE exchange (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    model TEXT NOT NULL,
    status INTEGER,
    outcome TEXT NOT NULL,
    code TEXT,
    class TEXT,
    attempts INTEGER NOT NULL,
    repairs INTEGER NOT NULL,
    tokens_in INTEGER,
    tokens_out INTEGER,
    duration_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE finding (
    exchange INTEGER NOT NULL,
    name TEXT NOT NULL,
    class TEXT,
    count INTEGER NOT NULL
) STRICT;
CREATE INDEX finding_of_exchange ON finding (exchange);
CREATE TABLE parts (
    exchange INTEGER PRIMARY KEY,
    parts TEXT NOT NULL
) STRICT;
";

/// How long is waited for somebody else who writes the same file.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a reader waits.
const READING: Duration = Duration::from_secs(1);

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be opened.
    #[error("{0}")]
    File(#[from] io::Error),
    /// It is something else.
    #[error("this is no journal of llmend")]
    Foreign,
    /// A newer program wrote it.
    #[error(
        "a newer llmend wrote this journal (form {0}, and this one knows up to {FORM}): use that \
         one, or another file"
    )]
    Newer(i64),
    /// `SQLite` cannot do it: the disk is full, the file locked or damaged.
    #[error("{0}")]
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for JournalError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::Foreign,
            _ => Self::Sqlite(error),
        }
    }
}

/// A journal that is written.
#[derive(Debug)]
pub(crate) struct Journal {
    connection: Connection,
    keep: u64,
}

impl Journal {
    /// Opens the journal at `path`, and makes one that only its owner may read if nothing is there. At
    /// most `keep` exchanges stay in it.
    pub(crate) fn open(path: &Path, keep: usize) -> Result<Self, JournalError> {
        make(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        // Under a lock, since two that begin at once would both find it empty.
        let begun =
            connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        if is_empty(&begun)? {
            begun.execute_batch(TABLES)?;
            begun.pragma_update(None, "application_id", APPLICATION)?;
            begun.pragma_update(None, "user_version", FORM)?;
        }
        check(&begun)?;
        begun.commit()?;
        // What a killed process has committed stays. What the machine loses with its power may be the last
        // few exchanges, and never the file.
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "normal")?;
        Ok(Self { connection, keep: u64::try_from(keep).unwrap_or(u64::MAX) })
    }

    /// Keeps a few: all of them, or none and an error.
    pub(crate) fn add(&mut self, batch: &[Kept]) -> Result<(), JournalError> {
        let begun =
            self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let mut last = 0;
        {
            let mut inserts = Inserts::new(&begun)?;
            for kept in batch {
                last = inserts.add(&begun, kept)?;
            }
        }
        let oldest = last.saturating_sub_unsigned(self.keep);
        for sql in [
            "DELETE FROM exchange WHERE id <= ?",
            "DELETE FROM finding WHERE exchange <= ?",
            "DELETE FROM parts WHERE exchange <= ?",
        ] {
            begun.execute(sql, [oldest])?;
        }
        begun.commit()?;
        Ok(())
    }
}

/// Makes an empty file that only its owner may read, where there is none. One that is there stays as open
/// as it is, unless it is empty.
fn make(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    let what = file.metadata()?;
    if !what.is_file() {
        return Err(io::Error::other("this is no file"));
    }
    if what.len() == 0 { for_owner(&file) } else { Ok(()) }
}

#[cfg(unix)]
fn for_owner(file: &File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

#[cfg(not(unix))]
fn for_owner(_: &File) -> io::Result<()> {
    Ok(())
}

/// Whether nothing was ever written.
fn is_empty(connection: &Connection) -> Result<bool, rusqlite::Error> {
    connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}

/// Whether it is a journal that can be read.
fn check(connection: &Connection) -> Result<(), JournalError> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    if number("application_id")? != APPLICATION {
        return Err(JournalError::Foreign);
    }
    match number("user_version")? {
        form if form > FORM => Err(JournalError::Newer(form)),
        _ => Ok(()),
    }
}

/// What writes an exchange.
struct Inserts<'b> {
    exchange: Statement<'b>,
    finding: Statement<'b>,
    parts: Statement<'b>,
}

impl<'b> Inserts<'b> {
    fn new(begun: &'b Transaction<'_>) -> Result<Self, rusqlite::Error> {
        let exchange = "INSERT INTO exchange (at_ms, request_id, endpoint, model, status, outcome, \
                        code, class, attempts, repairs, tokens_in, tokens_out, duration_ms) \
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        Ok(Self {
            exchange: begun.prepare(exchange)?,
            finding: begun.prepare("INSERT INTO finding VALUES (?, ?, ?, ?)")?,
            parts: begun.prepare("INSERT INTO parts VALUES (?, ?)")?,
        })
    }

    /// Writes one, and gives its id.
    fn add(&mut self, begun: &Transaction<'_>, kept: &Kept) -> Result<i64, rusqlite::Error> {
        let Summary { at_ms, request_id, endpoint, model, status, outcome, code, class, .. } =
            &kept.summary;
        self.exchange.execute(params![
            signed(*at_ms),
            request_id,
            endpoint,
            model,
            status,
            outcome.as_str(),
            code,
            class.map(llmend::Class::as_str),
            kept.summary.attempts,
            kept.summary.repairs,
            kept.summary.tokens_in.map(signed),
            kept.summary.tokens_out.map(signed),
            signed(kept.summary.duration_ms),
        ])?;
        let id = begun.last_insert_rowid();
        for Finding { name, class, count } in &kept.findings {
            self.finding.execute(params![id, name, class.map(llmend::Class::as_str), count])?;
        }
        self.parts.execute(params![id, kept.parts])?;
        Ok(id)
    }
}

/// What `SQLite` has: no number without a sign.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A journal that is read, also while it is written.
#[derive(Debug)]
pub(crate) struct Reader {
    connection: Connection,
}

/// The columns of an exchange, as [`summary`] reads them.
const COLUMNS: &str = "id, at_ms, request_id, endpoint, model, status, outcome, code, class, attempts, \
                       repairs, tokens_in, tokens_out, duration_ms";

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        // SQLite says of a missing file only that it cannot be opened.
        File::open(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(READING)?;
        check(&connection)?;
        Ok(Self { connection })
    }

    /// The last `limit` exchanges before `before`, the newest first.
    pub(crate) fn list(
        &self,
        limit: usize,
        before: Option<u64>,
    ) -> Result<Vec<Summary>, JournalError> {
        let sql = format!("SELECT {COLUMNS} FROM exchange WHERE id < ? ORDER BY id DESC LIMIT ?");
        let before = before.map_or(i64::MAX, signed);
        let mut found = self.connection.prepare(&sql)?;
        let rows = found.query_map(params![before, signed(limit as u64)], summary)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Every exchange, the first one first, all as they are at one moment.
    pub(crate) fn each(&self, mut take: impl FnMut(report::Row)) -> Result<(), JournalError> {
        let begun = self.connection.unchecked_transaction()?;
        let sql = format!("SELECT {COLUMNS} FROM exchange ORDER BY id");
        let mut exchanges = begun.prepare(&sql)?;
        let mut of_one =
            begun.prepare("SELECT name, class, count FROM finding WHERE exchange = ?")?;
        for summary in exchanges.query_map([], summary)? {
            let summary = summary?;
            let findings = of_one.query_map([signed(summary.id)], finding)?;
            let findings = findings.collect::<Result<_, _>>()?;
            take(report::Row { summary, findings });
        }
        Ok(())
    }

    /// One exchange, if it is there.
    pub(crate) fn find(&self, id: u64) -> Result<Option<Kept>, JournalError> {
        let sql = format!(
            "SELECT {COLUMNS}, parts FROM exchange JOIN parts ON parts.exchange = id WHERE id = ?"
        );
        let kept = |row: &Row<'_>| {
            Ok(Kept { summary: summary(row)?, findings: Vec::new(), parts: row.get("parts")? })
        };
        Ok(self.connection.query_row(&sql, [signed(id)], kept).optional()?)
    }
}

fn finding(row: &Row<'_>) -> Result<Finding, rusqlite::Error> {
    let class: Option<String> = row.get("class")?;
    let class = class.and_then(|class| class.parse().ok());
    Ok(Finding { name: row.get("name")?, class, count: row.get("count")? })
}

fn summary(row: &Row<'_>) -> Result<Summary, rusqlite::Error> {
    let unsigned = |name| row.get::<_, i64>(name).map(i64::unsigned_abs);
    let tokens = |name| row.get::<_, Option<i64>>(name).map(|count| count.map(i64::unsigned_abs));
    let outcome: String = row.get("outcome")?;
    let class: Option<String> = row.get("class")?;
    Ok(Summary {
        id: unsigned("id")?,
        at_ms: unsigned("at_ms")?,
        request_id: row.get("request_id")?,
        endpoint: row.get("endpoint")?,
        model: row.get("model")?,
        status: row.get("status")?,
        // Whatever stands there was written by this form, or somebody has changed it.
        outcome: Outcome::from_word(&outcome).unwrap_or(Outcome::Failed),
        code: row.get("code")?,
        class: class.and_then(|class| class.parse().ok()),
        attempts: row.get("attempts")?,
        repairs: row.get("repairs")?,
        tokens_in: tokens("tokens_in")?,
        tokens_out: tokens("tokens_out")?,
        duration_ms: unsigned("duration_ms")?,
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::atomic::Ordering;

    use super::super::{Counts, Store};
    use super::{Journal, Reader};
    use crate::recording::kept::{Kept, Summary};
    use crate::recording::{Finding, Outcome};

    /// A path in a folder of this test alone.
    fn path(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("llmend-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder.join("journal.db")
    }

    fn kept(size: usize) -> Kept {
        let summary = Summary {
            id: 0,
            at_ms: 5,
            request_id: "llmend-1".to_owned(),
            endpoint: "chat".to_owned(),
            model: "m".to_owned(),
            status: None,
            outcome: Outcome::ClientGone,
            code: Some("why".to_owned()),
            class: Some(llmend::Class::Guess),
            attempts: 2,
            repairs: 1,
            tokens_in: None,
            tokens_out: Some(u64::MAX),
            duration_ms: 9,
        };
        let finding = Finding { name: "rule".to_owned(), class: None, count: 3 };
        Kept { summary, findings: vec![finding], parts: format!("[\"{}\"]", "x".repeat(size)) }
    }

    #[test]
    fn what_is_written_is_read() {
        let path = path("written");
        let mut journal = Journal::open(&path, 9).unwrap();
        journal.add(&[kept(3), kept(0)]).unwrap();
        let reader = Reader::open(&path).unwrap();
        let mut expected = kept(3);
        expected.findings.clear();
        (expected.summary.id, expected.summary.tokens_out) = (1, Some(i64::MAX.unsigned_abs()));
        assert_eq!(reader.find(1).unwrap(), Some(expected.clone()));
        assert_eq!(reader.list(9, Some(2)).unwrap(), [expected.summary]);
        assert_eq!(reader.find(3).unwrap(), None);
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }

    #[test]
    fn a_full_disk_is_counted_and_forgotten_once_there_is_room() {
        let path = path("full");
        let journal = Journal::open(&path, 9).unwrap();
        // To SQLite a file that may not grow and a disk without room are the same.
        journal.connection.pragma_update(None, "max_page_count", 12).unwrap();
        let (mut store, counts) = (Store::File(journal), Counts::default());
        store.add(vec![kept(9), kept(100_000)], &counts);
        let told = || {
            let trouble = counts.trouble.lock().unwrap().clone().unwrap_or_default();
            let (kept, dropped) =
                (counts.kept.load(Ordering::Relaxed), counts.dropped.load(Ordering::Relaxed));
            (kept, dropped, trouble)
        };
        assert_eq!(told(), (0, 2, "database or disk is full".to_owned()));
        store.add(vec![kept(9)], &counts);
        assert_eq!(told(), (1, 2, String::new()));
        assert_eq!(Reader::open(&path).unwrap().list(9, None).unwrap().len(), 1);
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }
}
