//! The table of `llmend coercions`.

use llmend::CoercionKind;
use serde::Serialize;

use crate::render::{table::columns, visible};

/// Characters of each side of an example that are shown.
const SHOWN_EXAMPLE: usize = 34;

/// A row of `llmend coercions --json`.
#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    class: &'static str,
    doc: String,
    schema: &'static str,
    before: &'static str,
    after: &'static str,
}

/// Returns the coercions as a JSON array, with a line end.
pub(crate) fn json(kinds: &[CoercionKind]) -> String {
    let rows: Vec<Row> = kinds
        .iter()
        .map(|kind| {
            let (schema, before, after) = kind.example();
            let (name, class) = (kind.name(), kind.class().as_str());
            Row { name, class, doc: sentence(*kind), schema, before, after }
        })
        .collect();
    let mut out = serde_json::to_string_pretty(&rows).unwrap_or_else(|_| "[]".to_owned());
    out.push('\n');
    out
}

/// Returns the coercions as a table.
pub(crate) fn lines(kinds: &[CoercionKind]) -> String {
    let rows = kinds.iter().map(|kind| {
        let (_, before, after) = kind.example();
        let example =
            format!("{}  →  {}", visible(before, SHOWN_EXAMPLE), visible(after, SHOWN_EXAMPLE));
        [kind.name().to_owned(), kind.class().as_str().to_owned(), example]
    });
    columns(["COERCION", "CLASS", "EXAMPLE"], rows)
}

/// Returns the details of each coercion.
pub(crate) fn cards(kinds: &[CoercionKind]) -> String {
    let cards: Vec<String> = kinds
        .iter()
        .map(|kind| {
            let (schema, before, after) = kind.example();
            format!(
                "{}\n  {}\n  class     {}\n  schema    {}\n  before    {}\n  after     {}\n",
                kind.name(),
                sentence(*kind),
                kind.class().as_str(),
                visible(schema, usize::MAX),
                visible(before, usize::MAX),
                visible(after, usize::MAX),
            )
        })
        .collect();
    cards.join("\n")
}

/// Returns the description on one line.
fn sentence(kind: CoercionKind) -> String {
    kind.doc().split_whitespace().collect::<Vec<_>>().join(" ")
}
