//! The fixtures: one JSON object a line.

use std::{fs, path::Path};

use llmend_calls::Tools;
use serde_json::Value as Json;

/// Returns every fixture with its tools.
pub(crate) fn fixtures() -> Vec<(Json, Tools)> {
    let folder = std::env::var("CALLS_FIXTURES").map_or_else(
        |_| Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/calls"),
        std::path::PathBuf::from,
    );
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let lines = files.iter().flat_map(|file| {
        let text = fs::read_to_string(file).unwrap();
        // The order of parameters counts, and `Json` does not keep it.
        let tools = |line: &str| {
            let parsed = llmend_json::parse(line).unwrap();
            Tools::from_node(parsed.value.root().get("tools").unwrap()).unwrap()
        };
        text.lines()
            .map(|line| (serde_json::from_str(line).unwrap(), tools(line)))
            .collect::<Vec<_>>()
    });
    lines.collect()
}
