//! The page of coercions, written from the schema crate's table.

use super::block::block;

/// One coercion's entry.
struct Row {
    name: &'static str,
    class: &'static str,
    doc: &'static str,
    /// A schema, a value that does not match it, and the coerced value.
    example: (&'static str, &'static str, &'static str),
}

/// Renders the page.
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
        "<!-- Written by `cargo xtask pages` from crates/llmend-schema/src/coercion.rs. -->\n\n\
         # Coercions\n\n\
         llmend records every change that makes a value match a schema under one of these {} kinds,\n\
         with its class, path, span and previous value. The schema decides, never the look of a\n\
         value; a value that already matches is left alone. The classes are those of the\n\
         [rules](rules.md). Coercions of class loss happen only on request.\n\n\
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
        "\n## {name}\n\n{doc} Class {class}. Given the schema\n\n{schema}\nthe value\n\n{before}\nbecomes\n\n{after}"
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
            "\n## a-b\n\nIt goes. Class guess. Given the schema\n\n```text\n{}\n```\n\nthe value\n\n```text\n1\n```\n\nbecomes\n\n```text\n2\n```\n",
        ] {
            assert!(page.contains(expected), "{expected} in {page}");
        }
    }

    /// Coercions that every version has had: a table that lost one would go unnoticed.
    #[cfg(feature = "engine")]
    #[test]
    fn the_page_lists_the_table() {
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
