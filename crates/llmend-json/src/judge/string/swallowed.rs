//! Structure that a reading of a string has swallowed.
//!
//! A reading with unescaped quotes inside is wrong if they are not those of quotations or code, but
//! of JSON: `x", "b": "y`. Quotations open before they close. In swallowed JSON the first mark
//! closes, and between it and the next one, which opens, is only what JSON has between strings.

use crate::judge::{bracket::outer::closes_outer, string::edge, words::word};

/// Longest name of a key without quotes, in bytes.
const NAME_REACH: usize = 40;

/// Longest text that is no code for sure, in bytes.
const CODE_LENGTH: usize = 512;

/// Returns the position of the mark that ends a string of JSON in the content `text` of a string, with
/// marks as of `is_mark`: it cannot open a quotation, and what follows a string of JSON, up to the next
/// one, is behind it or a later such mark.
pub(crate) fn end_inside(text: &str, is_mark: impl Fn(char) -> bool) -> Option<usize> {
    let (mut quoted, mut pairs, mut ended) = (false, false, None);
    let mut at = 0;
    while let Some(length) = text.get(at..).and_then(|rest| find_double(rest, &is_mark)) {
        let start = at + length;
        let run = Run::new(text, start, &is_mark);
        at = run.end;
        match (run.count, quoted) {
            // Two strings without a comma: `x""y`.
            (2, false) if run.is_inside_word() && !is_code(text) => return ended.or(Some(start)),
            // An empty text, or an escape.
            (count, _) if count % 2 == 0 || is_escaped(run.before) => {}
            (_, true) if ended.is_some() && run.is_key() => return ended,
            (_, true) => quoted = false,
            // Code may begin inside a text and nest quotations, so that quotes no longer pair up.
            _ if pairs && is_code(text) => return None,
            (1, false) if run.ends_text() => {
                ended = ended.or(Some(start));
                if run.is_separated() && run.joins(&is_mark) {
                    return ended;
                }
            }
            _ => (quoted, pairs) = (true, true),
        }
    }
    // What the last mark opens, the end of the whole string closes.
    ended.filter(|_| quoted && !is_code(text))
}

/// Returns the position of the first double quote in `text` that is a mark.
pub(crate) fn find_double(text: &str, is_mark: impl Fn(char) -> bool) -> Option<usize> {
    // All double quotes begin with one of these bytes.
    memchr::memchr3_iter(b'"', 0xE2, 0xEF, text.as_bytes())
        .find(|&at| text.get(at..).is_some_and(|rest| rest.starts_with(&is_mark)))
}

/// Returns whether the content `text` of a key has marks that neither pair up nor are at an edge or
/// inside a word, or one behind a colon or comma.
pub(crate) fn has_member(text: &str, is_mark: impl Fn(char) -> bool) -> bool {
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (mut loose, mut behind) = (0_usize, false);
    for (at, mark) in text.match_indices(&is_mark) {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + mark.len()..).unwrap_or_default();
        if is_escaped(before) {
            continue;
        }
        behind |= before.trim_end().ends_with([':', ',']);
        loose += usize::from(!word(before.chars().next_back()) || !word(after.chars().next()));
    }
    behind || (loose % 2 == 1 && edge::stray_mark(text).is_none())
}

/// Returns whether the content `text` of a string that is cut off has a member and closes what was
/// opened before the string: its mark stands for something else.
pub(crate) fn has_rest(text: &str) -> bool {
    text.contains("\":") && closes_outer(text.as_bytes())
}

/// Returns whether `text` has line breaks, escapes or more than prose and JSON have.
fn is_code(text: &str) -> bool {
    text.len() > CODE_LENGTH
        || text.contains(['\\', '\n', ';', '$', '`'])
        || text.contains("\"\"\"")
}

/// Marks in a row, and the text on both sides.
struct Run<'t> {
    before: &'t str,
    after: &'t str,
    count: usize,
    end: usize,
}

impl<'t> Run<'t> {
    fn new(text: &'t str, start: usize, is_mark: impl Fn(char) -> bool) -> Self {
        let (before, rest) = text.split_at_checked(start).unwrap_or_default();
        let after = rest.trim_start_matches(&is_mark);
        let end = text.len() - after.len();
        let marks = rest.get(..end - start).unwrap_or_default();
        Self { before, after, count: marks.chars().count(), end }
    }

    fn is_inside_word(&self) -> bool {
        self.before.ends_with(char::is_alphanumeric)
            && self.after.starts_with(char::is_alphanumeric)
    }

    /// Returns whether a text ends before the mark and none begins after it, so that it cannot open a
    /// quotation.
    fn ends_text(&self) -> bool {
        // A mark between two spaces neither opens nor closes a quotation.
        let lone = |c: char| c.is_whitespace() && self.after.starts_with(char::is_whitespace);
        let ends = |c: char| lone(c) || !(c.is_whitespace() || is_opener(c));
        self.before.chars().next_back().is_some_and(ends)
            && !self.is_prefixed()
            && self.after.starts_with(|c: char| !c.is_alphanumeric())
    }

    /// Returns whether a separator or bracket follows the mark.
    fn is_separated(&self) -> bool {
        self.after.trim_start().starts_with(is_separator)
    }

    /// Returns whether a single letter before the mark makes it a literal of code: `f", {x}"`.
    fn is_prefixed(&self) -> bool {
        let word = self.before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let letter = self.before.get(word.len()..).filter(|_| !word.is_empty());
        matches!(letter, Some("f" | "r" | "b" | "u" | "F" | "R" | "B" | "U"))
    }

