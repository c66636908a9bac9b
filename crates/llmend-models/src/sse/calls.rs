//! Assignment of pieces to tool calls.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The maximum number of calls in a stream, so that memory is bounded.
const MAX_CALLS: usize = 1024;

/// The tool calls of a stream, in the order in which they began.
///
/// [`Decoder`](super::Decoder) uses it for each piece; other readers of chat completions can too.
#[derive(Clone, Debug, Default)]
pub struct Calls(Vec<Call>);

#[derive(Clone, Debug)]
struct Call {
    choice: u32,
    /// The index within its choice.
    index: u32,
    /// The provider's number of the call.
    wire: Option<u32>,
    /// The hash of its id: ids can be long, and are only compared.
    id: Option<u64>,
    /// The hash of the first piece of its name.
    name: Option<u64>,
}

/// How a piece relates to its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallPiece {
    /// The index of the call within its choice, from 0 in the order in which calls begin.
    pub index: u32,
    /// Whether its id is the first of this call.
    pub new_id: bool,
    /// How its name relates to the call.
    pub name: CallName,
}

/// How the name in a piece relates to the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallName {
    /// The piece has no name.
    Absent,
    /// The name is the first of the call.
    New,
    /// The name is repeated, as some servers do in each piece.
    Repeated,
    /// The name differs. Clients that join pieces take it for the next part of the name.
    Further,
}

impl Calls {
    /// Begins a call with the provider's number `wire`.
    pub(crate) fn begin(&mut self, choice: u32, wire: Option<u32>) -> Result<u32, String> {
        if self.0.len() == MAX_CALLS {
            return Err(format!("more than {MAX_CALLS} tool calls"));
        }
        let last = self.0.iter().rev().find(|call| call.choice == choice);
        let index = last.map_or(0, |call| call.index + 1);
        self.0.push(Call { choice, index, wire, id: None, name: None });
        Ok(index)
    }

    /// Returns the call with the provider's number `wire`.
    pub(crate) fn find(&self, choice: u32, wire: Option<u32>) -> Option<u32> {
        let mut calls = self.0.iter().rev();
        calls.find(|call| call.choice == choice && call.wire == wire).map(|call| call.index)
    }

    /// Returns the call of a piece of a chat completion, a new one if the piece begins it.
    ///
    /// A piece should have its `index`, and the first one an `id` and a `name`. Some servers omit
    /// the index, number every call 0, or make up a new id for each piece. Without an index, a new
    /// id therefore begins a call, and so does a name without an id; with an index, only a new id
    /// together with a name does.
    ///
    /// # Errors
    ///
    /// More than 1024 calls in one stream.
    pub fn piece(
        &mut self,
        choice: u32,
        wire: Option<u32>,
        id: Option<&str>,
        name: Option<&str>,
    ) -> Result<CallPiece, String> {
        let id = id.map(hash);
        let known = match (wire, id) {
            (Some(_), _) => {
                self.0.iter().rposition(|call| call.choice == choice && call.wire == wire).filter(
                    |&at| {
                        let other = self.0[at].id;
                        !(name.is_some() && id.is_some() && other.is_some() && id != other)
                    },
                )
            }
            (None, Some(_)) => {
                let mut calls = self.0.iter();
                calls.rposition(|call| call.choice == choice && call.id == id)
            }
            (None, None) if name.is_some() => None,
            (None, None) => self.0.iter().rposition(|call| call.choice == choice),
        };
        let at = if let Some(at) = known {
            at
        } else {
            self.begin(choice, wire)?;
            self.0.len() - 1
        };
        let call = &mut self.0[at];
        let new_id = call.id.is_none() && id.is_some();
        let name = name.map(hash);
        let named = match (call.name, name) {
            (_, None) => CallName::Absent,
            (None, Some(_)) => CallName::New,
            (Some(known), Some(name)) if known == name => CallName::Repeated,
            (Some(_), Some(_)) => CallName::Further,
        };
        call.id = call.id.or(id);
        call.name = call.name.or(name);
        Ok(CallPiece { index: call.index, new_id, name: named })
    }
}

fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::{CallName, Calls, MAX_CALLS};

    /// (index, id, name) of each piece.
    type Pieces = &'static [(Option<u32>, Option<&'static str>, Option<&'static str>)];

    #[test]
    fn pieces_find_their_call() {
        let rows: [(&str, Pieces, &[u32]); 11] = [
            ("as documented", &[(Some(0), Some("a"), Some("f")), (Some(0), None, None)], &[0, 0]),
            (
                "two calls in turn",
                &[
                    (Some(0), Some("a"), Some("f")),
                    (Some(1), Some("b"), Some("g")),
                    (Some(0), None, None),
                    (Some(1), None, None),
                ],
                &[0, 1, 0, 1],
            ),
            (
                "no index",
                &[(None, Some("a"), Some("f")), (None, None, None), (None, Some("b"), Some("f"))],
                &[0, 0, 1],
            ),
            (
                "no index, the id repeated",
                &[(None, Some("a"), Some("f")), (None, Some("a"), None), (None, Some("b"), None)],
                &[0, 0, 1],
            ),
            (
                "no index, in turn",
                &[
                    (None, Some("a"), Some("f")),
                    (None, Some("b"), Some("g")),
                    (None, Some("a"), None),
                    (None, None, None),
                ],
                &[0, 1, 0, 1],
            ),
            (
                "no index, the name behind the id",
                &[(None, Some("a"), None), (None, Some("a"), Some("f"))],
                &[0, 0],
            ),
            (
                "neither index nor id",
                &[(None, None, Some("f")), (None, None, None), (None, None, Some("f"))],
                &[0, 0, 1],
            ),
            (
                "every index 0",
                &[(Some(0), Some("a"), Some("f")), (Some(0), Some("b"), Some("f"))],
                &[0, 1],
            ),
            (
                "every index 0, with more pieces",
                &[
                    (Some(0), Some("a"), Some("f")),
                    (Some(0), None, None),
                    (Some(0), Some("b"), Some("f")),
                    (Some(0), None, None),
                ],
                &[0, 0, 1, 1],
            ),
            (
                "a new id for each piece",
                &[(Some(0), Some("a"), Some("f")), (Some(0), Some("b"), None)],
                &[0, 0],
            ),
            ("numbered from 1", &[(Some(1), Some("a"), Some("f")), (Some(1), None, None)], &[0, 0]),
        ];
        for (what, pieces, expected) in rows {
            let mut calls = Calls::default();
            let found: Vec<_> = pieces
                .iter()
                .map(|&(index, id, name)| calls.piece(0, index, id, name).unwrap().index)
                .collect();
            assert_eq!(found, expected, "{what}");
        }
    }

    #[test]
    fn an_id_and_a_name_are_new_once() {
        let mut calls = Calls::default();
        let mut told = |id, name| {
            let piece = calls.piece(0, Some(0), id, name).unwrap();
            (piece.new_id, piece.name)
        };
        assert_eq!(told(None, Some("f")), (false, CallName::New));
        assert_eq!(told(Some("a"), Some("f")), (true, CallName::Repeated));
        assert_eq!(told(Some("a"), None), (false, CallName::Absent));
        assert_eq!(told(Some("a"), Some("_all")), (false, CallName::Further));
    }

    #[test]
    fn each_choice_counts_its_own() {
        let mut calls = Calls::default();
        let found: Vec<_> = [(0, 0), (1, 0), (1, 1), (0, 1)]
            .map(|(choice, wire)| calls.begin(choice, Some(wire)).unwrap())
            .to_vec();
        assert_eq!(found, [0, 0, 1, 1]);
        assert_eq!(calls.find(1, Some(1)), Some(1));
        assert_eq!(calls.find(2, Some(0)), None);
    }

    #[test]
    fn calls_are_bounded() {
        let mut calls = Calls::default();
        let failed = (0..5000).filter(|_| calls.begin(0, None).is_err()).count();
        assert_eq!(failed, 5000 - MAX_CALLS);
    }
}
