//! Parsing answers while they arrive.

use llmend::{
    Error, FitOptions, FitStream, FitText, Fitted, Repair,
    json::{self, OffsetWalker, Relocate as _},
    schema::Coerced,
};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyList, PyString, PyTuple},
};
use serde::Serialize;

use crate::{
    UNIT,
    mirror::Mirror,
    object::to_python,
    options::{CoerceArgument, PolicyArgument, PolicyOrOptions, fitting},
    record::{LazyReport, of_item, rows},
    refusal,
    schema::Schema,
    text::{Text, decoded},
};

/// Number of bytes between two checks for interrupts.
const SLICE: usize = 1 << 20;

/// The text so far and its parser.
#[pyclass(module = "llmend._llmend")]
pub(crate) struct Stream {
    options: json::Options,
    text: Vec<u8>,
    /// `None` once the text is complete.
    parser: Option<StreamParser>,
    /// The value so far.
    mirror: Mirror,
    events: EventState,
}

/// The incomplete string of a stream, and its key in a dict.
type Tail<'py> = Option<(Option<Bound<'py, PyAny>>, Bound<'py, PyAny>)>;

/// What has arrived of an open container, and the path of the incomplete string in it.
type Part<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyList>>);

/// The parser of a stream.
enum StreamParser {
    /// Parses any value.
    Any(Box<json::Stream>),
    /// Parses a value with a schema.
    Fit(Box<FitText>),
}

impl StreamParser {
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

/// Whether events are recorded.
enum EventState {
    /// Not requested.
    Off,
    /// Recorded since the first request.
    On(Box<Events>),
    /// All events, including those of the end, were returned.
    Over,
}

struct Events {
    events: json::Events,
    walker: OffsetWalker,
}

impl Events {
    /// Replays the events of the `text` so far.
    fn of(py: Python<'_>, options: &json::Options, text: &[u8]) -> PyResult<Self> {
        let mut events = json::Events::new(options.clone());
        by_slices(py, text, |slice| events.push(slice))?;
        Ok(Self { events, walker: OffsetWalker::new(UNIT) })
    }

    /// Returns the events of the end of the text; none if it cannot be read, which `finish` reports.
    fn last(mut self) -> (Vec<json::Event>, OffsetWalker) {
        let mut told: Vec<_> = self.events.drain().collect();
        if let Ok((rest, report)) = self.events.finish() {
            told.extend(rest);
            told.extend(report.repairs.into_iter().map(json::Event::Repaired));
        }
        (told, self.walker)
    }
}

/// The row of an event.
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
    #[pyo3(signature = (schema = None, *, policy = None, coerce = None))]
    fn new(
        py: Python<'_>,
        schema: Option<Schema>,
        policy: Option<PolicyArgument>,
        coerce: Option<CoerceArgument>,
    ) -> PyResult<Self> {
        let options = growing(py, policy, coerce)?;
        let text = options.text.clone();
        let parser = match schema {
            Some(schema) => {
                let options = schema.asks(options);
                StreamParser::Fit(Box::new(FitText::new(options, schema.compiled)))
            }
            None => StreamParser::Any(Box::new(json::Stream::new(options.text))),
        };
        let (mirror, events) = (Mirror::default(), EventState::Off);
        Ok(Self { options: text, text: Vec::new(), parser: Some(parser), mirror, events })
    }

    /// Reads the next chunk of text. If Ctrl-C interrupts the call, the part read so far is kept.
    fn push(&mut self, py: Python<'_>, chunk: Text<'_>) -> PyResult<()> {
        let Self { text, parser, events, .. } = self;
        let parser = parser.as_mut().ok_or_else(finished)?;
        by_slices(py, &chunk.bytes(py)?, |slice| {
            text.extend_from_slice(slice);
            parser.push(slice);
            if let EventState::On(told) = events {
                told.events.push(slice);
            }
        })
    }

