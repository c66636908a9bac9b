//! Conversion of values to Python objects.
//!
//! Objects are built from the flat value with a stack of open containers, without recursion.

use llmend::{Node, json::Token};
use pyo3::{
    intern,
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString},
};

use crate::keys::{Keys, with_keys};

/// Number of parts between two checks for interrupts.
const PATIENCE: u32 = 1 << 20;

/// An open container, and the index of the first part after it.
enum Open<'py> {
    /// A list, whose items are the waiting ones from this index on.
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

/// Converts `node` as Python's `json` does: to `dict`, `list`, `str`, `int`, `float`, `bool` or `None`.
/// Integers of any length become `int`; the last of equal keys wins.
pub(crate) fn to_python<'py>(py: Python<'py>, node: Node<'_>) -> PyResult<Bound<'py, PyAny>> {
    with_keys(py, node.value().parts(), |keys| Maker { py, keys }.make(node))
}

struct Maker<'py, 'k> {
    py: Python<'py>,
    keys: &'k mut Keys,
}

impl<'py> Maker<'py, '_> {
    fn make(&mut self, root: Node<'_>) -> PyResult<Bound<'py, PyAny>> {
        let (py, value) = (self.py, root.value());
        let mut open: Vec<Open<'py>> = Vec::new();
        // Items of incomplete lists.
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
            // A complete container goes into its parent, which may be complete with it.
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
                        let name = if let Token::String(name) = name { name } else { "" };
                        *key = self.keys.object(py, name);
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
    fn scalar(&mut self, token: Token<'_>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match token {
            Token::String(text) => self.keys.string(self.py, text).into_any(),
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
}
