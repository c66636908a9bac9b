//! `llmend batch --ask`: a model is asked with the prompt of each line.

use std::{num::NonZeroU32, path::Path, time::Duration};

use futures_util::future::{Either, select};
use llmend::{
    BadSchema, FitOptions,
    asking::{Ask, AskOptions},
    json::{Options, Policy},
    model::stable_hash,
};

mod asker;
mod prompts;
#[cfg(feature = "table")]
mod rows;
mod state;

use asker::Asker;
use prompts::OpenPrompts;

use super::{
    BatchArguments, Ended,
    line::{LineTask, Wanted},
    unfinished::{RequestLog, Run, STDOUT, Unfinished, failure, hash_of},
};
use crate::{
    attempts::wait,
    dry_run::preview,
    engine::Engine,
    exit::{Exit, UsageError},
    flags::ModelFlags,
    input::unreadable,
    models::{ChosenModels, OpenModels, open_observed, options},
    outcome::{Failure, Layout},
    output::eprint,
    presentation::finish,
    render::Color,
    schemas::load_text,
};

/// Requests at a time.
const JOBS: usize = 8;

#[derive(Debug, clap::Args)]
pub(super) struct AskArguments {
    /// The member with the prompt: a model is asked for a value that fits the schema; a JSON Pointer
    /// if it starts with `/`
    #[arg(
        long,
        verbatim_doc_comment,
        value_name = "NAME",
        requires = "schema",
        conflicts_with_all = ["field", "schema_field", "form", "tools_field"],
        help_heading = "Model"
    )]
    ask: Option<String>,
    /// Ask this many times, and take the value that most answers agree on, field by field
    #[arg(long, value_name = "N", default_value = "1", requires = "ask", hide_default_value = true, value_parser = clap::value_parser!(u32).range(1..=100), help_heading = "Model")]
    samples: u32,
    /// Print the first request as it would be sent, and send nothing
    #[arg(long, requires = "ask", help_heading = "Model")]
    dry_run: bool,
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
    let BatchArguments { asking: AskArguments { ask, model, dry_run, .. }, schema, source, .. } =
        arguments;
    let (Some(field), Some(schema)) = (ask, &schema.schema) else {
        if model.are_given() {
            return Err("the flags of a model require '--ask'".into());
        }
        return Ok(None);
    };
    let Some(input) = source.path() else {
        return Err("'--ask' requires a FILE: an interrupted run reads it again".into());
    };
    if arguments.output.is_none() && !dry_run {
        return Err("'--ask' requires '--output'".into());
    }
    let is_stdout = arguments.output.as_deref() == Some(Path::new(STDOUT));
    if is_stdout && prompts::is_table(input) {
        return Err("a table cannot be written to standard output; use '--output FILE'".into());
    }
    let found = model.load([])?;
    let asking = options(&found)?;
    let schema = match load_text(schema, color) {
        Ok(schema) => schema,
        Err(unusable) => return Ok(Some(Err(unusable.print(color)))),
    };
    let mut strict = Options::policy(Policy::Strict);
    strict.max_bytes = engine.options.max_bytes;
    let task = LineTask {
        field: Some(field.clone()),
        wanted: Wanted::Value,
        options: FitOptions::default(),
        strict,
    };
    let asked = AskedLines { arguments, input, field, found, asking, schema, task };
    Ok(Some(if *dry_run { asked.preview(color) } else { asked.run(engine, color) }))
}

/// The lines to ask for, and how they are asked for.
struct AskedLines<'a> {
    arguments: &'a BatchArguments,
    input: &'a Path,
    field: &'a str,
    found: ChosenModels,
    asking: AskOptions,
    schema: String,
    task: LineTask,
}

