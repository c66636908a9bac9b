//! What did the caller hand in, and where is the work on it done?

use std::{
    borrow::Cow,
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use llmend::decode;
use pyo3::{
    exceptions::{PyRuntimeError, PyTypeError},
    prelude::*,
    types::{PyByteArray, PyBytes, PyString},
};

use crate::refusal;

/// Texts up to this many bytes are worked on with the lock of the interpreter held: it takes some ten
/// microseconds, and to get the lock back from a busy thread may take five milliseconds.
const SHORT: usize = 8 << 10;

/// Texts from this many bytes on are worked on in a thread of their own, so that Ctrl-C is heard.
const LONG: usize = 1 << 20;

/// How long the work on a long text goes on before it is asked whether somebody wants to interrupt.
const PATIENCE: Duration = Duration::from_millis(20);

/// A text as Python has it: `str`, or `bytes` or `bytearray` in UTF-8.
pub(crate) enum Text<'py> {
    Str(Bound<'py, PyString>),
    Bytes(Bound<'py, PyBytes>),
    /// A copy, since others may change what it was made from.
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
            let message = format!("the text must be str, bytes or bytearray, not {kind}");
            Err(PyTypeError::new_err(message))
        }
    }
}

impl Text<'_> {
    /// The text; a `RepairError` with the code `input/utf8` if it is none.
    pub(crate) fn read(&self, py: Python<'_>) -> PyResult<Cow<'_, str>> {
        let bytes = match self {
            Self::Str(text) => {
                if let Ok(text) = text.to_str() {
                    return Ok(Cow::Borrowed(text));
                }
                // Half of a surrogate pair, which no UTF-8 has. The error tells where.
                let bytes = surrogates(text)?;
                return decoded(py, &bytes).map(|text| Cow::Owned(text.to_owned()));
            }
            Self::Bytes(bytes) => bytes.as_bytes(),
            Self::Copied(bytes) => bytes,
        };
        decoded(py, bytes).map(Cow::Borrowed)
    }

    /// A piece of a text, which may begin and end within a character if it came as bytes.
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

/// The bytes of a text that has half of a surrogate pair. Not by its own method, which may be another's.
fn surrogates(text: &Bound<'_, PyString>) -> PyResult<Vec<u8>> {
    let encode = text.py().get_type::<PyString>().getattr("encode")?;
    encode.call1((text, "utf-8", "surrogatepass"))?.extract()
}

/// The text that `bytes` are; a `RepairError` with the code `input/utf8` if they are none.
pub(crate) fn decoded<'t>(py: Python<'_>, bytes: &'t [u8]) -> PyResult<&'t str> {
    decode(bytes).map_err(|error| {
        // Its place is behind all that is text.
        let good = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        refusal::of_text(py, &error, good)
    })
}

/// Whether the work on `text` is done in a thread of its own.
pub(crate) fn is_long(text: &str) -> bool {
    text.len() >= LONG
}

/// Does `work` on `text` in this thread, without the lock of the interpreter unless the text is short.
pub(crate) fn here<'t, R: Send>(
    py: Python<'_>,
    text: &'t str,
    work: impl FnOnce(&'t str) -> R + Send,
) -> R {
    if text.len() <= SHORT { work(text) } else { py.detach(|| work(text)) }
}

/// Does `work` on `text`, without the lock of the interpreter unless the text is short. Ctrl-C ends the
/// call; what a long text needed until then goes on for as long as it takes, and is thrown away.
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
    // A receiver is of one thread, which this one stays, with the lock or without.
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
                return Err(PyRuntimeError::new_err("the work on the text ended without a result"));
            }
        }
    }
}
