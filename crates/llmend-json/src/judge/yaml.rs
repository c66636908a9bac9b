//! Whether a text that can be read as YAML was meant as YAML.
//!
//! Nearly every text with colons can be read as YAML, so the text must look like data throughout:
//! names as keys, and containers in containers. A code block that says `yaml` says what it is.

/// What a YAML document consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    /// Whether the outermost container is a sequence.
    pub(crate) is_list: bool,
    /// Number of keys in block notation, and of some kinds of them.
    pub(crate) keys: usize,
    /// Keys that are no names, such as the words before the colon of a sentence.
    pub(crate) odd_keys: usize,
    /// Names that begin with a capital and have no other inside, such as `Note`.
    pub(crate) capital_keys: usize,
    /// Names of several words in lower case.
    pub(crate) worded_keys: usize,
    /// Block mappings inside of other containers.
    pub(crate) mappings: usize,
    /// Block mappings of several keys that are items of a sequence.
    pub(crate) records: usize,
    /// Block sequences.
    pub(crate) sequences: usize,
    /// Mappings and sequences in brackets.
    pub(crate) flows: usize,
    /// Items of the outermost sequence.
    pub(crate) items: usize,
    /// Those of them that are no mappings.
    pub(crate) bare_items: usize,
    /// Unquoted strings that are sentences.
    pub(crate) sentences: usize,
    /// Strings in block notation, after `|` or `>`.
    pub(crate) blocks: usize,
    /// Scalars that are not unquoted strings.
    pub(crate) solid: usize,
}

/// What surrounds a text that may be YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// Nothing: it is the whole text.
    Text,
    /// A code block that does not name its language.
    Block,
    /// JSON was found in it, as one of its values.
    Around,
}

impl Outline {
    /// Returns whether a text of this outline is data, although nothing says that it is YAML.
    pub(crate) fn is_data(&self, setting: Setting) -> bool {
        let structured = match (self.is_list, setting) {
            // Items with one key each may be a list of remarks, or the members of one record.
            (true, Setting::Around) => self.bare_items > 0 || self.records > 0,
            (true, _) => self.bare_items == 0 && self.records > 0,
            (false, _) => self.mappings + self.sequences + self.flows + self.blocks > 0,
        };
        // One key with a list may be a heading.
        let is_heading = self.keys == 0 || (self.keys == 1 && setting != Setting::Block);
        let prose = self.sentences > 0 && self.solid == 0 && self.mappings == 0;
        let is_worded = self.worded_keys > 0 && (setting == Setting::Text || self.sentences > 0);
        structured
            && (!is_heading || self.is_plain_list(setting))
            && self.has_names()
            && !is_worded
            && !prose
    }

    /// Returns whether it is a sequence of values, of which JSON is one.
    fn is_plain_list(&self, setting: Setting) -> bool {
        setting == Setting::Around && self.is_list && self.items > 1 && self.sentences == 0
    }

    /// Returns whether the keys are names. Those that may be words of prose must be among others.
    fn has_names(&self) -> bool {
        let names = self.keys.saturating_sub(self.capital_keys);
        self.odd_keys == 0 && (self.capital_keys == 0 || (names > 0 && self.mappings > 0))
    }
}

/// Longest name of a key, in bytes.
const NAME_REACH: usize = 48;
/// Most words of a key in a code block.
const MAX_WORDS: usize = 4;

/// Returns whether a key is a name in lower case, or with capitals inside: `name`, `maxTokens`, `on`,
/// `x-id`, `StartAt`.
pub(crate) fn is_name(key: &str) -> bool {
    let is_inner = |c: char| c.is_uppercase() || c == '_';
    if is_capital(key) {
        return key.chars().skip(1).any(is_inner) && key.chars().any(char::is_lowercase);
    }
    is_word(key) && key.starts_with(|c: char| c.is_lowercase() || matches!(c, '_' | '$'))
}

/// Returns whether a key is a word that begins with a capital: `Type`, `Note`.
pub(crate) fn is_capital(key: &str) -> bool {
    is_word(key) && key.starts_with(char::is_uppercase)
}

/// Returns whether a key consists of a few names: `first name`.
pub(crate) fn is_worded(key: &str) -> bool {
    key.split(' ').all(is_name) && key.split(' ').nth(MAX_WORDS).is_none()
}

fn is_word(key: &str) -> bool {
    key.len() <= NAME_REACH
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '$'))
}

/// Where a value stands as a value of YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nesting {
    /// After a key at the start of its line.
    Flat,
    /// After an indented key, or a key in an item of a sequence.
    Nested,
    /// As an item of a sequence.
    Item,
}

/// Returns the nesting of a value on whose line `before` comes before it.
pub(crate) fn nesting(before: &str) -> Option<Nesting> {
    // Most values begin a line.
    if before.is_empty() {
        return None;
    }
    let before = before.trim_end_matches(['"', '\'']).trim_end_matches(' ');
    let inside = before.trim_start_matches(' ');
    let key = inside.trim_start_matches("- ");
    if key == "-" {
        return Some(Nesting::Item);
    }
    let name = key.strip_suffix(':')?.trim_matches(['"', '\'']);
    let is_key = is_name(name)
        || is_capital(name)
        || (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()));
    is_key.then_some(if key.len() < before.len() { Nesting::Nested } else { Nesting::Flat })
}

