//! The page of findings, written from the plan crate's tables.

/// One finding's row.
struct Row {
    code: &'static str,
    severity: &'static str,
    when: &'static str,
    about: &'static str,
}

/// Renders the page.
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
        "<!-- Written by `cargo xtask pages` from the tables of crates/llmend-plan. -->\n\n\
         # Checks\n\n\
         llmend reports every problem in a plan, workflow or patch under one of these {} codes, with\n\
         its path, its span and what to do. Codes are stable. The severity is the worst that a\n\
         finding can have: an error in a plan that must be complete is a warning where bad steps\n\
         are omitted. A plan with an error is refused.\n\n\
         | code | severity | stage | meaning |\n|---|---|---|---|\n",
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
