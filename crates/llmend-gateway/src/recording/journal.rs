//! Journal file in `SQLite`.
//!
//! With write-ahead logging, committed exchanges survive a killed process, incomplete ones are discarded when
//! the file is opened, and readers do not block the writer.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Row, Statement, Transaction, params,
};

use super::Outcome;
use super::entry::{CallCounts, Entry, Finding, Summary};

/// `SQLite` application id that identifies a journal: `llmj`.
const APPLICATION: i64 = 0x6c6c_6d6a;

/// Version of the format, which grows with each change that older versions cannot read.
const FORMAT: i64 = 2;

/// The tables. Texts have a table of their own, so that reports do not read them.
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
    calls INTEGER NOT NULL,
    calls_from_text INTEGER NOT NULL,
    calls_unread INTEGER NOT NULL,
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

/// What the first format lacked.
const ADDED: &str = "
ALTER TABLE exchange ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE exchange ADD COLUMN calls_from_text INTEGER NOT NULL DEFAULT 0;
ALTER TABLE exchange ADD COLUMN calls_unread INTEGER NOT NULL DEFAULT 0;
";

/// How long the writer waits for a locked file.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a reader waits for a locked file.
const READ_TIMEOUT: Duration = Duration::from_secs(1);

/// The journal cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be opened.
    #[error("{0}")]
    File(#[from] io::Error),
    /// The file is not a journal.
    #[error("not a journal of llmend")]
    Foreign,
    /// A newer version wrote the journal, in this format.
    #[error(
        "unsupported journal format {0}, expected at most {FORMAT}: upgrade llmend, or use another file"
    )]
    Newer(i64),
    /// `SQLite` failed: for example, the disk is full, or the file is locked or damaged.
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

/// A journal open for writing.
#[derive(Debug)]
pub(crate) struct Journal {
    connection: Connection,
    keep: u64,
}

impl Journal {
    /// Opens the journal at `path`, or creates one that only its owner can read. Only the newest `keep`
    /// exchanges stay in it.
    pub(crate) fn open(path: &Path, keep: usize) -> Result<Self, JournalError> {
        create(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(WRITE_TIMEOUT)?;
        // Under a lock, since two processes that start at once would both find the file empty.
        let transaction =
            connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        if is_empty(&transaction)? {
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", FORMAT)?;
        }
        if check(&transaction)? < FORMAT {
            transaction.execute_batch(ADDED)?;
            transaction.pragma_update(None, "user_version", FORMAT)?;
        }
        transaction.commit()?;
        // Committed exchanges survive a killed process. A power failure can lose the last few exchanges, but
        // never damages the file.
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "normal")?;
        Ok(Self { connection, keep: u64::try_from(keep).unwrap_or(u64::MAX) })
    }

    /// Writes a batch, all of it or nothing.
    pub(crate) fn add(&mut self, batch: &[Entry]) -> Result<(), JournalError> {
        let transaction =
            self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let mut last = 0;
        {
            let mut inserts = Inserts::new(&transaction)?;
            for entry in batch {
                last = inserts.add(&transaction, entry)?;
            }
        }
        let oldest = last.saturating_sub_unsigned(self.keep);
        for sql in [
            "DELETE FROM exchange WHERE id <= ?",
            "DELETE FROM finding WHERE exchange <= ?",
            "DELETE FROM parts WHERE exchange <= ?",
        ] {
            transaction.execute(sql, [oldest])?;
        }
        transaction.commit()?;
        Ok(())
    }
}

/// Creates an empty file that only its owner can read. An existing file keeps its permissions, unless it is
/// empty.
fn create(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    if metadata.len() == 0 { restrict_to_owner(&file) } else { Ok(()) }
}

#[cfg(unix)]
fn restrict_to_owner(file: &File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

#[cfg(not(unix))]
fn restrict_to_owner(_: &File) -> io::Result<()> {
    Ok(())
}

/// Whether the database has no tables.
fn is_empty(connection: &Connection) -> Result<bool, rusqlite::Error> {
    connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}

/// Checks that the file is a journal in a supported format, which is returned.
fn check(connection: &Connection) -> Result<i64, JournalError> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    if number("application_id")? != APPLICATION {
        return Err(JournalError::Foreign);
    }
    match number("user_version")? {
        format if format > FORMAT => Err(JournalError::Newer(format)),
        format => Ok(format),
    }
}

/// Prepared statements that write an exchange.
struct Inserts<'t> {
    exchange: Statement<'t>,
    finding: Statement<'t>,
    parts: Statement<'t>,
}

