//! Reading tool calls.

use std::sync::Arc;

use llmend::{
    Class, CoerceMode,
    calls::{
        Accept, CallEvent, CallStream as CallReader, Notation, Options as CallOptions, Reading,
        Refused, Tools as Offered, read,
    },
    json::{OffsetWalker, Relocate as _},
    schema,
};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyList};

use crate::{
    UNIT,
    options::{CoerceArgument, PolicyArgument, fitting, named},
    record::{made, rows},
    refusal,
    text::{Text, decoded, here, work},
};

/// The tools that a model was offered, compiled.
#[pyclass(frozen, module = "llmend._llmend", from_py_object)]
#[derive(Clone)]
pub(crate) struct Tools {
    offered: Arc<Offered>,
}

#[pymethods]
impl Tools {
    /// Compiles the tools in a JSON text.
    #[new]
    fn new(py: Python<'_>, text: &str) -> PyResult<Self> {
        let offered = py.detach(|| Offered::from_text(text));
        let offered = offered.map_err(|error| refusal::of_tools(py, &error))?;
        Ok(Self { offered: Arc::new(offered) })
    }

    /// The names of the tools, in order.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.offered.names().collect()
    }
}

/// What was read of a text: its row, the JSON of the arguments of each call, the text of each refused call, where
/// the text is cut off inside a call, and whether every call that was meant can be used.
type ReadingRow<'py> = (Bound<'py, PyAny>, Vec<String>, Vec<String>, Option<usize>, bool);

/// Reads the tool calls in a text.
#[pyfunction]
#[pyo3(signature = (text, tools = None, *, policy = None, coerce = None, marked = false, notation = None, in_reasoning = "ignore"))]
pub(crate) fn calls<'py>(
    py: Python<'py>,
    text: Text<'py>,
    tools: Option<Tools>,
    policy: Option<PolicyArgument>,
    coerce: Option<CoerceArgument>,
    marked: bool,
    notation: Option<&str>,
    in_reasoning: &str,
) -> PyResult<ReadingRow<'py>> {
    let options = reading(py, policy, coerce, marked, notation, in_reasoning)?;
    let offered = tools.map(|tools| tools.offered).unwrap_or_default();
    let text = text.read(py)?;
    let found = work(py, &text, move |text| read(text, &offered, &options))?;
    reading_row(py, found, &text)
}

/// Returns the options of reading.
fn reading(
    py: Python<'_>,
    policy: Option<PolicyArgument>,
    coerce: Option<CoerceArgument>,
    marked: bool,
    notation: Option<&str>,
    in_reasoning: &str,
) -> PyResult<CallOptions> {
    let fitting = fitting(py, policy, coerce)?;
    let schema = match fitting.coerce {
        CoerceMode::On(options) => options,
        CoerceMode::Off => schema::Options {
            near: schema::NearMatch::Off,
            max_class: Class::Notation,
            max_depth: fitting.text.max_depth,
            ..schema::Options::default()
        },
    };
    let accept = if marked { Accept::Marked } else { Accept::Auto };
    let unknown =
        |name: &str| PyValueError::new_err(format!("notation: unknown notation `{name}`"));
    let notation = notation.map(|name| Notation::named(name).ok_or_else(|| unknown(name)));
    let (notation, in_reasoning) = (notation.transpose()?, named("in_reasoning", in_reasoning)?);
    Ok(CallOptions { accept, notation, in_reasoning, json: fitting.text, schema })
}

fn reading_row<'py>(py: Python<'py>, mut found: Reading, text: &str) -> PyResult<ReadingRow<'py>> {
    let arguments = found.calls.iter().map(|call| call.arguments.to_string()).collect();
    let refused = found.refused.iter().map(|refused| written(refused, text)).collect();
    let is_usable = found.is_usable();
    found.convert_offsets(text, UNIT);
    Ok((made(py, &found.to_json())?, arguments, refused, found.cut, is_usable))
}

