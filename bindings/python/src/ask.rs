//! What is a model asked next, and what comes of its answer?
//!
//! The loop is that of the crate: requests are handed to Python, which waits or awaits as it likes, and
//! answers are handed back.

use std::{
    mem,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use llmend::{
    Diagnostic, Error, Fitted, Severity, Value,
    asking::{
        RetryNotice, Ask, AttemptRequest, Clock as _, ManualLoop, FinalAnswer, LoopError, Ledger, PlanSubject, Planner,
        Price, PricedModel, Prompt, SchemaSubject, Subject, SystemClock, Validity,
    },
    model::{ChatError, ChatResponse},
};
use pyo3::{exceptions::PyRuntimeError, prelude::*};
use serde::Serialize;

use crate::{
    ask_options::{AskOptions, money},
    options::{Chosen, Coercing, fitting, named, one_of},
    place::counted,
    plan::{PlanOptions, Reviewed, from_json, read, reviewing},
    record::{Told, rows},
    refusal,
    schema::Reader,
};

/// The name of a model, and what a million tokens of a question and of an answer cost.
type Named = (String, Option<(f64, f64)>);

/// What a function of Python raised while an answer was looked at.
type Raised = Arc<Mutex<Option<PyErr>>>;

/// A question to models that is under way.
#[pyclass(module = "llmend._llmend")]
pub(crate) struct Asked {
    question: Question,
    clock: SystemClock,
    raised: Raised,
}

enum Question {
    Value(ManualLoop<SchemaSubject>),
    Plan(ManualLoop<PlanSubject>),
}

#[derive(Serialize)]
struct EndRow<'e> {
    validity: Validity,
    answer: &'e str,
    ledger: Ledger,
}

#[derive(Serialize)]
struct FailedRow<'e> {
    start: Option<usize>,
    end: Option<usize>,
    line: Option<usize>,
    column: Option<usize>,
    #[serde(flatten)]
    gave_up: &'e LoopError,
}

#[pymethods]
impl Asked {
    /// The row of what is to be asked; nothing at the end.
    fn next<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Self { question, clock, .. } = self;
        let asking = py.detach(|| question.next(clock.now()));
        asking.map(|asking| rows(py, asking)).transpose()
    }

    /// Takes what a model answered, the JSON of an answer: the row of why it is asked again, if it is.
    fn answer<'py>(
        &mut self,
        py: Python<'py>,
        response: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.take(py, Ok(from_json(response)?))
    }

    /// The same of why there is no answer: the JSON of an error.
    fn fail<'py>(&mut self, py: Python<'py>, error: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.take(py, Err(from_json(error)?))
    }

    /// The JSON of the value, how it was come by, and the rest of what there is to tell.
    fn value<'py>(&mut self, py: Python<'py>) -> PyResult<(String, Told, Bound<'py, PyAny>)> {
        let Question::Value(driven) = &mut self.question else { return Err(unexpected()) };
        let (finished, row) = ended(py, driven, self.clock.now())?;
        let Fitted { value, report, coercions, .. } = finished.value;
        Ok((value.to_string(), Told::new(&finished.answer, report, coercions, Vec::new()), row))
    }

    /// The plan or workflow, and the rest of what there is to tell.
    fn plan<'py>(&mut self, py: Python<'py>) -> PyResult<(Reviewed, Bound<'py, PyAny>)> {
        let Question::Plan(driven) = &mut self.question else { return Err(unexpected()) };
        let (finished, row) = ended(py, driven, self.clock.now())?;
        Ok((Reviewed::new(finished.value, finished.answer), row))
    }
}

impl Asked {
    fn new(question: Question, raised: Raised) -> Self {
        Self { question, clock: SystemClock::default(), raised }
    }

    fn take<'py>(
        &mut self,
        py: Python<'py>,
        answer: Result<ChatResponse, ChatError>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Self { question, clock, raised } = self;
        let again = py.detach(|| question.answer(answer, clock.now()));
        if let Some(error) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error);
        }
        let Some(mut again) = again else { return Ok(None) };
        let answer = self.question.answers().last().map_or("", String::as_str);
        again.relocate(counted(answer));
        rows(py, &again).map(Some)
    }
}

impl Question {
    fn next(&mut self, now: Duration) -> Option<&AttemptRequest> {
        match self {
            Self::Value(driven) => driven.next(now),
            Self::Plan(driven) => driven.next(now),
        }
    }

    fn answer(&mut self, answer: Result<ChatResponse, ChatError>, now: Duration) -> Option<RetryNotice> {
        match self {
            Self::Value(driven) => driven.answer(answer, now),
            Self::Plan(driven) => driven.answer(answer, now),
        }
    }

    fn answers(&self) -> &[String] {
        match self {
            Self::Value(driven) => driven.answers(),
            Self::Plan(driven) => driven.answers(),
        }
    }
}

