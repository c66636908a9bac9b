//! The requests of a run.

use std::{fmt::Write as _, num::NonZeroU32, path::Path, time::Instant};

use futures_util::stream::{FuturesUnordered, StreamExt};
use llmend::{
    FitOptions,
    asking::{ANSWER_TOKENS, Ask, AskOptions, Budget, Callbacks, Price},
    model::Usage,
};

#[cfg(feature = "table")]
use super::rows;
use super::{
    prompts::{NextPrompt, OpenPrompts, Prompts},
    state::{Answered, Fate, Line, State},
};
use crate::{
    commands::{
        ask::Asked,
        batch::{
            BatchArguments,
            line::LineTask,
            progress,
            unfinished::{Unfinished, Used, failure},
        },
    },
    models::OpenModels,
    outcome::{Failure, Layout},
    render::{counted, grouped, ledger::Spending, report::ReportObject, summary::BatchTally},
};

/// What the instructions and a schema add to a prompt, in bytes, besides twice the schema.
const INSTRUCTIONS: usize = 4_000;

/// What is asked for each line, and how.
pub(super) struct Asker<'m> {
    pub(super) task: LineTask,
    pub(super) schema: String,
    /// The budget is that of the whole run.
    pub(super) asking: AskOptions,
    pub(super) fitting: FitOptions,
    pub(super) models: &'m OpenModels,
    /// The highest price of the models that are asked; zero if none is known.
    pub(super) price: Price,
    pub(super) jobs: usize,
    pub(super) samples: NonZeroU32,
    /// Whether the input and the output are tables.
    pub(super) is_table: bool,
}

