//! How often, in which ways and with how much is a model asked, as Python says it?

use std::time::Duration;

use llmend::asking::{
    AskOptions as Settings, Keep, Ladder, OnExhausted, OnSameFindings, Preset, Retries, Rung,
    Validation,
};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::options::{named, one_of};

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
enum Kept {
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
        keep: Option<Kept>,
        temperature: Option<f64>,
        shown: Option<usize>,
    ) -> PyResult<Self> {
        let mut settings = Settings::preset(named::<Preset>(preset)?);
        settings.retries = retries.map_or(settings.retries, Retries::of);
        let Retries { parsing: usual, validation: usually, .. } = settings.retries;
        settings.retries.parsing = parsing.unwrap_or(usual);
        settings.retries.validation = validation.unwrap_or(usually);
        if let Some(names) = ladder {
            let rungs = names.iter().map(|name| named::<Rung>(name));
            settings.ladder = Ladder {
                on_cut: settings.ladder.on_cut,
                ..Ladder::of(rungs.collect::<PyResult<Vec<_>>>()?)
            };
        }
        if let Some(name) = on_cut {
            settings.ladder.on_cut = Some(named(name)?);
        }
        let budget = &mut settings.budget;
        budget.tokens = tokens.or(budget.tokens);
        budget.cost = cost.map(millionths).transpose()?.or(budget.cost);
        budget.time = seconds.map(duration).transpose()?.or(budget.time);
        budget.answer_tokens = answer_tokens.or(budget.answer_tokens);
        budget.transport_retries = transport_retries.unwrap_or(budget.transport_retries);
        if let Some(word) = check {
            settings.validation =
                one_of(word, &[("on", Validation::On), ("off", Validation::Off)])?;
        }
        if let Some(word) = on_same_findings {
            let known = [("stop", OnSameFindings::Stop), ("go-on", OnSameFindings::GoOn)];
            settings.on_same_findings = one_of(word, &known)?;
        }
        if let Some(word) = on_exhausted {
            let known = [("fail", OnExhausted::Fail), ("hand-back", OnExhausted::HandBack)];
            settings.on_exhausted = one_of(word, &known)?;
        }
        settings.keep = match keep {
            Some(Kept::Bytes(most)) => Keep::Text(most),
            Some(Kept::Word(word)) => one_of(&word, &[("hash", Keep::Hash)])?,
            None => settings.keep,
        };
        settings.temperature = temperature.or(settings.temperature);
        settings.shown = shown.unwrap_or(settings.shown);
        Ok(Self { settings })
    }
}

/// An amount of money in millionths of its unit, as budgets and prices are counted.
pub(crate) fn millionths(money: f64) -> PyResult<u64> {
    // By way of its digits, since no conversion of floats to integers tells what it cannot carry.
    format!("{:.0}", money * 1e6).parse().map_err(|_| {
        PyValueError::new_err(format!("an amount of money is a number from 0, and not {money}"))
    })
}

fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds).map_err(|error| PyValueError::new_err(error.to_string()))
}
