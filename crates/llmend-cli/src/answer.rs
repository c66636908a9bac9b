//! What becomes of one answer: what is written, what is said, how does the command end?

use std::{borrow::Cow, path::Path};

use clap::ValueEnum;
use llmend::{Coercion, Schema, asking::Ledger, json::Report};

use crate::{
    engine::Engine,
    exit::{Exit, Failure},
    fitting::Fit,
    input::{Source, decode, lossy},
    output::{deliver, say, say_block},
    planning::Found,
    render::{
        Colour, Named,
        explain::{explain, refusal, warnings},
        report::Object,
        summary::summary,
    },
    schemas::load,
};

/// What is shown, and how.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "What is shown")]
pub(crate) struct OutputArguments {
    /// Show the original on standard error, with each change in its place
    #[arg(long)]
    pub(crate) explain: bool,
    /// Write a report to standard output in place of the value, whatever the exit status
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) report: Option<ReportFormat>,
    /// Indent the JSON; with `--report`, the report
    #[arg(long)]
    pub(crate) pretty: bool,
    /// Leave out the summary
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// The format of a report.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ReportFormat {
    /// One JSON object
    Json,
}

/// Whether JSON is written as it stands or indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// As it was, but for what was repaired.
    Kept,
    /// Two blanks a level.
    Indented,
}

/// A value that was had.
pub(crate) struct Answer<'t> {
    /// JSON text.
    pub(crate) json: Cow<'t, str>,
    /// How it was come by.
    pub(crate) report: Report,
    /// What came of holding it against a schema, if one was asked for.
    pub(crate) fit: Option<Fit>,
    /// The plan that it is, if one was asked for.
    pub(crate) plan: Option<Found>,
}

/// What is written to standard output of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// The value.
    Value,
    /// Nothing: who asks has it already.
    Nothing,
}

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// A value.
    Value,
    /// A value that fits a schema.
    Fit,
    /// A plan.
    Plan,
}

/// How results are presented.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Presentation<'a> {
    pub(crate) arguments: &'a OutputArguments,
    pub(crate) shown: Shown,
    pub(crate) asked: Asked,
    pub(crate) engine: &'a Engine,
    pub(crate) colour: Colour,
}

impl Presentation<'_> {
    /// Reads the text at `source`, has `read` make an answer of it, and presents that.
    pub(crate) fn present<F>(&self, source: &Source, read: F) -> Exit
    where
        F: for<'t> FnOnce(&'t str, Layout) -> Result<Answer<'t>, Failure>,
    {
        let name = source.name();
        let bytes = match source.read(self.engine.options.max_bytes) {
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
        let named = Named { name: &name, text };
        self.outcome(named, &read(text, self.layout()), None)
    }

    /// Presents what came of a text, and of the model that it was asked of, if one was.
    pub(crate) fn outcome(
        &self,
        named: Named<'_>,
        outcome: &Result<Answer<'_>, Failure>,
        ledger: Option<&Ledger>,
    ) -> Exit {
        match outcome {
            Ok(answer) => self.value(named, answer, ledger),
            Err(failure) => self.refused(named, failure, ledger),
        }
    }

    /// Loads the schema, has `read` hold the text at `source` against it, and presents what comes
    /// of that.
    pub(crate) fn present_with<F>(&self, schema: &Path, source: &Source, read: F) -> Exit
    where
        F: for<'t> FnOnce(&'t str, Layout, &Schema) -> Result<Answer<'t>, Failure>,
    {
        match load(schema, self.colour) {
            Ok(schema) => self.present(source, |text, layout| read(text, layout, &schema)),
            Err(unusable) => self.failure(unusable.named(), &unusable.failure),
        }
    }

    /// How the value is written. In a report it is kept as it stands, so that the repairs lead
    /// from the text to it.
    pub(crate) fn layout(&self) -> Layout {
        if self.arguments.pretty && self.arguments.report.is_none() {
            Layout::Indented
        } else {
            Layout::Kept
        }
    }

    fn value(&self, source: Named<'_>, answer: &Answer<'_>, ledger: Option<&Ledger>) -> Exit {
        self.voice().of_answer(source, answer);
        let written = if self.arguments.report.is_some() {
            let object = Object::of_answer(answer).with_ledger(ledger);
            deliver(&[&self.report(&object)])
        } else if self.shown == Shown::Nothing {
            Ok(())
        } else {
            // A text that comes back as it was keeps its own line end.
            let end = if answer.json.ends_with('\n') { "" } else { "\n" };
            deliver(&[&answer.json, end])
        };
        self.voice().after(source, written, Exit::Value)
    }

    /// Presents why there is no value.
    pub(crate) fn failure(&self, source: Named<'_>, failure: &Failure) -> Exit {
        self.refused(source, failure, None)
    }

    fn refused(&self, source: Named<'_>, failure: &Failure, ledger: Option<&Ledger>) -> Exit {
        self.voice().of_failure(source, failure);
        let object = Object::of_failure(failure).with_ledger(ledger);
        let object = match self.asked {
            Asked::Value => object,
            Asked::Fit => object.with_schema(),
            Asked::Plan => object.with_plan(),
        };
        let written = match self.arguments.report {
            None => failure.picture.as_ref().map_or(Ok(()), |picture| deliver(&[picture])),
            Some(_) => deliver(&[&self.report(&object)]),
        };
        self.voice().after(source, written, failure.exit)
    }

    pub(crate) fn voice(&self) -> Voice<'_> {
        let OutputArguments { explain, quiet, .. } = *self.arguments;
        Voice { explain, quiet, engine: self.engine, colour: self.colour }
    }

    fn report(&self, object: &Object<'_>) -> String {
        if self.arguments.pretty { object.to_lines() } else { object.to_line() }
    }
}

