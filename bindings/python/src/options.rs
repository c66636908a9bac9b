//! What may be changed, as Python says it?

use std::{fmt::Display, str::FromStr};

use llmend::{
    Coercing as Coerce, FitOptions, Options as Settings, Rule, config::Repairing, schema,
};
use pyo3::{
    PyClass,
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::PyType,
};
use serde::Serialize;

use crate::{plan::from_json, refusal};

/// What may be done to a text, and within which limits.
///
/// `policy` is where one starts from; `allow` and `forbid` are names of rules (`llmend rules` lists them).
/// `search="off"` says that the whole text is the value; `choice` is `best` or `first` of several values;
/// `emphasis="strip"` takes Markdown emphasis from whole strings; `guard` says what counts as lost. Limits
/// are levels of nesting, bytes, repairs, and closers that may be added at the end. `keys` and `words` are
/// what the value is known to hold.
///
/// >>> import llmend
/// >>> options = llmend.Options("standard", forbid=["bare-string"])
/// >>> llmend.loads("{a: 'hello'}", policy=options)
/// {'a': 'hello'}
/// >>> try:
/// ...     llmend.loads("{a: hello}", policy=options)
/// ... except llmend.RepairError as error:
/// ...     print(error.code)
/// repair/refused
#[pyclass(frozen, eq, module = "llmend", from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct Options {
    pub(crate) settings: Settings,
}

#[pymethods]
impl Options {
    #[new]
    #[pyo3(signature = (
        policy = "standard", *, allow = Vec::new(), forbid = Vec::new(), search = None, choice = "best",
        emphasis = "keep", guard = None, max_depth = None, max_bytes = None, max_repairs = None,
        max_closers = None, keys = Vec::new(), words = Vec::new(),
    ))]
    fn new(
        policy: &str,
        allow: Vec<String>,
        forbid: Vec<String>,
        search: Option<&str>,
        choice: &str,
        emphasis: &str,
        guard: Option<&str>,
        max_depth: Option<usize>,
        max_bytes: Option<usize>,
        max_repairs: Option<usize>,
        max_closers: Option<usize>,
        keys: Vec<String>,
        words: Vec<String>,
    ) -> PyResult<Self> {
        let mut settings = Settings::policy(named(policy)?);
        for name in allow {
            settings.rules = settings.rules.with(named::<Rule>(&name)?);
        }
        for name in forbid {
            settings.rules = settings.rules.without(named::<Rule>(&name)?);
        }
        settings.choice = named(choice)?;
        settings.search = search.map_or(Ok(settings.search), named)?;
        settings.emphasis = named(emphasis)?;
        settings.guard = guard.map_or(Ok(settings.guard), named)?;
        settings.max_depth = max_depth.unwrap_or(settings.max_depth);
        settings.max_bytes = max_bytes.unwrap_or(settings.max_bytes);
        settings.max_repairs = max_repairs.unwrap_or(settings.max_repairs);
        settings.max_closers = max_closers.unwrap_or(settings.max_closers);
        (settings.hints.keys, settings.hints.words) = (keys, words);
        Ok(Self { settings })
    }

    fn __repr__(&self) -> PyResult<String> {
        shown("Options", &self.settings)
    }

    /// How the same is made anew, in another process.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Kept<'py>> {
        kept(slf, &slf.get().settings)
    }

    #[classmethod]
    fn _of_kept(_class: &Bound<'_, PyType>, settings: &str) -> PyResult<Self> {
        Ok(Self { settings: from_json(settings)? })
    }

    /// Names of the rules that are allowed.
    #[getter]
    fn rules(&self) -> Vec<&'static str> {
        let allowed = |rule: &&Rule| self.settings.rules.contains(**rule);
        Rule::ALL.iter().filter(allowed).map(|rule| rule.name()).collect()
    }
}

/// What may be done to a value so that it fits a schema.
///
/// With `mode="off"` nothing is. An item of a list that does not fit is a violation, or is left out
/// (`on_bad_item="drop"`), or becomes null; a member that is not allowed likewise (`on_extra`). `units` says
/// whether `"50%"` is a number, `emphasis` whether Markdown goes from whole strings, `near` whether a slip
/// in an enum value or a key is recognised.
///
/// >>> import llmend
/// >>> schema = {"type": "array", "items": {"type": "integer"}}
/// >>> llmend.parse("[1, 'two', '3']", schema, coercing=llmend.Coercing(on_bad_item="drop")).value
/// [1, 3]
#[pyclass(frozen, eq, module = "llmend", from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct Coercing {
    pub(crate) coerce: Coerce,
}

