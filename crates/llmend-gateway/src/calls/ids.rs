//! Ids of calls that have none.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// The length of an id. Mistral's servers accept no other.
const LENGTH: usize = 9;

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Most bytes of an id that is taken from a text, which is what `OpenAI` allows.
const MOST_BYTES: usize = 64;

/// Gives each call of a response an id that no other call of the conversation has.
#[derive(Clone, Debug)]
pub(crate) struct CallIds {
    /// The id of the request, which no other request has.
    request: String,
    alphabet: Alphabet,
    used: Vec<String>,
    count: usize,
}

/// The characters that the ids of a protocol may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alphabet {
    /// Any visible one of ASCII.
    Graphic,
    /// Letters, digits, `_` and `-`.
    Word,
}

impl CallIds {
    pub(crate) fn new(request: &str, alphabet: Alphabet) -> Self {
        Self { request: request.to_owned(), alphabet, used: Vec::new(), count: 0 }
    }

    /// Returns the ids of one choice.
    pub(crate) fn of(&self, choice: u32) -> Self {
        Self::new(&format!("{}-{choice}", self.request), self.alphabet)
    }

    /// Returns an id for the next call: its own if clients and servers accept it, or else a fresh
    /// one.
    pub(crate) fn next(&mut self, written: Option<&str>) -> String {
        let is_usable = |id: &&str| self.is_id(id) && !self.used.iter().any(|used| used == id);
        let id = written.filter(is_usable).map(str::to_owned);
        let id = id.unwrap_or_else(|| self.fresh());
        self.used.push(id.clone());
        id
    }

    fn fresh(&mut self) -> String {
        let mut hasher = DefaultHasher::new();
        (&self.request, self.count).hash(&mut hasher);
        self.count += 1;
        let mut left = hasher.finish();
        let mut digit = || {
            let digit = DIGITS.get(usize::try_from(left % 62).unwrap_or_default());
            left /= 62;
            digit.map_or('0', |digit| char::from(*digit))
        };
        (0..LENGTH).map(|_| digit()).collect()
    }

    /// Whether an id tells the calls of a conversation apart and passes the checks of the API.
    /// Numbers begin again with each answer.
    fn is_id(&self, id: &str) -> bool {
        let is_number = id.bytes().all(|byte| byte.is_ascii_digit());
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let is_allowed = |byte: u8| match self.alphabet {
            Alphabet::Word => is_plain(byte),
            Alphabet::Graphic => byte.is_ascii_graphic(),
        };
        id.len() <= MOST_BYTES && !is_number && id.bytes().all(is_allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::{Alphabet, CallIds};
    #[test]
    fn no_two_calls_have_one_id() {
        let mut ids = CallIds::new("llmend-1", Alphabet::Word);
        let written = [None, None, Some("a1B2c3D4e"), Some("a1B2c3D4e"), Some("0"), Some("")];
        let written = written.into_iter().chain([Some("functions.run:0")]);
        let mut all: Vec<String> = written.map(|written| ids.next(written)).collect();
        assert_eq!(all[2], "a1B2c3D4e");
        all.push(CallIds::new("llmend-2", Alphabet::Word).next(None));
        assert!(all.iter().all(|id| id.len() == 9 && id.is_ascii()), "{all:?}");
        // The same response gets the same ids.
        assert_eq!(CallIds::new("llmend-1", Alphabet::Word).next(None), all[0]);
        let mut unique = all.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), all.len(), "{all:?}");
        let mut chat = CallIds::new("llmend-1", Alphabet::Graphic);
        assert_eq!(chat.next(Some("functions.run:0")), "functions.run:0");
    }
}