/// What is said about a result on standard error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Voice<'a> {
    /// Whether the original is shown with its repairs.
    pub(crate) explain: bool,
    /// Whether the summary is left out.
    pub(crate) quiet: bool,
    pub(crate) engine: &'a Engine,
    pub(crate) colour: Colour,
}

impl Voice<'_> {
    /// What there is to say of an answer. What a plan is warned of is shown, for the plan is used.
    pub(crate) fn of_answer(&self, source: Named<'_>, answer: &Answer<'_>) {
        let Answer { report, fit, plan, .. } = answer;
        if plan.is_some() && !self.explain && !self.quiet {
            say_block(&warnings(source, &report.diagnostics, self.colour));
        }
        self.of_result(source, report, fit.as_ref(), plan.as_ref());
    }

    fn of_result(
        &self,
        source: Named<'_>,
        report: &Report,
        fit: Option<&Fit>,
        plan: Option<&Found>,
    ) {
        if self.explain {
            say_block(&explain(source, report, coercions(fit), self.colour));
        }
        if !self.quiet {
            let mut line = summary(source, report, fit, plan);
            if let Some(variable) = &self.engine.switched_off {
                line.push_str("; repair is switched off by ");
                line.push_str(variable);
            }
            say(&line);
        }
    }

    /// Why there is none.
    pub(crate) fn of_failure(&self, source: Named<'_>, failure: &Failure) {
        let mut said = vec![refusal(source, failure, self.colour)];
        match &failure.report {
            Some(report) if self.explain => {
                let fit = failure.fit.as_deref();
                said.insert(0, explain(source, report, coercions(fit), self.colour));
            }
            Some(report) => said.push(warnings(source, &report.diagnostics, self.colour)),
            None => {}
        }
        let switched_off = self.engine.switched_off.as_ref();
        if let Some(variable) = switched_off.filter(|_| failure.exit == Exit::Refused) {
            said.push(format!("llmend: repair is switched off by {variable}"));
        }
        said.retain(|block| !block.is_empty());
        say_block(&said.join("\n"));
    }

    /// The end of the command: `exit`, unless what was to be written could not be.
    pub(crate) fn after(
        &self,
        source: Named<'_>,
        written: Result<(), Failure>,
        exit: Exit,
    ) -> Exit {
        match written {
            Ok(()) => exit,
            Err(undelivered) => {
                say_block(&refusal(source, &undelivered, self.colour));
                undelivered.exit
            }
        }
    }
}

fn coercions(fit: Option<&Fit>) -> &[Coercion] {
    fit.map(|fit| fit.coercions.as_slice()).unwrap_or_default()
}

/// Writes a text that is not made from an answer, and ends the command.
pub(crate) fn finish(text: &str, colour: Colour) -> Exit {
    match deliver(&[text]) {
        Ok(()) => Exit::Value,
        Err(failure) => {
            say_block(&refusal(Named { name: "<stdout>", text: "" }, &failure, colour));
            failure.exit
        }
    }
}
