//! The version of everything, and the places that state it.
//!
//! Members of the workspace inherit it. The rest cannot: other languages' manifests, the bindings, which are workspaces of
//! their own, and the lock files.

use std::fs;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::tree::Tree;

/// The files that state the version, each at least once.
pub(crate) const FILES: [&str; 14] = [
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "bindings/node/Cargo.lock",
    "bindings/node/Cargo.toml",
    "bindings/node/bindgen/Cargo.toml",
    "bindings/node/package.json",
    "bindings/node/page/Cargo.toml",
    "bindings/node/ts/load/native.ts",
    "bindings/python/Cargo.lock",
    "bindings/python/Cargo.toml",
    "bindings/python/pyproject.toml",
    "fuzz/Cargo.lock",
    "packaging/compose.yaml",
];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The new version: `1.2.3`, or `1.2.3-rc.1`.
    version: String,
    /// The date of the release, `2026-12-31`, which takes the place of "Unreleased" in CHANGELOG.md.
    #[arg(long)]
    date: Option<String>,
}

pub(crate) fn run(root: &Path, arguments: &Arguments) -> Result<()> {
    let Arguments { version, date } = arguments;
    if !is_version(version) {
        bail!("expected a version such as `1.2.3` or `1.2.3-rc.1`, found `{version}`");
    }
    if let Some(date) = date.as_deref().filter(|date| !is_date(date)) {
        bail!("expected a date such as `2026-12-31`, found `{date}`");
    }
    let tree = Tree::read(root)?;
    for path in FILES {
        let file = tree.file(path).with_context(|| format!("{path} is missing"))?;
        let mut text = set(path, &file.text, version);
        if path == "CHANGELOG.md" {
            text = head(&text, version, date.as_deref());
        }
        if text != file.text {
            fs::write(root.join(path), text).with_context(|| format!("write {path}"))?;
            println!("{path}");
        }
    }
    println!("the version is {version}");
    Ok(())
}

/// The version that the members of the workspace inherit.
pub(crate) fn of_workspace(tree: &Tree) -> Option<&str> {
    let text = &tree.file("Cargo.toml")?.text;
    places("Cargo.toml", text).into_iter().next().map(|place| &text[place])
}

/// Where the file at `path` states the version.
pub(crate) fn places(path: &str, text: &str) -> Vec<Range<usize>> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name == "Cargo.lock" {
        return locked(text);
    }
    let (mut places, mut section, mut start) = (Vec::new(), "", 0);
    for line in text.split_inclusive('\n') {
        if line.starts_with('[') {
            section = line.trim_end();
        }
        let before = match name {
            "Cargo.toml" => stated(section, line),
            "package.json" => in_package(line),
            "native.ts" => line.starts_with("const VERSION = ").then_some("\""),
            "pyproject.toml" => Some("\"llmend-cli=="),
            "compose.yaml" => Some("image: ghcr.io/llmend/llmend:"),
            // The newest is the first.
            "CHANGELOG.md" if places.is_empty() => heading(line),
            _ => None,
        };
        places.extend(
            before.and_then(|before| behind(line, before)).map(|place| shift(place, start)),
        );
        start += line.len();
    }
    places
}

/// What is before the version in a line of a manifest, if it states this version.
fn stated(section: &str, line: &str) -> Option<&'static str> {
    let is_own = ["[workspace.package]", "[package]"].contains(&section);
    let is_ours = section == "[workspace.dependencies]" && line.starts_with("llmend");
    (is_own && line.starts_with("version = ") || is_ours).then_some("version = \"")
}

/// What is before the version in a line of the npm package, if it states this version: its own, or that of an addon.
fn in_package(line: &str) -> Option<&'static str> {
    let is_stated =
        line.starts_with("  \"version\": ") || line.trim_start().starts_with("\"@llmend/");
    is_stated.then_some("\": \"")
}

/// What is before the version in the heading of a version.
fn heading(line: &str) -> Option<&'static str> {
    if line.starts_with("## [Unreleased]: ") {
        return Some("## [Unreleased]: ");
    }
    line.starts_with("## [").then_some("## [")
}

