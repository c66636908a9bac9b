//! Which mistakes are measured, and how is each one made?

use serde_json::Value;

use crate::document::{Document, Layout, Node};
use crate::random::Random;
use crate::write::Writer;

/// A named mistake, made as often as a model that has the habit would make it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defect {
    /// A sentence, a fenced block and another sentence.
    FenceWithProse,
    /// A comma before the closer of every object and array.
    TrailingComma,
    /// Every string as Python's `repr` writes it.
    SingleQuotes,
    /// Every key without quotes.
    BareKeys,
    /// `True`, `False` and `None` throughout.
    PythonLiterals,
    /// A `//` comment and a `/* */` comment in every record.
    Comments,
    /// A line break inside a string in every record.
    RawNewline,
    /// An unescaped quoted phrase in a string in every record.
    InnerQuotes,
    /// A comma left out between two lines of every record.
    MissingComma,
    /// Curly double quotes around every string and key.
    SmartQuotes,
    /// The text is complete but for its last closers.
    MissingClosers,
    /// The text ends in the middle of the last record's long string.
    Truncated,
    /// A fenced block in which each record has one of seven habits.
    Mixed,
}

/// A broken text and the value that a careful human would read in it.
#[derive(Debug, Clone)]
pub struct Case {
    /// The broken text.
    pub text: String,
    /// What it means.
    pub wanted: Value,
}

impl Defect {
    /// All of them, in the order of the tables.
    pub const ALL: [Defect; 13] = [
        Defect::FenceWithProse,
        Defect::TrailingComma,
        Defect::SingleQuotes,
        Defect::BareKeys,
        Defect::PythonLiterals,
        Defect::Comments,
        Defect::RawNewline,
        Defect::InnerQuotes,
        Defect::MissingComma,
        Defect::SmartQuotes,
        Defect::MissingClosers,
        Defect::Truncated,
        Defect::Mixed,
    ];

    /// What a record of a mixed document may have.
    const MIXED: [Defect; 7] = [
        Defect::TrailingComma,
        Defect::SingleQuotes,
        Defect::BareKeys,
        Defect::PythonLiterals,
        Defect::Comments,
        Defect::RawNewline,
        Defect::MissingComma,
    ];

    /// The defect's name in a table.
    pub fn name(self) -> &'static str {
        match self {
            Defect::FenceWithProse => "fence with prose",
            Defect::TrailingComma => "trailing comma",
            Defect::SingleQuotes => "single quotes",
            Defect::BareKeys => "bare keys",
            Defect::PythonLiterals => "Python literals",
            Defect::Comments => "comments",
            Defect::RawNewline => "raw newline",
            Defect::InnerQuotes => "inner quotes",
            Defect::MissingComma => "missing comma",
            Defect::SmartQuotes => "smart quotes",
            Defect::MissingClosers => "missing closers",
            Defect::Truncated => "truncated",
            Defect::Mixed => "mixed",
        }
    }

    /// The document with this defect in it. The document is to be a pretty one:
    /// a comment to the end of the line needs lines.
    ///
    /// # Panics
    ///
    /// If the document's last record does not end with a string.
    pub fn apply(self, document: &Document) -> Case {
        debug_assert_eq!(document.layout, Layout::Pretty);
        match self {
            Defect::FenceWithProse => {
                let text = format!("{BEFORE}```json\n{}\n```{AFTER}", document.text());
                Case { text, wanted: document.value() }
            }
            Defect::Mixed => {
                let text = Writer::with_habits(document, |random| Some(draw_habit(random)));
                Case { text: format!("```json\n{text}\n```\n"), wanted: document.value() }
            }
            Defect::MissingClosers => {
                let text = without_closers(&document.text()).to_owned();
                Case { text, wanted: document.value() }
            }
            Defect::Truncated => {
                let document = cut_off(document.clone());
                let text = document.text();
                let text =
                    without_closers(&text).strip_suffix('"').expect("the last value is a string");
                Case { text: text.to_owned(), wanted: document.value() }
            }
            _ => {
                let text = Writer::with_habits(document, |_| Some(self));
                Case { text, wanted: document.value() }
            }
        }
    }
}

fn draw_habit(random: &mut Random) -> Defect {
    Defect::MIXED[random.below(Defect::MIXED.len())]
}

fn without_closers(text: &str) -> &str {
    text.trim_end_matches(|char: char| char == '}' || char == ']' || char.is_ascii_whitespace())
}

/// The document up to the middle of a word in its last long string.
fn cut_off(mut document: Document) -> Document {
    let Some(Node::Object(members)) = document.records.last_mut() else {
        unreachable!("a record is an object");
    };
    let Some((_, Node::Text(text))) = members.last_mut() else {
        unreachable!("a record ends with its long string");
    };
    let mut end = text.len() * 2 / 3;
    while !text.is_char_boundary(end)
        || !text[..end].ends_with(|char: char| char.is_ascii_alphabetic())
    {
        end -= 1;
    }
    text.truncate(end);
    document
}

const BEFORE: &str = "Sure! I went through the material and put everything that you asked for \
    into one object. Two things to keep in mind: amounts are in euros, and steps marked as \
    optional may be skipped.\n\n";
const AFTER: &str = "\n\nLet me know if you'd like me to change the order of the steps, or to \
    add anything that I've missed.\n";

#[cfg(test)]
mod tests {
    use super::Defect;
    use crate::document::{Document, Layout};

    #[test]
    fn every_defect_breaks_the_text() {
        for bytes in [1_000, 50_000] {
            let document = Document::generate(bytes, Layout::Pretty);
            for defect in Defect::ALL {
                let case = defect.apply(&document);
                let strict = serde_json::from_str::<serde_json::Value>(&case.text);
                assert!(strict.is_err(), "{} left the text valid", defect.name());
            }
        }
    }

    #[test]
    fn only_a_cut_changes_the_value() {
        let document = Document::generate(20_000, Layout::Pretty);
        for defect in Defect::ALL {
            let same = defect.apply(&document).wanted == document.value();
            assert_eq!(same, defect != Defect::Truncated, "{}", defect.name());
        }
    }

    #[test]
    fn what_is_left_of_a_cut_text_is_a_prefix() {
        let document = Document::generate(20_000, Layout::Pretty);
        for defect in [Defect::MissingClosers, Defect::Truncated] {
            assert!(document.text().starts_with(&defect.apply(&document).text));
        }
    }
}
