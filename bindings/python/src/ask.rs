//! Asking models, with retries.
//!
//! The retry loop is that of the crate: Python takes requests from it, sends them synchronously or
//! asynchronously, and hands the answers back.

use std::{
    mem,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use llmend::{
    Diagnostic, Error, Fitted, Severity, Value,
    asking::{
        Ask, AttemptRequest, Clock as _, FinalAnswer, Ledger, LoopError, ManualLoop, PlanSubject,
        Planner, Price, PricedModel, Prompt, RetryNotice, SchemaSubject, Subject, SystemClock,
        Validity,
    },
    model::{ChatError, ChatResponse},
};
use pyo3::{exceptions::PyRuntimeError, prelude::*};
use serde::Serialize;

use crate::{
    UNIT,
    ask_options::{AskOptions, money},
    options::{CoerceArgument, PolicyArgument, fitting, from_json, named, one_of},
    plan::{PlanOptions, Reviewed, read, reviewing},
    record::{LazyReport, rows},
    refusal,
    schema::Reader,
};

/// The name of a model, and its prices per million input and output tokens.
type Named = (String, Option<(f64, f64)>);

/// The exception that a Python callback raised while an answer was checked.
type Raised = Arc<Mutex<Option<PyErr>>>;

/// A question in progress.
#[pyclass(module = "llmend._llmend")]
pub(crate) struct QuestionLoop {
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
impl QuestionLoop {
    /// Returns the row of the next request; `None` at the end.
    fn next<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Self { question, clock, .. } = self;
        let asking = py.detach(|| question.next(clock.now()));
        asking.map(|asking| rows(py, asking)).transpose()
    }

    /// Takes the JSON of an answer, and returns the row of the retry, if there is one.
    fn answer<'py>(
        &mut self,
        py: Python<'py>,
        response: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.take(py, Ok(from_json(response)?))
    }

    /// Takes the JSON of the error of a missing answer, and returns the row of the retry, if there is one.
    fn fail<'py>(&mut self, py: Python<'py>, error: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.take(py, Err(from_json(error)?))
    }

    /// Returns the JSON of the value, its report, and the row of the outcome.
    fn value<'py>(&mut self, py: Python<'py>) -> PyResult<(String, LazyReport, Bound<'py, PyAny>)> {
        let Question::Value(driven) = &mut self.question else { return Err(unexpected()) };
        let (finished, row) = ended(py, driven, self.clock.now())?;
        let Fitted { value, report, coercions, .. } = finished.value;
        Ok((
            value.to_string(),
            LazyReport::new(&finished.answer, report, coercions, Vec::new()),
            row,
        ))
    }

    /// Returns the plan or workflow, and the row of the outcome.
    fn plan<'py>(&mut self, py: Python<'py>) -> PyResult<(Reviewed, Bound<'py, PyAny>)> {
        let Question::Plan(driven) = &mut self.question else { return Err(unexpected()) };
        let (finished, row) = ended(py, driven, self.clock.now())?;
        Ok((Reviewed::new(finished.value, finished.answer), row))
    }
}

impl QuestionLoop {
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
        again.convert_offsets(answer, UNIT);
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

    fn answer(
        &mut self,
        answer: Result<ChatResponse, ChatError>,
        now: Duration,
    ) -> Option<RetryNotice> {
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

/// Returns the outcome of a question and its row, or raises `AskError`.
fn ended<'py, S: Subject>(
    py: Python<'py>,
    driven: &mut ManualLoop<S>,
    now: Duration,
) -> PyResult<(FinalAnswer<S::Value>, Bound<'py, PyAny>)> {
    match driven.end(now).ok_or_else(unexpected)? {
        Ok(mut finished) => {
            let mut ledger = mem::take(&mut finished.ledger);
            ledger.convert_offsets(driven.answers(), UNIT);
            let row = EndRow { validity: finished.validity, answer: &finished.answer, ledger };
            let row = rows(py, &row)?;
            Ok((finished, row))
        }
        Err(mut gave_up) => {
            gave_up.convert_offsets(driven.answers(), UNIT);
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

/// Asks for a value that fits a schema, given as JSON. `check` gets the JSON of a fitting value and returns
/// the code, path and message of each further violation.
#[pyfunction]
#[pyo3(signature = (
    models, prompt, schema, *, check = None, options = None, policy = None, coerce = None, rules = None,
    reader = "caller",
))]
pub(crate) fn ask(
    py: Python<'_>,
    models: Vec<Named>,
    prompt: PromptArgument,
    schema: &str,
    check: Option<Py<PyAny>>,
    options: Option<AskOptions>,
    policy: Option<PolicyArgument>,
    coerce: Option<CoerceArgument>,
    rules: Option<String>,
    reader: &str,
) -> PyResult<QuestionLoop> {
    let reader = one_of("reader", reader, &[("caller", Reader::Caller), ("type", Reader::Type)])?;
    let raised = Raised::default();
    let mut ask = Ask::of_text(schema)
        .map_err(|error| refusal::of_any(py, &Error::Schema(error), ""))?
        .fitting(reader.asks(fitting(py, policy, coerce)?))
        .options(options.map(|options| options.settings).unwrap_or_default());
    if let Some(rules) = rules {
        ask = ask.rules(rules);
    }
    if let Some(check) = check {
        let raised = Arc::clone(&raised);
        ask = ask.checked(move |value| checked(&check, value, &raised));
    }
    let driven = ask.manual_loop(prompt.0, priced(models)?);
    Ok(QuestionLoop::new(Question::Value(driven), raised))
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
    prompt: PromptArgument,
    changing: Option<(String, String)>,
    gaps: &str,
    reading: Option<PlanOptions>,
    options: Option<AskOptions>,
    policy: Option<PolicyArgument>,
    rules: Option<String>,
) -> PyResult<QuestionLoop> {
    let mut planner = match changing {
        Some(document) => Planner::changing(read(&document)?, named("gaps", gaps)?),
        None => Planner::new(),
    }
    .reviewing(reviewing(py, reading, policy, "make")?)
    .options(options.map(|options| options.settings).unwrap_or_default());
    if let Some(rules) = rules {
        planner = planner.rules(rules);
    }
    let driven = planner.manual_loop(prompt.0, priced(models)?);
    Ok(QuestionLoop::new(Question::Plan(driven), Raised::default()))
}

/// A prompt: a question, or a conversation that ends with one.
pub(crate) struct PromptArgument(Prompt);

impl<'py> FromPyObject<'_, 'py> for PromptArgument {
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
    let price = |(input, output)| {
        PyResult::Ok(Price { input: money("price", input)?, output: money("price", output)? })
    };
    let each = models
        .into_iter()
        .map(|(name, told)| Ok(PricedModel { name, price: told.map(price).transpose()? }));
    each.collect()
}

/// Calls the check of a value in Python. An exception in it ends the question.
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
    PyRuntimeError::new_err("the question is not finished, or its outcome was already taken")
}
