//! What can be said on the command line?

use clap::{Parser, Subcommand, ValueEnum};

#[cfg(feature = "models")]
use crate::commands::{ask, assist};
#[cfg(feature = "gateway")]
use crate::commands::{report, serve};
use crate::{
    commands::{
        batch, checks, coercions, completions, config, patch, plan, prompts, repair, rules, stream,
        validate, workflow,
    },
    exit::Exit,
    render::Colour,
};

/// What the first page of help ends with.
const EXAMPLES: &str = "\
Examples:
  llmend repair answer.txt                the JSON in an answer, mended
  llmend repair --explain < answer.txt    the same, with each repair shown in its place
  llmend repair --schema s.json a.txt     the JSON, made to fit a schema, or all reasons why not
  llmend plan answer.txt                  the plan in an answer, checked
  llmend plan --ask GOAL --model MODEL    a checked plan from a model, asked again for what is wrong
  llmend ask --schema s.json PROMPT       an answer of a model that fits a schema
  llmend assist --workflow flow.json      a conversation with a model about a workflow
  llmend workflow check flow.json         everything that is wrong with a workflow
  llmend patch flow.json answer.txt       a workflow, changed by the patch in an answer
  llmend batch log.jsonl --field answer   a report for each line of a log
  some-model | llmend stream              the value, while it is being written
  llmend serve --upstream URL             an endpoint whose answers arrive repaired
  llmend report exchanges.db              which model breaks what, of what the endpoint recorded
  llmend validate --schema s.json a.json  whether a value fits, with nothing changed
  llmend rules                            the rules that a repair can follow
  llmend coercions                        the changes that can make a value fit a schema
  llmend checks                           what is found in plans, workflows and patches
  llmend prompts                          what a model is told
  llmend config                           the settings, and where each comes from

Exit status: 0 a value, 1 refused, 2 misused, 3 input or output failed.
LLMEND_REPAIR=0 in the environment switches every repair off.";

/// Repairs the almost-JSON that language models write
#[derive(Debug, Parser)]
#[command(name = "llmend", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Colours: auto (on a terminal, unless `NO_COLOR` is set), always, never
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_possible_values = true
    )]
    color: When,
}

#[derive(Debug, Subcommand)]
enum Command {
    Repair(repair::Arguments),
    Batch(batch::Arguments),
    Stream(stream::Arguments),
    Validate(validate::Arguments),
    Plan(plan::Arguments),
    #[cfg(feature = "models")]
    Ask(ask::Arguments),
    #[cfg(feature = "models")]
    Assist(assist::Arguments),
    Workflow(workflow::Arguments),
    Patch(patch::Arguments),
    #[cfg(feature = "gateway")]
    Serve(serve::Arguments),
    #[cfg(feature = "gateway")]
    Report(report::Arguments),
    Rules(rules::Arguments),
    Coercions(coercions::Arguments),
    Checks(checks::Arguments),
    Prompts(prompts::Arguments),
    Config(config::Arguments),
    Completions(completions::Arguments),
}

/// When something is done to the output.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum When {
    #[default]
    Auto,
    Always,
    Never,
}

impl Arguments {
    /// Does what was asked for.
    pub(crate) fn run(self) -> Result<Exit, clap::Error> {
        let colour = match self.color {
            When::Auto => Colour::of_stderr(),
            When::Always => Colour::Ansi,
            When::Never => Colour::Plain,
        };
        match self.command {
            Command::Repair(arguments) => repair::run(&arguments, colour),
            Command::Batch(arguments) => batch::run(&arguments, colour),
            Command::Stream(arguments) => stream::run(&arguments, colour),
            Command::Validate(arguments) => Ok(validate::run(&arguments, colour)),
            Command::Plan(arguments) => plan::run(&arguments, colour),
            #[cfg(feature = "models")]
            Command::Ask(arguments) => ask::run(&arguments, colour),
            #[cfg(feature = "models")]
            Command::Assist(arguments) => assist::run(&arguments, colour),
            Command::Workflow(arguments) => workflow::run(&arguments, colour),
            Command::Patch(arguments) => patch::run(&arguments, colour),
            #[cfg(feature = "gateway")]
            Command::Serve(arguments) => Ok(serve::run(&arguments)),
            #[cfg(feature = "gateway")]
            Command::Report(arguments) => Ok(report::run(&arguments, colour)),
            Command::Rules(arguments) => Ok(rules::run(&arguments, colour)),
            Command::Coercions(arguments) => Ok(coercions::run(&arguments, colour)),
            Command::Checks(arguments) => Ok(checks::run(&arguments, colour)),
            Command::Prompts(arguments) => prompts::run(&arguments, colour),
            Command::Config(arguments) => config::run(&arguments, colour),
            Command::Completions(arguments) => Ok(completions::run(&arguments, colour)),
        }
    }
}
