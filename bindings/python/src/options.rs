//! Options of repair and coercion.

use std::{fmt::Display, str::FromStr};

use llmend::{
    CoerceMode, FitOptions, OnBadItem, Options as Settings, Rule, config::RepairMode, schema,
};
use pyo3::{
    PyClass,
    conversion::FromPyObjectOwned,
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyInt, PyType},
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
        policy = "standard", *, allow = None, forbid = None, search = None, choice = "best",
        emphasis = "keep", guard = None, max_depth = None, max_bytes = None, max_repairs = None,
        max_closers = None, max_class = "loss", on_bad_item = "fail", keys = None, words = None,
    ))]
    fn new(
        policy: &str,
        allow: List<'_>,
        forbid: List<'_>,
        search: Option<&str>,
        choice: &str,
        emphasis: &str,
        guard: Option<&str>,
        max_depth: Count<'_>,
        max_bytes: Count<'_>,
        max_repairs: Count<'_>,
        max_closers: Count<'_>,
        max_class: &str,
        on_bad_item: &str,
        keys: List<'_>,
        words: List<'_>,
    ) -> PyResult<Self> {
        let mut settings = Settings::policy(named("policy", policy)?);
        for name in listed("allow", "rule names", allow)? {
            settings.rules = settings.rules.with(named::<Rule>("allow", &name)?);
        }
        for name in listed("forbid", "rule names", forbid)? {
            settings.rules = settings.rules.without(named::<Rule>("forbid", &name)?);
        }
        let Settings { search: usual, guard: usually, .. } = settings;
        settings.choice = named("choice", choice)?;
        settings.search = search.map_or(Ok(usual), |name| named("search", name))?;
        settings.emphasis = named("emphasis", emphasis)?;
        settings.guard = guard.map_or(Ok(usually), |name| named("guard", name))?;
        settings.max_depth = counted("max_depth", max_depth)?.unwrap_or(settings.max_depth);
        settings.max_bytes = counted("max_bytes", max_bytes)?.unwrap_or(settings.max_bytes);
        settings.max_repairs = counted("max_repairs", max_repairs)?.unwrap_or(settings.max_repairs);
        settings.max_closers = counted("max_closers", max_closers)?.unwrap_or(settings.max_closers);
        settings.max_class = named("max_class", max_class)?;
        settings.on_bad_item = named("on_bad_item", on_bad_item)?;
        settings.hints.keys = listed("keys", "strings", keys)?;
        settings.hints.words = listed("words", "strings", words)?;
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
            on_bad_item: named("on_bad_item", on_bad_item)?,
            on_extra: named("on_extra", on_extra)?,
            units: named("units", units)?,
            emphasis: named("emphasis", emphasis)?,
            near: named("near", near)?,
            ..schema::Options::default()
        };
        Ok(Self {
            coerce: one_of(
                "mode",
                mode,
                &[("on", CoerceMode::On(options)), ("off", CoerceMode::Off)],
            )?,
        })
    }

    fn __repr__(&self) -> PyResult<String> {
        repr("CoerceOptions", &self.coerce)
    }

    /// What becomes of an item of a list that does not fit.
    #[getter(_on_bad_item)]
    fn on_bad_item(&self) -> &'static str {
        match &self.coerce {
            CoerceMode::On(options) => options.on_bad_item.as_str(),
            CoerceMode::Off => OnBadItem::Fail.as_str(),
        }
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

/// An argument that is checked where its name is known.
pub(crate) enum Argument<T> {
    Given(T),
    /// The name of a type that is none of those expected.
    Other(String),
}

impl<'py, T: FromPyObjectOwned<'py>> FromPyObject<'_, 'py> for Argument<T> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match given.extract() {
            Ok(found) => Ok(Self::Given(found)),
            Err(_) => Ok(Self::Other(given.get_type().name()?.to_string())),
        }
    }
}

impl<T> Argument<T> {
    fn checked(self, argument: &str, expected: &str) -> PyResult<T> {
        match self {
            Self::Given(found) => Ok(found),
            Self::Other(kind) => Err(mistyped(argument, expected, &kind)),
        }
    }
}

