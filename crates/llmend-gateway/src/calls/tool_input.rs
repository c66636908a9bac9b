//! What tools take: arguments, or one text.
//!
//! A tool that takes a text is read as one with the argument `input`, in which models write it.

use llmend::calls::Call;
use llmend::json::Node;
use serde_json::json;

/// What a tool takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ToolInput {
    /// Arguments, as JSON.
    #[default]
    Arguments,
    /// A text.
    Text,
}

/// The schema by which the text of a tool is read.
pub(crate) const TEXT_SCHEMA: &str = r#"{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}"#;

/// Returns a text as the arguments by which it is read.
pub(crate) fn as_arguments(text: &str) -> String {
    json!({ "input": text }).to_string()
}

impl ToolInput {
    /// Returns what a call passes to the tool, as the protocol has it.
    pub(crate) fn passed(self, call: &Call) -> String {
        match self {
            Self::Arguments => call.arguments.to_string(),
            Self::Text => {
                let text = call.arguments.root().get("input").and_then(Node::str);
                // Nothing is lost of what does not fit.
                text.map_or_else(|| call.arguments.to_string(), str::to_owned)
            }
        }
    }
}

/// Takes the text out of the arguments by which it is read, as they arrive.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextPieces {
    /// What is not read yet.
    rest: String,
    has_begun: bool,
    has_ended: bool,
}

impl TextPieces {
    /// Reads the next piece of the arguments. Returns the text in it, or `None` if it is no string.
    pub(crate) fn push(&mut self, piece: &str) -> Option<String> {
        if self.has_ended {
            return Some(String::new());
        }
        self.rest.push_str(piece);
        if !self.has_begun {
            // Behind the key and the quotation mark.
            let quotes = self.rest.match_indices('"').nth(2);
            let Some((at, _)) = quotes else { return Some(String::new()) };
            self.rest.drain(..=at);
            self.has_begun = true;
        }
        let (end, has_ended) = readable(&self.rest);
        self.has_ended = has_ended;
        let (read, rest) = self.rest.split_at_checked(end)?;
        let text = serde_json::from_str(&format!("\"{read}\"")).ok()?;
        self.rest = rest.to_owned();
        Some(text)
    }
}

/// Returns how much of the inside of a JSON string can be read, and whether it ends there.
fn readable(text: &str) -> (usize, bool) {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let size = match rest.as_bytes() {
            [b'"', ..] => return (at, true),
            [b'\\', b'u', digits @ ..] => {
                let is_half =
                    matches!(digits, [b'd' | b'D', b'8' | b'9' | b'a'..=b'b' | b'A'..=b'B', ..]);
                if is_half { 12 } else { 6 }
            }
            [b'\\', ..] => 2,
            _ => rest.find(['"', '\\']).unwrap_or(rest.len()),
        };
        if rest.len() < size {
            break;
        }
        at += size;
    }
    (at, false)
}

#[cfg(test)]
mod tests {
    use llmend::calls::{Options, Tools, read};
    use serde_json::json;

    use super::{TextPieces, ToolInput, as_arguments};

    #[test]
    fn a_text_is_the_same_in_pieces_of_any_size() {
        for text in ["", "select 1", "a \"b\"\\\n\t", "\u{1f3d4} \u{7} é", "}\"}", "\\u0041"] {
            let escaped =
                json!({ "input": text }).to_string().replace('\u{1f3d4}', "\\ud83c\\udfd4");
            for arguments in [as_arguments(text), escaped] {
                let all: Vec<char> = arguments.chars().collect();
                for size in 1..=all.len() {
                    let mut pieces = TextPieces::default();
                    let found: Option<String> = all
                        .chunks(size)
                        .map(|piece| pieces.push(&piece.iter().collect::<String>()))
                        .collect();
                    assert_eq!(found.as_deref(), Some(text), "{arguments} {size}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_string_is_not_taken_for_a_text() {
        for inside in ["a\\x", "\\é", "\\u00é0", "\\ud83c\\té", "a\u{7}b"] {
            let arguments = format!("{{\"input\":\"{inside}\"}}");
            assert_eq!(TextPieces::default().push(&arguments), None, "{arguments:?}");
        }
    }

    #[test]
    fn what_does_not_fit_a_tool_is_passed_as_it_is() {
        let tools = Tools::from_text("[{\"name\":\"sql\"}]").unwrap();
        for (arguments, expected) in
            [("{\"input\":\"select 1\"}", "select 1"), ("{\"query\":\"a\"}", "{\"query\":\"a\"}")]
        {
            let text =
                format!("<tool_call>{{\"name\":\"sql\",\"arguments\":{arguments}}}</tool_call>");
            let call = &read(&text, &tools, &Options::default()).calls[0];
            assert_eq!(ToolInput::Text.passed(call), expected);
        }
    }
}