impl<'t> Inserts<'t> {
    fn new(transaction: &'t Transaction<'_>) -> Result<Self, rusqlite::Error> {
        let exchange = "INSERT INTO exchange (at_ms, request_id, endpoint, model, status, outcome, \
                        code, class, attempts, repairs, calls, calls_from_text, calls_unread, \
                        tokens_in, tokens_out, duration_ms) \
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        Ok(Self {
            exchange: transaction.prepare(exchange)?,
            finding: transaction.prepare("INSERT INTO finding VALUES (?, ?, ?, ?)")?,
            parts: transaction.prepare("INSERT INTO parts VALUES (?, ?)")?,
        })
    }

    /// Writes an exchange and returns its id.
    fn add(
        &mut self,
        transaction: &Transaction<'_>,
        entry: &Entry,
    ) -> Result<i64, rusqlite::Error> {
        let Summary { at_ms, request_id, endpoint, model, status, outcome, code, class, .. } =
            &entry.summary;
        self.exchange.execute(params![
            signed(*at_ms),
            request_id,
            endpoint,
            model,
            status,
            outcome.as_str(),
            code,
            class.map(llmend::Class::as_str),
            entry.summary.attempts,
            entry.summary.repairs,
            entry.summary.calls.all,
            entry.summary.calls.from_text,
            entry.summary.calls.unread,
            entry.summary.tokens_in.map(signed),
            entry.summary.tokens_out.map(signed),
            signed(entry.summary.duration_ms),
        ])?;
        let id = transaction.last_insert_rowid();
        for Finding { name, class, count } in &entry.findings {
            self.finding.execute(params![id, name, class.map(llmend::Class::as_str), count])?;
        }
        self.parts.execute(params![id, entry.parts])?;
        Ok(id)
    }
}

/// Converts to the signed integers of `SQLite`.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A journal open for reading, also while it is written.
#[derive(Debug)]
pub(crate) struct Reader {
    connection: Connection,
    format: i64,
}

/// Columns of an exchange, as read by [`summary`].
const COLUMNS: &str = "id, at_ms, request_id, endpoint, model, status, outcome, code, class, attempts, \
                       repairs, tokens_in, tokens_out, duration_ms";

