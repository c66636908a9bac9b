//! How does a value become objects of Python?
//!
//! From the flat value directly, with a stack of the containers that are open: no level of nesting
//! costs a call.

use std::sync::Mutex;

use llmend::{Kind, Node, json::Token};
use pyo3::{
    intern,
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString},
};

/// How many keys are remembered. A power of two.
const MOST_KEYS: usize = 1024;

/// Keys longer than this are seldom the same twice.
const LONGEST_KEY: usize = 48;

/// Parts of a value between two looks at whether somebody wants to interrupt.
const PATIENCE: u32 = 1 << 20;

/// Values of this many parts are made with the garbage collector at rest: it would look at them again and
/// again, and find that nothing of them is garbage.
const MANY: usize = 256;

/// Keys that were made before, in places that follow from their text. A key that is met again costs a
/// comparison in place of a string, and its hash is known to it already.
type Keys = Vec<Option<(Box<str>, Py<PyString>)>>;

/// The keys of the calls so far. Who finds it lent begins anew.
static KEYS: Mutex<Keys> = Mutex::new(Vec::new());

/// A container whose parts are being made, and the number of the first part behind it.
enum Open<'py> {
    /// Its items are the last of all that wait, from this one on.
    List {
        first: usize,
        end: usize,
    },
    Dict {
        dict: Bound<'py, PyDict>,
        key: Bound<'py, PyString>,
        end: usize,
    },
}

/// `node` as Python's own `json` would have it: `dict`, `list`, `str`, `int`, `float`, `bool`, `None`.
/// A number of any length is an `int` if it is written as one; of equal keys the last one counts.
pub(crate) fn to_python<'py>(py: Python<'py>, node: Node<'_>) -> PyResult<Bound<'py, PyAny>> {
    if !matches!(node.kind(), Kind::Array | Kind::Object) {
        return Maker { py, keys: &mut Keys::new() }.scalar(node.token());
    }
    let mut keys = KEYS.try_lock().map(|mut lent| std::mem::take(&mut *lent)).unwrap_or_default();
    keys.resize_with(MOST_KEYS, || None);
    let at_rest = if node.value().parts() < MANY { None } else { AtRest::begin(py)? };
    let made = Maker { py, keys: &mut keys }.make(node);
    drop(at_rest);
    if let Ok(mut lent) = KEYS.try_lock() {
        *lent = keys;
    }
    made
}

/// The garbage collector, as long as it does not run.
struct AtRest<'py>(Bound<'py, PyModule>);

impl<'py> AtRest<'py> {
    /// Nothing if it does not run anyway.
    fn begin(py: Python<'py>) -> PyResult<Option<Self>> {
        let collector = py.import(intern!(py, "gc"))?;
        if !collector.call_method0(intern!(py, "isenabled"))?.extract::<bool>()? {
            return Ok(None);
        }
        collector.call_method0(intern!(py, "disable"))?;
        Ok(Some(Self(collector)))
    }
}

impl Drop for AtRest<'_> {
    fn drop(&mut self) {
        // It cannot fail, and there would be nobody to tell.
        let _ = self.0.call_method0(intern!(self.0.py(), "enable"));
    }
}

struct Maker<'py, 'k> {
    py: Python<'py>,
    keys: &'k mut Keys,
}

impl<'py> Maker<'py, '_> {
    fn make(&mut self, root: Node<'_>) -> PyResult<Bound<'py, PyAny>> {
        let (py, value) = (self.py, root.value());
        let mut open: Vec<Open<'py>> = Vec::new();
        // Items of lists that are not complete.
        let mut waiting: Vec<Bound<'py, PyAny>> = Vec::new();
        let mut patience = PATIENCE;
        let mut at = root.index();
        loop {
            patience -= 1;
            if patience == 0 {
                py.check_signals()?;
                patience = PATIENCE;
            }
            let token = value.node(at).map_or(Token::Null, Node::token);
            at += 1;
            let mut done = match token {
                Token::Array { end } => {
                    open.push(Open::List { first: waiting.len(), end });
                    None
                }
                Token::Object { end } => {
                    let (dict, key) = (PyDict::new(py), intern!(py, "").clone());
                    open.push(Open::Dict { dict, key, end });
                    None
                }
                scalar => Some(self.scalar(scalar)?),
            };
            // What is complete goes into what it stands in, which may be complete with it.
            loop {
                match (open.last_mut(), done.take()) {
                    (None, made) => return Ok(made.unwrap_or_else(|| py.None().into_bound(py))),
                    (Some(Open::List { .. }), Some(item)) => waiting.push(item),
                    (Some(Open::Dict { dict, key, .. }), Some(value)) => {
                        dict.set_item(&*key, value)?;
                    }
                    (Some(_), None) => {}
                }
                match open.last_mut() {
                    Some(Open::List { end, .. }) if at < *end => break,
                    Some(Open::Dict { key, end, .. }) if at < *end => {
                        let name = value.node(at).map_or(Token::Null, Node::token);
                        *key = self.key(if let Token::String(name) = name { name } else { "" });
                        at += 1;
                        break;
                    }
                    _ => {}
                }
                done = match open.pop() {
                    Some(Open::List { first, .. }) => {
                        Some(PyList::new(py, waiting.drain(first..))?.into_any())
                    }
                    Some(Open::Dict { dict, .. }) => Some(dict.into_any()),
                    None => None,
                };
            }
        }
    }

    #[inline]
    fn scalar(&self, token: Token<'_>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match token {
            Token::String(text) => PyString::new(self.py, text).into_any(),
            Token::Number(digits) => return self.number(digits),
            Token::Bool(value) => PyBool::new(self.py, value).to_owned().into_any(),
            _ => self.py.None().into_bound(self.py),
        })
    }

    fn number(&self, digits: &str) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(number) = digits.parse::<i64>() {
            return Ok(PyInt::new(self.py, number).into_any());
        }
        let is_whole = digits.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
        match digits.parse::<f64>() {
            Ok(number) if !is_whole => Ok(PyFloat::new(self.py, number).into_any()),
            _ => self.py.get_type::<PyInt>().call1((digits,)),
        }
    }

    fn key(&mut self, text: &str) -> Bound<'py, PyString> {
        if text.len() > LONGEST_KEY {
            return PyString::new(self.py, text);
        }
        let Some(known) = self.keys.get_mut(place(text)) else {
            return PyString::new(self.py, text);
        };
        if let Some((same, key)) = known
            && **same == *text
        {
            return key.bind(self.py).clone();
        }
        let key = PyString::new(self.py, text);
        *known = Some((text.into(), key.clone().unbind()));
        key
    }
}

/// Where a key is remembered: it follows from its length, its first eight bytes and its last eight.
fn place(key: &str) -> usize {
    let bytes = key.as_bytes();
    let word = |chunk: Option<&[u8; 8]>| chunk.map_or(0, |chunk| u64::from_le_bytes(*chunk));
    let (first, last) = match bytes.first_chunk() {
        Some(first) => (word(Some(first)), word(bytes.last_chunk())),
        None => (bytes.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)), 0),
    };
    let mixed = (first ^ last.rotate_left(23)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 48) as usize % MOST_KEYS
}
