//! A common trait for llmend and the engines that it is compared with.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::case::Answer;
use crate::data::{Data, quoted};

/// An answer with what only llmend says about it.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The value or the refusal.
    pub answer: Answer,
    /// The class of the gravest repair, where the engine has such a thing.
    pub class: Option<&'static str>,
    /// Whether the engine said that the text was cut off, where it can say so.
    pub truncated: Option<bool>,
    /// Whether a single byte of the text was changed, where the engine promises to keep valid text.
    pub changed: Option<bool>,
}

impl Reply {
    /// A reply of an engine that says nothing but its answer.
    #[must_use]
    pub fn plain(answer: Answer) -> Self {
        Self { answer, class: None, truncated: None, changed: None }
    }
}

/// Something that turns almost-JSON into a value.
pub trait Engine: Sync {
    /// Its name in the table.
    fn name(&self) -> &str;

    /// Answers each text, in order.
    ///
    /// # Errors
    /// When the engine cannot be run at all.
    fn run(&self, texts: &[&str]) -> Result<Vec<Reply>, String>;
}

/// Reads what an engine wrote.
#[must_use]
pub fn answer(text: &str) -> Answer {
    match Data::read(text) {
        Ok(value) => Answer::Value(value),
        Err(_) => Answer::NotJson(text.to_owned()),
    }
}

/// Asks `one` about every text, on four threads with room for deep recursion. A panic is a refusal.
#[cfg(feature = "llmend")]
fn on_threads(texts: &[&str], one: impl Fn(&str) -> Reply + Sync) -> Vec<Reply> {
    const STACK: usize = 512 << 20;
    let ask = |text: &str| {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| one(text)))
            .unwrap_or_else(|_| Reply::plain(Answer::Refused("panic".to_owned())))
    };
    let size = texts.len().div_ceil(4).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> = texts
            .chunks(size)
            .filter_map(|part| {
                let work = move || part.iter().map(|text| ask(text)).collect::<Vec<Reply>>();
                std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()
            })
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap_or_default()).collect()
    })
}

/// llmend itself, under its default options.
#[cfg(feature = "llmend")]
pub struct Llmend;

#[cfg(feature = "llmend")]
impl Engine for Llmend {
    fn name(&self) -> &'static str {
        "llmend"
    }

    fn run(&self, texts: &[&str]) -> Result<Vec<Reply>, String> {
        Ok(on_threads(texts, |text| match llmend_json::repair(text) {
            Ok(repaired) => Reply {
                answer: answer(&repaired.text),
                class: repaired.report.class.map(llmend_json::Class::as_str),
                truncated: Some(repaired.report.truncated()),
                changed: Some(repaired.text != text || !repaired.report.repairs.is_empty()),
            },
            Err(error) => Reply::plain(Answer::Refused(error.code().to_owned())),
        }))
    }
}

/// An adapter of the benchmark: a program that reads a request a line and writes a result a line, as
/// `docs/reference/benchmark.md` says.
pub struct Program {
    /// Its name in the table.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where it is run.
    pub folder: Option<PathBuf>,
}

impl Engine for Program {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, texts: &[&str]) -> Result<Vec<Reply>, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", self.name);
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let mut child = command.spawn().map_err(|error| failed(&error))?;
        let request = |text: &&str| format!("{{\"task\":\"repair\",\"text\":{}}}\n", quoted(text));
        let input: String = texts.iter().map(request).collect();
        let stdin = child.stdin.take();
        let writer =
            std::thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(input.as_bytes())));
        let output = child.wait_with_output().map_err(|error| failed(&error))?;
        drop(writer.join());
        if !output.status.success() {
            return Err(failed(&String::from_utf8_lossy(&output.stderr).trim()));
        }
        let replies: Vec<Reply> = String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(|line| Reply::plain(read_line(line)))
            .collect();
        if replies.len() == texts.len() {
            Ok(replies)
        } else {
            Err(failed(&format!("{} answers to {} texts", replies.len(), texts.len())))
        }
    }
}

fn read_line(line: &str) -> Answer {
    let Ok(row) = Data::read(line) else { return Answer::NotJson(line.to_owned()) };
    let text = |key| row.get(key).and_then(Data::as_text);
    match (row.get("value"), text("text"), text("refused")) {
        (Some(value), ..) => Answer::Value(value.clone()),
        (_, Some(text), _) => answer(text),
        (_, _, why) => Answer::Refused(why.unwrap_or("no value").to_owned()),
    }
}

/// Python's `json_repair`, run by this interpreter.
#[must_use]
pub fn json_repair(python: PathBuf) -> Program {
    adapter("json_repair", python, "run_json_repair.py", None)
}

/// JavaScript's `jsonrepair`, from the `node_modules` of this folder.
#[must_use]
pub fn jsonrepair(folder: PathBuf) -> Program {
    adapter("jsonrepair", "node".into(), "run_jsonrepair.mjs", Some(folder))
}

fn adapter(name: &str, program: PathBuf, file: &str, folder: Option<PathBuf>) -> Program {
    let adapters = concat!(env!("CARGO_MANIFEST_DIR"), "/../benches/tools/adapters/");
    Program { name: name.to_owned(), program, arguments: vec![format!("{adapters}{file}")], folder }
}