/// The text so far and the reader of its calls.
#[pyclass(module = "llmend._llmend")]
pub(crate) struct CallStream {
    /// `None` once the text is complete.
    reader: Option<CallReader>,
    text: String,
    /// The first bytes of an incomplete character.
    rest: Vec<u8>,
    walker: OffsetWalker,
}

#[pymethods]
impl CallStream {
    #[new]
    #[pyo3(signature = (tools = None, *, policy = None, coerce = None, marked = false, notation = None, in_reasoning = "ignore"))]
    fn new(
        py: Python<'_>,
        tools: Option<Tools>,
        policy: Option<PolicyArgument>,
        coerce: Option<CoerceArgument>,
        marked: bool,
        notation: Option<&str>,
        in_reasoning: &str,
    ) -> PyResult<Self> {
        let options = reading(py, policy, coerce, marked, notation, in_reasoning)?;
        let offered = tools.map(|tools| tools.offered).unwrap_or_default();
        let reader = Some(CallReader::new(offered, options));
        Ok(Self { reader, text: String::new(), rest: Vec::new(), walker: OffsetWalker::new(UNIT) })
    }

    /// Reads the next chunk of text, and returns its events.
    fn push<'py>(&mut self, py: Python<'py>, chunk: Text<'_>) -> PyResult<Bound<'py, PyList>> {
        let Self { reader, text, rest, walker } = self;
        let reader = reader.as_mut().ok_or_else(finished)?;
        let bytes = chunk.bytes(py)?;
        let all: Vec<u8>;
        let bytes = if rest.is_empty() {
            &*bytes
        } else {
            all = [&**rest, &*bytes].concat();
            &*all
        };
        let whole = match str::from_utf8(bytes) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => bytes.len(),
        };
        let (whole, part) = bytes.split_at(whole);
        let whole = decoded(py, whole)?;
        *rest = part.to_vec();
        text.push_str(whole);
        let events = here(py, whole, |whole| reader.push(whole));
        event_rows(py, events, text, walker)
    }

    /// Ends the text, and returns the last events and what was read of the whole.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<(Bound<'py, PyList>, ReadingRow<'py>)> {
        // What is left of an incomplete character is no UTF-8.
        decoded(py, &self.rest)?;
        let reader = self.reader.take().ok_or_else(finished)?;
        let Self { text, walker, .. } = self;
        let (events, found) = here(py, text, |_| reader.finish());
        Ok((event_rows(py, events, text, walker)?, reading_row(py, found, text)?))
    }
}

/// Converts events to tuples: the name of the event, and the arguments of its class.
fn event_rows<'py>(
    py: Python<'py>,
    events: Vec<CallEvent>,
    text: &str,
    walker: &mut OffsetWalker,
) -> PyResult<Bound<'py, PyList>> {
    let mut place = |at| walker.at(at, text.as_bytes());
    let list = PyList::empty(py);
    for event in events {
        match event {
            CallEvent::Text(text) => list.append(("text", text))?,
            CallEvent::Reasoning(text) => list.append(("reasoning", text))?,
            CallEvent::AllReasoning => list.append(("all-reasoning",))?,
            CallEvent::Started { index, name, id } => list.append(("started", index, name, id))?,
            CallEvent::Arguments { index, delta } => list.append(("arguments", index, delta))?,
            CallEvent::Done { index, mut call } => {
                call.relocate(&mut place);
                let arguments = call.arguments.to_string();
                list.append(("done", index, made(py, &call.to_json())?, arguments))?;
            }
            CallEvent::Abandoned { index } => list.append(("abandoned", index))?,
            CallEvent::Refused(mut refused) => {
                let written = written(&refused, text);
                refused.relocate(&mut place);
                list.append(("refused", rows(py, &refused)?, written))?;
            }
        }
    }
    Ok(list)
}

/// Returns the text of a refused call.
fn written(refused: &Refused, text: &str) -> String {
    refused.span.of(text).to_owned()
}

fn finished() -> PyErr {
    PyValueError::new_err("the stream is finished")
}
