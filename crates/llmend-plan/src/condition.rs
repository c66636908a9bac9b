//! Conditions of branches and loops.

use std::{fmt, str::FromStr};

use llmend_json::UnknownChoice;
use serde::{Deserialize, Serialize};

/// A comparison of two values, evaluated when the flow reaches it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The left operand.
    pub left: ValueRef,
    /// The operator.
    pub operator: Operator,
    /// The right operand; absent if the operator is unary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<ValueRef>,
}

/// An operand: a variable or a literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ValueRef {
    /// The output of a node, as `node.field`. The part before the first dot is the id of the node,
    /// or its name with everything but letters, digits and `_` replaced by `_`.
    Variable {
        /// The reference as written, without braces.
        name: String,
    },
    /// A constant.
    Literal {
        /// The value.
        value: Literal,
    },
}

/// A scalar constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Literal {
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(serde_json::Number),
    /// A string.
    Text(String),
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// The operands are equal.
    Equals,
    /// The operands differ.
    NotEquals,
    /// The left operand is greater.
    GreaterThan,
    /// The left operand is less.
    LessThan,
    /// The left operand is greater or equal.
    GreaterThanOrEqual,
    /// The left operand is less or equal.
    LessThanOrEqual,
    /// The left operand contains the right one.
    Contains,
    /// The left operand does not contain the right one.
    NotContains,
    /// The left operand is empty.
    IsEmpty,
    /// The left operand is not empty.
    IsNotEmpty,
}

impl Operator {
    /// All operators.
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

    /// Returns the name that JSON uses.
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

    /// Returns the sign that drawings show.
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

    /// Returns whether the operator has no right operand.
    #[must_use]
    pub const fn is_unary(self) -> bool {
        matches!(self, Self::IsEmpty | Self::IsNotEmpty)
    }
}

impl FromStr for Operator {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        UnknownChoice::find(name, &Self::ALL, Self::as_str)
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

/// Writes the condition as drawings show it: `n1.count ≥ 3`.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.left, self.operator.sign())?;
        match &self.right {
            Some(right) => write!(f, " {right}"),
            None => Ok(()),
        }
    }
}
