//! What is a model asked next, and what comes of its answer?
//!
//! The loop is that of the crate. It is polled until it wants an answer, and again once Python has one: it
//! needs no runtime, and whether Python waits or awaits is Python's business.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
};

use llmend::{
    Diagnostic, Severity, Value,
    asking::{
        Answered, Ask, AskError, GaveUp, Ledger, Models, Planned, Planner, Price, Task, Validity,
    },
    model::{ChatError, ChatResponse, Message},
    plan, prompts,
};
use pyo3::{exceptions::PyRuntimeError, prelude::*};
use serde::Serialize;

use crate::{
    ask_options::{AskOptions, millionths},
    far::{Far, Shared, at, callbacks},
    options::{Chosen, Coercing, fitting, one_of},
    plan::{PlanOptions, Reviewed, from_json, read, reviewing},
    record::{Told, rows},
    refusal,
};

type Running = Pin<Box<dyn Future<Output = Result<Made, Box<Failed>>> + Send>>;

/// The name of a model, and what a million tokens of a question and of an answer cost.
type Named = (String, Option<(f64, f64)>);

/// What was asked for.
enum Made {
    Value(Box<Answered<Value<'static>>>),
    Plan(Box<Planned>),
}

/// Why there is nothing.
struct Failed {
    message: String,
    code: &'static str,
    gave_up: Option<Box<GaveUp>>,
    ledger: Ledger,
}

enum State {
    Running(Running),
    Ended(Option<Result<Made, Box<Failed>>>),
}

/// A question to models that is under way.
#[pyclass(frozen, module = "llmend._llmend")]
pub(crate) struct Asked {
    state: Mutex<State>,
    desk: Shared,
}

#[derive(Serialize)]
struct EndRow<'e> {
    validity: Validity,
    answer: &'e str,
    ledger: Ledger,
}

#[derive(Serialize)]
struct FailedRow<'e> {
    message: &'e str,
    code: &'e str,
    start: Option<usize>,
    end: Option<usize>,
    line: Option<usize>,
    column: Option<usize>,
    diagnostics: Vec<Diagnostic>,
    model: &'e str,
    answer: &'e str,
    advice: &'e str,
    ledger: Ledger,
}

#[pymethods]
impl Asked {
    /// The row of the request that is to be made; nothing at the end.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        py.detach(|| self.poll());
        let mut desk = at(&self.desk);
        if let Some(error) = desk.raised.take() {
            return Err(error);
        }
        let request = desk.take_request();
        drop(desk);
        request.map(|request| rows(py, &request)).transpose()
    }

    /// The rows of what happened since this was last asked.
    fn told<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let told = at(&self.desk).take_told();
        rows(py, &told)
    }

    /// Takes what a model answered: the JSON of an answer.
    fn answer(&self, response: &str) -> PyResult<()> {
        let response: ChatResponse = from_json(response)?;
        at(&self.desk).answer(Ok(response));
        Ok(())
    }

    /// Takes why there is no answer: the JSON of an error.
    fn fail(&self, error: &str) -> PyResult<()> {
        let error: ChatError = from_json(error)?;
        at(&self.desk).answer(Err(error));
        Ok(())
    }

    /// The JSON of the value, how it was come by, and the rest of what there is to tell.
    fn value<'py>(&self, py: Python<'py>) -> PyResult<(String, Told, Bound<'py, PyAny>)> {
        let Made::Value(made) = self.ended(py)? else { return Err(unexpected()) };
        let row = self.row(py, made.validity, &made.answer, made.ledger)?;
        let told = Told::new(&made.answer, made.report, made.coercions, Vec::new());
        Ok((made.value.to_string(), told, row))
    }

    /// The plan or workflow, and the rest of what there is to tell.
    fn plan<'py>(&self, py: Python<'py>) -> PyResult<(Reviewed, Bound<'py, PyAny>)> {
        let Made::Plan(made) = self.ended(py)? else { return Err(unexpected()) };
        let row = self.row(py, made.validity, &made.answer, made.ledger)?;
        Ok((Reviewed::new(made.review, made.answer), row))
    }
}

impl Asked {
    fn new(desk: Shared, running: Running) -> Self {
        Self { state: Mutex::new(State::Running(running)), desk }
    }

