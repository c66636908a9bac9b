//! What a text holds, as a list of texts, reasoning and calls.

use super::reader::Said;

/// A part of what a text holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    Text(String),
    Reasoning(String),
    Call { id: String, name: String, arguments: String },
}

/// Joins what was said. White space beside calls says nothing.
pub(crate) fn segments(said: &[Said]) -> Vec<Segment> {
    let mut all: Vec<Segment> = Vec::new();
    for one in said {
        match (one, all.last_mut()) {
            (Said::Text(more), Some(Segment::Text(text))) => text.push_str(more),
            (Said::Reasoning(more), Some(Segment::Reasoning(text))) => text.push_str(more),
            (Said::Arguments(more), Some(Segment::Call { arguments, .. })) => {
                arguments.push_str(more);
            }
            (Said::Text(text), _) => all.push(Segment::Text(text.clone())),
            (Said::Reasoning(text), _) => all.push(Segment::Reasoning(text.clone())),
            (Said::Call { id, name }, _) => {
                let (id, name) = (id.clone(), name.clone());
                all.push(Segment::Call { id, name, arguments: String::new() });
            }
            (Said::Arguments(_) | Said::CallEnd | Said::Unread, _) => {}
        }
    }
    if all.len() > 1 {
        all.retain(|one| !matches!(one, Segment::Text(text) if text.trim().is_empty()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{Said, Segment, segments};

    #[test]
    fn pieces_are_joined_and_blanks_dropped() {
        let text = |text: &str| Said::Text(text.to_owned());
        let call = || Said::Call { id: "1".to_owned(), name: "f".to_owned() };
        let part = |text: &str| Said::Arguments(text.to_owned());
        let said = [text("a"), text("b"), call(), part("{"), part("}"), Said::CallEnd, text("\n")];
        let found = segments(&said);
        let [Segment::Text(text_part), Segment::Call { arguments, .. }] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!((text_part.as_str(), arguments.as_str()), ("ab", "{}"));
        assert_eq!(segments(&[text(" ")]), [Segment::Text(" ".to_owned())]);
    }
}
