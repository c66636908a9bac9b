//! The page of dialects, written from the plan crate's table.

/// One dialect's row.
struct Row {
    name: &'static str,
    is_written: bool,
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

/// The dialects in the order of their table.
#[cfg(feature = "engine")]
fn table() -> Vec<Row> {
    use llmend_plan::Dialect;
    let row = |dialect: Dialect| Row {
        name: dialect.as_str(),
        is_written: dialect.is_written(),
        about: dialect.about(),
    };
    Dialect::ALL.map(row).into()
}

fn render(rows: &[Row]) -> String {
    let mut parts = vec![
        "<!-- Written by `cargo xtask pages` from the table of crates/llmend-plan. -->\n\n\
         # Dialects\n\n\
         The forms of plans, workflows and patches that llmend reads. `--dialect` names one; without\n\
         it, llmend detects the form. `--to` writes the forms that are written.\n\n\
         | dialect | written | what it is |\n|---|---|---|\n"
            .to_owned(),
    ];
    parts.extend(rows.iter().map(|Row { name, is_written, about }| {
        let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
        let written = if *is_written { "yes" } else { "" };
        format!("| `{name}` | {written} | {about} |\n")
    }));
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::{Row, render};

    #[test]
    fn a_page_has_a_row_a_dialect() {
        let row = Row { name: "a", is_written: true, about: " It\n goes." };
        assert!(render(&[row]).ends_with("| `a` | yes | It goes. |\n"));
    }
}
