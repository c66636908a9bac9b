//! Whether a text that can be read as YAML was meant as YAML.
//!
//! Nearly every text with colons can be read as YAML, so the text must look like data throughout:
//! names as keys, and containers in containers. A code block that says `yaml` says what it is.

/// What a YAML document consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    /// Whether the outermost container is a sequence.
    pub(crate) is_list: bool,
    /// Number of keys.
    pub(crate) keys: usize,
    /// Keys that are no names in lower case, such as the words before the colon of a sentence.
    pub(crate) odd_keys: usize,
    /// Block mappings inside of other containers.
    pub(crate) mappings: usize,
    /// Block mappings of several keys that are items of a sequence.
    pub(crate) records: usize,
    /// Block sequences.
    pub(crate) sequences: usize,
    /// Items of the outermost sequence that are no mappings.
    pub(crate) bare_items: usize,
    /// Unquoted strings that are sentences.
    pub(crate) sentences: usize,
    /// Strings in block notation, after `|` or `>`.
    pub(crate) blocks: usize,
    /// Scalars that are not unquoted strings.
    pub(crate) solid: usize,
}

impl Outline {
    /// Returns whether a text of this outline is data, although nothing says that it is YAML.
    pub(crate) fn is_data(&self) -> bool {
        let structured = if self.is_list {
            // Items with one key each may be a list of remarks.
            self.bare_items == 0 && self.records > 0
        } else {
            self.mappings + self.sequences + self.blocks > 0
        };
        let prose = self.sentences > 0 && self.solid == 0 && self.mappings == 0;
        structured && self.keys >= 2 && self.odd_keys == 0 && !prose
    }
}

/// Longest name of a key, in bytes.
const NAME_REACH: usize = 48;

/// Returns whether a key is a name in lower case: `name`, `maxTokens`, `on`, `x-id`.
pub(crate) fn is_name(key: &str) -> bool {
    key.len() <= NAME_REACH
        && key.starts_with(|c: char| c.is_lowercase() || c == '_' || c == '$')
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '$'))
}

/// Returns whether an unquoted string is a sentence.
pub(crate) fn is_sentence(text: &str) -> bool {
    text.ends_with(['.', '!', '?', '…']) && text.split_whitespace().nth(2).is_some()
}

#[cfg(test)]
mod tests {
    use super::{Outline, is_name, is_sentence};

    #[test]
    fn outlines() {
        let mapping = Outline { keys: 3, ..Outline::default() };
        let list = Outline { is_list: true, keys: 4, mappings: 2, ..Outline::default() };
        for (outline, expected) in [
            // Pairs line by line, as in "Note: …" and "Summary: …".
            (mapping, false),
            (Outline { solid: 3, ..mapping }, false),
            (Outline { mappings: 1, ..mapping }, true),
            (Outline { blocks: 1, solid: 1, ..mapping }, true),
            (Outline { sequences: 1, ..mapping }, true),
            (Outline { sequences: 1, odd_keys: 1, ..mapping }, false),
            (Outline { sequences: 2, sentences: 2, ..mapping }, false),
            (Outline { sequences: 2, sentences: 2, solid: 1, ..mapping }, true),
            (Outline { sequences: 2, sentences: 2, mappings: 1, ..mapping }, true),
            (Outline { sequences: 1, keys: 1, ..mapping }, false),
            // A list of remarks.
            (list, false),
            (Outline { records: 2, ..list }, true),
            (Outline { records: 1, bare_items: 1, ..list }, false),
            (Outline { records: 2, odd_keys: 4, ..list }, false),
        ] {
            assert_eq!(outline.is_data(), expected, "{outline:?}");
        }
    }

    #[test]
    fn names_and_sentences() {
        for (key, expected) in [
            ("name", true),
            ("maxTokens", true),
            ("x-id", true),
            ("größe", true),
            ("名", false),
            ("Note", false),
            ("my note", false),
            ("http", true),
            ("1", false),
            ("", false),
        ] {
            assert_eq!(is_name(key), expected, "{key}");
        }
        for (text, expected) in
            [("It is cheap.", true), ("v1.2.", false), ("a b c", false), ("Is it so?", true)]
        {
            assert_eq!(is_sentence(text), expected, "{text}");
        }
    }
}