/// Returns whether the lines `above` a value in a nested nesting or `below` it show that it is one of the
/// values of a YAML document: a key without a value, or a further key or item.
pub(crate) fn has_siblings(above: &str, below: &str) -> bool {
    let has_key = |line: &str| {
        let name = line.trim().trim_start_matches("- ").split_once(':').map(|(name, _)| name);
        name.is_some_and(|name| is_name(name.trim_matches(['"', '\''])))
    };
    let next = |line: &&str| !line.trim().is_empty();
    above.lines().rev().find(next).is_some_and(has_key)
        || below
            .lines()
            .find(next)
            .is_some_and(|line| line.starts_with([' ', '-']) && has_key(line))
}

/// Returns whether an unquoted string is a sentence.
pub(crate) fn is_sentence(text: &str) -> bool {
    text.ends_with(['.', '!', '?', '…']) && text.split_whitespace().nth(2).is_some()
}

#[cfg(test)]
mod tests {
    use super::{
        Nesting, Outline, Setting, has_siblings, is_name, is_sentence, is_worded, nesting,
    };

    #[test]
    fn outlines() {
        let mapping = Outline { keys: 3, ..Outline::default() };
        let list = Outline { is_list: true, keys: 4, mappings: 2, ..Outline::default() };
        let bare = Outline { is_list: true, items: 3, bare_items: 3, ..Outline::default() };
        let one = Outline { keys: 1, sequences: 1, ..Outline::default() };
        // Whether it is data as a whole text, in a block, and around JSON.
        for (outline, expected) in [
            // Pairs line by line, as in "Note: …" and "Summary: …".
            (mapping, [false; 3]),
            (Outline { solid: 3, ..mapping }, [false; 3]),
            (Outline { mappings: 1, ..mapping }, [true; 3]),
            (Outline { blocks: 1, solid: 1, ..mapping }, [true; 3]),
            (Outline { sequences: 1, ..mapping }, [true; 3]),
            (Outline { flows: 1, ..mapping }, [true; 3]),
            (Outline { sequences: 1, odd_keys: 1, ..mapping }, [false; 3]),
            (Outline { sequences: 2, sentences: 2, ..mapping }, [false; 3]),
            (Outline { sequences: 2, sentences: 2, solid: 1, ..mapping }, [true; 3]),
            (Outline { sequences: 2, sentences: 2, mappings: 1, ..mapping }, [true; 3]),
            // A list of strings with a heading.
            (one, [false, true, false]),
            (Outline { odd_keys: 1, ..one }, [false; 3]),
            // Words with a capital are names beside others.
            (Outline { sequences: 1, capital_keys: 3, ..mapping }, [false; 3]),
            (Outline { mappings: 1, capital_keys: 3, ..mapping }, [false; 3]),
            (Outline { mappings: 1, capital_keys: 2, ..mapping }, [true; 3]),
            (Outline { sequences: 1, capital_keys: 2, ..mapping }, [false; 3]),
            (Outline { sequences: 1, worded_keys: 1, ..mapping }, [false, true, true]),
            (Outline { mappings: 1, worded_keys: 1, sentences: 1, ..mapping }, [false; 3]),
            // A list of remarks.
            (list, [false; 3]),
            (Outline { records: 2, ..list }, [true; 3]),
            (Outline { records: 1, bare_items: 1, ..list }, [false, false, true]),
            (Outline { records: 2, odd_keys: 4, ..list }, [false; 3]),
            (bare, [false, false, true]),
            (Outline { sentences: 1, ..bare }, [false; 3]),
        ] {
            let found = [Setting::Text, Setting::Block, Setting::Around];
            assert_eq!(found.map(|setting| outline.is_data(setting)), expected, "{outline:?}");
        }
    }

    #[test]
    fn slots() {
        for (before, expected) in [
            ("", None),
            ("Result: ", Some(Nesting::Flat)),
            ("\"a\":", Some(Nesting::Flat)),
            ("The result: ", None),
            ("  args: ", Some(Nesting::Nested)),
            ("- args: ", Some(Nesting::Nested)),
            ("    value: \"", Some(Nesting::Nested)),
            ("- ", Some(Nesting::Item)),
            ("  - - ", Some(Nesting::Item)),
            ("  1: ", Some(Nesting::Nested)),
            ("  The result is: ", None),
            ("  a: b ", None),
            ("x - ", None),
        ] {
            assert_eq!(nesting(before), expected, "{before}");
        }
        for (above, below, expected) in [
            ("steps:", "", true),
            ("steps:\n\n", "", true),
            ("- tool: x", "", true),
            ("Here it is:", "", false),
            ("", "  b: 1", true),
            ("", "- b: 1", true),
            ("", "b: 1", false),
            ("", "- b", false),
            ("", "", false),
        ] {
            assert_eq!(has_siblings(above, below), expected, "{above} … {below}");
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
            ("StartAt", true),
            ("Max_tokens", true),
            ("Note", false),
            ("NOTE", false),
            ("my note", false),
            ("http", true),
            ("1", false),
            ("", false),
        ] {
            assert_eq!(is_name(key), expected, "{key}");
        }
        for (key, expected) in
            [("first name", true), ("name", true), ("The name", false), ("a b c d e", false)]
        {
            assert_eq!(is_worded(key), expected, "{key}");
        }
        for (text, expected) in
            [("It is cheap.", true), ("v1.2.", false), ("a b c", false), ("Is it so?", true)]
        {
            assert_eq!(is_sentence(text), expected, "{text}");
        }
    }
}
