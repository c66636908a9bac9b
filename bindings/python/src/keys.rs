//! Which keys were made before?
//!
//! In places that follow from their text. A key that is met again costs a comparison in place of a string,
//! and its hash is known to it already.

use std::sync::Mutex;

use pyo3::{intern, prelude::*, types::PyString};

/// How many keys are remembered. A power of two.
const MOST_KEYS: usize = 1024;

/// Keys longer than this are seldom the same twice.
const LONGEST_KEY: usize = 48;

/// Keys that were made before.
pub(crate) struct Keys(Vec<Option<(Box<str>, Py<PyString>)>>);

/// The keys of the calls so far. Who finds it lent begins anew.
static KEYS: Mutex<Keys> = Mutex::new(Keys(Vec::new()));

/// Values that have this many parts are made with the garbage collector at rest: it would look at them
/// again and again, and find that nothing of them is garbage.
const MANY: usize = 256;

/// Makes a value of some `parts` with the keys of the calls so far at hand.
pub(crate) fn with_keys<R>(py: Python<'_>, parts: usize, make: impl FnOnce(&mut Keys) -> R) -> R {
    let lent = KEYS.try_lock().map(|mut lent| std::mem::take(&mut lent.0));
    let mut keys = Keys(lent.unwrap_or_default());
    keys.0.resize_with(MOST_KEYS, || None);
    let at_rest = if parts < MANY { None } else { AtRest::begin(py) };
    let value = make(&mut keys);
    drop(at_rest);
    if let Ok(mut lent) = KEYS.try_lock() {
        *lent = keys;
    }
    value
}

impl Keys {
    /// A key as an object.
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

/// The garbage collector, as long as it does not run.
struct AtRest<'py>(Bound<'py, PyModule>);

impl<'py> AtRest<'py> {
    /// Nothing if it does not run anyway, or cannot be asked.
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

impl Drop for AtRest<'_> {
    fn drop(&mut self) {
        // It cannot fail, and there would be nobody to tell.
        let _ = self.0.call_method0(intern!(self.0.py(), "enable"));
    }
}
