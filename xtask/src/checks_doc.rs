//! What does docs/checks.md say?
//!
//! The page is written from the tables that the plan crate itself uses, so that it cannot disagree
//! with it.

/// Where the page stands.
pub(crate) const PAGE: &str = "docs/checks.md";

/// What the page says of one finding.
struct Row {
    code: &'static str,
    severity: &'static str,
    when: &'static str,
    about: &'static str,
}

/// The page.
pub(crate) fn page() -> String {
    render(&table())
}

#[cfg(not(feature = "engine"))]
fn table() -> Vec<Row> {
    Vec::new()
}

/// The findings in the order of their tables.
#[cfg(feature = "engine")]
fn table() -> Vec<Row> {
    let row = |row: llmend_plan::listing::Row| Row {
        code: row.code,
        severity: row.severity.as_str(),
        when: row.when.as_str(),
        about: row.about,
    };
    llmend_plan::listing::rows().into_iter().map(row).collect()
}

fn render(rows: &[Row]) -> String {
    let mut parts = vec![format!(
        "<!-- Written by `cargo xtask rules-doc` from the tables of crates/llmend-plan. -->\n\n\
         # Checks\n\n\
         Everything that is found in plans, workflows and patches comes under one of these {} codes,\n\
         with its path, its place in the text, and what to do. The codes are stable. A severity is\n\
         the gravest that a finding has: what is an error where a plan is read whole is a warning\n\
         where a bad step is left out. A plan with an error is refused.\n\n\
         | code | severity | found while | means |\n|---|---|---|---|\n",
        rows.len()
    )];
    parts.extend(rows.iter().map(|Row { code, severity, when, about }| {
        let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("| `{code}` | {severity} | {when} | {about} |\n")
    }));
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::{Row, render};

    #[test]
    fn a_page_has_a_row_a_finding() {
        let row = Row { code: "a/b", severity: "error", when: "reading", about: " It\n goes." };
        assert!(render(&[row]).ends_with("| `a/b` | error | reading | It goes. |\n"));
    }
}
