//! Sources of locked packages: crates.io only.

use toml::{Table, Value};

use crate::finding::Finding;
use crate::tree::Tree;

/// How Cargo writes the registry of crates.io.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    if tree.file("Cargo.lock").is_none() {
        findings.push(Finding::error("Cargo.lock", None, "the lock file is missing"));
    }
    for file in tree.files.iter().filter(|file| file.name() == "Cargo.lock") {
        findings.extend(check_lock(&file.path, &file.text));
    }
    findings
}

fn check_lock(path: &str, text: &str) -> Vec<Finding> {
    let lock: Table = match text.parse() {
        Ok(lock) => lock,
        Err(error) => return vec![Finding::error(path, None, error.to_string())],
    };
    let packages = lock.get("package").and_then(Value::as_array).into_iter().flatten();
    let messages = packages.filter_map(|package| {
        let field = |key: &str| package.get(key).and_then(Value::as_str);
        let name = field("name").unwrap_or("?");
        match field("source") {
            // A package without a source is a member of the workspace.
            None => None,
            Some(REGISTRY) if field("checksum").is_some() => None,
            Some(REGISTRY) => Some(format!("{name} has no checksum")),
            Some(source) => Some(format!("{name} comes from {source}, not from crates.io")),
        }
    });
    messages.map(|message| Finding::error(path, None, message)).collect()
}

#[cfg(test)]
mod tests {
    use super::check_lock;

    #[test]
    fn only_the_registry_with_a_checksum_passes() {
        let rows = [
            ("", 0),
            (
                "source = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"0\"",
                0,
            ),
            ("source = \"registry+https://github.com/rust-lang/crates.io-index\"", 1),
            ("source = \"registry+https://example.com/index\"\nchecksum = \"0\"", 1),
            ("source = \"git+https://github.com/a/b#0\"", 1),
        ];
        for (lines, expected) in rows {
            let lock =
                format!("version = 4\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n{lines}\n");
            assert_eq!(check_lock("Cargo.lock", &lock).len(), expected, "{lines}");
        }
        assert_eq!(check_lock("Cargo.lock", "[[package").len(), 1);
    }
}
