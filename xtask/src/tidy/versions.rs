//! One version, in every file that states it.

use crate::finding::Finding;
use crate::tree::Tree;
use crate::version::{FILES, of_workspace, places};

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(version) = of_workspace(tree) else {
        return vec![Finding::error("Cargo.toml", None, "the workspace has no version")];
    };
    let check = |path: &str| match tree.file(path) {
        Some(file) => check_file(path, &file.text, version),
        None => vec![Finding::error(path, None, "the file is missing: it states the version")],
    };
    FILES.into_iter().flat_map(check).collect()
}

fn check_file(path: &str, text: &str, version: &str) -> Vec<Finding> {
    let places = places(path, text);
    if places.is_empty() {
        return vec![Finding::error(path, None, "no version found")];
    }
    let wrong = places.into_iter().filter(|place| &text[place.clone()] != version);
    let finding = |place: std::ops::Range<usize>| {
        let line = text[..place.start].matches('\n').count() + 1;
        let found = &text[place];
        let message = format!(
            "expected version {version}, found {found}; run `cargo xtask version {version}`"
        );
        Finding::error(path, Some(line), message)
    };
    wrong.map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::check_file;

    #[test]
    fn another_version_is_named_with_its_line() {
        let rows = [
            ("package.json", "{\n  \"version\": \"1.0.0\"\n}", None),
            ("package.json", "{\n  \"version\": \"1.1.0\"\n}", Some((Some(2), "found 1.1.0"))),
            ("package.json", "{}", Some((None, "no version"))),
            ("pyproject.toml", "cli = [\"llmend-cli==1.0.1\"]", Some((Some(1), "found 1.0.1"))),
            ("CHANGELOG.md", "\n## [0.9.0]: 2026-01-01\n", Some((Some(2), "found 0.9.0"))),
        ];
        for (path, text, expected) in rows {
            let found = check_file(path, text, "1.0.0");
            assert_eq!(found.len(), usize::from(expected.is_some()), "{text}");
            for (finding, (line, part)) in found.iter().zip(expected) {
                assert_eq!(finding.line, line, "{text}");
                assert!(finding.message.contains(part), "{finding}");
            }
        }
    }
}
