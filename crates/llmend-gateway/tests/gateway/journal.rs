//! Journal files: durable, private to their owner, and never in the way of an answer.

use std::path::{Path, PathBuf};

use llmend_gateway::report::{Filter, read};
use llmend_gateway::{Config, Gateway, Settings};
use llmend_model_server::{Answer, ModelServer};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::calls::CALL;
use crate::rig::{CHAT, Rig, offers_tool, rig_with, wants_city};

/// A folder of its own for each test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("journal-{name}"));
    if folder.exists() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn config(path: &Path) -> String {
    format!("[gateway.recording]\njournal = \"{}\"\n", path.display())
}

async fn keeping(path: &Path, answers: usize) -> Rig {
    let turns = (0..answers).map(|_| Answer::text("{'city': 'Oslo'}").into());
    rig_with(&config(path), ModelServer::scripted(turns)).await
}

async fn ids(rig: &Rig) -> Vec<u64> {
    let got = rig.get("/v1/exchanges").await.json();
    assert_eq!(got["recording"], "file");
    let rows = got["exchanges"].as_array().unwrap_or_else(|| panic!("{got}"));
    rows.iter().map(|row| row["id"].as_u64().unwrap()).collect()
}

/// Why a gateway with this journal does not start.
async fn refused(path: &Path) -> String {
    let text = config(path) + "[gateway.upstreams.a]\nbase_url = \"http://127.0.0.1:1\"";
    let mut config = Config::from_toml(&text).unwrap();
    config.listen = "127.0.0.1:0".parse().unwrap();
    let settings = Settings::new(&config, |_| None).unwrap();
    Gateway::bind(settings).await.unwrap_err().to_string()
}

#[tokio::test]
async fn exchanges_outlive_the_gateway() {
    let path = folder("restart").join("journal.db");
    let mut rig = keeping(&path, 2).await;
    rig.chat(&wants_city(false)).await;
    rig.chat(&wants_city(true)).await;
    // Nobody asked for what is kept before it stops.
    rig.stop().await;
    drop(rig);
    // All of it is in one file then, which can be copied.
    assert!(!path.with_file_name("journal.db-wal").exists());
    let rig = keeping(&path, 1).await;
    assert_eq!(ids(&rig).await, [2, 1]);
    rig.chat(&wants_city(false)).await;
    assert_eq!(ids(&rig).await, [3, 2, 1]);
    let kept = rig.get("/v1/exchanges/2").await.json();
    assert_eq!(
        (&kept["outcome"], &kept["class"], &kept["tokens_in"]),
        (&json!("repaired"), &json!("notation"), &json!(11))
    );
    let part = &kept["parts"][0];
    assert_eq!(
        (&part["text"], &part["json"]),
        (&json!("{'city': 'Oslo'}"), &json!("{\"city\": \"Oslo\"}"))
    );
    assert_eq!(part["repairs"][0]["rule"], "single-quotes");
    assert_eq!(rig.get("/v1/exchanges/4").await.status, 404);
    let page = rig.get("/v1/exchanges?limit=1&before=3").await.json();
    assert_eq!((&page["exchanges"][0]["id"], &page["next"]), (&json!(2), &json!(2)));
}

#[tokio::test]
async fn a_report_says_what_was_kept_back() {
    let path = folder("kept").join("journal.db");
    let mention = format!("Do not run this:\n{CALL}");
    let turns = [mention.as_str(), CALL].map(|text| Answer::text(text).into());
    let mut rig = rig_with(&config(&path), ModelServer::scripted(turns)).await;
    rig.chat(&offers_tool(false)).await;
    rig.chat(&offers_tool(true)).await;
    rig.stop().await;
    let report = read(&path, &Filter::default(), &|_| None).unwrap();
    let expected = "100 % of calls came as text, all read; 1 kept back as no calls";
    assert_eq!(report.models[0].calls_line().as_deref(), Some(expected));
}

#[cfg(unix)]
#[tokio::test]
async fn only_its_owner_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("mode");
    let path = folder.join("journal.db");
    // An empty file that somebody made before is no more open than one that is made here.
    std::fs::write(&path, "").unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    let rig = keeping(&path, 1).await;
    rig.chat(&wants_city(false)).await;
    assert_eq!(ids(&rig).await, [1]);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{:?}", entry.file_name());
        names.push(entry.file_name().into_string().unwrap());
    }
    assert!(names.contains(&"journal.db-wal".to_owned()), "{names:?}");
}

