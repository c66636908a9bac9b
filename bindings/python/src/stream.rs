//! What does an answer say that is still being written?

use llmend::{FitOptions, FitStream, FitText, Fitted, Repair, Violation, json, schema::Coerced};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyString};
use serde::Serialize;

use crate::{
    object::to_python,
    options::{Chosen, Coercing, fitting},
    place::Walker,
    record::{Told, of_item, rows},
    refusal,
    schema::Schema,
    text::{Text, decoded},
};

/// Bytes of a text that are read before it is asked whether somebody wants to interrupt.
const SLICE: usize = 1 << 20;

/// The text so far, and the reading of it.
#[pyclass(module = "llmend._llmend")]
pub(crate) struct Stream {
    options: json::Options,
    text: Vec<u8>,
    /// Nothing once the text is complete.
    reading: Option<Reading>,
    events: Telling,
}

/// What the text is read as.
enum Reading {
    /// A value of any kind.
    Any(Box<json::Stream>),
    /// One that is to fit a schema.
    Fit(Box<FitText>),
}

impl Reading {
    fn push(&mut self, chunk: &[u8]) {
        match self {
            Self::Any(values) => values.push(chunk),
            Self::Fit(text) => text.push(chunk),
        }
    }

    fn view(&mut self) -> json::View<'_> {
        match self {
            Self::Any(values) => values.view(),
            Self::Fit(text) => text.view(),
        }
    }
}

/// Who is told what happens.
enum Telling {
    /// Nobody has asked.
    Nobody,
    /// Who asked once asks again.
    Somebody(Box<Events>),
    /// All is told, also of the end.
    Over,
}

struct Events {
    events: json::Events,
    walker: Walker,
}

impl Events {
    /// All that happened in the `text` so far.
    fn of(py: Python<'_>, options: &json::Options, text: &[u8]) -> PyResult<Self> {
        let mut events = json::Events::new(options.clone());
        by_slices(py, text, |slice| events.push(slice))?;
        Ok(Self { events, walker: Walker::default() })
    }

    /// What the end of the text brings; nothing where it cannot be read, as whoever reads it says.
    fn last(mut self) -> (Vec<json::Event>, Walker) {
        let mut told: Vec<_> = self.events.drain().collect();
        if let Ok((rest, report)) = self.events.finish() {
            told.extend(rest);
            told.extend(report.repairs.into_iter().map(json::Event::Repaired));
        }
        (told, self.walker)
    }
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
    #[pyo3(signature = (schema = None, *, policy = None, coercing = None))]
    fn new(
        py: Python<'_>,
        schema: Option<Schema>,
        policy: Option<Chosen>,
        coercing: Option<Coercing>,
    ) -> PyResult<Self> {
        let options = growing(py, policy, coercing)?;
        let text = options.text.clone();
        let reading = match schema {
            Some(schema) => {
                let options = schema.asks(options);
                Reading::Fit(Box::new(FitText::new(options, schema.compiled)))
            }
            None => Reading::Any(Box::new(json::Stream::new(options.text))),
        };
        Ok(Self {
            options: text,
            text: Vec::new(),
            reading: Some(reading),
            events: Telling::Nobody,
        })
    }

    /// Takes the next piece of the text. Of one that Ctrl-C ends, what was read until then is taken.
    fn push(&mut self, py: Python<'_>, chunk: Text<'_>) -> PyResult<()> {
        let Self { text, reading, events, .. } = self;
        let reading = reading.as_mut().ok_or_else(finished)?;
        by_slices(py, &chunk.bytes(py)?, |slice| {
            text.extend_from_slice(slice);
            reading.push(slice);
            if let Telling::Somebody(told) = events {
                told.events.push(slice);
            }
        })
    }

    /// The value so far and the word for how much of it is there; nothing if none is certain yet.
    fn view<'py>(
        &mut self,
        py: Python<'py>,
    ) -> PyResult<Option<(Bound<'py, PyAny>, &'static str)>> {
        let view = self.reading.as_mut().ok_or_else(finished)?.view();
        let Some(root) = view.root() else { return Ok(None) };
        Ok(Some((to_python(py, root)?, view.state(root).as_str())))
    }

    /// The word for how much is there of the part at `path`; nothing if it is not shown.
    fn state(&mut self, path: &str) -> PyResult<Option<&'static str>> {
        let view = self.reading.as_mut().ok_or_else(finished)?.view();
        let node = view.root().and_then(|root| root.pointer(path));
        Ok(node.map(|node| view.state(node).as_str()))
    }

    /// The rows of what happened since this was last asked.
    fn events<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Self { options, text, reading, events } = self;
        let is_complete = reading.is_none();
        if matches!(events, Telling::Nobody) {
            *events = Telling::Somebody(Box::new(Events::of(py, options, text)?));
        }
        let told: Vec<EventRow> = py.detach(|| {
            let before = std::mem::replace(events, Telling::Over);
            let Telling::Somebody(mut now) = before else { return Vec::new() };
            if is_complete {
                let (told, mut walker) = now.last();
                return told.into_iter().map(|it| event_row(it, &mut walker, text)).collect();
            }
            let Events { events: happened, walker } = &mut *now;
            let told = happened.drain().map(|it| event_row(it, walker, text)).collect();
            *events = Telling::Somebody(now);
            told
        });
        rows(py, &told)
    }

    /// The text is complete: the value, or its JSON if there is a schema, and how it was come by.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Told)> {
        let reading = self.reading.take().ok_or_else(finished)?;
        let text = decoded(py, &self.text)?;
        match reading {
            Reading::Any(values) => {
                let parsed = py.detach(|| values.finish());
                let parsed = parsed.map_err(|error| refusal::of_text(py, &error, text))?;
                let value = to_python(py, parsed.value.root())?;
                Ok((value, Told::new(text, parsed.report, Vec::new(), Vec::new())))
            }
            Reading::Fit(fitting) => {
                let made = py.detach(|| {
                    fitting.finish().map(|fitted| (fitted.json(text).into_owned(), fitted))
                });
                let (json, fitted) = made.map_err(|error| refusal::of_any(py, &error, text))?;
                let Fitted { report, coercions, violations, .. } = fitted;
                let json = PyString::new(py, &json).into_any();
                Ok((json, Told::new(text, report, coercions, violations)))
            }
        }
    }
}

