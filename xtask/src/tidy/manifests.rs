//! Required fields and allowed dependencies of manifests.

use toml::{Table, Value};

use super::CORE;
use crate::finding::Finding;
use crate::tree::{File, Tree};

/// Allowed dependencies of each core crate. None of them does I/O, runs tasks, reads a clock or logs.
const ALLOWED: [(&str, &[&str]); 6] = [
    ("llmend-json", &["granit-parser", "memchr", "serde", "serde_json", "thiserror"]),
    (
        "llmend-schema",
        &["jsonschema", "llmend-json", "schemars", "serde", "serde_json", "thiserror"],
    ),
    (
        "llmend-calls",
        &[
            "aho-corasick",
            "llmend-json",
            "llmend-schema",
            "memchr",
            "serde",
            "serde_json",
            "thiserror",
        ],
    ),
    (
        "llmend-plan",
        &[
            "json-patch",
            "llmend-calls",
            "llmend-json",
            "llmend-schema",
            "petgraph",
            "serde",
            "serde_json",
            "thiserror",
        ],
    ),
    ("llmend-model", &["serde"]),
    ("llmend-draw", &["llmend-json", "llmend-plan"]),
];

/// Dependencies whose default features would reach for files or the network, or bring a second way of
/// doing what is done already: another TLS, another runtime's parts, HTTP/2.
const WITHOUT_DEFAULTS: [&str; 9] = [
    "axum",
    "hyper",
    "hyper-util",
    "jiff",
    "jsonschema",
    "prometheus",
    "reqwest",
    "rustls",
    "tokio",
];

/// The one direction of dependencies: a crate is built only from crates of a lower layer.
const LAYERS: [(&str, u8); 14] = [
    ("llmend-json", 0),
    ("llmend-schema", 1),
    ("llmend-calls", 2),
    ("llmend-plan", 3),
    ("llmend-draw", 4),
    ("llmend-model", 0),
    ("llmend", 5),
    ("llmend-arrow", 6),
    ("llmend-endpoints", 6),
    ("llmend-models", 5),
    ("llmend-gateway", 7),
    ("llmend-cli", 8),
    ("llmend-python", 8),
    ("llmend-node", 8),
];

/// What a manifest takes from the workspace instead of stating it.
const INHERITED: [&str; 4] = ["version", "edition", "rust-version", "license"];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.name() == "Cargo.toml") {
        if file.path.starts_with("bindings/") {
            findings.extend(check_binding(&file.path, &file.text));
        } else if !file.path.starts_with("fuzz/") {
            // The fuzz targets are no member: they need another compiler and cannot inherit.
            findings.extend(check_manifest(&file.path, &file.text));
        }
    }
    let of_bindings = |file: &&File| file.path.starts_with("bindings/") && file.is_rust();
    let sources = tree.files.iter().filter(of_bindings);
    findings.extend(sources.filter_map(|file| check_unsafe(&file.path, &file.text)));
    findings
}

/// Where a macro of a foreign interface allows itself `unsafe`, the lint can only be denied. What is written here may
/// not allow it.
fn check_unsafe(path: &str, text: &str) -> Option<Finding> {
    let is_allowed = text.contains("unsafe_code");
    is_allowed.then(|| Finding::error(path, None, "`unsafe_code` may not be allowed".to_owned()))
}

fn check_manifest(path: &str, text: &str) -> Vec<Finding> {
    let manifest: Table = match text.parse() {
        Ok(manifest) => manifest,
        Err(error) => return vec![Finding::error(path, None, error.to_string())],
    };
    let messages = if path == "Cargo.toml" {
        manifest.get("workspace").map(check_defaults).unwrap_or_default()
    } else {
        check_member(&manifest)
    };
    messages.into_iter().map(|message| Finding::error(path, None, message)).collect()
}

/// A binding is no member, since the members need no other language's tools. So it cannot inherit, and
/// says what it would have inherited.
fn check_binding(path: &str, text: &str) -> Vec<Finding> {
    let manifest: Table = match text.parse() {
        Ok(manifest) => manifest,
        Err(error) => return vec![Finding::error(path, None, error.to_string())],
    };
    let mut messages = Vec::new();
    if manifest.get("package").and_then(|package| package.get("publish"))
        != Some(&Value::Boolean(false))
    {
        messages
            .push("`publish = false` is missing: it is published as another language's".to_owned());
    }
    let unsafe_code = manifest.get("lints").and_then(|lints| lints.get("rust")?.get("unsafe_code"));
    if !unsafe_code.and_then(Value::as_str).is_some_and(|level| ["forbid", "deny"].contains(&level))
    {
        messages.push(
            "`unsafe_code = \"forbid\"`, or \"deny\" beside macros that allow it, is missing"
                .to_owned(),
        );
    }
    messages.into_iter().map(|message| Finding::error(path, None, message)).collect()
}

