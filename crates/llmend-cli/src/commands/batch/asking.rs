//! `llmend batch --ask`: a model is asked with the prompt of each line.

use std::{fmt::Write as _, num::NonZeroU32, path::Path};

use futures_util::stream::{FuturesUnordered, StreamExt};
use llmend::{
    FitOptions, Value,
    asking::{
        ANSWER_TOKENS, Ask, AskError, AskOptions, Budget, Callbacks, ExhaustedBudget, GiveUpReason,
        Ledger, Price, ValueAnswer,
    },
    json::{Options, Policy},
    model::{ChatErrorKind, Usage},
};

mod prompts;
#[cfg(feature = "table")]
mod rows;

use prompts::{NextPrompt, Prompts};

use super::{
    BatchArguments, Ended,
    line::{LineTask, Wanted},
    progress,
    unfinished::{Run, Unfinished, Used, failure, hash_of},
};
use crate::{
    attempts::wait,
    commands::ask::Asked,
    engine::Engine,
    exit::{Exit, UsageError},
    flags::ModelFlags,
    input::unreadable,
    models::{OpenModels, escalate_price, open_models, options, price},
    outcome::{Failure, Layout},
    render::{
        Color, counted, grouped, ledger::money, report::ReportObject, summary::BatchTally,
        summary::batch_summary,
    },
    schemas::load_text,
};

/// Requests at a time.
const JOBS: usize = 8;
/// Requests in a row that fail before the run is stopped.
const FAILURES: usize = 10;
/// What the instructions and a schema add to a prompt, in bytes, besides twice the schema.
const INSTRUCTIONS: usize = 4_000;

#[derive(Debug, clap::Args)]
pub(super) struct AskArguments {
    /// The member with the prompt: a model is asked for a value that fits the schema; a JSON Pointer
    /// if it starts with `/`
    #[arg(
        long,
        verbatim_doc_comment,
        value_name = "NAME",
        requires_all = ["schema", "output"],
        conflicts_with_all = ["field", "schema_field", "form", "tools_field"],
        help_heading = "Model"
    )]
    ask: Option<String>,
    /// Ask this many times, and take the value that most answers agree on, field by field
    #[arg(long, value_name = "N", default_value = "1", requires = "ask", hide_default_value = true, value_parser = clap::value_parser!(u32).range(1..=100), help_heading = "Model")]
    samples: u32,
    #[command(flatten)]
    model: ModelFlags,
}

impl AskArguments {
    /// Whether a model is asked.
    pub(super) const fn is_given(&self) -> bool {
        self.ask.is_some()
    }
}

/// Asks for each line, if `--ask` was given. Returns the summary.
pub(super) fn run(
    arguments: &BatchArguments,
    engine: &Engine,
    color: Color,
) -> Result<Option<Ended>, UsageError> {
    let BatchArguments {
        asking: AskArguments { ask, model, samples }, output, schema, source, ..
    } = arguments;
    let (Some(field), Some(output), Some(path)) = (ask, output, &schema.schema) else {
        if model.are_given() {
            return Err("the flags of a model require '--ask'".into());
        }
        return Ok(None);
    };
    let Some(input) = source.path() else {
        return Err("'--ask' requires a FILE: an interrupted run reads it again".into());
    };
    let found = model.load([])?;
    let asking = options(&found)?;
    let text = match load_text(path, color) {
        Ok(text) => text,
        Err(unusable) => return Ok(Some(Err(unusable.print(color)))),
    };
    if let Err(error) = Ask::of_text(&text) {
        let failure = Failure::plain(Exit::Usage, error.code, error.message);
        return Ok(Some(Ok(Err(failure))));
    }
    let models = match open_models(&found) {
        Ok(models) => models,
        Err(failure) => return Ok(Some(Ok(Err(failure)))),
    };
    let content = match hash_of(input) {
        Ok(content) => content,
        Err(error) => {
            let failure = unreadable(&input.display().to_string(), &error);
            return Ok(Some(Ok(Err(failure))));
        }
    };
    let run = Run {
        input: input.display().to_string(),
        content,
        ask: field.clone(),
        model: models.name().to_owned(),
        options: format!("{:?} {:?} {samples}", asking.system, asking.temperature),
        schema: text.clone(),
    };
    let mut strict = Options::policy(Policy::Strict);
    strict.max_bytes = engine.options.max_bytes;
    let (wanted, field) = (Wanted::Value, Some(field.clone()));
    let fitting = schema.coercing.options(engine);
    let asker = Asker {
        task: LineTask { field, wanted, options: FitOptions::default(), strict },
        schema: text,
        price: dearest(price(&found), escalate_price(&found)),
        asking,
        fitting,
        models: &models,
        jobs: arguments.jobs.map_or(JOBS, usize::from),
        samples: NonZeroU32::new(*samples).unwrap_or(NonZeroU32::MIN),
        is_table: prompts::is_table(input),
    };
    let prompts = match asker.prompts(arguments, input) {
        Ok(prompts) => prompts,
        Err(failure) => return Ok(Some(Ok(Err(failure)))),
    };
    let unfinished = match Unfinished::open(output, &run) {
        Ok(unfinished) => unfinished,
        Err(error) => return Ok(Some(Ok(Err(failure(&error))))),
    };
    let ended = wait(asker.run(arguments, input, prompts, unfinished));
    let ended = ended.and_then(|ended| ended);
    // A recording that cannot be finished is said by itself.
    let exit = models.close(Exit::Value, color);
    Ok(Some(if exit == Exit::Value { Ok(ended) } else { Err(exit) }))
}

