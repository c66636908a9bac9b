//! Options of repair and coercion.

use std::{fmt::Display, str::FromStr};

use llmend::{CoerceMode, FitOptions, Options as Settings, Rule, config::RepairMode, schema};
use pyo3::{
    PyClass,
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::PyType,
};
use serde::{Serialize, de::DeserializeOwned};

use crate::refusal;

/// Options for repairing text.
///
/// `policy` sets the defaults; `allow` and `forbid` list rules (see `llmend rules`). With `search="off"` the
/// whole text is the value; `choice` selects the `best`, `first` or `last` of several values, or a list of `all`;
/// `emphasis="strip"` removes Markdown emphasis from whole strings; `guard` sets what counts as a loss. The limits
/// are for levels of nesting, bytes, repairs, and closers added at the end; a text that needs a repair of a worse
/// class than `max_class` is refused. With `on_bad_item="drop"` or `"null"`, an item of a list that cannot be read is left out
/// or becomes null, as a loss. `keys` and `words` are expected keys and strings.
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
        max_closers = None, max_class = "loss", on_bad_item = "fail", keys = Vec::new(), words = Vec::new(),
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
        max_class: &str,
        on_bad_item: &str,
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
        settings.max_class = named(max_class)?;
        settings.on_bad_item = named(on_bad_item)?;
        (settings.hints.keys, settings.hints.words) = (keys, words);
        Ok(Self { settings })
    }

    fn __repr__(&self) -> PyResult<String> {
        repr("Options", &self.settings)
    }

    /// Pickles the options.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickle<'py>> {
        pickle(slf, &slf.get().settings)
    }

    #[classmethod]
    fn _unpickle(_class: &Bound<'_, PyType>, settings: &str) -> PyResult<Self> {
        Ok(Self { settings: from_json(settings)? })
    }

    /// Names of the allowed rules.
    #[getter]
    fn rules(&self) -> Vec<&'static str> {
        let allowed = |rule: &&Rule| self.settings.rules.contains(**rule);
        Rule::ALL.iter().filter(allowed).map(|rule| rule.name()).collect()
    }
}

/// Options for coercing values to a schema.
///
/// With `mode="off"` values are only validated. An item of a list that does not fit is a violation, is omitted
/// (`on_bad_item="drop"`), or becomes null; likewise an extra member (`on_extra`). `units` reads `"50%"` as a
/// number, `emphasis` removes Markdown emphasis from whole strings, and `near` accepts near misses of enum values
/// and keys.
///
/// >>> import llmend
/// >>> schema = {"type": "array", "items": {"type": "integer"}}
/// >>> llmend.parse("[1, 'two', '3']", schema, coerce=llmend.CoerceOptions(on_bad_item="drop")).value
/// [1, 3]
#[pyclass(frozen, eq, module = "llmend", from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct CoerceOptions {
    pub(crate) coerce: CoerceMode,
}

#[pymethods]
impl CoerceOptions {
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
        Ok(Self {
            coerce: one_of(mode, &[("on", CoerceMode::On(options)), ("off", CoerceMode::Off)])?,
        })
    }

    fn __repr__(&self) -> PyResult<String> {
        repr("CoerceOptions", &self.coerce)
    }

    /// Pickles the options.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickle<'py>> {
        pickle(slf, &slf.get().coerce)
    }

    #[classmethod]
    fn _unpickle(_class: &Bound<'_, PyType>, settings: &str) -> PyResult<Self> {
        Ok(Self { coerce: from_json(settings)? })
    }
}

/// The `policy` argument: the name of a policy, or options.
pub(crate) enum PolicyArgument {
    Options(Options),
    Policy(String),
}

impl FromPyObject<'_, '_> for PolicyArgument {
    type Error = PyErr;

    fn extract(told: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let name = || told.extract().map(Self::Policy).ok();
        told.extract()
            .map(Self::Options)
            .ok()
            .or_else(name)
            .ok_or_else(|| PyTypeError::new_err("expected the name of a policy or llmend.Options"))
    }
}

/// Returns the options of a `policy` argument, or those of the environment.
pub(crate) fn chosen(py: Python<'_>, chosen: Option<PolicyArgument>) -> PyResult<Settings> {
    match chosen {
        Some(PolicyArgument::Options(options)) => Ok(options.settings),
        Some(PolicyArgument::Policy(name)) => named(&name).map(Settings::policy),
        None => Ok(environment(py)?.options()),
    }
}

/// Returns the options for a value with a schema.
pub(crate) fn fitting(
    py: Python<'_>,
    policy: Option<PolicyArgument>,
    coerce: Option<CoerceOptions>,
) -> PyResult<FitOptions> {
    let given = match policy {
        Some(policy) => FitOptions { text: chosen(py, Some(policy))?, ..FitOptions::default() },
        None => environment(py)?.into(),
    };
    Ok(match coerce {
        Some(CoerceOptions { coerce }) => FitOptions { coerce, ..given },
        None => given,
    })
}

fn environment(py: Python<'_>) -> PyResult<RepairMode> {
    RepairMode::from_env().map_err(|error| refusal::of_any(py, &error.into(), ""))
}

/// The result of `__reduce__`: a constructor and the JSON that it takes.
pub(crate) type Pickle<'py> = (Bound<'py, PyAny>, (String,));

/// Pickles settings as JSON.
pub(crate) fn pickle<'py, T: PyClass>(
    of: &Bound<'py, T>,
    settings: &impl Serialize,
) -> PyResult<Pickle<'py>> {
    let json = serde_json::to_string(settings).map_err(|error| value_error(&error))?;
    Ok((of.as_any().getattr("_unpickle")?, (json,)))
}

/// Formats settings for `repr`.
pub(crate) fn repr(name: &str, settings: &impl Serialize) -> PyResult<String> {
    let json = serde_json::to_string(settings).map_err(|error| value_error(&error))?;
    Ok(format!("<llmend.{name} {json}>"))
}

/// Parses a name.
pub(crate) fn named<T: FromStr<Err: Display>>(name: &str) -> PyResult<T> {
    name.parse().map_err(|error| value_error(&error))
}

pub(crate) fn from_json<T: DeserializeOwned>(json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| value_error(&error))
}

fn value_error(error: &impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Looks up a name that only Python has.
pub(crate) fn one_of<T: Clone>(name: &str, known: &[(&str, T)]) -> PyResult<T> {
    known.iter().find(|(word, _)| *word == name).map(|(_, meant)| meant.clone()).ok_or_else(|| {
        let words: Vec<_> = known.iter().map(|(word, _)| *word).collect();
        PyValueError::new_err(format!(
            "unknown value `{name}`, expected one of: {}",
            words.join(", ")
        ))
    })
}