#[pymethods]
impl Coercing {
    #[new]
    #[pyo3(signature = (
        mode = "on", *, on_bad_item = "fail", on_extra = "keep", units = "refuse", emphasis = "keep",
        near = "on",
    ))]
    fn new(
        mode: &str,
        on_bad_item: &str,
        on_extra: &str,
        units: &str,
        emphasis: &str,
        near: &str,
    ) -> PyResult<Self> {
        let options = schema::Options {
            on_bad_item: named(on_bad_item)?,
            on_extra: named(on_extra)?,
            units: named(units)?,
            emphasis: named(emphasis)?,
            near: named(near)?,
            ..schema::Options::default()
        };
        Ok(Self { coerce: one_of(mode, &[("on", Coerce::On(options)), ("off", Coerce::Off)])? })
    }

    fn __repr__(&self) -> PyResult<String> {
        shown("Coercing", &self.coerce)
    }

    /// How the same is made anew, in another process.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Kept<'py>> {
        kept(slf, &slf.get().coerce)
    }

    #[classmethod]
    fn _of_kept(_class: &Bound<'_, PyType>, settings: &str) -> PyResult<Self> {
        Ok(Self { coerce: from_json(settings)? })
    }
}

/// What a function was told of the text: the name of a policy, options, or nothing.
pub(crate) enum Chosen {
    Options(Options),
    Policy(String),
}

impl FromPyObject<'_, '_> for Chosen {
    type Error = PyErr;

    fn extract(told: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let name = || told.extract().map(Self::Policy).ok();
        told.extract().map(Self::Options).ok().or_else(name).ok_or_else(|| {
            PyTypeError::new_err("a policy is told by its name, or by llmend.Options")
        })
    }
}

/// The options that were chosen; where nothing was said, what the environment says.
pub(crate) fn chosen(py: Python<'_>, chosen: Option<Chosen>) -> PyResult<Settings> {
    match chosen {
        Some(Chosen::Options(options)) => Ok(options.settings),
        Some(Chosen::Policy(name)) => named(&name).map(Settings::policy),
        None => Ok(environment(py)?.options()),
    }
}

/// The same for a value that is to fit a schema.
pub(crate) fn fitting(
    py: Python<'_>,
    policy: Option<Chosen>,
    coercing: Option<Coercing>,
) -> PyResult<FitOptions> {
    let given = match policy {
        Some(policy) => FitOptions { text: chosen(py, Some(policy))?, ..FitOptions::default() },
        None => environment(py)?.into(),
    };
    Ok(match coercing {
        Some(Coercing { coerce }) => FitOptions { coercing: coerce, ..given },
        None => given,
    })
}

fn environment(py: Python<'_>) -> PyResult<Repairing> {
    Repairing::from_env().map_err(|error| refusal::of_any(py, &error.into(), ""))
}

/// Who makes settings anew, and the JSON of which he does.
pub(crate) type Kept<'py> = (Bound<'py, PyAny>, (String,));

/// How settings are kept: all of them, as the crates keep them.
pub(crate) fn kept<'py, T: PyClass>(
    of: &Bound<'py, T>,
    settings: &impl Serialize,
) -> PyResult<Kept<'py>> {
    let json = serde_json::to_string(settings).map_err(|error| refused(&error))?;
    Ok((of.as_any().getattr("_of_kept")?, (json,)))
}

/// How settings are shown: all of them, as they are kept.
pub(crate) fn shown(name: &str, settings: &impl Serialize) -> PyResult<String> {
    let json = serde_json::to_string(settings).map_err(|error| refused(&error))?;
    Ok(format!("<llmend.{name} {json}>"))
}

/// What a name stands for.
pub(crate) fn named<T: FromStr<Err: Display>>(name: &str) -> PyResult<T> {
    name.parse().map_err(|error| refused(&error))
}

fn refused(error: &impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// What a name stands for that is Python's own.
pub(crate) fn one_of<T: Clone>(name: &str, known: &[(&str, T)]) -> PyResult<T> {
    known.iter().find(|(word, _)| *word == name).map(|(_, meant)| meant.clone()).ok_or_else(|| {
        let words: Vec<_> = known.iter().map(|(word, _)| *word).collect();
        PyValueError::new_err(format!("unknown value `{name}`, expected one of: {}", words.join(", ")))
    })
}
