//! Code blocks for texts that hold fences and invisible characters.

/// Returns `text` as a code block whose fence it cannot close, with invisible characters as code points.
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
    use super::block;

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
}
