//! What does docs/settings.md say?
//!
//! The page is written from the table that files, the environment and flags are read by, so that it
//! cannot disagree with it.

/// Where the page stands.
pub(crate) const PAGE: &str = "docs/settings.md";

/// What the page says of one setting.
struct Row {
    name: &'static str,
    about: &'static str,
    expected: &'static str,
    default: &'static str,
    variables: &'static [&'static str],
    flag: Option<&'static str>,
    /// Whether a file in a project may give it.
    in_project: Placed,
}

/// Whether something may stand in a place.
#[cfg_attr(not(feature = "engine"), expect(dead_code, reason = "there is no table to read"))]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Placed {
    Allowed,
    Refused,
}

/// The page.
pub(crate) fn page() -> String {
    render(&table())
}

#[cfg(not(feature = "engine"))]
fn table() -> Vec<Row> {
    Vec::new()
}

/// The settings in the order of their table.
#[cfg(feature = "engine")]
fn table() -> Vec<Row> {
    use llmend::config::{SETTINGS, Setting, Trust};
    let row = |setting: &Setting| Row {
        name: setting.name,
        about: setting.about,
        expected: setting.expected,
        default: setting.default,
        variables: setting.variables,
        flag: setting.flag,
        in_project: match setting.trust {
            Trust::Anyone => Placed::Allowed,
            Trust::User => Placed::Refused,
        },
    };
    SETTINGS.iter().map(row).collect()
}

fn render(rows: &[Row]) -> String {
    let mut parts = vec![format!(
        "<!-- Written by `cargo xtask rules-doc` from crates/llmend/src/config/table.rs. -->\n\n\
         # Settings\n\n\
         Each of these {} settings may be given in four places. The later one counts:\n\n\
         1. `llmend/llmend.toml` in the user's configuration folder (`$XDG_CONFIG_HOME`, or `~/.config`,\n   \
            or `%APPDATA%`),\n\
         2. `llmend.toml` in the working folder or the nearest one above it,\n\
         3. a variable of the environment,\n\
         4. a flag.\n\n\
         A project's file comes with a checkout, which may be a stranger's. It may not say where requests\n\
         go, which variable holds a key, or which file is written, nor name such a model. An unknown name\n\
         and a value that cannot be read are errors, wherever they stand, also a variable that begins\n\
         with `LLMEND_` and is none of these. Keys stand in no file: a provider's key is read from its\n\
         usual variable. `llmend config` shows what is set, and by whom.\n\n\
         `repair` is also a switch for the case that nobody can change the command: off in a variable or\n\
         a file, no flag allows a repair.\n",
        rows.len()
    )];
    parts.extend(rows.iter().map(entry));
    parts.concat()
}

fn entry(row: &Row) -> String {
    let variables: Vec<String> = row.variables.iter().map(|name| format!("`{name}`")).collect();
    let flag = row.flag.map_or_else(String::new, |flag| format!("- Flag: `--{flag}`\n"));
    let default = match row.default {
        "" => String::new(),
        default => format!("- Default: `{default}`\n"),
    };
    let in_project = match row.in_project {
        Placed::Allowed => "",
        Placed::Refused => "- Not in a project's file\n",
    };
    format!(
        "\n## {}\n\n{}\n\n- May be: {}\n{default}- Variable: {}\n{flag}{in_project}",
        row.name,
        row.about,
        row.expected,
        variables.join(", or ")
    )
}

#[cfg(test)]
mod tests {
    use super::{Placed, Row, render};

    #[test]
    fn a_setting_has_a_section_with_all_its_places() {
        let page = render(&[Row {
            name: "a_b",
            about: "It counts.",
            expected: "a number",
            default: "3",
            variables: &["LLMEND_A_B", "OTHER"],
            flag: Some("a-b"),
            in_project: Placed::Refused,
        }]);
        let section = "\n## a_b\n\nIt counts.\n\n- May be: a number\n- Default: `3`\n\
                       - Variable: `LLMEND_A_B`, or `OTHER`\n- Flag: `--a-b`\n- Not in a project's file\n";
        assert!(page.contains("of these 1 settings") && page.ends_with(section), "{page}");
    }

    #[cfg(feature = "engine")]
    #[test]
    fn every_setting_is_on_the_page() {
        // S1-41: the variables are documented.
        let page = super::page();
        for setting in llmend::config::SETTINGS {
            assert!(page.contains(&format!("\n## {}\n", setting.name)), "{}", setting.name);
            for variable in setting.variables {
                assert!(page.contains(&format!("`{variable}`")), "{variable}");
            }
        }
    }
}
