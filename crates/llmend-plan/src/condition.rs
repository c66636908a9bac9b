//! On what does a branch or a loop depend?

use std::{fmt, str::FromStr};

use llmend_json::UnknownName;
use serde::{Deserialize, Serialize};

/// A comparison of two values, which a workflow makes when it comes by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// What is compared.
    pub left: ValueRef,
    /// How.
    pub operator: Operator,
    /// With what; nothing where the operator looks at one value alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<ValueRef>,
}

/// A value, or where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ValueRef {
    /// What a node gave, under `node.field`: the part before the first dot names the node, by its
    /// id or by its name with all but letters, digits and `_` made `_`.
    Variable {
        /// The reference as the model wrote it, without braces.
        name: String,
    },
    /// The value itself.
    Literal {
        /// It.
        value: Literal,
    },
}

/// A value that a condition compares with: no list and no object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Literal {
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(serde_json::Number),
    /// A text.
    Text(String),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// They are equal.
    Equals,
    /// They differ.
    NotEquals,
    /// The left one is greater.
    GreaterThan,
    /// The left one is less.
    LessThan,
    /// The left one is greater or equal.
    GreaterThanOrEqual,
    /// The left one is less or equal.
    LessThanOrEqual,
    /// The left one holds the right one.
    Contains,
    /// The left one does not hold the right one.
    NotContains,
    /// The left one is empty.
    IsEmpty,
    /// The left one is not empty.
    IsNotEmpty,
}

impl Operator {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Equals,
        Self::NotEquals,
        Self::GreaterThan,
        Self::LessThan,
        Self::GreaterThanOrEqual,
        Self::LessThanOrEqual,
        Self::Contains,
        Self::NotContains,
        Self::IsEmpty,
        Self::IsNotEmpty,
    ];

    /// The name that the canonical form uses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Equals => "equals",
            Self::NotEquals => "not_equals",
            Self::GreaterThan => "greater_than",
            Self::LessThan => "less_than",
            Self::GreaterThanOrEqual => "greater_than_or_equal",
            Self::LessThanOrEqual => "less_than_or_equal",
            Self::Contains => "contains",
            Self::NotContains => "not_contains",
            Self::IsEmpty => "is_empty",
            Self::IsNotEmpty => "is_not_empty",
        }
    }

    /// The sign that pictures show.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Equals => "=",
            Self::NotEquals => "≠",
            Self::GreaterThan => ">",
            Self::LessThan => "<",
            Self::GreaterThanOrEqual => "≥",
            Self::LessThanOrEqual => "≤",
            Self::Contains => "contains",
            Self::NotContains => "does not contain",
            Self::IsEmpty => "is empty",
            Self::IsNotEmpty => "is not empty",
        }
    }

    /// Whether there is nothing to compare with.
    #[must_use]
    pub const fn is_unary(self) -> bool {
        matches!(self, Self::IsEmpty | Self::IsNotEmpty)
    }
}

impl FromStr for Operator {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .into_iter()
            .find(|operator| operator.as_str() == name)
            .ok_or_else(|| UnknownName(name.to_owned()))
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Number(value) => value.fmt(f),
            Self::Text(value) => write!(f, "{value:?}"),
        }
    }
}

impl fmt::Display for ValueRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable { name } => f.write_str(name),
            Self::Literal { value } => value.fmt(f),
        }
    }
}

/// As pictures show it: `n1.count ≥ 3`.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.left, self.operator.sign())?;
        match &self.right {
            Some(right) => write!(f, " {right}"),
            None => Ok(()),
        }
    }
}
