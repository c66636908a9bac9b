//! JSON values and layouts of generated documents.

use serde_json::{Map, Value};

/// A JSON value that preserves the order of keys and the text of numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A string, unescaped.
    Text(String),
    /// An array.
    Array(Vec<Node>),
    /// An object without duplicate keys.
    Object(Vec<(String, Node)>),
}

impl Node {
    /// Converts the value to a `serde_json::Value`.
    ///
    /// # Panics
    ///
    /// If a number is not valid JSON.
    pub fn value(&self) -> Value {
        match self {
            Node::Null => Value::Null,
            Node::Bool(yes) => Value::Bool(*yes),
            Node::Number(text) => {
                serde_json::from_str(text).expect("a generated number is a JSON number")
            }
            Node::Text(text) => Value::String(text.clone()),
            Node::Array(items) => items.iter().map(Node::value).collect(),
            Node::Object(members) => Value::Object(
                members.iter().map(|(k, v)| (k.clone(), v.value())).collect::<Map<_, _>>(),
            ),
        }
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Node::Text(text.to_owned())
    }
}

impl From<String> for Node {
    fn from(text: String) -> Self {
        Node::Text(text)
    }
}

impl From<bool> for Node {
    fn from(yes: bool) -> Self {
        Node::Bool(yes)
    }
}

impl From<usize> for Node {
    fn from(number: usize) -> Self {
        Node::Number(number.to_string())
    }
}

/// White space in documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One member per line, indented by two spaces per level, as models usually write.
    Pretty,
    /// No white space.
    Compact,
}

impl Layout {
    /// Both layouts.
    pub const ALL: [Layout; 2] = [Layout::Pretty, Layout::Compact];

    /// Returns the layout's name in a table.
    pub fn name(self) -> &'static str {
        match self {
            Layout::Pretty => "pretty",
            Layout::Compact => "compact",
        }
    }
}
