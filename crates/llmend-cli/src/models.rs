//! Models, their keys and their limits.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use llmend::{
    asking::{Attempt, Ledger, LoopError, Models, Price},
    model::{ChatErrorKind, ChatModel},
};
use llmend_models::{
    HttpOptions, KeyError, ModelSpec, OnRequest, OpenError, Recorder, open, open_beside,
    open_recorded,
};

use crate::{
    attempts::gave_up,
    exit::{Exit, UsageError},
    outcome::Failure,
    output::eprint_block,
    render::{Color, Named, explain::refusal, ledger::Spending},
};

mod chosen;
mod key_help;
mod limits;
mod prices;

use chosen::Chosen;
pub(crate) use chosen::{ChosenModel, ChosenModels};
use key_help::{OTHER_KEY, OTHER_URL};
pub(crate) use limits::{assistant, options};
pub(crate) use prices::Prices;

/// The open models: the one that is asked first, and the one for the last attempt.
pub(crate) struct OpenModels {
    first: OpenModel,
    escalation: Option<OpenModel>,
    prices: Prices,
    /// What to do about a key that the first model refuses, and one that the other does.
    key_help: [String; 2],
    /// Whether the first model is out of reach, so that the other is asked in its place.
    is_first_out: AtomicBool,
}

/// An open model.
enum OpenModel {
    Plain(Box<dyn ChatModel>),
    /// A model whose exchanges are recorded.
    Recorded(Recorder<Box<dyn ChatModel>>),
}

/// Opens the configured models. Sends no request.
pub(crate) fn open_models(found: &ChosenModels) -> Result<OpenModels, Failure> {
    open_observed(found, &OnRequest::default(), None)
}

/// Opens the configured models, whose requests are observed. A call waits for `patience` at most where a
/// server asks for it, unless there is another model.
pub(crate) fn open_observed(
    found: &ChosenModels,
    on_request: &OnRequest,
    patience: Option<Duration>,
) -> Result<OpenModels, Failure> {
    let unusable = |message: String| Failure::plain(Exit::Usage, "model/unusable", message);
    let no_model = |error: OpenError| match error {
        OpenError::Key(KeyError::NoEndpoint { .. } | KeyError::BadEndpoint { .. }) => {
            unusable(error.to_string()).hint(OTHER_URL)
        }
        OpenError::Key(_) => unusable(error.to_string()).hint(OTHER_KEY),
        _ => unusable(error.to_string()),
    };
    let Chosen { first, escalation } = found.chosen().map_err(unusable)?;
    let prices = found.prices().map_err(|UsageError(message)| unusable(message))?;
    let observed = |mut options: HttpOptions| {
        options.on_request = on_request.clone();
        options
    };
    let mut options = observed(first.http_options());
    if escalation.is_some() {
        // The other model is there.
        options.retry.max_unreached_retries = 0;
    } else if let Some(patience) = patience {
        options.retry.total_wait = patience;
    }
    let other_help = escalation.as_ref().map(ChosenModel::key_help).unwrap_or_default();
    let key_help = [first.key_help(), other_help];
    let open_one = |model: &ChosenModel, options: &HttpOptions| {
        open(&model.spec, &model.keys, options).map_err(no_model)
    };
    let Some(file) = &found.settings().settings.record else {
        let other = escalation.as_ref();
        let other = other.map(|model| open_one(model, &observed(model.http_options())));
        let other = other.transpose()?.map(OpenModel::Plain);
        let first = open_one(first, &options).map(OpenModel::Plain)?;
        return Ok(OpenModels::of(first, other, prices, key_help));
    };
    let plays_it = |model: &ChosenModel| match &model.spec {
        ModelSpec::Replay { file: played } => is_same_file(played, Path::new(file)),
        _ => false,
    };
    if plays_it(first) || escalation.as_ref().is_some_and(plays_it) {
        return Err(unusable(format!("--record would overwrite {file}, which is being replayed")));
    }
    let mut opened = open_recorded(&first.spec, &first.keys, &options, file).map_err(no_model)?;
    let other = escalation.as_ref().map(|model| {
        open_beside(&mut opened, &model.spec, &model.keys, &observed(model.http_options()))
    });
    let other = other.transpose().map_err(no_model)?.map(OpenModel::Recorded);
    Ok(OpenModels::of(OpenModel::Recorded(opened), other, prices, key_help))
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Sets the price of the last model, if it is known.
fn priced(models: Models<'_>, price: Option<Price>) -> Models<'_> {
    match price {
        Some(price) => models.at(price),
        None => models,
    }
}

impl OpenModel {
    fn model(&self) -> &dyn ChatModel {
        match self {
            Self::Plain(model) => model,
            Self::Recorded(model) => model,
        }
    }

    /// Finishes the recording, if there is one.
    fn close(self) -> Result<(), Failure> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Recorded(recorder) => recorder.finish().map(drop).map_err(|error| {
                let message = format!("the recording is incomplete: {error}");
                Failure::plain(Exit::Io, "model/record", message)
            }),
        }
    }
}

