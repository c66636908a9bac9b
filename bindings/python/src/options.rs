//! What may be changed, as Python says it?

use std::str::FromStr;

use llmend::{
    Coercing as Coerce, FitOptions, Guard, Options as Settings, Rule, Search, config::Repairing,
    json::EmphasisInValues, schema,
};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};

use crate::refusal;

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
        if let Some(search) = search {
            settings.search = one_of(search, &[("on", Search::On), ("off", Search::Off)])?;
        }
        let kept = ("keep", EmphasisInValues::Keep);
        settings.emphasis = one_of(emphasis, &[kept, ("strip", EmphasisInValues::Strip)])?;
        if let Some(guard) = guard {
            settings.guard = one_of(guard, &[("loss", Guard::Loss), ("removal", Guard::Removal)])?;
        }
        settings.max_depth = max_depth.unwrap_or(settings.max_depth);
        settings.max_bytes = max_bytes.unwrap_or(settings.max_bytes);
        settings.max_repairs = max_repairs.unwrap_or(settings.max_repairs);
        settings.max_closers = max_closers.unwrap_or(settings.max_closers);
        (settings.hints.keys, settings.hints.words) = (keys, words);
        Ok(Self { settings })
    }

    /// How the same options are made anew, in another process.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((), Bound<'py, PyDict>)> {
        let Settings { search, choice, emphasis, guard, hints, .. } = &self.settings;
        let (allow, forbid): (Vec<_>, Vec<_>) =
            Rule::ALL.iter().partition(|rule| self.settings.rules.contains(**rule));
        let names =
            |rules: Vec<&Rule>| rules.into_iter().map(|rule| rule.name()).collect::<Vec<_>>();
        let is_on = matches!(search, Search::On);
        let is_kept = matches!(emphasis, EmphasisInValues::Keep);
        let is_loss = matches!(guard, Guard::Loss);
        let told = PyDict::new(py);
        told.set_item("allow", names(allow))?;
        told.set_item("forbid", names(forbid))?;
        told.set_item("search", if is_on { "on" } else { "off" })?;
        told.set_item("choice", choice.as_str())?;
        told.set_item("emphasis", if is_kept { "keep" } else { "strip" })?;
        told.set_item("guard", if is_loss { "loss" } else { "removal" })?;
        told.set_item("max_depth", self.settings.max_depth)?;
        told.set_item("max_bytes", self.settings.max_bytes)?;
        told.set_item("max_repairs", self.settings.max_repairs)?;
        told.set_item("max_closers", self.settings.max_closers)?;
        told.set_item("keys", &hints.keys)?;
        told.set_item("words", &hints.words)?;
        Ok(((), told))
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

    /// How the same is made anew, in another process.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((&str,), Bound<'py, PyDict>)> {
        let told = PyDict::new(py);
        let Coerce::On(options) = &self.coerce else { return Ok((("off",), told)) };
        told.set_item("on_bad_item", options.on_bad_item.as_str())?;
        told.set_item("on_extra", options.on_extra.as_str())?;
        told.set_item("units", options.units.as_str())?;
        told.set_item("emphasis", options.emphasis.as_str())?;
        told.set_item("near", options.near.as_str())?;
        Ok((("on",), told))
    }
}

/// What a function was told of the text: the name of a policy, options, or nothing.
#[derive(FromPyObject)]
pub(crate) enum Chosen {
    Options(Options),
    Policy(String),
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

/// What a name stands for.
pub(crate) fn named<T: FromStr<Err: std::fmt::Display>>(name: &str) -> PyResult<T> {
    name.parse().map_err(|error: T::Err| PyValueError::new_err(error.to_string()))
}

/// What a name stands for that the crates have none for.
pub(crate) fn one_of<T: Clone>(name: &str, known: &[(&str, T)]) -> PyResult<T> {
    known.iter().find(|(word, _)| *word == name).map(|(_, meant)| meant.clone()).ok_or_else(|| {
        let words: Vec<_> = known.iter().map(|(word, _)| *word).collect();
        PyValueError::new_err(format!("`{name}` is none of: {}", words.join(", ")))
    })
}
