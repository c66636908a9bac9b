//! The command line.

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};

#[cfg(feature = "models")]
use crate::commands::{ask, assist};
#[cfg(feature = "gateway")]
use crate::commands::{report, serve};
use crate::{
    commands::{
        batch, calls, checks, coercions, completions, config, man, notations, patch, plan, prompts,
        repair, rules, stream, validate, workflow,
    },
    exit::{Exit, UsageError},
    render::Color,
};

/// The end of the first page of help.
const EXAMPLES: &str = "\
Examples:
  llmend repair answer.txt                write the JSON in an answer, repaired
  llmend repair --explain < answer.txt    show each repair in place
  llmend repair --schema s.json a.txt     make the value fit a schema
  llmend calls --tools t.json answer.txt  read the tool calls in an answer
  llmend plan answer.txt                  read and check the plan in an answer
  llmend workflow draw flow.json          draw a workflow in the terminal
  llmend patch flow.json answer.txt       apply the patch in an answer
  llmend batch log.jsonl --field answer   process each line of a log
  some-model | llmend stream              write the value while it arrives
  llmend ask --schema s.json PROMPT       ask a model for an answer that fits a schema
  llmend plan --ask GOAL --model MODEL    ask a model for a plan, and retry what is wrong
  llmend serve --upstream URL             serve an endpoint that repairs answers

Exit status: 0 value, 1 refused, 2 usage error, 3 input or output failed.
Set LLMEND_REPAIR=0 in the environment to disable all repairs.";

/// Repair the almost-JSON that language models write
#[derive(Debug, Parser)]
#[command(name = "llmend", version, after_help = EXAMPLES)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    command: Command,
    /// Colors: auto (on a terminal, unless `NO_COLOR` is set), always, never
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_possible_values = true
    )]
    color: When,
    /// Write debug logs to standard error; `RUST_LOG` selects other ones
    #[cfg(feature = "models")]
    #[arg(short, long, global = true)]
    verbose: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Repair(repair::RepairArguments),
    Batch(batch::BatchArguments),
    Stream(stream::StreamArguments),
    Validate(validate::ValidateArguments),
    Calls(calls::CallsArguments),
    Plan(plan::PlanArguments),
    #[cfg(feature = "models")]
    Ask(ask::AskArguments),
    #[cfg(feature = "models")]
    Assist(assist::AssistArguments),
    Workflow(workflow::WorkflowArguments),
    Patch(patch::PatchArguments),
    #[cfg(feature = "gateway")]
    Serve(serve::ServeArguments),
    #[cfg(feature = "gateway")]
    Report(report::ReportArguments),
    Rules(rules::RulesArguments),
    Coercions(coercions::CoercionsArguments),
    Checks(checks::ChecksArguments),
    Notations(notations::NotationsArguments),
    Prompts(prompts::PromptsArguments),
    Config(config::ConfigArguments),
    Completions(completions::CompletionsArguments),
    Man(man::ManArguments),
}

/// When to use colors.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum When {
    #[default]
    Auto,
    Always,
    Never,
}

/// Runs another command up to its first request.
#[cfg(feature = "models")]
fn preview(line: Vec<std::ffi::OsString>) -> Result<Exit, UsageError> {
    CommandLine::try_parse_from(line)
        .map_err(|error| {
            // What follows the first paragraph is the usage of that command.
            let message = error.to_string();
            let reason = message.split("\n\n").next().unwrap_or_default();
            let lines: Vec<_> = reason.lines().map(str::trim).collect();
            UsageError(lines.join(" ").trim_start_matches("error: ").to_owned())
        })?
        .run()
}

impl CommandLine {
    /// Runs the subcommand.
    pub(crate) fn run(self) -> Result<Exit, UsageError> {
        #[cfg(feature = "models")]
        let _logs = crate::logs::start(self.verbose);
        let color = match self.color {
            When::Auto => Color::of_stderr(),
            When::Always => Color::Ansi,
            When::Never => Color::Plain,
        };
        match self.command {
            Command::Repair(arguments) => repair::run(&arguments, color),
            Command::Batch(arguments) => batch::run(&arguments, color),
            Command::Stream(arguments) => stream::run(&arguments, color),
            Command::Validate(arguments) => Ok(validate::run(&arguments, color)),
            Command::Calls(arguments) => calls::run(&arguments, color),
            Command::Plan(arguments) => plan::run(&arguments, color),
            #[cfg(feature = "models")]
            Command::Ask(arguments) => ask::run(&arguments, color),
            #[cfg(feature = "models")]
            Command::Assist(arguments) => assist::run(&arguments, color),
            Command::Workflow(arguments) => workflow::run(&arguments, color),
            Command::Patch(arguments) => patch::run(&arguments, color),
            #[cfg(feature = "gateway")]
            Command::Serve(arguments) => serve::run(&arguments),
            #[cfg(feature = "gateway")]
            Command::Report(arguments) => report::run(&arguments, color),
            Command::Rules(arguments) => Ok(rules::run(&arguments, color)),
            Command::Coercions(arguments) => Ok(coercions::run(&arguments, color)),
            Command::Checks(arguments) => Ok(checks::run(&arguments, color)),
            Command::Notations(arguments) => Ok(notations::run(&arguments, color)),
            Command::Prompts(arguments) => {
                #[cfg(feature = "models")]
                if let Some(line) = arguments.previewed()? {
                    return preview(line);
                }
                prompts::run(&arguments, color)
            }
            Command::Config(arguments) => config::run(&arguments, color),
            Command::Completions(arguments) => {
                Ok(completions::run(&arguments, Self::command(), color))
            }
            Command::Man(arguments) => Ok(man::run(&arguments, Self::command())),
        }
    }
}
