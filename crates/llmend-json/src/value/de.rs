//! Deserialization of values into Rust types.
//!
//! [`Node`] is a [`serde::Deserializer`]. Internally, a [`Reader`] uses an error of two words; the
//! outermost call adds the path and the span.

use serde::{
    Deserialize, Deserializer,
    de::{Expected, Unexpected, Visitor},
};

use crate::{
    Error,
    span::preview,
    value::{Node, Value},
};

mod reader;
#[cfg(test)]
mod tests;

use reader::Reader;

/// Maximum number of characters of a text in a message.
const SHOWN_CHARS: usize = 100;

impl Value<'_> {
    /// Deserializes the value into a type.
    ///
    /// Numbers are parsed from their source text. A number that is out of range is an error, and so
    /// is `5.0` for an integer. A map receives both values of a duplicate key; for a struct,
    /// duplicate keys are an error, and so is an array.
    ///
    /// ```
    /// #[derive(serde::Deserialize)]
    /// struct City<'a> { name: &'a str, people: u32 }
    ///
    /// let parsed = llmend_json::parse("{name: 'Oslo', people: 717_710}")?;
    /// let city: City = parsed.value.deserialize()?;
    /// assert_eq!((city.name, city.people), ("Oslo", 717_710));
    /// # Ok::<(), llmend_json::Error>(())
    /// ```
    pub fn deserialize<'v, T: Deserialize<'v>>(&'v self) -> Result<T, Error> {
        self.root().deserialize()
    }
}

impl<'v> Node<'v> {
    /// Deserializes this part into a type: see [`Value::deserialize`].
    pub fn deserialize<T: Deserialize<'v>>(self) -> Result<T, Error> {
        T::deserialize(self)
    }
}

/// Forwards methods to a [`Reader`], and converts its errors.
macro_rules! delegate {
    ($($method:ident($($argument:ident: $kind:ty),*);)+) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $kind,)* visitor: V) -> Result<V::Value, Error> {
            Reader { node: self, level: 0 }.$method($($argument,)* visitor).map_err(|fault| fault.public(self))
        }
    )+};
}

impl<'de> Deserializer<'de> for Node<'de> {
    type Error = Error;

    delegate! {
        deserialize_any();
        deserialize_bool();
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_i128();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_u128();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_str();
        deserialize_string();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_option();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(length: usize);
        deserialize_tuple_struct(name: &'static str, length: usize);
        deserialize_map();
        deserialize_struct(name: &'static str, fields: &'static [&'static str]);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
        deserialize_identifier();
        deserialize_ignored_any();
    }
}

/// For types that report errors of their own.
impl serde::de::Error for Error {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::shape(message.to_string())
    }
}

/// A mismatch between a part of a value and a type.
#[derive(Debug)]
struct Fault(Box<Details>);

#[derive(Debug)]
struct Details {
    message: String,
    /// Slot of the part, and whether it is a key.
    place: Option<(usize, FaultPart)>,
}

#[derive(Clone, Copy, Debug)]
enum FaultPart {
    Key,
    Value,
}

impl Fault {
    /// Attributes the fault to the slot at `index`, unless it is already attributed to an inner part.
    #[cold]
    fn of(mut self, index: usize, part: FaultPart) -> Self {
        self.0.place.get_or_insert((index, part));
        self
    }

    /// Returns the public error; `node` is the part that the caller deserialized.
    #[cold]
    fn public(self, node: Node<'_>) -> Error {
        let Details { message, place } = *self.0;
        let (index, part) = place.unwrap_or((node.index, FaultPart::Value));
        let span = Node { index, ..node }.span();
        // A key's path is that of its value, which follows the key.
        let path = node.value.path_of(match part {
            FaultPart::Key => index + 1,
            FaultPart::Value => index,
        });
        let message = match path.as_str() {
            "" => message,
            path => format!("{message} at `{}`", preview(path, 4 * SHOWN_CHARS)),
        };
        Error::shape(message).located(&node.value.text, span)
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Fault {}

impl serde::de::Error for Fault {
    #[cold]
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self(Box::new(Details { message: message.to_string(), place: None }))
    }

    #[cold]
    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("expected {expected}, found {}", clipped(found)))
    }

    #[cold]
    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    #[cold]
    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::custom(format_args!(
            "unknown field `{}`{}",
            preview(field, SHOWN_CHARS),
            one_of(expected)
        ))
    }

    #[cold]
    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::custom(format_args!(
            "unknown variant `{}`{}",
            preview(variant, SHOWN_CHARS),
            one_of(expected)
        ))
    }
}

/// Formats an unexpected value, with long texts truncated.
fn clipped(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Str(text) if text.chars().nth(SHOWN_CHARS).is_some() => {
            format!("string {:?}…", preview(text, SHOWN_CHARS))
        }
        Unexpected::Unit => "null".to_owned(),
        Unexpected::Map => "object".to_owned(),
        Unexpected::Seq => "array".to_owned(),
        other => other.to_string(),
    }
}

fn one_of(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        names => format!(", expected one of `{}`", names.join("`, `")),
    }
}