fn check_member(manifest: &Table) -> Vec<String> {
    let name = text_at(manifest, "name").unwrap_or_default();
    let mut messages = check_package(manifest);
    messages.extend(check_dependencies(name, manifest));
    if manifest.contains_key("workspace") {
        messages.push("a member may not be a workspace of its own".to_owned());
    }
    messages
}

fn check_package(manifest: &Table) -> Vec<String> {
    let mut messages = Vec::new();
    for key in INHERITED {
        if !is_inherited(manifest.get("package").and_then(|package| package.get(key))) {
            messages.push(format!("`{key}.workspace = true` is missing"));
        }
    }
    if !is_inherited(manifest.get("lints")) {
        messages.push("`[lints] workspace = true` is missing".to_owned());
    }
    if text_at(manifest, "description").is_none_or(|text| text.trim().is_empty()) {
        messages.push("`description` is missing".to_owned());
    }
    messages
}

fn check_dependencies(name: &str, manifest: &Table) -> Vec<String> {
    let mut messages = Vec::new();
    let allowed = ALLOWED.iter().find(|(core, _)| *core == name).map(|(_, allowed)| *allowed);
    for (dependency, _) in dependencies(manifest) {
        if allowed.is_some_and(|allowed| !allowed.contains(&dependency.as_str())) {
            messages.push(format!("the core crate {name} may not depend on {dependency}"));
        }
        if let (Some(own), Some(theirs)) = (layer(name), layer(&dependency))
            && own <= theirs
        {
            messages.push(format!("{name} may not depend on {dependency}: it stands above"));
        }
    }
    if CORE.contains(&name) && manifest.get("package").is_some_and(|p| p.get("build").is_some()) {
        messages.push(format!("the core crate {name} may not have a build script"));
    }
    messages
}

fn check_defaults(workspace: &Value) -> Vec<String> {
    let dependencies = workspace.get("dependencies");
    WITHOUT_DEFAULTS
        .into_iter()
        .filter(|name| {
            let entry = dependencies.and_then(|table| table.get(name));
            entry.is_some_and(|entry| {
                entry.get("default-features").and_then(Value::as_bool) != Some(false)
            })
        })
        .map(|name| format!("{name} needs `default-features = false`"))
        .collect()
}

/// What a crate is built from, tests aside, by the name of the package.
fn dependencies(manifest: &Table) -> Vec<(String, &Value)> {
    let platforms = manifest.get("target").and_then(Value::as_table).into_iter().flatten();
    let tables = platforms.filter_map(|(_, table)| table.as_table()).chain([manifest]);
    let mut found = Vec::new();
    for table in tables {
        for kind in ["dependencies", "build-dependencies"] {
            for (key, entry) in table.get(kind).and_then(Value::as_table).into_iter().flatten() {
                let package = entry.get("package").and_then(Value::as_str).unwrap_or(key);
                found.push((package.to_owned(), entry));
            }
        }
    }
    found
}

fn layer(name: &str) -> Option<u8> {
    LAYERS.iter().find(|(known, _)| *known == name).map(|&(_, layer)| layer)
}

fn is_inherited(value: Option<&Value>) -> bool {
    value.and_then(|value| value.get("workspace")).and_then(Value::as_bool) == Some(true)
}

