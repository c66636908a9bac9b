//! Deserializer for all kinds of values.

use serde::{
    Deserializer,
    de::{Error as _, Expected, Unexpected, Visitor},
};

use super::{Fault, FaultPart, SHOWN_CHARS};
use crate::{
    span::preview,
    value::{
        Kind, Node,
        short_number::{Short, float, short},
    },
};

mod parts;

use parts::{ItemsOf, MembersOf, VariantOf};

/// Maximum nesting depth; reading into types recurses on the thread's stack. Equal to the default
/// of `max_depth`.
pub(super) const MAX_LEVELS: usize = 512;

/// A part of a value that is being deserialized.
#[derive(Clone, Copy)]
pub(super) struct Reader<'de> {
    pub(super) node: Node<'de>,
    /// Nesting depth.
    pub(super) level: usize,
}

impl<'de> Reader<'de> {
    /// Returns a reader for a part of this container.
    pub(super) fn inside(self, node: Node<'de>) -> Self {
        Self { node, level: self.level + 1 }
    }

    /// Attributes an error to this part, unless it is already attributed to an inner one. Whoever
    /// creates a reader for a part of a container does this with what the part's type returns, so
    /// the reader itself does not.
    pub(super) fn name<T>(self, result: Result<T, Fault>) -> Result<T, Fault> {
        result.map_err(|fault| fault.of(self.node.index, FaultPart::Value))
    }

    #[cold]
    fn mismatch<T, V: Visitor<'de>>(self, visitor: &V) -> Result<T, Fault> {
        Err(Fault::invalid_type(self.unexpected(), visitor))
    }

    pub(super) fn unexpected(self) -> Unexpected<'de> {
        match self.node.kind() {
            Kind::Null => Unexpected::Unit,
            Kind::Bool => Unexpected::Bool(self.node.bool() == Some(true)),
            Kind::Number => Unexpected::Other(preview(self.digits(), SHOWN_CHARS)),
            Kind::String => Unexpected::Str(self.node.str().unwrap_or_default()),
            Kind::Array => Unexpected::Seq,
            Kind::Object => Unexpected::Map,
        }
    }

    fn digits(self) -> &'de str {
        self.node.number().unwrap_or_default()
    }

    /// Returns the text of this number; another value is a mismatch.
    fn number<V: Visitor<'de>>(self, visitor: &V) -> Result<&'de str, Fault> {
        self.node.number().map_or_else(|| self.mismatch(visitor), Ok)
    }

    fn guard(self) -> Result<(), Fault> {
        if self.level < MAX_LEVELS {
            return Ok(());
        }
        Err(Fault::custom(format_args!("nested deeper than {MAX_LEVELS} levels")))
    }

    /// Reads a number for a type that accepts any.
    fn any_number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let digits = self.digits();
        match short(digits.as_bytes()) {
            Some(Short::Integer(number)) => match u64::try_from(number) {
                Ok(number) => visitor.visit_u64(number),
                Err(_) => visitor.visit_i64(number),
            },
            Some(Short::Float(number)) => visitor.visit_f64(number),
            None => self.long_number(digits, visitor),
        }
    }

    #[inline(never)]
    fn long_number<V: Visitor<'de>>(self, digits: &str, visitor: V) -> Result<V::Value, Fault> {
        // Only a float can represent minus zero.
        if digits != "-0" {
            if let Ok(number) = digits.parse::<u64>() {
                return visitor.visit_u64(number);
            }
            if let Ok(number) = digits.parse::<i64>() {
                return visitor.visit_i64(number);
            }
        }
        self.float(digits, visitor)
    }

    fn float<V: Visitor<'de>>(self, digits: &str, visitor: V) -> Result<V::Value, Fault> {
        match float(digits) {
            Some(number) if number.is_finite() => visitor.visit_f64(number),
            _ => Err(self.out_of_range(&visitor)),
        }
    }

    /// Reports a number that does not fit the integer type.
    #[cold]
    fn no_such_integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.digits().bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
            return self.float(self.digits(), visitor);
        }
        Err(self.out_of_range(&visitor))
    }

    #[cold]
    fn out_of_range<V: Visitor<'de>>(self, visitor: &V) -> Fault {
        let digits = preview(self.digits(), SHOWN_CHARS);
        Fault::custom(format_args!(
            "number {digits} is out of range, expected {}",
            visitor as &dyn Expected
        ))
    }

    pub(super) fn array<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.guard()?;
        let mut items = ItemsOf { of: self, items: self.node.items() };
        let value = visitor.visit_seq(&mut items)?;
        match items.items.count() {
            0 => Ok(value),
            surplus => Err(Fault::custom(format_args!(
                "array has {} items, {surplus} more than expected",
                self.node.len(),
            ))),
        }
    }

    pub(super) fn object<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.guard()?;
        let mut members = MembersOf { of: self, members: self.node.members(), value: None };
        let value = visitor.visit_map(&mut members)?;
        match members.members.count() {
            0 => Ok(value),
            surplus => {
                Err(Fault::custom(format_args!("object has {surplus} more members than expected")))
            }
        }
    }

    fn variant<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.kind() {
            Kind::String => {
                visitor.visit_enum(VariantOf { of: self, name: self.node, content: None })
            }
            Kind::Object => {
                self.guard()?;
                let mut members = self.node.members();
                match (members.next(), members.next()) {
                    (Some((name, content)), None) => {
                        visitor.visit_enum(VariantOf { of: self, name, content: Some(content) })
                    }
                    _ => Err(Fault::invalid_value(
                        Unexpected::Map,
                        &"a variant name or an object with a single variant",
                    )),
                }
            }
            _ => self.mismatch(&visitor),
        }
    }
}

