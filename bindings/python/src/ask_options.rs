//! Options of asking.

use std::time::Duration;

use llmend::asking::{AskOptions as Settings, Keep, Ladder, Preset, Retries, Strategy, millionths};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyType};

use crate::options::{Count, List, Pickle, counted, from_json, listed, named, pickle, repr};

/// Options for asking models.
///
/// `preset` sets the defaults: `standard`, `gomind`, `clickweave-planner`, `clickweave-patcher`, `clickweave-assistant` (optionally
/// with the number of attempts after a colon), `anton`, `openmanus`. `retries` is the maximum number of retries
/// of invalid answers; `parsing` and `validation` limit those for answers without a complete value and for
/// values that do not fit. `ladder` lists the strategy of each retry (`fields`, `patch`, `full`, `emphatic`,
/// `continue`, `escalate`), `on_cut` the strategy after a truncated answer.
///
/// `tokens`, `cost` (in the currency of the models' prices) and `seconds` limit all attempts together,
/// `answer_tokens` a single answer. `transport_retries` is how often a request is repeated if no answer arrives.
/// With `check="off"` values are returned unchecked; with `on_exhausted="hand-back"` the last value is returned,
/// marked as invalid. `keep` is how many bytes of each answer the ledger keeps, or `hash`; `shown` is how many
/// bytes of a failed answer are shown to the model.
///
/// >>> import llmend
/// >>> options = llmend.AskOptions(retries=1, tokens=4_000, seconds=30)
/// >>> llmend.ask(lambda request: "{'days': '3'}", "How long?", {"type": "object"}, options=options).value
/// {'days': '3'}
#[pyclass(frozen, eq, module = "llmend", from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct AskOptions {
    pub(crate) settings: Settings,
}

#[derive(FromPyObject)]
enum Remembered {
    Bytes(usize),
    Word(String),
}

#[pymethods]
impl AskOptions {
    #[new]
    #[pyo3(signature = (
        preset = "standard", *, retries = None, parsing = None, validation = None, ladder = None,
        on_cut = None, tokens = None, cost = None, seconds = None, answer_tokens = None,
        transport_retries = None, check = None, on_same_findings = None, on_exhausted = None,
        keep = None, temperature = None, shown = None,
    ))]
    fn new(
        preset: &str,
        retries: Count<'_>,
        parsing: Count<'_>,
        validation: Count<'_>,
        ladder: List<'_>,
        on_cut: Option<&str>,
        tokens: Count<'_>,
        cost: Option<f64>,
        seconds: Option<f64>,
        answer_tokens: Count<'_>,
        transport_retries: Count<'_>,
        check: Option<&str>,
        on_same_findings: Option<&str>,
        on_exhausted: Option<&str>,
        keep: Option<Remembered>,
        temperature: Option<f64>,
        shown: Count<'_>,
    ) -> PyResult<Self> {
        let mut settings = Settings::preset(named::<Preset>("preset", preset)?);
        settings.retries = counted("retries", retries)?.map_or(settings.retries, Retries::of);
        let Retries { parsing: usual, validation: usually, .. } = settings.retries;
        settings.retries.parsing = counted("parsing", parsing)?.unwrap_or(usual);
        settings.retries.validation = counted("validation", validation)?.unwrap_or(usually);
        settings.ladder = climbed(settings.ladder, ladder, on_cut)?;
        let budget = &mut settings.budget;
        budget.tokens = counted("tokens", tokens)?.or(budget.tokens);
        budget.cost = cost.map(|cost| money("cost", cost)).transpose()?.or(budget.cost);
        budget.time = seconds.map(duration).transpose()?.or(budget.time);
        budget.answer_tokens = counted("answer_tokens", answer_tokens)?.or(budget.answer_tokens);
        budget.transport_retries =
            counted("transport_retries", transport_retries)?.unwrap_or(budget.transport_retries);
        settings.validation = check.map_or(Ok(settings.validation), |name| named("check", name))?;
        settings.on_same_findings = on_same_findings
            .map_or(Ok(settings.on_same_findings), |name| named("on_same_findings", name))?;
        settings.on_exhausted =
            on_exhausted.map_or(Ok(settings.on_exhausted), |name| named("on_exhausted", name))?;
        settings.keep = match keep {
            Some(Remembered::Bytes(most)) => Keep::Text(most),
            Some(Remembered::Word(word)) => named("keep", &word)?,
            None => settings.keep,
        };
        settings.temperature = temperature.or(settings.temperature);
        settings.shown = counted("shown", shown)?.unwrap_or(settings.shown);
        Ok(Self { settings })
    }

    fn __repr__(&self) -> PyResult<String> {
        repr("AskOptions", &self.settings)
    }

    /// Pickles the options.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickle<'py>> {
        pickle(slf, &slf.get().settings)
    }

    #[classmethod]
    fn _unpickle(_class: &Bound<'_, PyType>, settings: &str) -> PyResult<Self> {
        Ok(Self { settings: from_json(settings)? })
    }
}

/// Returns the default ladder with the given strategies and the one for truncated answers, if given.
fn climbed(usual: Ladder, strategies: List<'_>, on_cut: Option<&str>) -> PyResult<Ladder> {
    let mut ladder = usual;
    if strategies.is_some() {
        let names = listed("ladder", "strategies", strategies)?;
        let strategies = names.iter().map(|name| named::<Strategy>("ladder", name));
        let strategies = strategies.collect::<PyResult<Vec<_>>>()?;
        ladder = Ladder { on_cut: ladder.on_cut, ..Ladder::of(strategies) };
    }
    if let Some(name) = on_cut {
        ladder.on_cut = Some(named("on_cut", name)?);
    }
    Ok(ladder)
}

/// Converts an amount of money to millionths.
pub(crate) fn money(argument: &str, money: f64) -> PyResult<u64> {
    millionths(money).ok_or_else(|| unusable(argument, money))
}

fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds).map_err(|_| unusable("seconds", seconds))
}

fn unusable(argument: &str, number: f64) -> PyErr {
    let expected = if number < 0.0 { "0 or more" } else { "a smaller number" };
    PyValueError::new_err(format!("{argument}: expected {expected}, found {number}"))
}