fn mistyped(argument: &str, expected: &str, kind: &str) -> PyErr {
    PyTypeError::new_err(format!("{argument}: expected {expected}, found {kind}"))
}

/// The `coerce` argument.
pub(crate) type CoerceArgument = Argument<CoerceOptions>;

/// The `policy` argument.
pub(crate) type PolicyArgument = Argument<PolicyOrOptions>;

/// The name of a policy, or options.
#[derive(FromPyObject)]
pub(crate) enum PolicyOrOptions {
    Options(Options),
    Policy(String),
}

/// Returns the options of a `policy` argument, or those of the environment.
pub(crate) fn chosen(py: Python<'_>, chosen: Option<PolicyArgument>) -> PyResult<Settings> {
    let Some(chosen) = chosen else { return Ok(environment(py)?.options()) };
    match chosen.checked("policy", "the name of a policy or Options")? {
        PolicyOrOptions::Options(options) => Ok(options.settings),
        PolicyOrOptions::Policy(name) => named("policy", &name).map(Settings::policy),
    }
}

/// Raises what a text would if an option is invalid.
#[pyfunction]
#[pyo3(signature = (*, policy = None, coerce = None))]
pub(crate) fn check_options(
    py: Python<'_>,
    policy: Option<PolicyArgument>,
    coerce: Option<CoerceArgument>,
) -> PyResult<()> {
    fitting(py, policy, coerce).map(drop)
}

/// Returns the options for a value with a schema.
pub(crate) fn fitting(
    py: Python<'_>,
    policy: Option<PolicyArgument>,
    coerce: Option<CoerceArgument>,
) -> PyResult<FitOptions> {
    let given = match policy {
        Some(policy) => FitOptions { text: chosen(py, Some(policy))?, ..FitOptions::default() },
        None => environment(py)?.into(),
    };
    let Some(coerce) = coerce else { return Ok(given) };
    let CoerceOptions { coerce } = coerce.checked("coerce", "CoerceOptions")?;
    Ok(FitOptions { coerce, ..given })
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

/// Parses the name that an argument is.
pub(crate) fn named<T: FromStr<Err: Display>>(argument: &str, name: &str) -> PyResult<T> {
    name.parse().map_err(|error| value_error(&format!("{argument}: {error}")))
}

/// A list of strings as it is given; see [`listed`].
pub(crate) type List<'py> = Option<Bound<'py, PyAny>>;

/// Returns the strings that an argument lists.
pub(crate) fn listed(argument: &str, what: &str, given: List<'_>) -> PyResult<Vec<String>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let kind = given.get_type().name()?.to_string();
    given.extract().map_err(|_| mistyped(argument, &format!("a list of {what}"), &kind))
}

/// A number as it is given; see [`counted`].
pub(crate) type Count<'py> = Option<Bound<'py, PyAny>>;

/// Returns the number that an argument is.
pub(crate) fn counted<T>(argument: &str, given: Count<'_>) -> PyResult<Option<T>>
where
    T: for<'a, 'py> FromPyObject<'a, 'py>,
{
    let Some(given) = given else { return Ok(None) };
    if let Ok(number) = given.extract() {
        return Ok(Some(number));
    }
    if !given.is_instance_of::<PyInt>() {
        return Err(mistyped(argument, "an integer", &given.get_type().name()?.to_string()));
    }
    let expected = if given.lt(0)? { "0 or more" } else { "a smaller number" };
    Err(value_error(&format!("{argument}: expected {expected}, found {given}")))
}

pub(crate) fn from_json<T: DeserializeOwned>(json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| value_error(&error))
}

fn value_error(error: &impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Looks up a name that only Python has.
pub(crate) fn one_of<T: Clone>(argument: &str, name: &str, known: &[(&str, T)]) -> PyResult<T> {
    known.iter().find(|(word, _)| *word == name).map(|(_, meant)| meant.clone()).ok_or_else(|| {
        let words: Vec<_> = known.iter().map(|(word, _)| *word).collect();
        let words = words.join(", ");
        value_error(&format!("{argument}: unknown value `{name}`, expected one of: {words}"))
    })
}
