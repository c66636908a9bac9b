//! Input texts, and running work on them outside the GIL.

use std::{
    borrow::Cow,
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use llmend::{decode, json::ErrorRow};
use pyo3::{
    exceptions::{PyRuntimeError, PyTypeError},
    prelude::*,
    types::{PyByteArray, PyBytes, PyString},
};

use crate::{UNIT, refusal};

/// Maximum size in bytes of a text that is processed with the GIL held: that takes about ten microseconds, and
/// reacquiring the GIL from a busy thread may take five milliseconds.
const SHORT: usize = 8 << 10;

/// Minimum size in bytes of a text that is processed in its own thread, so that Ctrl-C is handled.
const LONG: usize = 1 << 20;

/// Interval between two checks for interrupts during the work on a long text.
const PATIENCE: Duration = Duration::from_millis(20);

/// A text argument: `str`, or `bytes` or `bytearray` in UTF-8.
pub(crate) enum Text<'py> {
    Str(Bound<'py, PyString>),
    Bytes(Bound<'py, PyBytes>),
    /// A copy of a `bytearray`, which others may change.
    Copied(Vec<u8>),
}

impl<'py> FromPyObject<'_, 'py> for Text<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            Ok(Self::Str(text.to_owned()))
        } else if let Ok(bytes) = object.cast::<PyBytes>() {
            Ok(Self::Bytes(bytes.to_owned()))
        } else if let Ok(bytes) = object.cast::<PyByteArray>() {
            Ok(Self::Copied(bytes.to_vec()))
        } else {
            let kind = object.get_type().name()?;
            let message = format!("expected str, bytes or bytearray, found {kind}");
            Err(PyTypeError::new_err(message))
        }
    }
}

impl Text<'_> {
    /// Returns the text, or raises `RepairError` with the code `input/utf8`.
    pub(crate) fn read(&self, py: Python<'_>) -> PyResult<Cow<'_, str>> {
        let bytes = match self {
            Self::Str(text) => {
                if let Ok(text) = text.to_str() {
                    return Ok(Cow::Borrowed(text));
                }
                // An unpaired surrogate is not valid UTF-8; the error has its position.
                let bytes = surrogates(text)?;
                return decoded(py, &bytes).map(|text| Cow::Owned(text.to_owned()));
            }
            Self::Bytes(bytes) => bytes.as_bytes(),
            Self::Copied(bytes) => bytes,
        };
        decoded(py, bytes).map(Cow::Borrowed)
    }

    /// Returns a chunk of text, which may start and end within a character if it is bytes.
    pub(crate) fn bytes(&self, py: Python<'_>) -> PyResult<Cow<'_, [u8]>> {
        match self {
            Self::Str(text) => match text.to_str() {
                Ok(text) => Ok(Cow::Borrowed(text.as_bytes())),
                Err(_) => {
                    decoded(py, &surrogates(text)?).map(|text| Cow::Owned(text.as_bytes().to_vec()))
                }
            },
            Self::Bytes(bytes) => Ok(Cow::Borrowed(bytes.as_bytes())),
            Self::Copied(bytes) => Ok(Cow::Borrowed(bytes)),
        }
    }
}

/// Encodes a text with an unpaired surrogate. Uses the method of `str`, which a subclass may override.
fn surrogates(text: &Bound<'_, PyString>) -> PyResult<Vec<u8>> {
    let encode = text.py().get_type::<PyString>().getattr("encode")?;
    encode.call1((text, "utf-8", "surrogatepass"))?.extract()
}

/// Decodes `bytes`, or raises `RepairError` with the code `input/utf8`.
pub(crate) fn decoded<'t>(py: Python<'_>, bytes: &'t [u8]) -> PyResult<&'t str> {
    decode(bytes).map_err(|error| refusal::raised(py, &ErrorRow::of_bytes(&error, bytes, UNIT)))
}

/// Returns whether `text` is processed in its own thread.
pub(crate) fn is_long(text: &str) -> bool {
    text.len() >= LONG
}

/// Runs `work` on `text` in this thread, without the GIL unless the text is short.
pub(crate) fn here<'t, R: Send>(
    py: Python<'_>,
    text: &'t str,
    work: impl FnOnce(&'t str) -> R + Send,
) -> R {
    if text.len() <= SHORT { work(text) } else { py.detach(|| work(text)) }
}

/// Runs `work` on `text`, without the GIL unless the text is short. Ctrl-C ends the call; work on a long text
/// continues in the background, and its result is dropped.
pub(crate) fn work<R: Send + 'static>(
    py: Python<'_>,
    text: &str,
    work: impl FnOnce(&str) -> R + Send + 'static,
) -> PyResult<R> {
    if !is_long(text) {
        return Ok(here(py, text, work));
    }
    let (sender, receiver) = channel();
    let text = text.to_owned();
    thread::Builder::new().name("llmend".to_owned()).spawn(move || sender.send(work(&text)))?;
    // The receiver stays in this thread, with or without the GIL.
    let receiver = std::sync::Mutex::new(receiver);
    loop {
        let waited = py.detach(|| match receiver.lock() {
            Ok(receiver) => receiver.recv_timeout(PATIENCE),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        });
        match waited {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the worker thread ended without a result"));
            }
        }
    }
}
