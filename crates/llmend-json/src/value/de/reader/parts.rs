//! Deserializers for items, members, keys and variants.

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, EnumAccess, Error as _, Expected, IntoDeserializer, MapAccess, SeqAccess,
        Unexpected, VariantAccess, Visitor,
    },
    forward_to_deserialize_any,
};

use super::Reader;
use crate::{
    parser::Window,
    value::{
        Items, Kind, Members, Node,
        de::{Fault, FaultPart},
    },
};

/// The items of an array.
pub(super) struct ItemsOf<'de> {
    pub(super) of: Reader<'de>,
    pub(super) items: Items<'de>,
}

impl<'de> SeqAccess<'de> for ItemsOf<'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Fault> {
        self.items
            .next()
            .map(|item| {
                let reader = self.of.inside(item);
                reader.name(seed.deserialize(reader))
            })
            .transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.clone().count())
    }
}

/// The members of an object.
pub(super) struct MembersOf<'de> {
    pub(super) of: Reader<'de>,
    pub(super) members: Members<'de>,
    /// Value of the current key.
    pub(super) value: Option<Node<'de>>,
}

impl<'de> MapAccess<'de> for MembersOf<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        self.members
            .next()
            .map(|(key, value)| {
                self.value = Some(value);
                seed.deserialize(Key(key)).map_err(|fault| fault.of(key.index, FaultPart::Key))
            })
            .transpose()
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Fault> {
        let value =
            self.value.take().ok_or_else(|| Fault::custom("value requested before its key"))?;
        let reader = self.of.inside(value);
        reader.name(seed.deserialize(reader))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.clone().count())
    }
}

/// A key, which may be read as a number, boolean or enum.
struct Key<'de>(Node<'de>);

impl<'de> Key<'de> {
    fn text(&self) -> &'de str {
        self.0.value.content(self.0.index)
    }

    /// Returns the text if it is a number in JSON notation.
    fn digits(&self) -> Option<&'de str> {
        let text = self.text();
        (Window::whole(text).scan_number(0) == Some(text.len())).then_some(text)
    }
}

/// Numeric types, which are text in keys.
macro_rules! keys {
    ($($method:ident $visit:ident $kind:ty;)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            match self.digits().and_then(|digits| digits.parse::<$kind>().ok()) {
                Some(value) => visitor.$visit(value),
                None => Err(Fault::invalid_type(Unexpected::Str(self.text()), &visitor)),
            }
        }
    )+};
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_borrowed_str(self.text())
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.text() {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            other => Err(Fault::invalid_type(Unexpected::Str(other), &visitor)),
        }
    }

    keys! {
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

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.digits().and_then(|digits| digits.parse::<f32>().ok()) {
            Some(number) if number.is_finite() => visitor.visit_f32(number),
            _ => Err(Fault::invalid_type(Unexpected::Str(self.text()), &visitor)),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.digits().and_then(|digits| digits.parse::<f64>().ok()) {
            Some(number) if number.is_finite() => visitor.visit_f64(number),
            _ => Err(Fault::invalid_type(Unexpected::Str(self.text()), &visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_enum(self.text().into_deserializer())
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_borrowed_bytes(self.text().as_bytes())
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_bytes(visitor)
    }

    forward_to_deserialize_any! {
        char str string unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A variant of an enum: its name and its content, if any.
pub(super) struct VariantOf<'de> {
    pub(super) of: Reader<'de>,
    pub(super) name: Node<'de>,
    pub(super) content: Option<Node<'de>>,
}

impl<'de> EnumAccess<'de> for VariantOf<'de> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), Fault> {
        let name = seed
            .deserialize(Key(self.name))
            .map_err(|fault| fault.of(self.name.index, FaultPart::Value))?;
        Ok((name, self))
    }
}

impl<'de> VariantOf<'de> {
    /// Returns the content of the variant, which must be of this kind.
    fn holds(&self, kind: Kind, expected: &dyn Expected) -> Result<Reader<'de>, Fault> {
        let Some(content) = self.content else {
            return Err(Fault::invalid_type(Unexpected::UnitVariant, expected));
        };
        let reader = self.of.inside(content);
        if content.kind() == kind {
            return Ok(reader);
        }
        reader.name(Err(Fault::invalid_type(reader.unexpected(), expected)))
    }
}

impl<'de> VariantAccess<'de> for VariantOf<'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        match self.content {
            None => Ok(()),
            Some(content) => {
                let reader = self.of.inside(content);
                reader.name(<()>::deserialize(reader))
            }
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fault> {
        match self.content {
            None => Err(Fault::invalid_type(Unexpected::UnitVariant, &"a variant with a value")),
            Some(content) => {
                let reader = self.of.inside(content);
                reader.name(seed.deserialize(reader))
            }
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        let reader = self.holds(Kind::Array, &visitor)?;
        reader.name(reader.array(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let reader = self.holds(Kind::Object, &visitor)?;
        reader.name(reader.object(visitor))
    }
}
