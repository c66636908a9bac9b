//! Peak memory of a long stream that only reports events.
//!
//! Measured in a separate process, which streams a text of 100 MB and reports its peak memory. Only
//! Linux provides that figure.

use std::process::Command;

use llmend_benches::defect::Defect;
use llmend_benches::document::Document;
use llmend_benches::engine::tell;
use llmend_benches::node::Layout;
use llmend_benches::table::Table;

/// Argument that makes a process of this program measure itself.
const ASKED: &str = "LLMEND_BENCH_PEAK";

const TEXT: usize = 100_000_000;

/// Size of the document from which the text is made, in bytes.
const PART: usize = 20_000;

const CHUNK: usize = 20;

/// The texts: valid text, and the defects.
const TEXTS: [Option<Defect>; 5] = [
    None,
    Some(Defect::TrailingComma),
    Some(Defect::SingleQuotes),
    Some(Defect::Comments),
    Some(Defect::InnerQuotes),
];

fn name(defect: Option<Defect>) -> &'static str {
    defect.map_or("valid", Defect::name)
}

/// Runs the requested measurement, if there is one.
pub(crate) fn measure_if_asked() -> bool {
    let Ok(asked) = std::env::var(ASKED) else { return false };
    let defect = TEXTS.into_iter().find(|&it| name(it) == asked).flatten();
    let part = {
        let document = Document::generate(PART, Layout::Pretty);
        defect.map_or_else(|| document.text(), |defect| defect.apply(&document).text)
    };
    let before = peak();
    let parts = std::iter::repeat_n([part.as_str(), ",\n"], TEXT / part.len()).flatten();
    let pieces = ["{\"answers\": ["].into_iter().chain(parts).chain(["null]}"]);
    match tell(pieces, CHUNK) {
        Ok(events) => println!("{events} events, {before} kB before, {} kB at most", peak()),
        Err(error) => println!("refused: {error}"),
    }
    true
}

/// Returns the peak memory of this process, in kilobytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Runs a process for each text.
pub(crate) fn table() -> Table {
    let mut table = Table::new(2, &["100 MB, events only", "memory"]);
    for defect in TEXTS {
        eprintln!("100 MB, {}", name(defect));
        let told = std::env::current_exe()
            .and_then(|program| Command::new(program).env(ASKED, name(defect)).output())
            .map_or_else(
                |error| error.to_string(),
                |out| String::from_utf8_lossy(&out.stdout).into(),
            );
        table.row(vec![name(defect).to_owned(), told.trim().to_owned()]);
    }
    table
}
