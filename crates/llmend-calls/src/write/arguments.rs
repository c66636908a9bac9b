//! Arguments as the notations write them.

use llmend_json::{Node, Token};

use super::{fill, is_plain};

/// How the arguments of a call are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arguments {
    /// A JSON object.
    Json,
    /// A JSON object as a JSON string.
    JsonText,
    /// `key=literal` in the words of Python.
    Keywords,
    /// An element for each. Strings are written as they are, other values as JSON.
    Elements { string: &'static str, other: &'static str },
    /// An object with bare keys, and with strings between these marks.
    Typed(&'static str),
}

/// How a value is written.
#[derive(Clone, Copy, Debug)]
enum Style {
    Json,
    Python,
    Typed(&'static str),
}

impl Arguments {
    /// Writes arguments. `None` if the notation has no way to write them.
    pub(super) fn write(self, arguments: Node<'_>) -> Option<String> {
        match self {
            Self::Json => written(arguments, Style::Json),
            Self::JsonText => Some(quoted(&written(arguments, Style::Json)?)),
            Self::Typed(quote) => written(arguments, Style::Typed(quote)),
            Self::Keywords => {
                let keyword = |(key, value): (Node<'_>, Node<'_>)| {
                    let key = key.str().filter(|key| is_identifier(key))?;
                    Some(format!("{key}={}", written(value, Style::Python)?))
                };
                Some(arguments.members().map(keyword).collect::<Option<Vec<_>>>()?.join(", "))
            }
            Self::Elements { string, other } => {
                let element = |(key, value): (Node<'_>, Node<'_>)| {
                    let key = key.str().filter(|key| is_plain(key))?;
                    let (form, text) = match value.str() {
                        Some(text) => (string, text.to_owned()),
                        None => (other, written(value, Style::Json)?),
                    };
                    Some(fill(
                        form,
                        &[("key", key), ("type", value.kind().as_str()), ("value", &text)],
                    ))
                };
                arguments.members().map(element).collect()
            }
        }
    }
}

fn written(value: Node<'_>, style: Style) -> Option<String> {
    let mut out = String::new();
    write(value, style, &mut out)?;
    Some(out)
}

/// Writes a value with a blank behind each comma and colon, as templates do.
fn write(value: Node<'_>, style: Style, out: &mut String) -> Option<()> {
    match value.token() {
        Token::Null => out.push_str(style.word("null", "None")),
        Token::Bool(true) => out.push_str(style.word("true", "True")),
        Token::Bool(false) => out.push_str(style.word("false", "False")),
        Token::Number(digits) => out.push_str(digits),
        Token::String(text) => style.string(text, out)?,
        Token::Array { .. } => {
            out.push('[');
            for (at, item) in value.items().enumerate() {
                out.push_str(if at > 0 { style.comma() } else { "" });
                write(item, style, out)?;
            }
            out.push(']');
        }
        Token::Object { .. } => {
            out.push('{');
            for (at, (key, item)) in value.members().enumerate() {
                out.push_str(if at > 0 { style.comma() } else { "" });
                style.key(key.str().unwrap_or_default(), out)?;
                write(item, style, out)?;
            }
            out.push('}');
        }
    }
    Some(())
}

impl Style {
    const fn word(self, json: &'static str, python: &'static str) -> &'static str {
        match self {
            Self::Python => python,
            Self::Json | Self::Typed(_) => json,
        }
    }

    const fn comma(self) -> &'static str {
        match self {
            Self::Json | Self::Python => ", ",
            Self::Typed(_) => ",",
        }
    }

    fn key(self, key: &str, out: &mut String) -> Option<()> {
        match self {
            Self::Json | Self::Python => out.extend([quoted(key).as_str(), ": "]),
            Self::Typed(_) if is_plain(key) => out.extend([key, ":"]),
            Self::Typed(_) => return None,
        }
        Some(())
    }

    fn string(self, text: &str, out: &mut String) -> Option<()> {
        match self {
            Self::Json | Self::Python => out.push_str(&quoted(text)),
            Self::Typed(quote) if text.contains(quote) => return None,
            Self::Typed(quote) => out.extend([quote, text, quote]),
        }
        Some(())
    }
}

/// Writes a JSON string, which is one of Python as well.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn is_identifier(name: &str) -> bool {
    !name.starts_with(|first: char| first.is_ascii_digit())
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