/// The higher price of each direction.
fn dearest(one: Option<Price>, other: Option<Price>) -> Price {
    let (one, other) = (one.unwrap_or_default(), other.unwrap_or_default());
    Price { input: one.input.max(other.input), output: one.output.max(other.output) }
}

/// Returns what may be used of `most` within a budget, if `taken` is used or granted to others.
fn grant(budget: &Budget, most: Used, taken: Used) -> Used {
    let left = |limit: Option<u64>, taken: u64, most: u64| {
        limit.map_or(most, |limit| limit.saturating_sub(taken).min(most))
    };
    Used {
        tokens: left(budget.tokens, taken.tokens, most.tokens),
        cost: left(budget.cost, taken.cost, most.cost),
    }
}

/// What is asked for each line, and how.
struct Asker<'m> {
    task: LineTask,
    schema: String,
    /// The budget is that of the whole run.
    asking: AskOptions,
    fitting: FitOptions,
    models: &'m OpenModels,
    price: Price,
    jobs: usize,
    samples: NonZeroU32,
    /// Whether the input and the output are tables.
    is_table: bool,
}

/// The end of the request for one line.
struct Answered {
    number: usize,
    granted: Used,
    /// Whether the line was granted less than it may need.
    is_short: bool,
    asked: Result<ValueAnswer<Value<'static>>, AskError>,
}

/// What the end of a request means for the run.
enum Fate {
    /// The line has an answer, or none for a reason of its own.
    Line,
    /// The server failed.
    Failed,
    /// No line can be asked for.
    Fatal,
    /// The budget of the run is used up.
    Spent,
}

impl Answered {
    fn fate(&self) -> Fate {
        let Err(AskError::GaveUp(end)) = &self.asked else { return Fate::Line };
        match &end.why {
            GiveUpReason::Budget(ExhaustedBudget::Tokens | ExhaustedBudget::Cost)
                if self.is_short =>
            {
                Fate::Spent
            }
            GiveUpReason::NoPrice { .. } | GiveUpReason::NoModel => Fate::Fatal,
            GiveUpReason::Transport(error) => match error.kind {
                ChatErrorKind::Authentication | ChatErrorKind::NotFound | ChatErrorKind::Quota => {
                    Fate::Fatal
                }
                ChatErrorKind::Request
                | ChatErrorKind::ContentRefused
                | ChatErrorKind::Unreadable => Fate::Line,
                _ => Fate::Failed,
            },
            _ => Fate::Line,
        }
    }
}

/// The state of a run.
struct State {
    unfinished: Unfinished,
    tally: BatchTally,
    /// What is granted to the requests that run.
    granted: Used,
    /// Requests of this run.
    calls: usize,
    /// Lines whose requests failed in a row, with their objects, and the last failure.
    failed: Vec<(usize, String)>,
    /// Why no more is asked.
    stop: Option<Failure>,
}

