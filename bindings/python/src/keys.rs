//! Cache of object keys.
//!
//! The slot of a key is derived from its text. A repeated key costs a comparison instead of a new string, and
//! its hash is already computed.

use std::sync::Mutex;

use pyo3::{intern, prelude::*, types::PyString};

/// Number of cached keys, a power of two.
const MOST_KEYS: usize = 1024;

/// Maximum length of cached keys, since longer ones rarely repeat.
const LONGEST_KEY: usize = 48;

/// Cached keys.
pub(crate) struct Keys(Vec<Option<(Box<str>, Py<PyString>)>>);

/// The cache of this thread. A nested call that finds it borrowed starts with an empty one.
static KEYS: Mutex<Keys> = Mutex::new(Keys(Vec::new()));

/// Number of parts from which the garbage collector is paused while a value is created: it would scan the
/// value repeatedly and find no garbage.
const MANY: usize = 256;

/// Creates a value of `parts` parts with the cached keys.
pub(crate) fn with_keys<R>(py: Python<'_>, parts: usize, make: impl FnOnce(&mut Keys) -> R) -> R {
    let lent = KEYS.try_lock().map(|mut lent| std::mem::take(&mut lent.0));
    let mut keys = Keys(lent.unwrap_or_default());
    keys.0.resize_with(MOST_KEYS, || None);
    let gc_pause = if parts < MANY { None } else { GcPause::begin(py) };
    let value = make(&mut keys);
    drop(gc_pause);
    if let Ok(mut lent) = KEYS.try_lock() {
        *lent = keys;
    }
    value
}

impl Keys {
    /// Returns a key as a Python string.
    #[inline]
    pub(crate) fn object<'py>(&mut self, py: Python<'py>, text: &str) -> Bound<'py, PyString> {
        if text.len() > LONGEST_KEY {
            return PyString::new(py, text);
        }
        let Some(known) = self.0.get_mut(place(text)) else {
            return PyString::new(py, text);
        };
        if let Some((same, key)) = known
            && **same == *text
        {
            return key.bind(py).clone();
        }
        let key = PyString::new(py, text);
        *known = Some((text.into(), key.clone().unbind()));
        key
    }
}

/// Returns the slot of a key, derived from its length, its first eight bytes and its last eight.
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

/// Pauses the garbage collector until dropped.
struct GcPause<'py>(Bound<'py, PyModule>);

impl<'py> GcPause<'py> {
    /// Pauses the collector; returns `None` if it is not running or cannot be queried.
    fn begin(py: Python<'py>) -> Option<Self> {
        let collector = py.import(intern!(py, "gc")).ok()?;
        let is_on = collector.call_method0(intern!(py, "isenabled")).ok()?;
        if !is_on.is_truthy().ok()? {
            return None;
        }
        collector.call_method0(intern!(py, "disable")).ok()?;
        Some(Self(collector))
    }
}

impl Drop for GcPause<'_> {
    fn drop(&mut self) {
        // An error here could not be reported.
        let _ = self.0.call_method0(intern!(self.0.py(), "enable"));
    }
}