/// The packages without a source, which are ours. The fuzz targets have no version.
fn locked(text: &str) -> Vec<Range<usize>> {
    let (mut places, mut start) = (Vec::new(), 0);
    for package in text.split_inclusive("\n\n") {
        let is_ours = package.starts_with("[[package]]")
            && !package.contains("\nsource = ")
            && !package.contains("\nname = \"llmend-fuzz\"\n");
        let place = is_ours.then(|| behind(package, "\nversion = \"")).flatten();
        places.extend(place.map(|place| shift(place, start)));
        start += package.len();
    }
    places
}

/// The version behind `before`.
fn behind(line: &str, before: &str) -> Option<Range<usize>> {
    let start = line.find(before)? + before.len();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    let length = line[start..].find(|c| !is_part(c)).unwrap_or(line.len() - start);
    Some(start..start + length)
}

fn shift(place: Range<usize>, by: usize) -> Range<usize> {
    place.start + by..place.end + by
}

/// The text of a file with `version` in each place. A heading of a release keeps its version.
fn set(path: &str, text: &str, version: &str) -> String {
    let mut new = text.to_owned();
    for place in places(path, text).into_iter().rev() {
        let is_released = text[..place.start].ends_with("## [");
        if !is_released {
            new.replace_range(place, version);
        }
    }
    new
}

/// The changelog with a heading for `version`: dated if it is released, and above the older ones if it is new.
fn head(text: &str, version: &str, date: Option<&str>) -> String {
    let unreleased = format!("## [Unreleased]: {version}\n");
    let mut text = text.to_owned();
    if let Some(place) = places("CHANGELOG.md", &text).first()
        && text[..place.start].ends_with("## [")
        && text[place.clone()] != *version
    {
        text.insert_str(place.start - "## [".len(), &format!("{unreleased}\n"));
    }
    match date {
        Some(date) => text.replacen(&unreleased, &format!("## [{version}]: {date}\n"), 1),
        None => text,
    }
}

fn is_version(text: &str) -> bool {
    let (numbers, stage) = text.split_once('-').map_or((text, None), |(n, stage)| (n, Some(stage)));
    let stages = ["alpha.", "beta.", "rc."];
    let is_stage =
        |stage: &str| stages.iter().any(|name| stage.strip_prefix(name).is_some_and(is_number));
    numbers.split('.').count() == 3
        && numbers.split('.').all(is_number)
        && stage.is_none_or(is_stage)
}

/// Whether it is a number of a version, without leading zeros.
fn is_number(text: &str) -> bool {
    let is_short = text.len() == 1 || !text.starts_with('0');
    is_short && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_date(text: &str) -> bool {
    let is_digit =
        |at: usize, byte: u8| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() };
    text.len() == 10 && text.bytes().enumerate().all(|(at, byte)| is_digit(at, byte))
}

#[cfg(test)]
mod tests {
    use super::{FILES, head, is_date, is_version, places, set};
    use crate::tree::{Tree, root};

