//! Type names that a crate uses twice, and module headings that break the style.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};

use super::is_test_file;
use crate::finding::Finding;
use crate::tree::{File, Tree};

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut crates: BTreeMap<&str, Vec<&File>> = BTreeMap::new();
    for file in tree.files.iter().filter(|file| file.is_rust()) {
        findings.extend(check_heading(&file.path, &file.text));
        if is_published(file)
            && let Some((root, _)) = file.path.split_once("/src/")
        {
            crates.entry(root).or_default().push(file);
            findings.extend(check_ids(&file.path, &file.text));
        }
    }
    for files in crates.values() {
        let texts = files.iter().map(|file| (file.path.as_str(), file.text.as_str()));
        findings.extend(check_types(texts));
    }
    findings
}

/// Whether users or other crates read it.
fn is_published(file: &File) -> bool {
    let path = &file.path;
    let is_there = path.starts_with("crates/") || path.starts_with("bindings/");
    is_there && file.is_rust() && !is_test_file(path)
}

/// Two types of one name that both leave their modules make every import ambiguous to its reader.
fn check_types<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<Finding> {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    let mut findings = Vec::new();
    for (path, text) in files {
        let mut types = Types::default();
        types.visit_file(&syn::parse_file(text).unwrap_or_else(|_| syn::File {
            shebang: None,
            attrs: Vec::new(),
            items: Vec::new(),
        }));
        for (name, line) in types.found {
            match seen.get(&name) {
                Some(other) => {
                    let message = format!("type `{name}` also exists in {other}");
                    findings.push(Finding::error(path, Some(line), message));
                }
                None => drop(seen.insert(name, path)),
            }
        }
    }
    findings
}

/// Types that other modules can see, each with its line.
#[derive(Default)]
struct Types {
    found: Vec<(String, usize)>,
}

impl Types {
    fn add(&mut self, visibility: &syn::Visibility, name: &syn::Ident) {
        let is_wide = match visibility {
            syn::Visibility::Public(_) => true,
            syn::Visibility::Restricted(restricted) => restricted.path.is_ident("crate"),
            syn::Visibility::Inherited => false,
        };
        if is_wide {
            self.found.push((name.to_string(), name.span().start().line));
        }
    }
}

impl<'ast> Visit<'ast> for Types {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        match item {
            syn::Item::Struct(item) => self.add(&item.vis, &item.ident),
            syn::Item::Enum(item) => self.add(&item.vis, &item.ident),
            syn::Item::Trait(item) => self.add(&item.vis, &item.ident),
            syn::Item::Type(item) => self.add(&item.vis, &item.ident),
            _ => {}
        }
        visit::visit_item(self, item);
    }
}

/// A heading is a noun phrase.
fn check_heading(path: &str, text: &str) -> Option<Finding> {
    let heading: Vec<&str> = text
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .take_while(|line| !line.trim().is_empty())
        .collect();
    let is_question = heading.last().is_some_and(|line| line.trim_end().ends_with('?'));
    let message = "the module heading is a question; write a noun phrase";
    is_question.then(|| Finding::error(path, Some(1), message))
}

/// Requirement ids belong into tests.
fn check_ids(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    for (line, number) in code.lines().zip(1..) {
        if line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').any(is_requirement) {
            let message = "requirement ids belong into tests";
            findings.push(Finding::error(path, Some(number), message));
        }
    }
    findings
}

/// Whether `word` is an id such as S0-16.
fn is_requirement(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    word.strip_prefix('S')
        .and_then(|rest| rest.split_once('-'))
        .is_some_and(|(source, number)| source.len() == 1 && digits(source) && digits(number))
}

#[cfg(test)]
mod tests {
    use super::{check_heading, check_ids, check_types};

    #[test]
    fn types_of_one_name_in_a_crate_are_errors() {
        let rows: [(&[(&str, &str)], usize); 5] = [
            (&[("a.rs", "pub struct A;"), ("b.rs", "pub(crate) enum A {}")], 1),
            (&[("a.rs", "struct A;"), ("b.rs", "pub(crate) enum A {}")], 0),
            (&[("a.rs", "pub(super) struct A;"), ("b.rs", "pub trait A {}")], 0),
            (&[("a.rs", "pub type A = u8; pub struct B;")], 0),
            (&[("a.rs", "mod x { pub struct A; } pub struct A;")], 1),
        ];
        for (files, expected) in rows {
            assert_eq!(check_types(files.iter().copied()).len(), expected, "{files:?}");
        }
    }

    #[test]
    fn headings_are_no_questions_and_name_no_requirement() {
        let rows = [
            ("//! A list of names.\n", 0),
            ("//! What is in a name?\n\nfn a() {}", 1),
            ("//! What is in\n//! a name?\n//!\n//! More.", 1),
            ("//! Names.\n//!\n//! Why?\n", 0),
            ("// S0-16: why.\n", 1),
            ("fn a() {}\n#[cfg(test)]\nmod tests { // S0-16\n}", 0),
            ("// UTF-8, S-1, S10-1.\n", 0),
        ];
        for (text, expected) in rows {
            let found = check_heading("a.rs", text).into_iter().chain(check_ids("a.rs", text));
            assert_eq!(found.count(), expected, "{text}");
        }
    }
}
