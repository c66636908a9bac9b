//! Recipes of documents: a generator, its seed, options, and edits, as lines of text.
//!
//! ```text
//! damage 7 412
//! lenient first -trailing-comma
//! insert 40 ,,
//! delete 12 3
//! copy 5 20 80
//! swap 10 4 30
//! cut 200
//! ```
//!
//! The first line names a generator (`damage`, `unescaped`, anything else is `valid`), a seed and the
//! number of a case. The second line is a policy, a choice and rules that are switched off, in any order
//! and all optional; words that are none of these count for nothing. Each further line is one edit at a
//! byte of the document, counted around its end and moved to the next character. Every text is a recipe, so
//! that a fuzzer wastes no input.

use llmend_json::{Choice, Options, Policy, Rule};

use crate::{damage, unescaped, valid};

/// Longest document that is made: longer ones are cut before they are edited.
const MAX_BYTES: usize = 6_000;
/// Edits after which the rest of the recipe is left out.
const MAX_EDITS: usize = 24;

/// A document and the options to read it with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The generated document.
    pub document: String,
    /// The options of the second line.
    pub options: Options,
    edits: Vec<String>,
}

impl Recipe {
    /// Reads a recipe. `None` if there is not even a first line.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut lines = text.split('\n');
        let first = lines.next().filter(|line| !line.is_empty())?;
        let options = options(lines.next().unwrap_or_default());
        let edits = lines.filter(|line| !line.is_empty()).take(MAX_EDITS).map(str::to_owned);
        Some(Self { document: document(first), options, edits: edits.collect() })
    }

    /// The document after all edits.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = self.document.clone();
        truncate(&mut text, MAX_BYTES);
        for edit in &self.edits {
            apply(edit, &mut text);
        }
        truncate(&mut text, 2 * MAX_BYTES);
        text
    }
}

fn document(line: &str) -> String {
    let (seed, rest) = number(line);
    let (index, _) = number(rest);
    let (seed, index) = (seed as u64 % 1_000, index % 1_000);
    match line.as_bytes().first() {
        Some(b'd') => damage::case(seed, index).input,
        Some(b'u') => unescaped::case(seed, index).input,
        _ => valid::case(seed, index).input,
    }
}

fn options(line: &str) -> Options {
    let words = || line.split(' ');
    let policy = words().find_map(|word| word.parse::<Policy>().ok()).unwrap_or(Policy::Lenient);
    let mut options = Options::policy(policy);
    options.choice = words().find_map(|word| word.parse::<Choice>().ok()).unwrap_or_default();
    for off in words().filter_map(|word| word.strip_prefix('-')) {
        if let Some(rule) = Rule::ALL.iter().find(|rule| rule.name() == off) {
            options.rules = options.rules.without(*rule);
        }
    }
    options
}

/// The next number in `text`, 0 if there is none, and what follows it.
fn number(text: &str) -> (usize, &str) {
    let Some(start) = text.find(|c: char| c.is_ascii_digit()) else { return (0, "") };
    let rest = &text[start..];
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()).min(6);
    (rest[..end].parse().unwrap_or(0), &rest[end..])
}

fn apply(edit: &str, text: &mut String) {
    let (at, rest) = number(edit);
    let at = place(text, at);
    let (size, more) = number(rest);
    let end = place_from(text, at, size);
    match edit.as_bytes().first() {
        Some(b'd') => text.replace_range(at..end, ""),
        Some(b'k') => text.truncate(at),
        Some(b'c') if edit.starts_with("cut") => text.truncate(at),
        Some(b'c') => {
            let copied = text[at..end].to_owned();
            let (to, _) = number(more);
            let to = place(text, to);
            text.insert_str(to, &copied);
        }
        Some(b's') => {
            let taken = text[at..end].to_owned();
            text.replace_range(at..end, "");
            let (to, _) = number(more);
            let to = place(text, to);
            text.insert_str(to, &taken);
        }
        // Anything else is put in: what stands behind the place and one space.
        _ => text.insert_str(at, rest.strip_prefix(' ').unwrap_or(rest)),
    }
}

/// A place between two characters, counted around the end.
fn place(text: &str, at: usize) -> usize {
    place_from(text, 0, at % (text.len() + 1))
}

/// The first place between two characters that is at least `size` bytes behind `start`.
fn place_from(text: &str, start: usize, size: usize) -> usize {
    let wanted = start.saturating_add(size).min(text.len());
    (wanted..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

fn truncate(text: &mut String, size: usize) {
    text.truncate(place_from(text, 0, size));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, edit: &str) -> String {
        let mut text = text.to_owned();
        apply(edit, &mut text);
        text
    }

    #[test]
    fn edits() {
        let rows = [
            ("insert 1 ,,", "[,,1, é, 3]"),
            ("insert 11", "[1, é, 3]"),
            ("insert 11 x", "x[1, é, 3]"),
            ("delete 1 2", "[ é, 3]"),
            ("delete 4 1", "[1, , 3]"),
            ("delete 5 1", "[1, é 3]"),
            ("copy 1 2 6", "[1, é1,, 3]"),
            ("swap 1 2 5", "[ é,1, 3]"),
            ("cut 3", "[1,"),
            ("\u{2026} 0 x", "x[1, é, 3]"),
        ];
        for (edit, expected) in rows {
            assert_eq!(edited("[1, é, 3]", edit), expected, "{edit}");
        }
    }

    #[test]
    fn a_recipe_names_options() {
        let recipe =
            Recipe::read("valid 3 4\nstrict first -trailing-comma\ncut 0").expect("a recipe");
        assert_eq!(recipe.document, valid::case(3, 4).input);
        assert_eq!(recipe.options.choice, Choice::First);
        assert_eq!(recipe.options.rules, Policy::Strict.rules());
        assert_eq!(recipe.text(), "");
        let recipe = Recipe::read("damage 1 2\n-trailing-comma").expect("a recipe");
        assert_eq!(recipe.text(), damage::case(1, 2).input);
        assert_eq!(recipe.options.rules, Policy::Lenient.rules().without(Rule::TrailingComma));
        assert_eq!(Recipe::read(""), None);
    }
}