/// Does `work` on one slice after the other, without the lock of the interpreter, until Ctrl-C is heard.
fn by_slices(py: Python<'_>, text: &[u8], mut work: impl FnMut(&[u8]) + Send) -> PyResult<()> {
    for slice in text.chunks(SLICE) {
        py.check_signals()?;
        py.detach(|| work(slice));
    }
    Ok(())
}

/// The options of a text that grows: unless options say which, the first value is the answer, since the
/// best is not known before the end.
fn growing(
    py: Python<'_>,
    policy: Option<Chosen>,
    coercing: Option<Coercing>,
) -> PyResult<FitOptions> {
    let is_told = matches!(policy, Some(Chosen::Options(_)));
    let mut options = fitting(py, policy, coercing)?;
    if !is_told {
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
    path: String,
    text: Vec<u8>,
    walker: Walker,
    list: Option<FitStream>,
}

/// An item: its JSON, and the rows of what was done so that it fits.
type Item<'py> = (String, Bound<'py, PyAny>);

#[pymethods]
impl Items {
    #[new]
    #[pyo3(signature = (list, schema, *, policy = None, coercing = None))]
    fn new(
        py: Python<'_>,
        list: &str,
        schema: Schema,
        policy: Option<Chosen>,
        coercing: Option<Coercing>,
    ) -> PyResult<Self> {
        if !(list.is_empty() || list.starts_with('/')) {
            let message = format!("`{list}` is no JSON Pointer: it begins with `/`, or is empty");
            return Err(PyValueError::new_err(message));
        }
        let options = schema.asks(growing(py, policy, coercing)?);
        let items = FitStream::new(options, list, schema.compiled);
        let (path, text) = (list.to_owned(), Vec::new());
        Ok(Self { path, text, walker: Walker::default(), list: Some(items) })
    }

    /// Takes the next piece of the text, and gives the items that are complete with it.
    fn push<'py>(&mut self, py: Python<'py>, chunk: Text<'_>) -> PyResult<Vec<Item<'py>>> {
        let Self { text, list, .. } = self;
        let items = list.as_mut().ok_or_else(finished)?;
        by_slices(py, &chunk.bytes(py)?, |slice| {
            text.extend_from_slice(slice);
            items.push(slice);
        })?;
        let complete: Vec<_> = py.detach(|| std::iter::from_fn(|| items.next_item()).collect());
        complete.into_iter().map(|item| self.item(py, item)).collect()
    }

    /// The text is complete: the items that were not given; the JSON of the whole value, and how it was
    /// come by, which tells whether the list is in it.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<(Vec<Item<'py>>, String, Told)> {
        let items = self.list.take().ok_or_else(finished)?;
        let finished = py.detach(|| items.finish());
        let text = decoded(py, &self.text)?;
        let (rest, parsed) = finished.map_err(|error| refusal::of_any(py, &error, text))?;
        let missing = no_list(&self.path, &parsed).into_iter().collect();
        let told = Told::new(text, parsed.report, Vec::new(), missing);
        let json = parsed.value.to_string();
        let rest = rest.into_iter().map(|item| self.item(py, item)).collect::<PyResult<_>>()?;
        Ok((rest, json, told))
    }
}

/// That there is no list at `path`, if there is none.
fn no_list(path: &str, parsed: &json::Parsed<'_>) -> Option<Violation> {
    let root = parsed.value.root();
    let found = root.pointer(path);
    if found.is_some_and(|found| found.kind() == json::Kind::Array) {
        return None;
    }
    let keys: Vec<_> = root.members().filter_map(|(key, _)| key.str()).take(10).collect();
    let hint = match found {
        Some(_) => format!("write a list at `{path}`"),
        None => format!("write the list at `{path}`; the value has the keys: {}", keys.join(", ")),
    };
    Some(Violation {
        code: "items/no-list",
        path: path.to_owned(),
        schema_path: String::new(),
        keyword: String::new(),
        message: match found {
            Some(found) => format!("the value has no list there, but {}", found.kind().as_str()),
            None => "the value has no list there".to_owned(),
        },
        expected: "array".to_owned(),
        found: found.map(|found| found.kind().as_str().to_owned()).unwrap_or_default(),
        hint: Some(hint),
        span: found.map(json::Node::span),
    })
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