    fn poll(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Running(running) = &mut *state
            && let Poll::Ready(made) =
                running.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        {
            *state = State::Ended(Some(made));
        }
    }

    /// What came of it; an `AskError` if that is nothing.
    fn ended(&self, py: Python<'_>) -> PyResult<Made> {
        // Who holds it now may wait for the lock of the interpreter, to have a value looked at.
        let mut state = self.state.try_lock().map_err(|_| unexpected())?;
        let State::Ended(ended) = &mut *state else { return Err(unexpected()) };
        ended.take().ok_or_else(unexpected)?.map_err(|failed| self.refused(py, *failed))
    }

    fn row<'py>(
        &self,
        py: Python<'py>,
        validity: Validity,
        answer: &str,
        ledger: Ledger,
    ) -> PyResult<Bound<'py, PyAny>> {
        rows(py, &EndRow { validity, answer, ledger: self.placed(ledger) })
    }

    fn refused(&self, py: Python<'_>, failed: Failed) -> PyErr {
        let ledger = self.placed(failed.ledger);
        let gave_up = failed.gave_up.as_deref();
        let diagnostics =
            ledger.attempts.last().map(|last| last.findings.clone()).unwrap_or_default();
        let span =
            diagnostics.iter().find(|row| row.severity == Severity::Error).and_then(|row| row.span);
        let row = FailedRow {
            message: &failed.message,
            code: failed.code,
            start: span.map(|span| span.start),
            end: span.map(|span| span.end),
            line: None,
            column: None,
            diagnostics,
            model: gave_up.map_or("", |gave_up| &gave_up.model),
            answer: gave_up.map_or("", |gave_up| &gave_up.answer),
            advice: gave_up.map_or("", |gave_up| gave_up.advice()),
            ledger,
        };
        match rows(py, &row).and_then(|row| ("AskError", row).into_pyobject(py)) {
            Ok(arguments) => refusal::made(py, &arguments),
            Err(error) => error,
        }
    }

    /// The account with its places in code points.
    fn placed(&self, mut ledger: Ledger) -> Ledger {
        let desk = at(&self.desk);
        for (number, attempt) in ledger.attempts.iter_mut().enumerate() {
            desk.place(number, attempt.rung, &mut attempt.findings);
        }
        ledger
    }
}

/// Asks for a value that fits a schema, which is JSON. `check` is told the JSON of one that does, and gives
/// the code, the path and the words of each thing that is wrong with it.
#[pyfunction]
#[pyo3(signature = (
    models, prompt, schema, *, check = None, options = None, policy = None, coercing = None, rules = None,
))]
pub(crate) fn ask(
    py: Python<'_>,
    models: Vec<Named>,
    prompt: Prompt,
    schema: &str,
    check: Option<Py<PyAny>>,
    options: Option<AskOptions>,
    policy: Option<Chosen>,
    coercing: Option<Coercing>,
    rules: Option<String>,
) -> PyResult<Asked> {
    let desk = Shared::default();
    let mut ask = Ask::of_text(schema)
        .map_err(|error| {
            let row = Diagnostic::new(error.code, Severity::Error, error.message);
            refusal::of_rows(py, row.message.clone(), vec![row])
        })?
        .fitting(fitting(py, policy, coercing)?)
        .options(options.map(|options| options.settings).unwrap_or_default());
    if let Some(check) = check {
        let desk = Arc::clone(&desk);
        ask = ask.checked(move |value| checked(&check, value, &desk));
    }
    let models = far(models, &desk)?;
    let first = models.first().map_or("", |(model, _)| &model.name);
    let rules = rules.unwrap_or_else(|| prompts::shaped(schema.trim(), first));
    let task = prompt.task(rules);
    let mut told = callbacks(&desk);
    let running = async move {
        let list = listed(&models)?;
        let answered = ask.run_task(task, &list, &mut told).await.map_err(Failed::of_ask)?;
        Ok(Made::Value(Box::new(answered)))
    };
    Ok(Asked::new(desk, Box::pin(running)))
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
    prompt: Prompt,
    changing: Option<(String, String)>,
    gaps: &str,
    reading: Option<PlanOptions>,
    options: Option<AskOptions>,
    policy: Option<Chosen>,
    rules: Option<String>,
) -> PyResult<Asked> {
    let gaps = one_of(gaps, &[("leave", plan::Gaps::Leave), ("bridge", plan::Gaps::Bridge)])?;
    let mut asker = match changing {
        Some(document) => Planner::changing(read(&document)?, gaps),
        None => Planner::new(),
    }
    .reviewing(reviewing(py, reading, policy, "make")?)
    .options(options.map(|options| options.settings).unwrap_or_default());
    if let Some(rules) = rules {
        asker = asker.rules(rules);
    }
    let desk = Shared::default();
    let models = far(models, &desk)?;
    let first = models.first().map_or("", |(model, _)| &model.name);
    let rules = asker.task(first, "").messages.into_iter().next();
    let task = prompt.task(rules.map(|message| message.content).unwrap_or_default());
    let mut told = callbacks(&desk);
    let running = async move {
        let list = listed(&models)?;
        let planned = asker.run_task(task, &list, &mut told).await.map_err(Failed::of_plan)?;
        Ok(Made::Plan(Box::new(planned)))
    };
    Ok(Asked::new(desk, Box::pin(running)))
}

