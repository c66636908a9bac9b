//! Sizes of files and functions, without tests.

use super::is_test_file;
use crate::finding::Finding;
use crate::source::Outline;
use crate::tree::{File, Tree, has_extension};

/// Lines of a file from which on it is mentioned.
const LONG_FILE: usize = 500;
/// Lines of a file from which on the run fails.
const TOO_LONG_FILE: usize = 700;
/// Lines of a function from which on it is mentioned.
const LONG_FUNCTION: usize = 60;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let files = tree.files.iter().filter(|file| !is_test_file(&file.path));
    let check = |file: &File| match file.is_rust() {
        true => check_source(&file.path, &file.text),
        false if is_of_a_page(&file.path) => {
            check_length(&file.path, file.text.lines().count()).into_iter().collect()
        }
        false => Vec::new(),
    };
    files.flat_map(check).collect()
}

/// Whether a browser reads it.
fn is_of_a_page(path: &str) -> bool {
    path.starts_with("crates/")
        && ["js", "css", "html"].iter().any(|kind| has_extension(path, kind))
}

fn check_length(path: &str, lines: usize) -> Option<Finding> {
    if lines > TOO_LONG_FILE {
        let message = format!("{lines} lines without tests, the limit is {TOO_LONG_FILE}");
        return Some(Finding::error(path, None, message));
    }
    let message = format!("{lines} lines without tests: split files above {LONG_FILE}");
    (lines > LONG_FILE).then(|| Finding::warning(path, None, message))
}

fn check_source(path: &str, text: &str) -> Vec<Finding> {
    let outline = match Outline::of(text) {
        Ok(outline) => outline,
        Err(error) => return vec![Finding::error(path, None, error.to_string())],
    };
    let mut findings = Vec::new();
    let lines = (1..=text.lines().count()).filter(|&line| !outline.is_test(line)).count();
    findings.extend(check_length(path, lines));
    for function in &outline.functions {
        let (start, end) = (*function.lines.start(), *function.lines.end());
        let lines = end + 1 - start;
        if lines > LONG_FUNCTION && !outline.is_test(start) {
            let message =
                format!("`{}` has {lines} lines, more than {LONG_FUNCTION}", function.name);
            findings.push(Finding::warning(path, Some(start), message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{check, check_source};
    use crate::finding::Severity::{self, Error, Warning};
    use crate::tree::{File, Tree};

    fn measured(text: &str, expected: &[Severity]) {
        let found: Vec<_> = check_source("a.rs", text).iter().map(|f| f.severity).collect();
        assert_eq!(found, expected, "{} lines", text.lines().count());
    }

    #[test]
    fn files_are_measured_without_their_tests() {
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "// row\n".repeat(900));
        measured(&"// line\n".repeat(500), &[]);
        measured(&"// line\n".repeat(501), &[Warning]);
        measured(&"// line\n".repeat(700), &[Warning]);
        measured(&"// line\n".repeat(701), &[Error]);
        measured(&format!("fn a() {{}}\n\n{tests}"), &[]);
        measured(&format!("{}\nfn a() {{}}\n{tests}", "// line\n".repeat(501)), &[Warning]);
    }

    #[test]
    fn functions_are_measured_from_head_to_brace() {
        let function = |lines: usize| format!("fn a() {{\n{}}}\n", "b();\n".repeat(lines - 2));
        measured(&function(60), &[]);
        measured(&function(61), &[Warning]);
        measured(&format!("#[test]\n{}", function(61)), &[]);
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        measured("fn a() {", &[Error]);
    }

    #[test]
    fn files_that_a_browser_reads_are_measured() {
        let file =
            |path: &str, lines: usize| File { path: path.to_owned(), text: "line\n".repeat(lines) };
        let rows = [
            ("crates/a/page/main.js", 501, vec![Warning]),
            ("crates/a/page/main.js", 500, vec![]),
            ("crates/a/page/style.css", 701, vec![Error]),
            ("crates/a/page/index.html", 501, vec![Warning]),
            ("crates/a/page/data.json", 999, vec![]),
            ("testing/page/units/a.test.js", 999, vec![]),
        ];
        for (path, lines, expected) in rows {
            let tree = Tree { files: vec![file(path, lines)] };
            let found: Vec<_> = check(&tree).iter().map(|found| found.severity).collect();
            assert_eq!(found, expected, "{path} {lines}");
        }
    }
}
