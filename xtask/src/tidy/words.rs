//! Macros, attributes and paths that must not be committed.

use super::{is_core, is_test_file};
use crate::finding::Finding;
use crate::source::Outline;
use crate::tree::Tree;

/// Macros that mark unfinished or temporary work.
const UNFINISHED: [&str; 3] = ["todo", "unimplemented", "dbg"];

/// Paths outside of the repository, split so that they do not match themselves.
const ELSEWHERE: [&str; 2] = [concat!("../", "shared"), concat!("/work", "/main")];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        findings.extend(check_text(&file.path, &file.text));
        if file.is_rust() {
            findings.extend(check_source(&file.path, &file.text));
        }
    }
    findings
}

fn check_text(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        for elsewhere in ELSEWHERE.iter().filter(|elsewhere| line.contains(**elsewhere)) {
            let message = format!("`{elsewhere}` is outside the repository");
            findings.push(Finding::error(path, Some(number), message));
        }
    }
    findings
}

/// A file that cannot be read as Rust is reported by the check of sizes.
fn check_source(path: &str, text: &str) -> Vec<Finding> {
    let outline = Outline::of(text).unwrap_or_default();
    let mut findings = Vec::new();
    for mention in &outline.macros {
        if UNFINISHED.contains(&mention.name.as_str()) {
            let message = format!("`{}!` marks unfinished work", mention.name);
            findings.push(Finding::error(path, Some(mention.line), message));
        }
    }
    for &line in &outline.ignored {
        let message = "ignored test";
        findings.push(Finding::error(path, Some(line), message));
    }
    if is_core(path) && !is_test_file(path) {
        for mention in &outline.methods {
            if mention.name == "unwrap" && !outline.is_test(mention.line) {
                let message =
                    "`unwrap()` in the core: state the invariant with `expect`, or return";
                findings.push(Finding::warning(path, Some(mention.line), message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{check_source, check_text};
    use crate::finding::{Finding, Severity};

    fn places(findings: &[Finding], severity: Severity) -> Vec<usize> {
        findings.iter().filter(|f| f.severity == severity).filter_map(|f| f.line).collect()
    }

    #[test]
    fn unfinished_work_is_an_error() {
        let rows: [(&str, &[usize]); 6] = [
            ("fn a() {\n  todo!()\n}", &[2]),
            ("fn a() { unimplemented!(\"later\") }", &[1]),
            ("fn a() { b(dbg!(c)) }", &[1]),
            ("#[test]\n#[ignore]\nfn a() {}", &[2]),
            ("fn a() { b(\"todo!()\"); } // dbg!(c)", &[]),
            ("fn todo() { todo(); unreachable!() }", &[]),
        ];
        for (text, expected) in rows {
            let findings = check_source("xtask/src/a.rs", text);
            assert_eq!(places(&findings, Severity::Error), expected, "{text}");
        }
    }

    #[test]
    fn unwrap_is_mentioned_in_the_core_only() {
        let text = "fn a() {\n  b.unwrap();\n}\n#[cfg(test)]\nmod tests { fn a() { b.unwrap() } }";
        let rows: [(&str, &[usize]); 4] = [
            ("crates/llmend-json/src/a.rs", &[2]),
            ("crates/llmend-json/src/a/tests.rs", &[]),
            ("crates/llmend-json/tests/a.rs", &[]),
            ("crates/llmend-cli/src/a.rs", &[]),
        ];
        for (path, expected) in rows {
            assert_eq!(places(&check_source(path, text), Severity::Warning), expected, "{path}");
        }
    }

    #[test]
    fn paths_outside_of_the_repository_are_errors() {
        let rows: [(&str, &[usize]); 3] = [
            (concat!("see\n../", "shared/a.md"), &[2]),
            (concat!("cd /work", "/main && ls"), &[1]),
            ("a shared file, ../docs/shared.md, /work/book", &[]),
        ];
        for (text, expected) in rows {
            let findings = check_text("docs/a.md", text);
            assert_eq!(places(&findings, Severity::Error), expected, "{text}");
        }
    }
}
