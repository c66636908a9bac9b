//! Sets of JSON types.

use llmend_json::Kind;
use serde_json::Value as Json;

use crate::quote::one_of;

/// A set of JSON types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const ALL: Self = Self(0b111_1111);
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const NAMES: [&str; 7] =
        ["null", "boolean", "integer", "number", "string", "array", "object"];

    /// Returns the types in a `type` keyword.
    pub(super) fn of(keyword: &Json) -> Self {
        let one = |name: &Json| {
            let at = Self::NAMES.iter().position(|known| Some(*known) == name.as_str());
            match at {
                // Every integer is a number.
                Some(3) => 0b1100,
                Some(at) => 1 << at,
                None => 0,
            }
        };
        match keyword {
            Json::Array(names) => Self(names.iter().map(one).fold(0, |all, one| all | one)),
            name => Self(one(name)),
        }
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn null(self) -> bool {
        self.0 & 1 != 0
    }

    pub(crate) const fn boolean(self) -> bool {
        self.0 & 2 != 0
    }

    pub(crate) const fn integer(self) -> bool {
        self.0 & 4 != 0
    }

    pub(crate) const fn number(self) -> bool {
        self.0 & 8 != 0
    }

    pub(crate) const fn string(self) -> bool {
        self.0 & 16 != 0
    }

    pub(crate) const fn array(self) -> bool {
        self.0 & 32 != 0
    }

    pub(crate) const fn object(self) -> bool {
        self.0 & 64 != 0
    }

    /// Returns whether values of a kind may have one of the types. Whether a number is an integer
    /// is not checked.
    pub(crate) const fn kind(self, kind: Kind) -> bool {
        match kind {
            Kind::Null => self.null(),
            Kind::Bool => self.boolean(),
            Kind::Number => self.integer(),
            Kind::String => self.string(),
            Kind::Array => self.array(),
            Kind::Object => self.object(),
        }
    }

    /// Formats the types, as in `null or integer`.
    pub(crate) fn list(self) -> String {
        let names = Self::NAMES.iter().enumerate().filter(|(at, name)| {
            self.0 & (1 << at) != 0 && !(**name == "integer" && self.number())
        });
        if self == Self::ALL {
            return "any value".to_owned();
        }
        one_of(names.map(|(_, name)| (*name).to_owned()))
    }
}