#[tokio::test]
async fn a_half_written_file_opens() {
    let folder = folder("killed");
    let path = folder.join("journal.db");
    let rig = keeping(&path, 3).await;
    for number in 1..=3 {
        rig.chat(&wants_city(false)).await;
        assert_eq!(ids(&rig).await.len(), number);
    }
    // What is on the disk while it runs is what a killed process leaves behind.
    let wal = std::fs::read(folder.join("journal.db-wal")).unwrap();
    let mut found = Vec::new();
    for part in 0..=8 {
        let left = folder.join(format!("left-{part}.db"));
        std::fs::copy(&path, &left).unwrap();
        let at = wal.len() * part / 8;
        std::fs::write(folder.join(format!("left-{part}.db-wal")), &wal[..at]).unwrap();
        let rig = keeping(&left, 1).await;
        let before = ids(&rig).await;
        assert!(before.iter().rev().copied().eq(1..=before.len() as u64), "{before:?}");
        rig.chat(&wants_city(false)).await;
        assert_eq!(ids(&rig).await.len(), before.len() + 1);
        found.push(before.len());
    }
    assert!(found.is_sorted() && found.first() < found.last(), "{found:?}");
    assert_eq!(found.last(), Some(&3));
}

#[tokio::test]
async fn foreign_and_newer_files_are_rejected() {
    let folder = folder("refused");
    let newer = folder.join("newer.db");
    drop(keeping(&newer, 0).await);
    Connection::open(&newer).unwrap().pragma_update(None, "user_version", 7).unwrap();
    let foreign = folder.join("foreign.db");
    Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE mine (a)").unwrap();
    let text = folder.join("text.db");
    std::fs::write(&text, "no database at all, but a text of some length\n".repeat(99)).unwrap();
    let rows = [
        (newer, "unsupported journal format 7, expected at most 2"),
        (foreign, "not a journal of llmend"),
        (text, "not a journal of llmend"),
    ];
    for (path, expected) in rows {
        let before = std::fs::read(&path).unwrap();
        let message = refused(&path).await;
        assert!(message.contains(expected), "{message}");
        assert!(message.starts_with(&path.display().to_string()), "{message}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "{message}");
    }
    assert!(refused(&folder).await.contains("directory"), "a folder");
    assert!(!refused(&folder.join("none/journal.db")).await.is_empty());
}

#[tokio::test]
async fn the_newest_exchanges_stay() {
    let path = folder("keep").join("journal.db");
    let turns = (0..5).map(|_| Answer::text("{'city': 'Oslo'}").into());
    let text = config(&path) + "keep = 2";
    let rig = rig_with(&text, ModelServer::scripted(turns)).await;
    for _ in 0..5 {
        rig.chat(&wants_city(false)).await;
        assert!(ids(&rig).await.len() <= 2);
    }
    assert_eq!(ids(&rig).await, [5, 4]);
    let counts = |table: &str| -> i64 {
        let sql = format!("SELECT count(*) FROM {table}");
        Connection::open(&path).unwrap().query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    assert_eq!((counts("parts"), counts("finding")), (2, 2));
}

#[tokio::test]
async fn a_locked_file_delays_no_answer() {
    let path = folder("locked").join("journal.db");
    let rig = keeping(&path, 30).await;
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for _ in 0..30 {
        let got = rig.chat(&wants_city(false)).await;
        assert_eq!((got.status, got.json()["id"].is_string()), (200, true));
    }
    // What is there already can be read meanwhile.
    let seen: i64 = other.query_row("SELECT count(*) FROM exchange", [], |row| row.get(0)).unwrap();
    assert_eq!(seen, 0);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(ids(&rig).await.len(), 30);
}

#[tokio::test]
async fn the_file_contains_no_key() {
    let folder = folder("keys");
    let path = folder.join("journal.db");
    let key = "sk-planted-0123456789abcdef";
    let rig = keeping(&path, 2).await;
    for headers in [format!("authorization: Bearer {key}\r\n"), format!("x-api-key: {key}\r\n")] {
        let got = rig.ask("POST", CHAT, &headers, &wants_city(false).to_string()).await;
        assert_eq!(got.status, 200);
    }
    assert_eq!(ids(&rig).await.len(), 2);
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        bytes.extend(std::fs::read(entry.unwrap().path()).unwrap());
    }
    let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(holds("{'city': 'Oslo'}"), "what the model wrote is there");
    for absent in ["planted", "Bearer", "authorization", "A city?"] {
        assert!(!holds(absent), "{absent}");
    }
}

#[tokio::test]
async fn later_damage_is_reported_and_answers_continue() {
    let path = folder("damaged").join("journal.db");
    let rig = keeping(&path, 1).await;
    let other = Connection::open(&path).unwrap();
    other.execute_batch("DROP TABLE finding").unwrap();
    assert_eq!(rig.chat(&wants_city(false)).await.status, 200);
    let got: Value = rig.get("/v1/exchanges").await.json();
    assert_eq!((&got["dropped"], &got["exchanges"]), (&json!(1), &json!([])));
    assert!(got["trouble"].as_str().unwrap().contains("finding"), "{got}");
    let metrics = rig.get("/metrics").await.body;
    assert!(metrics.contains("llmend_recording_dropped_total 1\n"), "{metrics}");
}
