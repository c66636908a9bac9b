//! Documents with a defect.

use serde_json::Value;

use crate::defect::Defect;
use crate::document::Document;
use crate::node::{Layout, Node};
use crate::random::Random;
use crate::write::Writer;

/// A text with a defect, and the value that a careful reader would find in it.
#[derive(Debug, Clone)]
pub struct Case {
    /// The broken text.
    pub text: String,
    /// The expected value.
    pub wanted: Value,
}

impl Defect {
    /// Returns the document with this defect. The document must be pretty-printed, since line
    /// comments need lines.
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
                let text = Writer::with_habits(
                    &document.head,
                    &document.records,
                    document.layout,
                    |random| Some(draw_habit(random)),
                );
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
                let text =
                    Writer::with_habits(&document.head, &document.records, document.layout, |_| {
                        Some(self)
                    });
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

/// Returns the document up to the middle of a word in its last long string.
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
    use crate::defect::Defect;
    use crate::document::Document;
    use crate::node::Layout;

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
