//! License texts beside every manifest that is published, since a package holds what is in its folder.

use crate::finding::Finding;
use crate::tree::Tree;

const TEXTS: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// The folders outside of `crates/` that are published.
const BINDINGS: [&str; 3] = ["bindings/node", "bindings/python", "bindings/python/cli"];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let crates = tree.files.iter().filter_map(|file| file.path.strip_suffix("/Cargo.toml"));
    let crates = crates.filter(|folder| folder.starts_with("crates/"));
    let mut findings = Vec::new();
    for folder in crates.chain(BINDINGS) {
        for name in TEXTS {
            let path = format!("{folder}/{name}");
            let text = |path: &str| tree.file(path).map(|file| file.text.as_str());
            if text(&path) != text(name) {
                findings.push(Finding::error(&path, None, format!("not a copy of {name}")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tree::{File, Tree};

    #[test]
    fn a_crate_without_a_license_is_found() {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let bindings = super::BINDINGS.iter().flat_map(|folder| {
            ["APACHE", "MIT"].map(|name| file(&format!("{folder}/LICENSE-{name}"), name))
        });
        let mut files = vec![
            file("LICENSE-APACHE", "APACHE"),
            file("LICENSE-MIT", "MIT"),
            file("crates/a/Cargo.toml", ""),
            file("crates/a/LICENSE-APACHE", "other"),
        ];
        files.extend(bindings);
        let found = check(&Tree { files });
        let paths: Vec<&str> = found.iter().map(|finding| finding.path.as_str()).collect();
        assert_eq!(paths, ["crates/a/LICENSE-APACHE", "crates/a/LICENSE-MIT"]);
    }
}
