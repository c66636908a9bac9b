//! The generator of docs/rules.md, which also runs those of docs/coercions.md, docs/checks.md and
//! docs/settings.md.
//!
//! The page is generated from the engine's own table of rules.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::{checks_doc, coercions_doc, settings_doc};

const PAGE: &str = "docs/rules.md";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write nothing, and fail if a page is out of date.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(root: &Path, arguments: &Arguments) -> Result<()> {
    if cfg!(not(feature = "engine")) {
        bail!("this chore needs the feature `engine` of xtask");
    }
    for (name, page) in pages() {
        let path = root.join(name);
        if arguments.check {
            let found = fs::read_to_string(&path).with_context(|| format!("read {name}"))?;
            if found != page {
                bail!("{name} is out of date: `cargo xtask rules-doc` writes it anew");
            }
        } else {
            fs::create_dir_all(root.join("docs")).context("create docs")?;
            fs::write(&path, page).with_context(|| format!("write {name}"))?;
        }
    }
    Ok(())
}

/// Each page with its name.
fn pages() -> [(&'static str, String); 4] {
    [
        (PAGE, render(&table())),
        (coercions_doc::PAGE, coercions_doc::page()),
        (checks_doc::PAGE, checks_doc::page()),
        (settings_doc::PAGE, settings_doc::page()),
    ]
}

/// The rules of one class.
struct Section {
    class: &'static str,
    meaning: &'static str,
    rules: Vec<Row>,
}

/// What the page says of one rule.
struct Row {
    name: &'static str,
    doc: &'static str,
    example: (&'static str, &'static str),
    /// The policies that allow it.
    policies: Vec<&'static str>,
}

#[cfg(not(feature = "engine"))]
fn table() -> Vec<Section> {
    Vec::new()
}

/// Returns the rules by class, from harmless to severe.
#[cfg(feature = "engine")]
fn table() -> Vec<Section> {
    use llmend_json::{Class, Policy, Rule};
    let row = |rule: Rule| Row {
        name: rule.name(),
        doc: rule.doc(),
        example: rule.example(),
        policies: Policy::ALL
            .iter()
            .filter(|policy| policy.rules().contains(rule))
            .map(|policy| policy.as_str())
            .collect(),
    };
    let section = |class: Class| Section {
        class: class.as_str(),
        meaning: match class {
            Class::Notation => "The same value in another notation.",
            Class::Completion => "The only sensible reading of an incomplete text.",
            Class::Guess => "The likeliest of several readings.",
            Class::Loss => "Meaningful text was removed or replaced.",
        },
        rules: Rule::ALL.iter().filter(|rule| rule.class() == class).copied().map(row).collect(),
    };
    Class::ALL.into_iter().map(section).collect()
}

fn render(sections: &[Section]) -> String {
    let count: usize = sections.iter().map(|section| section.rules.len()).sum();
    let mut parts = vec![format!(
        "<!-- Written by `cargo xtask rules-doc` from crates/llmend-json/src/rule.rs. -->\n\n\
         # Rules\n\n\
         llmend records each repair under one of these {count} rules. A rule is enabled or disabled by\n\
         its name. Its class says how certain the repair is, and a result has the worst class of its\n\
         repairs. In the examples, an invisible character is written as its code point: ⟨U+00A0⟩.\n\n\
         | rule | class | allowed by the policies |\n|---|---|---|\n"
    )];
    for section in sections {
        parts.extend(section.rules.iter().map(|rule| index_row(section.class, rule)));
    }
    for section in sections {
        parts.push(format!("\n## Class {}\n\n{}\n", section.class, section.meaning));
        parts.extend(section.rules.iter().map(entry));
    }
    parts.concat()
}

fn index_row(class: &str, Row { name, policies, .. }: &Row) -> String {
    let policies = if policies.is_empty() { "none".to_owned() } else { policies.join(", ") };
    format!("| [{name}](#{name}) | {class} | {policies} |\n")
}

fn entry(Row { name, doc, example: (before, after), .. }: &Row) -> String {
    format!("\n### {name}\n\n{doc}\n\n{}\nbecomes\n\n{}", block(before), block(after))
}

/// `text` as a block of code, with a fence that it cannot close.
pub(crate) fn block(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    let text: String = text.chars().map(visible).collect();
    format!("{fence}text\n{text}\n{fence}\n")
}

fn visible(c: char) -> String {
    let hidden = c != '\n' && c != ' ' && (c.is_control() || c.is_whitespace());
    let zero_width = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}');
    if hidden || zero_width { format!("⟨U+{:04X}⟩", u32::from(c)) } else { c.to_string() }
}

#[cfg(test)]
mod tests {
    use super::{Row, Section, block, render};

    #[test]
    fn examples_are_shown_as_they_are() {
        let rows = [
            ("[1, 2,]", "```text\n[1, 2,]\n```\n"),
            ("[\n1]", "```text\n[\n1]\n```\n"),
            ("[`a`, ```b]", "````text\n[`a`, ```b]\n````\n"),
            ("{\u{a0}1\t}\r", "```text\n{⟨U+00A0⟩1⟨U+0009⟩}⟨U+000D⟩\n```\n"),
            ("\u{feff}“a”，", "```text\n⟨U+FEFF⟩“a”，\n```\n"),
        ];
        for (text, expected) in rows {
            assert_eq!(block(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_page_has_an_index_and_a_section_a_class() {
        let rule = |name, policies: &[&'static str]| Row {
            name,
            doc: "It goes.",
            example: ("[1,]", "[1]"),
            policies: policies.to_vec(),
        };
        let page = render(&[
            Section { class: "notation", meaning: "Same.", rules: vec![rule("a-b", &["x", "y"])] },
            Section { class: "loss", meaning: "Gone.", rules: vec![rule("c", &[])] },
        ]);
        for expected in [
            "one of these 2 rules",
            "| [a-b](#a-b) | notation | x, y |\n| [c](#c) | loss | none |\n",
            "\n## Class loss\n\nGone.\n\n### c\n\nIt goes.\n\n```text\n[1,]\n```\n\nbecomes\n\n```text\n[1]\n```\n",
        ] {
            assert!(page.contains(expected), "{expected} in {page}");
        }
    }

    #[cfg(feature = "engine")]
    #[test]
    fn the_pages_say_what_the_tables_do() {
        let root = crate::tree::root().unwrap();
        super::run(&root, &super::Arguments { check: true }).unwrap();
    }

    #[cfg(feature = "engine")]
    #[test]
    fn every_rule_is_on_the_page() {
        let rules: usize = super::table().iter().map(|section| section.rules.len()).sum();
        assert_eq!(rules, llmend_json::Rule::ALL.len());
    }
}
