//! What does a text say that is valid JSON?
//!
//! Nothing is to be found in it and nothing to be repaired, so that its objects are made while it is read, by
//! `serde_json`. What that refuses, or might read otherwise than the engine, is left to the engine.

use std::fmt;

use llmend::{Options, json::EmphasisInValues};
use pyo3::{
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString},
};
use serde::de::{self, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use crate::keys::{Keys, with_keys};

/// Texts of more bytes are read without the lock of the interpreter. Others take less than the five
/// milliseconds after which one thread has to hand it to the next.
const MOST: usize = 256 << 10;

/// Levels of nesting at which `serde_json` ends.
const MOST_DEPTH: usize = 128;

/// Bytes of a text for each part of its value, as a rule.
const BYTES_A_PART: usize = 12;

/// The value of `text`; nothing if that is not valid JSON, or not to be read here.
pub(crate) fn objects<'py>(
    py: Python<'py>,
    text: &str,
    options: &Options,
) -> Option<Bound<'py, PyAny>> {
    let is_plain = options.emphasis == EmphasisInValues::Keep
        && text.len() <= MOST.min(options.max_bytes)
        && options.max_depth >= MOST_DEPTH;
    // A string may be an answer in quotes, and what ends otherwise was cut off or goes on in words.
    let (first, last) = (text.trim_start().bytes().next()?, text.trim_end().bytes().next_back()?);
    if !is_plain || !matches!((first, last), (b'{', b'}') | (b'[', b']')) {
        return None;
    }
    with_keys(py, text.len() / BYTES_A_PART, |keys| {
        let mut reader = serde_json::Deserializer::from_str(text);
        let mut waiting = Vec::new();
        let made = Making { py, keys, waiting: &mut waiting }.deserialize(&mut reader).ok()?;
        reader.end().ok().map(|()| made)
    })
}

/// Makes the object of one value.
struct Making<'py, 'm> {
    py: Python<'py>,
    keys: &'m mut Keys,
    /// Items of lists that are not complete.
    waiting: &'m mut Vec<Bound<'py, PyAny>>,
}

impl<'py> Making<'py, '_> {
    fn part(&mut self) -> Making<'py, '_> {
        Making { py: self.py, keys: self.keys, waiting: self.waiting }
    }
}

impl<'py, 'de> DeserializeSeed<'de> for Making<'py, '_> {
    type Value = Bound<'py, PyAny>;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'py, 'de> Visitor<'de> for Making<'py, '_> {
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
        /// Where integers end that are told from floats: 2⁶³.
        const LARGE: f64 = 9_223_372_036_854_775_808.0;
        if value.abs() >= LARGE || (value == 0.0 && value.is_sign_negative()) {
            return Err(E::custom("an integer or a float"));
        }
        Ok(PyFloat::new(self.py, value).into_any())
    }

    #[inline]
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(PyString::new(self.py, text).into_any())
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

/// Makes the object of a key.
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
