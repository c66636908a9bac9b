//! What does docs/coercions.md say?
//!
//! The page is written from the table that the schema crate itself is made from, so that it cannot
//! disagree with it.

use crate::rules_doc::block;

/// Where the page stands.
pub(crate) const PAGE: &str = "docs/coercions.md";

/// What the page says of one coercion.
struct Row {
    name: &'static str,
    class: &'static str,
    doc: &'static str,
    /// A schema, a value that does not fit it, and what becomes of that.
    example: (&'static str, &'static str, &'static str),
}

/// The page.
pub(crate) fn page() -> String {
    render(&table())
}

#[cfg(not(feature = "engine"))]
fn table() -> Vec<Row> {
    Vec::new()
}

/// The coercions in the order of their table.
#[cfg(feature = "engine")]
fn table() -> Vec<Row> {
    let row = |kind: &llmend_schema::CoercionKind| Row {
        name: kind.name(),
        class: kind.class().as_str(),
        doc: kind.doc().trim(),
        example: kind.example(),
    };
    llmend_schema::CoercionKind::ALL.iter().map(row).collect()
}

fn render(rows: &[Row]) -> String {
    let mut parts = vec![format!(
        "<!-- Written by `cargo xtask rules-doc` from crates/llmend-schema/src/coercion.rs. -->\n\n\
         # Coercions\n\n\
         Each change that makes a value fit a schema is on record under one of these {} kinds, with\n\
         its class, its path, its place in the text, and what stood there before. What the schema\n\
         declares decides, never how a value looks, and a value that fits already is not touched.\n\
         The classes are those of the [rules](rules.md). A coercion of class loss is made only where\n\
         it was asked for.\n\n\
         | coercion | class |\n|---|---|\n",
        rows.len()
    )];
    parts.extend(
        rows.iter().map(|Row { name, class, .. }| format!("| [{name}](#{name}) | {class} |\n")),
    );
    parts.extend(rows.iter().map(entry));
    parts.concat()
}

fn entry(Row { name, class, doc, example: (schema, before, after) }: &Row) -> String {
    let doc = doc.split_whitespace().collect::<Vec<_>>().join(" ");
    let (schema, before, after) = (block(schema), block(before), block(after));
    format!(
        "\n## {name}\n\n{doc} Class {class}. Where this is asked for:\n\n{schema}\nthis\n\n{before}\nbecomes\n\n{after}"
    )
}

#[cfg(test)]
mod tests {
    use super::{Row, render};

    #[test]
    fn a_page_has_an_index_and_a_section_a_coercion() {
        let page = render(&[Row {
            name: "a-b",
            class: "guess",
            doc: "It\n  goes.",
            example: ("{}", "1", "2"),
        }]);
        for expected in [
            "one of these 1 kinds",
            "| [a-b](#a-b) | guess |\n",
            "\n## a-b\n\nIt goes. Class guess. Where this is asked for:\n\n```text\n{}\n```\n\nthis\n\n```text\n1\n```\n\nbecomes\n\n```text\n2\n```\n",
        ] {
            assert!(page.contains(expected), "{expected} in {page}");
        }
    }

    /// Coercions that the page has since long: a table that lost one would tell of fewer.
    #[cfg(feature = "engine")]
    #[test]
    fn the_page_tells_of_the_table() {
        let page = super::page();
        for (name, class, after) in [
            ("number-from-text", "notation", "42"),
            ("grouped-number", "guess", "1234"),
            ("dropped-item", "loss", "[1]"),
            ("nulled-item", "loss", "[1,null]"),
        ] {
            assert!(page.contains(&format!("| [{name}](#{name}) | {class} |\n")), "{name}");
            let (_, section) = page.split_once(&format!("\n## {name}\n")).unwrap();
            let section = section.split("\n## ").next().unwrap_or_default();
            assert!(section.ends_with(&format!("becomes\n\n```text\n{after}\n```\n")), "{section}");
        }
        let kinds = llmend_schema::CoercionKind::ALL.len();
        assert_eq!(page.matches("\n## ").count(), kinds);
    }
}
