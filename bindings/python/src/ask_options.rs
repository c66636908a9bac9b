//! How often, in which ways and with how much is a model asked, as Python says it?

use std::time::Duration;

use llmend::asking::{AskOptions as Settings, Keep, Ladder, Preset, Retries, Strategy, millionths};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyType};

use crate::{
    options::{Kept, kept, named, shown},
    plan::from_json,
};

/// How a model is asked, and when again.
///
/// `preset` is where one starts from: `standard`, `gomind`, `clickweave-planner`, `clickweave-assistant` (with
/// a number behind a colon, if another than three attempts), `anton`, `openmanus`. `retries` is how often is
/// asked again because of what answers say; `parsing` and `validation` are how many of them may be because
/// of answers without a whole value, and because of values that are not what was asked for. `ladder` names
/// the rung of each retry (`fields`, `patch`, `full`, `emphatic`, `continue`, `escalate`), `on_cut` that of an
/// answer that was cut off.
///
/// `tokens`, `cost` (in the unit of money of the models' prices) and `seconds` may be used up by all
/// attempts together, `answer_tokens` by one answer. `transport_retries` is how often the same is asked again
/// where no answer came. With `check="off"` a value that could be read is handed over unchecked; with
/// `on_exhausted="hand-back"` the last value is, marked as invalid. `keep` is how many bytes of each answer the
/// ledger keeps, or `hash`; `shown` how many bytes of a failed answer a model is shown.
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
        retries: Option<u32>,
        parsing: Option<u32>,
        validation: Option<u32>,
        ladder: Option<Vec<String>>,
        on_cut: Option<&str>,
        tokens: Option<u64>,
        cost: Option<f64>,
        seconds: Option<f64>,
        answer_tokens: Option<u32>,
        transport_retries: Option<u32>,
        check: Option<&str>,
        on_same_findings: Option<&str>,
        on_exhausted: Option<&str>,
        keep: Option<Remembered>,
        temperature: Option<f64>,
        shown: Option<usize>,
    ) -> PyResult<Self> {
        let mut settings = Settings::preset(named::<Preset>(preset)?);
        settings.retries = retries.map_or(settings.retries, Retries::of);
        let Retries { parsing: usual, validation: usually, .. } = settings.retries;
        settings.retries.parsing = parsing.unwrap_or(usual);
        settings.retries.validation = validation.unwrap_or(usually);
        settings.ladder = climbed(settings.ladder, ladder, on_cut)?;
        let budget = &mut settings.budget;
        budget.tokens = tokens.or(budget.tokens);
        budget.cost = cost.map(money).transpose()?.or(budget.cost);
        budget.time = seconds.map(duration).transpose()?.or(budget.time);
        budget.answer_tokens = answer_tokens.or(budget.answer_tokens);
        budget.transport_retries = transport_retries.unwrap_or(budget.transport_retries);
        settings.validation = check.map_or(Ok(settings.validation), named)?;
        settings.on_same_findings =
            on_same_findings.map_or(Ok(settings.on_same_findings), named)?;
        settings.on_exhausted = on_exhausted.map_or(Ok(settings.on_exhausted), named)?;
        settings.keep = match keep {
            Some(Remembered::Bytes(most)) => Keep::Text(most),
            Some(Remembered::Word(word)) => named(&word)?,
            None => settings.keep,
        };
        settings.temperature = temperature.or(settings.temperature);
        settings.shown = shown.unwrap_or(settings.shown);
        Ok(Self { settings })
    }

    fn __repr__(&self) -> PyResult<String> {
        shown("AskOptions", &self.settings)
    }

    /// How the same is made anew, in another process.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Kept<'py>> {
        kept(slf, &slf.get().settings)
    }

    #[classmethod]
    fn _of_kept(_class: &Bound<'_, PyType>, settings: &str) -> PyResult<Self> {
        Ok(Self { settings: from_json(settings)? })
    }
}

/// `usual` with these rungs, and this one for an answer that was cut off, where they are named.
fn climbed(usual: Ladder, rungs: Option<Vec<String>>, on_cut: Option<&str>) -> PyResult<Ladder> {
    let mut ladder = usual;
    if let Some(names) = rungs {
        let rungs = names.iter().map(|name| named::<Strategy>(name));
        let rungs = rungs.collect::<PyResult<Vec<_>>>()?;
        ladder = Ladder { on_cut: ladder.on_cut, ..Ladder::of(rungs) };
    }
    if let Some(name) = on_cut {
        ladder.on_cut = Some(named(name)?);
    }
    Ok(ladder)
}

/// An amount of money, as budgets and prices are counted.
pub(crate) fn money(money: f64) -> PyResult<u64> {
    millionths(money).ok_or_else(|| {
        PyValueError::new_err(format!("an amount of money is a number from 0, and not {money}"))
    })
}

fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds).map_err(|error| PyValueError::new_err(error.to_string()))
}