impl OpenModels {
    const fn of(
        first: OpenModel,
        escalation: Option<OpenModel>,
        prices: Prices,
        key_help: [String; 2],
    ) -> Self {
        Self { first, escalation, prices, key_help, is_first_out: AtomicBool::new(false) }
    }

    /// Remembers whether the first model could not be reached, or has no quota left.
    pub(crate) fn note(&self, ledger: &Ledger) {
        let is_out = |attempt: &Attempt| {
            let is_first = attempt.model == self.name();
            let has_quota =
                attempt.findings.iter().all(|row| row.code != ChatErrorKind::Quota.code());
            let is_unreached = attempt.not_reached
                && attempt.findings.iter().any(|row| row.code == ChatErrorKind::Connection.code());
            is_first && (is_unreached || !has_quota)
        };
        if self.escalation.is_some() && ledger.attempts.iter().any(is_out) {
            self.is_first_out.store(true, Ordering::Relaxed);
        }
    }

    /// Returns whether the other model is asked in place of the first.
    pub(crate) fn is_first_out(&self) -> bool {
        self.is_first_out.load(Ordering::Relaxed)
    }

    /// Returns the name of the model that is asked first.
    pub(crate) fn name(&self) -> &str {
        self.first.model().name()
    }

    /// Returns the failure of a loop that ended without a usable answer.
    pub(crate) fn gave_up(&self, end: &LoopError) -> Failure {
        let [first, other] = &self.key_help;
        gave_up(end, if end.model == self.name() { first } else { other })
    }

    /// Returns the prices, as far as they are known.
    pub(crate) const fn prices(&self) -> &Prices {
        &self.prices
    }

    /// Returns what a ledger counts, in the currency of the prices.
    pub(crate) const fn spending<'a>(&'a self, ledger: &'a Ledger) -> Spending<'a> {
        Spending { ledger, currency: &self.prices.currency }
    }

    /// Returns the models to ask.
    pub(crate) fn models(&self) -> Models<'_> {
        let models = priced(Models::of(self.first.model()), self.prices.first);
        match &self.escalation {
            Some(model) if self.is_first_out() => {
                priced(Models::of(model.model()), self.prices.escalation)
            }
            Some(model) => priced(models.then(model.model()), self.prices.escalation),
            None => models,
        }
    }

    /// Finishes the recording, if there is one. Returns `exit`, unless the recording is incomplete.
    pub(crate) fn close(self, exit: Exit, color: Color) -> Exit {
        let rest = self.escalation.map_or(Ok(()), OpenModel::close);
        match self.first.close().and(rest) {
            Ok(()) => exit,
            Err(failure) => {
                eprint_block(&refusal(Named { name: "--record", text: "" }, &failure, color));
                failure.exit
            }
        }
    }
}
