//! Checks of the repository that neither the compiler nor clippy makes.

mod circles;
mod licenses;
mod manifests;
mod names;
mod sizes;
mod versions;
mod words;

use std::path::Path;

use anyhow::{Result, bail};

use crate::finding::{Finding, Severity};
use crate::tree::Tree;

/// The crates that do no input or output, read no clock and write no log.
const CORE: [&str; 5] =
    ["llmend-json", "llmend-schema", "llmend-calls", "llmend-plan", "llmend-draw"];

type Check = fn(&Tree) -> Vec<Finding>;

const CHECKS: [(&str, Check); 7] = [
    ("circles", circles::check),
    ("licenses", licenses::check),
    ("manifests", manifests::check),
    ("names", names::check),
    ("sizes", sizes::check),
    ("versions", versions::check),
    ("words", words::check),
];

pub(crate) fn run(root: &Path) -> Result<()> {
    let tree = Tree::read(root)?;
    let mut errors = 0;
    for (name, check) in CHECKS {
        let findings = check(&tree);
        for finding in &findings {
            println!("{finding}");
        }
        let failed = findings.iter().filter(|f| f.severity == Severity::Error).count();
        errors += failed;
        println!("{name}: {failed} errors, {} warnings", findings.len() - failed);
    }
    if errors > 0 {
        bail!("the repository is not tidy: {errors} errors");
    }
    Ok(())
}

/// Whether `path` is source of a crate of the core.
fn is_core(path: &str) -> bool {
    CORE.iter().any(|name| {
        path.strip_prefix("crates/")
            .and_then(|path| path.strip_prefix(name))
            .is_some_and(|path| path.starts_with("/src/"))
    })
}

/// Whether the whole of `path` is test code.
fn is_test_file(path: &str) -> bool {
    path.starts_with("testing/")
        || path.starts_with("tests/")
        || path.contains("/tests/")
        || path.ends_with("/tests.rs")
}

#[cfg(test)]
mod tests {
    use super::{is_core, is_test_file};

    #[test]
    fn the_core_is_recognized_by_its_path() {
        let rows = [
            ("crates/llmend-json/src/lib.rs", true),
            ("crates/llmend-json/tests/a.rs", false),
            ("crates/llmend/src/lib.rs", false),
            ("crates/llmend-json-extra/src/lib.rs", false),
            ("xtask/src/main.rs", false),
        ];
        for (path, expected) in rows {
            assert_eq!(is_core(path), expected, "{path}");
        }
    }

    #[test]
    fn test_files_are_recognized_by_their_path() {
        let rows = [
            ("crates/llmend-json/tests/promises.rs", true),
            ("crates/llmend-json/src/judge/tests.rs", true),
            ("testing/src/lib.rs", true),
            ("crates/llmend-json/src/lib.rs", false),
            ("xtask/src/test.rs", false),
        ];
        for (path, expected) in rows {
            assert_eq!(is_test_file(path), expected, "{path}");
        }
    }
}