impl Asker<'_> {
    async fn run(
        &self,
        arguments: &BatchArguments,
        input: &Path,
        (mut prompts, known): (Prompts, Option<u64>),
        unfinished: Unfinished,
    ) -> Result<String, Failure> {
        let mut progress = progress(arguments, known, if self.is_table { "rows" } else { "lines" });
        let resumed = unfinished.len();
        let (tally, granted) = (BatchTally::default(), Used::default());
        let mut state =
            State { unfinished, tally, granted, calls: 0, failed: Vec::new(), stop: None };
        let (mut number, mut bytes, mut ended) = (0, 0, false);
        let mut next: Option<(usize, String)> = None;
        let mut running = FuturesUnordered::new();
        loop {
            while running.len() < self.jobs && state.stop.is_none() && !(ended && next.is_none()) {
                if next.is_none() {
                    let Some(NextPrompt { prompt, read }) = prompts.next(&self.task)? else {
                        ended = true;
                        break;
                    };
                    (number, bytes) = (number + 1, bytes + read);
                    if state.unfinished.has(number) {
                        continue;
                    }
                    match prompt {
                        Ok(Some(prompt)) => next = Some((number, prompt)),
                        #[cfg(feature = "table")]
                        Ok(None) => {
                            state
                                .keep(number, &format!("{{\"line\":{number},{}}}\n", rows::NULL))?;
                            continue;
                        }
                        #[cfg(not(feature = "table"))]
                        Ok(None) => continue,
                        Err(failure) => {
                            let object = ReportObject::of_failure(&failure);
                            state.keep(number, &line_of(number, object, None))?;
                            state.tally.add(&BatchTally::of_bad_line());
                            continue;
                        }
                    }
                }
                let Some((number, prompt)) = next.take() else { break };
                let most = self.most(&prompt);
                let taken = state.unfinished.used.plus(state.granted);
                let granted = grant(&self.asking.budget, most, taken);
                if granted != most && !running.is_empty() {
                    // What runs may leave enough.
                    next = Some((number, prompt));
                    break;
                }
                state.unfinished.asking(number, granted).map_err(|error| failure(&error))?;
                state.granted = state.granted.plus(granted);
                running.push(self.ask(number, prompt, granted, granted != most));
            }
            let Some(answered) = running.next().await else { break };
            self.take(answered, &mut state)?;
            progress.note(self.spent(&state));
            progress.advance(bytes, state.unfinished.len());
        }
        progress.clear();
        let used = self.spent(&state);
        state.end(resumed, &used, self.noun(), |unfinished| {
            self.finish(unfinished, arguments, input)
        })
    }

    /// Returns what is asked for.
    const fn noun(&self) -> &'static str {
        if self.is_table { "row" } else { "line" }
    }

    /// Opens the prompts. Returns them with their length in bytes or rows, if it is known.
    fn prompts(
        &self,
        arguments: &BatchArguments,
        input: &Path,
    ) -> Result<(Prompts, Option<u64>), Failure> {
        #[cfg(feature = "table")]
        if self.is_table {
            let column = self.task.field.as_deref().unwrap_or_default();
            return prompts::column(input, column, arguments.table.new_column());
        }
        let _ = input;
        prompts::lines(&arguments.source.source())
    }

    /// Writes the output.
    fn finish(
        &self,
        unfinished: Unfinished,
        arguments: &BatchArguments,
        input: &Path,
    ) -> Result<(), Failure> {
        #[cfg(feature = "table")]
        if self.is_table {
            let column = self.task.field.as_deref().unwrap_or_default();
            return rows::finish(unfinished, input, column, arguments.table.new_column());
        }
        let _ = (arguments, input);
        unfinished.finish().map_err(|error| failure(&error))
    }

    async fn ask(&self, number: usize, prompt: String, granted: Used, is_short: bool) -> Answered {
        let mut options = self.asking.clone();
        let Budget { tokens, cost, .. } = self.asking.budget;
        options.budget.tokens = tokens.map(|_| granted.tokens);
        options.budget.cost = cost.map(|_| granted.cost);
        let asked = match Ask::of_text(&self.schema) {
            Ok(ask) => {
                let ask = ask.options(options).fitting(self.fitting.clone());
                let (models, mut callbacks) = (self.models.models(), Callbacks::new());
                match self.samples.get() {
                    1 => ask.run(models, &prompt, &mut callbacks).await,
                    _ => ask.run_samples(models, &prompt, self.samples, &mut callbacks).await,
                }
            }
            Err(_) => unreachable!("the schema was compiled before"),
        };
        Answered { number, granted, is_short, asked }
    }

    /// Returns the most that a line may use: all attempts, each with the longest answer, and with
    /// the last one in its question.
    fn most(&self, prompt: &str) -> Used {
        let attempts = u64::from(self.samples.get()) * (u64::from(self.asking.retries.total) + 1);
        let answer = self.asking.budget.answer_tokens.map_or(ANSWER_TOKENS, u64::from);
        let question = prompt.len() + 2 * self.schema.len() + INSTRUCTIONS;
        let question = Usage::estimate(2 * question, 0).input + answer;
        let usage =
            Usage { input: attempts * question, output: attempts * answer, estimated: true };
        Used { tokens: usage.input + usage.output, cost: self.price.of(&usage) }
    }

    /// Takes the end of a request.
    fn take(&self, answered: Answered, state: &mut State) -> Result<(), Failure> {
        let fate = answered.fate();
        let Answered { number, granted, asked, .. } = answered;
        state.granted = state.granted.minus(granted);
        #[cfg_attr(
            not(feature = "table"),
            expect(unused_mut, unused_variables, reason = "for tables")
        )]
        let Asked { text, mut outcome, ledger } = Asked::of(asked, self.models, Layout::Kept);
        #[cfg(feature = "table")]
        if self.is_table {
            rows::relocate(&text, &mut outcome);
        }
        state.calls += ledger.attempts.len();
        let tokens = ledger.usage.input.saturating_add(ledger.usage.output);
        let cost = ledger.cost.unwrap_or_default();
        state.unfinished.used = state.unfinished.used.plus(Used { tokens, cost });
        let (object, tally) = match &outcome {
            Ok(answer) => (
                ReportObject::of_answer(answer),
                BatchTally::of_value(&answer.report, answer.fit.as_ref()),
            ),
            Err(failure) => (ReportObject::of_failure(failure), BatchTally::of_refusal()),
        };
        let line = line_of(number, object, Some(&ledger));
        match (fate, outcome) {
            (Fate::Line, _) => {
                state.settle()?;
                state.keep(number, &line)?;
                state.tally.add(&tally);
            }
            (Fate::Failed, Err(failure)) => {
                state.failed.push((number, line));
                if state.failed.len() >= FAILURES.max(self.jobs) {
                    state.stop.get_or_insert(failure);
                }
            }
            (_, Err(failure)) => {
                state.release(number, Used { tokens, cost })?;
                state.stop.get_or_insert(failure);
            }
            (_, Ok(_)) => {}
        }
        Ok(())
    }

    /// Returns what the whole run used so far.
    fn spent(&self, state: &State) -> String {
        let Used { tokens, cost } = state.unfinished.used;
        let cost = match self.price {
            Price { input: 0, output: 0 } => String::new(),
            _ => format!(", cost {}", money(cost)),
        };
        format!("{} tokens{cost}", grouped(tokens))
    }
}

