//! `llmend calls`: the tool calls in an answer.

use clap::builder::TypedValueParser;
use llmend::{
    calls::{MessageForm, Options, Reading, Tools, read},
    json::{Policy, Severity, parse_with},
};

use crate::{
    exit::{Exit, UsageError},
    flags::{CoercionFlags, EngineFlags, OutputFlags, SourceFlags, ToolFlags, choice},
    input::{decode, lossy},
    outcome::Failure,
    output::{eprint, eprint_block, write_stdout},
    presentation::{Output, Stderr},
    render::{
        Color, Named,
        calls::{errors, explain, object, report, report_failure, summary},
        explain::warnings,
    },
};

const EXAMPLES: &str = "\
Examples:
  llmend calls --tools tools.json answer.txt              write the calls and the text as JSON
  llmend calls --tools tools.json --as openai answer.txt  write an assistant message
  llmend calls --tools tools.json --explain answer.txt    show each call and each repair in place
  llmend calls answer.txt                                 accept any tool, between marks only
  llmend calls --tools t.json --report json answer.txt    write a report as JSON

The model need not be known: the text decides in which notation it is read; `llmend notations` lists
them. The output is an object: \"calls\" has objects with \"name\", \"arguments\" and \"id\", if the text has
one; \"text\" is the text around them. \"reasoning\" and \"truncated\" are present where there is some, or
the text is cut off inside a call. Arguments are made to fit the schema of their tool; a call whose
arguments do not has \"violations\".

A call of an unknown tool, a call that cannot be read, one that is cut off, and arguments that do not
fit the schema are reported, and the exit status is 1. What was read is written all the same.
A report has the members of the output, with the location, notation, repairs, coercions and violations
of each call, \"refused\", \"diagnostics\", \"class\", and \"status\" and \"error\" as those of other commands.
Exit status: 0 every call can be used, or none was found; 1 refused, 2 usage error, 3 input or output failed.";

/// Read the tool calls in a model's answer, in any notation
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, mut_arg("choice", |choice| choice.hide(true)))]
pub(crate) struct CallsArguments {
    #[command(flatten)]
    source: SourceFlags,
    /// Write a message of this API instead
    #[arg(
        long = "as",
        value_name = "FORM",
        value_parser = forms(),
        conflicts_with = "report",
        help_heading = "Output"
    )]
    form: Option<MessageForm>,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    tools: ToolFlags,
    #[command(flatten)]
    coercing: CoercionFlags,
    #[command(flatten)]
    engine: EngineFlags,
}

fn forms() -> impl TypedValueParser<Value = MessageForm> {
    choice(MessageForm::ALL.map(|form| (form.as_str(), form.doc())))
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &CallsArguments, color: Color) -> Result<Exit, UsageError> {
    let engine = arguments.engine.engine()?;
    let tools = match arguments.tools.load(color) {
        Ok(tools) => tools,
        Err(unusable) => return Ok(unusable.print(color)),
    };
    let options = arguments.tools.calls.options(arguments.coercing.options(&engine));
    let output = arguments.output.output();
    let Output { explain, quiet, .. } = output;
    let stderr = Stderr { explain, quiet, engine: &engine, color };
    let presentation = Presentation { output, form: arguments.form, stderr };
    Ok(presentation.present(arguments, &tools, &options))
}

/// How calls are presented.
struct Presentation<'a> {
    output: Output,
    form: Option<MessageForm>,
    stderr: Stderr<'a>,
}

impl Presentation<'_> {
    /// Reads the text, and presents its calls.
    fn present(&self, arguments: &CallsArguments, tools: &Tools, options: &Options) -> Exit {
        let source = arguments.source.source();
        let name = source.name();
        let bytes = match source.read(options.json.max_bytes) {
            Ok(bytes) => bytes,
            Err(failure) => return self.failure(Named { name: &name, text: "" }, &failure),
        };
        let text = match decode(&bytes) {
            Ok(text) => text,
            Err(failure) => {
                let text = lossy(&bytes, &failure);
                return self.failure(Named { name: &name, text: &text }, &failure);
            }
        };
        self.reading(Named { name: &name, text }, &read(text, tools, options))
    }

    fn reading(&self, source: Named<'_>, reading: &Reading) -> Exit {
        let exit = print(&self.stderr, source, reading);
        let written = match (self.output.report, self.form) {
            (Some(_), _) => report(reading, None),
            (None, Some(form)) => reading.to_message(form),
            (None, None) => object(reading),
        };
        self.write(source, &written, exit)
    }

    /// Presents a text that could not be read.
    fn failure(&self, source: Named<'_>, failure: &Failure) -> Exit {
        self.stderr.failure(source, failure);
        match self.output.report {
            None => failure.exit,
            Some(_) => self.write(source, &report_failure(failure, None), failure.exit),
        }
    }

    fn write(&self, source: Named<'_>, json: &str, exit: Exit) -> Exit {
        let written = if self.output.pretty {
            write_stdout(&[&indented(json), "\n"])
        } else {
            write_stdout(&[json, "\n"])
        };
        self.stderr.after(source, written, exit)
    }
}

/// Prints what was read and what is wrong with it. Returns the exit status.
pub(crate) fn print(stderr: &Stderr<'_>, source: Named<'_>, reading: &Reading) -> Exit {
    let before = if stderr.explain {
        explain(source, reading, stderr.color)
    } else if stderr.quiet {
        String::new()
    } else {
        let findings = reading.findings().filter(|row| row.severity < Severity::Error);
        warnings(source, &findings.collect::<Vec<_>>(), stderr.color)
    };
    eprint_block(&before);
    if !reading.is_usable() {
        if !before.is_empty() {
            eprint("");
        }
        stderr.failure(source, &Failure::new(Exit::Refused, errors(reading)));
        return Exit::Refused;
    }
    if !stderr.quiet {
        let mut line = summary(reading);
        if let Some(source) = &stderr.engine.disabled_by {
            line.push_str("; repair is disabled by ");
            line.push_str(source);
        }
        eprint(&line);
    }
    Exit::Value
}

/// Indents JSON that llmend wrote. Numbers keep their digits.
fn indented(json: &str) -> String {
    let options =
        llmend::Options { max_bytes: usize::MAX, ..llmend::Options::policy(Policy::Strict) };
    parse_with(json, &options)
        .map_or_else(|_| json.to_owned(), |parsed| format!("{:#}", parsed.value))
}
