//! What does an answer say that is still being written?

use llmend::{
    Coercing as Coerce, FitOptions, FitStream, Repair, json,
    schema::{Coerced, coerce, validate},
};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyString};
use serde::Serialize;

use crate::{
    object::to_python,
    options::{Chosen, Coercing, Options, fitting},
    place::Walker,
    record::{ReportRow, Told, of_item, rows},
    refusal,
    schema::Schema,
    text::{Text, decoded},
};

/// The text so far, and the reading of it.
#[pyclass(module = "llmend._llmend")]
pub(crate) struct Stream {
    options: FitOptions,
    schema: Option<Schema>,
    text: Vec<u8>,
    /// Nothing once the text is complete.
    values: Option<json::Stream>,
    /// Made when somebody first asks for events.
    events: Option<Events>,
}

struct Events {
    events: json::Events,
    walker: Walker,
}

/// One event, in the words of the command.
#[derive(Serialize)]
struct EventRow {
    event: &'static str,
    path: Option<String>,
    kind: Option<&'static str>,
    text: Option<String>,
    value: Option<String>,
    repair: Option<Repair>,
}

#[pymethods]
impl Stream {
    #[new]
    #[pyo3(signature = (schema = None, *, options = None, coercing = None))]
    fn new(
        py: Python<'_>,
        schema: Option<Schema>,
        options: Option<Options>,
        coercing: Option<Coercing>,
    ) -> PyResult<Self> {
        let mut options = growing(py, options, coercing)?;
        if let Some(Schema { schema }) = &schema {
            let json::Hints { keys, words, without_json } = schema.hints();
            options.text.hints.keys.extend(keys);
            options.text.hints.words.extend(words);
            options.text.hints.without_json = without_json;
        }
        let values = Some(json::Stream::new(options.text.clone()));
        Ok(Self { options, schema, text: Vec::new(), values, events: None })
    }

    /// Takes the next piece of the text.
    fn push(&mut self, py: Python<'_>, chunk: Text<'_>) -> PyResult<()> {
        let values = self.values.as_mut().ok_or_else(finished)?;
        let chunk = chunk.bytes()?;
        self.text.extend_from_slice(&chunk);
        let events = self.events.as_mut();
        py.detach(|| {
            values.push(&chunk);
            if let Some(Events { events, .. }) = events {
                events.push(&chunk);
            }
        });
        Ok(())
    }

    /// The value so far and the word for how much of it is there; nothing if none is certain yet.
    fn view<'py>(
        &mut self,
        py: Python<'py>,
    ) -> PyResult<Option<(Bound<'py, PyAny>, &'static str)>> {
        let view = self.values.as_mut().ok_or_else(finished)?.view();
        let Some(root) = view.root() else { return Ok(None) };
        Ok(Some((to_python(py, root)?, view.state(root).as_str())))
    }

    /// The word for how much is there of the part at `path`; nothing if it is not shown.
    fn state(&mut self, path: &str) -> PyResult<Option<&'static str>> {
        let view = self.values.as_mut().ok_or_else(finished)?.view();
        let node = view.root().and_then(|root| root.pointer(path));
        Ok(node.map(|node| view.state(node).as_str()))
    }

    /// The rows of what happened since this was last asked.
    fn events<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Self { options, text, values, events, .. } = self;
        if values.is_none() {
            return Err(finished());
        }
        let Events { events, walker } = events.get_or_insert_with(|| {
            let mut events = json::Events::new(options.text.clone());
            events.push(text);
            Events { events, walker: Walker::default() }
        });
        let told: Vec<_> = events.drain().map(|event| event_row(event, walker, text)).collect();
        rows(py, &told)
    }

    /// The text is complete: the value, or its JSON if there is a schema; how it was come by; and
    /// the rows of the events that nobody was told of.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Finished<'py>> {
        let values = self.values.take().ok_or_else(finished)?;
        let told = match self.events.take() {
            Some(Events { events, mut walker }) => {
                let (told, repairs) = match py.detach(|| events.finish()) {
                    Ok((told, report)) => (told, report.repairs),
                    // The other reading of the text says why.
                    Err(_) => (Vec::new(), Vec::new()),
                };
                let told = told.into_iter().chain(repairs.into_iter().map(json::Event::Repaired));
                told.map(|event| event_row(event, &mut walker, &self.text)).collect()
            }
            None => Vec::new(),
        };
        let events = rows(py, &told)?;
        let text = decoded(py, &self.text)?;
        let parsed = py.detach(|| values.finish());
        let parsed = parsed.map_err(|error| refusal::of_text(py, &error, text))?;
        let Some(Schema { schema }) = &self.schema else {
            let value = to_python(py, parsed.value.root())?;
            return Ok((value, Told::new(text, parsed.report, Vec::new(), Vec::new()), events));
        };
        let coerced = match &self.options.coercing {
            Coerce::On(options) => coerce(&parsed.value, schema, options),
            Coerce::Off => Coerced {
                violations: validate(&parsed.value, schema),
                value: parsed.value,
                coercions: Vec::new(),
            },
        };
        let json = PyString::new(py, &coerced.value.to_string()).into_any();
        let Coerced { coercions, violations, .. } = coerced;
        Ok((json, Told::new(text, parsed.report, coercions, violations), events))
    }
}

