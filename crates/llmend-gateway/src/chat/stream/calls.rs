//! What do the pieces of calls say that the decoder does not tell?
//!
//! It tells of functions. Members that only the upstream understands stay with their call, and a call of
//! anything else goes as it came.

use llmend::json::Node;

use super::Stream;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CallHead {
    pub(super) choice: u32,
    pub(super) index: u32,
    pub(super) id: Option<String>,
    /// The number by which the provider speaks of it.
    pub(super) wire: Option<u32>,
    /// Members that only the upstream understands.
    pub(super) more: Vec<(String, String)>,
    /// The pieces of a call of no function, each all of its members but the index.
    pub(super) raw: Vec<Vec<(String, String)>>,
}

/// What a piece of a call says besides what the decoder tells of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    choice: u32,
    /// The number by which the provider speaks of the call.
    wire: Option<u32>,
    id: Option<String>,
    name: Option<String>,
    has_arguments: bool,
    of: Of,
    /// Of a function the members that only the upstream understands, such as the signature of a thought; of
    /// anything else all but the index. Names and JSON.
    members: Vec<(String, String)>,
}

impl Stream {
    /// Reads what the decoder does not tell of the calls of an event.
    pub(super) fn read_calls(&mut self, root: Node<'_>) {
        self.pieces.clear();
        for choice in root.get("choices").map(Node::items).into_iter().flatten() {
            let number = choice.get("index").and_then(|index| index.number()?.parse().ok());
            let said = choice.get("delta").or_else(|| choice.get("message"));
            let calls = said.and_then(|said| said.get("tool_calls")).map(Node::items);
            let calls = calls.into_iter().flatten();
            self.pieces.extend(calls.map(|call| piece(number.unwrap_or(0), call)));
        }
    }

    /// The piece of which the decoder tells this. It does not tell of those before that say nothing to it.
    pub(super) fn piece_of(
        &mut self,
        choice: u32,
        id: Option<&str>,
        name: Option<&str>,
        arguments: &str,
    ) -> Option<Piece> {
        let at = self.pieces.iter().position(|piece| {
            piece.choice == choice
                && piece.has_arguments != arguments.is_empty()
                && (id.is_none() || id == piece.id.as_deref())
                && (name.is_none() || name == piece.name.as_deref())
        })?;
        for _ in 0..at {
            self.note_silent();
        }
        self.pieces.pop_front()
    }

    /// Takes over a piece of which the decoder does not tell: it belongs to a call that is known.
    pub(super) fn note_silent(&mut self) {
        let Some(piece) = self.pieces.pop_front() else { return };
        let of_choice = self.calls.iter_mut().rev().filter(|call| call.choice == piece.choice);
        let call =
            of_choice.into_iter().find(|call| piece.wire.is_none() || call.wire == piece.wire);
        if let Some(call) = call {
            call.note(Some(piece));
        }
    }

    pub(super) fn call(&mut self, choice: u32, index: u32) -> &mut CallHead {
        let is_it = |call: &CallHead| (call.choice, call.index) == (choice, index);
        let at = self.calls.iter().position(is_it).unwrap_or_else(|| {
            self.calls.push(CallHead { choice, index, ..CallHead::default() });
            self.calls.len() - 1
        });
        &mut self.calls[at]
    }
}

impl CallHead {
    /// Takes over what a piece says besides, and says what the call is of.
    pub(super) fn note(&mut self, piece: Option<Piece>) -> Of {
        if let Some(piece) = piece {
            self.wire = piece.wire.or(self.wire);
            match piece.of {
                Of::Other => self.raw.push(piece.members),
                Of::Function => {
                    for (key, json) in piece.members {
                        // No key comes twice.
                        self.more.retain(|(known, _)| *known != key);
                        self.more.push((key, json));
                    }
                }
            }
        }
        if self.raw.is_empty() { Of::Function } else { Of::Other }
    }
}

/// What a call is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Function,
    Other,
}

fn piece(choice: u32, call: Node<'_>) -> Piece {
    let members = |known: &[&str]| {
        let members = call.members().filter_map(|(key, value)| {
            let key = key.str().filter(|key| !known.contains(key))?;
            Some((key.to_owned(), value.to_string()))
        });
        members.collect()
    };
    let kind = call.get("type").and_then(Node::str);
    let function = call.get("function");
    let word = |node: Option<Node<'_>>| node.and_then(Node::str).map(str::to_owned);
    let arguments = function.and_then(|function| function.get("arguments"));
    let is_other = call.get("custom").is_some() || kind.is_some_and(|kind| kind != "function");
    let (of, known): (_, &[&str]) = if is_other && function.is_none() {
        (Of::Other, &["index"])
    } else {
        (Of::Function, &["index", "id", "type", "function"])
    };
    Piece {
        choice,
        wire: call.get("index").and_then(|index| index.number()?.parse().ok()),
        id: word(call.get("id")),
        name: word(function.and_then(|function| function.get("name"))),
        has_arguments: arguments
            .is_some_and(|arguments| !arguments.is_null() && arguments.str() != Some("")),
        of,
        members: members(known),
    }
}
