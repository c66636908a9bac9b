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
    use super::pieces;
    use crate::{extract::capture::events, parser::Window};

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
