//! Fast path for valid JSON.
//!
//! Valid JSON needs no extraction and no repair, so `serde_json` creates the objects directly. Whatever
//! `serde_json` rejects, or might read differently, is left to the engine.

use std::fmt;

use llmend::{Options, json::EmphasisInValues};
use pyo3::{
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString},
};
use serde::de::{self, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use crate::keys::{Keys, with_keys};

/// Size in bytes above which texts are read without the GIL. Smaller ones take less than the five milliseconds
/// of the switch interval.
const MOST: usize = 256 << 10;

/// Maximum depth of `serde_json`.
const MOST_DEPTH: usize = 128;

/// Typical number of bytes per part of a value.
const BYTES_A_PART: usize = 12;

/// Parses `text`; returns `None` if it is not valid JSON, or has to be left to the engine.
pub(crate) fn objects<'py>(
    py: Python<'py>,
    text: &str,
    options: &Options,
) -> Option<Bound<'py, PyAny>> {
    let is_plain = options.emphasis == EmphasisInValues::Keep
        && text.len() <= MOST.min(options.max_bytes)
        && options.max_depth >= MOST_DEPTH;
    // A string may be a quoted answer, and any other ending is truncated or followed by prose.
    let (first, last) = (text.trim_start().bytes().next()?, text.trim_end().bytes().next_back()?);
    if !is_plain || !matches!((first, last), (b'{', b'}') | (b'[', b']')) {
        return None;
    }
    with_keys(py, text.len() / BYTES_A_PART, |keys| {
        let mut reader = serde_json::Deserializer::from_str(text);
        let mut waiting = Vec::new();
        let made = ValueSeed { py, keys, waiting: &mut waiting }.deserialize(&mut reader).ok()?;
        reader.end().ok().map(|()| made)
    })
}

/// Creates the object of one value.
struct ValueSeed<'py, 'm> {
    py: Python<'py>,
    keys: &'m mut Keys,
    /// Items of incomplete lists.
    waiting: &'m mut Vec<Bound<'py, PyAny>>,
}

impl<'py> ValueSeed<'py, '_> {
    fn part(&mut self) -> ValueSeed<'py, '_> {
        ValueSeed { py: self.py, keys: self.keys, waiting: self.waiting }
    }
}

impl<'py, 'de> DeserializeSeed<'de> for ValueSeed<'py, '_> {
    type Value = Bound<'py, PyAny>;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'py, 'de> Visitor<'de> for ValueSeed<'py, '_> {
    type Value = Bound<'py, PyAny>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    #[inline]
    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(self.py.None().into_bound(self.py))
    }

    #[inline]
    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(PyBool::new(self.py, value).to_owned().into_any())
    }

    #[inline]
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(PyInt::new(self.py, value).into_any())
    }

    #[inline]
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(PyInt::new(self.py, value).into_any())
    }

    #[inline]
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        /// Bound of integers that are distinguished from floats: 2⁶³.
        const LARGE: f64 = 9_223_372_036_854_775_808.0;
        if value.abs() >= LARGE || (value == 0.0 && value.is_sign_negative()) {
            return Err(E::custom("an integer or a float"));
        }
        Ok(PyFloat::new(self.py, value).into_any())
    }

    #[inline]
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(self.keys.string(self.py, text).into_any())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Self::Value, A::Error> {
        let first = self.waiting.len();
        while let Some(item) = items.next_element_seed(self.part())? {
            self.waiting.push(item);
        }
        let list = PyList::new(self.py, self.waiting.drain(first..));
        list.map(Bound::into_any).map_err(A::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Self::Value, A::Error> {
        let dict = PyDict::new(self.py);
        while let Some(key) = members.next_key_seed(Key { py: self.py, keys: self.keys })? {
            let value = members.next_value_seed(self.part())?;
            dict.set_item(key, value).map_err(A::Error::custom)?;
        }
        Ok(dict.into_any())
    }
}

/// Creates the object of a key.
struct Key<'py, 'm> {
    py: Python<'py>,
    keys: &'m mut Keys,
}

impl<'py, 'de> DeserializeSeed<'de> for Key<'py, '_> {
    type Value = Bound<'py, PyString>;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_str(self)
    }
}

impl<'py> Visitor<'_> for Key<'py, '_> {
    type Value = Bound<'py, PyString>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    #[inline]
    fn visit_str<E: de::Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.keys.object(self.py, key))
    }
}
