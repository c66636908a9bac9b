//! The page of settings, written from the table that files, variables and flags are read by.

/// One setting's section.
struct Row {
    name: &'static str,
    about: &'static str,
    expected: &'static str,
    default: &'static str,
    variables: &'static [&'static str],
    flag: Option<&'static str>,
    /// Whether a project's file may set it.
    in_project: InProject,
}

/// Whether a project's file may set something.
#[cfg_attr(not(feature = "engine"), expect(dead_code, reason = "there is no table to read"))]
#[derive(Clone, Copy, PartialEq, Eq)]
enum InProject {
    Allowed,
    Refused,
}

/// Renders the page.
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
            Trust::Anyone => InProject::Allowed,
            Trust::User => InProject::Refused,
        },
    };
    SETTINGS.iter().map(row).collect()
}

fn render(rows: &[Row]) -> String {
    let mut parts = vec![format!(
        "<!-- Written by `cargo xtask pages` from crates/llmend/src/config/table.rs. -->\n\n\
         # Settings\n\n\
         Each of these {} settings can be given in four places; later ones override earlier ones:\n\n\
         1. `llmend/llmend.toml` in the user's configuration directory (`$XDG_CONFIG_HOME`, or `~/.config`,\n   \
            or `%APPDATA%`),\n\
         2. `llmend.toml` in the working directory or its nearest ancestor,\n\
         3. an environment variable,\n\
         4. a flag.\n\n\
         A project's file comes with a checkout, possibly a stranger's, so it may not set where requests\n\
         go, which variable holds a key or which file is written. Unknown names and invalid values are\n\
         errors; an unknown variable that begins with `LLMEND_` is one only if it is nearly that of a\n\
         setting, and else a warning. Keys are never read from files: a provider's key comes from its\n\
         usual environment variable. `llmend config` shows every setting and its source.\n\n\
         A section `[models.NAME]` of a file has settings that count if the model of this name is asked,\n\
         with or without its provider: they override what the same file says for all models. They count\n\
         for that model alone, also if it is that of `escalate`.\n\n\
         `repair` also works as a kill switch: if a variable or a file turns it off, no flag turns it\n\
         on.\n",
        rows.len()
    )];
    parts.extend(rows.iter().map(entry));
    parts.concat() + &known_models()
}

#[cfg(not(feature = "engine"))]
const fn known_models() -> String {
    String::new()
}

/// The table of known models.
#[cfg(feature = "engine")]
fn known_models() -> String {
    use llmend::asking::{KNOWN_MODELS, KNOWN_MODELS_DATE, KnownModel};
    // A price is in millionths.
    let dollars = |price: u64| format!("{}.{:03}", price / 1_000_000, price / 1_000 % 1_000);
    let row = |known: &KnownModel| {
        let KnownModel { provider, name, price, output_limit, .. } = known;
        let (input, output) = (dollars(price.input), dollars(price.output));
        format!("| `{provider}:{name}` | {input} | {output} | {output_limit} |\n")
    };
    let rows: String = KNOWN_MODELS.iter().map(row).collect();
    format!(
        "\n## Known models\n\nList prices of a million tokens in US dollars and the most output tokens of one\n\
         answer, as of {KNOWN_MODELS_DATE}. They apply at the provider's own server, also to names with a date\n\
         behind; `price` and `output_limit` override them.\n\n| model | input | output | limit |\n\
         |---|---|---|---|\n{rows}"
    )
}

fn entry(row: &Row) -> String {
    let variables: Vec<String> = row.variables.iter().map(|name| format!("`{name}`")).collect();
    let flag = row.flag.map_or_else(String::new, |flag| format!("- Flag: `--{flag}`\n"));
    let default = match row.default {
        "" => String::new(),
        default => format!("- Default: `{default}`\n"),
    };
    let in_project = match row.in_project {
        InProject::Allowed => "",
        InProject::Refused => "- Not allowed in a project's file\n",
    };
    format!(
        "\n## {}\n\n{}\n\n- Values: {}\n{default}- Variable: {}\n{flag}{in_project}",
        row.name,
        row.about,
        row.expected,
        variables.join(", or ")
    )
}

#[cfg(test)]
mod tests {
    use super::{InProject, Row, render};

    #[test]
    fn a_setting_has_a_section_with_all_its_sources() {
        let page = render(&[Row {
            name: "a_b",
            about: "It counts.",
            expected: "a number",
            default: "3",
            variables: &["LLMEND_A_B", "OTHER"],
            flag: Some("a-b"),
            in_project: InProject::Refused,
        }]);
        let section = "\n## a_b\n\nIt counts.\n\n- Values: a number\n- Default: `3`\n\
                       - Variable: `LLMEND_A_B`, or `OTHER`\n- Flag: `--a-b`\n- Not allowed in a project's file\n";
        assert!(page.contains("of these 1 settings") && page.contains(section), "{page}");
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
