//! Pieces of a value that are the data of events as they are.

use crate::{
    extract::capture::{Piece, events::Payload},
    parser::Window,
};

/// Where a text is within JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Place {
    /// Returns the place behind `text`. Quotes outside of brackets belong to prose.
    fn after(mut self, text: &str) -> Self {
        for byte in text.bytes() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = self.in_string,
                b'"' => self.in_string = !self.in_string && self.depth > 0,
                _ if self.in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self
    }
}

/// Returns whether `text` leaves a bracket open.
pub(super) fn is_open(text: &str) -> bool {
    Place::default().after(text).depth > 0
}

/// Returns whether pieces that begin in `text` at `joints` break it where no line of JSON ends: in a key,
/// a word, or before the point of a number.
pub(super) fn are_torn(text: &str, joints: &[usize]) -> bool {
    let (mut place, mut from) = (Place::default(), 0);
    // Up to here, a string goes on that is no key.
    let mut text_end = 0;
    joints.iter().any(|&joint| {
        let (before, rest) = (text.get(..joint), text.get(joint..).unwrap_or_default());
        place = place.after(text.get(from..joint).unwrap_or_default());
        from = joint;
        if place.in_string {
            if joint < text_end {
                return false;
            }
            let end = string_end(rest, place.escaped);
            text_end = joint + end;
            return rest.get(end + 1..).unwrap_or_default().trim_start().starts_with(':');
        }
        let ends_with = |of: fn(char) -> bool| before.is_some_and(|before| before.ends_with(of));
        let is_letter = |c: char| c.is_ascii_alphabetic();
        let in_word = rest.starts_with(is_letter) && ends_with(is_letter);
        place.depth > 0 && (in_word || rest.starts_with('.') && ends_with(|c| c.is_ascii_digit()))
    })
}

/// Returns the length of `rest` up to the quote that ends the string it begins in.
fn string_end(rest: &str, mut escaped: bool) -> usize {
    let end = rest.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.unwrap_or(rest.len())
}

/// Returns the data of all events as pieces, if that of some goes on in the next.
pub(super) fn pieces(window: &Window<'_>, payloads: &[Payload]) -> Option<Vec<Piece>> {
    let (mut place, mut goes_on) = (Place::default(), false);
    let mut pieces = Vec::with_capacity(payloads.len());
    for payload in payloads {
        let open = place.depth > 0 && !pieces.is_empty();
        // Lines of one event are joined by a line break, which no string may contain.
        if place.in_string && !payload.begins {
            return None;
        }
        let joint = if open && payload.begins { "" } else { "\n" };
        goes_on |= open;
        place = place.after(window.slice(payload.raw));
        pieces.push(Piece { span: payload.raw, escaped: false, joint });
    }
    goes_on.then_some(pieces)
}

#[cfg(test)]
mod tests {
    use super::{are_torn, pieces};
    use crate::{extract::capture::events, parser::Window};

    /// Checks where a text is torn. A bar is in the place of each joint.
    #[test]
    fn torn_texts() {
        for (text, expected) in [
            ("{\"a|b\": 1}", true),
            ("{\"a\\\"|b\" : 1}", true),
            ("[1|.5]", true),
            ("[tr|ue]", true),
            ("[1|2]", false),
            ("{\"a\": \"b|c\", \"d\": 1}", false),
            ("{\"a\":| 1,|\"b\": [|2 |]}", false),
            ("a|b {|}", false),
            ("[1,|2]", false),
        ] {
            let mut whole = String::new();
            let joints: Vec<usize> = text
                .split('|')
                .map(|piece| {
                    whole.push_str(piece);
                    whole.len()
                })
                .collect();
            assert_eq!(are_torn(&whole, &joints), expected, "{text}");
        }
    }

    #[test]
    fn raw_pieces() {
        for (text, expected) in [
            ("data: {\"a\": 1,\n\ndata: \"b\": 2}\n\ndata: [DONE]", Some("{\"a\": 1,|\"b\": 2}")),
            ("data: {\ndata:   \"a\": 1\ndata: }", Some("{\n  \"a\": 1\n}")),
            ("data: {\"a\n\ndata: bc\": 1}", Some("{\"a|bc\": 1}")),
            ("data: Here it is:\n\ndata: [1,\n\nid: 5\ndata:  2]", Some("Here it is:\n[1,| 2]")),
            ("data: [\"\\\"[\",\n\ndata: 2]", Some("[\"\\\"[\",|2]")),
            // A string that goes on in the next line of the same event.
            ("data: {\"a\ndata: bc\": 1}", None),
            ("data: {\"a\": 1}\n\ndata: {\"b\": 2}", None),
            ("data: say \"{\n\ndata: done", Some("say \"{|done")),
            ("data: {\"a\": 1", None),
        ] {
            let window = Window::whole(text);
            let payloads = events::all(&window).expect(text);
            let found = pieces(&window, &payloads).map(|pieces| {
                let mut out = String::new();
                for piece in pieces {
                    let joint = if piece.joint.is_empty() { "|" } else { piece.joint };
                    out.push_str(if out.is_empty() { "" } else { joint });
                    out.push_str(window.slice(piece.span));
                }
                out
            });
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
