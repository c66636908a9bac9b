//! Structural characters, and what can happen to one.

use crate::damage::tokens::{Mean, Role, Token};
use crate::data::Data;
use crate::random::Random;

/// All structural characters.
pub(super) const SIGNS: &[char] = &['{', '}', '[', ']', ':', ',', '"'];

/// What a structural character does in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    Colon,
    Comma,
    KeyStart,
    KeyEnd,
    ValueStart,
    ValueEnd,
}

/// What happens to a structural character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Missing,
    Doubled,
    Replaced,
}

/// A sort of damage.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    pub(super) sign: Sign,
    pub(super) fault: Fault,
}

const fn kind(name: &'static str, sign: Sign, fault: Fault) -> Kind {
    Kind { name, sign, fault }
}

pub(super) const KINDS: &[Kind] = &[
    kind("missing-open-brace", Sign::OpenBrace, Fault::Missing),
    kind("missing-close-brace", Sign::CloseBrace, Fault::Missing),
    kind("missing-open-bracket", Sign::OpenBracket, Fault::Missing),
    kind("missing-close-bracket", Sign::CloseBracket, Fault::Missing),
    kind("missing-colon", Sign::Colon, Fault::Missing),
    kind("missing-comma", Sign::Comma, Fault::Missing),
    kind("missing-key-start", Sign::KeyStart, Fault::Missing),
    kind("missing-key-end", Sign::KeyEnd, Fault::Missing),
    kind("missing-value-start", Sign::ValueStart, Fault::Missing),
    kind("missing-value-end", Sign::ValueEnd, Fault::Missing),
    kind("doubled-open-brace", Sign::OpenBrace, Fault::Doubled),
    kind("doubled-close-brace", Sign::CloseBrace, Fault::Doubled),
    kind("doubled-open-bracket", Sign::OpenBracket, Fault::Doubled),
    kind("doubled-close-bracket", Sign::CloseBracket, Fault::Doubled),
    kind("doubled-colon", Sign::Colon, Fault::Doubled),
    kind("doubled-comma", Sign::Comma, Fault::Doubled),
    kind("doubled-key-start", Sign::KeyStart, Fault::Doubled),
    kind("doubled-key-end", Sign::KeyEnd, Fault::Doubled),
    kind("doubled-value-start", Sign::ValueStart, Fault::Doubled),
    kind("doubled-value-end", Sign::ValueEnd, Fault::Doubled),
    kind("replaced-open-brace", Sign::OpenBrace, Fault::Replaced),
    kind("replaced-close-brace", Sign::CloseBrace, Fault::Replaced),
    kind("replaced-open-bracket", Sign::OpenBracket, Fault::Replaced),
    kind("replaced-close-bracket", Sign::CloseBracket, Fault::Replaced),
    kind("replaced-colon", Sign::Colon, Fault::Replaced),
    kind("replaced-comma", Sign::Comma, Fault::Replaced),
    kind("replaced-key-start", Sign::KeyStart, Fault::Replaced),
    kind("replaced-key-end", Sign::KeyEnd, Fault::Replaced),
    kind("replaced-value-start", Sign::ValueStart, Fault::Replaced),
    kind("replaced-value-end", Sign::ValueEnd, Fault::Replaced),
];

impl Sign {
    pub(super) const fn is_bracket(self) -> bool {
        matches!(self, Self::OpenBrace | Self::CloseBrace | Self::OpenBracket | Self::CloseBracket)
    }

    pub(super) const fn is_quote(self) -> bool {
        matches!(self, Self::KeyStart | Self::KeyEnd | Self::ValueStart | Self::ValueEnd)
    }
}

/// A structural character at a byte of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) sign: Sign,
    /// Its token.
    pub(super) token: usize,
}

/// Returns all structural characters of the text of `tokens`.
pub(super) fn places(tokens: &[Token]) -> Vec<Place> {
    let mut found = Vec::new();
    let mut at = 0;
    for (token, part) in tokens.iter().enumerate() {
        let start = at + part.before.len();
        at = start + part.text.len();
        let end = at - 1;
        let signs: &[(usize, Sign)] = match (part.role, part.list, &part.mean) {
            (Role::Open, false, _) => &[(start, Sign::OpenBrace)],
            (Role::Open, true, _) => &[(start, Sign::OpenBracket)],
            (Role::Close, false, _) => &[(start, Sign::CloseBrace)],
            (Role::Close, true, _) => &[(start, Sign::CloseBracket)],
            (Role::Colon, ..) => &[(start, Sign::Colon)],
            (Role::Comma, ..) => &[(start, Sign::Comma)],
            (Role::Key, ..) => &[(start, Sign::KeyStart), (end, Sign::KeyEnd)],
            (Role::Scalar, _, Mean::Value(Data::Text(_))) => {
                &[(start, Sign::ValueStart), (end, Sign::ValueEnd)]
            }
            (Role::Scalar, ..) => &[],
        };
        found.extend(signs.iter().map(|&(at, sign)| Place { at, sign, token }));
    }
    found
}

/// A change of at most one character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) at: usize,
    /// Whether the character at this byte goes.
    pub(super) remove: bool,
    pub(super) put: Option<char>,
}

impl Edit {
    pub(super) fn apply(self, text: &str) -> String {
        let put = self.put.map(String::from).unwrap_or_default();
        let rest = self.at + usize::from(self.remove);
        format!("{}{put}{}", &text[..self.at], &text[rest..])
    }
}

/// Returns the change of `fault` at a place of `text`.
pub(super) fn edit(r: &mut Random, text: &str, place: Place, fault: Fault) -> Edit {
    let at = place.at;
    let own = char::from(text.as_bytes()[at]);
    match fault {
        Fault::Missing => Edit { at, remove: true, put: None },
        Fault::Doubled => Edit { at, remove: false, put: Some(own) },
        Fault::Replaced => {
            let others: Vec<char> = SIGNS.iter().copied().filter(|&sign| sign != own).collect();
            Edit { at, remove: true, put: Some(*r.one(&others)) }
        }
    }
}