/// What the end of a text comes to.
type Finished<'py> = (Bound<'py, PyAny>, Told, Bound<'py, PyAny>);

/// The options of a text that grows: unless others were given, the first value is the answer, since the
/// best is not known before the end.
fn growing(
    py: Python<'_>,
    options: Option<Options>,
    coercing: Option<Coercing>,
) -> PyResult<FitOptions> {
    let is_given = options.is_some();
    let mut options = fitting(py, options.map(Chosen::Options), coercing)?;
    if !is_given {
        options.text.choice = json::Choice::First;
    }
    Ok(options)
}

fn event_row(event: json::Event, walker: &mut Walker, text: &[u8]) -> EventRow {
    use json::Event;
    let row = |event, path| EventRow {
        event,
        path: Some(path),
        kind: None,
        text: None,
        value: None,
        repair: None,
    };
    match event {
        Event::Opened { path, kind } => {
            EventRow { kind: Some(kind.as_str()), ..row("opened", path) }
        }
        Event::Grew { path, text } => EventRow { text: Some(text), ..row("grew", path) },
        Event::Completed { path, value } => EventRow { value, ..row("completed", path) },
        Event::Closed { path } => row("closed", path),
        Event::Repeated { path } => row("repeated", path),
        Event::Repaired(mut repair) => {
            repair.span = walker.span(repair.span, text);
            EventRow { path: None, repair: Some(repair), ..row("repaired", String::new()) }
        }
    }
}

/// The items of one list of an answer, each as soon as it is complete.
#[pyclass(module = "llmend._llmend")]
pub(crate) struct Items {
    text: Vec<u8>,
    walker: Walker,
    list: Option<FitStream>,
}

/// An item: its JSON, and the rows of what was done so that it fits.
type Item<'py> = (String, Bound<'py, PyAny>);

#[pymethods]
impl Items {
    #[new]
    #[pyo3(signature = (list, schema, *, options = None, coercing = None))]
    fn new(
        py: Python<'_>,
        list: &str,
        schema: Schema,
        options: Option<Options>,
        coercing: Option<Coercing>,
    ) -> PyResult<Self> {
        let options = growing(py, options, coercing)?;
        let items = FitStream::new(options, list, schema.schema);
        Ok(Self { text: Vec::new(), walker: Walker::default(), list: Some(items) })
    }

    /// Takes the next piece of the text, and gives the items that are complete with it.
    fn push<'py>(&mut self, py: Python<'py>, chunk: Text<'_>) -> PyResult<Vec<Item<'py>>> {
        let items = self.list.as_mut().ok_or_else(finished)?;
        let chunk = chunk.bytes()?;
        self.text.extend_from_slice(&chunk);
        items.push(&chunk);
        let complete: Vec<_> = std::iter::from_fn(|| items.next_item()).collect();
        complete.into_iter().map(|item| self.item(py, item)).collect()
    }

    /// The text is complete: the items that were not given, and the row of the report.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<(Vec<Item<'py>>, Bound<'py, PyAny>)> {
        let items = self.list.take().ok_or_else(finished)?;
        let finished = py.detach(|| items.finish());
        let text = decoded(py, &self.text)?;
        let (rest, parsed) = finished.map_err(|error| refusal::of_any(py, &error, text))?;
        let report = rows(py, &ReportRow::new(parsed.report, text))?;
        let rest = rest.into_iter().map(|item| self.item(py, item)).collect::<PyResult<_>>()?;
        Ok((rest, report))
    }
}

impl Items {
    fn item<'py>(&mut self, py: Python<'py>, item: Coerced) -> PyResult<Item<'py>> {
        let Coerced { value, mut coercions, mut violations } = item;
        for row in &mut coercions {
            row.span = row.span.map(|span| self.walker.span(span, &self.text));
        }
        for row in &mut violations {
            row.span = row.span.map(|span| self.walker.span(span, &self.text));
        }
        Ok((value.to_string(), of_item(py, coercions, violations)?))
    }
}

fn finished() -> PyErr {
    PyValueError::new_err("the text of this stream is complete")
}