    /// Returns whether only separators, brackets, numbers, literals and a name with a colon are
    /// between the mark and the next one, which opens a text.
    fn joins(&self, is_mark: impl Fn(char) -> bool) -> bool {
        let Some(length) = find_double(self.after, &is_mark) else { return false };
        let (between, rest) = self.after.split_at_checked(length).unwrap_or_default();
        let mut next = rest.chars().skip_while(|&c| is_mark(c));
        next.next().is_some_and(|c| !c.is_whitespace() && !is_separator(c)) && is_joint(between)
    }

    /// Returns whether the mark closes a key: a colon and a value follow.
    fn is_key(&self) -> bool {
        let value = self.after.trim_start().strip_prefix(':').map(str::trim_start);
        let word = |text: &str| {
            let rest = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            word::literal(text.get(..text.len() - rest.len()).unwrap_or_default()).is_some()
        };
        value.is_some_and(|value| {
            value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '-' | '[' | '{'))
                || word(value)
        })
    }
}

/// Returns whether what follows `before` is escaped.
fn is_escaped(before: &str) -> bool {
    (before.len() - before.trim_end_matches('\\').len()) % 2 == 1
}

/// Returns whether a quotation or a literal of code may directly follow `character`.
const fn is_opener(character: char) -> bool {
    matches!(
        character,
        '(' | '['
            | '{'
            | '<'
            | '='
            | ':'
            | ','
            | '/'
            | '-'
            | '–'
            | '—'
            | '+'
            | '&'
            | '|'
            | '\\'
            | '`'
            | '\''
            | '$'
            | '@'
            | '#'
            | '*'
    )
}

/// Returns whether `character` separates or ends values, or is written in place of what does.
const fn is_separator(character: char) -> bool {
    matches!(
        character,
        ',' | ';'
            | ':'
            | '|'
            | '='
            | '+'
            | '&'
            | '.'
            | '→'
            | '-'
            | '/'
            | '•'
            | '·'
            | '}'
            | ']'
            | ')'
            | '，'
            | '；'
            | '：'
    )
}

/// Returns whether `text` is what is between two strings in JSON, in any notation.
fn is_joint(text: &str) -> bool {
    let mut separated = false;
    let mut rest = text.trim();
    if let Some(named) = rest.strip_suffix([':', '=']) {
        let name = named.trim_start_matches(|c: char| c.is_whitespace() || is_separator(c));
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        if name.len() < named.len() && name.len() < NAME_REACH && name.chars().all(word) {
            return true;
        }
    }
    while let Some(character) = rest.chars().next() {
        let length = if character.is_alphanumeric() {
            let word = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
            let known = rest.get(..word).is_some_and(|word| {
                word.bytes().all(|byte| byte.is_ascii_digit()) || word::literal(word).is_some()
            });
            if !known {
                return false;
            }
            word
        } else {
            let known = is_separator(character)
                || character.is_whitespace()
                || matches!(character, '{' | '[' | '(' | '>');
            if !known {
                return false;
            }
            separated |= !character.is_whitespace();
            character.len_utf8()
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    separated
}

#[cfg(test)]
mod tests {
    use super::{end_inside, has_member, has_rest};

    #[test]
    fn rests_of_objects() {
        for (text, rest) in [
            (r#""id": 1}, {"id": 2"#, true),
            (r#"{"id": 1}, {"id": 2"#, false),
            (r#""id": [1], "b": 2"#, false),
            ("a] b}", false),
        ] {
            assert_eq!(has_rest(text), rest, "{text}");
        }
    }

    #[test]
    fn members_in_a_key() {
        for (text, expected) in [
            (r#"a»: "x", "b"#, true),
            (r#"a: 1, "b"#, true),
            (r#"a" ! 4, "b"#, true),
            (r#"the "best" one"#, false),
            (r#""a"#, false),
            (r#"a""#, false),
            (r#"a"b"#, false),
        ] {
            assert_eq!(has_member(text, |c| c == '"'), expected, "{text}");
        }
    }

    #[test]
    fn structure_in_a_string() {
        for (text, expected) in [
            (r#"x", "b": "y"#, true),
            (r#"x" | "b": 4 | "c": "y"#, true),
            (r#"a"; "x", "b"; 400, "c"#, true),
            (r#"b"] + ["c"#, true),
            (r#"x"}, {"b": "y"#, true),
            ("x\",\n(\"y", true),
            (r#"one", two", "three, "four"#, true),
            (r#"say "hi" ok", b: "x"#, true),
            (r#"x", and so on, "b": 5"#, true),
            (r#"he said "yes", "no" and "maybe""#, false),
            (r#"f("a", "b")"#, false),
            (r#"{"a": "b", "c": 1}"#, false),
            (r#"(f", {x}" and f": {y}""#, false),
            (r#"x " . "y"#, true),
            (r#"x" / "y": "z"#, true),
            (r#"x" or "b": "y"#, true),
            (r#"x" maybe "y"#, true),
            (r#"x""y"#, true),
            (r#"say ""x"" now"#, false),
            (r#"x"\ "b": "y"#, true),
            (r#"12" and "big" x"#, false),
            (r#"B 2.07", sorry, I meant "B 2.17"#, true),
            (r#"<a b="c" d="e">"#, false),
            (r#"x.split(",")[0], "y""#, false),
            (r#""a", "b" or "c""#, false),
            (r#"12" and 14", or so"#, false),
            (r#"Yes," she said, "but no."#, false),
            (r#"x", he said"#, false),
            (r#"f("", "x")"#, false),
            (r#"awk -F"," "file""#, false),
        ] {
            assert_eq!(end_inside(text, |c| c == '"').is_some(), expected, "{text}");
        }
    }
}
