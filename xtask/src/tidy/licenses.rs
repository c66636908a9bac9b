//! Licenses of dependencies, and our own.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::finding::Finding;
use crate::tree::Tree;

/// Our own license files, with words that identify each text.
const OWN: [(&str, [&str; 2]); 2] = [
    ("LICENSE-MIT", ["MIT License", "Permission is hereby granted, free of charge"]),
    ("LICENSE-APACHE", ["Version 2.0, January 2004", "END OF TERMS AND CONDITIONS"]),
];

/// Licenses that only ask to be passed on.
const PERMISSIVE: [&str; 14] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, words) in OWN {
        let text = tree.file(path).map_or("", |file| &file.text);
        if words.iter().any(|words| !text.contains(words)) {
            findings.push(Finding::error(path, None, "the license text is missing"));
        }
    }
    match listing(tree) {
        Ok(listing) => findings.extend(check_dependencies(&listing)),
        Err(error) => findings.push(Finding::error("Cargo.lock", None, format!("{error:#}"))),
    }
    findings
}

/// One line for each package that a build on this machine uses: licence, tab, package.
fn listing(tree: &Tree) -> Result<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--workspace", "--prefix", "none", "--format", "{l}\t{p}"])
        .current_dir(&tree.root)
        .output()
        .context("run cargo tree")?;
    if !output.status.success() {
        bail!("cargo tree failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    String::from_utf8(output.stdout).context("the output of cargo tree is not UTF-8")
}

fn check_dependencies(listing: &str) -> Vec<Finding> {
    let mut refused: Vec<String> = listing
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter(|(licence, _)| !is_permissive(licence))
        .map(|(licence, package)| {
            let package = package.trim_end_matches(" (*)");
            if licence.is_empty() {
                format!("{package} has no license")
            } else {
                format!("{package} has license {licence}, which is not allowed")
            }
        })
        .collect();
    refused.sort();
    refused.dedup();
    refused.into_iter().map(|message| Finding::error("Cargo.lock", None, message)).collect()
}

/// Whether a licence expression can be met with permissive licences alone.
///
/// `AND` binds more tightly than `OR`; a slash is the older way to write `OR`.
fn is_permissive(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words: Vec<&str> = expression.split_whitespace().rev().collect();
    alternatives(&mut words) == Some(true) && words.is_empty()
}

/// Reads terms joined by `OR` off the end of `words`, which are in reverse; `None` if malformed.
fn alternatives(words: &mut Vec<&str>) -> Option<bool> {
    let mut met = requirements(words)?;
    while words.pop_if(|word| *word == "OR").is_some() {
        met |= requirements(words)?;
    }
    Some(met)
}

fn requirements(words: &mut Vec<&str>) -> Option<bool> {
    let mut met = term(words)?;
    while words.pop_if(|word| *word == "AND").is_some() {
        met &= term(words)?;
    }
    Some(met)
}

fn term(words: &mut Vec<&str>) -> Option<bool> {
    let word = words.pop()?;
    if word == "(" {
        let met = alternatives(words)?;
        return (words.pop()? == ")").then_some(met);
    }
    if words.pop_if(|word| *word == "WITH").is_some() {
        let whole = format!("{word} WITH {}", words.pop()?);
        return Some(PERMISSIVE.contains(&whole.as_str()));
    }
    Some(PERMISSIVE.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::{check_dependencies, is_permissive};

    #[test]
    fn an_expression_passes_if_permissive_licences_meet_it() {
        let rows = [
            ("MIT", true),
            ("MIT OR Apache-2.0", true),
            ("MIT/Apache-2.0", true),
            ("GPL-3.0-only", false),
            ("GPL-3.0-only OR MIT", true),
            ("MIT AND GPL-3.0-only", false),
            ("MIT OR GPL-3.0-only AND GPL-2.0-only", true),
            ("(MIT OR GPL-3.0-only) AND Unicode-3.0", true),
            ("(MIT OR Apache-2.0) AND MPL-2.0", false),
            ("Apache-2.0 WITH LLVM-exception OR MPL-2.0", true),
            ("MIT WITH something-else", false),
            ("", false),
            ("MIT OR", false),
            ("(MIT", false),
            ("MIT MIT", false),
        ];
        for (expression, expected) in rows {
            assert_eq!(is_permissive(expression), expected, "{expression}");
        }
    }

    #[test]
    fn each_refused_package_is_named_once() {
        let listing =
            "MIT\ta v1.0.0\nGPL-3.0-only\tb v1.0.0\n\nGPL-3.0-only\tb v1.0.0 (*)\n\tc v1.0.0\n";
        let messages: Vec<_> =
            check_dependencies(listing).into_iter().map(|finding| finding.message).collect();
        let expected =
            ["b v1.0.0 has license GPL-3.0-only, which is not allowed", "c v1.0.0 has no license"];
        assert_eq!(messages, expected);
    }
}