/// What is asked: a question, or the JSON of a conversation at whose end it stands.
pub(crate) enum Prompt {
    Question(String),
    Conversation(Vec<Message>),
}

impl<'py> FromPyObject<'_, 'py> for Prompt {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(question) = object.extract::<String>() {
            return Ok(Self::Question(question));
        }
        let text: String =
            object.py().import("json")?.call_method1("dumps", (object,))?.extract()?;
        from_json(&text).map(Self::Conversation)
    }
}

impl Prompt {
    /// What is asked, with the rules before it.
    fn task(self, rules: String) -> Task {
        match self {
            Self::Question(question) => Task::new(rules, question),
            Self::Conversation(messages) => {
                Task { messages: std::iter::once(Message::system(rules)).chain(messages).collect() }
            }
        }
    }
}

impl Failed {
    fn of_plan(gave_up: Box<GaveUp>) -> Box<Self> {
        Box::new(Self {
            message: gave_up.to_string(),
            code: gave_up.code(),
            ledger: gave_up.ledger.clone(),
            gave_up: Some(gave_up),
        })
    }

    fn of_ask(error: AskError) -> Box<Self> {
        match error {
            AskError::GaveUp(gave_up) => Self::of_plan(gave_up),
            other => Box::new(Self {
                message: other.to_string(),
                code: other.code(),
                ledger: other.ledger().clone(),
                gave_up: None,
            }),
        }
    }
}

fn far(models: Vec<Named>, desk: &Shared) -> PyResult<Vec<(Far, Option<Price>)>> {
    let each = models.into_iter().enumerate().map(|(number, (name, price))| {
        let price = price
            .map(|(input, output)| {
                PyResult::Ok(Price { input: millionths(input)?, output: millionths(output)? })
            })
            .transpose()?;
        Ok((Far { name, number, desk: Arc::clone(desk) }, price))
    });
    each.collect()
}

/// The models as the loop takes them.
fn listed(models: &[(Far, Option<Price>)]) -> Result<Models<'_>, Box<Failed>> {
    let mut list: Option<Models<'_>> = None;
    for (model, price) in models {
        let with = match list {
            Some(list) => list.then(model),
            None => Models::of(model),
        };
        list = Some(match price {
            Some(price) => with.at(*price),
            None => with,
        });
    }
    list.ok_or_else(|| {
        Box::new(Failed {
            message: "there is no model to ask".to_owned(),
            code: "ask/no-model",
            gave_up: None,
            ledger: Ledger::default(),
        })
    })
}

/// What a function of Python says of a value. What it raises ends the question.
fn checked(check: &Py<PyAny>, value: &Value<'_>, desk: &Shared) -> Vec<Diagnostic> {
    let told = Python::attach(|py| {
        check.call1(py, (value.to_string(),))?.extract::<Vec<(String, String, String)>>(py)
    });
    let row = |(code, path, message): (String, String, String)| {
        let mut row = Diagnostic::new(code, Severity::Error, message);
        row.path = Some(path);
        row
    };
    match told {
        Ok(told) => told.into_iter().map(row).collect(),
        Err(error) => {
            at(desk).raised = Some(error);
            Vec::new()
        }
    }
}

fn unexpected() -> PyErr {
    PyRuntimeError::new_err("the question is not at its end, or was taken before")
}
