//! The list of user-visible texts, kept in one file so that they are read, and changed, as a whole.
//!
//! A text is a string literal of more than one word outside of tests, documentation and attributes. Rust is read as
//! syntax trees; of Python and of the gateway's page, only the quotes are understood.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use crate::tree::{File, Tree, has_extension};

/// Where the list is kept.
const LIST: &str = "testing/fixtures/texts.txt";

/// The folders whose texts reach users.
const FOLDERS: [&str; 6] = [
    "crates/",
    "bindings/python/src/",
    "bindings/python/python/",
    "bindings/node/src/",
    "bindings/node/ts/",
    "packaging/page/",
];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write nothing, and fail if the list is out of date.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(root: &Path, arguments: &Arguments) -> Result<()> {
    let list = render(&Tree::read(root)?);
    let path = root.join(LIST);
    if !arguments.check {
        return fs::write(&path, list).with_context(|| format!("write {LIST}"));
    }
    let found = fs::read_to_string(&path).with_context(|| format!("read {LIST}"))?;
    if found != list {
        bail!("{LIST} is out of date; run `cargo xtask texts` and read what changed");
    }
    Ok(())
}

fn render(tree: &Tree) -> String {
    let mut list = String::from(
        "Every user-visible text, by file. Written by `cargo xtask texts`; read the neighbors of what you change.\n",
    );
    let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in tree.files.iter().filter(|file| is_source(file)) {
        let texts = texts(file);
        if !texts.is_empty() {
            files.insert(&file.path, texts);
        }
    }
    for (path, texts) in files {
        let lines = texts.iter().map(|text| format!("  {}\n", text.replace('\n', "\\n")));
        list.extend([format!("\n{path}\n")].into_iter().chain(lines));
    }
    list
}

fn is_source(file: &File) -> bool {
    let path = file.path.as_str();
    FOLDERS.iter().any(|folder| path.starts_with(folder))
        && (path.contains("/src/")
            || path.contains("/page/")
            || path.contains("/templates/")
            || path.contains("/python/")
            || path.contains("/ts/"))
        && !path.contains("/tests")
}

fn texts(file: &File) -> Vec<String> {
    let found = match &file.path {
        path if file.is_rust() => {
            rust(&file.text).unwrap_or_else(|error| panic!("{path}: {error}"))
        }
        path if has_extension(path, "py") => quoted(&file.text, "#"),
        path if has_extension(path, "js") || has_extension(path, "ts") => quoted(&file.text, "//"),
        path if has_extension(path, "html") => between_tags(&file.text),
        _ => Vec::new(),
    };
    found.into_iter().filter(|text| is_text(text)).collect()
}

/// Whether somebody could read `text` as a sentence or a part of one.
fn is_text(text: &str) -> bool {
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 1;
    text.split_whitespace().filter(is_word).count() > 1
}

fn rust(text: &str) -> syn::Result<Vec<String>> {
    let mut literals = Literals::default();
    literals.visit_file(&syn::parse_file(text)?);
    Ok(literals.found)
}

/// The string literals of a file, without those of tests and attributes.
#[derive(Default)]
struct Literals {
    found: Vec<String>,
}

impl Literals {
    /// The literals among the arguments of a macro, whose syntax is its own.
    fn add_all(&mut self, tokens: TokenStream) {
        for tree in tokens {
            match tree {
                TokenTree::Group(group) => self.add_all(group.stream()),
                TokenTree::Literal(literal) => {
                    if let syn::Lit::Str(text) = syn::Lit::new(literal) {
                        self.found.push(text.value());
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Literals {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        let is_test = attributes.iter().any(|attribute| {
            attribute.path().is_ident("test")
                || (attribute.path().is_ident("cfg")
                    && attribute.parse_args::<syn::Ident>().is_ok_and(|word| word == "test"))
        });
        if !is_test {
            visit::visit_item(self, item);
        }
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        // Of attributes, thiserror's are messages.
        if attribute.path().is_ident("error")
            && let syn::Meta::List(list) = &attribute.meta
        {
            self.add_all(list.tokens.clone());
        }
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.found.push(text.value());
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.add_all(item.tokens.clone());
    }
}

/// The strings of a file in a language with `'`, `"` and backquotes, whose comments begin with `comment`.
fn quoted(text: &str, comment: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'', '`', '/', '#']) {
        rest = &rest[at..];
        if rest.starts_with(comment) {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if let Some(inside) = rest.strip_prefix("/*") {
            rest = inside.find("*/").map_or("", |end| &inside[end + 2..]);
        } else if let Some(inside) = rest.strip_prefix("\"\"\"") {
            // Documentation.
            rest = inside.find("\"\"\"").map_or("", |end| &inside[end + 3..]);
        } else if rest.starts_with(['/', '#']) {
            rest = &rest[1..];
        } else {
            let quote = rest.chars().next().unwrap_or_default();
            let inside = &rest[1..];
            let end = end_of_string(inside, quote);
            found.push(inside[..end].to_owned());
            rest = inside.get(end + 1..).unwrap_or_default();
        }
    }
    found
}

fn end_of_string(inside: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in inside.char_indices() {
        if c == quote && !is_escaped || (c == '\n' && quote != '`') {
            return at;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    inside.len()
}

/// The text of a page, outside of its tags.
fn between_tags(html: &str) -> Vec<String> {
    let parts = html.split('<').filter_map(|part| part.split_once('>'));
    let texts = parts.map(|(_, text)| text.split_whitespace().collect::<Vec<_>>().join(" "));
    texts.filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::{between_tags, is_text, quoted, rust};

    #[test]
    fn literals_of_code_are_found_and_those_of_tests_are_not() {
        let rows: [(&str, &[&str]); 6] = [
            ("fn a() { b(\"x y\"); }", &["x y"]),
            ("fn a() { format!(\"x {}\", if c { \"y\" } else { \"z\" }) }", &["x {}", "y", "z"]),
            ("#[error(\"x {0}\")] struct A;", &["x {0}"]),
            ("/// Doc.\n#[expect(lint, reason = \"x\")] fn a() {}", &[]),
            ("#[cfg(test)] mod tests { const A: &str = \"x\"; }", &[]),
            ("#[test] fn a() { b(\"x\"); }", &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(rust(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn strings_of_other_languages_are_found() {
        let rows: [(&str, &str, &[&str]); 5] = [
            ("a('x', \"y's\") // 'no'\nb(`z\n1`)", "//", &["x", "y's", "z\n1"]),
            ("/* it's */ a('x')", "//", &["x"]),
            ("\"\"\"It's doc.\"\"\"\na = f'x' # don't", "#", &["x"]),
            ("a('it\\'s')", "//", &["it\\'s"]),
            ("a / b, '#', \"//\"", "//", &["#", "//"]),
        ];
        for (text, comment, expected) in rows {
            assert_eq!(quoted(text, comment), expected, "{text}");
        }
        assert_eq!(between_tags("<p title='a'>x\n y</p>"), ["x y"]);
    }

    #[test]
    fn a_text_has_more_than_one_word() {
        let rows = [
            ("expected integer", true),
            ("schema/type", false),
            ("a b", false),
            ("{} of {}", false),
        ];
        for (text, expected) in rows {
            assert_eq!(is_text(text), expected, "{text}");
        }
    }

    #[test]
    fn the_list_is_up_to_date() {
        let root = crate::tree::root().unwrap();
        super::run(&root, &super::Arguments { check: true }).unwrap();
    }
}