impl AskedLines<'_> {
    /// Prints the first request as it would be sent.
    fn preview(self, color: Color) -> Ended {
        let shown = self.first_request();
        shown.map_or_else(|failure| Ok(Err(failure)), |text| Err(finish(&text, color)))
    }

    fn first_request(&self) -> Result<String, Failure> {
        let ask = Ask::of_text(&self.schema).map_err(|error| bad_schema(&error))?;
        let ask = ask.options(self.asking.clone());
        let (mut prompts, _) = prompts::open(self.arguments, self.input, &self.task)?;
        let none = || Failure::plain(Exit::Refused, "input/field", "there is no prompt to ask");
        let prompt = loop {
            let next = prompts.next(&self.task)?.ok_or_else(none)?;
            if let Ok(Some(prompt)) = next.prompt {
                break prompt;
            }
        };
        preview(&self.found, Layout::Kept, |model| {
            let mut driven = ask.manual_loop(prompt, vec![model]);
            driven.next(Duration::ZERO).map(|first| first.request.clone())
        })
    }

    /// Asks, and writes the output. Returns the summary.
    fn run(self, engine: &Engine, color: Color) -> Ended {
        if let Err(error) = Ask::of_text(&self.schema) {
            return Ok(Err(bad_schema(&error)));
        }
        let log = RequestLog::default();
        let models = match open_observed(&self.found, &log.observer(), Some(state::PATIENCE)) {
            Ok(models) => models,
            Err(failure) => return Ok(Err(failure)),
        };
        let samples = self.arguments.asking.samples;
        let fitting = self.arguments.schema.coercing.options(engine);
        let opened = self.unfinished(&models, &fitting);
        let (prompts, unfinished) = match opened {
            Ok(opened) => opened,
            Err(failure) => return Ok(Err(failure)),
        };
        unfinished.log_requests(&log);
        let Self { arguments, input, .. } = self;
        let asker = Asker {
            price: models.prices().dearest().unwrap_or_default(),
            fitting,
            models: &models,
            jobs: arguments.jobs.map_or(JOBS, usize::from),
            samples: NonZeroU32::new(samples).unwrap_or(NonZeroU32::MIN),
            is_table: prompts::is_table(input),
            task: self.task,
            schema: self.schema,
            asking: self.asking,
        };
        let ended = wait(async {
            let asking = std::pin::pin!(asker.run(arguments, input, prompts, unfinished));
            let stopped = std::pin::pin!(tokio::signal::ctrl_c());
            match select(asking, stopped).await {
                Either::Left((ended, _)) => Some(ended),
                Either::Right(_) => None,
            }
        });
        let ended = match ended {
            Ok(None) => return Err(interrupted()),
            Ok(Some(ended)) => ended,
            Err(failure) => Err(failure),
        };
        // A recording that is incomplete was reported.
        match models.close(Exit::Value, color) {
            Exit::Value => Ok(ended),
            exit => Err(exit),
        }
    }

    /// Opens the input, and the file of what was answered by earlier runs.
    fn unfinished(
        &self,
        models: &OpenModels,
        fitting: &FitOptions,
    ) -> Result<(OpenPrompts, Unfinished), Failure> {
        let (prices, samples) = (models.prices(), self.arguments.asking.samples);
        let Self { arguments, input, field, asking, schema, task, .. } = self;
        let content =
            hash_of(input).map_err(|error| unreadable(&input.display().to_string(), &error))?;
        let run = Run {
            input: input.display().to_string(),
            content,
            ask: (*field).to_owned(),
            model: models.name().to_owned(),
            options: format!("{:?} {:?} {samples}", asking.system, asking.temperature),
            limits: format!("{:?} {:?}", asking.budget.answer_tokens, asking.ladder),
            fitting: format!("{fitting:?}"),
            prompts: stable_hash(&prompts_in_use()),
            currency: prices.dearest().map(|_| prices.currency.code().to_owned()),
            schema: schema.clone(),
        };
        let prompts = prompts::open(arguments, input, task)?;
        let output = arguments.output.as_deref().unwrap_or(Path::new(""));
        Ok((prompts, Unfinished::open(output, input, &run).map_err(|error| failure(&error))?))
    }
}

/// Says that the run goes on with the same command.
fn interrupted() -> Exit {
    eprint("\nllmend: interrupted; what was answered is kept. Run the command again to go on.");
    Exit::Interrupted
}

/// Returns the texts of all prompts, those among them that replace llmend's.
fn prompts_in_use() -> String {
    let texts = llmend::prompts::ALL.iter().map(llmend::prompts::PromptTemplate::text_in_use);
    texts.collect::<Vec<_>>().join("\n")
}

fn bad_schema(error: &BadSchema) -> Failure {
    Failure::plain(Exit::Usage, error.code, error.message.clone())
}