impl State {
    /// Keeps the object of a line.
    fn keep(&mut self, number: usize, line: &str) -> Result<(), Failure> {
        self.unfinished.answered(number, line).map_err(|error| failure(&error))
    }

    /// Notes that a request ended without an answer, and what it used.
    fn release(&mut self, number: usize, used: Used) -> Result<(), Failure> {
        self.unfinished.released(number, used).map_err(|error| failure(&error))
    }

    /// Keeps the lines whose requests failed, since the server answers others.
    fn settle(&mut self) -> Result<(), Failure> {
        for (number, line) in std::mem::take(&mut self.failed) {
            self.keep(number, &line)?;
            self.tally.add(&BatchTally::of_refusal());
        }
        Ok(())
    }

    /// Ends the run: writes the output, or says why it is not finished.
    fn end(
        mut self,
        resumed: usize,
        used: &str,
        noun: &'static str,
        finish: impl FnOnce(Unfinished) -> Result<(), Failure>,
    ) -> Result<String, Failure> {
        if let Some(mut stop) = self.stop.take() {
            for (number, _) in std::mem::take(&mut self.failed) {
                self.release(number, Used::default())?;
            }
            let done = counted(self.unfinished.len(), noun);
            stop.hint =
                Some(format!("{done} have an answer ({used}). Run the command again to go on."));
            return Err(stop);
        }
        self.settle()?;
        let mut summary = batch_summary(&self.tally, noun);
        if resumed > 0 {
            let _ = write!(summary, "; resumed after {}", counted(resumed, noun));
        }
        let _ = write!(summary, "; {}, {used}", counted(self.calls, "call"));
        finish(self.unfinished)?;
        Ok(summary)
    }
}

/// Returns the object of an input line, with a line end.
fn line_of(number: usize, object: ReportObject<'_>, ledger: Option<&Ledger>) -> String {
    let mut object = object.with_schema().with_ledger(ledger);
    object.line = Some(number);
    object.to_line()
}