/// Integer types, parsed from the source text.
macro_rules! integers {
    ($($method:ident $visit:ident $kind:ty;)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            match self.number(&visitor)?.parse::<$kind>() {
                Ok(number) => visitor.$visit(number),
                Err(_) => self.no_such_integer(visitor),
            }
        }
    )+};
}

/// Types that strings are read into.
macro_rules! strings {
    ($($method:ident)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            match self.node.str() {
                Some(text) => visitor.visit_borrowed_str(text),
                None => self.mismatch(&visitor),
            }
        }
    )+};
}

/// Types that strings or arrays of bytes are read into.
macro_rules! bytes {
    ($($method:ident)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            match self.node.kind() {
                Kind::String => {
                    visitor.visit_borrowed_bytes(self.node.str().unwrap_or_default().as_bytes())
                }
                Kind::Array => self.array(visitor),
                _ => self.mismatch(&visitor),
            }
        }
    )+};
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.kind() {
            Kind::Null => visitor.visit_unit(),
            Kind::Bool => visitor.visit_bool(self.node.bool() == Some(true)),
            Kind::Number => self.any_number(visitor),
            Kind::String => visitor.visit_borrowed_str(self.node.str().unwrap_or_default()),
            Kind::Array => self.array(visitor),
            Kind::Object => self.object(visitor),
        }
    }

    integers! {
        deserialize_i8 visit_i8 i8;
        deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32;
        deserialize_i64 visit_i64 i64;
        deserialize_i128 visit_i128 i128;
        deserialize_u8 visit_u8 u8;
        deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
        deserialize_u128 visit_u128 u128;
    }

    strings! { deserialize_char deserialize_str deserialize_string deserialize_identifier }

    bytes! { deserialize_bytes deserialize_byte_buf }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.bool() {
            Some(value) => visitor.visit_bool(value),
            None => self.mismatch(&visitor),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.number(&visitor)?.parse::<f32>() {
            Ok(number) if number.is_finite() => visitor.visit_f32(number),
            _ => Err(self.out_of_range(&visitor)),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let digits = self.number(&visitor)?;
        self.float(digits, visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.node.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.node.is_null() { visitor.visit_unit() } else { self.mismatch(&visitor) }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.kind() {
            Kind::Array => self.array(visitor),
            _ => self.mismatch(&visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.kind() {
            Kind::Object => self.object(visitor),
            _ => self.mismatch(&visitor),
        }
    }

    /// Accepts objects only: an array whose items happen to match the fields in order is more
    /// likely a list of answers than a struct.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.variant(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }
}
