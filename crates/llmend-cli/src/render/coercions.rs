//! How does the table of coercions look?

use llmend::CoercionKind;
use serde::Serialize;

use crate::render::{table::columns, visible};

/// Characters of an example's side that are shown.
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

/// The coercions as an array of objects, with a line end.
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

/// A line a coercion, under a head.
pub(crate) fn lines(kinds: &[CoercionKind]) -> String {
    let rows = kinds.iter().map(|kind| {
        let (_, before, after) = kind.example();
        let example =
            format!("{}  →  {}", visible(before, SHOWN_EXAMPLE), visible(after, SHOWN_EXAMPLE));
        [kind.name().to_owned(), kind.class().as_str().to_owned(), example]
    });
    columns(["COERCION", "CLASS", "EXAMPLE"], rows)
}

/// All that is known of each coercion.
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

/// What a coercion does, on one line.
fn sentence(kind: CoercionKind) -> String {
    kind.doc().split_whitespace().collect::<Vec<_>>().join(" ")
}
