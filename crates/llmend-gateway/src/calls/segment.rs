//! What a text holds, as a list of texts, reasoning and calls.

use super::reader::Output;
use super::tool_input::ToolInput;

/// A part of what a text holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    Text(String),
    Reasoning(String),
    /// Words of a refusal, which are not read.
    Refusal(String),
    /// A call with its arguments, or the text that its tool takes.
    Call {
        id: String,
        name: String,
        input: ToolInput,
        arguments: String,
    },
}

/// Joins what was said. White space beside calls says nothing.
pub(crate) fn segments(outputs: &[Output]) -> Vec<Segment> {
    let mut all: Vec<Segment> = Vec::new();
    for one in outputs {
        match (one, all.last_mut()) {
            (Output::Text(more), Some(Segment::Text(text))) => text.push_str(more),
            (Output::Reasoning(more), Some(Segment::Reasoning(text))) => text.push_str(more),
            (Output::Arguments(more), Some(Segment::Call { arguments, .. })) => {
                arguments.push_str(more);
            }
            (Output::Text(text), _) => all.push(Segment::Text(text.clone())),
            (Output::Reasoning(text), _) => all.push(Segment::Reasoning(text.clone())),
            (Output::Call { id, name, input }, _) => {
                let (id, name, input) = (id.clone(), name.clone(), *input);
                all.push(Segment::Call { id, name, input, arguments: String::new() });
            }
            (Output::Arguments(_) | Output::CallEnd | Output::Unread, _) => {}
        }
    }
    if all.len() > 1 {
        all.retain(|one| !matches!(one, Segment::Text(text) if text.trim().is_empty()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{Output, Segment, ToolInput, segments};

    #[test]
    fn pieces_are_joined_and_blanks_dropped() {
        let text = |text: &str| Output::Text(text.to_owned());
        let input = ToolInput::Arguments;
        let call = || Output::Call { id: "1".to_owned(), name: "f".to_owned(), input };
        let part = |text: &str| Output::Arguments(text.to_owned());
        let outputs =
            [text("a"), text("b"), call(), part("{"), part("}"), Output::CallEnd, text("\n")];
        let found = segments(&outputs);
        let [Segment::Text(text_part), Segment::Call { arguments, .. }] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!((text_part.as_str(), arguments.as_str()), ("ab", "{}"));
        assert_eq!(segments(&[text(" ")]), [Segment::Text(" ".to_owned())]);
    }
}
