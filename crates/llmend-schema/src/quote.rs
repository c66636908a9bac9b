//! Quotation of values in messages.

use std::fmt::{self, Write};

use crate::instance::Instance;

/// Maximum number of characters quoted.
const MAX_CHARACTERS: usize = 100;

/// A text that stops growing at the limit.
struct Clip {
    text: String,
    left: usize,
}

impl Write for Clip {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            if self.left == 0 {
                self.text.push('…');
                return Err(fmt::Error);
            }
            self.left -= 1;
            self.text.push(character);
        }
        Ok(())
    }
}

/// Formats a value as at most 100 characters, with an ellipsis if it is longer. The value is
/// formatted only as far as it is shown.
pub(crate) fn clipped(shown: impl fmt::Display) -> String {
    let mut clip = Clip { text: String::new(), left: MAX_CHARACTERS };
    // The only error is that the limit was reached.
    let _ = write!(clip, "{shown}");
    clip.text
}

/// Formats an instance in the same way.
pub(crate) fn quoted(instance: Instance<'_>) -> String {
    match instance {
        Instance::Node(node) | Instance::Counted(node, _) => clipped(node),
        Instance::Text(text) => clipped(Quoted(text)),
        Instance::Number(digits) => clipped(digits),
        Instance::Bool(value) => clipped(value),
        Instance::Null => "null".to_owned(),
    }
}

/// Displays a text as a JSON string.
struct Quoted<'t>(&'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for character in self.0.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                '\r' => f.write_str("\\r")?,
                other if other < ' ' => write!(f, "\\u{:04x}", u32::from(other))?,
                other => f.write_char(other)?,
            }
        }
        f.write_char('"')
    }
}

/// Maximum number of enum values or keys that a message lists.
pub(crate) const MAX_LISTED: usize = 12;

/// Joins alternatives as in `a, b or c`.
pub(crate) fn one_of(words: impl Iterator<Item = String>) -> String {
    joined(words, "or")
}

/// Joins words by commas and a conjunction; ends a long list with an ellipsis.
pub(crate) fn joined(words: impl Iterator<Item = String>, conjunction: &str) -> String {
    let mut words: Vec<String> = words.take(MAX_LISTED + 1).collect();
    if words.len() > MAX_LISTED {
        words.truncate(MAX_LISTED);
        return format!("{}, …", words.join(", "));
    }
    match words.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {conjunction} {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{clipped, quoted};
    use crate::instance::Instance;

    #[test]
    fn long_values_are_clipped_and_short_ones_are_not() {
        assert_eq!(quoted(Instance::Text("a\"b\n\u{1}")), r#""a\"b\n\u0001""#);
        assert_eq!(quoted(Instance::Number("1.50")), "1.50");
        let long = clipped("é".repeat(1000));
        assert_eq!(long.chars().count(), 101);
        assert!(long.ends_with('…'));
    }
}