impl Asker<'_> {
    /// Asks for each line, and writes the output. Returns the summary.
    pub(super) async fn run(
        &self,
        arguments: &BatchArguments,
        input: &Path,
        (mut prompts, known): OpenPrompts,
        unfinished: Unfinished,
    ) -> Result<String, Failure> {
        let mut progress = progress(arguments, known, if self.is_table { "rows" } else { "lines" });
        let resumed = unfinished.len();
        let mut state = State::new(unfinished);
        let mut next: Option<Line> = None;
        let mut running = FuturesUnordered::new();
        loop {
            while running.len() < self.jobs && state.stop.is_none() {
                if next.is_none() {
                    next = self.next(&mut prompts, &mut state)?;
                }
                let Some(line) = next.take() else { break };
                let most = self.most(&line.prompt);
                let taken = state.unfinished.used.plus(state.granted);
                let granted = grant(&self.asking.budget, most, taken);
                let wait = state.held.and_then(|held| held.checked_duration_since(Instant::now()));
                if !running.is_empty() && (granted != most || wait.is_some()) {
                    // What runs may leave enough, and the server may answer it.
                    next = Some(line);
                    break;
                }
                if let Some(wait) = wait {
                    tokio::time::sleep(wait).await;
                }
                let expected = self.expected(&line.prompt, state.unfinished.used);
                let expected = expected.at_most(granted);
                state.unfinished.asking(line.number, expected).map_err(|error| failure(&error))?;
                state.granted = state.granted.plus(granted);
                running.push(self.ask(line, granted, granted != most));
            }
            let Some(answered) = running.next().await else { break };
            self.take(answered, &mut state)?;
            progress.note(self.spent(&state));
            progress.advance(state.read, state.unfinished.len());
        }
        progress.clear();
        let used = self.spent(&state);
        state.end(resumed, &used, self.noun(), |unfinished| {
            self.finish(unfinished, arguments, input)
        })
    }

    /// Returns the next line to ask for: after all others, one that is asked for again. Lines without a
    /// prompt get their objects.
    fn next(&self, prompts: &mut Prompts, state: &mut State) -> Result<Option<Line>, Failure> {
        while let Some(NextPrompt { prompt, read }) = prompts.next(&self.task)? {
            state.number += 1;
            state.read += read;
            let number = state.number;
            if state.unfinished.has(number) {
                continue;
            }
            match prompt {
                Ok(Some(prompt)) => return Ok(Some(Line { number, prompt, round: 0 })),
                #[cfg(feature = "table")]
                Ok(None) => {
                    state.keep(number, &format!("{{\"line\":{number},{}}}\n", rows::NULL))?;
                }
                #[cfg(not(feature = "table"))]
                Ok(None) => {}
                Err(failure) => {
                    let object = ReportObject::of_failure(&failure);
                    state.keep(number, &line_of(number, object, None))?;
                    state.tally.add(&BatchTally::of_bad_line());
                }
            }
        }
        Ok(state.later.pop_front())
    }

    /// Returns what is asked for.
    const fn noun(&self) -> &'static str {
        if self.is_table { "row" } else { "line" }
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
        let _ = (self.is_table, arguments, input);
        unfinished.finish().map_err(|error| failure(&error))
    }

    async fn ask(&self, line: Line, granted: Used, is_short: bool) -> Answered {
        let prompt = &line.prompt;
        let mut options = if self.models.is_first_out() {
            self.asking.for_further()
        } else {
            self.asking.clone()
        };
        let Budget { tokens, cost, .. } = self.asking.budget;
        options.budget.tokens = tokens.map(|_| granted.tokens);
        options.budget.cost = cost.map(|_| granted.cost);
        let asked = match Ask::of_text(&self.schema) {
            Ok(ask) => {
                let ask = ask.options(options).fitting(self.fitting.clone());
                let (models, mut callbacks) = (self.models.models(), Callbacks::new());
                match self.samples.get() {
                    1 => ask.run(models, prompt, &mut callbacks).await,
                    _ => ask.run_samples(models, prompt, self.samples, &mut callbacks).await,
                }
            }
            Err(_) => unreachable!("the schema was compiled before"),
        };
        Answered { line, granted, is_short, asked }
    }

    /// Returns the most that a line may use: all attempts, each with the longest answer, and with
    /// the last one in its question.
    fn most(&self, prompt: &str) -> Used {
        let attempts = u64::from(self.samples.get()) * (u64::from(self.asking.retries.most()) + 1);
        let answer = self.longest_answer();
        let question = 2 * self.question_tokens(prompt) + answer;
        self.used(attempts, question, answer)
    }

    /// Returns what the requests for a line probably use, which counts if the run is killed before
    /// they are answered: what requests used so far, or else the question and the longest answer.
    fn expected(&self, prompt: &str, used: Used) -> Used {
        let samples = u64::from(self.samples.get());
        match used.mean() {
            Some(mean) => mean.times(samples),
            None => self.used(samples, self.question_tokens(prompt), self.longest_answer()),
        }
    }

    /// Returns what so many calls use.
    fn used(&self, calls: u64, question: u64, answer: u64) -> Used {
        let usage = Usage { input: calls * question, output: calls * answer, estimated: true };
        let tokens = usage.total();
        let cost = self.price.of(&usage);
        Used { calls, tokens, cost, estimated: false }
    }

    fn longest_answer(&self) -> u64 {
        self.asking.budget.answer_tokens.map_or(ANSWER_TOKENS, u64::from)
    }

    fn question_tokens(&self, prompt: &str) -> u64 {
        Usage::estimate(prompt.len() + 2 * self.schema.len() + INSTRUCTIONS, 0).input
    }

    /// Takes the end of a request.
    fn take(&self, answered: Answered, state: &mut State) -> Result<(), Failure> {
        let fate = answered.fate();
        let Answered { line: asked_line, granted, asked, .. } = answered;
        let number = asked_line.number;
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
        self.models.note(&ledger);
        let used = Used::of(&ledger);
        state.unfinished.used = state.unfinished.used.plus(used);
        let (object, tally) = match &outcome {
            Ok(answer) => (
                ReportObject::of_answer(answer),
                BatchTally::of_value(&answer.report, answer.fit.as_ref()),
            ),
            Err(failure) => (ReportObject::of_failure(failure), BatchTally::of_refusal()),
        };
        let line = line_of(number, object, Some(self.models.spending(&ledger)));
        match (fate, outcome) {
            (Fate::Line, _) => {
                state.settle()?;
                state.keep(number, &line)?;
                state.tally.add(&tally);
            }
            (Fate::Failed, Err(failure)) => {
                state.fail(asked_line, line, used, self.jobs, failure)?;
            }
            (Fate::Busy(busy), Err(failure)) => {
                state.postpone(asked_line, used, busy, self.jobs, failure)?;
            }
            (_, Err(failure)) => {
                state.release(number, used)?;
                state.stop.get_or_insert(failure);
            }
            (_, Ok(_)) => {}
        }
        Ok(())
    }

    /// Returns what the whole run used so far.
    fn spent(&self, state: &State) -> String {
        let Used { calls, tokens, cost, estimated } = state.unfinished.used;
        let about = if estimated { "about " } else { "" };
        let mut out = counted(usize::try_from(calls).unwrap_or(usize::MAX), "call");
        if tokens > 0 {
            let _ = write!(out, ", {about}{} tokens", grouped(tokens));
        }
        if self.price != Price::default() && tokens > 0 {
            let amount = self.models.prices().currency.amount(cost);
            let _ = write!(out, ", cost {about}{amount}");
        }
        out
    }
}

/// Returns what may be used of `most` within a budget, if `taken` is used or granted to others.
fn grant(budget: &Budget, most: Used, taken: Used) -> Used {
    let left = |limit: Option<u64>, taken: u64, most: u64| {
        limit.map_or(most, |limit| limit.saturating_sub(taken).min(most))
    };
    Used {
        calls: most.calls,
        tokens: left(budget.tokens, taken.tokens, most.tokens),
        cost: left(budget.cost, taken.cost, most.cost),
        estimated: false,
    }
}

/// Returns the object of an input line, with a line end.
fn line_of<'a>(number: usize, object: ReportObject<'a>, spending: Option<Spending<'a>>) -> String {
    let mut object = object.with_schema().with_spending(spending);
    object.line = Some(number);
    object.to_line()
}