/// What came of a question, and the row of what there is to tell of it; an `AskError` if that is nothing.
fn ended<'py, S: Subject>(
    py: Python<'py>,
    driven: &mut ManualLoop<S>,
    now: Duration,
) -> PyResult<(FinalAnswer<S::Value>, Bound<'py, PyAny>)> {
    match driven.end(now).ok_or_else(unexpected)? {
        Ok(mut finished) => {
            let mut ledger = mem::take(&mut finished.ledger);
            ledger.relocate(driven.answers(), counted);
            let row = EndRow { validity: finished.validity, answer: &finished.answer, ledger };
            let row = rows(py, &row)?;
            Ok((finished, row))
        }
        Err(mut gave_up) => {
            gave_up.relocate(driven.answers(), counted);
            Err(refused(py, &gave_up))
        }
    }
}

fn refused(py: Python<'_>, gave_up: &LoopError) -> PyErr {
    let is_error = |row: &&Diagnostic| row.severity == Severity::Error;
    let span = gave_up.findings.iter().find(is_error).and_then(|row| row.span);
    let (start, end) = span.map(|span| (span.start, span.end)).unzip();
    let row = FailedRow { start, end, line: None, column: None, gave_up };
    match rows(py, &row).and_then(|row| ("AskError", row).into_pyobject(py)) {
        Ok(arguments) => refusal::made(py, &arguments),
        Err(error) => error,
    }
}

/// Asks for a value that fits a schema, which is JSON. `check` is told the JSON of one that does, and gives
/// the code, the path and the words of each thing that is wrong with it.
#[pyfunction]
#[pyo3(signature = (
    models, prompt, schema, *, check = None, options = None, policy = None, coercing = None, rules = None,
    reader = "caller",
))]
pub(crate) fn ask(
    py: Python<'_>,
    models: Vec<Named>,
    prompt: Asks,
    schema: &str,
    check: Option<Py<PyAny>>,
    options: Option<AskOptions>,
    policy: Option<Chosen>,
    coercing: Option<Coercing>,
    rules: Option<String>,
    reader: &str,
) -> PyResult<Asked> {
    let reader = one_of(reader, &[("caller", Reader::Caller), ("type", Reader::Type)])?;
    let raised = Raised::default();
    let mut ask = Ask::of_text(schema)
        .map_err(|error| refusal::of_any(py, &Error::Schema(error), ""))?
        .fitting(reader.asks(fitting(py, policy, coercing)?))
        .options(options.map(|options| options.settings).unwrap_or_default());
    if let Some(rules) = rules {
        ask = ask.rules(rules);
    }
    if let Some(check) = check {
        let raised = Arc::clone(&raised);
        ask = ask.checked(move |value| checked(&check, value, &raised));
    }
    let driven = ask.manual_loop(prompt.0, priced(models)?);
    Ok(Asked::new(Question::Value(driven), raised))
}

/// Asks for a plan or a workflow, or for a patch of one.
#[pyfunction]
#[pyo3(signature = (
    models, prompt, *, changing = None, gaps = "leave", reading = None, options = None, policy = None,
    rules = None,
))]
pub(crate) fn ask_plan(
    py: Python<'_>,
    models: Vec<Named>,
    prompt: Asks,
    changing: Option<(String, String)>,
    gaps: &str,
    reading: Option<PlanOptions>,
    options: Option<AskOptions>,
    policy: Option<Chosen>,
    rules: Option<String>,
) -> PyResult<Asked> {
    let mut planner = match changing {
        Some(document) => Planner::changing(read(&document)?, named(gaps)?),
        None => Planner::new(),
    }
    .reviewing(reviewing(py, reading, policy, "make")?)
    .options(options.map(|options| options.settings).unwrap_or_default());
    if let Some(rules) = rules {
        planner = planner.rules(rules);
    }
    let driven = planner.manual_loop(prompt.0, priced(models)?);
    Ok(Asked::new(Question::Plan(driven), Raised::default()))
}

/// What is asked: a question, or the messages of a conversation at whose end it stands.
pub(crate) struct Asks(Prompt);

impl<'py> FromPyObject<'_, 'py> for Asks {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(question) = object.extract::<String>() {
            return Ok(Self(question.into()));
        }
        let text: String =
            object.py().import("json")?.call_method1("dumps", (object,))?.extract()?;
        Ok(Self(Prompt::Conversation(from_json(&text)?)))
    }
}

fn priced(models: Vec<Named>) -> PyResult<Vec<PricedModel>> {
    let price =
        |(input, output)| PyResult::Ok(Price { input: money(input)?, output: money(output)? });
    let each = models
        .into_iter()
        .map(|(name, told)| Ok(PricedModel { name, price: told.map(price).transpose()? }));
    each.collect()
}

/// What a function of Python says of a value. What it raises ends the question.
fn checked(check: &Py<PyAny>, value: &Value<'_>, raised: &Raised) -> Vec<Diagnostic> {
    let told = Python::attach(|py| {
        check.call1(py, (value.to_string(),))?.extract::<Vec<(String, String, String)>>(py)
    });
    let row = |(code, path, message): (String, String, String)| {
        Diagnostic::new(code, Severity::Error, message).on(path)
    };
    match told {
        Ok(told) => told.into_iter().map(row).collect(),
        Err(error) => {
            *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Vec::new()
        }
    }
}

fn unexpected() -> PyErr {
    PyRuntimeError::new_err("the question is not at its end, or was taken before")
}