    /// Each file with what it becomes in version 2.0.0.
    const ROWS: [(&str, &str, &str); 10] = [
        (
            "Cargo.toml",
            "[workspace.package]\nversion = \"1.0.0\"\nrust-version = \"1.95\"\n[workspace.dependencies]\n\
             llmend = { path = \"crates/llmend\", version = \"1.0.0\" }\nserde = { version = \"1.0.0\" }\n\
             llmend-model-server = { path = \"testing/model-server\" }\n",
            "[workspace.package]\nversion = \"2.0.0\"\nrust-version = \"1.95\"\n[workspace.dependencies]\n\
             llmend = { path = \"crates/llmend\", version = \"2.0.0\" }\nserde = { version = \"1.0.0\" }\n\
             llmend-model-server = { path = \"testing/model-server\" }\n",
        ),
        (
            "bindings/node/Cargo.toml",
            "[package]\nversion = \"1.0.0\"\n[dependencies]\nserde = { version = \"1.0.0\" }\n",
            "[package]\nversion = \"2.0.0\"\n[dependencies]\nserde = { version = \"1.0.0\" }\n",
        ),
        (
            "Cargo.lock",
            "version = 4\n\n[[package]]\nname = \"llmend\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"a\"\n\
             version = \"1.0.0\"\nsource = \"r\"\n",
            "version = 4\n\n[[package]]\nname = \"llmend\"\nversion = \"2.0.0\"\n\n[[package]]\nname = \"a\"\n\
             version = \"1.0.0\"\nsource = \"r\"\n",
        ),
        (
            "fuzz/Cargo.lock",
            "[[package]]\nname = \"llmend-fuzz\"\nversion = \"0.0.0\"\n",
            "[[package]]\nname = \"llmend-fuzz\"\nversion = \"0.0.0\"\n",
        ),
        (
            "bindings/node/package.json",
            "{\n  \"version\": \"1.0.0\",\n  \"optionalDependencies\": {\n    \"@llmend/linux-x64-gnu\": \"1.0.0\",\n    \
             \"ai\": \"1.0.0\"\n  }\n}\n",
            "{\n  \"version\": \"2.0.0\",\n  \"optionalDependencies\": {\n    \"@llmend/linux-x64-gnu\": \"2.0.0\",\n    \
             \"ai\": \"1.0.0\"\n  }\n}\n",
        ),
        (
            "bindings/node/ts/load/native.ts",
            "/** The version. */\nconst VERSION = \"1.0.0\";\nconst OTHER = \"1.0.0\";\n",
            "/** The version. */\nconst VERSION = \"2.0.0\";\nconst OTHER = \"1.0.0\";\n",
        ),
        (
            "bindings/python/pyproject.toml",
            "cli = [\"llmend-cli==1.0.0-rc.1\"]\npolars = [\"polars>=1.0.0\"]\n",
            "cli = [\"llmend-cli==2.0.0\"]\npolars = [\"polars>=1.0.0\"]\n",
        ),
        (
            "packaging/compose.yaml",
            "    image: ghcr.io/llmend/llmend:1.0.0\n    image: other:1.0.0\n",
            "    image: ghcr.io/llmend/llmend:2.0.0\n    image: other:1.0.0\n",
        ),
        (
            "CHANGELOG.md",
            "# Changelog\n\n## [Unreleased]: 1.0.0\n\n## [0.9.0]: 2026-01-01\n",
            "# Changelog\n\n## [Unreleased]: 2.0.0\n\n## [0.9.0]: 2026-01-01\n",
        ),
        ("CHANGELOG.md", "## [1.0.0]: 2026-01-01\n", "## [1.0.0]: 2026-01-01\n"),
    ];

    #[test]
    fn a_file_gets_the_version_where_it_states_it() {
        for (path, text, expected) in ROWS {
            assert_eq!(set(path, text, "2.0.0"), expected, "{path}");
        }
    }

    #[test]
    fn every_file_of_the_repository_can_be_set() {
        let tree = Tree::read(&root().unwrap()).unwrap();
        for path in FILES {
            let text = &tree.file(path).unwrap().text;
            let new = head(&set(path, text, "99.0.0-rc.1"), "99.0.0-rc.1", None);
            let found = places(path, &new);
            assert!(!found.is_empty(), "{path}");
            assert!(found.into_iter().all(|place| &new[place] == "99.0.0-rc.1"), "{path}");
        }
    }

    #[test]
    fn a_new_version_gets_a_heading_above_the_released_ones() {
        let rows = [
            ("## [Unreleased]: 2.0.0\n\nA.\n", None, "## [Unreleased]: 2.0.0\n\nA.\n"),
            (
                "## [Unreleased]: 2.0.0\n\nA.\n",
                Some("2026-12-31"),
                "## [2.0.0]: 2026-12-31\n\nA.\n",
            ),
            ("## [1.0.0]: D\n", None, "## [Unreleased]: 2.0.0\n\n## [1.0.0]: D\n"),
            ("## [2.0.0]: D\n", None, "## [2.0.0]: D\n"),
        ];
        for (text, date, expected) in rows {
            assert_eq!(head(text, "2.0.0", date), expected, "{text}");
        }
    }

    #[test]
    fn versions_and_dates_are_recognized() {
        for version in ["0.1.0", "1.20.3", "1.0.0-rc.1", "1.0.0-alpha.12"] {
            assert!(is_version(version), "{version}");
        }
        for other in [
            "",
            "1",
            "1.0",
            "1.0.0.0",
            "v1.0.0",
            "01.0.0",
            "1.0.0-",
            "1.0.0-rc",
            "1.0.0-x.1",
            "1..0",
        ] {
            assert!(!is_version(other), "{other}");
        }
        assert!(is_date("2026-12-31"));
        for other in ["2026-1-31", "31.12.2026", "2026-12-3x"] {
            assert!(!is_date(other), "{other}");
        }
    }
}