    /// Returns the value so far and its state; `None` if nothing is certain yet.
    fn view<'py>(
        &mut self,
        py: Python<'py>,
    ) -> PyResult<Option<(Bound<'py, PyAny>, &'static str)>> {
        let view = self.parser.as_mut().ok_or_else(finished)?.view();
        let Some(root) = view.root() else { return Ok(None) };
        self.mirror.read(py, &view)?;
        let state = view.state(root).as_str();
        Ok(self.mirror.value(py)?.map(|value| (value, state)))
    }

    /// Returns the steps of the value since the last call, and the incomplete string with its key.
    fn steps<'py>(&mut self, py: Python<'py>) -> PyResult<(Vec<Bound<'py, PyTuple>>, Tail<'py>)> {
        let view = self.parser.as_mut().ok_or_else(finished)?.view();
        self.mirror.read(py, &view)?;
        Ok((self.mirror.steps(py)?, self.mirror.tail(py)))
    }

    /// Returns what has arrived of the open container at this depth, and the path of the incomplete string in it,
    /// as of the last call of `steps`.
    fn part<'py>(&mut self, py: Python<'py>, depth: usize) -> PyResult<Part<'py>> {
        Ok((self.mirror.part(py, depth)?, self.mirror.tail_path(py, depth)?))
    }

    /// Returns the state of the part at `path`; `None` if nothing of it is certain yet.
    fn state(&mut self, path: &str) -> PyResult<Option<&'static str>> {
        let view = self.parser.as_mut().ok_or_else(finished)?.view();
        let node = view.root().and_then(|root| root.pointer(path));
        Ok(node.map(|node| view.state(node).as_str()))
    }

    /// Returns the rows of the events since the last call.
    fn events<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Self { options, text, parser, events, .. } = self;
        let is_complete = parser.is_none();
        if matches!(events, EventState::Off) {
            *events = EventState::On(Box::new(Events::of(py, options, text)?));
        }
        let told: Vec<EventRow> = py.detach(|| {
            let before = std::mem::replace(events, EventState::Over);
            let EventState::On(mut now) = before else { return Vec::new() };
            if is_complete {
                let (told, mut walker) = now.last();
                return told.into_iter().map(|it| event_row(it, &mut walker, text)).collect();
            }
            let Events { events: happened, walker } = &mut *now;
            let told = happened.drain().map(|it| event_row(it, walker, text)).collect();
            *events = EventState::On(now);
            told
        });
        rows(py, &told)
    }

    /// Ends the text, and returns the value, or its JSON if there is a schema, with its report.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, LazyReport)> {
        let parser = self.parser.take().ok_or_else(finished)?;
        let text = decoded(py, &self.text)?;
        match parser {
            StreamParser::Any(values) => {
                let parsed = py.detach(|| values.finish());
                let parsed = parsed.map_err(|error| refusal::of_text(py, &error, text))?;
                let value = to_python(py, parsed.value.root())?;
                Ok((value, LazyReport::new(text, parsed.report, Vec::new(), Vec::new())))
            }
            StreamParser::Fit(fitting) => {
                let made = py.detach(|| {
                    fitting.finish().map(|fitted| (fitted.json(text).into_owned(), fitted))
                });
                let (json, fitted) = made.map_err(|error| refusal::of_any(py, &error, text))?;
                let Fitted { report, coercions, violations, .. } = fitted;
                let json = PyString::new(py, &json).into_any();
                Ok((json, LazyReport::new(text, report, coercions, violations)))
            }
        }
    }
}

/// Runs `work` on one slice after the other without the GIL, until an interrupt.
fn by_slices(py: Python<'_>, text: &[u8], mut work: impl FnMut(&[u8]) + Send) -> PyResult<()> {
    for slice in text.chunks(SLICE) {
        py.check_signals()?;
        py.detach(|| work(slice));
    }
    Ok(())
}

/// Returns the options of a stream: by default the first value is the answer, since the best is unknown before
/// the end.
fn growing(
    py: Python<'_>,
    policy: Option<PolicyArgument>,
    coerce: Option<CoerceArgument>,
) -> PyResult<FitOptions> {
    let is_told = matches!(policy, Some(PolicyArgument::Given(PolicyOrOptions::Options(_))));
    let mut options = fitting(py, policy, coerce)?;
    if !is_told {
        options.text.choice = json::Choice::First;
    }
    Ok(options)
}

fn event_row(event: json::Event, walker: &mut OffsetWalker, text: &[u8]) -> EventRow {
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
            repair.relocate(&mut |at| walker.at(at, text));
            EventRow { path: None, repair: Some(repair), ..row("repaired", String::new()) }
        }
    }
}

/// The items of one list in an answer, each as soon as it is complete.
#[pyclass(module = "llmend._llmend")]
pub(crate) struct Items {
    text: Vec<u8>,
    walker: OffsetWalker,
    list: Option<FitStream>,
}

/// An item: its JSON, and the rows of its coercions and violations.
type Item<'py> = (String, Bound<'py, PyAny>);

#[pymethods]
impl Items {
    #[new]
    #[pyo3(signature = (list, schema, *, policy = None, coerce = None))]
    fn new(
        py: Python<'_>,
        list: &str,
        schema: Schema,
        policy: Option<PolicyArgument>,
        coerce: Option<CoerceArgument>,
    ) -> PyResult<Self> {
        if !(list.is_empty() || list.starts_with('/')) {
            let message =
                format!("`{list}` is not a JSON Pointer, which starts with `/` or is empty");
            return Err(PyValueError::new_err(message));
        }
        let options = schema.asks(growing(py, policy, coerce)?);
        let items = FitStream::new(options, list, schema.compiled);
        Ok(Self { text: Vec::new(), walker: OffsetWalker::new(UNIT), list: Some(items) })
    }

    /// Reads the next chunk of text, and returns the items that it completes.
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

    /// Ends the text, and returns the remaining items, the JSON of the whole value, and the report, which says
    /// whether the value has the list.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<(Vec<Item<'py>>, String, LazyReport)> {
        let items = self.list.take().ok_or_else(finished)?;
        let finished = py.detach(|| items.finish());
        let text = decoded(py, &self.text)?;
        let (rest, value, report, missing) = match finished {
            Ok((rest, json::Parsed { value, report })) => (rest, value, report, Vec::new()),
            Err(Error::Unfit(fitted)) => {
                (Vec::new(), fitted.value, fitted.report, fitted.violations)
            }
            Err(error) => return Err(refusal::of_any(py, &error, text)),
        };
        let told = LazyReport::new(text, report, Vec::new(), missing);
        let json = value.to_string();
        let rest = rest.into_iter().map(|item| self.item(py, item)).collect::<PyResult<_>>()?;
        Ok((rest, json, told))
    }
}

impl Items {
    fn item<'py>(&mut self, py: Python<'py>, item: Coerced) -> PyResult<Item<'py>> {
        let Coerced { value, mut coercions, mut violations } = item;
        let mut place = |at| self.walker.at(at, &self.text);
        coercions.relocate(&mut place);
        violations.relocate(&mut place);
        Ok((value.to_string(), of_item(py, coercions, violations)?))
    }
}

fn finished() -> PyErr {
    PyValueError::new_err("the stream is finished")
}
