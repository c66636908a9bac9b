//! How is a part of a value quoted in a sentence?

use std::fmt::{self, Write};

use crate::instance::Part;

/// Characters that are quoted.
const MOST: usize = 100;

/// Takes text until there is enough of it.
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

/// JSON of at most 100 characters; what is longer ends in an ellipsis. Looks at no more than it
/// shows.
pub(crate) fn clipped(shown: impl fmt::Display) -> String {
    let mut clip = Clip { text: String::new(), left: MOST };
    // The only error is that there is enough.
    let _ = write!(clip, "{shown}");
    clip.text
}

/// The same of a part, also one that stands nowhere yet.
pub(crate) fn quoted(part: Part<'_>) -> String {
    match part {
        Part::Node(node) | Part::Counted(node, _) => clipped(node),
        Part::Text(text) => clipped(Quoted(text)),
        Part::Number(digits) => clipped(digits),
        Part::Bool(value) => clipped(value),
        Part::Null => "null".to_owned(),
    }
}

/// A text as JSON writes it.
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

#[cfg(test)]
mod tests {
    use super::{clipped, quoted};
    use crate::instance::Part;

    #[test]
    fn long_values_are_clipped_and_short_ones_are_not() {
        assert_eq!(quoted(Part::Text("a\"b\n\u{1}")), r#""a\"b\n\u0001""#);
        assert_eq!(quoted(Part::Number("1.50")), "1.50");
        let long = clipped("é".repeat(1000));
        assert_eq!(long.chars().count(), 101);
        assert!(long.ends_with('…'));
    }
}
