//! Cache of object keys, and of short strings that repeat.
//!
//! The slot of a text is derived from it. A repeated key costs a comparison instead of a new string, and its hash is
//! already computed. A string is cached when it comes for the second time, since most never do.

use std::sync::Mutex;

use pyo3::{intern, prelude::*, types::PyString};

/// Number of cached keys.
const MOST_KEYS: usize = 1024;

/// Number of cached strings: few, so that a text without repetitions reads little memory for them.
const MOST_STRINGS: usize = 256;

/// Maximum length of cached texts, since longer ones rarely repeat.
const LONGEST: usize = 48;

/// A cached text.
type Known = (Box<str>, Py<PyString>);

/// Cached keys and strings.
#[derive(Default)]
pub(crate) struct Keys {
    keys: Vec<Option<Known>>,
    strings: Vec<Slot>,
}

/// A place for a string.
#[derive(Default)]
struct Slot {
    /// Hash of the last string that is not the known one, or became it.
    seen: u64,
    /// The known string, and its hash.
    known: Option<(u64, Known)>,
}

/// The cache of this thread. A nested call that finds it borrowed starts with an empty one.
static KEYS: Mutex<Keys> = Mutex::new(Keys { keys: Vec::new(), strings: Vec::new() });

/// Number of parts from which the garbage collector is paused while a value is created: it would scan the
/// value repeatedly and find no garbage.
const MANY: usize = 256;

/// Creates a value of `parts` parts with the cached keys.
pub(crate) fn with_keys<R>(py: Python<'_>, parts: usize, make: impl FnOnce(&mut Keys) -> R) -> R {
    let lent = KEYS.try_lock().map(|mut lent| std::mem::take(&mut *lent));
    let mut keys = lent.unwrap_or_default();
    keys.keys.resize_with(MOST_KEYS, || None);
    keys.strings.resize_with(MOST_STRINGS, Slot::default);
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
        if text.len() > LONGEST {
            return PyString::new(py, text);
        }
        let Some(known) = self.keys.get_mut(place::<MOST_KEYS>(hash(text))) else {
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

    /// Returns a string that is no key as a Python string.
    #[inline]
    pub(crate) fn string<'py>(&mut self, py: Python<'py>, text: &str) -> Bound<'py, PyString> {
        if text.len() > LONGEST {
            return PyString::new(py, text);
        }
        let hash = hash(text);
        let Some(slot) = self.strings.get_mut(place::<MOST_STRINGS>(hash)) else {
            return PyString::new(py, text);
        };
        if let Some((of, (same, string))) = &slot.known
            && *of == hash
            && **same == *text
        {
            return string.bind(py).clone();
        }
        let string = PyString::new(py, text);
        if slot.seen == hash {
            slot.known = Some((hash, (text.into(), string.clone().unbind())));
        }
        slot.seen = hash;
        string
    }
}

/// Returns a hash of a text: of its first eight bytes, those in its middle, and its last.
fn hash(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let word = |chunk: Option<&[u8; 8]>| chunk.map_or(0, |chunk| u64::from_le_bytes(*chunk));
    let (first, last) = match bytes.first_chunk() {
        Some(first) => (word(Some(first)), word(bytes.last_chunk())),
        None => (bytes.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)), 0),
    };
    let (_, behind) = bytes.split_at((bytes.len() / 2).saturating_sub(4));
    let middle = if bytes.len() > 16 { word(behind.first_chunk()) } else { 0 };
    (first ^ middle.rotate_left(41) ^ last.rotate_left(23)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Returns the slot of a text with this hash, of so many.
const fn place<const SLOTS: usize>(hash: u64) -> usize {
    (hash >> 48) as usize % SLOTS
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
