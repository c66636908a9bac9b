//! Which files and functions want to be two?
//!
//! Test code is not counted: hundreds of rows in a table are what a test ought to be.

use super::is_test_file;
use crate::finding::Finding;
use crate::source::Outline;
use crate::tree::Tree;

/// Lines of a file from which on it is mentioned.
const LONG_FILE: usize = 500;
/// Lines of a file from which on the run fails.
const TOO_LONG_FILE: usize = 700;
/// Lines of a function from which on it is mentioned.
const LONG_FUNCTION: usize = 60;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let sources = tree.files.iter().filter(|file| file.is_rust() && !is_test_file(&file.path));
    sources.flat_map(|file| check_source(&file.path, &file.text)).collect()
}

fn check_source(path: &str, text: &str) -> Vec<Finding> {
    let outline = match Outline::of(text) {
        Ok(outline) => outline,
        Err(error) => return vec![Finding::error(path, None, error.to_string())],
    };
    let mut findings = Vec::new();
    let lines = (1..=text.lines().count()).filter(|&line| !outline.is_test(line)).count();
    if lines > TOO_LONG_FILE {
        let message = format!("{lines} lines without tests, the limit is {TOO_LONG_FILE}");
        findings.push(Finding::error(path, None, message));
    } else if lines > LONG_FILE {
        let message = format!("{lines} lines without tests: a file of {LONG_FILE} wants to be two");
        findings.push(Finding::warning(path, None, message));
    }
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
    use super::check_source;
    use crate::finding::Severity::{self, Error, Warning};

    fn check(text: &str, expected: &[Severity]) {
        let found: Vec<_> = check_source("a.rs", text).iter().map(|f| f.severity).collect();
        assert_eq!(found, expected, "{} lines", text.lines().count());
    }

    #[test]
    fn files_are_measured_without_their_tests() {
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "// row\n".repeat(900));
        check(&"// line\n".repeat(500), &[]);
        check(&"// line\n".repeat(501), &[Warning]);
        check(&"// line\n".repeat(700), &[Warning]);
        check(&"// line\n".repeat(701), &[Error]);
        check(&format!("fn a() {{}}\n\n{tests}"), &[]);
        check(&format!("{}\nfn a() {{}}\n{tests}", "// line\n".repeat(501)), &[Warning]);
    }

    #[test]
    fn functions_are_measured_from_head_to_brace() {
        let function = |lines: usize| format!("fn a() {{\n{}}}\n", "b();\n".repeat(lines - 2));
        check(&function(60), &[]);
        check(&function(61), &[Warning]);
        check(&format!("#[test]\n{}", function(61)), &[]);
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        check("fn a() {", &[Error]);
    }
}