fn text_at<'m>(manifest: &'m Table, key: &str) -> Option<&'m str> {
    manifest.get("package")?.get(key)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::{check_binding, check_manifest, check_unsafe};

    const COMPLETE: &str = "description = \"d\"\nversion.workspace = true\nedition.workspace = true\n\
        rust-version.workspace = true\nlicense.workspace = true\n[lints]\nworkspace = true\n";

    fn messages(text: &str) -> Vec<String> {
        messages_of("crates/a/Cargo.toml", text)
    }

    fn messages_of(path: &str, text: &str) -> Vec<String> {
        check_manifest(path, text).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn a_binding_states_what_members_inherit() {
        let rows = [
            ("false", "forbid", 0),
            ("false", "deny", 0),
            ("true", "forbid", 1),
            ("false", "warn", 1),
        ];
        for (publish, lint, expected) in rows {
            let text =
                format!("[package]\npublish = {publish}\n[lints.rust]\nunsafe_code = \"{lint}\"");
            let found = check_binding("bindings/a/Cargo.toml", &text);
            assert_eq!(found.len(), expected, "{text}");
        }
    }

    #[test]
    fn a_binding_has_no_unsafe_of_its_own() {
        for (text, expected) in [("#[allow(dead_code, unsafe_code)]", true), ("fn a() {}", false)] {
            assert_eq!(check_unsafe("bindings/a/src/lib.rs", text).is_some(), expected, "{text}");
        }
    }

    #[test]
    fn dependencies_are_judged_by_crate() {
        let rows = [
            ("llmend-json", "[dependencies]\nserde.workspace = true", None),
            ("llmend-json", "[dependencies]\ntokio = \"1\"", Some("may not depend on tokio")),
            ("llmend-json", "[build-dependencies]\ncc = \"1\"", Some("may not depend on cc")),
            ("llmend-json", "[dev-dependencies]\nproptest.workspace = true", None),
            (
                "llmend-schema",
                "[target.'cfg(unix)'.dependencies]\nlibc = \"1\"",
                Some("may not depend on libc"),
            ),
            (
                "llmend-plan",
                "[dependencies]\nserde = { package = \"log\", version = \"1\" }",
                Some("may not depend on log"),
            ),
            ("llmend-json", "[dependencies]\nllmend.workspace = true", Some("depend on llmend")),
            ("llmend", "[dependencies]\nllmend-cli.workspace = true", Some("it stands above")),
            ("llmend", "[dependencies]\nllmend-models.workspace = true", Some("it stands above")),
            ("llmend-models", "[dependencies]\nllmend-model.workspace = true", None),
            ("llmend-models", "[dependencies]\nllmend.workspace = true", Some("it stands above")),
            ("llmend", "[dependencies]\nllmend-plan.workspace = true\ntokio = \"1\"", None),
            ("xtask", "[dependencies]\nclap = \"1\"", None),
        ];
        for (name, tables, expected) in rows {
            let messages = messages(&format!("[package]\nname = \"{name}\"\n{COMPLETE}{tables}\n"));
            match expected {
                None => assert_eq!(messages, [""; 0], "{name}: {tables}"),
                Some(part) => assert!(
                    messages.iter().any(|message| message.contains(part)),
                    "{name}: {tables}: {messages:?}"
                ),
            }
        }
    }

    #[test]
    fn what_is_omitted_is_named() {
        let rows = [
            ("version.workspace = true\n", "version"),
            ("edition.workspace = true\n", "edition"),
            ("rust-version.workspace = true\n", "rust-version"),
            ("license.workspace = true\n", "license"),
            ("[lints]\nworkspace = true\n", "lints"),
            ("description = \"d\"\n", "description"),
        ];
        for (line, expected) in rows {
            assert!(COMPLETE.contains(line));
            let text = format!("[package]\nname = \"a\"\n{}", COMPLETE.replacen(line, "", 1));
            let messages = messages(&text);
            assert_eq!(messages.len(), 1, "{line}: {messages:?}");
            assert!(messages[0].contains(expected), "{messages:?}");
        }
    }

    #[test]
    fn a_validator_may_not_fetch() {
        let rows = [
            ("jsonschema = \"1\"", 1),
            ("jsonschema = { version = \"1\", default-features = false }", 0),
            ("serde = \"1\"", 0),
            ("reqwest = \"0.13\"", 1),
            ("tokio = { version = \"1\", default-features = false }", 0),
        ];
        for (entry, expected) in rows {
            let text = format!("[workspace]\n[workspace.dependencies]\n{entry}\n");
            assert_eq!(messages_of("Cargo.toml", &text).len(), expected, "{entry}");
        }
    }

    #[test]
    fn a_member_is_no_workspace() {
        let text = format!("[package]\nname = \"a\"\n{COMPLETE}[workspace]\n");
        assert_eq!(messages(&text), ["a member may not be a workspace of its own"]);
    }

    #[test]
    fn a_manifest_that_is_not_toml_is_an_error() {
        assert_eq!(messages("[package").len(), 1);
    }
}
