//! The page of repair rules, written from the engine's rule table.

use super::block::block;

/// Renders the page.
pub(crate) fn page() -> String {
    render(&table())
}

/// The rules of one class.
struct Section {
    class: &'static str,
    meaning: &'static str,
    rules: Vec<Row>,
}

/// One rule's entry.
struct Row {
    name: &'static str,
    doc: &'static str,
    example: (&'static str, &'static str),
    /// The policies that enable it.
    policies: Vec<&'static str>,
}

#[cfg(not(feature = "engine"))]
fn table() -> Vec<Section> {
    Vec::new()
}

/// The rules by class, from the most to the least certain.
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
        "<!-- Written by `cargo xtask pages` from crates/llmend-json/src/rule.rs. -->\n\n\
         # Rules\n\n\
         llmend records every edit under one of these {count} rules. Each rule can be enabled and\n\
         disabled by name. Its class says how certain the edit is; the class of a result is that of\n\
         its worst edit. Examples show invisible characters as code points: ⟨U+00A0⟩.\n\n\
         | rule | class | enabled by policies |\n|---|---|---|\n"
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
    let doc = doc.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    format!("\n### {name}\n\n{doc}\n\n{}\nbecomes\n\n{}", block(before), block(after))
}

#[cfg(test)]
mod tests {
    use super::{Row, Section, render};

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
    fn every_rule_is_on_the_page() {
        let rules: usize = super::table().iter().map(|section| section.rules.len()).sum();
        assert_eq!(rules, llmend_json::Rule::ALL.len());
    }
}
