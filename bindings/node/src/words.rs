//! Texts of the crates in the words of TypeScript.

use llmend_json::Diagnostic;

/// Options that texts name, as the crates and as this package spell them.
const NAMES: [(&str, &str); 7] = [
    ("`max_depth`", "`maxDepth`"),
    ("`max_bytes`", "`maxBytes`"),
    ("`max_repairs`", "`maxRepairs`"),
    ("`max_closers`", "`maxClosers`"),
    ("`max_class`", "`maxClass`"),
    ("`on_bad_item`", "`onBadItem`"),
    ("`on_extra`", "`onExtra`"),
];

/// Returns a message or a help text with the names of options as this package spells them.
pub(crate) fn worded(text: &str) -> String {
    let spell = |text: String, (theirs, ours): &(&str, &str)| text.replace(theirs, ours);
    NAMES.iter().fold(text.to_owned(), spell)
}

/// Rewords every diagnostic.
pub(crate) fn reword(rows: &mut [Diagnostic]) {
    for row in rows {
        row.message = worded(&row.message);
        row.help = row.help.take().map(|help| worded(&help));
    }
}