/// The columns that the first format lacks, and what stands for them there.
const CALLS: &str = "calls, calls_from_text, calls_unread";
const NO_CALLS: &str = "0 AS calls, 0 AS calls_from_text, 0 AS calls_unread";

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Self, JournalError> {
        // Gives a better error for a missing file than SQLite does.
        File::open(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(READ_TIMEOUT)?;
        let format = check(&connection)?;
        Ok(Self { connection, format })
    }

    fn columns(&self) -> String {
        let calls = if self.format == FORMAT { CALLS } else { NO_CALLS };
        format!("{COLUMNS}, {calls}")
    }

    /// Lists up to `limit` exchanges with an id below `before`, newest first.
    pub(crate) fn list(
        &self,
        limit: usize,
        before: Option<u64>,
    ) -> Result<Vec<Summary>, JournalError> {
        let columns = self.columns();
        let sql = format!("SELECT {columns} FROM exchange WHERE id < ? ORDER BY id DESC LIMIT ?");
        let before = before.map_or(i64::MAX, signed);
        let mut found = self.connection.prepare(&sql)?;
        let rows = found.query_map(params![before, signed(limit as u64)], summary)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Passes every exchange to `take`, oldest first, in one consistent snapshot.
    pub(crate) fn each(
        &self,
        mut take: impl FnMut(Summary, Vec<Finding>),
    ) -> Result<(), JournalError> {
        let transaction = self.connection.unchecked_transaction()?;
        let sql = format!("SELECT {} FROM exchange ORDER BY id", self.columns());
        let mut exchanges = transaction.prepare(&sql)?;
        let mut of_one =
            transaction.prepare("SELECT name, class, count FROM finding WHERE exchange = ?")?;
        for summary in exchanges.query_map([], summary)? {
            let summary = summary?;
            let findings = of_one.query_map([signed(summary.id)], finding)?;
            let findings = findings.collect::<Result<_, _>>()?;
            take(summary, findings);
        }
        Ok(())
    }

    /// Returns an exchange by id.
    pub(crate) fn find(&self, id: u64) -> Result<Option<Entry>, JournalError> {
        let sql = format!(
            "SELECT {}, parts FROM exchange JOIN parts ON parts.exchange = id WHERE id = ?",
            self.columns()
        );
        let entry = |row: &Row<'_>| {
            Ok(Entry { summary: summary(row)?, findings: Vec::new(), parts: row.get("parts")? })
        };
        Ok(self.connection.query_row(&sql, [signed(id)], entry).optional()?)
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
        // An unknown outcome means that somebody edited the file.
        outcome: Outcome::from_name(&outcome).unwrap_or(Outcome::Failed),
        code: row.get("code")?,
        class: class.and_then(|class| class.parse().ok()),
        attempts: row.get("attempts")?,
        repairs: row.get("repairs")?,
        calls: CallCounts {
            all: row.get("calls")?,
            from_text: row.get("calls_from_text")?,
            unread: row.get("calls_unread")?,
        },
        tokens_in: tokens("tokens_in")?,
        tokens_out: tokens("tokens_out")?,
        duration_ms: unsigned("duration_ms")?,
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::atomic::Ordering;

    use super::super::{Counts, Sink};
    use rusqlite::Connection;

    use super::{APPLICATION, Journal, Reader, TABLES};
    use crate::recording::Outcome;
    use crate::recording::entry::{CallCounts, Entry, Finding, Summary};

    /// Returns a path in a folder for one test.
    fn path(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("llmend-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder.join("journal.db")
    }

    fn entry(size: usize) -> Entry {
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
            calls: CallCounts { all: 3, from_text: 2, unread: 1 },
            tokens_in: None,
            tokens_out: Some(u64::MAX),
            duration_ms: 9,
        };
        let finding = Finding { name: "rule".to_owned(), class: None, count: 3 };
        Entry { summary, findings: vec![finding], parts: format!("[\"{}\"]", "x".repeat(size)) }
    }

    #[test]
    fn written_exchanges_can_be_read() {
        let path = path("written");
        let mut journal = Journal::open(&path, 9).unwrap();
        journal.add(&[entry(3), entry(0)]).unwrap();
        let reader = Reader::open(&path).unwrap();
        let mut expected = entry(3);
        expected.findings.clear();
        (expected.summary.id, expected.summary.tokens_out) = (1, Some(i64::MAX.unsigned_abs()));
        assert_eq!(reader.find(1).unwrap(), Some(expected.clone()));
        assert_eq!(reader.list(9, Some(2)).unwrap(), [expected.summary]);
        assert_eq!(reader.find(3).unwrap(), None);
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }

    #[test]
    fn a_journal_of_the_first_format_is_read_and_continued() {
        let path = path("first-format");
        let first = TABLES.replace("calls INTEGER NOT NULL,", "");
        let first = first.replace("calls_from_text INTEGER NOT NULL,", "");
        let first = first.replace("calls_unread INTEGER NOT NULL,", "");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(&first).unwrap();
        let old = "INSERT INTO exchange (at_ms, request_id, endpoint, model, outcome, attempts, \
                   repairs, duration_ms) VALUES (1, 'r', 'chat', 'm', 'repaired', 1, 2, 3)";
        connection.execute(old, []).unwrap();
        connection.pragma_update(None, "application_id", APPLICATION).unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
        drop(connection);
        let calls = || {
            let rows = Reader::open(&path).unwrap().list(9, None).unwrap();
            rows.iter().map(|row| row.calls.all).collect::<Vec<_>>()
        };
        assert_eq!(calls(), [0]);
        Journal::open(&path, 9).unwrap().add(&[entry(0)]).unwrap();
        assert_eq!(calls(), [3, 0]);
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }

    #[test]
    fn a_full_disk_is_reported_until_there_is_room() {
        let path = path("full");
        let journal = Journal::open(&path, 9).unwrap();
        // SQLite reports the same error for a file that must not grow as for a full disk.
        journal.connection.pragma_update(None, "max_page_count", 12).unwrap();
        let (mut sink, counts) = (Sink::File(journal), Counts::default());
        sink.add(vec![entry(9), entry(100_000)], &counts);
        let state = || {
            let trouble = counts.trouble.lock().unwrap().clone().unwrap_or_default();
            let (recorded, dropped) =
                (counts.recorded.load(Ordering::Relaxed), counts.dropped.load(Ordering::Relaxed));
            (recorded, dropped, trouble)
        };
        assert_eq!(state(), (0, 2, "database or disk is full".to_owned()));
        sink.add(vec![entry(9)], &counts);
        assert_eq!(state(), (1, 2, String::new()));
        assert_eq!(Reader::open(&path).unwrap().list(9, None).unwrap().len(), 1);
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }
}
